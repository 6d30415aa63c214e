package main

import (
	"bytes"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// marks is what the event that makes a piece of text, or a whole call, has in it.
var marks = map[string]struct{ text, call string }{
	"anthropic":        {`"text_delta"`, `"content_block_stop"`},
	"openai-chat":      {`"delta":{"content":`, `"finish_reason":"tool_calls"`},
	"openai-responses": {`"response.output_text.delta"`, `"response.output_item.done"`},
}

// latency is the result of reading byte by byte.
type latency struct {
	protocol     string
	texts, calls int
	late         []string
}

// oneByOne hands out a byte at a time and knows how many it gave.
type oneByOne struct {
	body []byte
	n    int
}

func (r *oneByOne) Read(p []byte) (int, error) {
	if r.n == len(r.body) {
		panic("nothing may be read behind the last event's part")
	}
	p[0] = r.body[r.n]
	r.n++
	return 1, nil
}

// lag checks that a part is out as soon as the last byte of its event is in.
func (res *results) lag() error {
	for _, protocol := range streams.Protocols {
		l, err := byteByByte(streams.TwoCalls(), protocol)
		if err != nil {
			return err
		}
		res.latency = append(res.latency, l)
	}
	return nil
}

func byteByByte(s *streams.Story, protocol string) (latency, error) {
	body, _ := s.Body(protocol)
	texts, calls := ends(body, protocol)
	l := latency{protocol: protocol}
	r := &oneByOne{body: body}
	turn := wholecall.NewTurn(r, peers.Protocol(protocol))
	for l.calls < len(s.Calls) {
		part, err := turn.Next()
		if err != nil {
			return l, err
		}
		switch p := part.(type) {
		case *wholecall.Text:
			if len(p.Delta) == 0 {
				continue
			}
			l.check("piece of text", l.texts, r.n, texts[l.texts])
			l.texts++
		case wholecall.Call:
			l.check("call", l.calls, r.n, calls[min(l.calls, len(calls)-1)])
			l.calls++
		}
	}
	return l, nil
}

func (l *latency) check(what string, n, read, end int) {
	if read != end {
		l.late = append(l.late, fmt.Sprintf("%s %d was out %d bytes behind its event", what, n, read-end))
	}
}

// ends finds where the events end that make text, and those that make a call whole.
func ends(body []byte, protocol string) (texts, calls []int) {
	at := 0
	text := true // the first block to stop is the text's
	for frame := range bytes.SplitAfterSeq(body, []byte("\n\n")) {
		at += len(frame)
		switch {
		case bytes.Contains(frame, []byte(marks[protocol].text)) && !bytes.Contains(frame, []byte(`"content":""`)):
			texts = append(texts, at)
		case bytes.Contains(frame, []byte(marks[protocol].call)):
			if protocol != "openai-chat" && text {
				text = false
				continue
			}
			calls = append(calls, at)
		}
	}
	return texts, calls
}
