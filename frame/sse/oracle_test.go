package sse_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
)

// result is all that a stream gives.
type result struct {
	frames   []frame.Frame
	err      *frame.Error
	rest     frame.Frame // what Close stored
	retry    int         // -1 for none
	comments int
}

func (r result) String() string {
	var b strings.Builder
	for _, f := range r.frames {
		fmt.Fprintf(&b, "%s\n", show(f))
	}
	if r.err == nil {
		fmt.Fprintf(&b, "rest %s end retry=%d comments=%d", show(r.rest), r.retry, r.comments)
		return b.String()
	}
	fmt.Fprintf(&b, "rest %s err %+v", show(r.rest), *r.err)
	if r.err.Kind != frame.TooLong { // how far it looked behind the bound depends on the chunks
		fmt.Fprintf(&b, " retry=%d comments=%d", r.retry, r.comments)
	}
	return b.String()
}

func show(f frame.Frame) string {
	return fmt.Sprintf("{%d @%d line %d event=%s data=%s id=%q stray=%s}",
		f.Number, f.Offset, f.Line, quote(f.Event), quote(f.Data), f.ID, quote(f.Stray))
}

func quote(b []byte) string {
	if b == nil {
		return "nil"
	}
	return strconv.Quote(string(b))
}

// oracle interprets a whole stream at once: it makes every line end an LF, splits, and reads block by
// block with the standard's own words. It shares no code with the Framer.
func oracle(in []byte, limit int) result {
	if limit <= 0 {
		limit = frame.DefaultLimit
	}
	text, at := normalise(in)
	lines := strings.Split(text, "\n")
	starts := make([]int, len(lines))
	for i, n := 0, 0; i < len(lines); i++ {
		starts[i] = at[n]
		n += len(lines[i]) + 1
	}
	o := &reader{result: result{retry: -1}, lines: lines, starts: starts, limit: limit}
	first := -1
	for i, line := range lines[:len(lines)-1] {
		switch {
		case strings.HasPrefix(line, ":"):
			o.comments++
		case line != "" && first < 0:
			first = i
		case line == "" && first >= 0:
			if starts[i]-starts[first] > limit {
				return o.fail(frame.TooLong, first, limit)
			}
			if fr := o.block(first, i, true); fr.Data != nil || fr.Stray != nil {
				o.frames = append(o.frames, fr)
			}
			first = -1
		}
	}
	last := len(lines) - 1
	if first < 0 && lines[last] != "" && lines[last][0] != ':' {
		first = last
	}
	if first < 0 {
		return o.result
	}
	if len(in)-starts[first] > limit {
		return o.fail(frame.TooLong, first, limit)
	}
	o.rest = o.block(first, len(lines), false)
	return o.fail(frame.Truncated, first, 0)
}

// normalise drops a BOM and makes every line end an LF. at[i] is where byte i stood, and has one entry
// more than there are bytes.
func normalise(in []byte) (string, []int) {
	var text []byte
	var at []int
	i := 0
	if bytes.HasPrefix(in, []byte("\uFEFF")) {
		i = 3
	}
	for i < len(in) {
		at = append(at, i)
		switch {
		case bytes.HasPrefix(in[i:], []byte("\r\n")):
			text = append(text, '\n')
			i++
		case in[i] == '\r':
			text = append(text, '\n')
		default:
			text = append(text, in[i])
		}
		i++
	}
	return string(text), append(at, len(in))
}

type reader struct {
	result
	lines  []string
	starts []int
	limit  int
	id     string
}

func (o *reader) fail(kind frame.Kind, first, limit int) result {
	o.err = &frame.Error{Kind: kind, Number: len(o.frames) + 1, Offset: int64(o.starts[first]), Line: first + 1, Limit: limit}
	return o.result
}

var digits = regexp.MustCompile(`\A[0-9]+\z`)

// block reads the lines from first up to end; the last of them may be cut.
func (o *reader) block(first, end int, whole bool) frame.Frame {
	fr := frame.Frame{Number: len(o.frames) + 1, Offset: int64(o.starts[first]), Line: first + 1}
	var data, stray []string
	for i := first; i < end; i++ {
		line := o.lines[i]
		cut := !whole && i == end-1
		if strings.HasPrefix(line, ":") || line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "data":
			data = append(data, value)
		case name == "event":
			fr.Event = []byte(value)
		case name == "id":
			if !strings.Contains(value, "\x00") && !cut {
				o.id = value
			}
		case name == "retry":
			if digits.MatchString(value) && !cut {
				n, err := strconv.Atoi(value)
				if err != nil {
					n = math.MaxInt
				}
				o.retry = n
			}
		default:
			stray = append(stray, line)
		}
	}
	if data != nil {
		fr.Data = []byte(strings.Join(data, "\n"))
	}
	if stray != nil {
		fr.Stray = []byte(strings.Join(stray, "\n"))
	}
	fr.ID = []byte(o.id)
	return fr
}

// drive feeds in to f in chunks of the sizes that size gives, and copies what comes out. It also checks
// what holds for every stream: that an error is a *frame.Error, and that it stays.
func drive(f *sse.Framer, in []byte, size func() int) result {
	r := result{retry: -1}
	if err := pump(f, in, size, &r); err != nil {
		r.err = err.(*frame.Error)
	} else {
		var fr frame.Frame
		err = f.Close(&fr)
		r.rest = clone(fr)
		if err != nil {
			r.err = err.(*frame.Error)
		}
	}
	if ms, ok := f.Retry(); ok {
		r.retry = ms
	}
	r.comments = f.Comments()
	checkEnded(f, r.err)
	return r
}

func pump(f *sse.Framer, in []byte, size func() int, r *result) error {
	for {
		var fr frame.Frame
		ok, err := f.Next(&fr)
		if err != nil {
			return err
		}
		if ok {
			r.frames = append(r.frames, clone(fr))
			continue
		}
		if len(in) == 0 {
			return nil
		}
		b := f.Buffer()
		n := copy(b[:min(len(b), max(1, size()))], in)
		f.Fed(n)
		in = in[n:]
	}
}

func checkEnded(f *sse.Framer, want *frame.Error) {
	f.Fed(copy(f.Buffer(), "data: more\n\n"))
	var fr frame.Frame
	ok, err := f.Next(&fr)
	err2 := f.Close(&fr)
	if want == nil && (ok || err != nil || err2 != nil) {
		panic(fmt.Sprintf("after a clean end: %v, %v, %v", ok, err, err2))
	}
	if want != nil && (ok || err != error(want) || err2 != error(want)) {
		panic(fmt.Sprintf("the error %v did not stay: %v, %v, %v", want, ok, err, err2))
	}
}

func clone(f frame.Frame) frame.Frame {
	f.Event, f.Data = bytes.Clone(f.Event), bytes.Clone(f.Data)
	f.ID, f.Stray = bytes.Clone(f.ID), bytes.Clone(f.Stray)
	return f
}

func whole() int { return math.MaxInt }
func one() int   { return 1 }

// halves cuts a stream once, after n bytes.
func halves(n int) func() int {
	return func() int { m := n; n = math.MaxInt; return m }
}
