package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/autopsy"
)

// pageModel is what the page says without its script.
type pageModel struct {
	Title, Facts, Lead, OtherTurns string
	Outcome, OutcomeClass          string
	Finding                        string
	CSS                            template.CSS
	Wrong, Bad, Fine               []wrongModel
	Texts                          []textModel
	Calls                          []callModel
	MoreCalls                      string
	HasLanes                       bool
	Lanes                          []laneModel
	MoreLanes                      string
	Footer                         string
}

type textModel struct{ Kind, Text string }

type callModel struct{ Label, Class, Name, ID, Document, Failed string }

type laneModel struct {
	Label            string
	From, To         string
	Fragments, Bytes int
}

type wrongModel struct {
	Name, Title, Code, Verdict string
	Harmless                   bool
	Why                        []string
	Held                       []heldModel
	More                       string
}

type heldModel struct {
	Label, ID, Tool, Size string
	Owners, Pieces        []pieceModel
	Parsers               []parserModel
}

type pieceModel struct{ Class, Label, Text, Title string }

type parserModel struct {
	Name, Does, Document, So, Class string
	Logs                            []string
}

// How much of something the page shows without its script. The script's panes reach all of it.
const (
	mostCalls    = 100
	mostBuffers  = 8
	mostPieces   = 60
	mostDocument = 4 << 10
	mostPretty   = 8 << 10
)

func modelOf(s *scene) *pageModel {
	r := s.r
	m := &pageModel{Title: r.title(), Outcome: string(r.outcome), CSS: template.CSS(pageCSS), HasLanes: len(s.rec.Lanes) > 0}
	m.OutcomeClass = map[wholecall.Outcome]string{wholecall.Complete: "good", wholecall.Incomplete: "warn", wholecall.Failed: "bad"}[r.outcome]
	plain := newHuman(&bytes.Buffer{}, false, 96, false)
	m.Facts = plain.facts(r)
	m.Lead = s.lead()
	if r.turns > 1 {
		m.OtherTurns = fmt.Sprintf("The capture holds %d turns. This page is turn %d; wholecall view --html --turn N makes a page of another.", r.turns, r.turn)
	}
	m.Finding = s.finding()
	s.texts(m)
	s.callModels(m)
	s.strangers(m)
	for i := range s.rec.Lanes {
		if i == 500 {
			m.MoreLanes = fmt.Sprintf("And %d more lanes, which the lanes above show.", len(s.rec.Lanes)-i)
			break
		}
		m.Lanes = append(m.Lanes, s.laneModel(i))
	}
	for _, w := range s.wrong {
		if r.guess.Protocol == nil {
			break
		}
		one := s.wrongModel(w)
		m.Wrong = append(m.Wrong, one)
		if one.Harmless {
			m.Fine = append(m.Fine, one)
		} else {
			m.Bad = append(m.Bad, one)
		}
	}
	m.Footer = fmt.Sprintf("Made by wholecall view from %s: %d bytes, %s, %s. It holds what the model and the server wrote. It loads nothing and sends nothing.",
		s.r.title(), s.rec.To-s.start(), plural(len(s.rec.Frames), "frame"), plural(len(s.rec.Marks), "event"))
	return m
}

func (s *scene) start() int64 {
	if len(s.rec.Frames) == 0 {
		return 0
	}
	return s.rec.Frames[0].Offset
}

// lead says in two sentences what happened.
func (s *scene) lead() string {
	r := s.r
	var say string
	switch {
	case r.announced == 0:
		say = "The model made no call."
	case len(r.failed) == 0 && r.clean():
		say = fmt.Sprintf("The model made %s, and all of it arrived: %s.", plural(r.announced, "call"), s.list(all(len(s.truth))))
	default:
		say = fmt.Sprintf("The model announced %s. %d arrived whole, %d did not.", plural(r.announced, "call"), len(r.completed), len(r.failed))
	}
	for i := range s.rec.Lanes {
		if l := &s.rec.Lanes[i]; l.Call() && !l.Announced {
			say += fmt.Sprintf(" Fragments also came for call %s, which nobody announced.", r.key(l.Key))
			break
		}
	}
	if r.err != nil {
		say += " What is wrong with the stream: " + string(kindOf(r.err)) + "."
	}
	var lose []string
	for _, w := range s.wrong {
		if !s.harmless(w) && len(s.truth)+len(w.dropped) > 0 {
			lose = append(lose, w.title)
		}
	}
	if len(lose) > 0 {
		say += " Client code with this mistake would not have run what the model wrote: " + strings.Join(lose, "; or ") + "."
	}
	return say
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// finding is what check says of the fault, as it says it.
func (s *scene) finding() string {
	if s.r.clean() {
		return ""
	}
	var b bytes.Buffer
	h := newHuman(&b, false, 96, false)
	if kindOf(s.r.err) == wholecall.CallsFailed {
		h.parts(s.r, false)
	} else {
		h.diagnose(s.r)
	}
	h.w.Flush()
	return strings.Trim(b.String(), "\n")
}

func (s *scene) texts(m *pageModel) {
	for place, info := range s.r.outline {
		if text, ok := s.r.texts[place]; ok && len(m.Texts) < mostCalls {
			said := string(text[:min(len(text), mostDocument)])
			if info.Bytes > len(said) {
				said += fmt.Sprintf(" … (%d bytes)", info.Bytes)
			}
			m.Texts = append(m.Texts, textModel{info.Kind.String(), safeText(said)})
		}
	}
}

func (s *scene) callModels(m *pageModel) {
	for i, t := range s.truth {
		if i == mostCalls {
			m.MoreCalls = fmt.Sprintf("And %s more, which the lanes show.", plural(len(s.truth)-i, "call"))
			return
		}
		c := callModel{Label: s.nameOf(i), Class: s.classOf(t.Key), Name: safeText(t.Name), ID: safeText(t.ID), Document: prettyText(t.Arguments)}
		for _, f := range s.r.failed {
			if f.Key() == t.Key {
				c.Failed = string(f.Reason)
				var e *wholecall.ArgumentError
				if errors.As(f.Err, &e) {
					c.Failed = string(e.Kind)
				}
			}
		}
		m.Calls = append(m.Calls, c)
	}
}

// strangers shows the calls that nobody announced: the model wrote them, and they have no name.
func (s *scene) strangers(m *pageModel) {
	for i := range s.rec.Lanes {
		if l := &s.rec.Lanes[i]; l.Call() && !l.Announced && len(m.Calls) < mostCalls {
			m.Calls = append(m.Calls, callModel{Label: "call " + s.r.key(l.Key), Class: s.classOf(l.Key), Name: "(no name came)",
				ID: "(no id came)", Failed: "never announced", Document: prettyText(string(l.Text))})
		}
	}
}

// classOf is the colour of a call.
func (s *scene) classOf(k wholecall.Key) string {
	for i := range s.rec.Lanes {
		if l := &s.rec.Lanes[i]; l.Call() && l.Key == k {
			return fmt.Sprintf("k%d", s.hue(i)%6)
		}
	}
	return "kx"
}

func prettyText(arguments string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(arguments), "", "  ") != nil {
		b.Reset()
		b.WriteString(arguments)
	}
	text := b.String()
	rest := ""
	if len(text) > mostPretty {
		text, rest = text[:mostPretty], fmt.Sprintf("\n… (%d bytes)", len(arguments))
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, safeText(strings.TrimSuffix(line, "\n")))
	}
	if len(lines) == 0 {
		return "(no arguments came)"
	}
	return strings.Join(lines, "\n") + rest
}

func (s *scene) laneModel(i int) laneModel {
	l := &s.rec.Lanes[i]
	byteOf := func(mark int) string { return fmt.Sprint(s.rec.Frames[s.rec.Marks[mark].Frame].Offset) }
	m := laneModel{Label: s.laneName(i), From: byteOf(l.First), To: "never ended", Fragments: l.Fragments, Bytes: len(l.Text)}
	if l.End >= 0 && l.End < len(s.rec.Marks) {
		m.To = byteOf(l.End)
	}
	return m
}

func (s *scene) wrongModel(w *wrongCode) wrongModel {
	m := wrongModel{Name: w.name, Title: sentence(w.title), Code: w.code, Verdict: s.verdictOf(w), Harmless: s.harmless(w), Why: s.why(w)}
	for i := range w.report.Held {
		if i == mostBuffers {
			m.More = fmt.Sprintf("And %s more.", plural(len(w.report.Held)-i, "buffer"))
			break
		}
		h := &w.report.Held[i]
		label := "The buffer"
		if len(w.report.Held) > 1 {
			label = fmt.Sprintf("Buffer %d", i+1)
		}
		if len(h.Calls) > 1 {
			label = "One buffer for " + s.list(h.Calls)
		}
		one := heldModel{Label: label, ID: orNo(h.ID, "(none)"), Tool: orNo(h.Name, "(none)"), Size: plural(len(h.Args), "byte")}
		s.pieces(&one, h)
		for p := range autopsy.NumParsers {
			one.Parsers = append(one.Parsers, s.parserModel(h, p))
		}
		m.Held = append(m.Held, one)
	}
	return m
}

// pieces shows a buffer, each run of bytes in the colour of the call that wrote it.
func (s *scene) pieces(m *heldModel, h *autopsy.Held) {
	at := -1
	if p := h.Parsed[autopsy.Strict]; !p.OK && p.At.Offset < len(h.Args) {
		at = p.At.Offset
	}
	owners := map[string]bool{}
	add := func(class, text, title string) {
		if text != "" {
			m.Pieces = append(m.Pieces, pieceModel{Class: class, Text: safeText(text), Title: title})
		}
	}
	shown := 0
	for n, src := range h.Sources {
		if n > 100*mostPieces { // who else may be in it, the lanes show
			break
		}
		class := s.classOf(src.Key)
		if src.Stream != 0 {
			class = "kx"
		}
		who := s.whose(src)
		if !owners[who] && len(owners) < mostPieces {
			owners[who] = true
			m.Owners = append(m.Owners, pieceModel{Class: class, Label: who})
		}
		if n >= mostPieces || shown >= mostDocument {
			continue
		}
		title := fmt.Sprintf("%s, bytes %d to %d", who, src.From, src.To)
		text := string(h.Args[src.From:src.To])
		if room := mostDocument - shown; len(text) > room {
			text = text[:room]
		}
		shown += len(text)
		if o := at - src.From; o >= 0 && o < len(text) {
			end := o + len(fromStart(text[o:]))
			add(class, text[:o], title)
			add(class+" here", text[o:end], fmt.Sprintf("a strict parser objects here: byte %d", at))
			add(class, text[end:], title)
			continue
		}
		add(class, text, title)
	}
	switch {
	case len(h.Args) == 0:
		add("gap", "{}   (no fragment came here; the client takes that for no arguments)", "")
	case shown < len(h.Args):
		add("gap", fmt.Sprintf(" … %d more bytes", len(h.Args)-shown), "")
	}
}

// fromStart returns the first character of s.
func fromStart(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

func (s *scene) parserModel(h *autopsy.Held, p autopsy.Parser) parserModel {
	name := map[autopsy.Parser]string{autopsy.Strict: "strict", autopsy.First: "done after the first value", autopsy.Repairer: "repairing"}[p]
	m := parserModel{Name: name}
	parsed := &h.Parsed[p]
	switch h.Verdicts[p] {
	case autopsy.Right:
		m.Does, m.So, m.Class = s.handed(h, p), "right", "good"
	case autopsy.Wrong:
		doc := parsed.Document
		if len(doc) > 300 {
			doc = doc[:300] + fmt.Sprintf("… (%d bytes)", len(parsed.Document))
		}
		m.Does, m.Document, m.So, m.Class = "hands on", safeText(doc), "valid, and wrong", "bad"
		if i := s.indexOf(h.ID); i >= 0 {
			if j := s.written(parsed.Document, i); j >= 0 {
				m.So = fmt.Sprintf("runs %s with the arguments of %s", s.nameOf(i), s.nameOf(j))
			}
		}
	default:
		m.Does, m.So, m.Class, m.Logs = objection(parsed.At), "nothing runs", "warn", logs(parsed.At)
		if p != autopsy.Strict {
			m.Logs = nil
		}
	}
	return m
}

// indexOf returns the call with the id, or -1.
func (s *scene) indexOf(id string) int {
	for i, t := range s.truth {
		if t.ID == id {
			return i
		}
	}
	return -1
}
