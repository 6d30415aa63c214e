package openai

import (
	"errors"

	"github.com/wholecall/wholecall"
)

// fragment hands on a piece of a call's arguments.
func (d *responsesDecoder) fragment(events []wholecall.Event, kind itemKind) ([]wholecall.Event, error) {
	s, events, err := d.known(events)
	if err != nil {
		return events, err
	}
	if err := d.belongs(s, kind); err != nil {
		return events, err
	}
	w := d.w
	if w.seen&rDelta == 0 {
		return events, malformed(nil, "a %s without its text", w.typ)
	}
	if d.on.obfuscated && kind == functionItem {
		return append(events, deviate(rObfuscated)), nil
	}
	if d.on.cumulative && kind == functionItem {
		return d.snapshot(events, s, w.delta), nil
	}
	return d.piece(events, s, w.delta), nil
}

// belongs checks that an event about a call is about this one: its kind is the item's, and where it
// carries an id or a name, they are the call's.
func (d *responsesDecoder) belongs(s *itemState, kind itemKind) error {
	w := d.w
	switch {
	case s.kind != kind:
		return d.failure(wholecall.MismatchedPart, s, "a "+string(w.typ)+" for an item of type "+s.typ)
	case len(w.callID.raw) > 0 && !d.same(w.callID, s.callID):
		return d.failure(wholecall.ConflictingIdentity, s, "a "+string(w.typ)+" with another call_id than its item")
	case len(w.name.raw) > 0 && !d.same(w.name, s.name):
		return d.failure(wholecall.ConflictingIdentity, s, "a "+string(w.typ)+" with another name than its item")
	}
	return nil
}

// copyDone hands on the copy of the whole arguments that ends their fragments.
func (d *responsesDecoder) copyDone(events []wholecall.Event, kind itemKind, member uint32) ([]wholecall.Event, error) {
	s, events, err := d.known(events)
	if err != nil {
		return events, err
	}
	if err := d.belongs(s, kind); err != nil {
		return events, err
	}
	events = d.settle(events, s)
	if d.w.seen&member == 0 && d.on.cumulative && s.joined {
		return events, nil
	}
	if d.w.seen&member == 0 {
		return events, malformed(nil, "a %s without its text", d.w.typ)
	}
	s.copied = true
	return append(events, d.copy(s, d.w.whole, "arguments.done")), nil
}

func (d *responsesDecoder) copy(s *itemState, t text, name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Document, Key: s.key(), Name: []byte(name), Data: t.raw, Escaped: t.escaped}
}

// itemDone ends an item.
func (d *responsesDecoder) itemDone(events []wholecall.Event) ([]wholecall.Event, error) {
	if w := d.w; d.on.onlyInDone && w.seen&rIndex != 0 && d.find(w.index) == nil {
		var err error
		if events, err = d.added(append(events, deviate(rOnlyInDone))); err != nil {
			return events, err
		}
	}
	s, events, err := d.known(events)
	if err != nil {
		var pe *wholecall.ProtocolError
		if errors.As(err, &pe) && pe.Kind == wholecall.Unannounced {
			pe.Switch = rOnlyInDone
		}
		return events, err
	}
	if d.w.item == nil {
		return events, malformed(nil, "a %s without an item", d.w.typ)
	}
	it, err := parseItem(&d.sub, d.w.item)
	if err != nil {
		return events, err
	}
	if events, err = d.sameItem(events, s, &it); err != nil {
		return events, err
	}
	s.open = false
	switch {
	case s.kind.isCall():
		return d.callDone(events, s, &it)
	case s.kind == dataItem:
		return appendData(events, s.key(), it.typ, it.raw), nil
	}
	return d.textItemDone(events, s, &it)
}

func appendData(events []wholecall.Event, key wholecall.Key, typ, raw []byte) []wholecall.Event {
	return append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: typ, Data: raw},
		wholecall.Event{Kind: wholecall.ClosePart, Key: key})
}

// sameItem checks that a later copy of an item is of the same item. What it leaves out or has empty
// does not count against it, and changes nothing. A tool search's first id is a placeholder.
func (d *responsesDecoder) sameItem(events []wholecall.Event, s *itemState, it *responsesItem) ([]wholecall.Event, error) {
	conflict := ""
	switch {
	case len(it.typ) > 0 && string(it.typ) != s.typ:
		conflict = "type"
	case len(it.callID) > 0 && s.callID != "" && string(it.callID) != s.callID && s.kind != searchItem:
		conflict = "call_id"
	case len(it.name) > 0 && !s.kind.named() && s.kind.isCall() && string(it.name) != s.name:
		conflict = "name"
	}
	if conflict != "" {
		return events, d.failure(wholecall.ConflictingIdentity, s, "a copy of the item has another "+conflict+" than the item that was added")
	}
	if len(it.id) > 0 && s.id != "" && string(it.id) != s.id {
		events = append(events, deviate(rItemID))
	}
	if len(it.typ) == 0 || len(it.callID) == 0 && s.callID != "" || len(it.name) == 0 && s.kind.isCall() && !s.kind.named() {
		events = append(events, deviate(rEmptyIdentity))
	}
	return events, nil
}

// callDone ends a call with what its item says.
func (d *responsesDecoder) callDone(events []wholecall.Event, s *itemState, it *responsesItem) ([]wholecall.Event, error) {
	if s.kind.streams() {
		events = d.settle(events, s)
		t, err := d.document(s, it)
		if err != nil {
			return events, err
		}
		if t.raw != nil {
			events = append(events, d.copy(s, t, "output_item.done"))
		}
		return append(events, d.end(s, it)), nil
	}
	if s.kind == searchItem {
		var err error
		s.id, s.callID = string(it.id), string(it.callID)
		if events, err = d.announce(events, s, it); err != nil {
			return events, err
		}
	}
	doc := s.object(it)
	if doc == nil && s.kind == hostedItem {
		doc = []byte("{}") // a call that shows no action has no arguments; nothing more will come
	}
	if doc != nil {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: doc})
	}
	events = append(events, d.end(s, it))
	if s.typ == "computer_call" && len(it.checks) > 2 && it.checks[0] == '[' { // an echo must acknowledge them
		events = appendData(events, wholecall.Key{Index: s.index, Sub: wholeItem}, it.typ, it.raw)
	}
	return events, nil
}

// end is the end of a call, with what its status says of it.
func (d *responsesDecoder) end(s *itemState, it *responsesItem) wholecall.Event {
	return wholecall.Event{Kind: wholecall.End, Key: s.key(), Reason: d.reasonOf(s, it)}
}

// reasonOf says whether an item's status calls it unfinished. One that a program called stays in
// progress until its result is there; one that the provider runs tells with its status how that went.
func (d *responsesDecoder) reasonOf(s *itemState, it *responsesItem) wholecall.Reason {
	switch status := string(it.status); {
	case status == "" || status == "completed":
		return ""
	case status == "incomplete":
		return wholecall.ReasonTruncated
	case s.runner == wholecall.ProviderRuns:
		return ""
	case status == "in_progress" && d.programmatic(it):
		return ""
	}
	return wholecall.ReasonUnfinished
}

// programmatic reports whether a program called: a caller of a type that is not "direct".
func (d *responsesDecoder) programmatic(it *responsesItem) bool {
	typ := stringIn(&d.sub, it.caller, "type")
	return len(typ) > 0 && string(typ) != "direct"
}

// announcePending announces the tool searches that were added and never done, so that they fail rather
// than vanish.
func (d *responsesDecoder) announcePending(events []wholecall.Event) []wholecall.Event {
	for i := range d.items {
		s := &d.items[i]
		if !s.open || s.kind != searchItem || s.announced {
			continue
		}
		id := s.callID
		if id == "" {
			id = s.id
		}
		if id == "" {
			id = s.typ
		}
		s.announced = true
		events = append(events, wholecall.Event{Kind: wholecall.Announce, Key: s.key(), Runner: s.runner,
			ID: []byte(id), Name: []byte(s.typ)})
	}
	return events
}
