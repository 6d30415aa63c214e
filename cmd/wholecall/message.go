package main

import (
	"encoding/json"
	"io"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
)

// binary reports whether a framing has no lines to show.
func binary(framing string) bool { return framing == "eventstream" }

// messageAt returns the message that begins at w, with those before and behind it, as lines that are
// numbered as frames: the name of each and its payload. The framing's own bytes are for no eye. Where the
// stream ends before the message is whole there are only those before it.
func messageAt(in *input, newFramer func(int) frame.Framer, w wholecall.Where) (*excerpt, error) {
	const around = 2
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	e := &excerpt{}
	fr := newFramer(0)
	var f frame.Frame
	for w.Frame > 0 {
		ok, err := fr.Next(&f)
		switch {
		case err != nil:
			e.lines = append(e.lines, numbered{w.Frame, []byte("(a message that can't be read)")})
			return e.endAt(w.Frame), nil
		case ok && f.Number >= w.Frame-around:
			text, lead := messageText(&f)
			if f.Number == w.Frame {
				e.lead = lead
			}
			e.lines = append(e.lines, numbered{f.Number, text})
		}
		if ok {
			if f.Number == w.Frame+around {
				return e.endAt(w.Frame), nil
			}
			continue
		}
		n, err := r.Read(fr.Buffer())
		fr.Fed(n)
		if err == io.EOF && n == 0 {
			return e.endAt(w.Frame), nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	return e, nil
}

// endAt says which line is the frame with the number: the last one, where it is not among them.
func (e *excerpt) endAt(number int) *excerpt {
	e.first = max(0, len(e.lines)-1)
	for i, l := range e.lines {
		if l.number == number {
			e.first = i
		}
	}
	e.last = e.first
	return e
}

// messageText writes down a message, and returns how many bytes of that stand before its data. Of a chunk
// it shows what is inside.
func messageText(f *frame.Frame) (text []byte, lead int) {
	text = append(append(text, f.Event...), ' ')
	lead = len(text)
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	if json.Unmarshal(f.Data, &chunk) == nil && len(chunk.Bytes) > 0 {
		return append(text, chunk.Bytes...), lead
	}
	return append(text, f.Data...), lead
}
