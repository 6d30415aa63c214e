// Package eventstream cuts a stream of messages in AWS' binary framing, application/vnd.amazon.eventstream,
// into frames, and writes such messages.
//
// A message is a prelude (its length, the length of its headers, a checksum of these two), headers, a
// payload, and a checksum of all of it. Both checksums are checked: unlike in any other framing, damage
// shows. The messages themselves are read and written by AWS' own package for them.
//
// What the headers say becomes part of the frame:
//
//	frame.ID     ":message-type": "event", "exception" or "error"; nil where the header is absent
//	frame.Event  ":event-type", ":exception-type" or ":error-code", as the message type has it
//	frame.Data   the payload, which is not nil where it is empty; of an "error" it is ":error-message"
//
// A message that names an exception or an error and has no message type is taken for what it names: a
// failure must not look like an event. All other headers say nothing that a decoder needs, such as
// ":content-type". Of a header that stands there twice, AWS' package keeps the last.
//
// Source: github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27, and how service/bedrockruntime
// v1.63.13 reads what it gives, both read in 2026-12.
package eventstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/wholecall/wholecall/frame"
)

const (
	leastRoom = 2 << 10  // least free space that Buffer returns at first, in bytes
	mostRoom  = 16 << 10 // least free space that it returns to a reader that fills every buffer

	prelude = 12          // bytes of the two lengths and their checksum
	least   = prelude + 4 // bytes of the shortest message
)

// The message types.
const (
	Event     = "event"
	Exception = "exception"
	Failure   = "error"
)

var _ frame.Framer = (*Framer)(nil)

// Framer is a frame.Framer for AWS' binary messages. Make one with New; it serves one stream.
//
// Event, Data and ID of a frame are borrowed: they are valid until the next call of any method. Line is
// always 0.
type Framer struct {
	limit int
	room  int

	// buf[pos:w] is filled and not yet consumed; pos is the start of a message.
	buf    []byte
	pos, w int

	base   int64 // offset in the stream of buf[0]
	number int   // frames handed out
	size   int   // bytes of the message at pos, once its prelude was checked; else 0

	done bool
	err  error

	dec     *eventstream.Decoder
	msg     bytes.Reader
	payload []byte // where the decoder puts payloads
	names   []byte // where Event and ID stand

	poison bool // for tests: overwrite what was lent at the next call
}

// New returns a Framer at the start of a stream.
//
// limit bounds one message, in bytes, with its prelude, headers and checksums. Zero or less means
// frame.DefaultLimit. A message that says that it is longer is refused before its bytes are read. Memory
// stays below five times the limit plus 64 KiB.
func New(limit int) *Framer {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	return &Framer{limit: limit, room: leastRoom, dec: eventstream.NewDecoder()}
}

// Buffer returns at least 2 KiB of free space to read into. Next should have been drained before: bytes
// that Next has not seen are kept, whatever the limit. After an error, or after Close, what is read into
// it is thrown away.
func (f *Framer) Buffer() []byte {
	if f.poison {
		f.spoil()
	}
	switch {
	case f.done:
		f.pos, f.w = 0, 0
	case f.pos == f.w:
		f.drop(f.w)
	}
	if len(f.buf)-f.w < f.room {
		f.makeRoom()
	}
	return f.buf[f.w:]
}

// Fed says that the first n bytes of the last Buffer were filled. It panics where n is more than the
// length of that buffer, or negative.
func (f *Framer) Fed(n int) {
	if n < 0 || n > len(f.buf)-f.w {
		panic("eventstream: Fed with a count outside the buffer")
	}
	if f.poison {
		f.spoil()
	}
	if f.w += n; f.w == len(f.buf) && f.room < mostRoom {
		// The reader has more than fits. A stream that trickles keeps its small buffer.
		f.room = max(2*f.room, leastRoom)
	}
}

// Next stores the next whole message in fr and reports whether there was one; where there was none, fr
// is left alone. The error is an *frame.Error, and it stays: frame.TooLong, or frame.Malformed for a
// checksum that does not hold, for lengths that can't be, and for headers that can't be read.
//
// Where the very first message can't be one, fr.Stray holds the first bytes of the stream beside the
// error, for a caller who wants to know what it is instead.
func (f *Framer) Next(fr *frame.Frame) (bool, error) {
	if f.done {
		return false, f.err
	}
	if f.poison {
		f.spoil()
	}
	rest := f.buf[f.pos:f.w]
	if f.size == 0 {
		if len(rest) < prelude {
			return false, nil
		}
		if err := f.begin(rest); err != nil {
			if f.number == 0 {
				*fr = frame.Frame{Stray: bytes.Clone(rest[:prelude])}
			}
			return false, err
		}
	}
	if len(rest) < f.size {
		return false, nil
	}
	if err := f.read(fr, rest[:f.size]); err != nil {
		return false, f.fail(frame.Malformed, err)
	}
	f.number++
	fr.Number, fr.Offset, fr.Line, fr.Stray = f.number, f.base+int64(f.pos), 0, nil
	f.pos += f.size
	f.size = 0
	return true, nil
}

// begin checks a message's prelude, before a byte more is waited for: a damaged length would have the
// reader wait for ever.
func (f *Framer) begin(b []byte) error {
	total, headers := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	switch {
	case crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]):
		return f.fail(frame.Malformed, errors.New("the checksum of the lengths does not hold"))
	case total < least || headers > total-least:
		return f.fail(frame.Malformed, errors.New("the lengths contradict each other"))
	case uint64(total) > uint64(f.limit):
		return f.fail(frame.TooLong, nil)
	}
	f.size = int(total)
	return nil
}

// read decodes a whole message into fr.
func (f *Framer) read(fr *frame.Frame, message []byte) error {
	f.msg.Reset(message)
	m, err := f.dec.Decode(&f.msg, f.payload)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// The end of the headers, not that of the stream: it must not be taken for one.
		err = errors.New("the headers can't be read")
	}
	if err != nil {
		return err
	}
	if cap(m.Payload) > cap(f.payload) {
		f.payload = m.Payload[:0]
	}
	return f.fill(fr, &m)
}

// fill stores what a message says in fr.
func (f *Framer) fill(fr *frame.Frame, m *eventstream.Message) error {
	kind, err := header(m, ":message-type")
	if err != nil {
		return err
	}
	typ := kind
	if typ == "" {
		typ = implied(m)
	}
	what, data := ":event-type", m.Payload
	switch typ {
	case Exception:
		what = ":exception-type"
	case Failure:
		text, err := header(m, ":error-message")
		if err != nil {
			return err
		}
		what, data = ":error-code", []byte(text)
	}
	name, err := header(m, what)
	if err != nil {
		return err
	}
	if data == nil {
		data = []byte{}
	}
	f.names = append(append(f.names[:0], name...), typ...)
	fr.Event, fr.ID, fr.Data = part(f.names[:len(name)]), part(f.names[len(name):]), data
	return nil
}

// part returns b with nothing behind it to append to, or nil where there is nothing.
func part(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b[:len(b):len(b)]
}

// implied is the type of a message that does not say it: that of the failure that it names, or "".
func implied(m *eventstream.Message) string {
	switch {
	case m.Headers.Get(":exception-type") != nil:
		return Exception
	case m.Headers.Get(":error-code") != nil:
		return Failure
	}
	return ""
}

// header returns the text of a header, or "" where it is absent.
func header(m *eventstream.Message, name string) (string, error) {
	switch v := m.Headers.Get(name).(type) {
	case nil:
		return "", nil
	case eventstream.StringValue:
		return string(v), nil
	}
	return "", errors.New("the header " + name + " is no string")
}

// Close says that the stream has ended; Next must have been drained before. A clean end returns nil and
// zeroes fr. A rest is an *frame.Error of kind frame.Truncated. What there was of the message is not in
// fr: no checksum vouches for it. Only where the stream has no message at all, and its first byte is not
// that of one, fr.Stray holds what it has. Where Next was not drained, the next whole message is
// reported as truncated, since it is lost.
func (f *Framer) Close(fr *frame.Frame) error {
	*fr = frame.Frame{}
	if f.done {
		return f.err
	}
	ok, err := f.Next(fr)
	if err != nil {
		return err
	}
	switch rest := f.buf[f.pos:f.w]; {
	case ok:
		f.number--
		f.fail(frame.Truncated, nil)
		f.err.(*frame.Error).Offset = fr.Offset
		*fr = frame.Frame{}
	case len(rest) > 0:
		f.fail(frame.Truncated, nil)
		fr.Number, fr.Offset = f.number+1, f.base+int64(f.pos)
		if f.number == 0 && rest[0] != 0 {
			fr.Stray = bytes.Clone(rest)
		}
	}
	f.done = true
	return f.err
}

// fail ends the stream with an error about the message at pos.
func (f *Framer) fail(kind frame.Kind, cause error) error {
	f.done = true
	e := &frame.Error{Kind: kind, Number: f.number + 1, Offset: f.base + int64(f.pos), Cause: cause}
	if kind == frame.TooLong {
		e.Limit = f.limit
	}
	f.err = e
	return e
}

// makeRoom moves the unfinished message to the front of the buffer, and doubles the buffer until enough
// of it is free.
func (f *Framer) makeRoom() {
	f.drop(f.pos)
	if len(f.buf)-f.w >= f.room {
		return
	}
	f.buf = frame.GrowBuffer(f.buf, f.w, f.room)
}

// Release gives the buffer back, for another stream: see frame.Releaser.
func (f *Framer) Release() {
	frame.ReleaseBuffer(f.buf)
	f.buf, f.done = nil, true
	f.pos, f.w = 0, 0
}

// drop removes the first n bytes of the buffer.
func (f *Framer) drop(n int) {
	if n == 0 {
		return
	}
	copy(f.buf, f.buf[n:f.w])
	f.base += int64(n)
	f.pos, f.w = f.pos-n, f.w-n
}

// spoil overwrites what was lent, so that a test sees who still holds it.
func (f *Framer) spoil() {
	payload := f.payload[:cap(f.payload)]
	for i := range payload {
		payload[i] = 0xFF
	}
	for i := range f.names {
		f.names[i] = 0xFF
	}
}
