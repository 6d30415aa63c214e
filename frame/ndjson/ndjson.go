// Package ndjson cuts a stream of JSON values, one a line, into frames, as the NDJSON specification 1.0
// (sections 3.1 "Serialization" and 3.2 "Parsing") has it.
//
// Framing does not parse: a line is handed on whatever it holds, so that a line such as [DONE], which
// some servers send last, reaches the decoder. Only a last line without a line end is looked at, since
// there nothing else tells a whole value from a part.
package ndjson

import (
	"bytes"
	"encoding/json"

	"github.com/wholecall/wholecall/frame"
)

const (
	leastRoom = 2 << 10  // least free space that Buffer returns at first, in bytes
	mostRoom  = 16 << 10 // least free space that it returns to a reader that fills every buffer
	bom       = "\xEF\xBB\xBF"
)

var _ frame.Framer = (*Framer)(nil)

// Framer is a frame.Framer for one JSON value a line. Make one with New; it serves one stream.
//
// Data of a frame is borrowed: it is valid until the next call of any method. The other byte fields of
// a frame are always nil.
type Framer struct {
	limit int
	room  int

	// buf[:w] is filled. buf[pos:w] is not yet consumed; pos is the start of a line or behind the blanks
	// there. There is no LF in buf[pos:lf], so no byte is searched twice, however the stream is cut.
	buf        []byte
	pos, lf, w int

	base   int64 // offset in the stream of buf[0]
	line   int   // number of the line at pos, from 1
	number int   // frames handed out

	begun bool // a BOM at the start was dropped, or there is none
	done  bool
	err   error

	poison bool // for tests: overwrite what was lent at the next call
	lent   []byte
}

// New returns a Framer at the start of a stream.
//
// limit bounds one line, in bytes: from its first byte that is no space or tab up to its LF, which is
// not counted. Zero or less means frame.DefaultLimit. Memory stays below three times the limit plus
// 64 KiB.
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
		f.pos, f.lf, f.w = 0, 0, 0
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
		panic("ndjson: Fed with a count outside the buffer")
	}
	if f.poison {
		f.spoil()
	}
	if f.w += n; f.w == len(f.buf) && f.room < mostRoom {
		// The reader has more than fits. A stream that trickles keeps its small buffer.
		f.room = max(2*f.room, leastRoom)
	}
}

// Next stores the next whole line in fr and reports whether there was one; where there was none, fr is
// left alone. A line ends with LF or CRLF. Lines of nothing but spaces and tabs are skipped, though they
// count as lines. Data is the line without its end and without spaces and tabs around it, and Offset is
// the place of its first byte. The error is an *frame.Error of kind frame.TooLong, and it stays.
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
	for {
		end := f.lineEnd()
		if end-f.pos > f.limit {
			return false, f.fail(frame.TooLong, f.limit)
		}
		if end == f.w {
			return false, nil
		}
		data := trim(f.buf[f.pos:end])
		full := len(data) > 0
		if full {
			f.fill(fr, data)
		}
		f.line++
		f.pos, f.lf = end+1, end+1
		if full {
			return true, nil
		}
	}
}

// Close says that the stream has ended; Next must have been drained before. The last line needs no line
// end: where it has none but is a whole JSON value, Close stores it in fr as one last frame and returns
// nil. So where fr.Data is not nil after a nil error, fr is a frame. A number is whole wherever it is
// cut, so a bare number as the last line may be a part of a longer one. A clean end returns nil and
// zeroes fr.
//
// Any other rest is an *frame.Error of kind frame.Truncated, and fr holds the rest, trimmed as a line,
// with the number that the frame would have had. Where Next was not drained, the next whole line is
// reported as truncated, since it is lost.
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
	if ok {
		f.err = &frame.Error{Kind: frame.Truncated, Number: fr.Number, Offset: fr.Offset, Line: fr.Line}
		return f.err
	}
	rest := trim(f.buf[f.pos:f.w])
	if len(rest) == 0 {
		return nil
	}
	if !json.Valid(rest) {
		err = f.fail(frame.Truncated, 0)
	}
	f.fill(fr, rest)
	return err
}

// begin drops a BOM at the start of the stream (RFC 8259, section 8.1, lets a reader ignore it) and
// reports whether it could be told that there is one.
func (f *Framer) begin() bool {
	head := f.buf[f.pos:min(f.w, f.pos+len(bom))]
	if string(head) == bom {
		f.pos += len(bom)
		f.lf = f.pos
	} else if string(head) == bom[:len(head)] {
		return false
	}
	f.begun = true
	return true
}

// lineEnd moves pos over blanks and returns the index of the next LF, or w where there is none yet.
func (f *Framer) lineEnd() int {
	b, pos, lf := f.buf[:f.w], f.pos, f.lf
	for pos < len(b) && isBlank(b[pos]) {
		pos++
	}
	lf = max(lf, pos)
	if lf < len(b) && b[lf] != '\n' {
		if i := bytes.IndexByte(b[lf:], '\n'); i >= 0 {
			lf += i
		} else {
			lf = len(b)
		}
	}
	f.pos, f.lf = pos, lf
	return lf
}

// trim removes the CR of a line end and then the blanks at the end of a line. Those at its start are
// gone already.
func trim(line []byte) []byte {
	n := len(line)
	if n > 0 && line[n-1] == '\r' {
		n--
	}
	for n > 0 && isBlank(line[n-1]) {
		n--
	}
	return line[:n:n]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// fill stores the line at pos in fr.
func (f *Framer) fill(fr *frame.Frame, data []byte) {
	f.number++
	// Field by field: a composite literal would be built aside and copied.
	fr.Number, fr.Offset, fr.Line = f.number, f.base+int64(f.pos), f.line
	fr.Event, fr.Data, fr.ID, fr.Stray = nil, data, nil, nil
	if f.poison {
		f.lent = data
	}
}

// fail ends the stream with an error about the line at pos.
func (f *Framer) fail(kind frame.Kind, limit int) error {
	f.done = true
	f.err = &frame.Error{
		Kind:   kind,
		Number: f.number + 1,
		Offset: f.base + int64(f.pos),
		Line:   f.line,
		Limit:  limit,
	}
	return f.err
}

// makeRoom moves the unfinished line to the front of the buffer, and doubles the buffer until enough of
// it is free.
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
	f.pos, f.lf, f.w, f.lent = 0, 0, 0, nil
}

// drop removes the first n bytes of the buffer.
func (f *Framer) drop(n int) {
	if n == 0 {
		return
	}
	copy(f.buf, f.buf[n:f.w])
	f.base += int64(n)
	f.pos, f.lf, f.w = f.pos-n, f.lf-n, f.w-n
}

// spoil overwrites what was lent, so that a test sees who still holds it.
func (f *Framer) spoil() {
	if len(f.lent) > 0 {
		f.lent[0] = 0xFF
	}
	f.lent = nil
}
