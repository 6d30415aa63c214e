package openai

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// responsesEncoder writes one stream. Every part gets an item of its own, but for parts of one
// position that follow each other, as the content parts of one message do. Items are numbered in the
// order in which they begin, without a gap: clients look their items up in a list by that number.
//
// What it can't express is an error, and leaves the stream as it was: more than one choice, a
// signature, a delta of a part that is data.
type responsesEncoder struct {
	body  []byte
	seq   int64
	items []*encodedItem
	group *encodedItem // the message or reasoning item that more parts may join
	held  *encodedItem // a computer call that has ended, and whose item may follow as data

	id, model []byte
	counts    wholecall.Usage
	usage     []byte
	stopped   bool
	stop      []byte
	reason    wholecall.Reason

	speaking bool // the transcript of an audio is open
	voice    wholecall.Key
}

// encodedItem is an item of the stream.
type encodedItem struct {
	index int32
	kind  itemKind
	typ   string
	id    []byte
	key   wholecall.Key // of the call or data, or of the first part
	parts []*encodedPart
	raw   []byte // the item as output_item.done has it; nil before

	// The rest is for calls.
	callID, name, extra []byte
	empty               wholecall.EmptyRule
	text                []byte
	carry               uint16
	copy                []byte // a copy of the document that is not text
	ended               bool
	waits               bool // ended without a byte: what that means, the stop reason says
}

// encodedPart is a part of a message or reasoning item.
type encodedPart struct {
	key   wholecall.Key
	kind  wholecall.PartKind
	place int // among the contents, or among the summaries
	open  bool
	text  []byte
	carry uint16
	notes []byte
}

var errChoice = errors.New("openai-responses: a second choice can't be expressed")

// Append implements wholecall.Encoder. Why the model stopped, and the token counts, are held back for
// the terminal, which carries them; the end of a message for what follows it.
func (e *responsesEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Key.Choice != 0 {
		return dst, errChoice
	}
	if e.held != nil && !e.holds(ev) {
		dst = e.closeItem(dst, e.held)
		e.held = nil
	}
	switch ev.Kind {
	case wholecall.Begin:
		return e.begin(dst, ev), nil
	case wholecall.OpenPart, wholecall.Delta, wholecall.ClosePart, wholecall.Sign, wholecall.Annotate:
		return e.partEvent(dst, ev)
	case wholecall.Announce, wholecall.Fragment, wholecall.Document, wholecall.End:
		return e.callEvent(dst, ev)
	case wholecall.UsageReport:
		e.usage, e.counts = append(e.usage[:0], ev.Data...), ev.Usage
	case wholecall.Stop:
		return e.stops(dst, ev), nil
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Pass:
		if bytes.ContainsAny(ev.Name, "\r\n") || len(ev.Name) == 0 {
			return dst, fmt.Errorf("openai-responses: an event of type %q can't be expressed", ev.Name)
		}
		return e.frame(dst, string(ev.Name)), nil
	case wholecall.Deviate, wholecall.Hint:
	default:
		return dst, fmt.Errorf("openai-responses: event kind %d can't be expressed", ev.Kind)
	}
	return dst, nil
}

// frame appends one SSE event with the members in e.body, each with a comma before it. A value that
// stands as another protocol wrote it may hold line ends: they go out as lines of data.
func (e *responsesEncoder) frame(dst []byte, typ string) []byte {
	dst = append(dst, "event: "...)
	dst = append(dst, typ...)
	dst = append(dst, "\ndata: {\"type\":"...)
	dst = strictjson.AppendQuoted(dst, []byte(typ))
	dst = append(dst, `,"sequence_number":`...)
	dst = strconv.AppendInt(dst, e.seq, 10)
	e.seq++
	for _, ch := range e.body {
		switch ch {
		case '\n':
			dst = append(dst, "\ndata: "...)
		case '\r':
			dst = append(dst, ' ')
		default:
			dst = append(dst, ch)
		}
	}
	e.body = e.body[:0]
	return append(dst, "}\n\n"...)
}

// member adds a member with a string.
func (e *responsesEncoder) member(name string, s []byte) {
	e.body = appendString(e.body, name, s)
}

// appendString appends a member with a string, and the comma before it.
func appendString(dst []byte, name string, s []byte) []byte {
	return strictjson.AppendQuoted(appendName(dst, name), s)
}

// appendName appends a member's name, and the comma before it.
func appendName(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func (e *responsesEncoder) number(name string, n int) {
	e.body = strconv.AppendInt(appendName(e.body, name), int64(n), 10)
}

// next is the output_index of the item that begins next.
func (e *responsesEncoder) next() int32 { return int32(len(e.items)) }

// add begins an item, and writes what its added copy says.
func (e *responsesEncoder) add(dst []byte, it *encodedItem, copy []byte) []byte {
	e.items = append(e.items, it)
	e.number("output_index", int(it.index))
	e.body = append(appendName(e.body, "item"), copy...)
	return e.frame(dst, "response.output_item.added")
}

// closeItem writes an item's last copy.
func (e *responsesEncoder) closeItem(dst []byte, it *encodedItem) []byte {
	e.number("output_index", int(it.index))
	e.body = append(appendName(e.body, "item"), it.raw...)
	return e.frame(dst, "response.output_item.done")
}

func (e *responsesEncoder) begin(dst []byte, ev *wholecall.Event) []byte {
	e.id, e.model = bytes.Clone(ev.ID), bytes.Clone(ev.Name)
	e.body = append(e.response(appendName(e.body, "response"), "in_progress"), `,"output":[]}`...)
	return e.frame(dst, "response.created")
}

// response appends the beginning of a response object.
func (e *responsesEncoder) response(dst []byte, status string) []byte {
	dst = append(dst, `{"object":"response"`...)
	dst = appendString(dst, "id", e.id)
	dst = appendString(dst, "status", []byte(status))
	return appendString(dst, "model", e.model)
}

// stops takes note of why the model stopped, and decides about the calls that waited for it.
func (e *responsesEncoder) stops(dst []byte, ev *wholecall.Event) []byte {
	if e.stopped {
		return dst
	}
	e.stopped, e.stop, e.reason = true, bytes.Clone(ev.Name), ev.Reason
	for _, it := range e.items {
		switch {
		case it.waits:
			dst = e.endEmpty(dst, it, ev.Reason)
		case !ev.Ends:
		case it.kind.isCall() && !it.ended:
			dst = e.endWithStop(dst, it, ev.Reason)
		}
		if !ev.Ends {
			continue
		}
		for _, p := range it.parts {
			if p.open {
				dst = e.closePart(dst, it, p)
			}
		}
	}
	return e.leave(dst)
}

// terminal writes the end of the stream, with what was held back for it.
func (e *responsesEncoder) terminal(dst []byte) ([]byte, error) {
	if !e.stopped {
		return dst, errors.New("openai-responses: an end without a stop reason can't be expressed")
	}
	dst = e.leave(dst)
	status := "completed"
	if e.reason != "" {
		status = "incomplete"
	}
	b := e.response(appendName(e.body, "response"), status)
	b = append(b, `,"incomplete_details":`...)
	if why := e.why(); why != nil {
		b = append(strictjson.AppendQuoted(append(b, `{"reason":`...), why), '}')
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"output":[`...)
	comma := false
	for _, it := range e.items {
		if it.raw == nil {
			continue
		}
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(b, it.raw...)
	}
	b = append(b, `],"usage":`...)
	e.body = append(e.appendUsage(b), '}')
	return e.frame(dst, "response."+status), nil
}

// why is the reason of an incomplete response, in the words of this protocol where it has one.
func (e *responsesEncoder) why() []byte {
	switch e.reason {
	case "":
		return nil
	case wholecall.ReasonTokenLimit:
		return []byte("max_output_tokens")
	case wholecall.ReasonContentFilter:
		return []byte("content_filter")
	}
	if string(e.stop) == "incomplete" || len(e.stop) == 0 {
		return nil
	}
	return e.stop
}

// appendUsage appends the token counts: as they stood, where they are this protocol's.
func (e *responsesEncoder) appendUsage(dst []byte) []byte {
	if len(e.usage) > 0 && e.usage[0] == '{' {
		var c strictjson.Cursor
		if u, err := readUsage(&c, e.usage); err == nil && u == e.counts {
			return append(dst, e.usage...)
		}
	}
	u := e.counts
	if u == (wholecall.Usage{}) {
		return append(dst, "null"...)
	}
	return fmt.Appendf(dst, `{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.Input, u.CacheRead, u.Output, u.Reasoning, u.Input+u.Output)
}

func (e *responsesEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	b := append(appendName(e.body, "error"), `{"param":null`...)
	b = appendString(b, "type", ev.Name)
	b = appendString(b, "code", ev.ID)
	e.body = append(appendString(b, "message", ev.Data), '}')
	return e.frame(dst, "error")
}
