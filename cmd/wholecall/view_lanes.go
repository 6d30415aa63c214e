package main

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/cmd/wholecall/internal/timeline"
)

// The signs of a lane. Each cell of a lane shows the weightiest thing that happened in it.
const (
	signOpen = iota // open, and nothing came
	signText
	signPiece
	signEnd
	signBegin
	signs
)

func sign(kind int) string { return [signs]string{"─", "▒", "█", "■", "◆"}[kind] }

// laneColours are given to the calls in turn.
var laneColours = []string{"34", "35", "36", "33", "32", "94"}

// laneStyle is the colour of a lane.
func laneStyle(rec *timeline.Recording, lane int) string {
	if !rec.Lanes[lane].Call() {
		return dim
	}
	n := 0
	for i := range lane {
		if rec.Lanes[i].Call() {
			n++
		}
	}
	return laneColours[n%len(laneColours)]
}

// laneName labels a lane.
func (s *scene) laneName(i int) string {
	l := &s.rec.Lanes[i]
	switch l.Kind {
	case wholecall.CallPart:
		if !l.Announced {
			return "call " + s.r.key(l.Key) + " (never announced)"
		}
		return "call " + s.r.key(l.Key) + " " + safeText(l.Name)
	case wholecall.ServerCallPart:
		return "server call " + s.r.key(l.Key) + " " + safeText(l.Name)
	case wholecall.ReasoningPart:
		return "thought"
	}
	return l.Kind.String()
}

// axis maps what is drawn to columns.
type axis struct {
	from, to int64
	columns  int
	frames   bool
}

func (s *scene) axis(columns int, frames bool) axis {
	a := axis{0, int64(len(s.rec.Frames)), columns, frames}
	if !frames {
		a.from, a.to = s.rec.Frames[0].Offset, s.rec.To
	}
	return a
}

// at returns the column of a frame.
func (a axis) at(rec *timeline.Recording, frame int32) int {
	x := int64(frame)
	if !a.frames {
		x = rec.Frames[frame].Offset
	}
	return int(min(int64(a.columns)-1, (x-a.from)*int64(a.columns)/max(1, a.to-a.from)))
}

// rows draws every lane, a row each, as kinds of sign; -1 is nothing.
func (s *scene) rows(a axis) [][]int8 {
	grid := make([][]int8, len(s.rec.Lanes))
	for i := range grid {
		grid[i] = make([]int8, a.columns)
		for x := range grid[i] {
			grid[i][x] = -1
		}
		l := &s.rec.Lanes[i]
		last := l.Last
		if l.End < 0 { // never ended: open to the end
			last = len(s.rec.Marks) - 1
		}
		for x := a.at(s.rec, s.rec.Marks[l.First].Frame); x <= a.at(s.rec, s.rec.Marks[last].Frame); x++ {
			grid[i][x] = signOpen
		}
		if l.End >= 0 {
			grid[i][a.at(s.rec, s.rec.Marks[l.End].Frame)] = signEnd
		}
	}
	for _, m := range s.rec.Marks {
		if m.Lane < 0 {
			continue
		}
		kind := int8(signOpen)
		switch m.Verb {
		case timeline.Begins:
			kind = signBegin
		case timeline.Adds, timeline.Copies:
			if kind = signPiece; !s.rec.Lanes[m.Lane].Call() {
				kind = signText
			}
		case timeline.Ends:
			kind = signEnd
		}
		if c := &grid[m.Lane][a.at(s.rec, m.Frame)]; *c < kind {
			*c = kind
		}
	}
	return grid
}

// lanes prints the turn as lanes.
func (h *human) lanes(s *scene, frames bool) {
	if len(s.rec.Lanes) == 0 {
		return
	}
	const mostLanes = 40
	n := len(s.rec.Lanes)
	if !h.full {
		n = min(n, mostLanes)
	}
	label := 0
	for i := range n {
		label = max(label, columns(s.laneName(i)))
	}
	label = min(label, max(12, h.width/4))
	room := max(16, h.width-len(indent)-label-2)
	a := s.axis(room, frames)
	h.gap()
	h.scale(a, label)
	grid := s.rows(a)
	for i := range n {
		name, _ := fit(s.laneName(i), label)
		style := laneStyle(s.rec, i)
		h.printf("%s%s%s  %s\n", indent, h.paint(style, name), strings.Repeat(" ", label-columns(name)), h.paint(style, drawn(grid[i])))
	}
	if n < len(s.rec.Lanes) {
		h.printf("%s%s\n", indent, h.paint(dim, fmt.Sprintf("and %d more lanes: --full shows them", len(s.rec.Lanes)-n)))
	}
	if f := s.faultFrame(); f >= 0 {
		x := a.at(s.rec, int32(f))
		note := fmt.Sprintf("frame %d, byte %d", s.rec.Frames[f].Number, s.rec.Frames[f].Offset)
		mark := strings.Repeat(" ", x) + "✗ " + note
		if x+2+columns(note) > room {
			mark = strings.Repeat(" ", max(0, x-columns(note)-1)) + note + " ✗"
		}
		h.printf("%s%s  %s\n", indent, strings.Repeat(" ", label), h.paint(red, mark))
	}
	h.printf("%s%s\n", indent, h.paint(dim, legend))
	h.gap()
}

const legend = "◆ announced  █ fragment  ▒ prose  ─ open  ■ end"

func drawn(row []int8) string {
	var b strings.Builder
	for _, c := range row {
		if c < 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(sign(int(c)))
	}
	return strings.TrimRight(b.String(), " ")
}

// scale prints what the columns mean.
func (h *human) scale(a axis, label int) {
	word := "bytes"
	left, right := size(a.from), size(a.to)
	if a.frames {
		word, left, right = "frames", "1", fmt.Sprint(a.to)
	}
	gap := max(1, a.columns-columns(left)-columns(right))
	h.printf("%s%s%s  %s\n", indent, h.paint(dim, word), strings.Repeat(" ", max(0, label-len(word))),
		h.paint(dim, left+strings.Repeat(" ", gap)+right))
}

// size writes a number of bytes as people read it.
func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
