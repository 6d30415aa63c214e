package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/wholecall/wholecall/internal/autopsy"
)

// viewRecord is the line that view --json prints: what check prints for the turn, and behind it the lanes and
// the autopsy. It changes only by addition.
type viewRecord struct {
	*record
	Lanes   []laneRecord    `json:"lanes"`
	Autopsy []autopsyRecord `json:"autopsy"`
}

type laneRecord struct {
	Type      string `json:"type"`
	Key       string `json:"key"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Announced bool   `json:"announced"`
	From      int64  `json:"from"` // the byte that its first frame begins at
	To        *int64 `json:"to"`   // the byte that the frame which ends it begins at
	Fragments int    `json:"fragments"`
	Bytes     int    `json:"bytes"`
}

type autopsyRecord struct {
	Accumulator string       `json:"accumulator"`
	Harmless    bool         `json:"harmless"`
	Why         []string     `json:"why"`
	Held        []heldRecord `json:"held"`
	Calls       []fateRecord `json:"calls"`
}

type heldRecord struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Document string         `json:"document"`
	Sources  []sourceRecord `json:"sources"`
	Parsers  []parserRecord `json:"parsers"`
}

type sourceRecord struct {
	Key    string `json:"key"`
	Stream int    `json:"stream"`
	From   int    `json:"from"`
	To     int    `json:"to"`
}

type parserRecord struct {
	Parser   string  `json:"parser"`
	Verdict  string  `json:"verdict"`
	Document *string `json:"document"` // what is handed to the dispatcher
	Kind     string  `json:"kind,omitempty"`
	Offset   *int    `json:"offset,omitempty"`
	Line     int     `json:"line,omitempty"`
	Column   int     `json:"column,omitempty"`
	Python   string  `json:"python,omitempty"`
	Go       string  `json:"go,omitempty"`
}

// fateRecord says what becomes of a call with each parser. Held is the index of the buffer with its id, null
// where none has.
type fateRecord struct {
	Key        string `json:"key"`
	ID         string `json:"id"`
	Held       *int   `json:"held"`
	Strict     string `json:"strict"`
	FirstValue string `json:"first_value"`
	Repairing  string `json:"repairing"`
}

func writeView(w io.Writer, s *scene) error {
	v := viewRecord{record: recordOf(s.r), Lanes: []laneRecord{}, Autopsy: []autopsyRecord{}}
	for i := range s.rec.Lanes {
		l := &s.rec.Lanes[i]
		one := laneRecord{Type: l.Kind.String(), Key: s.r.key(l.Key), ID: l.ID, Name: l.Name, Announced: l.Announced,
			From: s.rec.Frames[s.rec.Marks[l.First].Frame].Offset, Fragments: l.Fragments, Bytes: len(l.Text)}
		if l.End >= 0 {
			to := s.rec.Frames[s.rec.Marks[l.End].Frame].Offset
			one.To = &to
		}
		v.Lanes = append(v.Lanes, one)
	}
	for _, w := range s.wrong {
		if s.r.guess.Protocol != nil {
			v.Autopsy = append(v.Autopsy, s.autopsyRecord(w))
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeUnseen(b.Bytes()))
	return err
}

func (s *scene) autopsyRecord(w *wrongCode) autopsyRecord {
	one := autopsyRecord{Accumulator: w.name, Harmless: s.harmless(w), Why: s.why(w), Held: []heldRecord{}, Calls: []fateRecord{}}
	for i := range w.report.Held {
		h := &w.report.Held[i]
		held := heldRecord{ID: h.ID, Name: h.Name, Document: h.Document(), Sources: []sourceRecord{}}
		for _, src := range h.Sources {
			held.Sources = append(held.Sources, sourceRecord{s.r.key(src.Key), src.Stream, src.From, src.To})
		}
		for p := range autopsy.NumParsers {
			held.Parsers = append(held.Parsers, parserRecordOf(h, p))
		}
		one.Held = append(one.Held, held)
	}
	for i, f := range w.report.Fates {
		fate := fateRecord{Key: s.r.key(s.truth[i].Key), ID: s.truth[i].ID, Strict: f.Runs[autopsy.Strict].String(),
			FirstValue: f.Runs[autopsy.First].String(), Repairing: f.Runs[autopsy.Repairer].String()}
		if f.Held >= 0 {
			fate.Held = &f.Held
		}
		one.Calls = append(one.Calls, fate)
	}
	return one
}

func parserRecordOf(h *autopsy.Held, p autopsy.Parser) parserRecord {
	parsed := &h.Parsed[p]
	one := parserRecord{Parser: p.String(), Verdict: h.Verdicts[p].String()}
	if parsed.OK {
		one.Document = &parsed.Document
	}
	if at := parsed.At; at.Kind != "" {
		one.Kind, one.Offset, one.Line, one.Column, one.Python, one.Go = string(at.Kind), &at.Offset, at.Line, at.Column, at.Python, at.Go
	}
	return one
}
