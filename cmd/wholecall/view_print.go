package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wholecall/wholecall/internal/autopsy"
)

// print shows a turn in the terminal: the fault first, then the lanes, the calls, and the autopsy.
func (v *viewer) print(s *scene) error {
	h := newHuman(v.out, v.colour(v.out), v.width(v.out), v.full)
	h.view(s, v.frames)
	return h.w.Flush()
}

func (h *human) view(s *scene, frames bool) {
	r := s.r
	h.printf("%s  %s\n", h.paint(bold, r.title()), h.facts(r))
	h.printf("%s: %s\n", h.paint(outcomeStyle(r.outcome), string(r.outcome)), tally(r))
	if r.turns > 1 {
		h.printf("%s\n", h.paint(dim, "another turn: --turn N"))
	}
	h.diagnose(r)
	h.lanes(s, frames)
	h.calls(r)
	h.strangers(s)
	h.remarks(r)
	h.autopsy(s)
}

// calls prints the parts, the arguments of calls over several lines.
func (h *human) calls(r *result) {
	pretty := *h
	pretty.pretty = true
	pretty.parts(r, true)
	h.ends = pretty.ends
}

// strangers prints the calls that nobody announced.
func (h *human) strangers(s *scene) {
	for i := range s.rec.Lanes {
		if l := &s.rec.Lanes[i]; l.Call() && !l.Announced {
			h.label(red, "lost")
			h.printf("%s  %s\n", s.r.key(l.Key), h.paint(red, "never announced"))
			h.document(l.Text)
		}
	}
}

// prettyDocument prints arguments with an indent. What is not JSON stands as it is.
func (h *human) prettyDocument(arguments []byte) {
	var b bytes.Buffer
	if json.Indent(&b, arguments, "", "  ") != nil {
		b.Reset()
		b.Write(arguments)
	}
	most := 24
	if h.full {
		most = 1 << 30
	}
	lines, more := rows(b.String(), h.width-len(under), most)
	for _, l := range lines {
		h.printf("%s%s\n", under, l)
	}
	if more {
		h.printf("%s%s\n", under, h.paint(dim, fmt.Sprintf("… (%d bytes; --full shows all)", len(arguments))))
	}
}

// autopsy prints what wrong code would have made of the turn.
func (h *human) autopsy(s *scene) {
	if s.r.guess.Protocol == nil {
		return
	}
	h.gap()
	h.printf("%s\n", h.paint(bold, "What wrong code would have made of it"))
	for _, w := range s.wrong {
		style := green
		if !s.harmless(w) {
			style = red
		}
		h.gap()
		h.printf("%s%s  %s\n", indent, h.paint(bold, w.title), h.paint(style, s.verdictOf(w)))
		h.printf("%s%s\n", under, h.paint(dim, w.code))
		for _, line := range prose(strings.Join(s.why(w), " "), h.width-len(under)) {
			h.printf("%s%s\n", under, line)
		}
		if !s.harmless(w) {
			h.held(s, w)
		}
	}
	h.gap()
}

// held prints what an accumulator holds, and what each parser makes of that.
func (h *human) held(s *scene, w *wrongCode) {
	const most = 4
	for i := range w.report.Held {
		if i == most && !h.full {
			h.printf("%s%s\n", under, h.paint(dim, fmt.Sprintf("and %s more: --full shows them", plural(len(w.report.Held)-most, "buffer"))))
			return
		}
		held := &w.report.Held[i]
		h.printf("%s%s  %s  %s\n", under, h.paint(dim, orNo(held.ID, "(no id)")), h.paint(bold, orNo(held.Name, "(no name)")),
			h.paint(dim, plural(len(held.Args), "byte")))
		for _, line := range prose(s.from(held), h.width-len(under)) {
			h.printf("%s%s\n", under, h.paint(dim, line))
		}
		h.document([]byte(held.Document()))
		var said []string
		for p := range autopsy.NumParsers {
			lead := fmt.Sprintf("%-12s", p)
			switch held.Verdicts[p] {
			case autopsy.Right:
				lead = h.paint(green, lead)
			case autopsy.Wrong:
				lead = h.paint(red, lead)
			default:
				lead = h.paint(yellow, lead)
				if p == autopsy.Strict {
					said = logs(held.Parsed[p].At)
				}
			}
			text := safeText(s.handed(held, p))
			if room := h.width - len(under) - 14; !h.full && columns(text) > room {
				text, _ = fit(text, room-1)
				text += "…"
			}
			h.printf("%s  %s%s\n", under, lead, text)
			if p == autopsy.Strict {
				for _, l := range said {
					h.printf("%s  %12s%s\n", under, "", h.paint(dim, l))
				}
			}
		}
	}
}

func orNo(s, no string) string {
	if s == "" {
		return no
	}
	return safeText(s)
}
