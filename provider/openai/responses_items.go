package openai

import (
	"bytes"
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// itemKind says what an item is, which is what its events may say of it.
type itemKind uint8

const (
	dataItem      itemKind = iota // known or not, it is handed on as it stands
	messageItem                   // text and refusals
	reasoningItem                 // texts and summaries
	functionItem                  // a call with JSON in arguments
	customItem                    // a call with free text in input
	mcpItem                       // a call of the provider with JSON in arguments
	codeItem                      // a call of the provider with a program in code
	hostedItem                    // a call of the provider that shows at most its action
	objectItem                    // a call with its arguments as an object: action or operation
	searchItem                    // a tool search: all that counts stands in output_item.done
)

func (k itemKind) isCall() bool { return k >= functionItem }

// streams reports whether a call's arguments are a string, which comes in fragments and in copies.
func (k itemKind) streams() bool { return k >= functionItem && k <= codeItem }

// named reports whether a call is named by its item's type, having no name of its own.
func (k itemKind) named() bool { return k >= codeItem }

func kindOfItem(typ string) itemKind {
	switch typ {
	case "message":
		return messageItem
	case "reasoning":
		return reasoningItem
	case "function_call":
		return functionItem
	case "custom_tool_call":
		return customItem
	case "mcp_call":
		return mcpItem
	case "code_interpreter_call":
		return codeItem
	case "web_search_call", "file_search_call", "image_generation_call":
		return hostedItem
	case "computer_call", "shell_call", "local_shell_call", "apply_patch_call":
		return objectItem
	case "tool_search_call":
		return searchItem
	}
	return dataItem
}

// itemState is what the decoder knows of an item.
type itemState struct {
	index     int32
	kind      itemKind
	runner    wholecall.Runner
	open      bool
	announced bool // to the accumulator: a tool search is so only at its end
	copied    bool // its whole arguments came in an event of their own
	listed    bool // it stands in the final output

	typ, id, callID, name string

	parts []partState
	part  int // the one used last

	// text is what came of the arguments, kept where a final copy may have to complete it.
	// Where deltas are cumulative it is the last of them, until it is handed on.
	text   []byte
	carry  uint16
	joined bool // a delta was no extension of the one before it, or the last was handed on
}

func (s *itemState) key() wholecall.Key { return wholecall.Key{Index: s.index} }

// find returns the item at an index, or nil.
func (d *responsesDecoder) find(index int32) *itemState {
	if d.cache < len(d.items) && d.items[d.cache].index == index {
		return &d.items[d.cache]
	}
	// Items count up from 0 as a rule, so that one stands at its own index.
	if index >= 0 && int(index) < len(d.items) && d.items[index].index == index {
		d.cache = int(index)
		return &d.items[index]
	}
	for i := range d.items {
		if d.items[i].index == index {
			d.cache = i
			return &d.items[i]
		}
	}
	return nil
}

// known returns the open item that the event belongs to, and counts it where the event calls the item
// by another id.
func (d *responsesDecoder) known(events []wholecall.Event) (*itemState, []wholecall.Event, error) {
	w := d.w
	if w.seen&rIndex == 0 {
		return nil, events, missingPosition(w, "output_index")
	}
	s := d.find(w.index)
	switch {
	case s == nil:
		return nil, events, &wholecall.ProtocolError{Kind: wholecall.Unannounced, HasKey: true,
			Key: wholecall.Key{Index: w.index}, Detail: "a " + string(w.typ) + " for an item that was never added"}
	case !s.open:
		return nil, events, d.failure(wholecall.Late, s, "a "+string(w.typ)+" for an item that is already done")
	}
	if len(w.itemID.raw) > 0 && !d.same(w.itemID, s.id) {
		events = append(events, deviate(rItemID))
	}
	return s, events, nil
}

// same reports whether a text is s, or s is not known.
func (d *responsesDecoder) same(t text, s string) bool {
	if s == "" || string(t.raw) == s {
		return true
	}
	if !t.escaped {
		return false
	}
	d.scratch = appendUnescaped(d.scratch[:0], t)
	return string(d.scratch) == s
}

// added begins an item. A message or reasoning item opens no part by itself.
func (d *responsesDecoder) added(events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	if w.seen&rIndex == 0 {
		return events, missingPosition(w, "output_index")
	}
	if w.item == nil {
		return events, malformed(nil, "a %s without an item", w.typ)
	}
	if s := d.find(w.index); s != nil {
		return events, d.failure(wholecall.DuplicateAnnouncement, s, "an item is added at an output_index that already has one")
	}
	it, err := parseItem(&d.sub, w.item)
	if err != nil {
		return events, err
	}
	if len(it.typ) == 0 {
		return events, malformed(nil, "an item without a type")
	}
	if w.index != int32(len(d.items)) {
		events = append(events, deviate(rSparseIndex))
	}
	s := d.newItem(w.index, &it)
	if !s.kind.isCall() {
		return events, nil
	}
	if s.id == "" {
		events = append(events, deviate(rMissingItemID))
	}
	if s.kind == searchItem {
		return events, nil
	}
	return d.announce(events, s, &it)
}

func (d *responsesDecoder) newItem(index int32, it *responsesItem) *itemState {
	s := itemState{index: index, kind: kindOfItem(string(it.typ)), open: true, typ: string(it.typ),
		id: string(it.id), callID: string(it.callID), name: string(it.name)}
	s.runner = d.runnerOf(s.kind, it)
	d.items = append(d.items, s)
	d.cache = len(d.items) - 1
	return &d.items[d.cache]
}

// runnerOf says who must run a call. A shell call in a container of the provider's is its own: its
// output follows as an item of the same turn.
func (d *responsesDecoder) runnerOf(kind itemKind, it *responsesItem) wholecall.Runner {
	switch kind {
	case mcpItem, codeItem, hostedItem:
		return wholecall.ProviderRuns
	case searchItem:
		if string(it.execution) != "client" {
			return wholecall.ProviderRuns
		}
	case objectItem:
		switch string(stringIn(&d.sub, it.environment, "type")) {
		case "container_reference", "container_auto":
			return wholecall.ProviderRuns
		}
	}
	return wholecall.ClientRuns
}

// announce announces a call. Its id is the one that a result is returned against; a call that the
// provider runs may have none, and goes by its item's id.
func (d *responsesDecoder) announce(events []wholecall.Event, s *itemState, it *responsesItem) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: s.key(), Runner: s.runner, ID: it.callID, Name: it.name}
	if len(ev.ID) == 0 && s.runner == wholecall.ProviderRuns {
		ev.ID = it.id
	}
	switch s.kind {
	case customItem, codeItem:
		ev.Form = wholecall.TextArguments
	case functionItem:
		ev.Empty = wholecall.EmptyNeedsDialect
		if d.on.emptyArguments {
			ev.Empty = wholecall.EmptyIsObjectByDialect
		}
	}
	if s.kind.named() {
		ev.Name = it.typ
	}
	if s.runner == wholecall.ProviderRuns {
		ev.Empty = wholecall.EmptyIsObject
	}
	s.name, s.announced = string(ev.Name), true
	ev.Extra = s.extra(it)
	events = append(events, ev)
	if !s.kind.streams() {
		return events, nil
	}
	t, err := d.document(s, it)
	if err == nil && len(t.raw) > 0 {
		events = d.piece(events, s, t)
	}
	return events, err
}

// document is the copy of the whole arguments that an item holds, where they are a string.
func (d *responsesDecoder) document(s *itemState, it *responsesItem) (text, error) {
	raw := it.arguments
	switch s.kind {
	case customItem:
		raw = it.input
	case codeItem:
		raw = it.code
	}
	t, ok := textOf(raw)
	if !ok {
		return t, malformed(nil, "the arguments of a %s are no string", it.typ)
	}
	return t, nil
}

// object is the document of a call whose arguments are no string, as it stands; nil if there is none.
func (s *itemState) object(it *responsesItem) []byte {
	switch {
	case s.kind == searchItem:
		return it.arguments
	case s.typ == "apply_patch_call":
		return it.operation
	case it.action == nil && s.typ == "computer_call":
		return it.actions
	}
	return it.action
}

// extra is what an echo must give back of a call beside its id, its name and its arguments.
func (s *itemState) extra(it *responsesItem) []byte {
	b := []byte{'{'}
	if s.kind != functionItem {
		b = append(b, `"type":`...)
		b = strictjson.AppendQuoted(b, it.typ)
	}
	if len(it.id) > 0 && len(it.callID) > 0 {
		b = appendMember(b, "item_id", strictjson.AppendQuoted(nil, it.id))
	}
	b = appendMember(b, "caller", it.caller)
	b = appendMember(b, "namespace", it.namespace)
	b = appendMember(b, "server_label", it.server)
	b = appendMember(b, "container_id", it.container)
	b = appendMember(b, "environment", it.environment)
	if len(it.execution) > 0 {
		b = appendMember(b, "execution", strictjson.AppendQuoted(nil, it.execution))
	}
	if len(b) == 1 {
		return nil
	}
	return append(b, '}')
}

// snapshot keeps a delta that holds all the text so far, in the place of the one before it.
func (d *responsesDecoder) snapshot(events []wholecall.Event, s *itemState, t text) []wholecall.Event {
	if s.joined {
		return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: t.raw, Escaped: t.escaped})
	}
	next := bytes.Clone(t.raw)
	if t.escaped {
		next, _, _ = strictjson.AppendUnescaped(nil, t.raw, 0)
	}
	if bytes.HasPrefix(next, s.text) {
		s.text = next
		return append(events, deviate(rCumulative))
	}
	return append(d.settle(events, s), wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: next})
}

// settle hands on the last of the deltas that hold all the text so far.
func (d *responsesDecoder) settle(events []wholecall.Event, s *itemState) []wholecall.Event {
	if !d.on.cumulative || s.joined || len(s.text) == 0 {
		return events
	}
	s.joined = true
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: s.text})
}

// piece makes a fragment, and keeps it where a final copy may have to complete it.
func (d *responsesDecoder) piece(events []wholecall.Event, s *itemState, t text) []wholecall.Event {
	if d.on.noItemDone {
		if t.escaped {
			s.text, s.carry, _ = strictjson.AppendUnescaped(s.text, t.raw, s.carry)
		} else {
			s.text, s.carry, _ = strictjson.AppendPlain(s.text, t.raw, s.carry)
		}
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: t.raw, Escaped: t.escaped})
}
