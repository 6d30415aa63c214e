package mistral

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// chatDecoder reads one stream.
type chatDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the chunk
	w   chunk

	begun    bool
	id       string
	sentinel bool // [DONE] was seen
	ended    bool // the terminal was emitted
	choices  []choiceState
	calls    []callState
}

// choiceState is what the decoder knows of a choice.
type choiceState struct {
	index    int32
	finished bool
	runs     runs
	calls    int32 // how many were announced
}

// callState is what the decoder knows of a call.
type callState struct {
	key      wholecall.Key
	id, name string
	object   bool // its arguments came as an object
	bytes    bool // its arguments came as text
}

func (d *chatDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		d.sentinel = true
		return d.end(events), nil
	}
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	events = d.begin(events)
	var err error
	for i := range w.choices {
		if events, err = d.choice(events, &w.choices[i]); err != nil {
			return events, err
		}
	}
	if events, err = report(&d.sub, events, w.usage); err != nil {
		return events, err
	}
	if w.seen&hasFault != 0 || string(w.object) == "error" || string(f.Event) == "error" {
		return append(events, d.fault()), nil
	}
	return events, nil
}

// begin begins the turn with the first chunk that says anything of it. The chunk's id is no identity of
// the stream; that it varies is counted.
func (d *chatDecoder) begin(events []wholecall.Event) []wholecall.Event {
	w := &d.w
	switch {
	case !d.begun && (len(w.id) > 0 || len(w.choices) > 0):
		d.begun, d.id = true, string(w.id)
		events = append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.id, Name: w.model})
	case len(w.id) > 0 && string(w.id) != d.id:
		d.id = string(w.id)
		events = append(events, deviate(chunkIDVaries))
	}
	return events
}

// end emits the terminal, once each choice has said why it stopped.
func (d *chatDecoder) end(events []wholecall.Event) []wholecall.Event {
	if d.ended || len(d.choices) == 0 {
		return events
	}
	for i := range d.choices {
		if !d.choices[i].finished {
			return events
		}
	}
	d.ended = true
	return append(events, wholecall.Event{Kind: wholecall.Terminal})
}

// End implements wholecall.Decoder. A finish reason is enough: a missing [DONE] behind it loses nothing.
func (d *chatDecoder) End(events []wholecall.Event) []wholecall.Event { return d.end(events) }

// Begins implements wholecall.Decoder: behind [DONE], whatever has a choice begins another turn.
func (d *chatDecoder) Begins(f *frame.Frame) bool {
	var w chunk
	return d.sentinel && !done(f.Data) && w.parse(&d.sub, f.Data) == nil && w.seen&hasChoices != 0
}

func (d *chatDecoder) state(index int32) *choiceState {
	for i := range d.choices {
		if d.choices[i].index == index {
			return &d.choices[i]
		}
	}
	d.choices = append(d.choices, choiceState{index: index, runs: runs{choice: index}})
	return &d.choices[len(d.choices)-1]
}

// choice reads one choice of a chunk: its content, then its calls, then its finish reason, since calls
// arrive as a rule in the chunk that finishes their choice.
func (d *chatDecoder) choice(events []wholecall.Event, ch *choice) ([]wholecall.Event, error) {
	if ch.seen&hasIndex == 0 {
		return events, malformed(nil, "a choice without an index")
	}
	st := d.state(ch.index)
	for i := ch.pieces[0]; i < ch.pieces[1]; i++ {
		events = st.runs.add(events, &d.w.pieces[i])
	}
	var err error
	for i := ch.entries[0]; i < ch.entries[1]; i++ {
		if events, err = d.entry(events, st, &d.w.entries[i]); err != nil {
			return events, err
		}
	}
	if ch.seen&hasFinish != 0 {
		return d.finish(events, st, ch.finish)
	}
	return events, nil
}

// entry reads one entry of tool_calls: a whole call, as a rule, or a piece of one under its index.
func (d *chatDecoder) entry(events []wholecall.Event, st *choiceState, e *entry) ([]wholecall.Event, error) {
	key := wholecall.Key{Choice: st.index, Index: e.index}
	var s *callState
	if e.seen&hasIndex == 0 {
		key.Index = st.calls
		if len(e.id) == 0 || len(e.name) == 0 {
			return events, refuse(wholecall.MissingIndex, key, "a piece of a call without an index, and it does not announce one")
		}
	} else {
		s = d.find(key)
	}
	switch {
	case len(e.typ) > 0 && string(e.typ) != "function":
		return events, refuse(wholecall.UnknownDelta, key, "a call of type %q", e.typ)
	case st.finished:
		return events, refuse(wholecall.Late, key, "a piece of a call behind the finish of its choice")
	case s != nil:
		var err error
		if events, err = d.identity(events, e, s); err != nil {
			return events, err
		}
	default:
		events = d.announce(events, st, e, key)
		s = &d.calls[len(d.calls)-1]
	}
	return s.arguments(events, e)
}

func (d *chatDecoder) find(key wholecall.Key) *callState {
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].key == key {
			return &d.calls[i]
		}
	}
	return nil
}

// announce begins a call. What its identity lacks, and whether its position is free, the accumulator says.
func (d *chatDecoder) announce(events []wholecall.Event, st *choiceState, e *entry, key wholecall.Key) []wholecall.Event {
	if key.Index != st.calls {
		events = append(events, deviate(sparseIndex))
	}
	st.calls++
	d.calls = append(d.calls, callState{key: key, id: string(e.id), name: string(e.name)})
	return append(st.runs.end(events), wholecall.Event{Kind: wholecall.Announce, Key: key, ID: e.id, Name: e.name})
}

// identity reads an id or a name at an index that is announced. Empty ones say nothing; models that are
// hosted for others send them.
func (d *chatDecoder) identity(events []wholecall.Event, e *entry, s *callState) ([]wholecall.Event, error) {
	if e.seen&hasFunction == 0 {
		return events, refuse(wholecall.UnknownDelta, s.key, "a piece of a call without a function")
	}
	otherID := len(e.id) > 0 && string(e.id) != s.id
	switch {
	case len(e.id) > 0 && len(e.name) > 0:
		return events, refuse(wholecall.DuplicateAnnouncement, s.key, "a call is announced at an index that has one")
	case otherID, len(e.name) > 0:
		return events, refuse(wholecall.ConflictingIdentity, s.key, "an id or a name on a piece of a call that has its own")
	case len(e.id) > 0:
		return append(events, deviate(repeatedID)), nil
	case e.seen&(hasID|hasName) != 0:
		return append(events, deviate(emptyIdentity)), nil
	}
	return events, nil
}

// arguments reads what an entry adds to its call's document. An object is the document, and stands alone.
func (s *callState) arguments(events []wholecall.Event, e *entry) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Fragment, Key: s.key, Data: e.args.raw, Escaped: e.args.escaped}
	switch {
	case e.seen&hasArgs == 0:
		return events, nil
	case s.object && (e.object != nil || len(e.args.raw) > 0), e.object != nil && s.bytes:
		return events, refuse(wholecall.DeviationRefused, s.key, "arguments as an object, and more of them")
	case e.object != nil:
		s.object = true
		ev.Data = e.object
	}
	s.bytes = s.bytes || len(e.args.raw) > 0
	return append(events, ev), nil
}

// finish reads a finish reason. It ends every open call of its choice, whatever it says.
func (d *chatDecoder) finish(events []wholecall.Event, st *choiceState, finish []byte) ([]wholecall.Event, error) {
	switch {
	case len(finish) == 0:
		return events, malformed(nil, "a finish_reason that is empty")
	case string(finish) == "error":
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: finish}), nil
	case st.finished:
		return events, &wholecall.ProtocolError{Kind: wholecall.RepeatedFinish,
			Detail: fmt.Sprintf("choice %d finishes with %q, and had finished", st.index, finish)}
	}
	st.finished = true
	return append(st.runs.end(events), wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: st.index}, Name: finish,
		Reason: reasonOf(string(finish)), Ends: true, Promises: string(finish) == "tool_calls"}), nil
}

// reasonOf says what a finish reason means for a call whose document is not whole: "" where the model
// stopped because it was done. A reason that this version does not know is taken for a good one, since
// any finish but a cut ends the calls of its choice.
func reasonOf(finish string) wholecall.Reason {
	switch finish {
	case "length", "model_length":
		return wholecall.ReasonTokenLimit
	case "content_filter":
		return wholecall.ReasonContentFilter
	}
	return ""
}

// fault hands on the provider's own error: an object with the type error, or one inside the member error.
func (d *chatDecoder) fault() wholecall.Event {
	w := &d.w
	ev := wholecall.Event{Kind: wholecall.Failure, ID: w.code, Name: w.typ, Data: w.message}
	c := &d.sub
	c.Reset(w.fault)
	switch c.Peek() {
	case '"':
		ev.Data = own(c)
		return ev
	case '{':
		c.Object()
	default:
		return ev
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "type":
			ev.Name = ownOrNumber(c)
		case "code":
			ev.ID = ownOrNumber(c)
		case "message":
			ev.Data = ownOrNumber(c)
		default:
			c.Skip()
		}
	}
	return ev
}
