package gemini

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// stepEncoder writes one stream of the Interactions API. Why it stopped stands in the event that ends it,
// and so do the token counts.
type stepEncoder struct {
	id, model []byte
	body      []byte
	steps     map[int32]*stepItem
	status    []byte // waits for the end
	usage     []byte // as JSON
}

// stepItem is what the encoder knows of a step.
type stepItem struct {
	kind  wholecall.PartKind
	typ   string // of a call that the API runs
	head  []byte // the other members of its deltas
	doc   []byte // its arguments, which are written whole
	carry uint16
}

// Append implements wholecall.Encoder.
func (e *stepEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	if ev.Key.Choice != 0 {
		return dst, fmt.Errorf("gemini-interactions: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		e.id, e.model = append(e.id[:0], ev.ID...), append(e.model[:0], ev.Name...)
		return e.lifecycle(dst, created, []byte("in_progress")), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Delta, wholecall.Sign, wholecall.Annotate, wholecall.Fragment:
		return e.piece(dst, ev)
	case wholecall.ClosePart, wholecall.End:
		return e.close(dst, ev)
	case wholecall.UsageReport:
		e.report(ev)
	case wholecall.Stop:
		e.status = bytes.Clone(ev.Name)
	case wholecall.Terminal:
		return append(e.lifecycle(dst, completed, e.status), "event: done\ndata: [DONE]\n\n"...), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Document, wholecall.Deviate, wholecall.Hint, wholecall.Pass:
	default:
		return dst, fmt.Errorf("gemini-interactions: event kind %d can't be expressed", ev.Kind)
	}
	return dst, nil
}

// event appends one event of a step. member, where it is not "", is a last member with a JSON value.
func (e *stepEncoder) event(dst []byte, typ string, index int32, member string, value []byte) []byte {
	dst = append(append(dst, "event: "...), typ...)
	dst = append(append(append(dst, "\ndata: {\"event_type\":\""...), typ...), '"')
	if index >= 0 {
		dst = strconv.AppendInt(append(dst, `,"index":`...), int64(index), 10)
	}
	if member != "" {
		dst = strictjson.AppendLine(appendName(dst, member), value)
	}
	return append(dst, "}\n\n"...)
}

// lifecycle appends an event that says how the interaction stands.
func (e *stepEncoder) lifecycle(dst []byte, typ string, status []byte) []byte {
	b := append(e.body, '{')
	b = strictjson.AppendQuoted(appendName(b, "id"), e.id)
	b = strictjson.AppendQuoted(appendName(b, "model"), e.model)
	b = append(b, `,"object":"interaction"`...)
	b = strictjson.AppendQuoted(appendName(b, "status"), status)
	if typ == completed {
		b = appendMember(b, "usage", e.usage)
	}
	e.body = append(b, '}')
	return e.event(dst, typ, -1, "interaction", e.body)
}

func (e *stepEncoder) note(index int32, it *stepItem) {
	if e.steps == nil {
		e.steps = map[int32]*stepItem{}
	}
	e.steps[index] = it
}

func (e *stepEncoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	inside := ev.Key.Sub != 0
	switch {
	case ev.Part == wholecall.DataPart && inside:
		return e.event(dst, stepPiece, ev.Key.Index, "delta", ev.Data), nil
	case inside:
		return dst, fmt.Errorf("gemini-interactions: a text inside a step can't be expressed")
	}
	var body []byte
	switch ev.Part {
	case wholecall.TextPart:
		body = []byte(`{"type":"model_output"}`)
	case wholecall.ReasoningPart:
		body = []byte(`{"type":"thought"}`)
	case wholecall.DataPart:
		body = ev.Data
	default:
		return dst, fmt.Errorf("gemini-interactions: a part of kind %s can't be expressed", ev.Part)
	}
	e.note(ev.Key.Index, &stepItem{kind: ev.Part})
	return e.event(dst, stepStart, ev.Key.Index, "step", body), nil
}

func (e *stepEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("gemini-interactions: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	it := &stepItem{kind: wholecall.CallPart}
	x := parseStepExtra(ev.Extra)
	typ := callStep
	if ev.Runner == wholecall.ProviderRuns {
		typ = serverType(x.typ, string(ev.Name))
		it.kind, it.typ = wholecall.ServerCallPart, typ
	}
	b := append(append(append(e.body, `{"type":"`...), typ...), '"')
	b = strictjson.AppendQuoted(appendName(b, "id"), ev.ID)
	from := len(b)
	if typ == callStep || typ == mcpStep {
		b = strictjson.AppendQuoted(appendName(b, "name"), ev.Name)
	}
	if typ == mcpStep && x.server == nil {
		x.server = []byte(`""`)
	}
	b = appendMember(b, "server_name", x.server)
	it.head = bytes.Clone(b[from:])
	b = append(b, `,"arguments":{}`...)
	b = appendMember(b, "search_type", x.search)
	e.body = append(appendMember(b, "signature", x.signature), '}')
	e.note(ev.Key.Index, it)
	return e.event(dst, stepStart, ev.Key.Index, "step", e.body), nil
}

// stepExtra is what the Extra of a call says that a step can say.
type stepExtra struct {
	typ                       string
	server, search, signature []byte // as they stand
}

func parseStepExtra(raw []byte) (x stepExtra) {
	if len(raw) == 0 {
		return x
	}
	var c strictjson.Cursor
	c.Reset(raw)
	members(&c, func(name []byte) {
		switch {
		case string(name) == "type" && c.Peek() == '"':
			x.typ = string(own(&c))
		case string(name) == "server_name":
			x.server = rawOrNull(&c)
		case string(name) == "search_type":
			x.search = rawOrNull(&c)
		case string(name) == "signature":
			x.signature = rawOrNull(&c)
		default:
			c.Skip()
		}
	})
	return x
}

// serverType is the type of step for a call that the provider runs. One that the API has no type for is a
// tool of some server.
func serverType(typ, name string) string {
	if serverStep(typ) && (typ == name || typ == mcpStep) {
		return typ
	}
	return mcpStep
}

func (e *stepEncoder) piece(dst []byte, ev *wholecall.Event) ([]byte, error) {
	it := e.steps[ev.Key.Index]
	if it == nil || ev.Key.Sub != 0 {
		return dst, fmt.Errorf("gemini-interactions: a piece of a part that never began")
	}
	var b []byte
	switch {
	case ev.Kind == wholecall.Fragment && it.kind == wholecall.ServerCallPart:
		it.add(ev)
		return dst, nil
	case ev.Kind == wholecall.Fragment && it.kind == wholecall.CallPart:
		b = appendText(append(e.body, `{"type":"arguments_delta","arguments":`...), ev)
	case ev.Kind == wholecall.Delta && it.kind == wholecall.TextPart:
		b = appendText(append(e.body, `{"type":"text","text":`...), ev)
	case ev.Kind == wholecall.Delta && it.kind == wholecall.ReasoningPart:
		b = appendText(append(e.body, `{"type":"thought_summary","content":{"type":"text","text":`...), ev)
		b = append(b, '}')
	case ev.Kind == wholecall.Sign && it.kind == wholecall.ReasoningPart:
		b = appendText(append(e.body, `{"type":"thought_signature","signature":`...), ev)
	case ev.Kind == wholecall.Annotate && it.kind == wholecall.TextPart:
		b = append(append(e.body, `{"type":"text_annotation_delta","annotations":[`...), ev.Data...)
		b = append(b, ']')
	default:
		return dst, fmt.Errorf("gemini-interactions: event kind %d for a part of kind %s can't be expressed", ev.Kind, it.kind)
	}
	e.body = append(b, '}')
	return e.event(dst, stepPiece, ev.Key.Index, "delta", e.body), nil
}

// add adds to the arguments of a call that the API runs, joining a surrogate pair that was cut.
func (it *stepItem) add(ev *wholecall.Event) {
	if ev.Escaped {
		it.doc, it.carry, _ = strictjson.AppendUnescaped(it.doc, ev.Data, it.carry)
		return
	}
	it.doc, it.carry, _ = strictjson.AppendPlain(it.doc, ev.Data, it.carry)
}

// close ends a step. A call that its end cuts is left open.
func (e *stepEncoder) close(dst []byte, ev *wholecall.Event) ([]byte, error) {
	it := e.steps[ev.Key.Index]
	switch {
	case it == nil:
		return dst, fmt.Errorf("gemini-interactions: the end of a part that never began")
	case ev.Reason != "", ev.Key.Sub != 0:
		return dst, nil
	case it.kind == wholecall.ServerCallPart && len(it.doc) > 0:
		doc := bytes.TrimSpace(it.doc)
		if it.carry != 0 || strictjson.Check(doc, wholecall.DefaultDepth) != nil || doc[0] != '{' {
			return dst, fmt.Errorf("gemini-interactions: arguments of a call that the API runs that are not a whole object can't be expressed")
		}
		b := append(append(append(e.body, `{"type":"`...), it.typ...), '"')
		b = append(append(append(b, it.head...), `,"arguments":`...), doc...)
		e.body = append(b, '}')
		dst = e.event(dst, stepPiece, ev.Key.Index, "delta", e.body)
	}
	return e.event(dst, stepStop, ev.Key.Index, "", nil), nil
}

func (e *stepEncoder) report(ev *wholecall.Event) {
	if len(ev.Data) > 0 {
		e.usage = bytes.Clone(ev.Data)
		return
	}
	u := ev.Usage
	e.usage = fmt.Appendf(nil, `{"total_input_tokens":%d,"total_output_tokens":%d,"total_thought_tokens":%d,"total_cached_tokens":%d,"total_tokens":%d}`,
		u.Input, u.Output-u.Reasoning, u.Reasoning, u.CacheRead, u.Input+u.Output)
}

// failure writes the provider's error. That of an interaction that ended badly is its status.
func (e *stepEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	if status := string(e.status); endsBadly(status) && status == string(ev.Name) {
		return e.lifecycle(dst, completed, e.status)
	}
	b := strictjson.AppendQuoted(append(e.body, `{"code":`...), ev.ID)
	b = strictjson.AppendQuoted(append(b, `,"message":`...), ev.Data)
	if len(ev.Name) > 0 {
		b = strictjson.AppendQuoted(append(b, `,"status":`...), ev.Name)
	}
	e.body = append(b, '}')
	return e.event(dst, failed, -1, "error", e.body)
}
