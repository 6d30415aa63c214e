package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// The screen of view -i: the lanes, the raw frame, and beside it what its lane and wrong code hold.

// screen draws what is to be seen, in at most h lines of w columns.
func (st *stepper) screen(w, h int) []string {
	s, m := st.s, st.s.rec.Marks[st.at]
	p := &human{colour: st.colour, width: w}
	f := s.rec.Frames[m.Frame]
	var lines []string
	add := func(style, text string) {
		text, _ = fit(text, w-1)
		lines = append(lines, p.paint(style, text))
	}
	add(bold, fmt.Sprintf("event %d of %d, frame %d, byte %d: %s", st.at+1, len(s.rec.Marks), f.Number, f.Offset, s.headline(st.at)))
	if !s.r.clean() {
		add(red, s.r.summary())
	}
	lines = append(lines, st.lanes(p, w, max(3, h/4))...)
	lines = append(lines, "")
	left, right := st.raw(), st.states(p, w)
	const wide = 110
	if w >= wide {
		right = st.states(p, w/2)
		lines = append(lines, beside(left, right, w/2-2)...)
	} else {
		room := max(3, (h-len(lines)-3)/2)
		for _, l := range wrapped(left, w-1, room) {
			lines = append(lines, p.paint(dim, l))
		}
		lines = append(append(lines, ""), right...)
	}
	if len(lines) > h-1 {
		lines = lines[:h-1]
	}
	for len(lines) < h-1 {
		lines = append(lines, "")
	}
	keys, _ := fit("←→ event  ↑↓ in the lane  PgUp PgDn  Home End  f fault  q quit", w-1)
	return append(lines, p.paint(dim, keys))
}

// lanes draws the lanes around the one that the event is in, with the place of the event over them.
func (st *stepper) lanes(p *human, w, most int) []string {
	s, m := st.s, st.s.rec.Marks[st.at]
	label := min(28, w/3)
	a := s.axis(max(10, w-label-3), false)
	first := min(max(0, int(m.Lane)-most/2), max(0, len(s.rec.Lanes)-most))
	lines := []string{strings.Repeat(" ", label+2+a.at(s.rec, m.Frame)) + p.paint(bold, "▼")}
	grid := s.rows(a)
	for l := first; l < min(len(s.rec.Lanes), first+most); l++ {
		name, _ := fit(s.laneName(l), label)
		style := laneStyle(s.rec, l)
		if l == int(m.Lane) {
			style = "1;" + style
		}
		lines = append(lines, p.paint(style, name)+strings.Repeat(" ", label-columns(name)+2)+p.paint(style, drawn(grid[l])))
	}
	return lines
}

var framingBytes = regexp.MustCompile(`[\x00-\x1f]+`)

// raw returns the frame as it stood, a line each.
func (st *stepper) raw() []string {
	const most = 8 << 10
	s, m := st.s, st.s.rec.Marks[st.at]
	from, to := s.rec.Frames[m.Frame].Offset, s.rec.FrameEnd(int(m.Frame))
	in, err := s.r.in.open()
	if err != nil {
		return []string{err.Error()}
	}
	defer in.Close()
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return []string{err.Error()}
	}
	b, err := io.ReadAll(io.LimitReader(in, min(to-from, most)))
	if err != nil {
		return []string{err.Error()}
	}
	if binary(s.r.guess.Framing) { // the framing's own bytes are for no eye
		b = framingBytes.ReplaceAll(bytes.ToValidUTF8(b, []byte{0}), []byte(" · "))
	}
	var lines []string
	for _, l := range splitLines(b) {
		lines = append(lines, safeText(l))
	}
	if to-from > most {
		lines = append(lines, fmt.Sprintf("… and %d more bytes", to-from-most))
	}
	return lines
}

// states says what the event's lane and the wrong accumulators hold after it.
func (st *stepper) states(p *human, w int) []string {
	s, m := st.s, st.s.rec.Marks[st.at]
	room := w - 4
	var lines []string
	head := func(title, rest string) {
		title, _ = fit(title, room)
		rest, _ = fit("  "+rest, room-columns(title))
		lines = append(lines, p.paint(bold, title)+rest)
	}
	if m.Lane >= 0 {
		after := 0
		for _, o := range s.rec.Marks[:st.at+1] {
			if o.Lane == m.Lane {
				after += int(o.Bytes)
			}
		}
		before := after - int(m.Bytes)
		text := s.rec.Lanes[m.Lane].Text
		head(s.laneName(int(m.Lane)), fmt.Sprintf("%d bytes before, %d after", before, after))
		piece, _ := fit(safeText(text[before:after]), room)
		lines = append(lines, "  "+p.paint(dim, fitEnd(safeText(text[max(0, before-4*room):before]), max(0, room-columns(piece))))+
			p.paint(laneStyle(s.rec, int(m.Lane)), piece))
	}
	for n, code := range s.wrong {
		buffer, size, tail := s.holds(n, st.at)
		if buffer < 0 {
			head(code.title, "holds nothing yet")
			continue
		}
		head(code.title, fmt.Sprintf("buffer %d, %d bytes", buffer+1, size))
		lines = append(lines, "  "+st.tail(p, tail, room))
	}
	return lines
}

// stretch is a piece of a buffer: what a lane wrote, or, with lane -1, another stream.
type stretch struct {
	lane int
	text []byte
}

// tail draws the end of a buffer, each piece in the colour of its call.
func (st *stepper) tail(p *human, runs []stretch, room int) string {
	var out string
	for i := len(runs) - 1; i >= 0 && room > 0; i-- {
		text := fitEnd(safeText(runs[i].text[max(0, len(runs[i].text)-4*room):]), room)
		room -= columns(text)
		style := dim
		if runs[i].lane >= 0 {
			style = laneStyle(st.s.rec, runs[i].lane)
		}
		out = p.paint(style, text) + out
	}
	return out
}

// holds returns the buffer that an event went into, or the last that one did, as it is after the event: its
// length, and its last pieces.
func (s *scene) holds(code, mark int) (buffer, size int, tail []stretch) {
	w := s.wrong[code]
	at := mark
	for at >= 0 && w.routes[at] < 0 {
		at--
	}
	if at < 0 {
		return -1, 0, nil
	}
	buffer = int(w.routes[at])
	grown := make([]int, len(s.rec.Lanes))
	for _, src := range w.acc.Buffers()[buffer].Sources {
		if src.Stream != 0 {
			tail = []stretch{{-1, w.acc.Buffers()[buffer].Args[:src.To]}}
			size = src.To
		}
	}
	for i, m := range s.rec.Marks[:mark+1] {
		if m.Lane < 0 || m.Bytes == 0 {
			continue
		}
		from := grown[m.Lane]
		grown[m.Lane] += int(m.Bytes)
		if int(w.routes[i]) != buffer {
			continue
		}
		size += int(m.Bytes)
		const most = 64
		if tail = append(tail, stretch{int(m.Lane), s.rec.Lanes[m.Lane].Text[from:grown[m.Lane]]}); len(tail) > 2*most {
			tail = append(tail[:0], tail[most:]...)
		}
	}
	return buffer, size, tail
}

// wrapped cuts lines to a width, over several where they are longer, and at most so many.
func wrapped(lines []string, width, most int) []string {
	var out []string
	for _, l := range lines {
		cut, _ := rows(l, max(10, width), most-len(out))
		if out = append(out, cut...); len(out) >= most {
			break
		}
	}
	return out
}

// beside puts two columns side by side.
func beside(left, right []string, width int) []string {
	left = wrapped(left, width, 200)
	var lines []string
	for i := range max(len(left), len(right)) {
		var l, r string
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines = append(lines, l+strings.Repeat(" ", max(0, width-columns(l)))+"  "+r)
	}
	return lines
}
