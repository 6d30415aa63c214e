package mistral

import (
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// convEncoder writes one stream. What it says of a part, it says under an output_index of the part's own,
// counted in the order in which the parts begin: clients collect by it.
type convEncoder struct {
	body   []byte
	parts  []convPart
	usage  []byte
	counts wholecall.Usage
}

// convPart is a part as it stands on the wire.
type convPart struct {
	key      wholecall.Key
	kind     wholecall.PartKind
	id, name []byte
	empty    wholecall.EmptyRule
	bytes    bool // a byte of arguments was written
	ended    bool
}

// Append implements wholecall.Encoder.
func (e *convEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	if ev.Key.Choice != 0 {
		return dst, fmt.Errorf("mistral-conversations: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		b := strictjson.AppendQuoted(append(e.body, `,"conversation_id":`...), ev.ID)
		return e.frame(dst, respStarted, b), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta, wholecall.Sign, wholecall.Annotate:
		return e.delta(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment, wholecall.Document:
		return e.fragment(dst, ev)
	case wholecall.End:
		return e.end(dst, ev)
	case wholecall.UsageReport:
		e.usage, e.counts = append(e.usage[:0], ev.Data...), ev.Usage
		return dst, nil
	case wholecall.Stop:
		return e.stop(dst, ev)
	case wholecall.Terminal:
		return e.terminal(dst), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.ClosePart, wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	}
	return dst, fmt.Errorf("mistral-conversations: event kind %d can't be expressed", ev.Kind)
}

// frame appends one SSE event. rest is what follows the type: members, each with a comma before it.
func (e *convEncoder) frame(dst []byte, typ string, rest []byte) []byte {
	e.body = rest
	dst = append(append(dst, "event: "...), typ...)
	dst = append(append(dst, "\ndata: {\"type\":\""...), typ...)
	return append(append(append(dst, '"'), rest...), "}\n\n"...)
}

// find returns the part with the key, and its output_index.
func (e *convEncoder) find(key wholecall.Key) (*convPart, int) {
	for i := range e.parts {
		if e.parts[i].key == key {
			return &e.parts[i], i
		}
	}
	return nil, -1
}

func (e *convEncoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
	case wholecall.DataPart:
		return e.data(dst, ev)
	default:
		return dst, fmt.Errorf("mistral-conversations: a part of kind %s can't be expressed", ev.Part)
	}
	e.parts = append(e.parts, convPart{key: ev.Key, kind: ev.Part})
	return dst, nil
}

// data writes a handoff as the event that it was, and any other part as content.
func (e *convEncoder) data(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch name := string(ev.Name); name {
	case handoffStarted, handoffDone:
		dst = append(append(dst, "event: "...), name...)
		return append(appendRaw(append(dst, "\ndata: "...), ev.Data), "\n\n"...), nil
	}
	e.parts = append(e.parts, convPart{key: ev.Key, kind: ev.Part})
	b := appendRaw(e.output(len(e.parts)-1, `"role":"assistant","content":[`), ev.Data)
	return e.frame(dst, messageDelta, append(b, ']')), nil
}

// output appends the members that every piece of a part begins with, and the beginning of the next.
func (e *convEncoder) output(index int, next string) []byte {
	b := append(e.body[:0], `,"output_index":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	b = strconv.AppendInt(append(b, `,"id":"entry_`...), int64(index), 10)
	return append(append(b, `",`...), next...)
}

func (e *convEncoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p, index := e.find(ev.Key)
	if p == nil {
		return dst, fmt.Errorf("mistral-conversations: a delta for a part that never began")
	}
	b, err := appendContentOf(e.output(index, `"role":"assistant","content":`), p.kind, ev)
	if err != nil {
		return dst, err
	}
	return e.frame(dst, messageDelta, b), nil
}

func (e *convEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("mistral-conversations: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	p := convPart{key: ev.Key, kind: wholecall.CallPart, id: append([]byte(nil), ev.ID...), name: append([]byte(nil), ev.Name...), empty: ev.Empty}
	if ev.Runner == wholecall.ProviderRuns {
		p.kind = wholecall.ServerCallPart
	}
	e.parts = append(e.parts, p)
	return e.piece(dst, &p, len(e.parts)-1, toolStarted, []byte(`""`), ev.Extra), nil
}

// piece writes a piece of a call. args is a JSON string.
func (e *convEncoder) piece(dst []byte, p *convPart, index int, typ string, args, extra []byte) []byte {
	b := append(e.body[:0], `,"output_index":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	if p.kind == wholecall.CallPart {
		typ = callDelta
		b = strconv.AppendInt(append(b, `,"id":"entry_`...), int64(index), 10)
		b = strictjson.AppendQuoted(append(b, `","tool_call_id":`...), p.id)
	} else {
		b = strictjson.AppendQuoted(append(b, `,"id":`...), p.id)
	}
	b = strictjson.AppendQuoted(append(b, `,"name":`...), p.name)
	if args != nil {
		b = append(append(b, `,"arguments":`...), args...)
	}
	return e.frame(dst, typ, appendConfirmation(b, extra))
}

// appendConfirmation appends what of a call's Extra this protocol says itself.
func appendConfirmation(b, extra []byte) []byte {
	if len(extra) == 0 {
		return b
	}
	var c strictjson.Cursor
	c.Reset(extra)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		raw, _ := c.Raw()
		if string(name) == "confirmation_status" {
			b = appendRaw(append(b, `,"confirmation_status":`...), raw)
		}
	}
	return b
}

// fragment writes a fragment. A copy of the whole document is one where nothing came before it.
func (e *convEncoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p, index := e.find(ev.Key)
	switch {
	case p == nil || p.kind != wholecall.CallPart && p.kind != wholecall.ServerCallPart:
		return dst, fmt.Errorf("mistral-conversations: a fragment for a call that was never announced")
	case ev.Kind == wholecall.Document && (ev.Final || p.bytes || len(ev.Data) == 0):
		return dst, nil
	}
	p.bytes = p.bytes || len(ev.Data) > 0
	return e.piece(dst, p, index, toolDelta, appendText(nil, ev), nil), nil
}

// end writes the end of a call that the provider runs; one of the client's has none. A call that its end
// cuts has no way to say so.
func (e *convEncoder) end(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p, index := e.find(ev.Key)
	switch {
	case p == nil:
		return dst, fmt.Errorf("mistral-conversations: an end for a call that was never announced")
	case ev.Reason != "":
		return dst, fmt.Errorf("mistral-conversations: call %s: that it ended for the reason %q can't be expressed", p.id, ev.Reason)
	case p.kind != wholecall.ServerCallPart || p.ended:
		return dst, nil
	}
	p.ended = true
	return e.piece(dst, p, index, toolDone, nil, nil), nil
}

// stop checks that the turn ended well, which is all that the protocol can say. A call that has no
// arguments, as its own protocol says, gets a {}.
func (e *convEncoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Reason != "" {
		return dst, fmt.Errorf("mistral-conversations: a stop for the reason %q can't be expressed", ev.Reason)
	}
	for i := range e.parts {
		p := &e.parts[i]
		if p.kind == wholecall.CallPart && !p.bytes && p.empty >= wholecall.EmptyIsObject {
			p.bytes = true
			dst = e.piece(dst, p, i, callDelta, []byte(`"{}"`), nil)
		}
	}
	return dst, nil
}

func (e *convEncoder) terminal(dst []byte) []byte {
	b := append(e.body, `,"usage":`...)
	return e.frame(dst, respDone, appendUsage(b, e.usage, e.counts))
}

// failure writes the error event. Its code is a number.
func (e *convEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	b := strictjson.AppendQuoted(append(e.body, `,"message":`...), ev.Data)
	code, err := strconv.Atoi(string(ev.ID))
	if err != nil {
		code = 0
	}
	return e.frame(dst, respError, strconv.AppendInt(append(b, `,"code":`...), int64(code), 10))
}
