package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider"
)

// diagnose prints what is wrong with the turn as a compiler would: what, where, the line with its
// neighbours, and what to do.
func (h *human) diagnose(r *result) {
	if r.err == nil || kindOf(r.err) == wholecall.CallsFailed {
		return
	}
	h.gap()
	for i, line := range prose(string(kindOf(r.err))+": "+r.message(), h.width-len("  error: ")) {
		lead := h.paint(red, "error:")
		if i > 0 {
			lead = "      "
		}
		h.printf("%s%s %s\n", indent, lead, h.paint(bold, line))
	}
	h.printf("%s  %s %s\n", indent, h.paint(blue, "-->"), place(r))
	h.excerpt(r)
	h.advice(indent+"  ", adviceOf(r.err), switchOf(r.err))
	h.cutEvent(r)
	if len(r.torn) > 0 {
		h.note(indent+"  ", "note", tornMessage+" ("+strings.Join(r.torn, ", ")+")")
	}
	h.gap()
}

// cutEvent says so where all that is missing may be the line behind the last event.
func (h *human) cutEvent(r *result) {
	if kindOf(r.err) != wholecall.Truncated || !errors.Is(r.err, frame.Truncated) || r.guess.Framing != "sse" {
		return
	}
	e, err := excerptAt(r.in, whereOf(r.err))
	if err != nil || len(e.lines) == 0 {
		return
	}
	if e.frameOf("sse"); !e.whole() {
		return
	}
	h.note(indent+"  ", "note", "no empty line stands behind the last event, and without one an event of server-sent events does not count. "+
		"If only the capture lost it:")
	h.printf("%s    wholecall check --dialect trimmed %s\n", indent, shellWord(r.in.name))
}

// place says where an error is, and about which call.
func place(r *result) string {
	w := whereOf(r.err)
	s := safeText(r.in.name)
	if w.Line > 0 {
		s += fmt.Sprintf(":%d", w.Line)
	}
	if w.Frame > 0 {
		s += " (" + w.String() + ")"
	}
	e, ok := r.err.(*wholecall.ProtocolError)
	if !ok {
		return s
	}
	if e.HasKey {
		s += ", key " + r.key(e.Key)
	}
	if e.ID != "" {
		s += ", id " + safeText(e.ID)
	}
	if e.Name != "" {
		s += ", tool " + safeText(e.Name)
	}
	return s
}

// excerpt prints the line that an error is about.
func (h *human) excerpt(r *result) {
	w := whereOf(r.err)
	if _, unknown := r.err.(*provider.DetectError); unknown {
		w.Line = 1
	}
	at := excerptAt
	if binary(r.guess.Framing) {
		at = func(in *input, w wholecall.Where) (*excerpt, error) { return messageAt(in, r.guess.NewFramer, w) }
	} else if w.Line == 0 {
		return
	}
	e, err := at(r.in, w)
	if err != nil || len(e.lines) == 0 {
		return
	}
	if r.guess.Protocol == nil && !printable(e.lines[0].text) {
		return
	}
	e.frameOf(r.guess.Framing)
	line, from, to := e.mark(patternsOf(r.err))
	about := ""
	if l, f, t, ok := e.at(fault(r.err)); ok {
		line, from, to = l, f, t
	}
	if r.guess.Protocol == nil {
		line, from, to = e.first, 0, 0
	}
	var ie *wholecall.IncompleteError
	if errors.As(r.err, &ie) && ie.Kind != wholecall.NoStopReason {
		line = e.end()
		from, to = len(e.lines[line].text), len(e.lines[line].text)
		about = " the stream ends here"
	}
	h.lines(e, line, from, to, about)
}

// printable reports whether a line is more text than bytes. No text has a NUL.
func printable(b []byte) bool {
	b = b[:min(len(b), 256)]
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	odd := 0
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			odd++
		}
	}
	return odd*8 <= len(b)
}

// lines prints a line of an excerpt with up to two neighbours on both sides, and a mark under it.
func (h *human) lines(e *excerpt, line, from, to int, about string) {
	first, last := max(0, line-2), min(len(e.lines)-1, line+2)
	for first < line && len(e.lines[first].text) == 0 {
		first++
	}
	for last > line && len(e.lines[last].text) == 0 {
		last--
	}
	gutter := len(fmt.Sprint(e.lines[last].number))
	room := h.width - len(indent) - gutter - 4
	edge := func(number string) string {
		return indent + strings.Repeat(" ", gutter-len(number)) + h.paint(blue, number+" |")
	}
	h.printf("%s\n", edge(""))
	for i := first; i <= last; i++ {
		if i != line {
			text, _, _ := clip(e.lines[i].text, 0, 0, room)
			h.printf("%s %s\n", edge(fmt.Sprint(e.lines[i].number)), h.paint(dim, text))
			continue
		}
		text, column, length := clip(e.lines[i].text, from, to, room)
		h.printf("%s %s\n", edge(fmt.Sprint(e.lines[i].number)), text)
		if from == to && about == "" {
			continue
		}
		mark := strings.Repeat(" ", column) + strings.Repeat("^", length)
		if about != "" && column+1+len(about) > room {
			mark = strings.Repeat(" ", max(0, column-len(about)-1)) + strings.TrimSpace(about) + " ^"
			about = ""
		}
		h.printf("%s %s\n", edge(""), h.paint(red, mark+about))
	}
	h.printf("%s\n", edge(""))
}
