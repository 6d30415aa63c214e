// Package jsonarray cuts one JSON array that is sent piecemeal into frames: each element is one. A server
// that streams without a framing of its own sends its messages so, [{…},{…}], as an HTTP response that is
// one JSON document (RFC 8259, section 5).
//
// Framing does not parse: it finds where an element ends by its brackets and quotes, and hands on
// whatever stands between. The array itself is checked: a comma where an element should be, or anything
// behind the closing bracket, is an error.
package jsonarray

import (
	"errors"

	"github.com/wholecall/wholecall/frame"
)

const (
	leastRoom = 2 << 10  // least free space that Buffer returns at first, in bytes
	mostRoom  = 16 << 10 // least free space that it returns to a reader that fills every buffer
	bom       = "\xEF\xBB\xBF"
)

var (
	errNoArray = errors.New("it does not begin with the bracket of a JSON array")
	errElement = errors.New("no element where one must stand")
	errComma   = errors.New("neither a comma nor the closing bracket behind an element")
	errBehind  = errors.New("something stands behind the closing bracket of the array")
)

// state is what may come next.
type state uint8

const (
	atStart   state = iota // the bracket of the array
	atFirst                // an element, or the closing bracket
	atElement              // an element
	inNested               // more of an element that is an object, an array or a string
	inScalar               // more of an element that is none of those
	behind                 // a comma, or the closing bracket
	atEnd                  // nothing but white space
)

var _ frame.Framer = (*Framer)(nil)

// Framer is a frame.Framer for the elements of one JSON array. Make one with New; it serves one stream.
//
// Data of a frame is borrowed: it is valid until the next call of any method. The other byte fields of
// a frame are always nil.
type Framer struct {
	limit int
	room  int

	// buf[:w] is filled. buf[pos:scan] is the beginning of an element that was looked at, so that no byte
	// is looked at twice, however the stream is cut.
	buf          []byte
	pos, scan, w int

	state  state
	depth  int  // open brackets of the element
	quoted bool // inside a string of the element
	escape bool // behind a backslash in it

	base   int64 // offset in the stream of buf[0]
	line   int   // number of the line at scan, from 1
	first  int   // number of the line at pos
	number int   // frames handed out

	begun bool // a BOM at the start was dropped, or there is none
	done  bool
	err   error

	poison bool // for tests: overwrite what was lent at the next call
	lent   []byte
}

// New returns a Framer at the start of a stream.
//
// limit bounds one element, in bytes. Zero or less means frame.DefaultLimit. Memory stays below three
// times the limit plus 64 KiB.
func New(limit int) *Framer {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	return &Framer{limit: limit, room: leastRoom, line: 1}
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
		f.pos, f.scan, f.w = 0, 0, 0
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
		panic("jsonarray: Fed with a count outside the buffer")
	}
	if f.poison {
		f.spoil()
	}
	if f.w += n; f.w == len(f.buf) && f.room < mostRoom {
		// The reader has more than fits. A stream that trickles keeps its small buffer.
		f.room = max(2*f.room, leastRoom)
	}
}

// Next stores the next whole element in fr and reports whether there was one; where there was none, fr
// is left alone. Data is the element without the white space around it, Offset and Line are the place of
// its first byte. The error is a *frame.Error of kind frame.TooLong or frame.Malformed, and it stays.
func (f *Framer) Next(fr *frame.Frame) (bool, error) {
	if f.done {
		return false, f.err
	}
	if f.poison {
		f.spoil()
	}
	if !f.begun && !f.begin() {
		return false, nil
	}
	for f.scan < f.w {
		if f.state != inNested && f.state != inScalar {
			if err := f.between(); err != nil {
				return false, f.fail(frame.Malformed, f.scan, err)
			}
			continue
		}
		end := f.elementEnd()
		if f.scan-f.pos > f.limit {
			return false, f.fail(frame.TooLong, f.pos, nil)
		}
		if end {
			f.fill(fr, f.buf[f.pos:f.scan:f.scan])
			f.pos, f.state = f.scan, behind
			return true, nil
		}
	}
	return false, nil
}

// Close says that the stream has ended; Next must have been drained before. An array without its closing
// bracket is an *frame.Error of kind frame.Truncated, also where its last element is whole, since nothing
// else says that there is no further one. fr then holds what there was of an element that the end cut,
// with the number that it would have had; between two elements its Data is nil. A clean end, and a stream
// of nothing but white space, return nil and zero fr.
func (f *Framer) Close(fr *frame.Frame) error {
	*fr = frame.Frame{}
	if f.done {
		return f.err
	}
	f.begun = true
	ok, err := f.Next(fr)
	if err != nil {
		return err
	}
	f.done = true
	switch {
	case ok:
		f.err = &frame.Error{Kind: frame.Truncated, Number: fr.Number, Offset: fr.Offset, Line: fr.Line}
	case f.state == inNested, f.state == inScalar:
		err = f.fail(frame.Truncated, f.pos, nil)
		f.fill(fr, f.buf[f.pos:f.w:f.w])
		return err
	case f.state != atStart && f.state != atEnd:
		f.pos, f.first = f.w, f.line
		err = f.fail(frame.Truncated, f.pos, nil)
		f.fill(fr, nil)
		return err
	}
	return f.err
}

// begin drops a BOM at the start of the stream (RFC 8259, section 8.1, lets a reader ignore it) and
// reports whether it could be told that there is one.
func (f *Framer) begin() bool {
	head := f.buf[:min(f.w, len(bom))]
	if string(head) == bom {
		f.pos, f.scan = len(bom), len(bom)
	} else if string(head) == bom[:len(head)] {
		return false
	}
	f.begun = true
	return true
}

// between passes one byte outside of an element, or begins an element at it.
func (f *Framer) between() error {
	c := f.buf[f.scan]
	switch {
	case c == '\n':
		f.line++
	case isSpace(c):
	case f.state == atStart:
		if c != '[' {
			return errNoArray
		}
		f.state = atFirst
	case f.state == atEnd:
		return errBehind
	case c == ']' && f.state != atElement:
		f.state = atEnd
	case f.state == behind:
		if c != ',' {
			return errComma
		}
		f.state = atElement
	case c == ',', c == ']', c == '}', c == ':':
		return errElement
	default:
		f.first = f.line
		f.state, f.depth, f.quoted, f.escape = inScalar, 0, false, false
		if c == '{' || c == '[' || c == '"' {
			f.state = inNested
		}
		return nil
	}
	f.scan++
	f.pos = f.scan
	return nil
}

// elementEnd moves scan behind the element, or to the end of what is there, and reports whether the
// element has ended.
func (f *Framer) elementEnd() bool {
	if f.state == inScalar {
		for ; f.scan < f.w; f.scan++ {
			if c := f.buf[f.scan]; isSpace(c) || c == ',' || c == ']' {
				return true
			}
		}
		return false
	}
	for f.scan < f.w {
		c := f.buf[f.scan]
		f.scan++
		if f.quoted {
			f.inString(c)
		} else {
			f.outside(c)
		}
		if f.depth == 0 && !f.quoted {
			return true
		}
	}
	return false
}

// inString takes note of a byte of a string.
func (f *Framer) inString(c byte) {
	switch {
	case c == '\n':
		f.line++
		f.escape = false
	case f.escape:
		f.escape = false
	case c == '\\':
		f.escape = true
	case c == '"':
		f.quoted = false
	}
}

// outside takes note of a byte of an element that is in no string.
func (f *Framer) outside(c byte) {
	switch c {
	case '"':
		f.quoted = true
	case '{', '[':
		f.depth++
	case '}', ']':
		f.depth--
	case '\n':
		f.line++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// fill stores the element at pos in fr.
func (f *Framer) fill(fr *frame.Frame, data []byte) {
	f.number++
	// Field by field: a composite literal would be built aside and copied.
	fr.Number, fr.Offset, fr.Line = f.number, f.base+int64(f.pos), f.first
	fr.Event, fr.Data, fr.ID, fr.Stray = nil, data, nil, nil
	if f.poison {
		f.lent = data
	}
}

// fail ends the stream with an error about the byte at an index.
func (f *Framer) fail(kind frame.Kind, at int, cause error) error {
	f.done = true
	e := &frame.Error{Kind: kind, Number: f.number + 1, Offset: f.base + int64(at), Line: f.first, Cause: cause}
	switch kind {
	case frame.Malformed:
		e.Line = f.line
	case frame.TooLong:
		e.Limit = f.limit
	}
	f.err = e
	return e
}

// makeRoom moves the unfinished element to the front of the buffer, and doubles the buffer until enough
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
	f.pos, f.scan, f.w, f.lent = 0, 0, 0, nil
}

// drop removes the first n bytes of the buffer.
func (f *Framer) drop(n int) {
	if n == 0 {
		return
	}
	copy(f.buf, f.buf[n:f.w])
	f.base += int64(n)
	f.pos, f.scan, f.w = f.pos-n, f.scan-n, f.w-n
}

// spoil overwrites what was lent, so that a test sees who still holds it.
func (f *Framer) spoil() {
	if len(f.lent) > 0 {
		f.lent[0] = 0xFF
	}
	f.lent = nil
}
