package gemini_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/wholecalltest"
)

// shape is what turns are made of. A turn without calls ends as one at its token limit does: the laws need
// two words, and the protocol has no other for a model that is done.
var shape = wholecalltest.Shape{Choices: 3, CallEnds: true, EmptyIsObject: true, Reasoning: true, Signatures: true, Server: true,
	Good: "STOP", Done: "MAX_TOKENS"}

// encode returns the frames of the events, those that have any.
func encode(t testing.TB, events []wholecall.Event) [][]byte {
	t.Helper()
	enc := gemini.GenerateContent.NewEncoder()
	var frames [][]byte
	for i := range events {
		b, err := enc.Append(nil, &events[i])
		if err != nil {
			t.Fatalf("event %d can't be encoded: %v", i, err)
		}
		for one := range bytes.SplitAfterSeq(b, []byte("\r\n\r\n")) {
			if len(one) > 0 {
				frames = append(frames, one)
			}
		}
	}
	return frames
}

func join(frames [][]byte) []byte { return bytes.Join(frames, nil) }

// array writes the frames of a stream of events as the JSON array that the server sends instead.
func array(frames [][]byte) []byte {
	b := []byte("[")
	for i, f := range frames {
		if i > 0 {
			b = append(b, "\n,\r\n"...)
		}
		b = append(b, bytes.TrimSpace(bytes.TrimPrefix(f, []byte("data: ")))...)
	}
	return append(b, "\n]"...)
}

var asArray = wholecall.WithFraming(func(limit int) frame.Framer { return jsonarray.New(limit) })

// TestLaws holds the protocol against the laws of wholecalltest.Laws that it can keep. Those can't be run
// as they are: a call has no fragments, its part is all of it, and a part that is dropped leaves no trace.
// What must hold all the same is said here.
func TestLaws(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 60 {
		events, calls := shape.Turn(r)
		frames := encode(t, events)
		roundTrip(t, events, frames)
		broken(t, frames, calls, r)
		if !slices.ContainsFunc(events, func(ev wholecall.Event) bool { return ev.Key.Choice > 0 }) {
			cut(t, frames, calls, r) // a candidate that the cut took away whole is not missed by anything
		}
		wholecalltest.SameForAnyChunking(t, gemini.GenerateContent, join(frames), r)
		wholecalltest.SameForAnyChunking(t, gemini.GenerateContent, array(frames), r, asArray)
		if t.Failed() {
			return
		}
	}
}

// roundTrip: what the encoder writes, the decoder reads as the same turn, in both framings, and the calls
// have the same keys in each answer.
func roundTrip(t *testing.T, events []wholecall.Event, frames [][]byte) {
	t.Helper()
	want := wholecalltest.Apply(events, wholecall.Limits{})
	for _, got := range []wholecalltest.Result{
		wholecalltest.Read(bytes.NewReader(join(frames)), gemini.GenerateContent),
		wholecalltest.Read(bytes.NewReader(array(frames)), gemini.GenerateContent, asArray),
	} {
		g, w := handed(got), handed(want)
		if got.Outcome != want.Outcome || got.Stop != want.Stop || !slices.Equal(g, w) {
			t.Errorf("decoded:\n%s\nwant:\n%s\nstream:\n%s", got, want, join(frames))
		}
	}
	if g, w := keys(wholecalltest.Decode(t, gemini.GenerateContent, join(frames))), keys(events); !maps.Equal(g, w) {
		t.Errorf("keys %v, want %v", g, w)
	}
}

func keys(events []wholecall.Event) map[string]wholecall.Key {
	all := map[string]wholecall.Key{}
	for _, ev := range events {
		if ev.Kind == wholecall.Announce {
			all[string(ev.ID)] = ev.Key
		}
	}
	return all
}

// handed is what was handed out, sorted: the answers of a turn mix on the wire as they please, and a part
// that waits for a call is written behind another answer's.
func handed(r wholecalltest.Result) []string {
	all := slices.Clone(r.Handed)
	slices.Sort(all)
	return all
}

// broken: dropping, doubling or swapping a frame never gives a call that the model did not make, and a call
// that is doubled is found.
func broken(t *testing.T, frames [][]byte, calls []wholecalltest.Call, r *rand.Rand) {
	t.Helper()
	for i := range frames {
		j := r.IntN(len(frames))
		swapped := slices.Clone(frames)
		swapped[i], swapped[j] = swapped[j], swapped[i]
		doubled := slices.Insert(slices.Clone(frames), i, frames[i])
		for _, m := range [][][]byte{slices.Delete(slices.Clone(frames), i, i+1), doubled, swapped} {
			made(t, join(m), calls)
		}
		got := wholecalltest.Read(bytes.NewReader(join(doubled)), gemini.GenerateContent)
		if bytes.Contains(frames[i], []byte("functionCall")) && got.Kind != wholecall.DuplicateID {
			t.Errorf("frame %d with a call, doubled: %s", i, got)
		}
	}
}

// cut: a stream that is cut has calls that the model made, and is not complete before its last finish
// reason.
func cut(t *testing.T, frames [][]byte, calls []wholecalltest.Call, r *rand.Rand) {
	t.Helper()
	stream := join(frames)
	for range 20 {
		at := r.IntN(len(stream) - len("\r\n\r\n"))
		if got := made(t, stream[:at], calls); got.Outcome == wholecall.Complete {
			t.Errorf("cut at %d: %s", at, got)
		}
	}
}

func made(t *testing.T, stream []byte, calls []wholecalltest.Call) wholecalltest.Result {
	t.Helper()
	got := wholecalltest.Read(bytes.NewReader(stream), gemini.GenerateContent)
	for _, c := range got.Calls {
		if !slices.Contains(calls, c) {
			t.Errorf("call %s is not one that the model made\n%s\nstream:\n%s", c.ID, got, stream)
		}
	}
	if got.Distinct != len(got.Calls)+len(got.Failed) {
		t.Errorf("%d announced, %d completed, %d failed", got.Distinct, len(got.Calls), len(got.Failed))
	}
	return got
}

func FuzzGenerateContent(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(join(encode(f, events)))
	}
	f.Add([]byte(sse(parts(`{"functionCall":{"name":"plan","willContinue":true}}`),
		parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}],"willContinue":true}}`),
		parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":""},{"jsonPath":"$['c d']","numberValue":1}]}}`), stop)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		wholecalltest.NeverLoses(t, gemini.GenerateContent, stream)
		wholecalltest.NeverLoses(t, gemini.GenerateContent, stream, asArray)
		wholecalltest.NeverLoses(t, gemini.GenerateContent, stream, gateway)
	})
}

var gateway = wholecall.WithDialect(gemini.GenerateContent.Dialects()[0])

func sse(payloads ...string) string {
	return "data: " + strings.Join(payloads, "\r\n\r\ndata: ") + "\r\n\r\n"
}

// parts is a chunk with parts.
func parts(list string) string {
	return `{"candidates":[{"content":{"parts":[` + list + `],"role":"model"}}],"modelVersion":"m","responseId":"r1"}`
}

func finish(reason string) string {
	return `{"candidates":[{"finishReason":` + reason + `,"index":0}],"responseId":"r1"}`
}

const stop = `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP"}]}`
