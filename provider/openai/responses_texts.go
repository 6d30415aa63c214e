package openai

import (
	"github.com/wholecall/wholecall"
)

// The keys of parts inside an item: content parts and texts count from 1, summaries from summaryParts,
// and wholeItem is for an item that must go back as it stands.
const (
	maxPart      = 1<<16 - 2
	summaryParts = 1<<16 + 1
	wholeItem    = 1 << 17
)

// partState is what the decoder knows of a part of a message or reasoning item.
type partState struct {
	sub   int32
	kind  wholecall.PartKind
	open  bool
	got   bool // a delta came, or a copy was taken for it
	whole bool // its text is said to be whole
	noted bool // an annotation came
}

// textEventRule says what an event about a part means.
type textEventRule struct {
	item    itemKind
	part    wholecall.PartKind // 0 where the part itself says
	step    textStep
	member  uint32 // the text of a copy
	summary bool   // its position is summary_index, not content_index
}

type textStep uint8

const (
	partBegins textStep = iota
	textDelta
	textDone
	partEnds
)

// textRule returns the rule for a type of event, or nil. The event reasoning_part is what AWS sends in
// the place of content_part.
func textRule(typ string) *textEventRule {
	switch typ {
	case "response.output_text.delta":
		return &outputTextDelta
	case "response.output_text.done":
		return &outputTextDone
	case "response.refusal.delta":
		return &refusalDelta
	case "response.refusal.done":
		return &refusalDone
	case "response.reasoning_text.delta":
		return &reasoningDelta
	case "response.reasoning_text.done":
		return &reasoningDone
	case "response.reasoning_summary_text.delta":
		return &summaryDelta
	case "response.reasoning_summary_text.done":
		return &summaryDone
	case "response.content_part.added", "response.reasoning_part.added":
		return &contentAdded
	case "response.content_part.done", "response.reasoning_part.done":
		return &contentDone
	case "response.reasoning_summary_part.added":
		return &summaryAdded
	case "response.reasoning_summary_part.done":
		return &summaryPartDone
	}
	return nil
}

var (
	outputTextDelta = textEventRule{item: messageItem, part: wholecall.TextPart, step: textDelta}
	outputTextDone  = textEventRule{item: messageItem, part: wholecall.TextPart, step: textDone, member: rText}
	refusalDelta    = textEventRule{item: messageItem, part: wholecall.RefusalPart, step: textDelta}
	refusalDone     = textEventRule{item: messageItem, part: wholecall.RefusalPart, step: textDone, member: rRefusal}
	reasoningDelta  = textEventRule{item: reasoningItem, part: wholecall.ReasoningPart, step: textDelta}
	reasoningDone   = textEventRule{item: reasoningItem, part: wholecall.ReasoningPart, step: textDone, member: rText}
	summaryDelta    = textEventRule{item: reasoningItem, part: wholecall.SummaryPart, step: textDelta, summary: true}
	summaryDone     = textEventRule{item: reasoningItem, part: wholecall.SummaryPart, step: textDone, member: rText, summary: true}
	contentAdded    = textEventRule{step: partBegins}
	contentDone     = textEventRule{step: partEnds}
	summaryAdded    = textEventRule{item: reasoningItem, part: wholecall.SummaryPart, step: partBegins, summary: true}
	summaryPartDone = textEventRule{item: reasoningItem, part: wholecall.SummaryPart, step: partEnds, summary: true}
)

// find returns the part of an item, or nil.
func (s *itemState) find(sub int32) *partState {
	if s.part < len(s.parts) && s.parts[s.part].sub == sub {
		return &s.parts[s.part]
	}
	for i := range s.parts {
		if s.parts[i].sub == sub {
			s.part = i
			return &s.parts[i]
		}
	}
	return nil
}

func (s *itemState) partKey(p *partState) wholecall.Key {
	return wholecall.Key{Index: s.index, Sub: p.sub}
}

// sub is the place of the event's part inside its item.
func (d *responsesDecoder) subOf(r *textEventRule) (int32, error) {
	w := d.w
	n, bit, member, from := w.content, uint32(rContent), "content_index", int32(1)
	if r.summary {
		n, bit, member, from = w.summary, rSummary, "summary_index", summaryParts
	}
	if w.seen&bit == 0 {
		return 0, missingPosition(w, member)
	}
	if n < 0 || n > maxPart {
		return 0, malformed(nil, "%s is out of range", member)
	}
	return n + from, nil
}

// textEvent reads an event about a part of a message or reasoning item. The part begins with its own
// event or with its first text, whichever comes first, and ends with its own event or with its item.
func (d *responsesDecoder) textEvent(events []wholecall.Event, r *textEventRule) ([]wholecall.Event, error) {
	s, events, err := d.known(events)
	if err != nil {
		return events, err
	}
	if r.item != dataItem && s.kind != r.item || s.kind != messageItem && s.kind != reasoningItem {
		return events, d.failure(wholecall.MismatchedPart, s, "a "+string(d.w.typ)+" for an item of type "+s.typ)
	}
	sub, err := d.subOf(r)
	if err != nil {
		return events, err
	}
	p := s.find(sub)
	if r.step == partBegins || r.step == partEnds {
		return d.partEvent(events, s, p, sub, r)
	}
	if p == nil {
		events, p = openText(events, s, sub, r.part)
	}
	switch {
	case p.kind != r.part:
		return events, d.failure(wholecall.MismatchedPart, s, "a "+string(d.w.typ)+" for a part of another type")
	case r.step == textDone:
		if d.w.seen&r.member != 0 {
			events = takeCopy(events, s, p, d.w.whole)
		}
		p.whole = true
		return events, nil
	case !p.open || p.whole:
		return events, d.failure(wholecall.Late, s, "a "+string(d.w.typ)+" for a part that is already done")
	case d.w.seen&rDelta == 0:
		return events, malformed(nil, "a %s without its text", d.w.typ)
	}
	p.got = true
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: s.partKey(p), Data: d.w.delta.raw, Escaped: d.w.delta.escaped}), nil
}

func openText(events []wholecall.Event, s *itemState, sub int32, kind wholecall.PartKind) ([]wholecall.Event, *partState) {
	s.parts = append(s.parts, partState{sub: sub, kind: kind, open: true})
	s.part = len(s.parts) - 1
	p := &s.parts[s.part]
	if kind != wholecall.DataPart {
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: s.partKey(p)})
	}
	return events, p
}

// takeCopy takes the copy of a part's whole text for the text, where no delta came.
func takeCopy(events []wholecall.Event, s *itemState, p *partState, t text) []wholecall.Event {
	if p.got || !p.open {
		return events
	}
	p.got = true
	if len(t.raw) == 0 {
		return events
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: s.partKey(p), Data: t.raw, Escaped: t.escaped})
}

// kindOfPart is the kind of part that a content part is; one of an unknown type is kept as it stands.
func kindOfPart(typ string) wholecall.PartKind {
	switch typ {
	case "output_text":
		return wholecall.TextPart
	case "refusal":
		return wholecall.RefusalPart
	case "reasoning_text":
		return wholecall.ReasoningPart
	case "summary_text":
		return wholecall.SummaryPart
	}
	return wholecall.DataPart
}

// partEvent reads the events that begin and end a part.
func (d *responsesDecoder) partEvent(events []wholecall.Event, s *itemState, p *partState, sub int32, r *textEventRule) ([]wholecall.Event, error) {
	part, err := d.partOf()
	if err != nil {
		return events, err
	}
	kind := r.part
	if kind == 0 {
		kind = kindOfPart(string(part.typ))
	}
	switch {
	case r.step == partEnds && p == nil:
		events, p = openText(events, s, sub, kind)
	case r.step == partEnds && !p.open:
		return events, nil
	case r.step == partEnds && p.kind != kind:
		return events, d.failure(wholecall.MismatchedPart, s, "a "+string(d.w.typ)+" for a part of another type")
	case r.step == partBegins && p != nil:
		return events, d.failure(wholecall.DuplicateAnnouncement, s, "a part begins at a position that already has one")
	case r.step == partBegins:
		events, _ = openText(events, s, sub, kind)
		return events, nil
	}
	return d.endPart(events, s, p, &part, d.w.part), nil
}

func (d *responsesDecoder) partOf() (contentPart, error) {
	if d.w.part == nil {
		return contentPart{}, malformed(nil, "a %s without a part", d.w.typ)
	}
	return parsePart(&d.sub, d.w.part)
}

// endPart ends a part, with what its copy has and no event brought.
func (d *responsesDecoder) endPart(events []wholecall.Event, s *itemState, p *partState, part *contentPart, raw []byte) []wholecall.Event {
	p.open = false
	if p.kind == wholecall.DataPart {
		return appendData(events, s.partKey(p), part.typ, raw)
	}
	p.open = true
	events = takeCopy(events, s, p, part.body())
	p.open = false
	if !p.noted && len(part.notes) > 2 && part.notes[0] == '[' {
		d.sub.Reset(part.notes)
		for d.sub.Array(); d.sub.Element(); {
			one, _ := d.sub.Raw()
			events = append(events, wholecall.Event{Kind: wholecall.Annotate, Key: s.partKey(p), Data: one})
		}
	}
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: s.partKey(p)})
}

// textItemDone ends a message or reasoning item: its open parts end, and parts that no event brought
// are taken from it.
func (d *responsesDecoder) textItemDone(events []wholecall.Event, s *itemState, it *responsesItem) ([]wholecall.Event, error) {
	events, err := d.listDone(events, s, it.content, 1)
	if err != nil {
		return events, err
	}
	if events, err = d.listDone(events, s, it.summary, summaryParts); err != nil {
		return events, err
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.open && p.kind != wholecall.DataPart {
			events = append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: s.partKey(p)})
		}
		s.parts[i].open = false
	}
	if s.kind == reasoningItem && it.encrypted {
		events = appendData(events, wholecall.Key{Index: s.index, Sub: wholeItem}, it.typ, it.raw)
	}
	return events, nil
}

// listDone goes through the parts that an item holds when it is done. Some servers count the parts of
// the events from another number than those of the item: where as many came as there are, all came.
func (d *responsesDecoder) listDone(events []wholecall.Event, s *itemState, list []byte, from int32) ([]wholecall.Event, error) {
	if len(list) == 0 || list[0] != '[' {
		return events, nil
	}
	// The kinds of cursor are few: the list has one of its own, as its elements are read by d.sub.
	c := &d.cur
	n := 0
	c.Reset(list)
	for c.Array(); c.Element(); n++ {
		c.Skip()
	}
	came := s.count(from)
	c.Reset(list)
	c.Array()
	for sub := from; c.Element() && sub <= from+maxPart; sub++ {
		raw, _ := c.Raw()
		p := s.find(sub)
		if p == nil && came >= n {
			continue
		}
		part, err := parsePart(&d.sub, raw)
		if err != nil {
			return events, err
		}
		kind := kindOfPart(string(part.typ))
		switch {
		case p == nil:
			events, p = openText(events, s, sub, kind)
		case !p.open || p.kind != kind:
			continue
		}
		events = d.endPart(events, s, p, &part, raw)
	}
	return events, nil
}

// count counts the parts that events brought, of the content or of the summaries.
func (s *itemState) count(from int32) int {
	n := 0
	for i := range s.parts {
		if s.parts[i].sub >= from && s.parts[i].sub <= from+maxPart {
			n++
		}
	}
	return n
}

// annotate hands on what is said about a part. A remark that comes behind its part is counted, and
// lost: it changes no text.
func (d *responsesDecoder) annotate(events []wholecall.Event) ([]wholecall.Event, error) {
	s, events, err := d.known(events)
	if err != nil {
		return events, err
	}
	if s.kind != messageItem {
		return events, d.failure(wholecall.MismatchedPart, s, "an annotation for an item of type "+s.typ)
	}
	sub, err := d.subOf(&outputTextDelta)
	if err != nil {
		return events, err
	}
	if d.w.note == nil {
		return events, malformed(nil, "a %s without its annotation", d.w.typ)
	}
	p := s.find(sub)
	if p == nil {
		events, p = openText(events, s, sub, wholecall.TextPart)
	}
	if !p.open {
		return append(events, deviate(rLateNote)), nil
	}
	p.noted = true
	return append(events, wholecall.Event{Kind: wholecall.Annotate, Key: s.partKey(p), Data: d.w.note}), nil
}

// transcriptKey is the key of the transcript of the n-th audio: its events carry no position.
func (d *responsesDecoder) transcriptKey() wholecall.Key {
	return wholecall.Key{Index: -1, Sub: d.transcripts + 1}
}

func (d *responsesDecoder) transcript(events []wholecall.Event) ([]wholecall.Event, error) {
	if d.w.seen&rDelta == 0 {
		return events, malformed(nil, "a %s without its text", d.w.typ)
	}
	if !d.speaking {
		d.speaking = true
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.TranscriptPart, Key: d.transcriptKey()})
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: d.transcriptKey(),
		Data: d.w.delta.raw, Escaped: d.w.delta.escaped}), nil
}

func (d *responsesDecoder) transcriptDone(events []wholecall.Event) []wholecall.Event {
	if !d.speaking {
		return events
	}
	events = append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: d.transcriptKey()})
	d.speaking = false
	d.transcripts++
	return events
}
