package aisdk

import (
	"fmt"

	"github.com/wholecall/wholecall"
)

// failure makes an error about a call.
func (d *decoder) failure(kind wholecall.Kind, p *partState, detail string) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: p.key, ID: p.id, Name: p.name,
		Detail: fmt.Sprintf("a %s %s", d.w.typ, detail)}
}

func (d *decoder) callStart(events []wholecall.Event) ([]wholecall.Event, error) {
	if p := d.find(wholecall.CallPart, d.w.callID); p != nil {
		return events, d.failure(wholecall.DuplicateAnnouncement, p, "with a toolCallId that was announced before")
	}
	events, _ = d.announce(events)
	return events, nil
}

// announce announces a call. That an id or a name is missing, the accumulator says.
func (d *decoder) announce(events []wholecall.Event) ([]wholecall.Event, *partState) {
	w := &d.w
	events = d.missing(events)
	p := d.add(wholecall.CallPart, w.callID)
	p.name, p.executed, p.provider = string(w.name), w.executed, string(w.provider)
	ev := wholecall.Event{Kind: wholecall.Announce, Key: p.key, ID: w.callID, Name: w.name, Extra: d.extra()}
	if w.executed {
		ev.Runner = wholecall.ProviderRuns
	}
	return append(events, ev), p
}

// extra is what the announcing event says beside the call's id and name.
func (d *decoder) extra() []byte {
	w := &d.w
	b := append(d.scratch[:0], '{')
	b = appendMember(b, "dynamic", w.dynamic)
	b = appendMember(b, "title", w.title)
	b = appendMember(b, "toolMetadata", w.tool)
	b = appendMember(b, "providerMetadata", w.provider)
	d.scratch = b
	if len(b) == 1 {
		return nil
	}
	d.scratch = append(b, '}')
	return d.scratch
}

// appendMember appends a member with a JSON value to an object that is being written; a nil value is
// left out.
func appendMember(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(dst, value...)
}

// callDelta hands on a piece of a call's arguments. That it comes too late, the accumulator says.
func (d *decoder) callDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	p := d.find(wholecall.CallPart, w.callID)
	switch {
	case w.seen&hasCallID == 0:
		return events, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a tool-input-delta without a toolCallId"}
	case p == nil:
		return events, &wholecall.ProtocolError{Kind: wholecall.Unannounced, ID: string(w.callID),
			Detail: "a tool-input-delta for a call that was never announced"}
	case w.seen&hasInputDelta == 0:
		return events, d.failure(wholecall.UnknownDelta, p, "without inputTextDelta")
	case d.revised && p.open:
		return append(events, deviate(revisedInput)), nil
	}
	p.got = p.got || len(w.inputDelta.raw) > 0
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: p.key, Data: w.inputDelta.raw, Escaped: w.inputDelta.escaped}), nil
}

// callWhole ends a call with what stands whole in the event, or announces one that is whole. A call that
// the server could not make sense of ends as failed.
func (d *decoder) callWhole(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	p := d.find(wholecall.CallPart, w.callID)
	if p == nil {
		events, p = d.announce(events)
	} else {
		var err error
		if events, err = d.sameCall(events, p); err != nil {
			return events, err
		}
	}
	p.open = false
	end := wholecall.Event{Kind: wholecall.End, Key: p.key}
	if string(w.typ) == "tool-input-error" {
		end.Reason = wholecall.ReasonArgument
	}
	return append(d.copy(events, p, end.Reason != ""), end), nil
}

// sameCall checks that a later event about a call is about this one.
func (d *decoder) sameCall(events []wholecall.Event, p *partState) ([]wholecall.Event, error) {
	w := &d.w
	switch {
	case !p.open:
		return events, d.failure(wholecall.Late, p, "for a call that has already ended")
	case w.seen&hasName != 0 && string(w.name) != p.name:
		return events, d.failure(wholecall.ConflictingIdentity, p, "with another toolName than its call was announced with")
	case w.seen&hasExecuted != 0 && w.executed != p.executed:
		return events, d.failure(wholecall.ConflictingIdentity, p, "says otherwise who runs the call than its announcement")
	}
	if w.provider != nil && string(w.provider) != p.provider {
		events = append(events, deviate(lateMetadata))
	}
	return events, nil
}

// copy hands on the whole input. Where no delta brought a byte it is the document; a value in the place
// of a fragment stands as it is. The input of a call that failed on the server is kept for the eye, where
// nothing else was: a text, where it was no JSON.
func (d *decoder) copy(events []wholecall.Event, p *partState, failed bool) []wholecall.Event {
	w := &d.w
	ev := wholecall.Event{Kind: wholecall.Fragment, Key: p.key, Data: w.input}
	switch {
	case failed && p.got, w.seen&hasInput == 0 && !p.got:
		return events
	case w.seen&hasInput == 0:
		return append(events, deviate(emptyCopy))
	case p.got:
		ev.Kind, ev.Name = wholecall.Document, w.typ
	case failed && w.input[0] == '"':
		ev.Data, ev.Escaped = w.input[1:len(w.input)-1], true
	}
	return append(events, ev)
}
