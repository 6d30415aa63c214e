package openai

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func realtimeKind(typ []byte) itemKind {
	switch string(typ) {
	case "message":
		return messageItem
	case "function_call":
		return functionItem
	case "mcp_call":
		return mcpItem
	}
	return dataItem
}

// added begins an item. A message opens no part by itself.
func (d *realtimeDecoder) added(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	r, events, err := d.current(events, w.responseID, true)
	switch {
	case err != nil:
		return events, err
	case w.seen&rtIndex == 0:
		return events, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a response.output_item.added without output_index"}
	case w.item == nil:
		return events, malformed(nil, "a %s without an item", w.typ)
	}
	if old := r.find(w.index); old != nil {
		return events, old.failure(wholecall.DuplicateAnnouncement, "an item is added at an output_index that already has one")
	}
	item, err := parseItem(&d.sub, w.item)
	if err != nil {
		return events, err
	}
	if len(item.typ) == 0 {
		return events, malformed(nil, "an item without a type")
	}
	if w.index != int32(len(r.items)) {
		events = append(events, deviate(rSparseIndex))
	}
	r.items = append(r.items, realtimeItem{key: wholecall.Key{Choice: r.choice, Index: w.index}, kind: realtimeKind(item.typ),
		open: true, typ: string(item.typ), id: string(item.id), callID: string(item.callID), name: string(item.name)})
	it := &r.items[len(r.items)-1]
	if !it.kind.isCall() {
		return events, nil
	}
	return d.announce(events, it, &item)
}

// announce announces a call. One that the provider runs goes by its item's id.
func (d *realtimeDecoder) announce(events []wholecall.Event, it *realtimeItem, item *responsesItem) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: it.key, ID: item.callID, Name: item.name, Empty: wholecall.EmptyNeedsDialect}
	switch {
	case it.kind == mcpItem:
		it.callID = it.id
		ev.ID, ev.Runner, ev.Empty = item.id, wholecall.ProviderRuns, wholecall.EmptyIsObject
	case d.emptyArguments:
		ev.Empty = wholecall.EmptyIsObjectByDialect
	}
	ev.Extra = d.extra(it, item)
	events = append(events, ev)
	t, ok := textOf(item.arguments)
	if !ok {
		return events, malformed(nil, "the arguments of a %s are no string", item.typ)
	}
	if len(t.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: it.key, Data: t.raw, Escaped: t.escaped})
	}
	return events, nil
}

// extra is what an echo must give back of a call beside its id, its name and its arguments.
func (d *realtimeDecoder) extra(it *realtimeItem, item *responsesItem) []byte {
	b := append(d.scratch[:0], '{')
	if it.kind == mcpItem {
		b = append(b, `"type":"mcp_call"`...)
		b = appendMember(b, "server_label", item.server)
	} else if len(item.id) > 0 {
		b = appendMember(b, "item_id", strictjson.AppendQuoted(nil, item.id))
	}
	d.scratch = b
	if len(b) == 1 {
		return nil
	}
	d.scratch = append(b, '}')
	return d.scratch
}

// call returns the open call that the event belongs to. Every event about a function call says its
// call_id; where it does not, the position has to do.
func (d *realtimeDecoder) call(events []wholecall.Event, kind itemKind) (*realtimeItem, []wholecall.Event, error) {
	it, err := d.item()
	if err != nil {
		return nil, events, err
	}
	w := &d.w
	switch {
	case it.kind != kind:
		return nil, events, it.failure(wholecall.MismatchedPart, "a "+string(w.typ)+" for an item of type "+it.typ)
	case w.seen&rtCallID != 0 && string(w.callID) != it.callID && kind == functionItem:
		return nil, events, it.failure(wholecall.ConflictingIdentity, "a "+string(w.typ)+" with another call_id than its item")
	case w.seen&rtName != 0 && string(w.name) != it.name:
		return nil, events, it.failure(wholecall.ConflictingIdentity, "a "+string(w.typ)+" with another name than its item")
	case w.seen&rtCallID == 0 && kind == functionItem:
		events = append(events, deviate(rtMissingCallID))
	}
	return it, events, nil
}

func (d *realtimeDecoder) fragment(events []wholecall.Event, kind itemKind) ([]wholecall.Event, error) {
	it, events, err := d.call(events, kind)
	if err != nil {
		return events, err
	}
	if d.w.seen&rtDelta == 0 {
		return events, it.failure(wholecall.UnknownDelta, "a "+string(d.w.typ)+" without its delta")
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: it.key, Data: d.w.delta.raw, Escaped: d.w.delta.escaped}), nil
}

// argumentsDone hands on a copy. It is no end: it comes for a call that was cut as well.
func (d *realtimeDecoder) argumentsDone(events []wholecall.Event, kind itemKind) ([]wholecall.Event, error) {
	it, events, err := d.call(events, kind)
	if err != nil {
		return events, err
	}
	if d.w.seen&rtArguments == 0 {
		return events, malformed(nil, "a %s without its arguments", d.w.typ)
	}
	return append(events, it.copy(d.w.whole, "arguments.done")), nil
}

func (it *realtimeItem) copy(t text, name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Document, Key: it.key, Name: []byte(name), Data: t.raw, Escaped: t.escaped}
}

// itemDone closes an item. A call stays open: only its response's end says whether it is whole.
func (d *realtimeDecoder) itemDone(events []wholecall.Event) ([]wholecall.Event, error) {
	it, err := d.item()
	if err != nil {
		return events, err
	}
	if d.w.item == nil {
		return events, malformed(nil, "a %s without an item", d.w.typ)
	}
	item, err := parseItem(&d.sub, d.w.item)
	if err != nil {
		return events, err
	}
	if err := it.same(&item); err != nil {
		return events, err
	}
	it.open = false
	switch {
	case it.kind.isCall():
		return d.confirm(events, it, &item, "output_item.done")
	case it.kind == dataItem:
		return appendData(events, it.key, []byte(it.typ), item.raw), nil
	}
	return d.messageDone(events, it, item.content)
}

// same checks that a later copy of an item is of the same item.
func (it *realtimeItem) same(item *responsesItem) error {
	conflict := ""
	switch {
	case len(item.typ) > 0 && string(item.typ) != it.typ:
		conflict = "type"
	case len(item.id) > 0 && it.id != "" && string(item.id) != it.id:
		conflict = "id"
	case len(item.callID) > 0 && it.kind == functionItem && string(item.callID) != it.callID:
		conflict = "call_id"
	case len(item.name) > 0 && it.kind.isCall() && string(item.name) != it.name:
		conflict = "name"
	}
	if conflict == "" {
		return nil
	}
	return it.failure(wholecall.ConflictingIdentity, "a copy of the item has another "+conflict+" than the item that was added")
}

// confirm takes a copy of a whole call: its document, and what its status says.
func (d *realtimeDecoder) confirm(events []wholecall.Event, it *realtimeItem, item *responsesItem, name string) ([]wholecall.Event, error) {
	t, ok := textOf(item.arguments)
	if !ok {
		return events, malformed(nil, "the arguments of a %s are no string", it.typ)
	}
	it.confirmed = true
	if string(item.status) == statusIncomplete {
		it.reason = wholecall.ReasonTruncated
	}
	if t.raw == nil {
		return events, nil
	}
	return append(events, it.copy(t, name)), nil
}
