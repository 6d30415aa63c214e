package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wholecall/wholecall/internal/autopsy"
)

// The words of the autopsy, for the terminal and for the page.

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// nameOf says which call of the truth is meant: "call 1".
func (s *scene) nameOf(i int) string { return "call " + s.r.key(s.truth[i].Key) }

// list writes "call 1", "calls 1 and 2", "calls 1, 2 and 3".
func (s *scene) list(calls []int) string {
	var keys []string
	for _, i := range calls {
		keys = append(keys, s.r.key(s.truth[i].Key))
	}
	const most = 6
	if len(keys) > most {
		keys = append(keys[:most-1], fmt.Sprintf("%d more", len(keys)-most+1))
	}
	word := "calls "
	if len(keys) == 1 {
		word = "call "
	}
	return word + enumerate(keys)
}

func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// verdictOf says in a few words what comes of a wrong accumulator.
func (s *scene) verdictOf(w *wrongCode) string {
	if len(s.truth) == 0 && len(w.report.Held) == 0 && len(w.dropped) == 0 {
		return "no calls"
	}
	if s.harmless(w) {
		return "all right here"
	}
	var parts []string
	gone, mixed := 0, 0
	for _, f := range w.report.Fates {
		if f.Held < 0 {
			gone++
		}
	}
	for i := range w.report.Held {
		if h := &w.report.Held[i]; h.Merged() {
			mixed += len(h.Calls)
		}
	}
	wrong := 0
	for p := range autopsy.NumParsers {
		_, n := w.report.Count(p)
		wrong = max(wrong, n)
	}
	if n := gone + len(w.dropped); n > 0 {
		parts = append(parts, plural(n, "call")+" vanished")
	}
	if mixed > 0 {
		parts = append(parts, fmt.Sprintf("%d merged", mixed))
	}
	if wrong > 0 {
		parts = append(parts, fmt.Sprintf("%d valid and wrong", wrong))
	}
	if len(parts) == 0 {
		parts = append(parts, "calls refused")
	}
	return strings.Join(parts, ", ")
}

// why tells what happened in a wrong accumulator, a sentence each.
func (s *scene) why(w *wrongCode) []string {
	if len(s.truth) == 0 && len(w.report.Held) == 0 && len(w.dropped) == 0 {
		return []string{"The turn has no call that the client must run."}
	}
	if s.harmless(w) {
		return []string{harmless[w.name]}
	}
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if w.name == "shared" {
		say("The process also served %s, whose calls have the same positions, and nothing was cleared in between.", s.beside)
	}
	var behind []int // another stream
	for i := range w.report.Held {
		h := &w.report.Held[i]
		const most = 3
		if len(said) > most {
			break
		}
		switch {
		case w.name == "name-keyed" && len(h.Calls) > 1:
			say("%s %s use the tool %s. The buffer is looked up by that name, so they share one, and it keeps the id that came last.", sentence(s.list(h.Calls)), both(h.Calls), h.Name)
		case w.name == "current-call" && len(h.Calls) > 1:
			say("The fragments of %s alternate, and each went to whichever call was announced last.", s.list(h.Calls))
		case w.name == "default-dict" && len(h.Calls) > 1:
			say("%s landed in one buffer.", sentence(s.list(h.Calls)))
		case h.Strange && len(h.Calls) > 0:
			behind = append(behind, h.Calls...)
		case h.Orphans && len(h.Calls) > 0:
			say("Fragments of a call that nobody announced went into the buffer of %s.", s.list(h.Calls))
		case h.ID == "" && h.Name == "":
			say("Fragments came for a position that nobody announced, and a buffer was made for them on the spot: a call without an id and without a name.")
		}
	}
	if len(behind) > 0 {
		stands := "stands"
		if len(behind) > 1 {
			stands = "stand"
		}
		say("%s %s behind what the other stream had left in the buffer.", sentence(s.list(behind)), stands)
	}
	if len(w.dropped) > 0 {
		var keys []string
		for _, k := range w.dropped {
			keys = append(keys, s.r.key(k))
		}
		say("Fragments came at position %s, which nobody announced. They found no buffer and were dropped without a word.", enumerate(keys))
	}
	said = append(said, s.refusals(w)...)
	return append(said, s.fates(w)...)
}

func both(calls []int) string {
	if len(calls) == 2 {
		return "both"
	}
	return "all"
}

// refusals says what a strict parser's objections mean for the calls in a buffer.
func (s *scene) refusals(w *wrongCode) []string {
	var calls []int
	column, buffers := 0, 0
	for i := range w.report.Held {
		h := &w.report.Held[i]
		if h.Verdicts[autopsy.Strict] != autopsy.Refused || !h.Merged() {
			continue
		}
		if buffers++; buffers == 1 {
			column = h.Parsed[autopsy.Strict].At.Column
		}
		calls = append(calls, h.Calls...)
	}
	none := "none of these calls runs"
	switch len(calls) {
	case 0:
		return nil
	case 1:
		none = s.nameOf(calls[0]) + " does not run"
	case 2:
		none = "neither of them runs"
	}
	where := fmt.Sprintf("at column %d", column)
	if buffers > 1 {
		where = fmt.Sprintf("in %d buffers", buffers)
	}
	return []string{fmt.Sprintf("A strict parser objects %s, and %s.", where, none)}
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// harmless says why nothing is lost, and when something would be.
var harmless = map[string]string{
	"name-keyed":   "No two calls of this turn share a tool, so nothing is lost here. It is lost as soon as the model calls one tool twice in a turn.",
	"current-call": "The calls of this turn come one after the other, so nothing is lost here. It is lost as soon as their fragments alternate.",
	"shared":       "The other stream used other positions, so nothing is lost here. It is lost as soon as two streams use the same one.",
	"default-dict": "Every fragment of this turn has an announced position, so nothing is lost here. It is lost as soon as an announcement is missing or comes twice.",
}

// fates tells what becomes of each call.
func (s *scene) fates(w *wrongCode) []string {
	var gone, cut, off []int
	var said []string
	for i, f := range w.report.Fates {
		if f.Held < 0 {
			gone = append(gone, i)
			continue
		}
		h := &w.report.Held[f.Held]
		for p := range autopsy.NumParsers {
			if h.Verdicts[p] != autopsy.Wrong {
				continue
			}
			if !s.truth[i].Whole {
				cut = append(cut, i)
			} else if j := s.written(h.Parsed[p].Document, i); j >= 0 && len(said) < 2 {
				said = append(said, fmt.Sprintf("A lenient parser runs the id of %s with the arguments of %s: valid, and wrong.", s.nameOf(i), s.nameOf(j)))
			} else if j < 0 {
				off = append(off, i)
			}
			break
		}
	}
	if len(gone) > 0 {
		verb := "vanish"
		if len(gone) == 1 {
			verb = "vanishes"
		}
		said = append([]string{sentence(s.list(gone)) + " " + verb + " without an error: nothing that is left has the id."}, said...)
	}
	if len(off) > 0 {
		said = append(said, sentence(s.list(off))+" can run with arguments that the model did not write for it.")
	}
	if len(cut) > 0 {
		was := " was"
		if len(cut) > 1 {
			was = " were"
		}
		said = append(said, sentence(s.list(cut))+was+" never whole, and a repairing parser makes it look so.")
	}
	return said
}

// written returns the call other than i whose arguments a document is, or -1.
func (s *scene) written(document string, i int) int {
	return slices.IndexFunc(s.truth, func(t autopsy.Truth) bool {
		return t.Whole && t.Arguments == document && t.Key != s.truth[i].Key
	})
}

// handed says what a parser does with a buffer.
func (s *scene) handed(h *autopsy.Held, p autopsy.Parser) string {
	parsed := &h.Parsed[p]
	switch {
	case h.Verdicts[p] == autopsy.Right && h.Strange:
		return "hands on the other stream's arguments, which happen to be the same"
	case h.Verdicts[p] == autopsy.Right:
		return "hands on the call as the model wrote it"
	case h.Verdicts[p] == autopsy.Wrong:
		return "valid, and wrong: " + parsed.Document
	}
	return objection(parsed.At)
}

// objection says where a parser objects.
func objection(at autopsy.Objection) string {
	where := fmt.Sprintf("column %d", at.Column)
	if at.Line > 1 {
		where = fmt.Sprintf("line %d, column %d", at.Line, at.Column)
	}
	return fmt.Sprintf("objects at %s: %s (byte %d)", where, at.Kind, at.Offset)
}

// logs says how the objection reads in a client's log.
func logs(at autopsy.Objection) []string {
	var said []string
	if at.Python != "" {
		said = append(said, "json.loads: "+at.Python)
	}
	if at.Go != "" {
		said = append(said, "encoding/json: "+at.Go)
	}
	return said
}

// from says which bytes of a buffer are whose.
func (s *scene) from(h *autopsy.Held) string {
	const most = 6
	var pieces []string
	for i, src := range h.Sources {
		if i == most {
			pieces = append(pieces, fmt.Sprintf("%d more pieces", len(h.Sources)-most))
			break
		}
		pieces = append(pieces, fmt.Sprintf("%s %d–%d", s.whose(src), src.From, src.To))
	}
	return strings.Join(pieces, " | ")
}

func (s *scene) whose(src autopsy.Source) string {
	if src.Stream != 0 {
		return "other stream"
	}
	return "call " + s.r.key(src.Key)
}
