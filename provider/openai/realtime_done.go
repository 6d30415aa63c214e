package openai

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// done ends a response, and with the last open one the turn.
func (d *realtimeDecoder) done(events []wholecall.Event) ([]wholecall.Event, error) {
	resp, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	r, events, err := d.current(events, resp.id, true)
	if err != nil {
		return events, err
	}
	detail := rawIn(&d.sub, d.w.response, "status_details")
	if string(resp.status) == statusFailed {
		return append(events, d.failed(detail)), nil
	}
	if events, err = d.output(events, r, resp.output); err != nil {
		return events, err
	}
	if events, err = d.report(events, resp.usage); err != nil {
		return events, err
	}
	stop := d.stop(r, string(resp.status), stringIn(&d.sub, detail, "reason"))
	events = r.conclude(events, stop.Reason)
	if len(stop.Name) > 0 {
		events = append(events, stop)
	}
	r.open = false
	if d.open--; d.open == 0 {
		d.ended = true
		events = append(events, wholecall.Event{Kind: wholecall.Terminal})
	}
	return events, nil
}

// failed is the failure of a response. Its own object has no message; an error event before it may.
func (d *realtimeDecoder) failed(detail []byte) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure}
	if raw := rawIn(&d.sub, detail, "error"); raw != nil {
		ev = failure(&d.sub, raw)
	}
	if len(ev.Data) == 0 && d.faulty {
		ev.Data = d.fault.Data
	}
	if len(ev.ID) == 0 && len(ev.Name) == 0 {
		ev.ID = []byte(statusFailed)
	}
	return ev
}

// stop says why a response is over. A status that is not known, or that is none of an end, is taken for a
// cut: it completes nothing. Without a status there is no stop.
func (d *realtimeDecoder) stop(r *realtimeResponse, status string, why []byte) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: r.choice}, Name: []byte(status)}
	if status == statusCompleted {
		return ev
	}
	if len(why) > 0 {
		ev.Name = why
	}
	ev.Reason = wholecall.ReasonTruncated
	switch {
	case status == statusCancelled:
		ev.Reason = wholecall.ReasonCancelled
	case string(why) == "max_output_tokens":
		ev.Reason = wholecall.ReasonTokenLimit
	case string(why) == "content_filter":
		ev.Reason = wholecall.ReasonContentFilter
	}
	return ev
}

// conclude ends what the response left open. Its calls are whole where it says that it completed and a
// copy of the whole call was seen.
func (r *realtimeResponse) conclude(events []wholecall.Event, reason wholecall.Reason) []wholecall.Event {
	for i := range r.items {
		it := &r.items[i]
		if !it.kind.isCall() {
			events = it.closeParts(events)
			continue
		}
		end := wholecall.Event{Kind: wholecall.End, Key: it.key, Reason: it.reason}
		switch {
		case reason != "":
			end.Reason = reason
		case !it.confirmed:
			end.Reason = wholecall.ReasonUnfinished
		}
		events = append(events, end)
	}
	return events
}

// output holds the final copies of the calls against what was streamed.
func (d *realtimeDecoder) output(events []wholecall.Event, r *realtimeResponse, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '[' {
		raw = []byte("[]")
	}
	c := &d.cur
	c.Reset(raw)
	n := 0
	for c.Array(); c.Element(); n++ {
		one, _ := c.Raw()
		item, err := parseItem(&d.sub, one)
		if err != nil {
			return events, err
		}
		if !realtimeKind(item.typ).isCall() {
			continue
		}
		if events, err = d.listed(events, r, &item); err != nil {
			return events, err
		}
	}
	return r.unlisted(events, n), nil
}

// listed takes a call of the final output. One of the client's that no event announced was lost.
func (d *realtimeDecoder) listed(events []wholecall.Event, r *realtimeResponse, item *responsesItem) ([]wholecall.Event, error) {
	it := r.matching(item)
	switch {
	case it == nil && realtimeKind(item.typ) == mcpItem:
		return append(events, deviate(rServerOnly)), nil
	case it == nil:
		return events, &wholecall.ProtocolError{Kind: wholecall.Unannounced, ID: string(item.callID), Name: string(item.name),
			Detail: "response.done lists a call that was never announced"}
	}
	it.listed = true
	if err := it.same(item); err != nil {
		return events, err
	}
	return d.confirm(events, it, item, "response.done")
}

// matching returns the call that a final copy is of, or nil.
func (r *realtimeResponse) matching(item *responsesItem) *realtimeItem {
	for i := range r.items {
		it := &r.items[i]
		switch {
		case !it.kind.isCall() || it.listed:
		case len(item.callID) > 0 && it.kind == functionItem:
			if it.callID == string(item.callID) {
				return it
			}
		case len(item.id) > 0 && it.id == string(item.id):
			return it
		}
	}
	return nil
}

// unlisted counts the calls that the final output leaves out. n is how many items it has.
func (r *realtimeResponse) unlisted(events []wholecall.Event, n int) []wholecall.Event {
	missing := 0
	for i := range r.items {
		if it := &r.items[i]; it.kind.isCall() && !it.listed {
			missing++
		}
	}
	switch {
	case missing == 0:
	case n == 0:
		events = append(events, deviate(rEmptyOutput))
	default:
		for range missing {
			events = append(events, deviate(rMissingInCopy))
		}
	}
	return events
}

// report adds up the token counts of the turn's responses.
func (d *realtimeDecoder) report(events []wholecall.Event, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return events, nil
	}
	u, err := readRealtimeUsage(&d.sub, raw)
	if err != nil {
		return events, err
	}
	d.usage.Input += u.Input
	d.usage.Output += u.Output
	d.usage.CacheRead += u.CacheRead
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: d.usage, Data: raw}), nil
}

func readRealtimeUsage(c *strictjson.Cursor, raw []byte) (wholecall.Usage, error) {
	var u wholecall.Usage
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			switch string(name) {
			case "input_tokens":
				u.Input = countOf(c)
			case "output_tokens":
				u.Output = countOf(c)
			case "input_token_details":
				u.CacheRead = countIn(c, "cached_tokens")
			default:
				c.Skip()
			}
		}
	}
	if err := c.Err(); err != nil {
		return u, malformed(err, "the usage is malformed")
	}
	return u, nil
}
