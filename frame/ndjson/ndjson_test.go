package ndjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
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
	return fmt.Sprintf("%srest %s err %+v", b.String(), show(r.rest), *r.err)
}

func show(f frame.Frame) string {
	if f.Event != nil || f.ID != nil || f.Stray != nil {
		panic("a field that NDJSON has not")
	}
	return fmt.Sprintf("{%d @%d line %d nil=%v %q}", f.Number, f.Offset, f.Line, f.Data == nil, f.Data)
}

// oracle reads a whole stream at once.
func oracle(in []byte, limit int) result {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	text := strings.TrimPrefix(string(in), "\uFEFF")
	offset := len(in) - len(text)
	var r result
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		start := len(line) - len(strings.TrimLeft(line, " \t"))
		body, ended := strings.CutSuffix(line[start:], "\n")
		data := strings.TrimRight(strings.TrimSuffix(body, "\r"), " \t")
		fr := frame.Frame{Number: len(r.frames) + 1, Offset: int64(offset + start), Line: i + 1, Data: []byte(data)}
		fail := &frame.Error{Number: fr.Number, Offset: fr.Offset, Line: fr.Line}
		offset += len(line)
		switch {
		case len(body) > limit:
			fail.Kind, fail.Limit = frame.TooLong, limit
			r.err = fail
			return r
		case data == "":
		case ended || json.Valid([]byte(data)):
			r.frames = append(r.frames, fr)
		default:
			fail.Kind = frame.Truncated
			r.rest, r.err = fr, fail
		}
	}
	return r
}

// drive feeds in to f in chunks of the sizes that size gives, and copies what comes out. It also checks
// that an error is a *frame.Error and stays.
func drive(f *ndjson.Framer, in []byte, size func() int) result {
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

func pump(f *ndjson.Framer, in []byte, size func() int, r *result) error {
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

func checkEnded(f *ndjson.Framer, want *frame.Error) {
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

func line(number int, offset int64, line int, data string) frame.Frame {
	return frame.Frame{Number: number, Offset: offset, Line: line, Data: []byte(data)}
}

func cut(number int, offset int64, line int) *frame.Error {
	return &frame.Error{Kind: frame.Truncated, Number: number, Offset: offset, Line: line}
}

func long(number int, offset int64, line, limit int) *frame.Error {
	return &frame.Error{Kind: frame.TooLong, Number: number, Offset: offset, Line: line, Limit: limit}
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
	{name: "LF", in: "{}\n[1]\n", frames: frames{line(1, 0, 1, "{}"), line(2, 3, 2, "[1]")}},
	{name: "CRLF", in: "{}\r\n[1]\r\n", frames: frames{line(1, 0, 1, "{}"), line(2, 4, 2, "[1]")}},
	{name: "CR alone ends no line", in: "{}\r{}\n", frames: frames{line(1, 0, 1, "{}\r{}")}},
	{name: "one CR goes", in: "1\r\r\n", frames: frames{line(1, 0, 1, "1\r")}},
	{name: "CR then blank stays", in: "1\r \n", frames: frames{line(1, 0, 1, "1\r")}},
	{name: "blank lines", in: "\n \t\n\r\n \r\n1\n\n", frames: frames{line(1, 9, 5, "1")}},
	{name: "blanks around", in: " \t1 2\t \r\n", frames: frames{line(1, 2, 1, "1 2")}},
	{name: "BOM", in: "\uFEFF{}\n", frames: frames{line(1, 3, 1, "{}")}},
	{name: "BOM only", in: "\uFEFF"},
	{name: "BOM later", in: "\n\uFEFF{}\n", frames: frames{line(1, 1, 2, "\uFEFF{}")}},
	{name: "one BOM of two", in: "\uFEFF\uFEFF1\n", frames: frames{line(1, 3, 1, "\uFEFF1")}},
	{name: "part of a BOM", in: "\xEF\xBB", err: cut(1, 0, 1), rest: line(1, 0, 1, "\xEF\xBB")},
	{name: "part of a BOM too long", in: "\xEF\xBB", limit: 1, err: long(1, 0, 1, 1)},
	{name: "not JSON", in: "[DONE]\n{\n\xff\x00\n", frames: frames{line(1, 0, 1, "[DONE]"), line(2, 7, 2, "{"), line(3, 9, 3, "\xff\x00")}},

	{name: "last line without end", in: "1\n {\"a\":2} ", frames: frames{line(1, 0, 1, "1"), line(2, 3, 2, "{\"a\":2}")}},
	{name: "last line with CR", in: "{}\r", frames: frames{line(1, 0, 1, "{}")}},
	{name: "blank last line", in: "{}\n \t\r", frames: frames{line(1, 0, 1, "{}")}},
	{name: "cut value", in: "1\n {\"a\":2 ", frames: frames{line(1, 0, 1, "1")}, err: cut(2, 3, 2), rest: line(2, 3, 2, "{\"a\":2")},
	{name: "two values without end", in: "{}{}", err: cut(1, 0, 1), rest: line(1, 0, 1, "{}{}")},
	{name: "last line not JSON", in: "[DONE]", err: cut(1, 0, 1), rest: line(1, 0, 1, "[DONE]")},

	{name: "at the bound", in: "  12345\n     \n1234\r\n", limit: 5, frames: frames{line(1, 2, 1, "12345"), line(2, 14, 3, "1234")}},
	{name: "above the bound", in: "1\n123456\n", limit: 5, frames: frames{line(1, 0, 1, "1")}, err: long(2, 2, 2, 5)},
	{name: "above the bound by CR", in: "12345\r\n", limit: 5, err: long(1, 0, 1, 5)},
	{name: "above the bound by blanks", in: "1     \n", limit: 5, err: long(1, 0, 1, 5)},
	{name: "above the bound, no end", in: "123456", limit: 5, err: long(1, 0, 1, 5)},
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
	same(t, "whole", in, drive(ndjson.New(limit), in, whole), want)
	same(t, "byte by byte", in, drive(ndjson.New(limit), in, one), want)
	for size := 1; size < 20; size += 3 {
		same(t, "small buffer", in, drive(ndjson.NewSmall(limit, size, 1), in, whole), want)
		same(t, "small buffer, byte by byte", in, drive(ndjson.NewSmall(limit, size, 2), in, one), want)
	}
	for i := range in {
		same(t, fmt.Sprint("cut at ", i), in, drive(ndjson.New(limit), in, halves(i)), want)
	}
}

func same(t *testing.T, what string, in []byte, got, want result) {
	t.Helper()
	if g, w := got.String(), want.String(); g != w {
		t.Fatalf("%s: %q\ngot\n%s\nwant\n%s", what, in, g, w)
	}
}

var alphabet = []string{"{", "}", "{}", "[1]", "12", " ", "\t", "\r", "\n", "\n", "\r\n", "\"x\"", "\x00", "\uFEFF", "\xEF", "[DONE]"}

func TestRandomAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var in []byte
		if rnd.IntN(4) == 0 {
			in = append(in, "\uFEFF"[:rnd.IntN(4)]...)
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
			same(t, "random chunks", in, drive(ndjson.NewSmall(limit, 1+rnd.IntN(30), 1+rnd.IntN(4)), in, random), want)
		}
	}
}

// TestRandomLong runs through many turns of a buffer of the usual size.
func TestRandomLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var in []byte
		for len(in) < 300<<10 {
			in = append(in, alphabet[rnd.IntN(len(alphabet))]...)
			if rnd.IntN(20) == 0 {
				in = append(in, bytes.Repeat([]byte("y"), rnd.IntN(9000))...)
			}
		}
		want := oracle(in, 0)
		for _, size := range []func() int{whole, func() int { return rnd.IntN(20000) }} {
			f := ndjson.New(0)
			ndjson.Poison(f)
			same(t, "long", in, drive(f, in, size), want)
		}
	}
}

func feed(f *ndjson.Framer, s string) {
	for len(s) > 0 {
		n := copy(f.Buffer(), s)
		f.Fed(n)
		s = s[n:]
	}
}

// TestPoison shows that a holder of lent bytes is found out, whichever method it calls next.
func TestPoison(t *testing.T) {
	calls := map[string]func(*ndjson.Framer){
		"Buffer": func(f *ndjson.Framer) { f.Buffer() },
		"Fed":    func(f *ndjson.Framer) { f.Fed(0) },
		"Next":   func(f *ndjson.Framer) { f.Next(new(frame.Frame)) },
		"Close":  func(f *ndjson.Framer) { f.Close(new(frame.Frame)) },
	}
	for name, call := range calls {
		f := ndjson.New(0)
		ndjson.Poison(f)
		feed(f, "{}\n")
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
	f := ndjson.New(0)
	feed(f, "1\n2\n")
	var fr frame.Frame
	f.Next(&fr)
	_ = append(fr.Data, "0123456789"...)
	if ok, err := f.Next(&fr); !ok || err != nil || string(fr.Data) != "2" {
		t.Fatalf("%v, %v, %q", ok, err, fr.Data)
	}
}

func TestCloseUndrained(t *testing.T) {
	f := ndjson.New(0)
	feed(f, "1\n2\n")
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
			f := ndjson.New(0)
			f.Buffer()
			f.Fed(n)
		}()
	}
}

// TestMemory feeds endless streams of each kind and watches what is held.
func TestMemory(t *testing.T) {
	const limit = 50_000
	long := strings.Repeat("z", limit)
	streams := []struct {
		name, part string
		fails      bool
	}{
		{"blanks without end", strings.Repeat(" ", limit), false},
		{"blank lines", "\n\r\n \n", false},
		{"line without end", long, true},
		{"lines at the bound", long + "\n", false},
	}
	for _, s := range streams {
		f := ndjson.New(limit)
		var err error
		for range 60*limit/len(s.part) + 1 {
			feed(f, s.part)
			for ok := true; ok; {
				var e error
				if ok, e = f.Next(new(frame.Frame)); e != nil {
					err = e
				}
			}
			if held := ndjson.Held(f); held > 3*limit+64<<10 {
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

// TestLinear: one byte a time must not search or move the unfinished line again and again. That would
// take most of a minute here, in place of a fraction of a second.
func TestLinear(t *testing.T) {
	defer func(start time.Time) {
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
	}(time.Now())
	in := []byte("  " + strings.Repeat("x", 2<<20) + "\n")
	if r := drive(ndjson.New(0), in, one); r.err != nil || len(r.frames) != 1 {
		t.Fatalf("%d frames, %v", len(r.frames), r.err)
	}
}

func TestNoAllocations(t *testing.T) {
	part := strings.Repeat("{\"a\":1}\n\n  [1,2]\r\n", 200)
	f := ndjson.New(0)
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

func FuzzNDJSON(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.in), []byte{1, 3, 200, 2}, uint16(c.limit))
	}
	f.Fuzz(func(t *testing.T, in, cuts []byte, limit uint16) {
		want := oracle(in, int(limit))
		i := -1
		size := func() int {
			if i++; len(cuts) == 0 {
				return 1
			}
			return int(cuts[i%len(cuts)])
		}
		same(t, "cuts", in, drive(ndjson.New(int(limit)), in, size), want)
		same(t, "cuts, small buffer", in, drive(ndjson.NewSmall(int(limit), 1+len(cuts), 1), in, size), want)
		same(t, "whole", in, drive(ndjson.New(int(limit)), in, whole), want)
	})
}

// BenchmarkNext reads a long stream of one line in reads of 32 KiB at most.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		one := `{"text":"` + strings.Repeat("a", n-12) + "\"}\n"
		stream := []byte(strings.Repeat(one, 1<<20/n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			f := ndjson.New(0)
			events := 0
			for b.Loop() {
				events += read(b, f, stream)
			}
			if events != b.N*(len(stream)/len(one)) {
				b.Fatal("lines lost")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

func read(b *testing.B, f *ndjson.Framer, in []byte) (events int) {
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
