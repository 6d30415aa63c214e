package bedrock

import (
	"encoding/base64"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// invokeDecoder reads one stream: it takes payloads out of their chunks for the inner decoder.
type invokeDecoder struct {
	inner wholecall.Decoder
	chunk chunkReader
	peek  chunkReader // for frames that are only looked at
}

// Decode implements wholecall.Decoder.
func (d *invokeDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	r := &d.chunk
	if failed(f) {
		return append(events, failure(&r.cur, f)), nil
	}
	what, err := r.read(f)
	if err != nil {
		return events, err
	}
	if len(f.Event) > 0 && len(f.ID) == 0 {
		events = append(events, deviate(missingMessageType))
	}
	switch what {
	case exceptionEvent:
		return append(events, exception(&r.cur, r.name, r.payload)), nil
	case chunkEvent:
		return d.inner.Decode(&r.frame, events)
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: r.name}), nil
}

// End implements wholecall.Decoder.
func (d *invokeDecoder) End(events []wholecall.Event) []wholecall.Event { return d.inner.End(events) }

// Begins implements wholecall.Decoder.
func (d *invokeDecoder) Begins(f *frame.Frame) bool {
	if failed(f) {
		return false
	}
	what, err := d.peek.read(f)
	return err == nil && what == chunkEvent && d.inner.Begins(&d.peek.frame)
}

// chunkReader takes the payload out of a chunk.
type chunkReader struct {
	cur     strictjson.Cursor
	name    []byte // of the event
	payload []byte // of an event that is no chunk
	text    text   // the bytes of a chunk, in base64
	found   bool
	plain   []byte // the same without escapes, where it has any
	buf     []byte // the same decoded
	frame   frame.Frame
}

// eventClass says what an event is.
type eventClass uint8

const (
	otherEvent eventClass = iota
	chunkEvent
	exceptionEvent
)

// read reads a frame that is no failure. In the binary framing the event's name is a header of the
// message; elsewhere it is the payload's one member, or left out: {"bytes":…} can be a chunk only.
func (r *chunkReader) read(f *frame.Frame) (eventClass, error) {
	var err error
	r.found = false
	bare := len(f.Event) == 0 && len(f.ID) == 0
	if bare {
		if err = r.parse(f.Data); r.found {
			return r.decode(f, err)
		}
	}
	if r.name, r.payload, err = named(&r.cur, f); err != nil {
		return otherEvent, err
	}
	switch {
	case string(r.name) == "chunk":
	case bare && isException(r.name):
		return exceptionEvent, nil
	default:
		return otherEvent, nil
	}
	if err = r.parse(r.payload); err == nil && !r.found {
		return otherEvent, malformed(nil, "a chunk without bytes")
	}
	return r.decode(f, err)
}

// parse looks for the bytes of a chunk. Beside another chunk they are ambiguous.
func (r *chunkReader) parse(data []byte) error {
	c := &r.cur
	r.found = false
	nested := false
	c.Reset(data)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok {
			break
		}
		nested = nested || string(name) == "chunk"
		if string(name) != "bytes" {
			c.Skip()
			continue
		}
		if r.found {
			c.Refuse(strictjson.Duplicate)
		}
		r.found = true
		r.text.raw, r.text.escaped, _ = c.String()
	}
	if r.found && nested {
		c.Refuse(strictjson.Duplicate)
	}
	if c.Err() == nil {
		c.End()
	}
	return c.Err()
}

// strict64 is the alphabet of chunks, without bits that say nothing.
var strict64 = base64.StdEncoding.Strict()

// decode makes the inner frame, where parse found no fault.
func (r *chunkReader) decode(f *frame.Frame, fault error) (eventClass, error) {
	if fault != nil {
		return otherEvent, malformed(fault, "the payload is not the JSON of one chunk: %v", fault)
	}
	raw := r.text.raw
	if r.text.escaped {
		r.plain, _, _ = strictjson.AppendUnescaped(r.plain[:0], raw, 0)
		raw = r.plain
	}
	buf, err := strict64.AppendDecode(r.buf[:0], raw)
	if err != nil {
		return otherEvent, malformed(err, "the bytes of a chunk are not base64")
	}
	r.buf = buf
	r.frame = frame.Frame{Number: f.Number, Offset: f.Offset, Line: f.Line, Data: buf}
	return chunkEvent, nil
}
