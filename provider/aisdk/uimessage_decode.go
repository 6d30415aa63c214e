package aisdk

import (
	"bytes"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// decoder reads one stream.
type decoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the event
	w   wire

	revised bool // a dialect allows revised-input

	begun    bool
	started  bool // something that the model made was seen
	finished bool // finish or abort was seen
	ended    bool // the terminal was emitted

	parts   []partState
	last    int
	next    int32 // the position of the part that begins next
	step    int32 // the position that the step began at
	scratch []byte
}

// partState is what the decoder knows of a text or a call.
type partState struct {
	key  wholecall.Key
	kind wholecall.PartKind
	id   string
	open bool

	// The rest is for calls.
	name     string
	executed bool
	got      bool   // a delta brought a byte
	provider string // its providerMetadata, as announced
}

func newDecoder(d wholecall.Dialect) *decoder {
	return &decoder{revised: d.Has(revisedInput)}
}

func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		d.ended = true
		return append(events, wholecall.Event{Kind: wholecall.Terminal}), nil
	}
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	if w.seen&hasType == 0 {
		return events, malformed(nil, "an event without a type")
	}
	switch string(w.typ) {
	case "tool-input-delta":
		return d.callDelta(events)
	case "text-delta":
		return d.textDelta(events, wholecall.TextPart)
	case "reasoning-delta":
		return d.textDelta(events, wholecall.ReasoningPart)
	case "text-start":
		return d.textStart(events, wholecall.TextPart)
	case "reasoning-start":
		return d.textStart(events, wholecall.ReasoningPart)
	case "text-end":
		return d.textEnd(events, wholecall.TextPart)
	case "reasoning-end":
		return d.textEnd(events, wholecall.ReasoningPart)
	case "tool-input-start":
		return d.callStart(events)
	case "tool-input-available", "tool-input-error":
		return d.callWhole(events)
	}
	return d.turnEvent(events)
}

// turnEvent reads the events about the turn, and those that are a part each.
func (d *decoder) turnEvent(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	switch string(w.typ) {
	case "start":
		return d.start(events)
	case "start-step":
		d.step = d.next
		return events, nil
	case "finish-step":
		return d.endTexts(events), nil
	case "reset-step":
		if d.next != d.step {
			return events, &wholecall.ProtocolError{Kind: wholecall.Restarted,
				Detail: "a reset-step takes back a step of which parts were seen"}
		}
		return events, nil
	case "finish":
		return d.finish(d.endTexts(events)), nil
	case "abort":
		d.finished = true
		return append(d.endTexts(events), wholecall.Event{Kind: wholecall.Stop, Name: w.typ, Reason: wholecall.ReasonCancelled}), nil
	case "error":
		return append(events, wholecall.Event{Kind: wholecall.Failure, Data: w.fault}), nil
	}
	if isData(w.typ) {
		return d.data(events), nil
	}
	if bytes.HasPrefix(w.typ, []byte("tool-input-")) {
		return events, &wholecall.ProtocolError{Kind: wholecall.UnknownDelta, ID: string(w.callID),
			Detail: fmt.Sprintf("an event of type %q for a call", w.typ)}
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// End implements wholecall.Decoder. A finish is enough: a missing [DONE] behind it loses nothing.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event {
	if d.finished && !d.ended {
		d.ended = true
		events = append(events, wholecall.Event{Kind: wholecall.Terminal})
	}
	return events
}

// Begins implements wholecall.Decoder.
func (d *decoder) Begins(f *frame.Frame) bool {
	var w wire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == "start"
}

func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// missing reports, once, that what the model made does not follow a start. No call is lost by that: each
// is announced by its own event. An application's own data may well come before the start.
func (d *decoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.begun && !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

func (d *decoder) start(events []wholecall.Event) ([]wholecall.Event, error) {
	if d.begun || d.started {
		e := &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a second start"}
		if !d.begun {
			e.Detail = "a start behind what the model made"
		}
		return events, e
	}
	d.begun = true
	return append(events, wholecall.Event{Kind: wholecall.Begin, ID: d.w.messageID, Name: modelIn(&d.sub, d.w.metadata)}), nil
}

// finish says why the model stopped. The reason is optional: older versions have none, and calls have
// ends of their own.
func (d *decoder) finish(events []wholecall.Event) []wholecall.Event {
	d.finished = true
	w := &d.w
	if w.seen&hasFinish == 0 {
		return append(events, deviate(missingReason), wholecall.Event{Kind: wholecall.Stop, Name: w.typ})
	}
	if string(w.finish) == "error" {
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: w.typ, Data: []byte("the finish reason is error")})
	}
	return append(events, wholecall.Event{Kind: wholecall.Stop, Name: w.finish, Reason: reasonOf(string(w.finish)),
		Promises: string(w.finish) == "tool-calls"})
}

// reasonOf says what a finish reason means for a call that has no end of its own. A reason that this
// version does not know is taken for a good one: it completes nothing that did not end by itself.
func reasonOf(finish string) wholecall.Reason {
	switch finish {
	case "length":
		return wholecall.ReasonTokenLimit
	case "content-filter":
		return wholecall.ReasonContentFilter
	}
	return ""
}

// find returns the latest part of the kind with the id, or nil. An id of a text may be used again.
func (d *decoder) find(kind wholecall.PartKind, id []byte) *partState {
	if d.last < len(d.parts) && d.parts[d.last].kind == kind && d.parts[d.last].id == string(id) {
		return &d.parts[d.last]
	}
	for i := len(d.parts) - 1; i >= 0; i-- {
		if d.parts[i].kind == kind && d.parts[i].id == string(id) {
			d.last = i
			return &d.parts[i]
		}
	}
	return nil
}

func (d *decoder) add(kind wholecall.PartKind, id []byte) *partState {
	d.parts = append(d.parts, partState{key: wholecall.Key{Index: d.next}, kind: kind, id: string(id), open: true})
	d.next++
	d.last = len(d.parts) - 1
	return &d.parts[d.last]
}

// data makes a part of the whole event.
func (d *decoder) data(events []wholecall.Event) []wholecall.Event {
	key := wholecall.Key{Index: d.next}
	d.next++
	return append(events,
		wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: d.w.typ, Data: d.w.data},
		wholecall.Event{Kind: wholecall.ClosePart, Key: key})
}

func (d *decoder) textStart(events []wholecall.Event, kind wholecall.PartKind) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasID == 0 {
		return events, malformed(nil, "a %s without an id", w.typ)
	}
	if p := d.find(kind, w.id); p != nil && p.open {
		return events, &wholecall.ProtocolError{Kind: wholecall.DuplicateAnnouncement, HasKey: true, Key: p.key,
			Detail: fmt.Sprintf("a %s with the id of a part that is open", w.typ)}
	}
	p := d.add(kind, w.id)
	events = append(d.missing(events), wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: p.key})
	return d.annotate(events, p), nil
}

// annotate hands on the metadata of the model's provider, such as a signature, which must go back.
func (d *decoder) annotate(events []wholecall.Event, p *partState) []wholecall.Event {
	if d.w.provider == nil {
		return events
	}
	return append(events, wholecall.Event{Kind: wholecall.Annotate, Key: p.key, Data: d.w.provider})
}

// openText returns the open text that the event belongs to.
func (d *decoder) openText(kind wholecall.PartKind) (*partState, error) {
	w := &d.w
	if w.seen&hasID == 0 {
		return nil, malformed(nil, "a %s without an id", w.typ)
	}
	p := d.find(kind, w.id)
	switch {
	case p == nil:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Unannounced,
			Detail: fmt.Sprintf("a %s for a part that never began", w.typ)}
	case !p.open:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Late, HasKey: true, Key: p.key,
			Detail: fmt.Sprintf("a %s for a part that has already ended", w.typ)}
	}
	return p, nil
}

func (d *decoder) textDelta(events []wholecall.Event, kind wholecall.PartKind) ([]wholecall.Event, error) {
	p, err := d.openText(kind)
	if err != nil {
		return events, err
	}
	w := &d.w
	if w.seen&hasDelta == 0 {
		return events, malformed(nil, "a %s without its text", w.typ)
	}
	events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: p.key, Data: w.delta.raw, Escaped: w.delta.escaped})
	return d.annotate(events, p), nil
}

func (d *decoder) textEnd(events []wholecall.Event, kind wholecall.PartKind) ([]wholecall.Event, error) {
	p, err := d.openText(kind)
	if err != nil {
		return events, err
	}
	p.open = false
	return append(d.annotate(events, p), wholecall.Event{Kind: wholecall.ClosePart, Key: p.key}), nil
}

// endTexts ends the texts that are open: a step takes none of them along.
func (d *decoder) endTexts(events []wholecall.Event) []wholecall.Event {
	for i := range d.parts {
		if p := &d.parts[i]; p.open && p.kind != wholecall.CallPart {
			p.open = false
			events = append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: p.key})
		}
	}
	return events
}
