package gemini

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// leaf is a value of a document with the steps that lead to it: names and numbers.
type leaf struct {
	steps []any
	value string // as JSON
}

// leaves makes a random object without empty parts, and its leaves in order.
func leaves(r *rand.Rand, depth int, steps []any) (string, []leaf) {
	names := []string{"a", "b c", "d.e", "it's", "q\"[0]", "é", "", "\\n"}
	var doc strings.Builder
	var all []leaf
	array := len(steps) > 0 && r.IntN(2) == 0
	doc.WriteByte("{["[btoi(array)])
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			doc.WriteByte(',')
		}
		var step any = i
		if !array {
			step = names[(i+len(steps))%len(names)] + fmt.Sprint(i)
			doc.Write(append(strictjson.AppendQuoted(nil, []byte(step.(string))), ':'))
		}
		to := append(slices.Clone(steps), step)
		if depth > 0 && r.IntN(3) == 0 {
			inner, some := leaves(r, depth-1, to)
			doc.WriteString(inner)
			all = append(all, some...)
			continue
		}
		value := []string{"true", "null", "-1.50e2", `"x\"\ud83d\ude00y"`, `""`, `"longer text"`}[r.IntN(6)]
		doc.WriteString(value)
		all = append(all, leaf{to, value})
	}
	doc.WriteByte("}]"[btoi(array)])
	return doc.String(), all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pathOf writes steps as a path, names in one of the ways that there are.
func pathOf(r *rand.Rand, steps []any) []byte {
	path := []byte("$")
	for _, s := range steps {
		name, ok := s.(string)
		switch {
		case !ok:
			path = fmt.Appendf(path, "[%d]", s)
		case !strings.ContainsAny(name, ".[") && name != "" && r.IntN(2) == 0:
			path = append(append(path, '.'), name...)
		case r.IntN(2) == 0:
			path = append(append(append(path, '['), strictjson.AppendQuoted(nil, []byte(name))...), ']')
		default:
			quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name)
			path = append(append(append(path, "['"...), quoted...), "']"...)
		}
	}
	return path
}

// patchesOf cuts a leaf into patches.
func patchesOf(r *rand.Rand, l leaf) []patch {
	path := pathOf(r, l.steps)
	if l.value[0] != '"' {
		return []patch{{path: path, kind: plainPatch, value: text{raw: []byte(l.value)}}}
	}
	inside := l.value[1 : len(l.value)-1]
	if r.IntN(3) == 0 {
		return []patch{{path: path, kind: stringPatch, value: text{raw: []byte(inside)}}}
	}
	var all []patch
	for len(inside) > 0 {
		n := 1
		if inside[0] == '\\' {
			n = escape([]byte(inside))
		}
		all = append(all, patch{path: path, kind: stringPatch, value: text{raw: []byte(inside[:n])}, more: true})
		inside = inside[n:]
	}
	return append(all, patch{path: path, kind: stringPatch})
}

// TestPatchesBuildTheDocument: the patches of a document, in its order, give its bytes; in another order,
// where no array gets a gap by it, they give the same value.
func TestPatchesBuildTheDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		want, all := leaves(r, 3, nil)
		var d document
		for _, l := range all {
			for _, p := range patchesOf(r, l) {
				d.apply(&p)
			}
		}
		d.end()
		if got := string(d.appendTo(nil)); got != want || d.fault != "" {
			t.Fatalf("got %s (%s), want %s", got, d.fault, want)
		}
		if strings.Contains(want, "[") {
			continue
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		d.reset()
		for _, l := range all {
			for _, p := range patchesOf(r, l) {
				d.apply(&p)
			}
		}
		if got := d.appendTo(nil); !strictjson.Equal(got, []byte(want)) {
			t.Fatalf("got %s (%s), want %s", got, d.fault, want)
		}
	}
}

// naive builds a document by comparing each path with every one before it.
type naive struct {
	at     [][]string // steps, each "name" or "[n]"
	values []string
	open   []bool
	broken bool
}

func (o *naive) apply(steps []string, p *patch) {
	if o.broken = o.broken || o.contradicts(steps); o.broken {
		return
	}
	for i, at := range o.at {
		if slices.Equal(at, steps) {
			o.broken = !o.open[i] || p.kind != stringPatch
			o.values[i] += string(p.value.raw)
			o.open[i] = p.more
			return
		}
	}
	o.broken = p.more && p.kind != stringPatch
	o.at, o.values, o.open = append(o.at, steps), append(o.values, string(p.value.raw)), append(o.open, p.more)
}

// contradicts reports whether a path can't be beside the ones before it.
func (o *naive) contradicts(steps []string) bool {
	for n := range steps {
		elements := map[string]bool{}
		for _, at := range o.at {
			if len(at) < n || !slices.Equal(at[:n], steps[:n]) {
				continue
			}
			if len(at) == n && n > 0 || len(at) > n && (at[n][0] == '[') != (steps[n][0] == '[') {
				return true // below a value, or the other kind of parent
			}
			if len(at) > n {
				elements[at[n]] = true
			}
			if len(steps) == n+1 && len(at) > n+1 && at[n] == steps[n] {
				return true // a value where a parent stands
			}
		}
		if steps[n][0] == '[' && (n == 0 || !elements[steps[n]] && steps[n] != fmt.Sprintf("[%d]", len(elements))) {
			return true // a gap, or a root that is no object
		}
	}
	return false
}

// TestPatchesAgainstNaive: random patches are taken, and refused, as the naive reading does.
func TestPatchesAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := 0
	for range 6000 {
		var d document
		var o naive
		for range 1 + r.IntN(6) {
			var steps []string
			path := "$"
			for range 1 + r.IntN(3) {
				s := []string{"a", "b", "[0]", "[1]"}[r.IntN(4)]
				if len(steps) == 0 && r.IntN(20) > 0 {
					s = []string{"a", "b"}[r.IntN(2)]
				}
				steps = append(steps, s)
				path += strings.Replace("."+s, ".[", "[", 1)
			}
			p := patch{path: []byte(path), kind: stringPatch, value: text{raw: []byte("x")}, more: r.IntN(3) == 0}
			if r.IntN(2) == 0 {
				p.kind, p.value.raw = plainPatch, []byte("1")
				p.more = p.more && r.IntN(4) == 0
			}
			d.apply(&p)
			o.apply(steps, &p)
		}
		if (d.fault != "") != o.broken {
			t.Fatalf("fault %q, want broken %v: %v", d.fault, o.broken, o.at)
		}
		d.end()
		if broken := o.broken || slices.Contains(o.open, true); (d.fault != "") != broken {
			t.Fatalf("at the end: fault %q, want broken %v: %v %v", d.fault, broken, o.at, o.open)
		}
		doc := d.appendTo(nil)
		if json.Valid(doc) != (d.fault == "") {
			t.Fatalf("fault %q: %s", d.fault, doc)
		}
		if d.fault == "" {
			whole++
		}
	}
	if whole < 300 {
		t.Errorf("only %d documents were whole", whole)
	}
}

func TestPaths(t *testing.T) {
	for path, want := range map[string]string{
		`$.a`: `a`, `$.a.b`: `a/b`, `$.a[0][12]`: `a/#0/#12`, `$['a']`: `a`, `$["a.b"].c`: `a.b/c`, `$['']`: ``,
		`$['\'\\\"\/\u00e9\n']`: "'\\\"/é\n", `$['"']`: `"`, `$["'"]`: `'`, `$['a]']`: `a]`,
		`$.a b`: `a b`, `$.é`: `é`,
	} {
		s := pathSteps{rest: []byte(path)}
		var got []string
		for ok := s.begin(); ok; ok = s.more() {
			if !s.next() {
				t.Errorf("%s: no step at %q", path, s.rest)
				break
			}
			if s.element {
				got = append(got, fmt.Sprintf("#%d", s.index))
			} else {
				got = append(got, string(s.name))
			}
		}
		if strings.Join(got, "/") != want {
			t.Errorf("%s: got %q", path, got)
		}
	}
	for _, path := range []string{``, `a`, `$`, `$.`, `$..a`, `$.*`, `$.a[`, `$.a[]`, `$.a[*]`, `$.a[-1]`, `$.a[01]`, `$.a[1:2]`, `$.a[1`,
		`$.a[1234567890]`, `$['a`, `$['a'`, `$['a'b]`, `$['\x']`, `$['\u12']`, `$['\u12g4']`, `$['\`, `$['a','b']`, `$a`, `$[?@.b]`} {
		var d document
		d.apply(&patch{path: []byte(path), kind: plainPatch, value: text{raw: []byte("1")}})
		if d.fault != unreadPath {
			t.Errorf("%q: fault %q", path, d.fault)
		}
	}
}

// TestPatchesAreBounded: depth and size have a bound, and the time is linear.
func TestPatchesAreBounded(t *testing.T) {
	var d document
	d.apply(&patch{path: []byte("$" + strings.Repeat(".a", wholecall.DefaultDepth)), kind: plainPatch, value: text{raw: []byte("1")}})
	if d.fault != unreadPath {
		t.Errorf("too deep: fault %q", d.fault)
	}
	d.reset()
	piece := []byte(strings.Repeat("x", 8<<20))
	for range 9 {
		d.apply(&patch{path: []byte("$.a"), kind: stringPatch, value: text{raw: piece}, more: true})
	}
	if d.fault != longPatches {
		t.Errorf("too long: fault %q", d.fault)
	}
	begin := time.Now()
	d.reset()
	for i := range 30_000 {
		d.apply(&patch{path: fmt.Appendf(nil, "$.list[%d].name", i), kind: stringPatch, value: text{raw: []byte("x")}})
		d.apply(&patch{path: fmt.Appendf(nil, "$.names.n%d", i), kind: stringPatch, value: text{raw: []byte("x")}})
	}
	if took := time.Since(begin); d.fault != "" || took > 10*time.Second {
		t.Errorf("fault %q, %v", d.fault, took)
	}
}
