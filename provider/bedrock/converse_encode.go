package bedrock

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one stream. The stop reason waits for the terminal, which is the same event, and token
// counts wait until that is written. A text waits for its first piece, which is what begins it on the wire.
type encoder struct {
	body    []byte
	value   []byte
	parts   map[wholecall.Key]*encoded
	used    map[int32]bool
	next    int32
	waiting *encoded   // text or reasoning of which nothing was written yet
	open    []*encoded // the calls that have no end yet
	finish  []byte
	ended   bool // messageStop was written
	usage   []byte
	sub     strictjson.Cursor
}

// encoded is a part or a call as it stands on the wire.
type encoded struct {
	kind  wholecall.PartKind
	name  string // the type of a part that is neither text nor a call
	index int32
	bytes bool // a fragment with a byte was written
	empty wholecall.EmptyRule
}

// Append implements wholecall.Encoder.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Key.Choice != 0 {
		return dst, fmt.Errorf("bedrock: a second choice can't be expressed")
	}
	dst, err := e.begun(dst, ev)
	if err != nil {
		return dst, err
	}
	switch ev.Kind {
	case wholecall.Begin:
		return appendEvent(dst, "messageStart", []byte(`{"role":"assistant"}`))
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta, wholecall.Sign, wholecall.Annotate:
		return e.piece(dst, ev)
	case wholecall.ClosePart:
		return e.closePart(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment, wholecall.Document:
		return e.fragment(dst, ev)
	case wholecall.End:
		return e.end(dst, ev)
	case wholecall.UsageReport:
		return e.report(dst, ev)
	case wholecall.Stop:
		return e.stop(dst, ev)
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		return e.failure(dst, ev)
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	}
	return dst, fmt.Errorf("bedrock: event kind %d can't be expressed", ev.Kind)
}

// message appends a message about a block: its index and, where member is not "", one member more.
func (e *encoder) message(dst []byte, name string, index int32, member string, value []byte) ([]byte, error) {
	b := append(e.body[:0], `{"contentBlockIndex":`...)
	b = strconv.AppendInt(b, int64(index), 10)
	if member != "" {
		b = append(append(append(b, `,"`...), member...), `":`...)
		b = append(b, value...)
	}
	e.body = append(b, '}')
	return appendEvent(dst, name, e.body)
}

// note gives a key its place on the wire: its own index, or, where that is taken or is none, the first
// free one. Protocols whose calls and texts are counted apart have one index for two parts.
func (e *encoder) note(key wholecall.Key, p encoded) *encoded {
	if e.parts == nil {
		e.parts, e.used = map[wholecall.Key]*encoded{}, map[int32]bool{}
	}
	p.index = key.Index
	if p.index < 0 || e.used[p.index] {
		for e.used[e.next] {
			e.next++
		}
		p.index = e.next
	}
	e.used[p.index] = true
	e.parts[key] = &p
	return &p
}

func (e *encoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
		e.waiting = e.note(ev.Key, encoded{kind: ev.Part})
		return dst, nil
	case wholecall.DataPart:
		return e.openData(dst, ev)
	}
	return dst, fmt.Errorf("bedrock: a part of kind %s can't be expressed", ev.Part)
}

// openData begins a part that is no text. All kinds have a start but reasoning that is hidden.
func (e *encoder) openData(dst []byte, ev *wholecall.Event) ([]byte, error) {
	name := string(ev.Name)
	switch {
	case name == "" || name == "toolUse":
		return dst, fmt.Errorf("bedrock: data of type %q can't be expressed", name)
	case len(ev.Data) == 0 || string(ev.Data) == "null":
		return dst, fmt.Errorf("bedrock: data that says nothing can't be expressed")
	case name == redactedType && !e.hides(ev.Data):
		return dst, fmt.Errorf("bedrock: data of type %s that has no text of that name can't be expressed", name)
	}
	p := e.note(ev.Key, encoded{kind: ev.Part, name: name})
	if name == redactedType {
		return e.delta(dst, p, `{"reasoningContent":`, ev.Data)
	}
	e.value = strictjson.AppendQuoted(append(e.value[:0], '{'), ev.Name)
	e.value = append(append(append(e.value, ':'), ev.Data...), '}')
	return e.message(dst, "contentBlockStart", p.index, "start", e.value)
}

// hides reports whether raw is an object whose only member is the text of reasoning that is hidden.
func (e *encoder) hides(raw []byte) bool {
	var d delta
	c := &e.sub
	c.Reset(raw)
	if c.Peek() != '{' {
		return false
	}
	d.reasoning(c)
	return c.End() && d.kind == redactedDelta && d.name == nil
}

// begun writes an empty piece of the part that waits for its first one, unless ev is that.
func (e *encoder) begun(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.waiting
	e.waiting = nil
	switch {
	case p == nil:
		return dst, nil
	case ev.Kind == wholecall.Deviate, ev.Kind == wholecall.Hint, ev.Kind == wholecall.Pass, ev.Kind == wholecall.UsageReport:
		e.waiting = p // of these nothing is written, or it waits itself
		return dst, nil
	case e.parts[ev.Key] != p:
	case ev.Kind == wholecall.Delta, ev.Kind == wholecall.Sign,
		ev.Kind == wholecall.Annotate && p.kind == wholecall.TextPart:
		return dst, nil
	}
	return e.text(dst, p, &wholecall.Event{})
}

// text writes a piece of text or of reasoning.
func (e *encoder) text(dst []byte, p *encoded, ev *wholecall.Event) ([]byte, error) {
	e.value = appendText(append(e.value[:0], `{"text":`...), ev)
	if p.kind == wholecall.ReasoningPart {
		return e.delta(dst, p, `{"reasoningContent":`, append(e.value, '}'))
	}
	return e.message(dst, "contentBlockDelta", p.index, "delta", append(e.value, '}'))
}

// delta writes a delta whose one member is value. head is what stands before it.
func (e *encoder) delta(dst []byte, p *encoded, head string, value []byte) ([]byte, error) {
	return e.message(dst, "contentBlockDelta", p.index, "delta", append(append([]byte(head), value...), '}'))
}

// piece writes what is added to an open part.
func (e *encoder) piece(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	switch {
	case p == nil || p.kind == wholecall.CallPart:
		return dst, fmt.Errorf("bedrock: a delta for a part that never began")
	case ev.Kind == wholecall.Delta && p.kind != wholecall.DataPart:
		return e.text(dst, p, ev)
	case ev.Kind == wholecall.Sign && p.kind == wholecall.ReasoningPart:
		e.value = append(appendText(append(e.value[:0], `{"signature":`...), ev), '}')
		return e.delta(dst, p, `{"reasoningContent":`, e.value)
	case ev.Kind == wholecall.Annotate && p.kind == wholecall.TextPart && len(ev.Data) > 0 && string(ev.Data) != "null":
		return e.delta(dst, p, `{"citation":`, ev.Data)
	case ev.Kind == wholecall.Annotate && p.kind == wholecall.ReasoningPart && e.hides(ev.Data):
		return e.delta(dst, p, `{"reasoningContent":`, ev.Data)
	case ev.Kind == wholecall.Delta && !ev.Escaped && len(ev.Data) > 0 && (p.name == resultType || p.name == imageType):
		return e.delta(dst, p, `{"`+p.name+`":`, ev.Data)
	}
	return dst, fmt.Errorf("bedrock: what is added to a part of kind %s can't be expressed", p.kind)
}

func (e *encoder) closePart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	if p == nil || p.kind == wholecall.CallPart {
		return dst, fmt.Errorf("bedrock: an end for a part that never began")
	}
	return e.message(dst, "contentBlockStop", p.index, "", nil)
}

func (e *encoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("bedrock: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	p := e.note(ev.Key, encoded{kind: wholecall.CallPart, empty: ev.Empty})
	e.open = append(e.open, p)
	b := strictjson.AppendQuoted(append(e.value[:0], `{"toolUse":{"toolUseId":`...), ev.ID)
	b = strictjson.AppendQuoted(append(b, `,"name":`...), ev.Name)
	if ev.Runner == wholecall.ProviderRuns {
		b = append(b, `,"type":"server_tool_use"`...)
	}
	e.value = append(b, "}}"...)
	return e.message(dst, "contentBlockStart", p.index, "start", e.value)
}

// fragment writes a fragment. A copy of the whole document is one where nothing came before it.
func (e *encoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	switch {
	case ev.Kind == wholecall.Document && (ev.Final || p != nil && p.bytes || len(ev.Data) == 0):
		return dst, nil
	case p == nil || p.kind != wholecall.CallPart:
		return dst, fmt.Errorf("bedrock: a fragment for a call that was never announced")
	}
	p.bytes = p.bytes || len(ev.Data) > 0
	e.value = append(appendText(append(e.value[:0], `{"toolUse":{"input":`...), ev), "}}"...)
	return e.message(dst, "contentBlockDelta", p.index, "delta", e.value)
}

func (e *encoder) end(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.parts[ev.Key]
	if p == nil || p.kind != wholecall.CallPart {
		return dst, fmt.Errorf("bedrock: an end for a call that was never announced")
	}
	e.open = slices.DeleteFunc(e.open, func(o *encoded) bool { return o == p })
	return e.endCall(dst, p, ev.Reason)
}

// endCall ends a call, unless its own protocol says that it failed: one that its end cuts, or that has no
// arguments where that does not mean {}, is left open.
func (e *encoder) endCall(dst []byte, p *encoded, reason wholecall.Reason) ([]byte, error) {
	if reason != "" || !p.bytes && p.empty < wholecall.EmptyIsObject {
		return dst, nil
	}
	return e.message(dst, "contentBlockStop", p.index, "", nil)
}

// stop keeps the stop reason. It is written as the provider said it, where that says the same here, or cuts
// the answer too where there is no word for what cut it. Where it is what ends the calls, they get their
// ends: whether their documents are whole, these say.
func (e *encoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	word := string(ev.Name)
	switch {
	case reasonOf(word) == ev.Reason && !isFailing(ev.Name):
	case ev.Reason == wholecall.ReasonTokenLimit:
		word = "max_tokens"
	case ev.Reason == wholecall.ReasonContentFilter:
		word = "content_filtered"
	case ev.Reason != "" && reasonOf(word) != "":
	default:
		return dst, fmt.Errorf("bedrock: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	e.finish = append(e.finish[:0], word...)
	if !ev.Ends {
		return dst, nil
	}
	for _, p := range e.open {
		var err error
		if dst, err = e.endCall(dst, p, ""); err != nil {
			return dst, err
		}
	}
	e.open = nil
	return dst, nil
}

func (e *encoder) terminal(dst []byte) ([]byte, error) {
	b := append(e.body[:0], '{')
	if len(e.finish) > 0 {
		b = strictjson.AppendQuoted(append(b, `"stopReason":`...), e.finish)
	}
	e.body = append(b, '}')
	dst, err := appendEvent(dst, "messageStop", e.body)
	e.ended = true
	if err != nil || len(e.usage) == 0 {
		return dst, err
	}
	return e.metadata(dst)
}

// report keeps token counts, which stand behind the end of the turn. Their JSON is written as it stood
// where it is Bedrock's own: where it says the same here.
func (e *encoder) report(dst []byte, ev *wholecall.Event) ([]byte, error) {
	var u wholecall.Usage
	e.usage = append(e.usage[:0], ev.Data...)
	if len(ev.Data) == 0 || readUsage(&e.sub, ev.Data, &u) != nil || u != ev.Usage || u == (wholecall.Usage{}) {
		e.usage = appendUsage(e.usage[:0], ev.Usage)
	}
	if !e.ended {
		return dst, nil
	}
	return e.metadata(dst)
}

func (e *encoder) metadata(dst []byte) ([]byte, error) {
	e.body = append(append(append(e.body[:0], `{"usage":`...), e.usage...), '}')
	return appendEvent(dst, "metadata", e.body)
}

func appendUsage(dst []byte, u wholecall.Usage) []byte {
	dst = fmt.Appendf(dst, `{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d`, u.Input, u.Output, u.Input+u.Output)
	if u.CacheRead != 0 {
		dst = fmt.Appendf(dst, `,"cacheReadInputTokens":%d`, u.CacheRead)
	}
	if u.CacheWrite != 0 {
		dst = fmt.Appendf(dst, `,"cacheWriteInputTokens":%d`, u.CacheWrite)
	}
	return append(dst, '}')
}

// failure writes the end of a turn that failed: a stop reason that says so, or an exception.
func (e *encoder) failure(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if !isFailing(ev.Name) {
		return appendFailure(dst, ev)
	}
	e.finish = append(e.finish[:0], ev.Name...)
	return e.terminal(dst)
}
