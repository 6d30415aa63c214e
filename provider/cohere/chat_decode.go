package cohere

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// The number spaces of the parts that are no calls, as the Index of their keys.
const (
	contentSpace  = 0
	planSpace     = 1
	citationSpace = 2
)

// decoder reads one stream.
type decoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the event
	w   wire

	started   bool // an event of the turn was seen
	calls     []callState
	contents  []contentState
	plans     int32 // how many runs of the tool plan there were
	planning  bool  // the last of them is open
	citations int32 // how many stand alone
}

// callState is what the decoder knows of a call.
type callState struct {
	index    int32
	id, name string
}

// contentState is what the decoder knows of a content.
type contentState struct {
	index int32
	kind  wholecall.PartKind
	open  bool
}

func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		return events, nil
	}
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	switch {
	case w.seen&hasType == 0:
		return events, malformed(nil, "an event without a type")
	case len(f.Event) > 0 && string(f.Event) != string(w.typ):
		return events, malformed(nil, "the event is named %q, and its data says type %q", f.Event, w.typ)
	case w.seen&hasList != 0:
		return events, malformed(nil, "a %s with a list of whole content or calls", w.typ)
	}
	switch string(w.typ) {
	case "content-delta":
		return d.contentDelta(events)
	case "tool-call-delta":
		return d.callDelta(events)
	case "tool-plan-delta":
		return d.planDelta(events)
	case "content-start":
		return d.contentStart(d.missing(events))
	case "content-end":
		return d.contentEnd(events)
	case "tool-call-start":
		return d.callStart(d.missing(events))
	case "tool-call-end":
		return d.callEnd(events)
	case "citation-start":
		return d.cite(d.missing(events))
	case "citation-end", "debug":
		return events, nil
	case "message-start":
		d.started = true
		return append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.id}), nil
	case "message-end":
		return d.messageEnd(d.missing(events))
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// End implements wholecall.Decoder. Nothing ends a turn but message-end.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder.
func (d *decoder) Begins(f *frame.Frame) bool {
	var w wire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == "message-start"
}

func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// missing reports, once, that the stream does not begin with message-start. No call is lost by that:
// each is announced by its own event.
func (d *decoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

// contentKey is the key of a content: its index counts beside that of the calls.
func contentKey(index int32) wholecall.Key {
	return wholecall.Key{Index: contentSpace, Sub: index + 1}
}

func (d *decoder) content(index int32) *contentState {
	for i := len(d.contents) - 1; i >= 0; i-- {
		if d.contents[i].index == index {
			return &d.contents[i]
		}
	}
	return nil
}

func (d *decoder) contentStart(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasIndex == 0 || w.seen&hasContentType == 0 {
		return events, malformed(nil, "content starts without an index or without a type")
	}
	ev := wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: contentKey(w.index)}
	var first text
	switch string(w.contType) {
	case "text":
		ev.Part, first = wholecall.TextPart, w.text
	case "thinking":
		ev.Part, first = wholecall.ReasoningPart, w.thinking
	default:
		ev.Name, ev.Data = w.contType, w.content
	}
	d.contents = append(d.contents, contentState{w.index, ev.Part, true})
	events = append(d.endPlan(events), ev)
	if len(first.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: ev.Key, Data: first.raw, Escaped: first.escaped})
	}
	return events, nil
}

func (d *decoder) contentDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasIndex == 0 {
		return events, malformed(nil, "a content-delta without an index")
	}
	ev := wholecall.Event{Kind: wholecall.Delta, Key: contentKey(w.index)}
	kind := wholecall.DataPart // where nothing began, the accumulator says so
	if st := d.content(w.index); st != nil {
		kind = st.kind
	}
	switch w.seen & (hasText | hasThinking) {
	case hasText:
		ev.Data, ev.Escaped = w.text.raw, w.text.escaped
		if kind == wholecall.ReasoningPart {
			return events, mismatched(ev.Key, "text for content that is thinking")
		}
	case hasThinking:
		ev.Data, ev.Escaped = w.thinking.raw, w.thinking.escaped
		if kind == wholecall.TextPart {
			return events, mismatched(ev.Key, "thinking for content that is text")
		}
	case 0:
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
	default:
		return events, malformed(nil, "a content-delta that is both text and thinking")
	}
	return append(events, ev), nil
}

func mismatched(key wholecall.Key, detail string) error {
	return &wholecall.ProtocolError{Kind: wholecall.MismatchedPart, HasKey: true, Key: key, Detail: detail}
}

func (d *decoder) contentEnd(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasIndex == 0 {
		return events, malformed(nil, "a content-end without an index")
	}
	if st := d.content(w.index); st != nil {
		st.open = false
	}
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: contentKey(w.index)}), nil
}

// planDelta reads a piece of the tool plan. It has no index and no end: what begins next ends its run.
func (d *decoder) planDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasPlan == 0 {
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
	}
	if !d.planning {
		if len(w.plan.raw) == 0 {
			return events, nil
		}
		d.planning = true
		d.plans++
		events = append(d.missing(events), wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.ReasoningPart, Key: d.planKey()})
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: d.planKey(), Data: w.plan.raw, Escaped: w.plan.escaped}), nil
}

func (d *decoder) planKey() wholecall.Key {
	return wholecall.Key{Index: planSpace, Sub: d.plans}
}

func (d *decoder) endPlan(events []wholecall.Event) []wholecall.Event {
	if !d.planning {
		return events
	}
	d.planning = false
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: d.planKey()})
}

// callKey returns the key of the call that the event belongs to.
func (d *decoder) callKey() (wholecall.Key, error) {
	if d.w.seen&hasIndex == 0 {
		return wholecall.Key{}, &wholecall.ProtocolError{Kind: wholecall.MissingIndex,
			Detail: fmt.Sprintf("a %s without an index", d.w.typ)}
	}
	return wholecall.Key{Index: d.w.index}, nil
}

func (d *decoder) callStart(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	key, err := d.callKey()
	if err != nil {
		return events, err
	}
	if w.seen&hasCall == 0 {
		return events, malformed(nil, "a tool-call-start without a call")
	}
	if w.index != int32(len(d.calls)) && d.call(w.index) == nil {
		events = append(events, deviate(sparseIndex))
	}
	d.calls = append(d.calls, callState{w.index, string(w.call.id), string(w.call.name)})
	events = append(d.endPlan(events), wholecall.Event{Kind: wholecall.Announce, Key: key, ID: w.call.id, Name: w.call.name,
		Empty: wholecall.EmptyIsObject})
	if len(w.call.args.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: w.call.args.raw, Escaped: w.call.args.escaped})
	}
	return events, nil
}

// call returns what is known of the call with the index, or nil.
func (d *decoder) call(index int32) *callState {
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].index == index {
			return &d.calls[i]
		}
	}
	return nil
}

func (d *decoder) callDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	key, err := d.callKey()
	if err != nil {
		return events, err
	}
	if w.seen&(hasCallID|hasName) != 0 {
		if events, err = d.identity(events, key); err != nil {
			return events, err
		}
	}
	if w.seen&hasArgs == 0 {
		return events, &wholecall.ProtocolError{Kind: wholecall.UnknownDelta, HasKey: true, Key: key,
			Detail: "a tool-call-delta without arguments"}
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: w.call.args.raw, Escaped: w.call.args.escaped}), nil
}

// identity holds an id or a name that stands on a delta, where none is documented, against the call's.
func (d *decoder) identity(events []wholecall.Event, key wholecall.Key) ([]wholecall.Event, error) {
	w := &d.w
	st := d.call(w.index)
	switch {
	case st == nil: // the accumulator says that it was never announced
		return events, nil
	case w.seen&hasCallID != 0 && string(w.call.id) != st.id, w.seen&hasName != 0 && string(w.call.name) != st.name:
		return events, &wholecall.ProtocolError{Kind: wholecall.ConflictingIdentity, HasKey: true, Key: key, ID: st.id, Name: st.name,
			Detail: "a tool-call-delta with another id or name than its call was announced with"}
	}
	if w.seen&hasCallID != 0 {
		events = append(events, deviate(repeatedID))
	}
	if w.seen&hasName != 0 {
		events = append(events, deviate(repeatedName))
	}
	return events, nil
}

func (d *decoder) callEnd(events []wholecall.Event) ([]wholecall.Event, error) {
	key, err := d.callKey()
	if err != nil {
		return events, err
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: key}), nil
}
