package openai

import "github.com/wholecall/wholecall"

// message returns the open message that the event belongs to, and the place of the part inside it.
func (d *realtimeDecoder) message() (*realtimeItem, int32, error) {
	it, err := d.item()
	if err != nil {
		return nil, 0, err
	}
	w := &d.w
	switch {
	case it.kind != messageItem:
		return nil, 0, it.failure(wholecall.MismatchedPart, "a "+string(w.typ)+" for an item of type "+it.typ)
	case w.seen&rtContent == 0:
		return nil, 0, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a " + string(w.typ) + " without content_index"}
	case w.content < 0 || w.content > maxPart:
		return nil, 0, malformed(nil, "content_index is out of range")
	}
	return it, w.content + 1, nil
}

// find returns the part of a message, or nil.
func (it *realtimeItem) find(sub int32) *partState {
	for i := range it.parts {
		if it.parts[i].sub == sub {
			return &it.parts[i]
		}
	}
	return nil
}

func (it *realtimeItem) partKey(p *partState) wholecall.Key {
	return wholecall.Key{Choice: it.key.Choice, Index: it.key.Index, Sub: p.sub}
}

// openPart begins a part. One of a type that is not known begins when it is done, as it stands then.
func (it *realtimeItem) openPart(events []wholecall.Event, sub int32, kind wholecall.PartKind) ([]wholecall.Event, *partState) {
	it.parts = append(it.parts, partState{sub: sub, kind: kind, open: true})
	p := &it.parts[len(it.parts)-1]
	if kind != wholecall.DataPart {
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: it.partKey(p)})
	}
	return events, p
}

// realtimePartKind is the kind of part that a content part is. Its event and its item name types otherwise.
func realtimePartKind(typ []byte) wholecall.PartKind {
	switch string(typ) {
	case "text", "output_text":
		return wholecall.TextPart
	case "audio", "output_audio":
		return wholecall.TranscriptPart
	}
	return wholecall.DataPart
}

func (d *realtimeDecoder) partAdded(events []wholecall.Event) ([]wholecall.Event, error) {
	it, sub, err := d.message()
	if err != nil {
		return events, err
	}
	if it.find(sub) != nil {
		return events, it.failure(wholecall.DuplicateAnnouncement, "a part begins at a position that already has one")
	}
	part, err := d.content()
	if err != nil {
		return events, err
	}
	events, _ = it.openPart(events, sub, realtimePartKind(part.typ))
	return events, nil
}

func (d *realtimeDecoder) content() (realtimeContent, error) {
	if d.w.part == nil {
		return realtimeContent{}, malformed(nil, "a %s without a part", d.w.typ)
	}
	return parseRealtimeContent(&d.sub, d.w.part)
}

// text returns the open part that a text event belongs to. Its first text may be what begins it.
func (d *realtimeDecoder) text(events []wholecall.Event, kind wholecall.PartKind) (*realtimeItem, *partState, []wholecall.Event, error) {
	it, sub, err := d.message()
	if err != nil {
		return nil, nil, events, err
	}
	p := it.find(sub)
	if p == nil {
		events, p = it.openPart(events, sub, kind)
	}
	switch {
	case p.kind != kind:
		err = it.failure(wholecall.MismatchedPart, "a "+string(d.w.typ)+" for a part of another type")
	case !p.open || p.whole:
		err = it.failure(wholecall.Late, "a "+string(d.w.typ)+" for a part that is already done")
	}
	return it, p, events, err
}

func (d *realtimeDecoder) textDelta(events []wholecall.Event, kind wholecall.PartKind) ([]wholecall.Event, error) {
	it, p, events, err := d.text(events, kind)
	if err != nil {
		return events, err
	}
	if d.w.seen&rtDelta == 0 {
		return events, malformed(nil, "a %s without its text", d.w.typ)
	}
	p.got = true
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: it.partKey(p), Data: d.w.delta.raw, Escaped: d.w.delta.escaped}), nil
}

func (d *realtimeDecoder) textDone(events []wholecall.Event, kind wholecall.PartKind, member uint32) ([]wholecall.Event, error) {
	it, p, events, err := d.text(events, kind)
	if err != nil {
		return events, err
	}
	if d.w.seen&member != 0 {
		events = it.take(events, p, d.w.whole)
	}
	p.whole = true
	return events, nil
}

// take takes a copy of a part's text for the text, where no delta came.
func (it *realtimeItem) take(events []wholecall.Event, p *partState, t text) []wholecall.Event {
	if p.got || len(t.raw) == 0 {
		return events
	}
	p.got = true
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: it.partKey(p), Data: t.raw, Escaped: t.escaped})
}

func (d *realtimeDecoder) partDone(events []wholecall.Event) ([]wholecall.Event, error) {
	it, sub, err := d.message()
	if err != nil {
		return events, err
	}
	part, err := d.content()
	if err != nil {
		return events, err
	}
	p := it.find(sub)
	if p == nil {
		events, p = it.openPart(events, sub, realtimePartKind(part.typ))
	}
	if !p.open {
		return events, it.failure(wholecall.Late, "a part ends a second time")
	}
	return it.endPart(events, p, &part, d.w.part), nil
}

// endPart ends a part, with what its copy has and no event brought.
func (it *realtimeItem) endPart(events []wholecall.Event, p *partState, part *realtimeContent, raw []byte) []wholecall.Event {
	p.open = false
	if p.kind == wholecall.DataPart {
		return appendData(events, it.partKey(p), part.typ, raw)
	}
	events = it.take(events, p, part.body())
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: it.partKey(p)})
}

// messageDone ends a message: parts that no event brought are taken from it, and those that are open end.
func (d *realtimeDecoder) messageDone(events []wholecall.Event, it *realtimeItem, content []byte) ([]wholecall.Event, error) {
	if len(content) > 0 && content[0] == '[' {
		c := &d.cur
		c.Reset(content)
		sub := int32(1)
		for c.Array(); c.Element() && sub <= maxPart; sub++ {
			raw, _ := c.Raw()
			part, err := parseRealtimeContent(&d.sub, raw)
			if err != nil {
				return events, err
			}
			p := it.find(sub)
			if p == nil {
				events, p = it.openPart(events, sub, realtimePartKind(part.typ))
			}
			if p.open {
				events = it.endPart(events, p, &part, raw)
			}
		}
	}
	return it.closeParts(events), nil
}

// closeParts ends the parts that are open.
func (it *realtimeItem) closeParts(events []wholecall.Event) []wholecall.Event {
	for i := range it.parts {
		p := &it.parts[i]
		if p.open && p.kind != wholecall.DataPart {
			events = append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: it.partKey(p)})
		}
		p.open = false
	}
	return events
}
