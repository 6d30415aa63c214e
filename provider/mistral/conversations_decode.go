package mistral

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// convDecoder reads one stream.
type convDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the event
	w   convEvent

	started bool
	runs    runs
	place   [2]int32 // output and content index of the open run
	calls   []convCall
	scratch []byte
}

// convCall is what the decoder knows of a call.
type convCall struct {
	index    int32
	id, name string
	server   bool
}

func (d *convDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
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
	}
	switch string(w.typ) {
	case messageDelta:
		return d.message(d.missing(events))
	case callDelta:
		return d.call(d.missing(events))
	case toolStarted:
		return d.toolStart(d.missing(events))
	case toolDelta:
		return d.tool(events, wholecall.Fragment)
	case toolDone:
		return d.tool(events, wholecall.End)
	case handoffStarted, handoffDone:
		return d.runs.add(d.missing(events), &piece{typ: w.typ, raw: w.data}), nil
	case respStarted:
		d.started = true
		return append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.conversation}), nil
	case respDone:
		return d.finish(d.missing(events))
	case respError:
		return append(events, wholecall.Event{Kind: wholecall.Failure, ID: w.code, Data: w.message}), nil
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// End implements wholecall.Decoder. Nothing ends a turn but conversation.response.done.
func (d *convDecoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder.
func (d *convDecoder) Begins(f *frame.Frame) bool {
	var w convEvent
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == respStarted
}

// missing reports, once, that the stream does not begin with its own beginning. No call is lost by that:
// each piece of one carries its identity.
func (d *convDecoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

// message reads a piece of what the model says. Another place than that of the open run begins another.
func (d *convDecoder) message(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasContent == 0 {
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
	}
	if place := [2]int32{w.output, w.contentIndex}; place != d.place {
		events = d.runs.end(events)
		d.place = place
	}
	for i := range w.pieces {
		events = d.runs.add(events, &w.pieces[i])
	}
	return events, nil
}

func (d *convDecoder) find(index int32) *convCall {
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].index == index {
			return &d.calls[i]
		}
	}
	return nil
}

// call reads a piece of a call. The first one at its output_index announces it, and every other must say
// the same of its id and name.
func (d *convDecoder) call(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	key := wholecall.Key{Index: w.output}
	s := d.find(w.output)
	switch {
	case s == nil:
		d.calls = append(d.calls, convCall{index: w.output, id: string(w.callID), name: string(w.name)})
		events = append(d.runs.end(events), wholecall.Event{Kind: wholecall.Announce, Key: key, ID: w.callID, Name: w.name, Extra: d.extra()})
	case s.server:
		return events, refuse(wholecall.MismatchedPart, key, "a call of the client at the position of one that the provider runs")
	case string(w.callID) != s.id && len(w.callID) > 0:
		return events, refuse(wholecall.DuplicateAnnouncement, key, "another call at an output_index that has one")
	case string(w.callID) != s.id, string(w.name) != s.name:
		return events, refuse(wholecall.ConflictingIdentity, key, "a piece of a call without its id, or with another name")
	}
	if w.seen&hasArgs == 0 {
		return events, refuse(wholecall.UnknownDelta, key, "a piece of a call without arguments")
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: w.args.raw, Escaped: w.args.escaped}), nil
}

// extra is what a call says beside its id and name: whether somebody must confirm it first.
func (d *convDecoder) extra() []byte {
	if d.w.confirmation == nil {
		return nil
	}
	d.scratch = append(append(append(d.scratch[:0], `{"confirmation_status":`...), d.w.confirmation...), '}')
	return d.scratch
}

// toolStart begins a call that the provider runs. Its arguments are whole here, or go on in deltas.
func (d *convDecoder) toolStart(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	key := wholecall.Key{Index: w.output}
	d.calls = append(d.calls, convCall{index: w.output, id: string(w.id), name: string(w.name), server: true})
	events = append(d.runs.end(events), wholecall.Event{Kind: wholecall.Announce, Key: key, ID: w.id, Name: w.name,
		Runner: wholecall.ProviderRuns, Empty: wholecall.EmptyIsObject})
	if len(w.args.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: w.args.raw, Escaped: w.args.escaped})
	}
	return events, nil
}

// tool reads a piece, or the end, of a call that the provider runs.
func (d *convDecoder) tool(events []wholecall.Event, kind wholecall.EventKind) ([]wholecall.Event, error) {
	w := &d.w
	ev := wholecall.Event{Kind: kind, Key: wholecall.Key{Index: w.output}}
	s := d.find(w.output)
	switch {
	case s == nil: // the accumulator says that it was never announced
	case !s.server:
		return events, refuse(wholecall.MismatchedPart, ev.Key, "a call that the provider runs at the position of one of the client's")
	case string(w.id) != s.id:
		return events, refuse(wholecall.ConflictingIdentity, ev.Key, "a %s with another id than its call was announced with", w.typ)
	}
	if kind == wholecall.Fragment {
		if w.seen&hasArgs == 0 {
			return events, refuse(wholecall.UnknownDelta, ev.Key, "a %s without arguments", w.typ)
		}
		ev.Data, ev.Escaped = w.args.raw, w.args.escaped
	}
	return append(events, ev), nil
}

// finish ends the turn. The event gives no reason: that it comes says that the model was done.
func (d *convDecoder) finish(events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := report(&d.sub, d.runs.end(events), d.w.usage)
	if err != nil {
		return events, err
	}
	return append(events, wholecall.Event{Kind: wholecall.Stop, Name: d.w.typ, Ends: true},
		wholecall.Event{Kind: wholecall.Terminal}), nil
}
