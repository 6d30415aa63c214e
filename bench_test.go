package wholecall_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// stream writes a turn of two calls with 500 fragments each, and some text, in a protocol.
func stream(b *testing.B, p wholecall.Protocol, ends bool) (body []byte, events int) {
	var evs []wholecall.Event
	add := func(e wholecall.Event) { evs = append(evs, e) }
	add(wholecall.Event{Kind: wholecall.Begin, ID: []byte("turn_1"), Name: []byte("model")})
	text := wholecall.Key{Index: 0}
	call := func(n int32) wholecall.Key { return wholecall.Key{Index: n} }
	if !ends {
		text.Sub = 1
	}
	add(wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.TextPart, Key: text})
	for range 50 {
		add(wholecall.Event{Kind: wholecall.Delta, Key: text, Data: []byte("some prose ")})
	}
	add(wholecall.Event{Kind: wholecall.ClosePart, Key: text})
	for n := range int32(2) {
		k := call(n + 1)
		add(wholecall.Event{Kind: wholecall.Announce, Key: k, ID: fmt.Appendf(nil, "call_%024d", n), Name: []byte("edit_file")})
		doc := `{"path":"main.go","text":"` + strings.Repeat(`line\n\tof \"code\" `, 222)
		for len(doc) > 0 {
			size := min(8, len(doc))
			add(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: []byte(doc[:size])})
			doc = doc[size:]
		}
		add(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: []byte(`"}`)})
		if ends {
			add(wholecall.Event{Kind: wholecall.End, Key: k})
		}
	}
	stop := "tool_use"
	if !ends {
		stop = "tool_calls"
	}
	add(wholecall.Event{Kind: wholecall.Stop, Name: []byte(stop), Ends: !ends})
	add(wholecall.Event{Kind: wholecall.Terminal})
	frames := wholecalltest.Encode(b, p, evs)
	return wholecalltest.Join(frames), len(frames)
}

func BenchmarkTurn(b *testing.B) {
	for _, bb := range []struct {
		p    wholecall.Protocol
		ends bool
	}{{anthropic.Messages, true}, {openai.Chat, false}, {openai.Responses, true}} {
		b.Run(bb.p.Facts().Name, func(b *testing.B) {
			body, events := stream(b, bb.p, bb.ends)
			r := bytes.NewReader(body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r.Reset(body)
				turn := wholecall.NewTurn(r, bb.p)
				for {
					if _, err := turn.Next(); err != nil {
						break
					}
				}
				if turn.Outcome() != wholecall.Complete {
					b.Fatal(turn.Err())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
		})
	}
}
