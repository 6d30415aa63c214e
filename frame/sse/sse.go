// Package sse cuts a stream of server-sent events into frames, to the letter of the WHATWG HTML
// standard, sections 9.2.5 "Parsing an event stream" and 9.2.6 "Interpreting an event stream".
//
// It differs from the standard only where the standard would hide something:
//
//   - Bytes are handed on raw. The standard decodes the stream as UTF-8 and puts U+FFFD in place of
//     what is not UTF-8. In the arguments of a tool call that would be silent damage, so whoever reads
//     Data has to check it.
//   - A line that is no field of the standard is ignored there. Here it is kept in Frame.Stray.
//   - An event that the end of the stream cuts off is discarded there. Here it is an error of kind
//     frame.Truncated, with what there was of the event.
//   - The default event name "message" is not filled in.
//   - The length of an event is bounded.
package sse

import (
	"bytes"
	"math"

	"github.com/wholecall/wholecall/frame"
)

const (
	leastRoom = 2 << 10  // least free space that Buffer returns at first, in bytes
	mostRoom  = 16 << 10 // least free space that it returns to a reader that fills every buffer
	bom       = "\xEF\xBB\xBF"
)

var _ frame.Framer = (*Framer)(nil)

// Framer is a frame.Framer for server-sent events. Make one with New; it serves one stream.
//
// Event, Data, ID and Stray of a frame are borrowed: they are valid until the next call of Buffer, Fed,
// Next or Close.
type Framer struct {
	limit int
	room  int

	// buf[:w] is filled. buf[pos:w] is not yet consumed, and pos is the start of a line. There is no LF
	// in buf[pos:lf] and no CR in buf[pos:cr], so no byte is searched twice, however the stream is cut.
	buf            []byte
	pos, lf, cr, w int

	base     int64 // offset in the stream of buf[0]
	line     int   // number of the line at pos, from 1
	number   int   // frames handed out
	comments int
	retry    int // in milliseconds; -1 while there was none

	ev     block
	joined []byte // data lines of ev joined by LF, where there are two or more
	stray  []byte // stray lines of ev joined by LF
	id     []byte // the standard's last event ID buffer

	undecided bool // what to do with the bytes at pos depends on begun, afterCR
	begun     bool // a BOM at the start was dropped, or there is none
	afterCR   bool // an LF at pos is the second half of a line end
	done      bool
	err       error

	poison bool // for tests: overwrite what was lent at the next call
	lent   frame.Frame
}

// span is a part of Framer.buf.
type span struct{ from, to int }

// block is the event that is being read: all since the last blank line.
type block struct {
	start  int // index in Framer.buf of the first line that is not a comment
	line   int // its number
	name   span
	data   span // the only data line
	lines  int  // data lines
	strays int  // stray lines
	open   bool // there is a line that is not a comment
	named  bool // there is an event line
}

// New returns a Framer at the start of a stream.
//
// limit bounds one event, in bytes: from the first byte of its first line that is not a comment up to
// its closing blank line, which is not counted. Zero or less means frame.DefaultLimit. Comments outside
// an event are not held and may be of any length. Memory stays below ten times the limit plus 64 KiB.
func New(limit int) *Framer {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	return &Framer{limit: limit, room: leastRoom, line: 1, retry: -1, undecided: true}
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
		f.ev = block{}
		f.pos, f.lf, f.cr, f.w = 0, 0, 0, 0
	case f.pos == f.w && !f.ev.open:
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
		panic("sse: Fed with a count outside the buffer")
	}
	if f.poison {
		f.spoil()
	}
	if f.w += n; f.w == len(f.buf) && f.room < mostRoom {
		// The reader has more than fits. A stream that trickles keeps its small buffer.
		f.room = max(2*f.room, leastRoom)
	}
}

// Next stores the next whole event in fr and reports whether there was one; where there was none, fr is
// left alone. The event is handed out with the first byte of its blank line's end, so a CR suffices even
// where an LF may follow. The error is an *frame.Error of kind frame.TooLong, and it stays.
//
// A block without a data line is no event (section 9.2.6), but one with stray lines is handed out with
// nil Data. A data line without a value makes Data empty and not nil. Event is nil where the block has
// no event line.
func (f *Framer) Next(fr *frame.Frame) (bool, error) {
	if f.done {
		return false, f.err
	}
	if f.poison {
		f.spoil()
	}
	if f.undecided && !f.decide() {
		return false, nil
	}
	if f.cr == f.w && !f.ev.open && f.typical(fr) {
		return true, nil
	}
	for {
		end := f.lineEnd()
		if end == f.w {
			return false, f.checkRest()
		}
		if end > f.pos {
			f.take(end)
			f.step(end)
			continue
		}
		if f.ev.open && f.pos-f.ev.start > f.limit {
			return false, f.fail(frame.TooLong, f.limit)
		}
		ready := f.ev.lines+f.ev.strays > 0
		if ready {
			f.number++
			f.fill(fr, f.number)
		}
		f.ev = block{}
		f.step(end)
		if ready {
			return true, nil
		}
	}
}

// Close says that the stream has ended; Next must have been drained before. Where the stream ends at a
// blank line, or in or after comments behind one, it returns nil and zeroes fr.
//
// Any other line since the last blank line means that an event was cut off, and be it only its closing
// blank line. The error then is an *frame.Error of kind frame.Truncated, and fr holds what there was,
// with the number that the event would have had. A last line without a line end is taken as if it had
// one, except that an id or retry line is not: a part of either would be a wrong value.
//
// Where Next was not drained, the next whole event is reported as truncated, since it is lost.
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
	f.takeRest()
	if !f.ev.open {
		return nil
	}
	f.fill(fr, f.number+1)
	return f.fail(frame.Truncated, 0)
}

// Retry returns the reconnection time that the stream set last, in milliseconds, and whether it set one
// (section 9.2.6, field "retry"). A value beyond the range of int is given as math.MaxInt, so a caller
// has to bound it before computing with it.
func (f *Framer) Retry() (ms int, ok bool) {
	if f.retry < 0 {
		return 0, false
	}
	return f.retry, true
}

// Comments returns how many comment lines have been read. They carry nothing but show that the other
// side is alive.
func (f *Framer) Comments() int { return f.comments }

// decide settles what the bytes at pos are where that could not be told before, and reports whether it
// could be told now.
func (f *Framer) decide() bool {
	if f.afterCR && f.pos < f.w {
		if f.buf[f.pos] == '\n' {
			f.pos++
			f.lf, f.cr = max(f.lf, f.pos), max(f.cr, f.pos)
		}
		f.afterCR = false
	}
	if !f.begun {
		head := f.buf[f.pos:min(f.w, f.pos+len(bom))]
		if string(head) == bom {
			f.pos += len(bom)
			f.lf, f.cr = f.pos, f.pos
		} else if string(head) == bom[:len(head)] {
			return false
		}
		f.begun = true
	}
	f.undecided = f.afterCR
	return true
}

// typical reads what nearly every event is: at most one event line, one data line and the blank line, all
// ended by LF, where no CR is at hand. It is Next without the state between lines, which takes a fifth
// off the whole cost, and it consumes nothing where it meets anything else.
func (f *Framer) typical(fr *frame.Frame) bool {
	b := f.buf[f.pos:f.w]
	var name []byte
	from, end := 0, indexLF(b, f.lf-f.pos)
	if end < 0 {
		return false
	}
	f.lf = f.pos + end
	lines := 2
	if end >= 6 && string(b[:6]) == "event:" {
		name = value(b[6:end])
		from = end + 1
		end = indexLF(b, from)
		lines = 3
	}
	if end-from < 5 || string(b[from:from+5]) != "data:" {
		return false
	}
	next := end + 2
	if next > len(b) || b[end+1] != '\n' || end+1 > f.limit {
		return false
	}
	f.number++
	// Field by field: a composite literal would be built aside and copied, at a tenth of the whole cost.
	fr.Number, fr.Offset, fr.Line = f.number, f.base+int64(f.pos), f.line
	fr.Event, fr.Data, fr.ID, fr.Stray = name, value(b[from+5:end]), f.id[:len(f.id):len(f.id)], nil
	if f.poison {
		f.lent = *fr
	}
	f.line += lines
	f.pos += next
	f.lf = f.pos
	return true
}

// indexLF returns the index of the first LF in b at or behind from, or -1.
func indexLF(b []byte, from int) int {
	if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
		return from + i
	}
	return -1
}

// value returns b without the one space that may stand before a value.
func value(b []byte) []byte {
	if len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	return b[:len(b):len(b)]
}

// lineEnd returns the index of the next line end, or w where there is none yet. Most streams have no CR:
// then that search runs once over all that was read, and not once a line.
func (f *Framer) lineEnd() int {
	end := f.lf
	if end < f.w && f.buf[end] != '\n' {
		if i := bytes.IndexByte(f.buf[end:f.w], '\n'); i >= 0 {
			end += i
		} else {
			end = f.w
		}
		f.lf = end
	}
	if f.cr < f.w {
		return min(end, f.nextCR())
	}
	return end
}

// nextCR returns the index of the next CR, or w where there is none yet.
func (f *Framer) nextCR() int {
	if f.buf[f.cr] != '\r' {
		if i := bytes.IndexByte(f.buf[f.cr:f.w], '\r'); i >= 0 {
			f.cr += i
		} else {
			f.cr = f.w
		}
	}
	return f.cr
}

// step goes on to the line after the line end at end.
func (f *Framer) step(end int) {
	f.line++
	if end == f.lf {
		f.pos, f.lf, f.cr = end+1, end+1, max(f.cr, end+1)
		return
	}
	f.stepCR(end + 1)
}

// stepCR goes on to the line after a CR. next is the index behind it.
func (f *Framer) stepCR(next int) {
	if next == f.w {
		f.afterCR, f.undecided = true, true
	} else if f.buf[next] == '\n' {
		next++
	}
	f.pos, f.lf, f.cr = next, max(f.lf, next), next
}

// checkRest checks the bound where the block at hand is not whole.
func (f *Framer) checkRest() error {
	if !f.ev.open {
		if f.pos == f.w || f.buf[f.pos] == ':' {
			return nil
		}
		if f.w-f.pos > f.limit {
			f.open()
			return f.fail(frame.TooLong, f.limit)
		}
		return nil
	}
	if f.w-f.ev.start > f.limit {
		return f.fail(frame.TooLong, f.limit)
	}
	return nil
}

// open starts a block at the line at pos.
func (f *Framer) open() {
	f.ev.open, f.ev.start, f.ev.line = true, f.pos, f.line
}

// take reads the line from pos to end, which is not empty. The two fields that nearly every line is are
// told first and without a search.
func (f *Framer) take(end int) {
	line := f.buf[f.pos:end]
	if line[0] == ':' {
		f.comments++
		return
	}
	if !f.ev.open {
		f.open()
	}
	if len(line) >= 5 && string(line[:5]) == "data:" {
		f.addData(f.value(f.pos+5, end))
		return
	}
	if len(line) >= 6 && string(line[:6]) == "event:" {
		f.ev.name, f.ev.named = f.value(f.pos+6, end), true
		return
	}
	f.field(line, end)
}

// takeRest reads the last line where it has no line end.
func (f *Framer) takeRest() {
	if f.pos == f.w || f.buf[f.pos] == ':' {
		return
	}
	name, _, _ := bytes.Cut(f.buf[f.pos:f.w], []byte{':'})
	if string(name) != "id" && string(name) != "retry" {
		f.take(f.w)
	} else if !f.ev.open {
		f.open()
	}
}

// field reads any field (section 9.2.6, "process the field").
func (f *Framer) field(line []byte, end int) {
	colon := bytes.IndexByte(line, ':')
	v := span{end, end}
	if colon < 0 {
		colon = len(line)
	} else {
		v = f.value(f.pos+colon+1, end)
	}
	switch string(line[:colon]) {
	case "data":
		f.addData(v)
	case "event":
		f.ev.name, f.ev.named = v, true
	case "id":
		if value := f.buf[v.from:v.to]; bytes.IndexByte(value, 0) < 0 {
			f.id = append(f.id[:0], value...)
		}
	case "retry":
		f.setRetry(f.buf[v.from:v.to])
	default:
		f.addStray(line)
	}
}

// value returns the value that begins at from, without the one space that may stand before it.
func (f *Framer) value(from, end int) span {
	if from < end && f.buf[from] == ' ' {
		from++
	}
	return span{from, end}
}

// addData adds a data line. One alone stays where it is; only from the second on are they copied.
func (f *Framer) addData(v span) {
	f.ev.lines++
	if f.ev.lines == 1 {
		f.ev.data = v
		return
	}
	if f.ev.lines == 2 {
		f.joined = append(f.joined[:0], f.buf[f.ev.data.from:f.ev.data.to]...)
	}
	f.joined = append(f.joined, '\n')
	f.joined = append(f.joined, f.buf[v.from:v.to]...)
}

// addStray adds a line that is no field of the standard.
func (f *Framer) addStray(line []byte) {
	if f.ev.strays == 0 {
		f.stray = f.stray[:0]
	} else {
		f.stray = append(f.stray, '\n')
	}
	f.stray = append(f.stray, line...)
	f.ev.strays++
}

// setRetry takes a value of digits only and ignores any other, also the empty one: it is no number.
func (f *Framer) setRetry(digits []byte) {
	if len(digits) == 0 {
		return
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return
		}
		if d := int(c - '0'); n > (math.MaxInt-d)/10 {
			n = math.MaxInt
		} else {
			n = n*10 + d
		}
	}
	f.retry = n
}

// fill stores the block at hand in fr. The capacities end with the lengths, so that appending to a
// field cannot write into bytes that are still to be read.
func (f *Framer) fill(fr *frame.Frame, number int) {
	ev := &f.ev
	fr.Number, fr.Offset, fr.Line = number, f.base+int64(ev.start), ev.line
	fr.Event, fr.Data, fr.ID, fr.Stray = nil, nil, f.id[:len(f.id):len(f.id)], nil
	if ev.named {
		fr.Event = f.buf[ev.name.from:ev.name.to:ev.name.to]
	}
	if ev.lines == 1 {
		fr.Data = f.buf[ev.data.from:ev.data.to:ev.data.to]
	} else if ev.lines > 1 {
		fr.Data = f.joined[:len(f.joined):len(f.joined)]
	}
	if ev.strays > 0 {
		fr.Stray = f.stray[:len(f.stray):len(f.stray)]
	}
	if f.poison {
		f.lent = *fr
	}
}

// fail ends the stream with an error about the block at hand.
func (f *Framer) fail(kind frame.Kind, limit int) error {
	f.done = true
	f.err = &frame.Error{
		Kind:   kind,
		Number: f.number + 1,
		Offset: f.base + int64(f.ev.start),
		Line:   f.ev.line,
		Limit:  limit,
	}
	return f.err
}

// makeRoom moves what is still needed to the front of the buffer, and doubles the buffer until enough of
// it is free.
func (f *Framer) makeRoom() {
	keep := f.pos
	if f.ev.open {
		keep = f.ev.start
	} else if m := min(f.lf, f.cr); m > f.pos && f.buf[f.pos] == ':' {
		// Of a comment nothing is needed but that it is one, so the last byte of it that was searched
		// may stand for all before.
		f.pos = m - 1
		f.buf[f.pos] = ':'
		keep = f.pos
	}
	f.drop(keep)
	if len(f.buf)-f.w >= f.room {
		return
	}
	f.buf = frame.GrowBuffer(f.buf, f.w, f.room)
}

// Release gives the buffer back, for another stream: see frame.Releaser.
func (f *Framer) Release() {
	frame.ReleaseBuffer(f.buf)
	f.buf, f.done = nil, true
	f.ev, f.lent = block{}, frame.Frame{}
	f.pos, f.lf, f.cr, f.w = 0, 0, 0, 0
}

// drop removes the first n bytes of the buffer.
func (f *Framer) drop(n int) {
	if n == 0 {
		return
	}
	copy(f.buf, f.buf[n:f.w])
	f.base += int64(n)
	f.pos, f.lf, f.cr, f.w = f.pos-n, f.lf-n, f.cr-n, f.w-n
	ev := &f.ev
	ev.start -= n
	ev.name.from, ev.name.to = ev.name.from-n, ev.name.to-n
	ev.data.from, ev.data.to = ev.data.from-n, ev.data.to-n
}

// spoil overwrites what was lent, so that a test sees who still holds it. The id is left alone: later
// frames need it.
func (f *Framer) spoil() {
	for _, b := range [][]byte{f.lent.Event, f.lent.Data, f.lent.Stray} {
		if len(b) > 0 {
			b[0] = 0xFF
		}
	}
	f.lent = frame.Frame{}
}
