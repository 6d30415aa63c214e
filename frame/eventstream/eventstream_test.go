package eventstream_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
)

// result is all that a stream gives.
type result struct {
	frames []frame.Frame
	err    *frame.Error
	rest   frame.Frame // what Next or Close stored beside an error
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
	e.Cause = nil
	return fmt.Sprintf("%srest %s err %+v cause %v", b.String(), show(r.rest), e, r.err.Cause)
}

func show(f frame.Frame) string {
	if f.Line != 0 {
		panic("a line in a binary framing")
	}
	return fmt.Sprintf("{%d @%d id %q event %q nil=%v %q stray %q}", f.Number, f.Offset, f.ID, f.Event, f.Data == nil, f.Data, f.Stray)
}

// drive feeds in to f in chunks of the sizes that size gives, and copies what comes out. It also checks
// that an error is a *frame.Error and stays.
func drive(f *eventstream.Framer, in []byte, size func() int) result {
	var r result
	if err := pump(f, in, size, &r); err != nil {
		r.err = err.(*frame.Error)
	} else {
		var fr frame.Frame
		if err := f.Close(&fr); err != nil {
			r.err, r.rest = err.(*frame.Error), clone(fr)
		} else if fr.Data != nil {
			panic("a frame that only the end made")
		}
	}
	checkEnded(f, r.err)
	return r
}

func pump(f *eventstream.Framer, in []byte, size func() int, r *result) error {
	for {
		var fr frame.Frame
		ok, err := f.Next(&fr)
		if err != nil {
			r.rest = clone(fr)
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

func checkEnded(f *eventstream.Framer, want *frame.Error) {
	f.Fed(copy(f.Buffer(), empty))
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
	f.Event, f.Data, f.ID = bytes.Clone(f.Event), bytes.Clone(f.Data), bytes.Clone(f.ID)
	return f
}

func whole() int { return math.MaxInt }
func one() int   { return 1 }

// halves cuts a stream once, after n bytes.
func halves(n int) func() int {
	return func() int { m := n; n = math.MaxInt; return m }
}

// header writes one header with a value of the type 7, a string.
func header(name, value string) string {
	return raw(name, 7, string(binary.BigEndian.AppendUint16(nil, uint16(len(value))))+value)
}

func raw(name string, typ byte, value string) string {
	return string(append([]byte{byte(len(name))}, name...)) + string(typ) + value
}

// message writes a message from the layout that AWS documents, by hand.
func message(headers, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func event(name, payload string) string {
	return message(header(":message-type", "event")+header(":event-type", name), payload)
}

// prelude writes the lengths of a message, with a checksum that holds.
func prelude(total, headers uint32) string {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, total), headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// stopMessage is a message that was made and checked by another program.
const (
	stopMessage = "0000005c00000035ce7239800d3a6d6573736167652d747970650700056576656e740b3a6576656e742d7479706507" +
		"0010636f6e74656e74426c6f636b53746f707b22636f6e74656e74426c6f636b496e646578223a317d370f5154"
	emptyMessage = "000000100000000005c248eb7d98c8ff"
)

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var empty = unhex(emptyMessage)

func got(number int, offset int64, id, event, data string) frame.Frame {
	f := frame.Frame{Number: number, Offset: offset, Data: []byte(data)}
	if id != "" {
		f.ID = []byte(id)
	}
	if event != "" {
		f.Event = []byte(event)
	}
	return f
}

func fails(kind frame.Kind, number int, offset int64, cause string) *frame.Error {
	e := &frame.Error{Kind: kind, Number: number, Offset: offset}
	if cause != "" {
		e.Cause = errors.New(cause)
	}
	return e
}

func rest(number int, offset int64, stray string) frame.Frame {
	f := frame.Frame{Number: number, Offset: offset}
	if stray != "" {
		f.Stray = []byte(stray)
	}
	return f
}

func flip(s string, i int) string {
	b := []byte(s)
	b[(i+len(b))%len(b)] ^= 1
	return string(b)
}

var (
	hello = event("a", "{}")
	long  = event("b", strings.Repeat("x", 200))
)

const (
	badPrelude = "the checksum of the lengths does not hold"
	badMessage = "message checksum mismatch"
	badHeaders = "the headers can't be read"
	badLengths = "the lengths contradict each other"
)

var cases = []struct {
	name   string
	in     string
	limit  int
	frames []frame.Frame
	err    *frame.Error
	rest   frame.Frame
}{
	{name: "empty stream"},
	{name: "known bytes", in: unhex(stopMessage), frames: []frame.Frame{got(1, 0, "event", "contentBlockStop", `{"contentBlockIndex":1}`)}},
	{name: "no headers and no payload", in: empty + empty, frames: []frame.Frame{got(1, 0, "", "", ""), got(2, 16, "", "", "")}},
	{name: "two messages", in: hello + long, frames: []frame.Frame{got(1, 0, "event", "a", "{}"), got(2, int64(len(hello)), "event", "b", strings.Repeat("x", 200))}},
	{name: "an exception", in: message(header(":exception-type", "throttlingException")+header(":content-type", "application/json")+header(":message-type", "exception"), `{"message":"slow"}`),
		frames: []frame.Frame{got(1, 0, "exception", "throttlingException", `{"message":"slow"}`)}},
	{name: "an error, whose text is a header", in: message(header(":message-type", "error")+header(":error-code", "500")+header(":error-message", "no"), "ignored"),
		frames: []frame.Frame{got(1, 0, "error", "500", "no")}},
	{name: "no message type", in: message(header(":event-type", "a"), "1"), frames: []frame.Frame{got(1, 0, "", "a", "1")}},
	{name: "no message type, an exception", in: message(header(":exception-type", "x"), "1"), frames: []frame.Frame{got(1, 0, "exception", "x", "1")}},
	{name: "no message type, an error", in: message(header(":error-code", "x"), "1"), frames: []frame.Frame{got(1, 0, "error", "x", "")}},
	{name: "another message type", in: message(header(":message-type", "odd")+header(":event-type", "a"), "1"), frames: []frame.Frame{got(1, 0, "odd", "a", "1")}},
	{name: "headers of other types", in: message(raw("t", 0, "")+raw("f", 1, "")+raw("b", 2, "1")+raw("i", 4, "1234")+raw("y", 6, "\x00\x01z")+header(":event-type", "a")+raw("u", 9, strings.Repeat("u", 16)), "1"),
		frames: []frame.Frame{got(1, 0, "", "a", "1")}},
	{name: "not UTF-8", in: event("a", "\xff\x00\n"), frames: []frame.Frame{got(1, 0, "event", "a", "\xff\x00\n")}},

	{name: "cut in the prelude", in: hello + hello[:7], frames: []frame.Frame{got(1, 0, "event", "a", "{}")}, err: fails(frame.Truncated, 2, int64(len(hello)), ""), rest: rest(2, int64(len(hello)), "")},
	{name: "cut in the first prelude", in: hello[:7], err: fails(frame.Truncated, 1, 0, ""), rest: rest(1, 0, "")},
	{name: "cut before the last byte", in: hello[:len(hello)-1], err: fails(frame.Truncated, 1, 0, ""), rest: rest(1, 0, "")},

	{name: "a damaged length", in: hello + flip(hello, 2) + hello, frames: []frame.Frame{got(1, 0, "event", "a", "{}")}, err: fails(frame.Malformed, 2, int64(len(hello)), badPrelude)},
	{name: "a damaged header", in: flip(hello, 20), err: fails(frame.Malformed, 1, 0, badMessage)},
	{name: "a damaged payload", in: flip(hello, -5), err: fails(frame.Malformed, 1, 0, badMessage)},
	{name: "a damaged checksum", in: flip(hello, -1), err: fails(frame.Malformed, 1, 0, badMessage)},
	{name: "too short to be one", in: hello + prelude(15, 0) + "abcd", frames: []frame.Frame{got(1, 0, "event", "a", "{}")}, err: fails(frame.Malformed, 2, int64(len(hello)), badLengths)},
	{name: "headers longer than the message", in: hello + prelude(32, 17) + strings.Repeat("a", 20), frames: []frame.Frame{got(1, 0, "event", "a", "{}")}, err: fails(frame.Malformed, 2, int64(len(hello)), badLengths)},
	{name: "a header of an unknown type", in: message(raw("a", 10, ""), ""), err: fails(frame.Malformed, 1, 0, "unable to decode header of unknown value type 10")},
	{name: "a header that is cut", in: message(header("a", "bcd")[:5], "{}"), err: fails(frame.Malformed, 1, 0, badHeaders)},
	{name: "a type that is no string", in: message(raw(":event-type", 0, ""), ""), err: fails(frame.Malformed, 1, 0, "the header :event-type is no string")},

	{name: "at the bound", in: hello, limit: len(hello), frames: []frame.Frame{got(1, 0, "event", "a", "{}")}},
	{name: "above the bound", in: hello + long, limit: len(hello), frames: []frame.Frame{got(1, 0, "event", "a", "{}")},
		err: &frame.Error{Kind: frame.TooLong, Number: 2, Offset: int64(len(hello)), Limit: len(hello)}},
	{name: "above the bound, and not there", in: prelude(1<<31, 0), err: &frame.Error{Kind: frame.TooLong, Number: 1, Limit: frame.DefaultLimit}, rest: rest(0, 0, prelude(1<<31, 0))},

	{name: "no event stream", in: `<!DOCTYPE html><html></html>`, err: fails(frame.Malformed, 1, 0, badPrelude), rest: rest(0, 0, "<!DOCTYPE ht")},
	{name: "no event stream, and short", in: `{"a":1}`, err: fails(frame.Truncated, 1, 0, ""), rest: rest(1, 0, `{"a":1}`)},
}

// TestRules checks each rule in every cut of the stream into two, and byte by byte, on buffers of every
// small size.
func TestRules(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := result{c.frames, c.err, c.rest}
			check := func(how string, f *eventstream.Framer, size func() int) {
				if got := drive(f, []byte(c.in), size); got.String() != want.String() {
					t.Errorf("%s:\n got %s\nwant %s", how, got, want)
				}
			}
			check("whole", eventstream.New(c.limit), whole)
			check("byte by byte", eventstream.New(c.limit), one)
			for n := 1; n < len(c.in); n++ {
				check(fmt.Sprint("cut after ", n), eventstream.NewSmall(c.limit, 4, 2), halves(n))
			}
			for size := 1; size < 20; size++ {
				check(fmt.Sprint("buffer of ", size), eventstream.NewSmall(c.limit, size, 1), whole)
			}
		})
	}
}

// TestNoDamagePasses: whichever one bit of a stream is turned over, no frame comes out that was not in it.
func TestNoDamagePasses(t *testing.T) {
	in := hello + event("b", `{"contentBlockIndex":0}`) + hello
	good := drive(eventstream.New(0), []byte(in), whole)
	for i := range len(in) * 8 {
		b := []byte(in)
		b[i/8] ^= 1 << (i % 8)
		r := drive(eventstream.New(0), b, whole)
		if r.err == nil {
			t.Fatalf("bit %d of byte %d turned over: no error", i%8, i/8)
		}
		for k, f := range r.frames {
			if show(f) != show(good.frames[k]) {
				t.Fatalf("bit %d of byte %d turned over: frame %s", i%8, i/8, show(f))
			}
		}
	}
}

func TestAppendIsWhatNextReads(t *testing.T) {
	want := []frame.Frame{
		got(0, 0, "event", "messageStart", `{"role":"assistant"}`),
		got(0, 0, "event", "empty", ""),
		got(0, 0, "exception", "throttlingException", `{"message":"slow"}`),
		got(0, 0, "error", "InternalError", "no \"reason\" given"),
		got(0, 0, "", "messageStart", `{}`),
	}
	var stream []byte
	for i := range want {
		b, err := eventstream.Append(stream, &want[i])
		if err != nil {
			t.Fatal(err)
		}
		want[i].Number, want[i].Offset = i+1, int64(len(stream))
		stream = b
	}
	if got := drive(eventstream.New(0), stream, whole); got.String() != (result{frames: want}).String() {
		t.Errorf("got\n%s", got)
	}
}

func TestAppendSaysWhatItCannot(t *testing.T) {
	f := got(0, 0, "error", "x", strings.Repeat("a", 1<<15))
	b, err := eventstream.Append([]byte("kept"), &f)
	if err == nil || string(b) != "kept" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestCloseBeforeTheEnd: a message that Next was not asked for is lost, and said to be.
func TestCloseBeforeTheEnd(t *testing.T) {
	f := eventstream.New(0)
	f.Fed(copy(f.Buffer(), hello+long))
	var fr frame.Frame
	if ok, _ := f.Next(&fr); !ok {
		t.Fatal("no frame")
	}
	err := f.Close(&fr)
	if want := fails(frame.Truncated, 2, int64(len(hello)), ""); err == nil || *err.(*frame.Error) != *want || fr.Data != nil {
		t.Errorf("%+v, %s", err, show(fr))
	}
}

func TestMemoryStaysBounded(t *testing.T) {
	const limit = 1 << 16
	f := eventstream.New(limit)
	big := event("a", strings.Repeat("x", limit-100))
	for range 20 {
		if r := pump(f, []byte(big), whole, &result{}); r != nil {
			t.Fatal(r)
		}
	}
	if n := eventstream.Held(f); n > 5*limit+64<<10 {
		t.Errorf("holds %d bytes", n)
	}
}

func TestRandomChunks(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		var in []byte
		for range r.IntN(6) {
			in = append(in, event(strings.Repeat("n", r.IntN(5)), strings.Repeat("p", r.IntN(60)))...)
		}
		if len(in) > 0 && r.IntN(2) == 0 {
			in[r.IntN(len(in))] ^= byte(1 + r.IntN(255))
		}
		in = in[:len(in)-r.IntN(1+min(len(in), 9))]
		want := drive(eventstream.New(0), in, whole)
		got := drive(eventstream.NewSmall(0, 1+r.IntN(40), 1+r.IntN(9)), in, func() int { return 1 + r.IntN(30) })
		if got.String() != want.String() {
			t.Fatalf("seed %d\n got %s\nwant %s\n%q", seed, got, want, in)
		}
	}
}

func FuzzFramer(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := drive(eventstream.New(1<<12), in, whole)
		if got := drive(eventstream.NewSmall(1<<12, 16, 3), in, one); got.String() != want.String() {
			t.Errorf(" got %s\nwant %s", got, want)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	in := []byte(strings.Repeat(event("contentBlockDelta", `{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"kg\":2}"}},"p":"abcdefgh"}`), 20))
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	f := eventstream.New(0)
	var fr frame.Frame
	for b.Loop() {
		for rest := in; len(rest) > 0; {
			n := copy(f.Buffer(), rest)
			f.Fed(n)
			rest = rest[n:]
			for {
				if ok, _ := f.Next(&fr); !ok {
					break
				}
			}
		}
	}
}
