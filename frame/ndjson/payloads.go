package ndjson

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// Payloads returns a reader of NDJSON: each payload that next returns is a line. It is for JSON that somebody
// else has taken out of its framing already, such as a vendor's SDK. It asks for a payload only when the one
// before it was read, and hands on the error that next ends with; io.EOF is a good end.
//
// A payload is used up before next is called again.
func Payloads(next func() ([]byte, error)) io.Reader { return &payloads{next: next} }

// PayloadStream is Payloads with a way to end the stream while next waits. close must be safe to call then,
// and make next return. An end that comes of it is no good end, also where next calls it io.EOF.
func PayloadStream(next func() ([]byte, error), close func() error) io.ReadCloser {
	return &payloads{next: next, close: close}
}

type payloads struct {
	next   func() ([]byte, error)
	close  func() error
	line   []byte
	err    error
	closed atomic.Bool
}

var errClosed = errors.New("the stream was closed")

func (p *payloads) Close() error {
	p.closed.Store(true)
	return p.close()
}

func (p *payloads) Read(b []byte) (int, error) {
	for len(p.line) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		var payload []byte
		payload, p.err = p.next()
		if p.err == io.EOF && p.closed.Load() {
			p.err = errClosed
		}
		if p.err == nil {
			// A line end can stand between two tokens only, where a space does as well.
			p.line = append(bytes.ReplaceAll(bytes.ReplaceAll(payload, []byte{'\n'}, []byte{' '}), []byte{'\r'}, []byte{' '}), '\n')
		}
	}
	n := copy(b, p.line)
	p.line = p.line[n:]
	return n, nil
}
