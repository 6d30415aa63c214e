package openai

import (
	"github.com/wholecall/wholecall"
)

// created begins the turn.
func (d *responsesDecoder) created(events []wholecall.Event) ([]wholecall.Event, error) {
	r, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	if !d.begun && !d.started {
		return d.begin(events, &r), nil
	}
	e := &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a second response.created"}
	if !d.begun {
		e.Detail = "a response.created behind the first item"
	}
	if d.begun && !d.started && string(r.id) == d.id {
		if d.on.repeatedStart {
			return append(events, deviate(rRepeatedStart)), nil
		}
		e.Switch = rRepeatedStart
	}
	return events, e
}

func (d *responsesDecoder) begin(events []wholecall.Event, r *responseObject) []wholecall.Event {
	d.begun, d.id = true, string(r.id)
	return append(events, wholecall.Event{Kind: wholecall.Begin, ID: r.id, Name: r.model})
}

// progress says nothing but who the turn is, where its beginning is not there to say it.
func (d *responsesDecoder) progress(events []wholecall.Event) ([]wholecall.Event, error) {
	r, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	if !d.begun && !d.started {
		return d.begin(append(events, deviate(rMissingStart)), &r), nil
	}
	return d.identify(events, &r), nil
}

// identify counts a response whose id is not the one that the turn began with.
func (d *responsesDecoder) identify(events []wholecall.Event, r *responseObject) []wholecall.Event {
	if d.begun && d.id != "" && len(r.id) > 0 && string(r.id) != d.id {
		events = append(events, deviate(rResponseID))
	}
	return events
}

// terminal ends the turn: first what the final copy says of its calls, then why the model stopped. A
// response that says of itself that it was cut was, whatever the event is called.
func (d *responsesDecoder) terminal(events []wholecall.Event) ([]wholecall.Event, error) {
	r, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	if status := string(r.status); status == "failed" || status == "cancelled" {
		return d.brokenAs(events, &r, status), nil
	}
	events = d.identify(events, &r)
	why := stringIn(&d.sub, r.detail, "reason")
	complete := string(d.w.typ) == "response.completed" && string(r.status) != "incomplete" && len(why) == 0
	if !d.ended {
		if events, err = d.output(events, r.output, complete); err != nil {
			return events, err
		}
	}
	if len(r.usage) > 0 && r.usage[0] == '{' {
		u, err := readUsage(&d.sub, r.usage)
		if err != nil {
			return events, err
		}
		events = append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: r.usage})
	}
	stop := wholecall.Event{Kind: wholecall.Stop, Name: []byte("completed")}
	if !complete {
		stop.Name, stop.Reason = why, responsesReason(string(why))
		if len(why) == 0 {
			stop.Name = []byte("incomplete")
		}
	}
	d.ended = true
	events = d.announcePending(events)
	return append(events, stop, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// responsesReason says what the reason of an incomplete response means for a call that it cut.
func responsesReason(why string) wholecall.Reason {
	switch why {
	case "max_output_tokens":
		return wholecall.ReasonTokenLimit
	case "content_filter":
		return wholecall.ReasonContentFilter
	}
	return wholecall.ReasonTruncated
}

// broken hands on that the response failed, or that someone cancelled it.
func (d *responsesDecoder) broken(events []wholecall.Event) ([]wholecall.Event, error) {
	r, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	status := "failed"
	if string(d.w.typ) == "response.cancelled" {
		status = "cancelled"
	}
	return d.brokenAs(events, &r, status), nil
}

func (d *responsesDecoder) brokenAs(events []wholecall.Event, r *responseObject, status string) []wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure}
	if r.fault != nil {
		ev = failure(&d.sub, r.fault)
	}
	if len(ev.ID) == 0 && len(ev.Name) == 0 && len(ev.Data) == 0 {
		ev.ID = []byte(status)
	}
	return append(d.announcePending(events), ev)
}

// fault hands on an error event. Its published shape is flat; what is recorded has an object in error.
func (d *responsesDecoder) fault(events []wholecall.Event) []wholecall.Event {
	if d.w.fault != nil {
		return append(d.announcePending(events), failure(&d.sub, d.w.fault))
	}
	return append(d.announcePending(events), wholecall.Event{Kind: wholecall.Failure,
		ID: appendUnescaped(nil, d.w.code), Data: appendUnescaped(nil, d.w.message)})
}

// output holds the final copies of the calls against what was streamed.
func (d *responsesDecoder) output(events []wholecall.Event, raw []byte, complete bool) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '[' {
		raw = []byte("[]")
	}
	c := &d.cur
	c.Reset(raw)
	n := int32(0)
	for c.Array(); c.Element(); n++ {
		one, _ := c.Raw()
		it, err := parseItem(&d.sub, one)
		if err != nil {
			return events, err
		}
		if !kindOfItem(string(it.typ)).isCall() {
			continue
		}
		if events, err = d.finalCopy(events, &it, n, complete); err != nil {
			return events, err
		}
	}
	return d.unlisted(events, n, complete), nil
}

// matching returns the item that a final copy is of, or nil: the call with its id. A copy without a
// call's id goes by its item's, and since that may vary, by its place.
func (d *responsesDecoder) matching(it *responsesItem, place int32) *itemState {
	for i := range d.items {
		s := &d.items[i]
		if !s.kind.isCall() {
			continue
		}
		if len(it.callID) > 0 && s.callID == string(it.callID) ||
			len(it.callID) == 0 && len(it.id) > 0 && s.id == string(it.id) {
			return s
		}
	}
	if len(it.callID) == 0 {
		if s := d.find(place); s != nil && s.typ == string(it.typ) && !s.listed {
			return s
		}
	}
	return nil
}

// finalCopy reads the copy of one call in the final output.
func (d *responsesDecoder) finalCopy(events []wholecall.Event, it *responsesItem, place int32, complete bool) ([]wholecall.Event, error) {
	s := d.matching(it, place)
	if s == nil {
		return d.onlyInOutput(events, it, place, complete)
	}
	s.listed = true
	events, err := d.sameItem(events, s, it)
	switch {
	case err != nil:
		return events, err
	case s.open && complete && d.reasonOf(s, it) == "":
		return d.lateEnd(events, s, it)
	case s.open || !s.kind.streams() || string(it.status) == "incomplete":
		return events, nil
	}
	t, err := d.document(s, it)
	if err == nil && t.raw != nil {
		ev := d.copy(s, t, string(d.w.typ))
		ev.Final = true
		events = append(events, ev)
	}
	return events, err
}

// lateEnd ends a call whose output_item.done never came with the final copy of it. What its fragments
// brought must be the beginning of the copy; where it is not, the two are held against each other, and
// the call fails.
func (d *responsesDecoder) lateEnd(events []wholecall.Event, s *itemState, it *responsesItem) ([]wholecall.Event, error) {
	if !d.on.noItemDone {
		return append(events, wholecall.Event{Kind: wholecall.Hint, Name: []byte(rNoItemDone)}), nil
	}
	s.open = false
	events = append(events, deviate(rNoItemDone))
	if !s.kind.streams() {
		return d.callDone(events, s, it)
	}
	t, err := d.document(s, it)
	if err != nil {
		return events, err
	}
	whole := appendUnescaped(nil, t)
	switch {
	case len(whole) == 0:
	case s.carry == 0 && !s.copied && len(whole) > len(s.text) && string(whole[:len(s.text)]) == string(s.text):
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key(), Data: whole[len(s.text):]})
	default:
		events = append(events, d.copy(s, t, string(d.w.typ)))
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: s.key()}), nil
}

// onlyInOutput reads a call that stands nowhere but in the final output. One of the provider's is
// counted only: nobody has to run it.
func (d *responsesDecoder) onlyInOutput(events []wholecall.Event, it *responsesItem, place int32, complete bool) ([]wholecall.Event, error) {
	kind := kindOfItem(string(it.typ))
	if d.runnerOf(kind, it) == wholecall.ProviderRuns {
		return append(events, deviate(rServerOnly)), nil
	}
	e := &wholecall.ProtocolError{Kind: wholecall.Unannounced, ID: string(it.callID), Name: string(it.name),
		Detail: "a call stands in the final output that was never announced"}
	free := complete && d.find(place) == nil
	if free {
		e.Switch = rOnlyInCompleted
	}
	if !free || !d.on.onlyInCompleted {
		return events, e
	}
	events = append(events, deviate(rOnlyInCompleted))
	s := d.newItem(place, it)
	s.listed, s.open = true, false
	if kind == searchItem {
		return d.callDone(events, s, it)
	}
	events, err := d.announce(events, s, it)
	if err != nil {
		return events, err
	}
	if kind.streams() { // announcing it has brought its arguments
		return append(events, d.end(s, it)), nil
	}
	return d.callDone(events, s, it)
}

// unlisted looks at the calls that the final output does not list. An output that is empty or leaves a
// call out is counted, and not believed: some servers store nothing. A call whose own copy of the
// arguments came is whole without its output_item.done, if the dialect says so.
func (d *responsesDecoder) unlisted(events []wholecall.Event, n int32, complete bool) []wholecall.Event {
	calls := false
	for i := range d.items {
		s := &d.items[i]
		if !s.kind.isCall() || s.listed {
			continue
		}
		calls = true
		if n > 0 && s.runner == wholecall.ClientRuns {
			events = append(events, deviate(rMissingInCopy))
		}
		if !s.open || !s.copied || !complete {
			continue
		}
		if !d.on.noItemDone {
			events = append(events, wholecall.Event{Kind: wholecall.Hint, Name: []byte(rNoItemDone)})
			continue
		}
		s.open = false
		events = append(events, deviate(rNoItemDone), wholecall.Event{Kind: wholecall.End, Key: s.key()})
	}
	if n == 0 && calls {
		events = append(events, deviate(rEmptyOutput))
	}
	return events
}
