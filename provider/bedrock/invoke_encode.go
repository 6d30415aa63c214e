package bedrock

import (
	"encoding/base64"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// invokeEncoder writes one stream: it takes the payloads of the inner encoder out of their framing, and
// puts each into a chunk.
type invokeEncoder struct {
	inner  wholecall.Encoder
	framer frame.Framer
	binary bool   // the inner framing is the event stream too
	bytes  []byte // what the inner encoder wrote
	body   []byte
}

// Append implements wholecall.Encoder. A failure that has the name of an exception, or none, is the
// service's own.
func (e *invokeEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Failure && (len(ev.Name) == 0 || isException(ev.Name)) {
		return appendFailure(dst, ev)
	}
	var err error
	if e.bytes, err = e.inner.Append(e.bytes[:0], ev); err != nil {
		return dst, err
	}
	var f frame.Frame
	for rest := e.bytes; len(rest) > 0; {
		n := copy(e.framer.Buffer(), rest)
		e.framer.Fed(n)
		rest = rest[n:]
		for {
			ok, err := e.framer.Next(&f)
			if err != nil {
				return dst, err
			}
			if !ok {
				break
			}
			if dst, err = e.chunk(dst, &f); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// chunk wraps one payload. A sentinel such as [DONE] is of the inner framing, and is left out: here the
// end of the body stands for it.
func (e *invokeEncoder) chunk(dst []byte, f *frame.Frame) ([]byte, error) {
	if len(f.Data) == 0 || f.Data[0] != '{' {
		return dst, nil
	}
	data := f.Data
	if e.binary {
		if failed(f) {
			return eventstream.Append(dst, f)
		}
		// The name of the event is a header of its message, and stands around its payload in a chunk.
		data = strictjson.AppendQuoted([]byte{'{'}, f.Event)
		data = append(append(append(data, ':'), f.Data...), '}')
	}
	b := base64.StdEncoding.AppendEncode(append(e.body[:0], `{"bytes":"`...), data)
	e.body = append(b, `"}`...)
	return appendEvent(dst, "chunk", e.body)
}
