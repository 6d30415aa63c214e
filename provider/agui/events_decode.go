package agui

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// decoder reads one stream.
type decoder struct {
	cur  strictjson.Cursor
	sub  strictjson.Cursor // for values inside the event
	deep strictjson.Cursor // for values inside those
	w    wire

	started bool
	parts   []partState
	last    int
	chunk   int   // the part that came in chunks and is open, or -1
	next    int32 // the position of the part that begins next
	scratch []byte
}

// space is the kind of id that a part goes by.
type space uint8

const (
	textSpace space = iota
	thoughtSpace
	thinkingSpace // the older form of reasoning, which has no ids
	callSpace
)

// partState is what the decoder knows of a text or a call.
type partState struct {
	key   wholecall.Key
	space space
	id    string
	name  string // of a call
	open  bool
	copy  []byte // its arguments in a snapshot, while that is read
}

func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	if w.seen&hasType == 0 {
		return events, malformed(nil, "an event without a type")
	}
	said := len(events)
	events, err := d.event(events, typeOf(w.typ))
	if err != nil {
		return events[:said], err // an event that is none ends no call that came in chunks
	}
	return events, nil
}

// typeOf is the type as a string: for those that come with every piece, without an allocation.
func typeOf(b []byte) string {
	switch string(b) {
	case callArgs:
		return callArgs
	case callChunk:
		return callChunk
	case textContent:
		return textContent
	case textChunk:
		return textChunk
	case thoughtContent:
		return thoughtContent
	case thoughtChunk:
		return thoughtChunk
	}
	return string(b)
}

func (d *decoder) event(events []wholecall.Event, typ string) ([]wholecall.Event, error) {
	w := &d.w
	if d.chunk >= 0 && endsChunk(typ) {
		events = d.endChunk(events)
	}
	switch typ {
	case callArgs:
		return d.callArgs(events)
	case callStart:
		return d.callStart(events)
	case callEnd:
		return d.callEnd(events)
	case callChunk:
		return d.callChunk(events)
	case runStarted:
		d.started = true
		return append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.runID}), nil
	case runFinished:
		return d.finish(d.missing(events))
	case runError:
		return append(events, wholecall.Event{Kind: wholecall.Failure, ID: w.code, Data: w.message}), nil
	case snapshot:
		return d.snapshot(d.data(d.missing(events)))
	}
	return d.textEvent(events, typ)
}

// textEvent reads the events about texts, and what is left.
func (d *decoder) textEvent(events []wholecall.Event, typ string) ([]wholecall.Event, error) {
	switch typ {
	case textStart:
		return d.textStart(events, textSpace)
	case textContent:
		return d.textDelta(events, textSpace)
	case textEnd:
		return d.textEnd(events, textSpace)
	case textChunk:
		return d.textChunk(events, textSpace)
	case thoughtStart:
		return d.textStart(events, thoughtSpace)
	case thoughtContent:
		return d.textDelta(events, thoughtSpace)
	case thoughtEnd:
		return d.textEnd(events, thoughtSpace)
	case thoughtChunk:
		return d.textChunk(events, thoughtSpace)
	case "THINKING_TEXT_MESSAGE_START":
		return d.textStart(events, thinkingSpace)
	case "THINKING_TEXT_MESSAGE_CONTENT":
		return d.textDelta(events, thinkingSpace)
	case "THINKING_TEXT_MESSAGE_END":
		return d.textEnd(events, thinkingSpace)
	case "STEP_STARTED", "STEP_FINISHED", "THINKING_START", "THINKING_END", "REASONING_START", "REASONING_END":
		return events, nil
	}
	switch {
	case isData(d.w.typ):
		return d.data(d.missing(events)), nil
	case strings.HasPrefix(typ, "TOOL_CALL_") && d.w.seen&hasDelta != 0:
		return events, &wholecall.ProtocolError{Kind: wholecall.UnknownDelta, ID: string(d.w.callID),
			Detail: fmt.Sprintf("a delta of type %q for a call", typ)}
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: d.w.typ}), nil
}

// End implements wholecall.Decoder. Nothing ends a run but RUN_FINISHED: not even a call in chunks ends
// where the body does.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder.
func (d *decoder) Begins(f *frame.Frame) bool {
	var w wire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == runStarted
}

func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// missing reports, once, that the stream does not begin with RUN_STARTED. No call is lost by that: each is
// announced by its own event.
func (d *decoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

// finish ends the turn. What it says beside that the run is over is a part: a result, and what the run was
// interrupted for, which the next one must answer.
func (d *decoder) finish(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	stop := wholecall.Event{Kind: wholecall.Stop, Name: w.typ}
	if kind := stringIn(&d.sub, w.outcome, "type"); len(kind) > 0 {
		stop.Name = kind
	}
	if string(stop.Name) == interrupt {
		stop.Reason = wholecall.ReasonPaused
	}
	if stop.Reason != "" || w.seen&hasResult != 0 {
		events = d.data(events)
	}
	if len(w.usage) > 0 && w.usage[0] == '[' {
		u, err := readUsage(&d.sub, w.usage)
		if err != nil {
			return events, err
		}
		events = append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: w.usage})
	}
	return append(events, stop, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// find returns the latest part of the space with the id, or nil. An id of a text may be used again.
func (d *decoder) find(s space, id []byte) *partState {
	if d.last < len(d.parts) && d.parts[d.last].space == s && d.parts[d.last].id == string(id) {
		return &d.parts[d.last]
	}
	for i := len(d.parts) - 1; i >= 0; i-- {
		if d.parts[i].space == s && d.parts[i].id == string(id) {
			d.last = i
			return &d.parts[i]
		}
	}
	return nil
}

func (d *decoder) add(s space, id []byte) *partState {
	d.parts = append(d.parts, partState{key: wholecall.Key{Index: d.next}, space: s, id: string(id), open: true})
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

// endChunk ends the call or the text that came in chunks.
func (d *decoder) endChunk(events []wholecall.Event) []wholecall.Event {
	if d.chunk < 0 {
		return events
	}
	p := &d.parts[d.chunk]
	d.chunk = -1
	return append(events, d.end(p))
}

func (d *decoder) end(p *partState) wholecall.Event {
	p.open = false
	if p.space == callSpace {
		return wholecall.Event{Kind: wholecall.End, Key: p.key}
	}
	return wholecall.Event{Kind: wholecall.ClosePart, Key: p.key}
}

// failure makes an error about a part.
func (d *decoder) failure(kind wholecall.Kind, p *partState, detail string) error {
	e := &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: p.key, Detail: fmt.Sprintf("a %s %s", d.w.typ, detail)}
	if p.space == callSpace {
		e.ID, e.Name = p.id, p.name
	}
	return e
}
