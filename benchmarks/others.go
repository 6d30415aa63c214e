package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider"
)

// other is a protocol without an official SDK for Go that assembles calls, or with one that only hands out
// decoded events: it is measured against a loop over encoding/json.
type other struct {
	protocol, story string
	events          int
	ns, byHand      []float64
	ratio           []float64
	allocs          float64
	grown           float64 // time for each event at 4 MB over that at 10 KB
	late            int
	skipped         string
}

// written is a story as the protocol's own encoder writes it.
func written(p wholecall.Protocol, s *streams.Story, pieces int) (body []byte, events int, err error) {
	enc := p.NewEncoder()
	put := func(ev wholecall.Event) {
		if err != nil {
			return
		}
		var b []byte
		if b, err = enc.Append(nil, &ev); err == nil && len(b) > 0 {
			body = append(body, b...)
			events++
		}
	}
	f := p.Facts()
	put(wholecall.Event{Kind: wholecall.Begin, ID: []byte("turn-1"), Name: []byte("m")})
	index := int32(0)
	if len(s.Text) > 0 {
		k := wholecall.Key{Sub: 1}
		if f.OneSpace {
			k, index = wholecall.Key{}, 1
		}
		put(wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.TextPart, Key: k})
		for b := s.Text; len(b) > 0; {
			n := whole(b, 8)
			put(wholecall.Event{Kind: wholecall.Delta, Key: k, Data: b[:n]})
			b = b[n:]
		}
		put(wholecall.Event{Kind: wholecall.ClosePart, Key: k})
	}
	for _, c := range s.Calls {
		k := wholecall.Key{Index: index}
		index++
		put(wholecall.Event{Kind: wholecall.Announce, Key: k, ID: []byte(c.ID), Name: []byte(c.Name)})
		for b := c.Document; len(b) > 0; {
			n := whole(b, pieces)
			put(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: b[:n]})
			b = b[n:]
		}
		put(wholecall.Event{Kind: wholecall.End, Key: k})
	}
	put(wholecall.Event{Kind: wholecall.Stop, Name: []byte(f.Stops.Word("", len(s.Calls) > 0)), Ends: !f.OwnEnd})
	put(wholecall.Event{Kind: wholecall.Terminal})
	return body, events, err
}

// whole is where to cut a text so that no character is cut.
func whole(b []byte, n int) int {
	n = min(n, len(b))
	for n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

// byHand reads frames in the ordinary way: each payload is unmarshalled into a tree, which is searched for
// what the protocol calls a piece of arguments. It checks nothing, and builds no call: less than a client
// needs.
func byHand(newFramer func(int) frame.Framer, body []byte) (n int) {
	f := newFramer(0)
	r := bytes.NewReader(body)
	var fr frame.Frame
	var b strings.Builder
	for {
		for {
			ok, err := f.Next(&fr)
			if err != nil || !ok {
				break
			}
			var v map[string]any
			if json.Unmarshal(fr.Data, &v) == nil {
				n++
				gather(v, &b)
			}
		}
		k, err := r.Read(f.Buffer())
		f.Fed(k)
		if err == io.EOF {
			return n
		}
	}
}

// gather appends the strings that may be pieces of arguments or text.
func gather(v any, b *strings.Builder) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if s, ok := x.(string); ok {
				switch name {
				case "arguments", "delta", "input", "text", "content", "inputTextDelta":
					b.WriteString(s)
				}
				continue
			}
			gather(x, b)
		}
	case []any:
		for _, x := range v {
			gather(x, b)
		}
	}
}

func (res *results) rest() error {
	for _, p := range provider.All() {
		name := p.Facts().Name
		if isFirst(name) || name == "bedrock-invoke" {
			continue
		}
		for _, s := range []*streams.Story{streams.TwoCalls(), streams.Document(1 << 20)} {
			o, err := measure(p, s, res.rounds)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			res.others = append(res.others, o)
		}
	}
	return nil
}

func isFirst(name string) bool {
	for _, p := range streams.Protocols {
		if p == name {
			return true
		}
	}
	return false
}

var errCalls = errors.New("the calls are not those of the story")

func measure(p wholecall.Protocol, s *streams.Story, rounds int) (other, error) {
	f := p.Facts()
	o := other{protocol: f.Name, story: s.Name}
	body, events, err := written(p, s, 8)
	if err != nil {
		o.skipped = err.Error()
		return o, nil
	}
	o.events = events
	t := wholecall.NewTurn(bytes.NewReader(body), p)
	for {
		if _, err := t.Next(); err != nil {
			break
		}
	}
	done := t.Completed()
	if len(done) != len(s.Calls) {
		return o, fmt.Errorf("%w: %d calls, %v", errCalls, len(done), t.Err())
	}
	for i, c := range done {
		if !bytes.Equal(bytes.TrimSpace(c.Arguments()), s.Calls[i].Document) {
			return o, errCalls
		}
	}
	newFramer, _ := provider.Framing(f.Framing)
	o.allocs = allocations(func() { plain(body, p) }) / float64(events)
	repeat := max(1, 4_000_000/len(body))
	for range rounds {
		ours := timed(func() {
			for range repeat {
				plain(body, p)
			}
		})
		hand := timed(func() {
			for range repeat {
				byHand(newFramer, body)
			}
		})
		per := float64(repeat * events)
		o.ns = append(o.ns, float64(ours.Nanoseconds())/per)
		o.byHand = append(o.byHand, float64(hand.Nanoseconds())/per)
		o.ratio = append(o.ratio, float64(hand)/float64(ours))
	}
	o.grown, err = grown(p)
	if err != nil {
		return o, err
	}
	o.late = lateParts(p, body)
	return o, nil
}

// grown is the time for each byte of a document of 4 MB over that of one of 10 KB.
func grown(p wholecall.Protocol) (float64, error) {
	per := func(size int) (float64, error) {
		body, _, err := written(p, streams.Document(size), 8)
		if err != nil {
			return 0, err
		}
		n := max(1, (4<<20)/size)
		best := 0.0
		for range 3 {
			took := float64(timed(func() {
				for range n {
					plain(body, p)
				}
			}).Nanoseconds()) / float64(n*len(body))
			if best == 0 || took < best {
				best = took
			}
		}
		return best, nil
	}
	small, err := per(10 << 10)
	if err != nil {
		return 0, err
	}
	large, err := per(4 << 20)
	return large / small, err
}

// byteReader hands out a byte at a time, and knows how many it gave.
type byteReader struct {
	body []byte
	n    int
}

func (r *byteReader) Read(p []byte) (int, error) {
	if r.n == len(r.body) {
		return 0, io.EOF
	}
	p[0] = r.body[r.n]
	r.n++
	return 1, nil
}

// lateParts reads byte by byte and counts the parts that came when more was read than the frame that makes
// them: a reader that reads ahead would have them late.
func lateParts(p wholecall.Protocol, body []byte) (late int) {
	if len(body) > 200<<10 {
		return 0
	}
	newFramer, _ := provider.Framing(p.Facts().Framing)
	ends := map[int]bool{len(body): true}
	f := newFramer(0)
	for i := range body {
		f.Buffer()[0] = body[i]
		f.Fed(1)
		var fr frame.Frame
		if ok, _ := f.Next(&fr); ok {
			ends[i+1] = true
		}
	}
	r := &byteReader{body: body}
	t := wholecall.NewTurn(r, p)
	for {
		if _, err := t.Next(); err != nil || r.n == len(body) {
			return late
		}
		if !ends[r.n] {
			late++
		}
	}
}

func (res *results) othersTable(p *page) {
	p.say("## The other protocols\n")
	p.say("*Two calls* and *one 1 MB document*, in fragments of 8 bytes, as the protocol's own encoder writes them,")
	p.say("against a loop that unmarshals each payload into a tree, searches it for text and joins that: it makes no")
	p.say("calls and checks nothing. Where calls come whole, an event is a whole document. *Growth* is the time for")
	p.say("each byte at 4 MB over that at 10 KB; *late* counts parts that came behind their last byte.\n")
	p.table("protocol", "stream", ">ns/event", ">by hand", ">ratio", ">lowest–highest", ">allocations/event", ">growth", ">late")
	for _, o := range res.others {
		if o.skipped != "" {
			p.row(o.protocol, o.story, o.skipped, "", "", "", "", "", "")
			continue
		}
		p.row(o.protocol, o.story, number(median(o.ns)), number(median(o.byHand)), number(median(o.ratio))+"×", span(o.ratio),
			rate(o.allocs), fmt.Sprintf("%.2f", o.grown), fmt.Sprint(o.late))
	}
	p.say("")
	p.say("Bedrock's messages are cut and checked by the AWS SDK's own package, which allocates for each header; both")
	p.say("columns pay for that.\n")
}
