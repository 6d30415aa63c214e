package mistral

import "github.com/wholecall/wholecall"

// runs makes parts of the pieces of content of one choice. Pieces of one kind in a row are one run;
// another kind, or a call, ends it. A run's key is its number, from 1, as Sub.
type runs struct {
	choice int32
	open   wholecall.PartKind // the kind of the open run, 0 where there is none
	n      int32
}

func (r *runs) key() wholecall.Key { return wholecall.Key{Choice: r.choice, Sub: r.n} }

// add reads a piece of content. A part of another type than text is one of its own.
func (r *runs) add(events []wholecall.Event, p *piece) []wholecall.Event {
	if p.raw != nil {
		events = r.end(events)
		r.n++
		return append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: r.key(), Name: p.typ, Data: p.raw},
			wholecall.Event{Kind: wholecall.ClosePart, Key: r.key()})
	}
	kind := wholecall.TextPart
	if p.thought {
		kind = wholecall.ReasoningPart
	}
	if len(p.text.raw) == 0 && p.note == nil && len(p.sign.raw) == 0 {
		return events
	}
	if r.open != kind {
		events = r.end(events)
		r.open = kind
		r.n++
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: r.key()})
	}
	if len(p.text.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: r.key(), Data: p.text.raw, Escaped: p.text.escaped})
	}
	if p.note != nil {
		events = append(events, wholecall.Event{Kind: wholecall.Annotate, Key: r.key(), Data: p.note})
	}
	if len(p.sign.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Sign, Key: r.key(), Data: p.sign.raw, Escaped: p.sign.escaped})
	}
	return events
}

// end ends the open run, if there is one.
func (r *runs) end(events []wholecall.Event) []wholecall.Event {
	if r.open == 0 {
		return events
	}
	r.open = 0
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: r.key()})
}
