package anthropic

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one stream.
type encoder struct {
	body   []byte
	kinds  map[int32]wholecall.PartKind
	usage  []byte // waits for the event that carries it
	counts wholecall.Usage
}

// Append implements wholecall.Encoder. Usage is held back for the frame that carries it:
// message_start for what comes with the beginning, message_delta for the rest.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	if ev.Key.Choice != 0 {
		return dst, errors.New("anthropic: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		return e.begin(dst, ev), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Delta, wholecall.Fragment, wholecall.Sign, wholecall.Annotate:
		return e.delta(dst, ev)
	case wholecall.ClosePart, wholecall.End:
		if ev.Reason != "" {
			return dst, nil // a block that its end cuts is left open
		}
		return e.frame(dst, "content_block_stop", ev.Key.Index, "", nil), nil
	case wholecall.UsageReport:
		e.usage, e.counts = append(e.usage[:0], ev.Data...), ev.Usage
		return dst, nil
	case wholecall.Stop:
		return e.stop(dst, ev), nil
	case wholecall.Terminal:
		return e.frame(dst, "message_stop", -1, "", nil), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Document, wholecall.Deviate:
		return dst, nil
	case wholecall.Pass:
		return e.frame(dst, string(ev.Name), -1, "", nil), nil
	}
	return dst, fmt.Errorf("anthropic: event kind %d can't be expressed", ev.Kind)
}

// frame appends one SSE event. member, where it is not "", is a last member with a JSON value.
func (e *encoder) frame(dst []byte, typ string, index int32, member string, value []byte) []byte {
	dst = append(dst, "event: "...)
	dst = append(dst, typ...)
	dst = append(dst, "\ndata: {\"type\":"...)
	dst = strictjson.AppendQuoted(dst, []byte(typ))
	if index >= 0 {
		dst = append(dst, `,"index":`...)
		dst = strconv.AppendInt(dst, int64(index), 10)
	}
	if member != "" {
		dst = append(append(append(dst, `,"`...), member...), `":`...)
		dst = strictjson.AppendLine(dst, value)
	}
	return append(dst, "}\n\n"...)
}

func (e *encoder) begin(dst []byte, ev *wholecall.Event) []byte {
	b := append(e.body, `{"id":`...)
	b = strictjson.AppendQuoted(b, ev.ID)
	b = append(b, `,"type":"message","role":"assistant","model":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	b = append(b, `,"content":[],"stop_reason":null,"stop_sequence":null}`...)
	e.body = b
	return e.frame(dst, "message_start", -1, "message", b)
}

func (e *encoder) note(index int32, k wholecall.PartKind) {
	if e.kinds == nil {
		e.kinds = map[int32]wholecall.PartKind{}
	}
	e.kinds[index] = k
}

func (e *encoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.note(ev.Key.Index, ev.Part)
	switch ev.Part {
	case wholecall.TextPart:
		return e.frame(dst, "content_block_start", ev.Key.Index, "content_block", []byte(`{"type":"text","text":""}`)), nil
	case wholecall.ReasoningPart:
		return e.frame(dst, "content_block_start", ev.Key.Index, "content_block", []byte(`{"type":"thinking","thinking":"","signature":""}`)), nil
	case wholecall.DataPart:
		return e.frame(dst, "content_block_start", ev.Key.Index, "content_block", ev.Data), nil
	}
	return dst, fmt.Errorf("anthropic: a part of kind %s can't be expressed", ev.Part)
}

func (e *encoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("anthropic: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	e.note(ev.Key.Index, wholecall.CallPart)
	typ := "tool_use"
	if ev.Runner == wholecall.ProviderRuns {
		typ = "server_tool_use"
	}
	extra := ev.Extra
	if len(extra) > 2 {
		var c strictjson.Cursor
		c.Reset(extra)
		rest := []byte(nil)
		for c.Object(); ; {
			name, ok := c.Member()
			if !ok {
				break
			}
			member := append(append([]byte(`,"`), name...), `":`...)
			raw, _ := c.Raw()
			if string(name) == "type" {
				typ = string(raw[1 : len(raw)-1])
				continue
			}
			rest = append(append(rest, member...), raw...)
		}
		extra = rest
	}
	b := append(e.body, `{"type":`...)
	b = strictjson.AppendQuoted(b, []byte(typ))
	b = append(b, `,"id":`...)
	b = strictjson.AppendQuoted(b, ev.ID)
	b = append(b, `,"name":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	b = append(b, `,"input":{}`...)
	b = append(append(b, extra...), '}')
	e.body = b
	return e.frame(dst, "content_block_start", ev.Key.Index, "content_block", b), nil
}

func (e *encoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	var head string
	kind := e.kinds[ev.Key.Index]
	switch {
	case ev.Kind == wholecall.Fragment:
		head = `{"type":"input_json_delta","partial_json":`
	case ev.Kind == wholecall.Annotate:
		e.body = append(append(append(e.body, `{"type":"citations_delta","citation":`...), ev.Data...), '}')
		return e.frame(dst, "content_block_delta", ev.Key.Index, "delta", e.body), nil
	case ev.Kind == wholecall.Sign:
		head = `{"type":"signature_delta","signature":`
	case kind == wholecall.TextPart:
		head = `{"type":"text_delta","text":`
	case kind == wholecall.ReasoningPart:
		head = `{"type":"thinking_delta","thinking":`
	case kind == wholecall.DataPart:
		head = `{"type":"compaction_delta","content":`
	default:
		return dst, fmt.Errorf("anthropic: a delta for a part that never began")
	}
	e.body = appendString(append(e.body, head...), ev)
	e.body = append(e.body, '}')
	return e.frame(dst, "content_block_delta", ev.Key.Index, "delta", e.body), nil
}

// appendString appends an event's text as a JSON string.
func appendString(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}

func (e *encoder) stop(dst []byte, ev *wholecall.Event) []byte {
	b := append(e.body, `{"stop_reason":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	b = append(b, `,"stop_sequence":null}`...)
	e.body = b
	if e.usage == nil && e.counts != (wholecall.Usage{}) {
		e.usage = appendUsage(nil, e.counts)
	}
	if len(e.usage) > 0 {
		b = append(append(b, `,"usage":`...), e.usage...)
		e.body = b
	}
	return e.frame(dst, "message_delta", -1, "delta", b)
}

func appendUsage(dst []byte, u wholecall.Usage) []byte {
	return fmt.Appendf(dst, `{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d}`,
		u.Input, u.Output, u.CacheRead, u.CacheWrite)
}

func (e *encoder) failure(dst []byte, ev *wholecall.Event) []byte {
	b := append(e.body, `{"type":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	b = append(b, `,"message":`...)
	b = strictjson.AppendQuoted(b, ev.Data)
	e.body = append(b, '}')
	return e.frame(dst, "error", -1, "error", e.body)
}
