package openai

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// realtimeEncoder writes the responses of one turn, a choice each. What ends them is held back for the
// terminal, as all of them are open until then. Every call, and every part that is data, gets an item of
// its own; texts that share a position share a message. Items are numbered in the order in which they
// begin.
//
// What it can't express is an error: free text as arguments, a signature, an annotation, a text that the
// protocol has no part for, a stop for a reason that it has no word for, and, since a response that was
// cut has no whole call, the stop of one in which a call completed. Where another call was cut in it, what
// follows such a stop is written all the same, as a response that completed with one call unfinished: that
// says of each call what became of it, and not why.
type realtimeEncoder struct {
	body      []byte
	events    int64
	responses []*realtimeOut
	usage     []byte
}

// realtimeOut is a response of the stream.
type realtimeOut struct {
	choice int32
	id     []byte
	items  []*realtimeOutItem

	stopped bool
	stop    []byte
	reason  wholecall.Reason
}

// realtimeOutItem is an item of a response.
type realtimeOutItem struct {
	key   wholecall.Key
	kind  itemKind
	index int
	id    []byte
	raw   []byte // the item as output_item.done has it; nil before
	parts []*realtimeOutPart

	// The rest is for calls.
	callID, name, extra []byte
	empty               wholecall.EmptyRule
	text                []byte
	carry               uint16
	copy                []byte // a copy of the document that is not the same text
	ended, cut          bool
}

// realtimeOutPart is a content part of a message.
type realtimeOutPart struct {
	key   wholecall.Key
	kind  wholecall.PartKind
	place int
	text  []byte
	carry uint16
	open  bool
}

// Append implements wholecall.Encoder.
func (e *realtimeEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Kind {
	case wholecall.Begin:
		_, dst = e.response(dst, 0, ev.ID)
		return dst, nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta:
		return e.delta(dst, ev)
	case wholecall.ClosePart:
		return e.closePart(dst, ev), nil
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment, wholecall.Document:
		return e.fragment(dst, ev)
	case wholecall.End:
		return e.end(dst, ev)
	case wholecall.Stop:
		return e.stops(dst, ev)
	case wholecall.UsageReport:
		e.usage = appendRealtimeUsage(e.usage[:0], ev)
		return dst, nil
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	case wholecall.Sign, wholecall.Annotate:
		return dst, errors.New("openai-realtime: a signature or an annotation can't be expressed")
	}
	return dst, fmt.Errorf("openai-realtime: event kind %d can't be expressed", ev.Kind)
}

// frame writes one event with the members in e.body, each with a comma before it. A line end between the
// tokens of a value that stands as another wrote it would end the line.
func (e *realtimeEncoder) frame(dst []byte, typ string) []byte {
	e.events++
	dst = append(append(append(dst, `{"type":"`...), typ...), `","event_id":"event_`...)
	dst = append(strconv.AppendInt(dst, e.events, 10), '"')
	for _, ch := range e.body {
		if ch == '\n' || ch == '\r' {
			ch = ' '
		}
		dst = append(dst, ch)
	}
	e.body = e.body[:0]
	return append(dst, "}\n"...)
}

func (e *realtimeEncoder) string(name string, s []byte) { e.body = appendString(e.body, name, s) }

func (e *realtimeEncoder) number(name string, n int) {
	e.body = strconv.AppendInt(appendName(e.body, name), int64(n), 10)
}

// of begins an event about an item.
func (e *realtimeEncoder) of(r *realtimeOut, it *realtimeOutItem) {
	e.string("response_id", r.id)
	if it.id != nil {
		e.string("item_id", it.id)
	}
	e.number("output_index", it.index)
}

// response returns the response of a choice, and begins it where it did not yet.
func (e *realtimeEncoder) response(dst []byte, choice int32, id []byte) (*realtimeOut, []byte) {
	for _, r := range e.responses {
		if r.choice == choice {
			return r, dst
		}
	}
	if len(id) == 0 {
		id = strconv.AppendInt([]byte("resp_"), int64(choice), 10)
	}
	r := &realtimeOut{choice: choice, id: slices.Clone(id)}
	e.responses = append(e.responses, r)
	e.body = append(r.object(appendName(e.body, "response"), "in_progress"), `,"output":[]}`...)
	return r, e.frame(dst, "response.created")
}

// object appends the beginning of a response object.
func (r *realtimeOut) object(dst []byte, status string) []byte {
	dst = appendString(append(dst, `{"object":"realtime.response"`...), "id", r.id)
	return appendString(dst, "status", []byte(status))
}

// find returns the item and, in a message, the part with the key.
func (e *realtimeEncoder) find(key wholecall.Key) (*realtimeOut, *realtimeOutItem, *realtimeOutPart) {
	for _, r := range e.responses {
		if r.choice != key.Choice {
			continue
		}
		for _, it := range r.items {
			if it.kind != messageItem && it.key == key {
				return r, it, nil
			}
			for _, p := range it.parts {
				if p.key == key {
					return r, it, p
				}
			}
		}
	}
	return nil, nil, nil
}

// add begins an item, and writes what its added copy says.
func (e *realtimeEncoder) add(dst []byte, r *realtimeOut, it *realtimeOutItem, copy []byte) []byte {
	it.index = len(r.items)
	r.items = append(r.items, it)
	e.string("response_id", r.id)
	e.number("output_index", it.index)
	e.body = append(appendName(e.body, "item"), copy...)
	return e.frame(dst, "response.output_item.added")
}

// closeItem writes an item's last copy.
func (e *realtimeEncoder) closeItem(dst []byte, r *realtimeOut, it *realtimeOutItem) []byte {
	e.string("response_id", r.id)
	e.number("output_index", it.index)
	e.body = append(appendName(e.body, "item"), it.raw...)
	return e.frame(dst, "response.output_item.done")
}

// status is the status that a stop's reason makes, and the reason in the words of this protocol.
func (r *realtimeOut) status() (status, why string) {
	switch r.reason {
	case "":
		return statusCompleted, ""
	case wholecall.ReasonTokenLimit:
		return statusIncomplete, "max_output_tokens"
	case wholecall.ReasonContentFilter:
		return statusIncomplete, "content_filter"
	case wholecall.ReasonCancelled:
		if string(r.stop) == "turn_detected" {
			return statusCancelled, "turn_detected"
		}
		return statusCancelled, "client_cancelled"
	}
	return "", ""
}

// stops takes note of why a response stopped, and decides about the calls that waited for it.
func (e *realtimeEncoder) stops(dst []byte, ev *wholecall.Event) ([]byte, error) {
	r, dst := e.response(dst, ev.Key.Choice, nil)
	if r.stopped {
		return dst, nil
	}
	r.stop, r.reason = slices.Clone(ev.Name), ev.Reason
	if status, _ := r.status(); status == "" {
		return dst, fmt.Errorf("openai-realtime: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	if err := r.settle(ev); err != nil {
		return dst, err
	}
	r.stopped = true
	for _, it := range r.items {
		switch {
		case it.kind == messageItem && ev.Ends:
			for _, p := range it.parts {
				dst = e.endPart(dst, r, it, p)
			}
		case it.kind.isCall() && it.ended && it.raw == nil:
			dst = e.endCall(dst, r, it)
		}
	}
	return dst, nil
}

// terminal writes the ends of all responses.
func (e *realtimeEncoder) terminal(dst []byte) ([]byte, error) {
	for _, r := range e.responses {
		if !r.stopped {
			return dst, errors.New("openai-realtime: an end without a stop reason can't be expressed")
		}
	}
	if len(e.responses) == 0 {
		return dst, errors.New("openai-realtime: an end without a stop reason can't be expressed")
	}
	for _, r := range e.responses {
		for _, it := range r.items {
			switch {
			case it.kind == messageItem:
				dst = e.endMessage(dst, r, it)
			case it.kind.isCall() && it.ended && it.raw == nil:
				dst = e.endCall(dst, r, it)
			}
		}
	}
	for _, r := range e.responses {
		status, why := r.status()
		dst = e.done(dst, r, status, r.detail(status, why))
	}
	return dst, nil
}

// detail is the value of status_details.
func (r *realtimeOut) detail(status, why string) []byte {
	b := strictjson.AppendQuoted([]byte(`{"type":`), []byte(status))
	if why != "" {
		b = appendString(b, "reason", []byte(why))
	}
	return append(b, '}')
}

// done writes the end of a response. The token counts of the turn stand in the first.
func (e *realtimeEncoder) done(dst []byte, r *realtimeOut, status string, detail []byte) []byte {
	b := r.object(appendName(e.body, "response"), status)
	b = append(appendName(b, "status_details"), detail...)
	b = append(b, `,"output":[`...)
	comma := false
	for _, it := range r.items {
		if it.raw == nil {
			continue
		}
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(b, it.raw...)
	}
	b = append(b, ']')
	if len(e.usage) > 0 {
		b = append(appendName(b, "usage"), e.usage...)
		e.usage = nil
	}
	e.body = append(b, '}')
	return e.frame(dst, "response.done")
}

// appendRealtimeUsage appends token counts: as they stood, where they are this protocol's.
func appendRealtimeUsage(dst []byte, ev *wholecall.Event) []byte {
	var c strictjson.Cursor
	if u, err := readRealtimeUsage(&c, ev.Data); err == nil && u == ev.Usage {
		return append(dst, ev.Data...)
	}
	u := ev.Usage
	return fmt.Appendf(dst, `{"total_tokens":%d,"input_tokens":%d,"output_tokens":%d,"input_token_details":{"cached_tokens":%d}}`,
		u.Input+u.Output, u.Input, u.Output, u.CacheRead)
}

// failure writes an error, which has a message, and that the response failed, which is what ends it.
func (e *realtimeEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	r, dst := e.response(dst, 0, nil)
	if len(ev.Data) > 0 {
		b := append(appendName(e.body, "error"), `{"param":null`...)
		b = appendString(appendString(b, "type", ev.Name), "code", ev.ID)
		e.body = append(appendString(b, "message", ev.Data), '}')
		dst = e.frame(dst, "error")
	}
	b := []byte(`{"type":"failed","error":{"param":null`)
	b = appendString(appendString(b, "type", ev.Name), "code", ev.ID)
	return e.done(dst, r, statusFailed, append(b, "}}"...))
}
