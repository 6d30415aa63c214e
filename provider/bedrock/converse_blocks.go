package bedrock

import (
	"github.com/wholecall/wholecall"
)

// find returns the state of the block with the index, or nil.
func (d *decoder) find(index int32) *blockState {
	if d.last < len(d.blocks) && d.blocks[d.last].index == index {
		return &d.blocks[d.last]
	}
	// Blocks count up from 0 as a rule, so that a block stands at its own index.
	if int(index) < len(d.blocks) && index >= 0 && d.blocks[index].index == index {
		d.last = int(index)
		return &d.blocks[index]
	}
	for i := range d.blocks {
		if d.blocks[i].index == index {
			d.last = i
			return &d.blocks[i]
		}
	}
	return nil
}

// begin notes a block that begins with this event.
func (d *decoder) begin(events []wholecall.Event, kind blockKind) []wholecall.Event {
	events = d.missing(events)
	if d.w.index != int32(len(d.blocks)) {
		events = append(events, deviate(sparseIndex))
	}
	if d.open > 0 {
		events = append(events, deviate(overlappingBlocks))
	}
	d.blocks = append(d.blocks, blockState{index: d.w.index, kind: kind, open: true})
	d.last = len(d.blocks) - 1
	d.open++
	return events
}

// known returns the open block that the event belongs to.
func (d *decoder) known(what string) (*blockState, error) {
	switch b := d.find(d.w.index); {
	case b == nil:
		return nil, d.blockError(wholecall.Unannounced, "%s for a block that never started", what)
	case !b.open:
		return nil, d.blockError(wholecall.Late, "%s for a block that has already stopped", what)
	default:
		return b, nil
	}
}

func (d *decoder) blockStop(events []wholecall.Event) ([]wholecall.Event, error) {
	if d.w.seen&hasIndex == 0 {
		return events, malformed(nil, "an end without a contentBlockIndex")
	}
	b, err := d.known("an end")
	if err != nil {
		return events, err
	}
	b.open = false
	d.open--
	kind := wholecall.ClosePart
	switch b.kind {
	case callBlock:
		kind = wholecall.End
	case bareBlock:
		return events, nil
	}
	return append(events, wholecall.Event{Kind: kind, Key: wholecall.Key{Index: b.index}}), nil
}

func (d *decoder) blockStart(events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	if w.seen&hasIndex == 0 || w.seen&hasStart == 0 {
		return events, malformed(nil, "a block starts without a contentBlockIndex or without a start")
	}
	s, err := parseStart(&d.sub, w.start)
	if err != nil {
		return events, err
	}
	if d.find(w.index) != nil {
		e := d.blockError(wholecall.DuplicateAnnouncement, "a block starts at an index that already has one").(*wholecall.ProtocolError)
		e.ID, e.Name = string(s.id), string(s.name)
		return events, e
	}
	key := wholecall.Key{Index: w.index}
	kind := otherBlock
	switch string(s.kind) {
	case "":
		// The start of a text says nothing, where somebody sends one.
		return append(d.begin(events, bareBlock), deviate(emptyStart)), nil
	case "toolUse":
		ev, err := announcement(key, &s)
		if err != nil {
			return events, err
		}
		return append(d.begin(events, callBlock), ev), nil
	case resultType:
		kind = resultBlock
	case imageType:
		kind = imageBlock
	}
	return append(d.begin(events, kind), wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart,
		Key: key, Name: s.kind, Data: s.raw}), nil
}

// announcement announces a call. Its type says who runs it; without one it is the client. The types
// leave room for more, and to guess who is meant would run a call twice or not at all.
func announcement(key wholecall.Key, s *start) (wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: key, ID: s.id, Name: s.name, Empty: wholecall.EmptyIsObject}
	switch string(s.typ) {
	case "", "tool_use":
	case "server_tool_use":
		ev.Runner, ev.Extra = wholecall.ProviderRuns, []byte(`{"type":"server_tool_use"}`)
	default:
		return ev, &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, HasKey: true, Key: key, ID: string(s.id),
			Name: string(s.name), Detail: "a call of a type that does not say who must run it"}
	}
	return ev, nil
}

// of says which kind of block a delta belongs to.
func (k deltaKind) of() blockKind {
	switch k {
	case textDelta, citationDelta:
		return textBlock
	case reasoningDelta, signatureDelta:
		return reasoningBlock
	case inputDelta:
		return callBlock
	case resultDelta:
		return resultBlock
	case imageDelta:
		return imageBlock
	case redactedDelta:
		return redactedBlock
	}
	return 0
}

func (d *decoder) blockDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	if w.seen&(hasIndex|hasDelta) != hasIndex|hasDelta {
		return events, malformed(nil, "a delta without a contentBlockIndex or without what it adds")
	}
	b := d.find(w.index)
	kind := w.delta.kind.of()
	if kind == 0 || w.delta.name != nil && b != nil && b.kind == callBlock {
		return d.unknownDelta(events, b)
	}
	if b == nil {
		return d.firstDelta(events, nil, kind)
	}
	if _, err := d.known("a delta"); err != nil {
		return events, err
	}
	if b.kind == bareBlock {
		return d.firstDelta(events, b, kind)
	}
	if b.kind == reasoningBlock && kind == redactedBlock {
		return append(events, wholecall.Event{Kind: wholecall.Annotate, Key: wholecall.Key{Index: w.index},
			Data: redacted(w.delta.text)}), nil
	}
	if kind != b.kind {
		return events, d.blockError(wholecall.MismatchedPart, "a delta for a block of another kind")
	}
	return append(events, d.piece()), nil
}

// firstDelta begins a block that has no start of its own, or, where b is not nil, one whose start said
// nothing. A call has a start that names it, and a piece of a call whose start was lost begins nothing.
func (d *decoder) firstDelta(events []wholecall.Event, b *blockState, kind blockKind) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.OpenPart, Key: wholecall.Key{Index: d.w.index}}
	switch kind {
	case textBlock:
		ev.Part = wholecall.TextPart
	case reasoningBlock:
		ev.Part = wholecall.ReasoningPart
	case redactedBlock:
		ev.Part, ev.Name, ev.Data = wholecall.DataPart, []byte(redactedType), redacted(d.w.delta.text)
	default:
		return events, d.blockError(wholecall.Unannounced, "a delta for a block that never started")
	}
	if b != nil {
		b.kind = kind
	} else {
		events = d.begin(events, kind)
	}
	if kind == redactedBlock {
		return append(events, ev), nil
	}
	return append(events, ev, d.piece()), nil
}

// piece is the event for a delta of an open block.
func (d *decoder) piece() wholecall.Event {
	w := d.w
	ev := wholecall.Event{Kind: wholecall.Delta, Key: wholecall.Key{Index: w.index},
		Data: w.delta.text.raw, Escaped: w.delta.text.escaped}
	switch w.delta.kind {
	case inputDelta:
		ev.Kind = wholecall.Fragment
	case signatureDelta:
		ev.Kind = wholecall.Sign
	case citationDelta:
		ev.Kind, ev.Data, ev.Escaped = wholecall.Annotate, w.delta.raw, false
	case resultDelta, imageDelta:
		ev.Data, ev.Escaped = w.delta.raw, false
	}
	return ev
}

// redacted is the JSON of reasoning that is hidden.
func redacted(t text) []byte {
	b := append([]byte(`{"`+redactedType+`":"`), t.raw...)
	return append(b, `"}`...)
}

// unknownDelta refuses a delta that this decoder can't read on a call, since a piece of its arguments
// could be in it; elsewhere it is passed over.
func (d *decoder) unknownDelta(events []wholecall.Event, b *blockState) ([]wholecall.Event, error) {
	name := d.w.delta.name
	if name == nil {
		return events, malformed(nil, "a delta that says nothing")
	}
	if b != nil && b.kind == callBlock || string(name) == "toolUse" {
		return events, d.blockError(wholecall.UnknownDelta, "a delta of kind %q for a call", name)
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: name}), nil
}
