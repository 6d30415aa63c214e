package wholecalltest

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

var seedFlag = flag.Uint64("wholecall.seed", 0, "seed of the random turns; 0 takes one from the clock and prints it on failure")

// Rand returns a source of random numbers for a test. Its seed is printed where the test fails.
func Rand(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -wholecall.seed=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// Laws holds a protocol against the laws, with random turns of the shape:
//
//   - what its encoder writes, its decoder reads as the same events, and as the same turn
//   - any chunking of the bytes gives the same result, also of broken ones
//   - any interleaving that keeps each call's order gives the same calls
//   - dropping, doubling or swapping a frame gives an error, a failed call or the same calls, and never
//     another document
//   - a stream that is cut anywhere completes nothing that it had not ended
//   - what a turn shows of open calls is what their arguments begin with, and changes nothing else
func Laws(t *testing.T, p wholecall.Protocol, s Shape) {
	const turns = 60
	run := func(name string, law func(*testing.T, wholecall.Protocol, Shape, *rand.Rand)) {
		t.Run(name, func(t *testing.T) {
			r := Rand(t)
			for range turns {
				law(t, p, s, r)
				if t.Failed() {
					return
				}
			}
		})
	}
	run("EncodeDecodeIsIdentity", roundTrip)
	run("AnyChunkingSameResult", chunking)
	run("AnyInterleavingSameCalls", interleaving)
	run("NoMutationGivesAnotherDocument", mutations)
	run("NoCutCompletesWhatHadNoEnd", cuts)
	run("ProgressIsWhatArrives", progress)
}

// Encode returns the frames of the events, each with the event that it comes from.
func Encode(t testing.TB, p wholecall.Protocol, events []wholecall.Event) []Frame {
	t.Helper()
	enc := p.NewEncoder()
	var frames []Frame
	for i := range events {
		b, err := enc.Append(nil, &events[i])
		if err != nil {
			t.Fatalf("event %d can't be encoded: %v", i, err)
		}
		for _, one := range split(b) {
			frames = append(frames, Frame{one, events[i]})
		}
	}
	return frames
}

// Frame is the bytes of one frame, with the event that it was encoded from.
type Frame struct {
	Bytes []byte
	Event wholecall.Event
}

// split cuts bytes behind each blank line, or, where there is none, behind each line. Messages of a binary
// framing begin with their length, whose first byte is that of no text.
func split(b []byte) [][]byte {
	if len(b) > 4 && b[0] == 0 {
		return splitBinary(b)
	}
	sep := []byte("\n\n")
	if !bytes.Contains(b, sep) {
		sep = sep[:1]
	}
	var out [][]byte
	for len(b) > 0 {
		i := bytes.Index(b, sep)
		if i < 0 {
			return append(out, b)
		}
		out = append(out, b[:i+len(sep)])
		b = b[i+len(sep):]
	}
	return out
}

// splitBinary cuts messages that begin with their length, a number of four bytes.
func splitBinary(b []byte) [][]byte {
	var out [][]byte
	for len(b) > 4 {
		n := int(max(4, min(uint64(binary.BigEndian.Uint32(b)), uint64(len(b)))))
		out = append(out, b[:n])
		b = b[n:]
	}
	return out
}

// Join joins frames to the bytes of a stream.
func Join(frames []Frame) []byte {
	var b []byte
	for _, f := range frames {
		b = append(b, f.Bytes...)
	}
	return b
}

// Decode returns the events of a stream. The events are owned.
func Decode(t testing.TB, p wholecall.Protocol, stream []byte) []wholecall.Event {
	t.Helper()
	framer := p.NewFramer(0)
	dec := p.NewDecoder(wholecall.Dialect{})
	var all, events []wholecall.Event
	var f frame.Frame
	for len(stream) > 0 {
		n := copy(framer.Buffer(), stream)
		framer.Fed(n)
		stream = stream[n:]
		for {
			ok, err := framer.Next(&f)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if events, err = dec.Decode(&f, events[:0]); err != nil {
				t.Fatal(err)
			}
			for _, ev := range events {
				ev.ID, ev.Name = slices.Clone(ev.ID), slices.Clone(ev.Name)
				ev.Data, ev.Extra = slices.Clone(ev.Data), slices.Clone(ev.Extra)
				all = append(all, ev)
			}
		}
	}
	return append(all, dec.End(nil)...)
}

// canonical leaves out what an encoder adds or leaves out without changing what is said, and writes
// every text in one way.
func canonical(s Shape, events []wholecall.Event) []string {
	var out []string
	for _, ev := range events {
		switch ev.Kind {
		case wholecall.Document, wholecall.Deviate, wholecall.Hint, wholecall.Pass, wholecall.UsageReport:
			continue
		case wholecall.ClosePart, wholecall.OpenPart:
			// Where it is not on the wire, the first piece of text begins a part, and the next part ends it.
			if !s.OneSpace {
				continue
			}
		case wholecall.End:
			if !s.CallEnds {
				continue
			}
		case wholecall.Fragment, wholecall.Delta:
			if len(ev.Data) == 0 {
				continue
			}
		}
		data := string(ev.Data)
		if ev.Escaped {
			data = string(ev.Data)
			if u, carry, _ := strictjson.AppendUnescaped(nil, ev.Data, 0); carry == 0 && !bytes.ContainsRune(u, '\uFFFD') {
				data = string(u)
			}
		}
		out = append(out, fmt.Sprintf("%d %v part %d runner %d form %d reason %q id %q name %q data %q",
			ev.Kind, ev.Key, ev.Part, ev.Runner, ev.Form, ev.Reason, ev.ID, ev.Name, data))
	}
	return out
}

func roundTrip(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	events, calls := s.Turn(r)
	want := Apply(events, wholecall.Limits{})
	if want.Outcome != wholecall.Complete || !sameCalls(want.Calls, calls) {
		t.Fatalf("the events themselves give\n%s want calls %v", want, calls)
	}
	stream := Join(Encode(t, p, events))
	got := Read(bytes.NewReader(stream), p)
	if got.String() != want.String() {
		t.Errorf("decoded:\n%s\nwant:\n%s\nstream:\n%s", got, want, stream)
		return
	}
	if g, w := canonical(s, Decode(t, p, stream)), canonical(s, events); !slices.Equal(g, w) {
		for i := range max(len(g), len(w)) {
			if i >= len(g) || i >= len(w) || g[i] != w[i] {
				t.Errorf("event %d:\n got %s\nwant %s", i, at(g, i), at(w, i))
				return
			}
		}
	}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "nothing"
}

// sameCalls compares calls as sets by id.
func sameCalls(a, b []Call) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	byID := func(x, y Call) int { return bytes.Compare([]byte(x.ID), []byte(y.ID)) }
	slices.SortFunc(a, byID)
	slices.SortFunc(b, byID)
	return slices.Equal(a, b)
}

func chunking(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	events, _ := s.Turn(r)
	frames := Encode(t, p, events)
	if r.IntN(2) == 0 {
		frames = mutate(frames, r.IntN(3), r.IntN(len(frames)), r.IntN(len(frames)))
	}
	stream := Join(frames)
	if r.IntN(3) == 0 {
		stream = stream[:r.IntN(len(stream)+1)]
	}
	SameForAnyChunking(t, p, stream, r)
}

// SameForAnyChunking fails the test where the way in which the bytes of a stream are cut into reads
// makes a difference: to the result, or to the place that an error names.
func SameForAnyChunking(t testing.TB, p wholecall.Protocol, stream []byte, r *rand.Rand, opts ...wholecall.Option) {
	t.Helper()
	read := func(rd io.Reader) string {
		turn := wholecall.NewTurn(rd, p, opts...)
		res := Drain(turn)
		return fmt.Sprintf("%s%v", res, turn.Err())
	}
	want := read(bytes.NewReader(stream))
	check := func(how string, rd io.Reader) {
		if got := read(rd); got != want {
			t.Errorf("%s:\n%s\nin one read:\n%s\nstream:\n%q", how, got, want, stream)
		}
	}
	check("one byte at a time", iotest.OneByteReader(bytes.NewReader(stream)))
	check("data with the end", iotest.DataErrReader(bytes.NewReader(stream)))
	for range 4 {
		check("random reads", &randomReader{stream, r})
	}
	for i := range min(len(stream), 64) {
		at := r.IntN(len(stream) + 1)
		if len(stream) <= 64 {
			at = i
		}
		check(fmt.Sprintf("cut at %d", at), io.MultiReader(bytes.NewReader(stream[:at]), bytes.NewReader(stream[at:])))
	}
}

// randomReader reads a random number of bytes at a time, at times none.
type randomReader struct {
	rest []byte
	r    *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.r.IntN(24), len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

func interleaving(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	g := &generator{Shape: s, r: r}
	var tracks []track
	for i := range 1 + r.IntN(4) {
		tracks = append(tracks, g.call(wholecall.Key{Index: int32(i)}, false))
	}
	for range 3 {
		copies := slices.Clone(tracks)
		events := []wholecall.Event{{Kind: wholecall.Begin, ID: []byte("t"), Name: []byte("m")}}
		events = append(events, g.interleave(copies)...)
		events = append(events, wholecall.Event{Kind: wholecall.Stop, Name: []byte(s.Good), Ends: !s.CallEnds, Promises: true},
			wholecall.Event{Kind: wholecall.Terminal})
		got := Read(bytes.NewReader(Join(Encode(t, p, events))), p)
		if got.Outcome != wholecall.Complete || !slices.Equal(got.Calls, g.calls) {
			t.Errorf("got\n%s\nwant calls %v", got, g.calls)
		}
	}
}

// The mutations of a stream.
const (
	drop = iota
	double
	swap
)

// mutate returns frames with one mutation: frame i dropped, doubled, or swapped with frame j.
func mutate(frames []Frame, how, i, j int) []Frame {
	out := slices.Clone(frames)
	switch how {
	case drop:
		return slices.Delete(out, i, i+1)
	case double:
		return slices.Insert(out, i, out[i])
	}
	out[i], out[j] = out[j], out[i]
	return out
}

func mutations(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	events, calls := s.Turn(r)
	breakFrames(t, s, Encode(t, p, events), calls, func(m []Frame) Result {
		return Read(bytes.NewReader(Join(m)), p)
	}, r)
}

// Break breaks the events of a turn in every way, one at a time: each event dropped, doubled, and
// swapped with another. It fails the test where apply then completes a call that the model did not
// make, or loses one without a word.
func Break(t testing.TB, s Shape, events []wholecall.Event, calls []Call, apply func([]wholecall.Event) Result, r *rand.Rand) {
	t.Helper()
	frames := make([]Frame, len(events))
	for i := range events {
		frames[i].Event = events[i]
	}
	breakFrames(t, s, frames, calls, func(m []Frame) Result {
		broken := make([]wholecall.Event, len(m))
		for i := range m {
			broken[i] = m[i].Event
		}
		return apply(broken)
	}, r)
}

func breakFrames(t testing.TB, s Shape, frames []Frame, calls []Call, read func([]Frame) Result, r *rand.Rand) {
	t.Helper()
	for i := range frames {
		for how := range 3 {
			j := r.IntN(len(frames))
			if how == swap && r.IntN(2) == 0 {
				j = min(i+1, len(frames)-1)
			}
			m := mutate(frames, how, i, j)
			got := read(m)
			if why := wrong(got, calls, invisible(s, m, calls)); why != "" {
				t.Errorf("%s of frame %d (with %d): %s\n%s\nstream:\n%s", []string{"drop", "double", "swap"}[how], i, j, why, got, Join(m))
				return
			}
		}
	}
}

// invisible returns the documents that fragments make after a mutation, by call id, where they are
// valid documents and yet not the ones that the model wrote, and nothing on the wire can show it:
//
//   - on a protocol without sequence numbers and without copies, a fragment that is doubled, dropped or
//     swapped inside a string leaves a valid document
//   - free text is valid whatever is in it
//   - a fragment that comes behind its call's own end shows, as late; but the call was handed out by
//     then, with what is left of its document
//
// Nothing else may change a document.
func invisible(s Shape, frames []Frame, calls []Call) map[string]string {
	if s.Numbered {
		return nil
	}
	ids := map[wholecall.Key]string{}
	docs := map[wholecall.Key][]byte{}
	carry := map[wholecall.Key]uint16{}
	free := map[string]bool{}
	ended := map[wholecall.Key]bool{}
	stopped := map[int32]bool{}
	for _, f := range frames {
		ev := f.Event
		if ended[ev.Key] || stopped[ev.Key.Choice] {
			continue
		}
		switch ev.Kind {
		case wholecall.Stop:
			stopped[ev.Key.Choice] = ev.Ends
		case wholecall.End:
			ended[ev.Key] = true
		case wholecall.Announce:
			ids[ev.Key] = string(ev.ID)
			free[string(ev.ID)] = ev.Form == wholecall.TextArguments
		case wholecall.Fragment:
			if ev.Escaped {
				docs[ev.Key], carry[ev.Key], _ = strictjson.AppendUnescaped(docs[ev.Key], ev.Data, carry[ev.Key])
			} else {
				docs[ev.Key], carry[ev.Key], _ = strictjson.AppendPlain(docs[ev.Key], ev.Data, carry[ev.Key])
			}
		}
	}
	out := map[string]string{}
	for key, id := range ids {
		doc := docs[key]
		valid := free[id] || strictjson.Check(doc, wholecall.DefaultDepth) == nil || s.EmptyIsObject && len(doc) == 0
		if valid {
			if len(doc) == 0 && !free[id] {
				doc = []byte("{}")
			}
			out[id] = string(doc)
		}
	}
	return out
}

// wrong says what is wrong with the result of a broken stream, or "": a completed call must be one
// that the model made, document and all, and a call that is missing must have been announced as lost.
func wrong(got Result, calls []Call, invisible map[string]string) string {
	known := map[string]Call{}
	for _, c := range calls {
		known[c.ID] = c
	}
	for _, c := range got.Calls {
		w, ok := known[c.ID]
		switch {
		case !ok:
			return fmt.Sprintf("call %s is no call that the model made", c.ID)
		case c.Name != w.Name:
			return fmt.Sprintf("call %s has another name", c.ID)
		case c.Arguments != w.Arguments && invisible[c.ID] != c.Arguments:
			return fmt.Sprintf("call %s has another document", c.ID)
		}
	}
	if got.Distinct != len(got.Calls)+len(got.Failed) {
		return fmt.Sprintf("%d announced, %d completed, %d failed", got.Distinct, len(got.Calls), len(got.Failed))
	}
	if got.Outcome == wholecall.Complete && len(got.Calls) != len(calls) {
		return "the turn is complete, and a call is missing"
	}
	return ""
}

func cuts(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	events, calls := s.Turn(r)
	stream := Join(Encode(t, p, events))
	for range 40 {
		at := r.IntN(len(stream))
		got := Read(bytes.NewReader(stream[:at]), p)
		if why := wrong(got, calls, nil); why != "" {
			t.Errorf("cut at %d: %s\n%s\nstream:\n%s", at, why, got, stream[:at])
			return
		}
	}
}

// NeverLoses is the body of a fuzz target: whatever the bytes are, reading them neither panics nor
// hangs, every announced call is completed or failed, and the chunking makes no difference.
func NeverLoses(t *testing.T, p wholecall.Protocol, stream []byte, opts ...wholecall.Option) {
	lim := wholecall.Limits{FrameBytes: 1 << 16, DocumentBytes: 1 << 16, Calls: 64, Parts: 256}
	opts = append(opts, wholecall.WithLimits(lim))
	got := Read(bytes.NewReader(stream), p, opts...)
	if got.Distinct != len(got.Calls)+len(got.Failed) {
		t.Errorf("%d announced, %d completed, %d failed", got.Distinct, len(got.Calls), len(got.Failed))
	}
	for _, c := range got.Calls {
		if len(c.Arguments) > lim.DocumentBytes {
			t.Errorf("call %s has %d bytes", c.ID, len(c.Arguments))
		}
	}
	if other := Read(iotest.OneByteReader(bytes.NewReader(stream)), p, opts...); !reflect.DeepEqual(got, other) {
		t.Errorf("one byte at a time:\n%s\nin one read:\n%s", other, got)
	}
}
