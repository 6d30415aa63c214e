package jsonarray_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
)

// result is all that a stream gives. A last frame that Close stored is in frames.
type result struct {
	frames []frame.Frame
	err    *frame.Error
	rest   frame.Frame // what Close stored beside an error
}

func (r result) String() string {
	var b strings.Builder
	for _, f := range r.frames {
		fmt.Fprintf(&b, "%s\n", show(f))
	}
	if r.err == nil {
		return b.String() + "end"
	}
	e := *r.err
	if e.Cause = nil; r.err.Kind == frame.Malformed && r.err.Error() == e.Error() && r.err.Cause != nil {
		panic("a cause that is not told")
	}
	return fmt.Sprintf("%srest %s err %+v", b.String(), show(r.rest), e)
}

func show(f frame.Frame) string {
	if f.Event != nil || f.ID != nil || f.Stray != nil {
		panic("a field that NDJSON has not")
	}
	return fmt.Sprintf("{%d @%d line %d nil=%v %q}", f.Number, f.Offset, f.Line, f.Data == nil, f.Data)
}

// oracle reads a whole stream at once, and finds where an element ends by trying every length.
func oracle(in []byte, limit int) result {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	text := strings.TrimPrefix(string(in), "\uFEFF")
	o := &reader{in: string(in), rest: text}
	return o.array(limit)
}

// reader is the oracle's place in a stream.
type reader struct {
	in, rest string
	r        result
}

func (o *reader) place() (offset int64, line int) {
	n := len(o.in) - len(o.rest)
	return int64(n), 1 + strings.Count(o.in[:n], "\n")
}

// next passes white space and returns the byte behind it, -1 at the end.
func (o *reader) next() int {
	if o.rest = strings.TrimLeft(o.rest, " \t\r\n"); o.rest == "" {
		return -1
	}
	return int(o.rest[0])
}

func (o *reader) fail(kind frame.Kind, limit int) result {
	offset, line := o.place()
	o.r.err = &frame.Error{Kind: kind, Number: len(o.r.frames) + 1, Offset: offset, Line: line, Limit: limit}
	if kind == frame.Truncated {
		o.r.rest = frame.Frame{Number: len(o.r.frames) + 1, Offset: offset, Line: line}
		if o.rest != "" {
			o.r.rest.Data = []byte(o.rest)
		}
	}
	return o.r
}

func (o *reader) array(limit int) result {
	switch o.next() {
	case -1:
		return o.r
	case '[':
		o.rest = o.rest[1:]
	default:
		return o.fail(frame.Malformed, 0)
	}
	for first := true; ; first = false {
		c := o.next()
		switch {
		case c < 0:
			return o.fail(frame.Truncated, 0)
		case c == ']' && first:
			return o.end()
		case strings.ContainsRune("]},:", rune(c)):
			return o.fail(frame.Malformed, 0)
		}
		n, ended := element(o.rest)
		if n > limit {
			return o.fail(frame.TooLong, limit)
		}
		if !ended {
			return o.fail(frame.Truncated, 0)
		}
		offset, line := o.place()
		o.r.frames = append(o.r.frames, frame.Frame{Number: len(o.r.frames) + 1, Offset: offset, Line: line, Data: []byte(o.rest[:n])})
		o.rest = o.rest[n:]
		switch o.next() {
		case -1:
			return o.fail(frame.Truncated, 0)
		case ']':
			return o.end()
		case ',':
			o.rest = o.rest[1:]
		default:
			return o.fail(frame.Malformed, 0)
		}
	}
}

// end reads the closing bracket, and what stands behind it.
func (o *reader) end() result {
	o.rest = o.rest[1:]
	if o.next() >= 0 {
		return o.fail(frame.Malformed, 0)
	}
	return o.r
}

var (
	strung  = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"`)
	nested  = regexp.MustCompile(`^[\[{"]`)
	scalars = regexp.MustCompile(`^[^ \t\r\n,\]]*`)
)

// element returns the length of the element that text begins with, and whether it has ended there.
func element(text string) (int, bool) {
	if !nested.MatchString(text) {
		n := len(scalars.FindString(text))
		return n, n < len(text)
	}
	for n := 1; n <= len(text); n++ {
		bare := strung.ReplaceAllString(text[:n], "")
		open := strings.Count(bare, "{") + strings.Count(bare, "[")
		closed := strings.Count(bare, "}") + strings.Count(bare, "]")
		if open == closed && !strings.Contains(bare, `"`) {
			return n, true
		}
	}
	return len(text), false
}

// drive feeds in to f in chunks of the sizes that size gives, and copies what comes out. It also checks
// that an error is a *frame.Error and stays.
func drive(f *jsonarray.Framer, in []byte, size func() int) result {
	var r result
	if err := pump(f, in, size, &r); err != nil {
		r.err = err.(*frame.Error)
	} else {
		var fr frame.Frame
		if err := f.Close(&fr); err != nil {
			r.err, r.rest = err.(*frame.Error), clone(fr)
		} else if fr.Data != nil {
			r.frames = append(r.frames, clone(fr))
		}
	}
	checkEnded(f, r.err)
	return r
}

func pump(f *jsonarray.Framer, in []byte, size func() int, r *result) error {
	for {
		var fr frame.Frame
		ok, err := f.Next(&fr)
		if err != nil {
			return err
		}
		if ok {
			r.frames = append(r.frames, clone(fr))
			continue
		}
		if len(in) == 0 {
			return nil
		}
		b := f.Buffer()
		n := copy(b[:min(len(b), max(1, size()))], in)
		f.Fed(n)
		in = in[n:]
	}
}

func checkEnded(f *jsonarray.Framer, want *frame.Error) {
	f.Fed(copy(f.Buffer(), "{}\n{}"))
	var fr frame.Frame
	ok, err := f.Next(&fr)
	err2 := f.Close(&fr)
	if ok || fr.Data != nil {
		panic("a frame after the end")
	}
	if want == nil && (err != nil || err2 != nil) {
		panic(fmt.Sprintf("after a clean end: %v, %v", err, err2))
	}
	if want != nil && (err != error(want) || err2 != error(want)) {
		panic(fmt.Sprintf("the error %v did not stay: %v, %v", want, err, err2))
	}
}

func clone(f frame.Frame) frame.Frame {
	f.Data = bytes.Clone(f.Data)
	return f
}

func whole() int { return math.MaxInt }
func one() int   { return 1 }

// halves cuts a stream once, after n bytes.
func halves(n int) func() int {
	return func() int { m := n; n = math.MaxInt; return m }
}

func el(number int, offset int64, line int, data string) frame.Frame {
	return frame.Frame{Number: number, Offset: offset, Line: line, Data: []byte(data)}
}

func failure(kind frame.Kind, number int, offset int64, line int) *frame.Error {
	return &frame.Error{Kind: kind, Number: number, Offset: offset, Line: line}
}

func cut(number int, offset int64, line int) *frame.Error {
	return failure(frame.Truncated, number, offset, line)
}

func bad(number int, offset int64, line int) *frame.Error {
	return failure(frame.Malformed, number, offset, line)
}

func long(number int, offset int64, line, limit int) *frame.Error {
	return &frame.Error{Kind: frame.TooLong, Number: number, Offset: offset, Line: line, Limit: limit}
}

// gap is what is left of a stream that ends between two elements.
func gap(number int, offset int64, line int) frame.Frame {
	return frame.Frame{Number: number, Offset: offset, Line: line}
}

type frames = []frame.Frame

var cases = []struct {
	name   string
	in     string
	limit  int
	frames frames
	err    *frame.Error
	rest   frame.Frame
}{
	{name: "empty stream"},
	{name: "white space only", in: " \r\n\t"},
	{name: "empty array", in: "[]"},
	{name: "empty array in white space", in: " [ \n ] \n"},
	{name: "one element", in: `[{"a":1}]`, frames: frames{el(1, 1, 1, `{"a":1}`)}},
	{name: "pretty", in: "[{\n  \"a\": 1\n}\n,\r\n{\n}\n]\n", frames: frames{el(1, 1, 1, "{\n  \"a\": 1\n}"), el(2, 17, 5, "{\n}")}},
	{name: "brackets in strings", in: `[{"a":"]},["},["}"]]`, frames: frames{el(1, 1, 1, `{"a":"]},["}`), el(2, 14, 1, `["}"]`)}},
	{name: "quotes in strings", in: `["a\"]","\\",{"\\\"}":1}]`, frames: frames{el(1, 1, 1, `"a\"]"`), el(2, 8, 1, `"\\"`), el(3, 13, 1, `{"\\\"}":1}`)}},
	{name: "scalars", in: "[1,null , true\n,-2e3]", frames: frames{el(1, 1, 1, "1"), el(2, 3, 1, "null"), el(3, 10, 1, "true"), el(4, 16, 2, "-2e3")}},
	{name: "not JSON inside", in: "[{]\xff\x00,x y]", frames: frames{el(1, 1, 1, "{]")}, err: bad(2, 3, 1)},
	{name: "a line end in a string", in: "[\"a\nb\",1]", frames: frames{el(1, 1, 1, "\"a\nb\""), el(2, 7, 2, "1")}},
	{name: "BOM", in: "\uFEFF[1]", frames: frames{el(1, 4, 1, "1")}},
	{name: "BOM only", in: "\uFEFF"},
	{name: "BOM later", in: " \uFEFF[1]", err: bad(1, 1, 1)},
	{name: "part of a BOM", in: "\xEF\xBB", err: bad(1, 0, 1)},

	{name: "no array", in: `{"error":1}`, err: bad(1, 0, 1)},
	{name: "a page", in: "\n<html>", err: bad(1, 1, 2)},
	{name: "comma first", in: "[,1]", err: bad(1, 1, 1)},
	{name: "two commas", in: "[1,,2]", frames: frames{el(1, 1, 1, "1")}, err: bad(2, 3, 1)},
	{name: "comma last", in: "[1,]", frames: frames{el(1, 1, 1, "1")}, err: bad(2, 3, 1)},
	{name: "no comma", in: "[{}\n{}]", frames: frames{el(1, 1, 1, "{}")}, err: bad(2, 4, 2)},
	{name: "another array behind", in: "[1]\n[2]", frames: frames{el(1, 1, 1, "1")}, err: bad(2, 4, 2)},
	{name: "an event behind", in: "[{}]data: x", frames: frames{el(1, 1, 1, "{}")}, err: bad(2, 4, 1)},

	{name: "cut behind the bracket", in: "[", err: cut(1, 1, 1), rest: gap(1, 1, 1)},
	{name: "cut element", in: "[{},\n {\"a\":\"}", frames: frames{el(1, 1, 1, "{}")}, err: cut(2, 6, 2), rest: el(2, 6, 2, "{\"a\":\"}")},
	{name: "cut behind an element", in: "[{}\n", frames: frames{el(1, 1, 1, "{}")}, err: cut(2, 4, 2), rest: gap(2, 4, 2)},
	{name: "cut behind a comma", in: "[{},", frames: frames{el(1, 1, 1, "{}")}, err: cut(2, 4, 1), rest: gap(2, 4, 1)},
	{name: "cut scalar", in: "[12", err: cut(1, 1, 1), rest: el(1, 1, 1, "12")},

	{name: "at the bound", in: "[   12345,     {\"a\"}  ]", limit: 5, frames: frames{el(1, 4, 1, "12345"), el(2, 15, 1, "{\"a\"}")}},
	{name: "above the bound", in: "[1,[2345]]", limit: 5, frames: frames{el(1, 1, 1, "1")}, err: long(2, 3, 1, 5)},
	{name: "above the bound, no end", in: "[123456", limit: 5, err: long(1, 1, 1, 5)},
}

// TestRules checks each rule in every cut of the stream into two, and byte by byte, on buffers of every
// small size.
func TestRules(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := result{c.frames, c.err, c.rest}
			same(t, "oracle", []byte(c.in), oracle([]byte(c.in), c.limit), want)
			everyCut(t, []byte(c.in), c.limit, want)
		})
	}
}

func everyCut(t *testing.T, in []byte, limit int, want result) {
	t.Helper()
	same(t, "whole", in, drive(jsonarray.New(limit), in, whole), want)
	same(t, "byte by byte", in, drive(jsonarray.New(limit), in, one), want)
	for size := 1; size < 20; size += 3 {
		same(t, "small buffer", in, drive(jsonarray.NewSmall(limit, size, 1), in, whole), want)
		same(t, "small buffer, byte by byte", in, drive(jsonarray.NewSmall(limit, size, 2), in, one), want)
	}
	for i := range in {
		same(t, fmt.Sprint("cut at ", i), in, drive(jsonarray.New(limit), in, halves(i)), want)
	}
}

func same(t *testing.T, what string, in []byte, got, want result) {
	t.Helper()
	if g, w := got.String(), want.String(); g != w {
		t.Fatalf("%s: %q\ngot\n%s\nwant\n%s", what, in, g, w)
	}
}

var alphabet = []string{"{", "}", "{}", "[1]", "12", " ", "\n", "\r\n", "\"x\"", "\"", "\\", ",", ",", ",", "]", "[", "\uFEFF", "{\"a\":[1]}"}

func TestRandomAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var in []byte
		if rnd.IntN(4) == 0 {
			in = append(in, "\uFEFF"[:rnd.IntN(4)]...)
		}
		if rnd.IntN(8) > 0 {
			in = append(in, '[')
		}
		for range rnd.IntN(30) {
			in = append(in, alphabet[rnd.IntN(len(alphabet))]...)
		}
		limit := 0
		if rnd.IntN(2) == 0 {
			limit = 1 + rnd.IntN(20)
		}
		want := oracle(in, limit)
		everyCut(t, in, limit, want)
		for range 5 {
			random := func() int { return 1 + rnd.IntN(8) }
			same(t, "random chunks", in, drive(jsonarray.NewSmall(limit, 1+rnd.IntN(30), 1+rnd.IntN(4)), in, random), want)
		}
	}
}

// TestRandomLong runs through many turns of a buffer of the usual size.
func TestRandomLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		in := []byte("[")
		var want result
		for len(in) < 300<<10 {
			if len(want.frames) > 0 {
				in = append(in, ", "...)
			}
			one := fmt.Sprintf("{%q:%q}", "key", strings.Repeat("}]\"", rnd.IntN(3000)))
			want.frames = append(want.frames, el(len(want.frames)+1, int64(len(in)), 1, one))
			in = append(in, one...)
		}
		in = append(in, ']')
		for _, size := range []func() int{whole, func() int { return rnd.IntN(20000) }} {
			f := jsonarray.New(0)
			jsonarray.Poison(f)
			same(t, "long", in, drive(f, in, size), want)
		}
	}
}

func feed(f *jsonarray.Framer, s string) {
	for len(s) > 0 {
		n := copy(f.Buffer(), s)
		f.Fed(n)
		s = s[n:]
	}
}

// TestPoison shows that a holder of lent bytes is found out, whichever method it calls next.
func TestPoison(t *testing.T) {
	calls := map[string]func(*jsonarray.Framer){
		"Buffer": func(f *jsonarray.Framer) { f.Buffer() },
		"Fed":    func(f *jsonarray.Framer) { f.Fed(0) },
		"Next":   func(f *jsonarray.Framer) { f.Next(new(frame.Frame)) },
		"Close":  func(f *jsonarray.Framer) { f.Close(new(frame.Frame)) },
	}
	for name, call := range calls {
		f := jsonarray.New(0)
		jsonarray.Poison(f)
		feed(f, "[{}")
		var fr frame.Frame
		if ok, _ := f.Next(&fr); !ok || fr.Data[0] != '{' {
			t.Fatalf("%v, %s", ok, show(fr))
		}
		if call(f); fr.Data[0] != 0xFF {
			t.Errorf("%s: not spoilt: %s", name, show(fr))
		}
	}
}

// TestLentCannotGrow: appending to a lent field must not write into what is still to be read.
func TestLentCannotGrow(t *testing.T) {
	f := jsonarray.New(0)
	feed(f, "[1,2]")
	var fr frame.Frame
	f.Next(&fr)
	_ = append(fr.Data, "0123456789"...)
	if ok, err := f.Next(&fr); !ok || err != nil || string(fr.Data) != "2" {
		t.Fatalf("%v, %v, %q", ok, err, fr.Data)
	}
}

func TestCloseUndrained(t *testing.T) {
	f := jsonarray.New(0)
	feed(f, "[1,2]")
	var fr frame.Frame
	if err := f.Close(&fr); !errors.Is(err, frame.Truncated) || string(fr.Data) != "1" {
		t.Fatalf("%v, %s", err, show(fr))
	}
}

func TestFedOutside(t *testing.T) {
	for _, n := range []int{-1, 1 << 30} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Fed(%d) did not panic", n)
				}
			}()
			f := jsonarray.New(0)
			f.Buffer()
			f.Fed(n)
		}()
	}
}

// TestMemory feeds endless streams of each kind and watches what is held.
func TestMemory(t *testing.T) {
	const limit = 50_000
	long := strings.Repeat("z", limit-2)
	streams := []struct {
		name, start, part string
		fails             bool
	}{
		{"white space without end", "", strings.Repeat(" ", limit), false},
		{"white space between elements", "[", strings.Repeat("\n", limit), false},
		{"an element without end", "[\"", long, true},
		{"elements at the bound", "[1", ",\"" + long + "\"", false},
	}
	for _, s := range streams {
		f := jsonarray.New(limit)
		feed(f, s.start)
		var err error
		for range 60*limit/len(s.part) + 1 {
			feed(f, s.part)
			for ok := true; ok; {
				var e error
				if ok, e = f.Next(new(frame.Frame)); e != nil {
					err = e
				}
			}
			if held := jsonarray.Held(f); held > 3*limit+64<<10 {
				t.Fatalf("%s: holds %d bytes", s.name, held)
			}
			if free := len(f.Buffer()); free < 2<<10 {
				t.Fatalf("%s: %d bytes of room", s.name, free)
			}
		}
		if errors.Is(err, frame.TooLong) != s.fails {
			t.Errorf("%s: error %v", s.name, err)
		}
	}
}

// TestLinear: one byte a time must not search or move the unfinished element again and again. That would
// take most of a minute here, in place of a fraction of a second.
func TestLinear(t *testing.T) {
	defer func(start time.Time) {
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
	}(time.Now())
	in := []byte("[[" + strings.Repeat("1,", 1<<20) + "1]]")
	if r := drive(jsonarray.New(0), in, one); r.err != nil || len(r.frames) != 1 {
		t.Fatalf("%d frames, %v", len(r.frames), r.err)
	}
}

func TestNoAllocations(t *testing.T) {
	part := strings.Repeat(",{\"a\":1}\n\n,  [1,2]\r\n", 200)
	f := jsonarray.New(0)
	feed(f, "[0")
	var fr frame.Frame
	turn := func() {
		for b := part; len(b) > 0; {
			n := copy(f.Buffer(), b)
			f.Fed(n)
			b = b[n:]
			for ok := true; ok; {
				ok, _ = f.Next(&fr)
			}
		}
	}
	turn()
	if n := testing.AllocsPerRun(50, turn); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func FuzzJSONArray(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.in), []byte{1, 3, 200, 2}, uint16(c.limit))
	}
	f.Fuzz(func(t *testing.T, in, cuts []byte, limit uint16) {
		if len(in) > 1000 {
			return // the oracle is slow
		}
		want := oracle(in, int(limit))
		i := -1
		size := func() int {
			if i++; len(cuts) == 0 {
				return 1
			}
			return int(cuts[i%len(cuts)])
		}
		same(t, "cuts", in, drive(jsonarray.New(int(limit)), in, size), want)
		same(t, "cuts, small buffer", in, drive(jsonarray.NewSmall(int(limit), 1+len(cuts), 1), in, size), want)
		same(t, "whole", in, drive(jsonarray.New(int(limit)), in, whole), want)
	})
}

// BenchmarkNext reads a long array in reads of 32 KiB at most.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		one := `{"text":"` + strings.Repeat("a", n-12) + "\"},"
		stream := []byte("[" + strings.Repeat(one, 1<<20/n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				events += read(b, jsonarray.New(0), stream)
			}
			if events != b.N*(1<<20/n) {
				b.Fatal("elements lost")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

func read(b *testing.B, f *jsonarray.Framer, in []byte) (events int) {
	var fr frame.Frame
	for len(in) > 0 {
		buf := f.Buffer()
		n := copy(buf[:min(len(buf), 32<<10)], in)
		f.Fed(n)
		in = in[n:]
		for {
			ok, err := f.Next(&fr)
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				break
			}
			events++
		}
	}
	return events
}
