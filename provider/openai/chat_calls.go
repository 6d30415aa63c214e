package openai

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// refuse makes the error for a deviation that the dialect does not allow.
func refuse(kind wholecall.Kind, key wholecall.Key, name, detail string) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: key, Switch: name, Detail: detail}
}

// find returns the call that uses the position now, or nil.
func (d *chatDecoder) find(choice, index int32) *callState {
	if d.last < len(d.calls) && d.calls[d.last].at(choice, index) {
		return &d.calls[d.last]
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].at(choice, index) {
			d.last = i
			return &d.calls[i]
		}
	}
	return nil
}

func (s *callState) at(choice, index int32) bool {
	return s.key.Choice == choice && s.key.Index == index && !s.retired
}

// findID returns the call of the choice with the id, or nil.
func (d *chatDecoder) findID(choice int32, id []byte) *callState {
	for i := range d.calls {
		if s := &d.calls[i]; s.key.Choice == choice && s.id == string(id) {
			return s
		}
	}
	return nil
}

// entry reads one entry of tool_calls: the announcement of a call, a fragment of one, or both.
func (d *chatDecoder) entry(events []wholecall.Event, st *choiceState, e *entry) ([]wholecall.Event, error) {
	key := wholecall.Key{Choice: st.index, Index: e.index}
	var s *callState
	var err error
	if e.seen&hasIndex == 0 {
		if s, events, err = d.place(events, st, e, &key); err != nil {
			return events, err
		}
	} else {
		s = d.find(st.index, e.index)
		if s == nil && d.drifts(st, e) {
			events = append(events, deviate(driftingIndex))
			s = d.only(st.index)
		}
	}
	if s == nil {
		if events, err = d.announce(events, st, e, key); err != nil {
			return events, err
		}
		s = &d.calls[len(d.calls)-1]
	} else if s, events, err = d.identity(events, st, e, s); err != nil {
		return events, err
	}
	return d.arguments(events, st, e, s)
}

// place finds out where an entry without an index belongs. Absent is not 0.
func (d *chatDecoder) place(events []wholecall.Event, st *choiceState, e *entry, key *wholecall.Key) (*callState, []wholecall.Event, error) {
	if !d.on.missingIndex {
		return nil, events, refuse(wholecall.MissingIndex, *key, missingIndex, "an entry of tool_calls without an index")
	}
	events = append(events, deviate(missingIndex))
	key.Index = st.calls
	if len(e.id) > 0 {
		if s := d.findID(st.index, e.id); s != nil {
			return s, events, nil
		}
	}
	open := d.unfinished(st.index)
	begins := len(e.name) > 0 || d.on.lateName && len(e.id) > 0
	switch {
	case begins && len(open) == 0:
		return nil, events, nil
	case begins:
		return nil, events, refuse(wholecall.MissingIndex, *key, "", "a call without an index begins while another is unfinished")
	}
	if s := d.only(st.index); s != nil {
		return s, events, nil
	}
	return nil, events, refuse(wholecall.MissingIndex, *key, "", "a fragment without an index, and not exactly one call that it could belong to")
}

// unfinished returns the calls of a choice whose document so far is not whole.
func (d *chatDecoder) unfinished(choice int32) []*callState {
	var open []*callState
	for i := range d.calls {
		s := &d.calls[i]
		if s.key.Choice == choice && !d.whole(s) {
			open = append(open, s)
		}
	}
	return open
}

// only returns the one call of a choice that a fragment without a position can belong to: the only
// one whose document is not whole, or the only one at all.
func (d *chatDecoder) only(choice int32) *callState {
	if open := d.unfinished(choice); len(open) == 1 {
		return open[0]
	}
	var one *callState
	for i := range d.calls {
		if d.calls[i].key.Choice != choice {
			continue
		}
		if one != nil {
			return nil
		}
		one = &d.calls[i]
	}
	return one
}

// announce begins a call: id and name stand in the first entry of its index.
func (d *chatDecoder) announce(events []wholecall.Event, st *choiceState, e *entry, key wholecall.Key) ([]wholecall.Event, error) {
	incomplete := len(e.id) == 0 || len(e.name) == 0
	fail := func(kind wholecall.Kind, name, detail string) error {
		return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: key, ID: string(e.id), Name: string(e.name),
			Switch: name, Detail: detail}
	}
	switch {
	case st.finished && !st.waits:
		return events, fail(wholecall.Late, lateDeltas, "a call is announced behind the finish of its choice")
	case slices.Contains(st.drifted, key.Index):
		return events, fail(wholecall.DuplicateAnnouncement, "", "a call is announced at an index that another call's fragments drifted to")
	case incomplete && !d.mayWait(e):
		return events, fail(incompleteKind(e), incompleteSwitch(e), "the first entry of an index lacks its call's id or name")
	}
	if st.finished {
		events = append(events, deviate(lateDeltas))
	}
	if key.Index != st.calls && key.Again == 0 {
		events = append(events, deviate(sparseIndex))
	}
	return d.open(events, st, e, key), nil
}

func (d *chatDecoder) open(events []wholecall.Event, st *choiceState, e *entry, key wholecall.Key) []wholecall.Event {
	events = d.endRun(events, st)
	st.calls++
	d.calls = append(d.calls, callState{key: key, id: string(e.id), name: string(e.name),
		custom: e.seen&hasCustom != 0 && e.seen&hasFunction == 0})
	d.last = len(d.calls) - 1
	s := &d.calls[d.last]
	s.extra = bytes.Clone(e.extra)
	s.pending = d.on.splitName || len(e.name) == 0 || len(e.id) == 0 && (d.on.lateID || !d.on.missingID)
	if s.pending {
		return events
	}
	return d.publish(events, s)
}

// publish announces a call whose id and name are known.
func (d *chatDecoder) publish(events []wholecall.Event, s *callState) []wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: s.key}
	if s.id == "" {
		s.id = fmt.Sprintf("wholecall_%d", len(d.calls))
		ev.Extra = []byte(`{"generated_id":true}`)
		events = append(events, deviate(missingID))
	}
	if s.extra != nil {
		var x strictjson.Object
		x.Raw("extra_content", s.extra)
		x.Members(ev.Extra, func(string) bool { return true })
		ev.Extra = x.Bytes()
	}
	ev.ID, ev.Name = []byte(s.id), []byte(s.name)
	if s.custom {
		ev.Form = wholecall.TextArguments
	}
	ev.Empty = wholecall.EmptyNeedsDialect
	if d.on.emptyArguments {
		ev.Empty = wholecall.EmptyIsObjectByDialect
	}
	return append(events, ev)
}

// identity checks what a later entry of an index says of its call's id and name. Null and absent say
// nothing; everything else is one deviation or another.
func (d *chatDecoder) identity(events []wholecall.Event, st *choiceState, e *entry, s *callState) (*callState, []wholecall.Event, error) {
	if e.seen&(hasID|hasName) == 0 {
		return s, events, nil
	}
	if s.pending {
		return d.complete(events, e, s)
	}
	emptyID := e.seen&hasID != 0 && len(e.id) == 0
	emptyName := e.seen&hasName != 0 && len(e.name) == 0
	if emptyID || emptyName {
		if !d.on.emptyIdentity {
			return s, events, refuse(wholecall.DeviationRefused, s.key, emptyIdentity, "an id or a name that is empty on a fragment")
		}
		events = append(events, deviate(emptyIdentity))
	}
	otherID := len(e.id) > 0 && string(e.id) != s.id
	switch {
	case otherID && len(e.name) > 0:
		return d.reuse(events, st, e, s)
	case otherID:
		if !d.on.changingID {
			return s, events, refuse(wholecall.ConflictingIdentity, s.key, changingID, "a fragment with another id than its call was announced with")
		}
		events = append(events, deviate(changingID))
	case len(e.id) > 0 && e.seen&hasIndex != 0:
		if !d.on.repeatedID {
			return s, events, refuse(repetition(e), s.key, repeatedID, "the id again, at an index that is announced")
		}
		events = append(events, deviate(repeatedID))
	}
	if len(e.name) == 0 {
		return s, events, nil
	}
	if string(e.name) != s.name {
		return s, events, refuse(wholecall.ConflictingIdentity, s.key, "", "a fragment with another name than its call was announced with")
	}
	if !d.on.repeatedName {
		return s, events, refuse(repetition(e), s.key, repeatedName, "the name again, at an index that is announced")
	}
	return s, append(events, deviate(repeatedName)), nil
}

// repetition is what the repetition of an identity is: with id and name it looks like a replayed
// announcement.
func repetition(e *entry) wholecall.Kind {
	if len(e.id) > 0 && len(e.name) > 0 {
		return wholecall.DuplicateAnnouncement
	}
	return wholecall.DeviationRefused
}

// reuse reads another id and a name at a used index: a second call, where a dialect says so.
func (d *chatDecoder) reuse(events []wholecall.Event, st *choiceState, e *entry, s *callState) (*callState, []wholecall.Event, error) {
	if !d.on.reusedIndex {
		err := &wholecall.ProtocolError{Kind: wholecall.DuplicateAnnouncement, HasKey: true, Key: s.key,
			ID: string(e.id), Name: string(e.name), Switch: reusedIndex,
			Detail: "another call is announced at an index that has one"}
		return s, events, err
	}
	if !d.whole(s) {
		return s, events, refuse(wholecall.DuplicateAnnouncement, s.key, "", "another call is announced at an index whose document is not whole")
	}
	events = append(events, deviate(reusedIndex))
	if d.on.hold {
		events = d.document(events, s)
	}
	events = append(events, wholecall.Event{Kind: wholecall.End, Key: s.key})
	s.retired = true
	key := s.key
	key.Again++
	events, err := d.announce(events, st, e, key)
	if err != nil {
		return s, events, err
	}
	return &d.calls[len(d.calls)-1], events, nil
}

// arguments reads what an entry adds to its call's document.
func (d *chatDecoder) arguments(events []wholecall.Event, st *choiceState, e *entry, s *callState) ([]wholecall.Event, error) {
	if e.seen&hasNullArgs != 0 {
		if !d.on.nullArguments {
			return events, refuse(wholecall.DeviationRefused, s.key, nullArguments, "arguments that are null")
		}
		events = append(events, deviate(nullArguments))
	}
	switch {
	case e.seen&hasObjectArgs != 0:
		return d.object(events, e, s)
	case e.seen&hasArgs == 0:
		return events, nil
	}
	if len(e.args.raw) > 0 {
		if s.object {
			return events, refuse(wholecall.DeviationRefused, s.key, "", "arguments as text behind arguments as an object")
		}
		if st.finished {
			if !st.waits {
				return events, refuse(wholecall.Late, s.key, lateDeltas, "a fragment behind the finish of its choice")
			}
			events = append(events, deviate(lateDeltas))
		}
		s.bytes = true
		if d.on.keep {
			s.held.add(e)
		}
		if s.pending {
			return d.firstBytes(events, s), nil
		}
		if d.on.hold {
			return events, nil
		}
	}
	if s.pending {
		return events, nil
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key, Data: e.args.raw, Escaped: e.args.escaped}), nil
}

// object reads arguments that are an object: once, and alone.
func (d *chatDecoder) object(events []wholecall.Event, e *entry, s *callState) ([]wholecall.Event, error) {
	name := objectArguments
	if s.object || s.bytes || len(e.raw) == 0 || e.raw[0] != '{' {
		name = ""
	}
	if !d.on.objectArguments || name == "" {
		return events, refuse(wholecall.DeviationRefused, s.key, name, "arguments that are no string")
	}
	s.object = true
	if s.pending {
		return events, refuse(wholecall.IncompleteIdentity, s.key, "", "arguments as an object for a call whose id or name is not known yet")
	}
	return append(events, deviate(objectArguments), wholecall.Event{Kind: wholecall.Fragment, Key: s.key, Data: e.raw}), nil
}

// legacy reads the function_call of the time before tools: one call a choice, without index and id.
func (d *chatDecoder) legacy(events []wholecall.Event, st *choiceState, e *entry) ([]wholecall.Event, error) {
	e.seen |= hasIndex | hasFunction
	s := d.find(st.index, 0)
	switch {
	case s == nil && len(e.name) > 0:
		e.id = e.name
	case s != nil && len(e.name) == 0:
		e.seen &^= hasName
	}
	return d.entry(events, st, e)
}
