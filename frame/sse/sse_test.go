package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
)

func ev(number int, offset int64, line int, event, data, id, stray string) frame.Frame {
	return frame.Frame{Number: number, Offset: offset, Line: line,
		Event: field(event), Data: field(data), ID: []byte(id), Stray: field(stray)}
}

// field reads "-" as nil.
func field(s string) []byte {
	if s == "-" {
		return nil
	}
	return []byte(s)
}

func cut(number int, offset int64, line int) *frame.Error {
	return &frame.Error{Kind: frame.Truncated, Number: number, Offset: offset, Line: line}
}

func long(number int, offset int64, line, limit int) *frame.Error {
	return &frame.Error{Kind: frame.TooLong, Number: number, Offset: offset, Line: line, Limit: limit}
}

type frames = []frame.Frame

var cases = []struct {
	name     string
	in       string
	limit    int
	frames   frames
	err      *frame.Error
	rest     frame.Frame
	retry    int // 0 stands for none
	comments int
}{
	{name: "empty stream"},
	{name: "blank lines only", in: "\n\r\n\r\n\n"},
	{name: "one event", in: "data: x\n\n", frames: frames{ev(1, 0, 1, "-", "x", "", "-")}},
	{name: "named event", in: "event: a\ndata: x\n\n", frames: frames{ev(1, 0, 1, "a", "x", "", "-")}},
	{name: "event without value", in: "event\ndata: x\n\n", frames: frames{ev(1, 0, 1, "", "x", "", "-")}},
	{name: "last event name counts", in: "event: a\nevent: b\ndata: x\n\n", frames: frames{ev(1, 0, 1, "b", "x", "", "-")}},
	{name: "event name is reset", in: "event: a\n\ndata: x\n\n", frames: frames{ev(1, 10, 3, "-", "x", "", "-")}},
	{name: "name behind data", in: "data: x\nevent: a\n\n", frames: frames{ev(1, 0, 1, "a", "x", "", "-")}},

	{name: "BOM", in: "\uFEFFdata: x\n\n", frames: frames{ev(1, 3, 1, "-", "x", "", "-")}},
	{name: "BOM only", in: "\uFEFF"},
	{name: "one BOM of two", in: "\uFEFF\uFEFFdata: x\n\n", frames: frames{ev(1, 3, 1, "-", "-", "", "\uFEFFdata: x")}},
	{name: "BOM later", in: "\n\uFEFFdata: x\n\n", frames: frames{ev(1, 1, 2, "-", "-", "", "\uFEFFdata: x")}},
	{name: "part of a BOM and more", in: "\xEF\xBBdata: x\n\n", frames: frames{ev(1, 0, 1, "-", "-", "", "\xEF\xBBdata: x")}},
	{name: "part of a BOM", in: "\xEF\xBB", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "-", "", "\xEF\xBB")},
	{name: "part of a BOM too long", in: "\xEF\xBB", limit: 1, err: long(1, 0, 1, 1)},

	{name: "CR", in: "event: a\rdata: x\r\rdata: y\r\r", frames: frames{ev(1, 0, 1, "a", "x", "", "-"), ev(2, 18, 4, "-", "y", "", "-")}},
	{name: "CRLF", in: "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", frames: frames{ev(1, 0, 1, "a", "x", "", "-"), ev(2, 21, 4, "-", "y", "", "-")}},
	{name: "line ends mixed", in: "data: 1\rdata: 2\ndata: 3\r\ndata: 4\n\rdata: 5\r\r\ndata: 6\n\r\n", frames: frames{
		ev(1, 0, 1, "-", "1\n2\n3\n4", "", "-"), ev(2, 34, 6, "-", "5", "", "-"), ev(3, 44, 8, "-", "6", "", "-")}},
	{name: "blank line CR then LF", in: "data: 1\n\r\ndata: 2\n\n", frames: frames{ev(1, 0, 1, "-", "1", "", "-"), ev(2, 10, 3, "-", "2", "", "-")}},

	{name: "comments", in: ": hello\n:\ndata: x\n: in between\n\n:end\n", comments: 4, frames: frames{ev(1, 10, 3, "-", "x", "", "-")}},
	{name: "unfinished comment", in: ": hel"},
	{name: "comment does not part data", in: "data: a\n:\ndata: b\n\n", comments: 1, frames: frames{ev(1, 0, 1, "-", "a\nb", "", "-")}},

	{name: "only one space goes", in: "data:  x \n\n", frames: frames{ev(1, 0, 1, "-", " x ", "", "-")}},
	{name: "no space", in: "data:x\n\n", frames: frames{ev(1, 0, 1, "-", "x", "", "-")}},
	{name: "a tab stays", in: "data:\tx\n\n", frames: frames{ev(1, 0, 1, "-", "\tx", "", "-")}},
	{name: "first colon parts", in: "data:a: b\n\n", frames: frames{ev(1, 0, 1, "-", "a: b", "", "-")}},
	{name: "colon then colon", in: "data::\n\n", frames: frames{ev(1, 0, 1, "-", ":", "", "-")}},

	{name: "data lines joined", in: "data: a\ndata: b\ndata:c\n\n", frames: frames{ev(1, 0, 1, "-", "a\nb\nc", "", "-")}},
	{name: "the standard's blocks", in: "data\n\ndata\ndata\n\ndata:\n\n", frames: frames{
		ev(1, 0, 1, "-", "", "", "-"), ev(2, 6, 3, "-", "\n", "", "-"), ev(3, 17, 6, "-", "", "", "-")}},
	{name: "data empty with a space", in: "data: \n\n", frames: frames{ev(1, 0, 1, "-", "", "", "-")}},
	{name: "invalid UTF-8 and NUL as they are", in: "data: \xff\x00\xc3\n\n", frames: frames{ev(1, 0, 1, "-", "\xff\x00\xc3", "", "-")}},

	{name: "id stays", in: "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", frames: frames{
		ev(1, 0, 1, "-", "a", "1", "-"), ev(2, 15, 4, "-", "b", "1", "-"), ev(3, 24, 6, "-", "c", "", "-")}},
	{name: "id with NUL", in: "id: 1\nid: 2\x00\ndata: a\n\n", frames: frames{ev(1, 0, 1, "-", "a", "1", "-")}},
	{name: "id without data", in: "id: 7\n\ndata: a\n\n", frames: frames{ev(1, 7, 3, "-", "a", "7", "-")}},

	{name: "retry", in: "retry: 3000\n\n", retry: 3000},
	{name: "last retry counts", in: "retry: 1\nretry:20\n\n", retry: 20},
	{name: "retry ignored", in: "retry: 5\nretry: 1x\nretry: -1\nretry: +1\nretry:  1\nretry:\nretry\n\n", retry: 5},
	{name: "retry beyond int", in: "retry: 99999999999999999999999990\n\n", retry: math.MaxInt},
	{name: "retry at the end of int", in: "retry: 9223372036854775807\n\n", retry: math.MaxInt},

	{name: "stray lines", in: "{\"error\": 1}\nDATA: y\ndata: x\n data: z\n\n", frames: frames{
		ev(1, 0, 1, "-", "x", "", "{\"error\": 1}\nDATA: y\n data: z")}},
	{name: "stray without data", in: "event: e\r\noops\r\n\r\ndata: x\r\n\r\n", frames: frames{
		ev(1, 0, 1, "e", "-", "", "oops"), ev(2, 18, 4, "-", "x", "", "-")}},
	{name: "fields nearly", in: "dat\ndata2: x\nevents: x\nids\n\n", frames: frames{
		ev(1, 0, 1, "-", "-", "", "dat\ndata2: x\nevents: x\nids")}},

	{name: "no blank line", in: "data: 1\n\n:\nevent: a\ndata: x\n", comments: 1, frames: frames{ev(1, 0, 1, "-", "1", "", "-")},
		err: cut(2, 11, 4), rest: ev(2, 11, 4, "a", "x", "", "-")},
	{name: "cut in a line", in: "data: x\ndata: {\"a", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "x\n{\"a", "", "-")},
	{name: "cut in the first line", in: "data: x", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "x", "", "-")},
	{name: "cut in a comment in an event", in: "data: x\n: c", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "x", "", "-")},
	{name: "cut after CR", in: "data: x\r", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "x", "", "-")},
	{name: "cut after a name", in: "event: a\n", err: cut(1, 0, 1), rest: ev(1, 0, 1, "a", "-", "", "-")},
	{name: "cut in a name", in: "event: a", err: cut(1, 0, 1), rest: ev(1, 0, 1, "a", "-", "", "-")},
	{name: "cut after an id", in: "id: 12\n", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "-", "12", "-")},
	{name: "cut in an id", in: "data: x\nid: 12", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "x", "", "-")},
	{name: "cut in a retry", in: "retry: 12", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "-", "", "-")},
	{name: "no SSE at all", in: "{\"error\":{}}", err: cut(1, 0, 1), rest: ev(1, 0, 1, "-", "-", "", "{\"error\":{}}")},

	{name: "at the bound", in: "data: 123\n\ndata: 456\r\r\n", limit: 10, frames: frames{
		ev(1, 0, 1, "-", "123", "", "-"), ev(2, 11, 3, "-", "456", "", "-")}},
	{name: "above the bound", in: "\ndata: 1\n\ndata: 1234\n\n", limit: 10, frames: frames{ev(1, 1, 2, "-", "1", "", "-")}, err: long(2, 10, 4, 10)},
	{name: "above the bound by CRLF", in: "data: 123\r\n\r\n", limit: 10, err: long(1, 0, 1, 10)},
	{name: "above the bound by many lines", in: "data: 1\n:2\n:3\n\n", limit: 12, err: long(1, 0, 1, 12), comments: 2},
	{name: "above the bound, unfinished", in: "data: 12345", limit: 10, err: long(1, 0, 1, 10)},
	{name: "comments have no bound", in: ":" + strings.Repeat(":", 100) + "\ndata: 1\n\n:" + strings.Repeat("x", 100), limit: 10, comments: 1,
		frames: frames{ev(1, 102, 2, "-", "1", "", "-")}},
}

// TestRules checks each rule of the standard in every cut of the stream into two, and byte by byte, on
// buffers of every small size.
func TestRules(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := result{c.frames, c.err, c.rest, c.retry, c.comments}
			if c.retry == 0 {
				want.retry = -1
			}
			same(t, "oracle", []byte(c.in), oracle([]byte(c.in), c.limit), want)
			everyCut(t, []byte(c.in), c.limit, want)
		})
	}
}

func everyCut(t *testing.T, in []byte, limit int, want result) {
	t.Helper()
	same(t, "whole", in, drive(sse.New(limit), in, whole), want)
	same(t, "byte by byte", in, drive(sse.New(limit), in, one), want)
	for size := 1; size < 20; size += 3 {
		same(t, "small buffer", in, drive(sse.NewSmall(limit, size, 1), in, whole), want)
		same(t, "small buffer, byte by byte", in, drive(sse.NewSmall(limit, size, 2), in, one), want)
	}
	for i := range in {
		same(t, fmt.Sprint("cut at ", i), in, drive(sse.New(limit), in, halves(i)), want)
	}
}

func same(t *testing.T, what string, in []byte, got, want result) {
	t.Helper()
	if g, w := got.String(), want.String(); g != w {
		t.Fatalf("%s: %q\ngot\n%s\nwant\n%s", what, in, g, w)
	}
}

var alphabet = []string{"data", "data:", "data: ", ":", " ", "\r", "\n", "\r", "\n", "\r\n", "\n\n", "\r\r", "event", "event: ",
	"id", "id:", "retry", "retry:", "7", "\x00", "\uFEFF", "\xEF", "{", "}", "x"}

func TestRandomAgainstOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var in []byte
		if rnd.IntN(4) == 0 {
			in = append(in, "\uFEFF"[:rnd.IntN(4)]...)
		}
		for range rnd.IntN(40) {
			in = append(in, alphabet[rnd.IntN(len(alphabet))]...)
		}
		limit := 0
		if rnd.IntN(2) == 0 {
			limit = 1 + rnd.IntN(40)
		}
		want := oracle(in, limit)
		everyCut(t, in, limit, want)
		for range 5 {
			random := func() int { return 1 + rnd.IntN(8) }
			same(t, "random chunks", in, drive(sse.NewSmall(limit, 1+rnd.IntN(30), 1+rnd.IntN(4)), in, random), want)
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
		f := sse.New(0)
		sse.Poison(f)
		same(t, "whole", in, drive(f, in, whole), want)
		f = sse.New(0)
		sse.Poison(f)
		same(t, "random", in, drive(f, in, func() int { return rnd.IntN(20000) }), want)
	}
}

func feed(f *sse.Framer, s string) {
	for len(s) > 0 {
		n := copy(f.Buffer(), s)
		f.Fed(n)
		s = s[n:]
	}
}

// TestDispatchAtOnce: an event whose blank line ends with CR must not wait for the byte after it.
func TestDispatchAtOnce(t *testing.T) {
	f := sse.New(0)
	var fr frame.Frame
	feed(f, "data: x\r\n\r")
	if ok, err := f.Next(&fr); !ok || err != nil || string(fr.Data) != "x" {
		t.Fatalf("after the CR: %v, %v, %q", ok, err, fr.Data)
	}
	feed(f, "\n")
	if ok, err := f.Next(&fr); ok || err != nil {
		t.Fatalf("after the LF: %v, %v", ok, err)
	}
	feed(f, "data: y\r\r")
	if ok, _ := f.Next(&fr); !ok || fr.Offset != 11 || fr.Line != 3 || fr.Number != 2 {
		t.Fatalf("next: %v, %s", ok, show(fr))
	}
}

// TestPoison shows that a holder of lent bytes is found out, whichever method it calls next.
func TestPoison(t *testing.T) {
	calls := map[string]func(*sse.Framer){
		"Buffer": func(f *sse.Framer) { f.Buffer() },
		"Fed":    func(f *sse.Framer) { f.Fed(0) },
		"Next":   func(f *sse.Framer) { f.Next(new(frame.Frame)) },
		"Close":  func(f *sse.Framer) { f.Close(new(frame.Frame)) },
	}
	for name, call := range calls {
		for _, in := range []string{"event: e\ndata: xyz\n{\n\n", "event: e\ndata: x\ndata: yz\n{\n\n"} {
			f := sse.New(0)
			sse.Poison(f)
			feed(f, in)
			var fr frame.Frame
			if ok, _ := f.Next(&fr); !ok {
				t.Fatal("no frame")
			}
			if fr.Data[0] != 'x' || fr.Event[0] != 'e' || fr.Stray[0] != '{' {
				t.Fatalf("%s: spoilt too early: %s", name, show(fr))
			}
			call(f)
			if fr.Data[0] != 0xFF || fr.Event[0] != 0xFF || fr.Stray[0] != 0xFF {
				t.Errorf("%s: not spoilt: %s", name, show(fr))
			}
		}
	}
}

// TestLentCannotGrow: appending to a lent field must not write into what is still to be read.
func TestLentCannotGrow(t *testing.T) {
	f := sse.New(0)
	feed(f, "event: e\ndata: x\n\ndata: y\n\n")
	var fr frame.Frame
	f.Next(&fr)
	_ = append(fr.Event, "0123456789"...)
	_ = append(fr.Data, "0123456789"...)
	if ok, err := f.Next(&fr); !ok || err != nil || string(fr.Data) != "y" {
		t.Fatalf("%v, %v, %q", ok, err, fr.Data)
	}
}

func TestCloseUndrained(t *testing.T) {
	f := sse.New(0)
	feed(f, "data: x\n\ndata: y\n\n")
	var fr frame.Frame
	err := f.Close(&fr)
	if !errors.Is(err, frame.Truncated) || string(fr.Data) != "x" {
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
			f := sse.New(0)
			f.Buffer()
			f.Fed(n)
		}()
	}
}

// TestMemory feeds endless streams of each kind and watches what is held.
func TestMemory(t *testing.T) {
	const limit = 50_000
	long := strings.Repeat("z", limit-10)
	streams := []struct {
		name, part string
		fails      bool
	}{
		{"comment without end", ":" + long, false},
		{"comments", ": x\n", false},
		{"blank lines", "\n\r\r\n", false},
		{"line without end", "data: " + long, true},
		{"event without end", "data: x\n", true},
		{"stray without end", "x\n", true},
		{"comments in an event", "data: x\n:" + long, true},
		{"name without end", "event: x\r", true},
		{"events at the bound", "data:" + long + "\n\n", false},
		{"all at the bound in turn", "data:" + long + "\n\nid:" + long + "\n\nx" + long + "\n\ndata:\ndata:" + long[:limit-20] + "\n\n", false},
	}
	for _, s := range streams {
		f := sse.New(limit)
		var err error
		for range 60*limit/len(s.part) + 1 {
			feed(f, s.part)
			for ok := true; ok; {
				var e error
				if ok, e = f.Next(new(frame.Frame)); e != nil {
					err = e
				}
			}
			if held := sse.Held(f); held > 10*limit+64<<10 {
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

// TestLinear: one byte a time must not search or move the unfinished event again and again. That would
// take most of a minute here, in place of a fraction of a second.
func TestLinear(t *testing.T) {
	defer func(start time.Time) {
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("it took %v", d)
		}
	}(time.Now())
	for _, fill := range []string{"x", "x\ndata: ", "x\rdata: "} {
		in := []byte("data: " + strings.Repeat(fill, 2<<20/len(fill)) + "\n\n")
		if r := drive(sse.New(0), in, one); r.err != nil || len(r.frames) != 1 {
			t.Fatalf("%q: %d frames, %v", fill, len(r.frames), r.err)
		}
	}
	in := []byte(strings.Repeat("data:\r\r", 1<<20))
	f := sse.New(0)
	for len(in) > 0 { // a large chunk of CRs only must not be searched for LFs at every line
		n := copy(f.Buffer(), in)
		f.Fed(n)
		in = in[n:]
	}
	n := 0
	for ok := true; ok; n++ {
		ok, _ = f.Next(new(frame.Frame))
	}
	if n != 1<<20+1 {
		t.Fatal(n)
	}
}

func TestNoAllocations(t *testing.T) {
	part := strings.Repeat("event: x\nid: 77\ndata: {\"a\":1}\n\n:\r\ndata: 1\r\ndata: 2\r\n\r\nstray\nretry: 10\n\n", 100)
	f := sse.New(0)
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

func FuzzSSE(f *testing.F) {
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
		same(t, "cuts", in, drive(sse.New(int(limit)), in, size), want)
		same(t, "cuts, small buffer", in, drive(sse.NewSmall(int(limit), 1+len(cuts), 1), in, size), want)
		same(t, "whole", in, drive(sse.New(int(limit)), in, whole), want)
	})
}

func BenchmarkNext(b *testing.B) {
	pad := strings.Repeat("a", 160)
	json := `{"type":"x","text":"` + pad[:152] + `"}`
	for _, c := range []struct{ name, event string }{
		{"LF", "event: x\ndata: " + json + "\n\n"},
		{"CRLF", "event: x\r\ndata: " + json + "\r\n\r\n"},
		{"CR", "event: x\rdata: " + json + "\r\r"},
		{"data-only", "data: " + json + "\n\n"},
		{"id", "id: 12345\nevent: x\ndata: " + json + "\n\n"},
		{"two-data-lines", "data: " + json[:80] + "\ndata: " + json[80:] + "\n\n"},
		{"small", "data: {}\n\n"},
	} {
		b.Run(c.name, func(b *testing.B) { bench(b, c.event) })
	}
}

// bench reads a long stream of one event in reads of 32 KiB at most.
func bench(b *testing.B, event string) {
	stream := []byte(strings.Repeat(event, 1<<20/len(event)))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	f := sse.New(0)
	var fr frame.Frame
	events := 0
	for b.Loop() {
		for in := stream; len(in) > 0; {
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
	}
	if events != b.N*(len(stream)/len(event)) {
		b.Fatal("events lost")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
