package preview_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
	"github.com/wholecall/wholecall/preview"
	"github.com/wholecall/wholecall/wholecalltest"
)

// document writes a random document, with white space and escapes wherever there may be some.
func document(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(4) > 0 {
		writeObject(&b, r, 4)
	} else {
		writeValue(&b, r, 4)
	}
	writeSpace(&b, r)
	return b.String()
}

func writeSpace(b *strings.Builder, r *rand.Rand) {
	b.WriteString([]string{"", "", "", " ", "\n\t", "\r "}[r.IntN(6)])
}

func writeValue(b *strings.Builder, r *rand.Rand, depth int) {
	writeSpace(b, r)
	kind := r.IntN(8)
	if depth == 0 {
		kind = r.IntN(5)
	}
	switch kind {
	case 0:
		b.WriteString([]string{"true", "false", "null"}[r.IntN(3)])
	case 1:
		b.WriteString([]string{"0", "-0", "7", "-12", "1200", "0.5", "1e9", "-1.25E-3", "3e+0"}[r.IntN(9)])
	case 5:
		b.WriteByte('[')
		for i := range r.IntN(4) {
			if i > 0 {
				writeSpace(b, r)
				b.WriteByte(',')
			}
			writeValue(b, r, depth-1)
		}
		writeSpace(b, r)
		b.WriteByte(']')
	case 6, 7:
		writeObject(b, r, depth)
	default:
		writeText(b, r, "")
	}
}

func writeObject(b *strings.Builder, r *rand.Rand, depth int) {
	n := r.IntN(4)
	if depth < 3 && r.IntN(10) == 0 {
		n = r.IntN(20)
	}
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			writeSpace(b, r)
			b.WriteByte(',')
		}
		writeSpace(b, r)
		writeText(b, r, "#"+strconv.Itoa(i))
		writeSpace(b, r)
		b.WriteByte(':')
		writeValue(b, r, depth-1)
	}
	writeSpace(b, r)
	b.WriteByte('}')
}

// writeText writes a string that ends in suffix.
func writeText(b *strings.Builder, r *rand.Rand, suffix string) {
	pieces := []string{"a", "Ada", " ", `\"`, `\\`, `\/`, `\n`, `\u0041`, `\u00E9`, `\u20ac`, `\ud83d\ude00`, `\uD834\uDD1E`,
		"é", "€", "😀", "~", "/", "…", "{", "]", ",", ":", "1", "true"}
	b.WriteByte('"')
	for range r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	b.WriteString(suffix + `"`)
}

// parse is the document as encoding/json has it, with numbers as they stand.
func parse(t testing.TB, doc []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

// prefix says in what a value is not what the beginning of the document full shows; "" where it is.
func prefix(v preview.Value, full any) string {
	at := func(format string, args ...any) string {
		return fmt.Sprintf("at %q: ", v.Pointer()) + fmt.Sprintf(format, args...)
	}
	switch v.Kind() {
	case preview.Pending:
		if v.Whole() || v.Len() > 0 || v.Text() != "" {
			return at("something is shown of what is not certain")
		}
	case preview.Null:
		if full != nil || v.Text() != "null" {
			return at("null, want %v", full)
		}
	case preview.Bool:
		if full != (v.Text() == "true") {
			return at("%s, want %v", v.Text(), full)
		}
	case preview.Number:
		if full != json.Number(v.Text()) {
			return at("%s, want %v", v.Text(), full)
		}
	case preview.String:
		s, ok := full.(string)
		if !ok || !strings.HasPrefix(s, v.Text()) || v.Whole() && s != v.Text() {
			return at("%q, want %v", v.Text(), full)
		}
	case preview.Array:
		return prefixArray(v, full, at)
	case preview.Object:
		return prefixObject(v, full, at)
	}
	return ""
}

func prefixArray(v preview.Value, full any, at func(string, ...any) string) string {
	a, ok := full.([]any)
	if !ok || v.Len() > len(a) || v.Whole() && v.Len() != len(a) {
		return at("an array of %d, want %v", v.Len(), full)
	}
	i := 0
	for c := range v.Children() {
		if c.Index() != i || c.Kind() == preview.Pending {
			return at("element %d stands at %d", i, c.Index())
		}
		if why := prefix(c, a[i]); why != "" {
			return why
		}
		i++
	}
	return ""
}

func prefixObject(v preview.Value, full any, at func(string, ...any) string) string {
	o, ok := full.(map[string]any)
	if !ok || v.Len() > len(o) || v.Whole() && v.Len() != len(o) {
		return at("an object of %d, want %v", v.Len(), full)
	}
	for c := range v.Children() {
		member, ok := o[c.Name()]
		if !ok {
			return at("there is no member %q", c.Name())
		}
		if why := prefix(c, member); why != "" {
			return why
		}
	}
	return ""
}

// same says in what a value is not the whole document.
func same(v preview.Value, full any) string {
	if !v.Whole() {
		return "the document is not whole"
	}
	return prefix(v, full)
}

// folded is a value that is made of changes alone.
type folded struct {
	name     string
	kind     preview.Kind
	text     string
	whole    bool
	children []*folded
}

// fold is what the changes of a preview make, by place.
type fold map[string]*folded

// take applies the changes since the last look.
func (f fold) take(t testing.TB, d *preview.Document) (texts int) {
	t.Helper()
	for c := range d.Changes() {
		texts += len(c.Text)
		p := c.Pointer()
		v := f[p]
		if v == nil && (c.What == preview.Grew || c.What == preview.Closed) || v != nil && v.whole ||
			v != nil && v.kind != preview.Pending && (c.What == preview.Named || c.What == preview.Opened) {
			t.Fatalf("%v comes at a place with %+v", c, v)
		}
		if v == nil {
			v = &folded{name: c.Value.Name()}
			f[p] = v
			if i := strings.LastIndexByte(p, '/'); i >= 0 {
				f[p[:i]].children = append(f[p[:i]].children, v)
			}
		}
		switch c.What {
		case preview.Opened:
			v.kind = c.Value.Kind()
		case preview.Grew:
			v.text += c.Text
		case preview.Certain:
			v.kind, v.text, v.whole = c.Value.Kind(), c.Text, true
		case preview.Closed:
			v.whole = true
		}
	}
	return texts
}

// differs says in what the fold is not the value.
func (v *folded) differs(w preview.Value) string {
	if v == nil {
		v = &folded{}
	}
	if v.name != w.Name() || v.kind != w.Kind() || v.text != w.Text() || v.whole != w.Whole() || len(v.children) != w.Len() {
		return fmt.Sprintf("at %q the changes make %+v, and %v is there", w.Pointer(), v, w)
	}
	i := 0
	for c := range w.Children() {
		if why := v.children[i].differs(c); why != "" {
			return why
		}
		i++
	}
	return ""
}

// TestAnySplit: however a document is cut, behind every piece the preview is a beginning of it and the
// changes make the preview, and at the end the preview is the document as encoding/json has it.
func TestAnySplit(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 1500 {
		doc := []byte(document(r))
		if err := strictjson.Check(doc, wholecall.DefaultDepth); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		full := parse(t, doc)
		longest := []int{1, 3, 9, 40}[r.IntN(4)]
		var d preview.Document
		f := fold{}
		texts := 0
		for rest := doc; len(rest) > 0; {
			n := min(r.IntN(longest+1), len(rest))
			d.Add(rest[:n])
			rest = rest[n:]
			if why := prefix(d.Value(), full); why != "" || d.Err() != nil {
				t.Fatalf("%s\nwithout %q: %s %v", doc, rest, why, d.Err())
			}
			if r.IntN(3) > 0 {
				texts += f.take(t, &d)
				if why := f[""].differs(d.Value()); why != "" {
					t.Fatalf("%s\nwithout %q: %s", doc, rest, why)
				}
			}
		}
		d.End()
		texts += f.take(t, &d)
		if why := same(d.Value(), full); why != "" {
			t.Fatalf("%s\n%s", doc, why)
		}
		if why := f[""].differs(d.Value()); why != "" {
			t.Fatalf("%s\n%s", doc, why)
		}
		if texts > len(doc) {
			t.Fatalf("%s\nthe changes have %d characters, and the document has %d", doc, texts, len(doc))
		}
	}
}

// TestEveryCut cuts documents in two, at every place.
func TestEveryCut(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 150 {
		doc := []byte(document(r))
		full := parse(t, doc)
		for i := range doc {
			var d preview.Document
			d.Add(doc[:i])
			if why := prefix(d.Value(), full); why != "" {
				t.Fatalf("%s: %s", doc[:i], why)
			}
			d.Add(doc[i:])
			d.End()
			if why := same(d.Value(), full); why != "" {
				t.Fatalf("%s|%s: %s", doc[:i], doc[i:], why)
			}
		}
	}
}

// kinds are the words of the strict check for what a preview finds wrong.
var kinds = map[strictjson.Kind]wholecall.Kind{
	strictjson.Syntax: wholecall.InvalidJSON, strictjson.UTF8: wholecall.InvalidUTF8,
	strictjson.Surrogate: wholecall.LoneSurrogate, strictjson.Duplicate: wholecall.DuplicateMember,
	strictjson.Trailing: wholecall.TrailingData, strictjson.Depth: wholecall.TooDeep,
}

// FuzzDocument holds a preview of anything against the strict check that the call goes through, and
// against itself cut otherwise.
func FuzzDocument(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 30 {
		f.Add([]byte(document(r)), uint64(3))
	}
	for _, doc := range []string{"", "[", `{"a":1,"a":2}`, `"\ud83d"`, `"\ude00"`, "\"\xff\"", "[1,]", "{} {}", "01", "-", `{"a"`, "nul", "12x", "\"\xe2\x82"} {
		f.Add([]byte(doc), uint64(1))
	}
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		const depth = 20
		r := rand.New(rand.NewPCG(seed, 0))
		whole := preview.Document{Limits: preview.Limits{Depth: depth}}
		whole.Add(doc)
		whole.End()
		pieces := preview.Document{Limits: preview.Limits{Depth: depth}}
		made := fold{}
		for rest := doc; len(rest) > 0; {
			n := min(r.IntN(8), len(rest))
			pieces.Add(rest[:n])
			rest = rest[n:]
			made.take(t, &pieces)
		}
		pieces.End()
		made.take(t, &pieces)
		if why := made[""].differs(pieces.Value()); why != "" {
			t.Error(why)
		}
		if fmt.Sprint(whole.Value(), whole.Err(), whole.Whole()) != fmt.Sprint(pieces.Value(), pieces.Err(), pieces.Whole()) {
			t.Errorf("at once %v %v, in pieces %v %v", whole.Value(), whole.Err(), pieces.Value(), pieces.Err())
		}
		verdict(t, &whole, doc, depth)
	})
}

// verdict holds what a preview says of a whole document against what the strict check says.
func verdict(t *testing.T, d *preview.Document, doc []byte, depth int) {
	t.Helper()
	err := strictjson.Check(doc, depth)
	var got wholecall.Kind
	if e, ok := d.Err().(*preview.Error); ok {
		got = e.Kind
	}
	if err == nil {
		if why := same(d.Value(), parse(t, doc)); why != "" || got != "" {
			t.Errorf("a good document: %s %s", why, got)
		}
		return
	}
	kind := err.(*strictjson.Error).Kind
	// The strict check looks at the surrogates of a string when the string has ended.
	if d.Whole() || got != kinds[kind] && got != wholecall.LoneSurrogate {
		t.Errorf("whole %t %q, want %q", d.Whole(), got, kinds[kind])
	}
}

// TestVerdicts: a preview that stands still says what the call fails with.
func TestVerdicts(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 3000 {
		doc := []byte(document(r))
		for range 1 + r.IntN(2) {
			i := r.IntN(len(doc))
			switch r.IntN(3) {
			case 0:
				doc = append(doc[:i:i], doc[i+1:]...)
			case 1:
				doc = slices.Insert(slices.Clone(doc), i, doc[r.IntN(len(doc))])
			case 2:
				doc = slices.Clone(doc[:i+1])
			}
			if len(doc) == 0 {
				break
			}
		}
		var d preview.Document
		d.Add(doc)
		d.End()
		if verdict(t, &d, doc, wholecall.DefaultDepth); t.Failed() {
			t.Fatalf("%q", doc)
		}
	}
}
