package gemini

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// stepDecoder reads one stream of the Interactions API.
type stepDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the event
	in  strictjson.Cursor // for values inside those
	w   stepEvent

	begun   bool
	started bool // something came that is no beginning
	steps   []stepState
	scratch []byte
}

// stepState is what the decoder knows of a step.
type stepState struct {
	index int32
	subs  int32 // how many parts inside it there were
	kind  stepKind
	open  bool
	id    string
	typ   string
	bytes bool // an argument byte came
	whole bool // its arguments stood in its start
}

type stepKind uint8

const (
	textSteps stepKind = iota + 1 // what the model says
	thoughtSteps
	clientSteps
	serverSteps
	dataSteps
)

func (d *stepDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		return events, nil // behind interaction.completed, which is the end
	}
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	switch {
	case len(w.typ) == 0:
		return events, malformed(nil, "an event without an event_type")
	case len(f.Event) > 0 && string(f.Event) != string(w.typ):
		return events, malformed(nil, "the event is named %q, and its data says event_type %q", f.Event, w.typ)
	}
	d.scratch = d.scratch[:0]
	switch string(w.typ) {
	case stepPiece:
		return d.piece(events)
	case stepStart:
		return d.start(d.missing(events))
	case stepStop:
		return d.stop(events)
	case created:
		return d.create(events)
	case statusUpdate:
		return d.report(d.missing(events), w.usage)
	case completed:
		return d.complete(d.missing(events))
	case failed:
		return append(events, failure(&d.sub, w.fault)), nil
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// DecodeStray implements wholecall.StrayDecoder, as for GenerateContent.
func (d *stepDecoder) DecodeStray(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if ev, ok := strayFailure(&d.sub, f.Stray); ok {
		events = append(events, ev)
	}
	return events, nil
}

// End implements wholecall.Decoder. Nothing ends a turn but interaction.completed.
func (d *stepDecoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder.
func (d *stepDecoder) Begins(f *frame.Frame) bool {
	var w stepEvent
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == created
}

// missing reports, once, that the stream does not begin with its own beginning. No call is lost by that:
// each is announced by its own step.
func (d *stepDecoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.begun && !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

func (d *stepDecoder) find(index int32) *stepState {
	for i := len(d.steps) - 1; i >= 0; i-- {
		if d.steps[i].index == index {
			return &d.steps[i]
		}
	}
	return nil
}

// known returns the open step that the event belongs to.
func (d *stepDecoder) known(what string) (*stepState, error) {
	if d.w.seen&hasIndex == 0 {
		return nil, malformed(nil, "%s without an index", what)
	}
	key := wholecall.Key{Index: d.w.index}
	st := d.find(d.w.index)
	switch {
	case st == nil:
		return nil, refuse(wholecall.Unannounced, key, "%s for a step that never started", what)
	case !st.open:
		return nil, refuse(wholecall.Late, key, "%s for a step that has already stopped", what)
	}
	return st, nil
}

func (st *stepState) key() wholecall.Key { return wholecall.Key{Index: st.index} }

// piece reads a delta.
func (d *stepDecoder) piece(events []wholecall.Event) ([]wholecall.Event, error) {
	st, err := d.known("a delta")
	switch {
	case err != nil:
		return events, err
	case len(d.w.delta.typ) == 0:
		return events, malformed(nil, "a delta without a type")
	case st.kind == clientSteps, st.kind == serverSteps:
		return d.argumentsPiece(events, st)
	}
	return d.textPiece(events, st)
}

// argumentsPiece reads a delta of a call. The client's calls have text, those that the API runs an object
// in a delta of their own type; one that comes again must be the same.
func (d *stepDecoder) argumentsPiece(events []wholecall.Event, st *stepState) ([]wholecall.Event, error) {
	w := &d.w.delta
	ev := wholecall.Event{Kind: wholecall.Fragment, Key: st.key(), Data: w.inside.raw, Escaped: w.inside.escaped}
	switch {
	case string(w.typ) == "arguments_delta" && w.arguments == nil:
	case st.kind == serverSteps && string(w.typ) == st.typ && w.inside.raw == nil:
		ev.Data, ev.Escaped = w.arguments, false
		if isEmptyObject(ev.Data) {
			ev.Data = nil
		}
		if st.bytes && len(ev.Data) > 0 {
			ev.Kind, ev.Name = wholecall.Document, w.typ
		}
	default:
		return events, refuse(wholecall.UnknownDelta, st.key(), "a delta of type %q for a call, or one without text", w.typ)
	}
	if len(w.signature.raw) > 0 {
		// The announcement is out, so that it can't be kept with the call.
		events = append(events, deviate(lateSignature))
	}
	if st.whole && ev.Kind == wholecall.Fragment && len(ev.Data) > 0 {
		return events, refuse(wholecall.Late, st.key(), "a fragment for a call whose arguments stood in its start")
	}
	st.bytes = st.bytes || len(ev.Data) > 0
	return append(events, ev), nil
}

// textPiece reads a delta of a step that is no call. What is neither its text nor said about that is a part
// of its own inside the step.
func (d *stepDecoder) textPiece(events []wholecall.Event, st *stepState) ([]wholecall.Event, error) {
	w := &d.w.delta
	key := st.key()
	switch typ := string(w.typ); {
	case typ == "text" && st.kind == textSteps:
		return append(events, wholecall.Event{Kind: wholecall.Delta, Key: key, Data: w.text.raw, Escaped: w.text.escaped}), nil
	case typ == "text_annotation_delta" && st.kind == textSteps:
		return d.annotate(events, key, w.annotations)
	case typ == "thought_signature" && st.kind == thoughtSteps:
		return append(events, wholecall.Event{Kind: wholecall.Sign, Key: key, Data: w.signature.raw, Escaped: w.signature.escaped}), nil
	case typ == "thought_summary" && st.kind == thoughtSteps:
		return d.content(events, st, w.content)
	}
	return d.data(events, st, w.typ, w.raw), nil
}

func (d *stepDecoder) data(events []wholecall.Event, st *stepState, typ, raw []byte) []wholecall.Event {
	st.subs++
	key := wholecall.Key{Index: st.index, Sub: st.subs}
	return append(events,
		wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: typ, Data: raw},
		wholecall.Event{Kind: wholecall.ClosePart, Key: key})
}

func (d *stepDecoder) annotate(events []wholecall.Event, key wholecall.Key, list []byte) ([]wholecall.Event, error) {
	return d.each(events, list, func(events []wholecall.Event, one []byte) ([]wholecall.Event, error) {
		return append(events, wholecall.Event{Kind: wholecall.Annotate, Key: key, Data: one}), nil
	})
}

// each reads the elements of an array, which may be absent.
func (d *stepDecoder) each(events []wholecall.Event, list []byte, read func([]wholecall.Event, []byte) ([]wholecall.Event, error)) ([]wholecall.Event, error) {
	if len(list) == 0 {
		return events, nil
	}
	var c strictjson.Cursor
	c.Reset(list)
	for c.Array(); c.Element(); {
		one, _ := c.Raw()
		var err error
		if events, err = read(events, one); err != nil {
			return events, err
		}
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "no array where one must stand: %v", err)
	}
	return events, nil
}

// content reads a piece of an output or of a thought's summary.
func (d *stepDecoder) content(events []wholecall.Event, st *stepState, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 {
		return events, nil
	}
	one, err := parseContent(&d.in, raw)
	if err != nil {
		return events, err
	}
	if string(one.typ) != "text" {
		return d.data(events, st, one.typ, raw), nil
	}
	if len(one.text.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: st.key(), Data: one.text.raw, Escaped: one.text.escaped})
	}
	return d.annotate(events, st.key(), one.annotations)
}

func (d *stepDecoder) stop(events []wholecall.Event) ([]wholecall.Event, error) {
	st, err := d.known("an end")
	if err != nil {
		return events, err
	}
	st.open = false
	kind := wholecall.ClosePart
	if st.kind == clientSteps || st.kind == serverSteps {
		kind = wholecall.End
	}
	events = append(events, wholecall.Event{Kind: kind, Key: st.key()})
	return d.report(events, d.w.usage)
}
