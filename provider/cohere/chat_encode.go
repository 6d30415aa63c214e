package cohere

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one stream. The stop reason and the token counts wait for the terminal, since one event
// carries all three.
type encoder struct {
	body     []byte
	parts    map[wholecall.Key]*encoded
	contents space
	calls    space
	cites    int32
	open     []*encoded // the calls that have no end yet
	usage    []byte
	counts   wholecall.Usage
	finish   []byte
}

// encoded is a part or a call as it stands on the wire.
type encoded struct {
	kind  wholecall.PartKind
	index int32
	plan  bool
	bytes bool // a fragment with a byte was written
	empty wholecall.EmptyRule
}

// Append implements wholecall.Encoder.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	if ev.Key.Choice != 0 {
		return dst, fmt.Errorf("cohere: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		return e.begin(dst, ev), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta:
		return e.delta(dst, ev)
	case wholecall.Annotate:
		return e.cite(dst, ev.Data)
	case wholecall.ClosePart:
		return e.closePart(dst, ev)
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
		return append(e.terminal(dst), "data: [DONE]\n\n"...), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	case wholecall.Sign:
		return dst, fmt.Errorf("cohere: a signature can't be expressed")
	}
	return dst, fmt.Errorf("cohere: event kind %d can't be expressed", ev.Kind)
}

// frame appends one SSE event. A nil delta is left out.
func (e *encoder) frame(dst []byte, typ string, index int32, delta []byte) []byte {
	dst = append(append(dst, "event: "...), typ...)
	dst = append(dst, "\ndata: {\"type\":"...)
	dst = strictjson.AppendQuoted(dst, []byte(typ))
	if index >= 0 {
		dst = append(dst, `,"index":`...)
		dst = strconv.AppendInt(dst, int64(index), 10)
	}
	if delta != nil {
		dst = append(append(dst, `,"delta":`...), delta...)
	}
	return append(dst, "}\n\n"...)
}

func (e *encoder) begin(dst []byte, ev *wholecall.Event) []byte {
	dst = append(dst, "event: message-start\ndata: {\"type\":\"message-start\",\"id\":"...)
	dst = strictjson.AppendQuoted(dst, ev.ID)
	return append(dst, `,"delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`+"\n\n"...)
}

// space is a number space of the wire.
type space struct {
	used map[int32]bool
	next int32
}

// take returns the index that is wished for, or, where that is taken or is none, the first free one.
func (s *space) take(wish int32) int32 {
	if s.used == nil {
		s.used = map[int32]bool{}
	}
	if wish < 0 || s.used[wish] {
		for s.used[s.next] {
			s.next++
		}
		wish = s.next
	}
	s.used[wish] = true
	return wish
}

// note keeps what a key stands for on the wire.
func (e *encoder) note(key wholecall.Key, p encoded) *encoded {
	if e.parts == nil {
		e.parts = map[wholecall.Key]*encoded{}
	}
	e.parts[key] = &p
	return &p
}

func (e *encoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	wish := int32(-1)
	if ev.Key.Index == contentSpace {
		wish = ev.Key.Sub - 1
	}
	var body string
	switch ev.Part {
	case wholecall.TextPart:
		body = `{"message":{"content":{"type":"text","text":""}}}`
	case wholecall.ReasoningPart:
		if ev.Key.Index == planSpace && ev.Key.Sub != 0 {
			e.note(ev.Key, encoded{kind: ev.Part, plan: true})
			return dst, nil
		}
		body = `{"message":{"content":{"type":"thinking","thinking":""}}}`
	case wholecall.DataPart:
		if string(ev.Name) == citation {
			return e.cite(dst, ev.Data)
		}
		body = `{"message":{"content":` + string(appendRaw(nil, ev.Data)) + `}}`
	default:
		return dst, fmt.Errorf("cohere: a part of kind %s can't be expressed", ev.Part)
	}
	p := e.note(ev.Key, encoded{kind: ev.Part, index: e.contents.take(wish)})
	return e.frame(dst, "content-start", p.index, append(e.body, body...)), nil
}

func (e *encoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	switch {
	case p == nil:
		return dst, fmt.Errorf("cohere: a delta for a part that never began")
	case p.plan:
		b := appendText(append(e.body, `{"message":{"tool_plan":`...), ev)
		return e.frame(dst, "tool-plan-delta", -1, append(b, "}}"...)), nil
	}
	member := `{"message":{"content":{"text":`
	if p.kind == wholecall.ReasoningPart {
		member = `{"message":{"content":{"thinking":`
	}
	b := appendText(append(e.body, member...), ev)
	return e.frame(dst, "content-delta", p.index, append(b, "}}}"...)), nil
}

func (e *encoder) cite(dst, raw []byte) ([]byte, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return dst, fmt.Errorf("cohere: an annotation that is no object can't be expressed")
	}
	b := append(appendRaw(append(e.body, `{"message":{"citations":`...), raw), "}}"...)
	dst = e.frame(dst, "citation-start", e.cites, b)
	dst = e.frame(dst, "citation-end", e.cites, nil)
	e.cites++
	return dst, nil
}

func (e *encoder) closePart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	if p == nil || p.plan { // a citation, or a plan: neither has an end
		return dst, nil
	}
	return e.frame(dst, "content-end", p.index, nil), nil
}

func (e *encoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch {
	case ev.Form == wholecall.TextArguments:
		return dst, fmt.Errorf("cohere: call %s: arguments that are free text can't be expressed", ev.ID)
	case ev.Runner == wholecall.ProviderRuns:
		return dst, fmt.Errorf("cohere: call %s: a call that the provider runs can't be expressed", ev.ID)
	}
	p := e.note(ev.Key, encoded{kind: wholecall.CallPart, index: e.calls.take(ev.Key.Index), empty: ev.Empty})
	e.open = append(e.open, p)
	b := append(e.body, `{"message":{"tool_calls":{"id":`...)
	b = strictjson.AppendQuoted(b, ev.ID)
	b = append(b, `,"type":"function","function":{"name":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	return e.frame(dst, "tool-call-start", p.index, append(b, `,"arguments":""}}}}`...)), nil
}

// fragment writes a fragment. A copy of the whole document is one where nothing came before it.
func (e *encoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	switch {
	case ev.Kind == wholecall.Document && (ev.Final || p != nil && p.bytes || len(ev.Data) == 0):
		return dst, nil
	case p == nil || p.kind != wholecall.CallPart:
		return dst, fmt.Errorf("cohere: a fragment for a call that was never announced")
	}
	p.bytes = p.bytes || len(ev.Data) > 0
	b := appendText(append(e.body, `{"message":{"tool_calls":{"function":{"arguments":`...), ev)
	return e.frame(dst, "tool-call-delta", p.index, append(b, "}}}}"...)), nil
}

func (e *encoder) end(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	if p == nil {
		return dst, fmt.Errorf("cohere: an end for a call that was never announced")
	}
	e.open = slices.DeleteFunc(e.open, func(o *encoded) bool { return o == p })
	return e.endCall(dst, p, ev.Reason), nil
}

// endCall ends a call, unless its own protocol says that it failed: one that its end cuts, or that has no
// arguments where that does not mean {}, is left open.
func (e *encoder) endCall(dst []byte, p *encoded, reason wholecall.Reason) []byte {
	if reason != "" || !p.bytes && p.empty < wholecall.EmptyIsObject {
		return dst
	}
	return e.frame(dst, "tool-call-end", p.index, nil)
}

// stop keeps the finish reason. It is written as the provider said it, where that says the same here.
// Where it is what ends the calls, they get their ends: whether their documents are whole, these say.
func (e *encoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.finish = append(e.finish[:0], ev.Name...)
	switch {
	case reasonOf(string(ev.Name)) == ev.Reason && !failing(string(ev.Name)):
	case ev.Reason == wholecall.ReasonTokenLimit:
		e.finish = append(e.finish[:0], "MAX_TOKENS"...)
	default:
		return dst, fmt.Errorf("cohere: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	if ev.Ends {
		for _, p := range e.open {
			dst = e.endCall(dst, p, "")
		}
		e.open = nil
	}
	return dst, nil
}

func (e *encoder) terminal(dst []byte) []byte {
	b := append(e.body, '{')
	if len(e.finish) > 0 {
		b = strictjson.AppendQuoted(append(b, `"finish_reason":`...), e.finish)
	}
	if len(e.usage) == 0 && e.counts != (wholecall.Usage{}) {
		e.usage = appendUsage(nil, e.counts)
	}
	if len(e.usage) > 0 {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendRaw(append(b, `"usage":`...), e.usage)
	}
	return e.frame(dst, "message-end", -1, append(b, '}'))
}

func appendUsage(dst []byte, u wholecall.Usage) []byte {
	return fmt.Appendf(dst, `{"tokens":{"input_tokens":%d,"output_tokens":%d,"reasoning_tokens":%d},"cached_tokens":%d}`,
		u.Input, u.Output, u.Reasoning, u.CacheRead)
}

// failure writes the end of a turn that failed. The protocol has no code, and one word for the kind.
func (e *encoder) failure(dst []byte, ev *wholecall.Event) []byte {
	finish := ev.Name
	if !failing(string(finish)) {
		finish = []byte("ERROR")
	}
	b := strictjson.AppendQuoted(append(e.body, `{"finish_reason":`...), finish)
	b = strictjson.AppendQuoted(append(b, `,"error":`...), ev.Data)
	return e.frame(dst, "message-end", -1, append(b, '}'))
}

// appendRaw appends a JSON value as it stood, but for line ends between its tokens, which would end the line
// that it is written in.
func appendRaw(dst, raw []byte) []byte {
	from := len(dst)
	dst = append(dst, raw...)
	for i, ch := range dst[from:] {
		if ch == '\n' || ch == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}
