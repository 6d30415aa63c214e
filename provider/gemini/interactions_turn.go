package gemini

import (
	"github.com/wholecall/wholecall"
)

// start begins a step.
func (d *stepDecoder) start(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasIndex == 0 || len(w.step) == 0 {
		return events, malformed(nil, "a step starts without an index or without a step")
	}
	key := wholecall.Key{Index: w.index}
	if d.find(w.index) != nil {
		return events, refuse(wholecall.DuplicateAnnouncement, key, "a step starts at an index that already has one")
	}
	s, err := parseStep(&d.sub, w.step)
	if err != nil {
		return events, err
	}
	d.steps = append(d.steps, stepState{index: w.index, open: true, id: string(s.id), typ: string(s.typ)})
	st := &d.steps[len(d.steps)-1]
	switch {
	case st.typ == "":
		return events, malformed(nil, "a step without a type")
	case st.typ == callStep, serverStep(st.typ):
		return d.announce(events, st, &s)
	case st.typ == outputStep:
		st.kind = textSteps
		return d.startText(events, st, &s, wholecall.TextPart)
	case st.typ == thoughtStep:
		st.kind = thoughtSteps
		return d.startText(events, st, &s, wholecall.ReasoningPart)
	}
	st.kind = dataSteps
	return append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: s.typ, Data: w.step}), nil
}

func (d *stepDecoder) startText(events []wholecall.Event, st *stepState, s *step, kind wholecall.PartKind) ([]wholecall.Event, error) {
	events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: st.key()})
	events, err := d.each(events, s.content, func(events []wholecall.Event, one []byte) ([]wholecall.Event, error) {
		return d.content(events, st, one)
	})
	if err != nil {
		return events, err
	}
	if len(s.signature.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Sign, Key: st.key(), Data: s.signature.raw, Escaped: s.signature.escaped})
	}
	if s.fault != nil {
		events = append(events, failure(&d.in, s.fault))
	}
	return events, nil
}

// announce announces a call. Where arguments stand in its start they are all of them.
func (d *stepDecoder) announce(events []wholecall.Event, st *stepState, s *step) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: st.key(), ID: s.id, Name: s.name, Empty: wholecall.EmptyIsObject}
	st.kind = clientSteps
	if st.typ != callStep {
		st.kind, ev.Runner = serverSteps, wholecall.ProviderRuns
		if st.typ != mcpStep {
			ev.Name = s.typ
		}
	}
	ev.Extra = d.extra(st, s)
	events = append(events, ev)
	switch {
	case isEmptyObject(s.args):
		return events, nil
	case s.args[0] != '{':
		return events, malformed(nil, "the arguments of a step are no object")
	}
	st.bytes = true
	st.whole = st.kind == clientSteps
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: ev.Key, Data: s.args}), nil
}

// extra is what a step says of its call beside its id, name and arguments.
func (d *stepDecoder) extra(st *stepState, s *step) []byte {
	if st.kind == clientSteps && len(s.signature.raw) == 0 {
		return nil
	}
	d.scratch = append(d.scratch[:0], '{')
	if st.kind == serverSteps {
		d.scratch = append(append(append(d.scratch, `"type":"`...), st.typ...), '"')
	}
	d.scratch = appendMember(d.scratch, "server_name", s.server)
	d.scratch = appendMember(d.scratch, "search_type", s.search)
	if len(s.signature.raw) > 0 {
		d.scratch = appendInside(appendName(d.scratch, "signature"), s.signature)
	}
	return append(d.scratch, '}')
}

// interaction is what an event says of the interaction.
type interaction struct {
	id, model, status []byte
	usage, steps      []byte // as they stand
}

func (d *stepDecoder) interaction() (interaction, error) {
	var x interaction
	var seen uint32
	c := &d.sub
	c.Reset(d.w.interaction)
	members(c, func(name []byte) {
		var bit uint32
		switch string(name) {
		case "id":
			x.id, bit = own(c), 1
		case "model":
			x.model, bit = own(c), 2
		case "status":
			x.status, bit = own(c), 4
		case "usage":
			x.usage, bit = rawOrNull(c), 8
		case "steps":
			x.steps, bit = rawOrNull(c), 16
		default:
			c.Skip()
			return
		}
		once(c, &seen, bit)
	})
	if err := c.Err(); err != nil {
		return x, malformed(err, "the interaction of an event is malformed: %v", err)
	}
	return x, nil
}

func (d *stepDecoder) create(events []wholecall.Event) ([]wholecall.Event, error) {
	x, err := d.interaction()
	switch {
	case err != nil:
		return events, err
	case d.begun:
		return events, &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a second interaction.created"}
	}
	d.begun = true
	return append(events, wholecall.Event{Kind: wholecall.Begin, ID: x.id, Name: x.model}), nil
}

// complete ends the turn. An interaction that failed, or that somebody cancelled, is no answer.
func (d *stepDecoder) complete(events []wholecall.Event) ([]wholecall.Event, error) {
	x, err := d.interaction()
	if err != nil {
		return events, err
	}
	status := string(x.status)
	if status == "" {
		return events, malformed(nil, "an interaction.completed without a status")
	}
	if events, err = d.report(events, x.usage); err != nil {
		return events, err
	}
	if events, err = d.copies(events, x.steps); err != nil {
		return events, err
	}
	events = append(events, wholecall.Event{Kind: wholecall.Stop, Name: x.status, Reason: reasonOfStatus(status),
		Promises: status == "requires_action"})
	if endsBadly(status) {
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: x.status}), nil
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// copies holds the calls of the completed interaction against those that were streamed. One that is not
// among them is not believed to be none; one that was never streamed was lost on the way.
func (d *stepDecoder) copies(events []wholecall.Event, steps []byte) ([]wholecall.Event, error) {
	return d.each(events, steps, func(events []wholecall.Event, one []byte) ([]wholecall.Event, error) {
		s, err := parseStep(&d.in, one)
		if err != nil || string(s.typ) != callStep {
			return events, err
		}
		st := d.call(string(s.id))
		switch {
		case st == nil:
			return events, &wholecall.ProtocolError{Kind: wholecall.CopyMismatch, ID: string(s.id), Name: string(s.name),
				Detail: "interaction.completed has a call that was never streamed"}
		case !st.bytes && !isEmptyObject(s.args):
			return events, refuse(wholecall.CopyMismatch, st.key(), "interaction.completed has arguments for a call that had none")
		case !st.bytes:
			return events, nil
		}
		return append(events, wholecall.Event{Kind: wholecall.Document, Key: st.key(), Data: s.args, Final: true, Name: d.w.typ}), nil
	})
}

// call returns the call of the client with the id, or nil.
func (d *stepDecoder) call(id string) *stepState {
	for i := range d.steps {
		if st := &d.steps[i]; st.kind == clientSteps && st.id == id {
			return st
		}
	}
	return nil
}

// report hands on token counts.
func (d *stepDecoder) report(events []wholecall.Event, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 {
		return events, nil
	}
	var u wholecall.Usage
	c := &d.sub
	c.Reset(raw)
	members(c, func(name []byte) {
		switch string(name) {
		case "total_input_tokens", "total_tool_use_tokens":
			u.Input += countOf(c)
		case "total_output_tokens":
			u.Output += countOf(c)
		case "total_thought_tokens":
			u.Reasoning = countOf(c)
		case "total_cached_tokens":
			u.CacheRead = countOf(c)
		default:
			c.Skip()
		}
	})
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	u.Output += u.Reasoning
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: raw}), nil
}
