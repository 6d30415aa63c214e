package ollama

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one stream. A call is written when it is whole, and what began behind it waits for it, so
// that parts come out in the order in which they began.
type encoder struct {
	model  []byte
	items  []*item // not wholly written, in the order in which they began
	calls  int
	finish []byte
	usage  wholecall.Usage
}

// item is a part that is being written.
type item struct {
	key   wholecall.Key
	kind  wholecall.PartKind
	open  bool
	waits bool // a call that ended without a byte: what that means, the stop reason says
	out   []byte
	id    []byte // nil where the wire has none
	name  []byte
	empty wholecall.EmptyRule
	doc   []byte
	carry uint16
}

// Append implements wholecall.Encoder.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Key.Choice != 0 {
		return dst, fmt.Errorf("ollama: a second choice can't be expressed")
	}
	if err := e.take(ev); err != nil {
		return dst, err
	}
	dst = e.flush(dst)
	switch ev.Kind {
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		dst = append(dst, `{"error":`...)
		return append(strictjson.AppendQuoted(dst, ev.Data), "}\n"...), nil
	}
	return dst, nil
}

// take notes what an event says.
func (e *encoder) take(ev *wholecall.Event) error {
	switch ev.Kind {
	case wholecall.Begin:
		e.model = append(e.model[:0], ev.Name...)
	case wholecall.OpenPart:
		return e.openPart(ev)
	case wholecall.Announce:
		return e.announce(ev)
	case wholecall.Delta, wholecall.Fragment, wholecall.Document, wholecall.ClosePart, wholecall.End:
		it := e.find(ev.Key)
		if it == nil {
			return fmt.Errorf("ollama: event kind %d for a part that never began", ev.Kind)
		}
		return e.piece(it, ev)
	case wholecall.UsageReport:
		e.usage = ev.Usage
	case wholecall.Stop:
		return e.stop(ev)
	case wholecall.Terminal, wholecall.Failure, wholecall.Deviate, wholecall.Hint, wholecall.Pass:
	case wholecall.Sign, wholecall.Annotate:
		return fmt.Errorf("ollama: a signature or an annotation can't be expressed")
	default:
		return fmt.Errorf("ollama: event kind %d can't be expressed", ev.Kind)
	}
	return nil
}

func (e *encoder) find(key wholecall.Key) *item {
	for i := len(e.items) - 1; i >= 0; i-- {
		if e.items[i].key == key {
			return e.items[i]
		}
	}
	return nil
}

func (e *encoder) openPart(ev *wholecall.Event) error {
	it := &item{key: ev.Key, kind: ev.Part, open: true}
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
	case wholecall.DataPart:
		if string(ev.Name) != picture {
			return fmt.Errorf("ollama: a part of type %q can't be expressed", ev.Name)
		}
		it.out = e.message(it.out, `"content":"","images":[`)
		it.out = e.endMessage(append(appendRaw(it.out, ev.Data), ']'))
	default:
		return fmt.Errorf("ollama: a part of kind %s can't be expressed", ev.Part)
	}
	e.items = append(e.items, it)
	return nil
}

func (e *encoder) announce(ev *wholecall.Event) error {
	switch {
	case ev.Runner == wholecall.ProviderRuns:
		return fmt.Errorf("ollama: call %s: a call that the provider runs can't be expressed", ev.ID)
	case ev.Form == wholecall.TextArguments:
		return fmt.Errorf("ollama: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	it := &item{key: ev.Key, kind: wholecall.CallPart, open: true, id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name), empty: ev.Empty}
	if generated(ev.Extra) {
		it.id = nil
	}
	e.items = append(e.items, it)
	return nil
}

// generated reports whether a call's id was made here, and is not on the wire.
func generated(extra []byte) bool {
	if len(extra) == 0 {
		return false
	}
	var c strictjson.Cursor
	c.Reset(extra)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "generated_id" && c.Peek() == 't' {
			return true
		}
		c.Skip()
	}
	return false
}

// piece adds a piece to a part, or ends it.
func (e *encoder) piece(it *item, ev *wholecall.Event) error {
	isCall := it.kind == wholecall.CallPart
	switch {
	case !it.open:
		return fmt.Errorf("ollama: event kind %d for a part that has ended", ev.Kind)
	case ev.Kind == wholecall.ClosePart && !isCall:
		it.open = false
	case ev.Kind == wholecall.Delta && !isCall:
		return e.delta(it, ev)
	case ev.Kind == wholecall.End && isCall:
		return it.end(ev.Reason)
	case ev.Kind == wholecall.Fragment && isCall:
		it.add(ev)
	case ev.Kind == wholecall.Document && isCall:
		if len(it.doc) == 0 && !ev.Final {
			it.add(ev)
		}
	default:
		return fmt.Errorf("ollama: event kind %d for a part of kind %s", ev.Kind, it.kind)
	}
	return nil
}

func (e *encoder) delta(it *item, ev *wholecall.Event) error {
	switch it.kind {
	case wholecall.TextPart:
		it.out = e.message(it.out, `"content":`)
	case wholecall.ReasoningPart:
		it.out = e.message(it.out, `"content":"","thinking":`)
	default:
		return fmt.Errorf("ollama: a delta of an image can't be expressed")
	}
	it.out = e.endMessage(appendText(it.out, ev))
	return nil
}

// add adds to a call's document, joining a surrogate pair that was cut.
func (it *item) add(ev *wholecall.Event) {
	if ev.Escaped {
		it.doc, it.carry, _ = strictjson.AppendUnescaped(it.doc, ev.Data, it.carry)
		return
	}
	it.doc, it.carry, _ = strictjson.AppendPlain(it.doc, ev.Data, it.carry)
}

// end ends a call. What is no object has no place in the protocol, and neither has half a call.
func (it *item) end(reason wholecall.Reason) error {
	doc := bytes.TrimSpace(it.doc)
	switch {
	case reason != "":
		return fmt.Errorf("ollama: call %s: a call that was cut (%s) can't be expressed", it.id, reason)
	case len(it.doc) == 0 && it.empty >= wholecall.EmptyIsObject:
		it.waits = true
		return nil
	case it.carry != 0 || strictjson.Check(it.doc, wholecall.DefaultDepth) != nil || doc[0] != '{':
		return fmt.Errorf("ollama: call %s: arguments that are not a whole object can't be expressed", it.id)
	}
	it.open = false
	return nil
}

// stop decides about the calls that hang on it, and keeps the reason. It is written as the provider said
// it, where that says the same here.
func (e *encoder) stop(ev *wholecall.Event) error {
	e.finish = append(e.finish[:0], ev.Name...)
	switch {
	case reasonOf(string(ev.Name)) == ev.Reason:
	case ev.Reason == wholecall.ReasonTokenLimit:
		e.finish = append(e.finish[:0], "length"...)
	default:
		return fmt.Errorf("ollama: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	for _, it := range e.items {
		if it.kind != wholecall.CallPart || !it.open {
			continue
		}
		if ev.Ends && !it.waits {
			if err := it.end(""); err != nil {
				return err
			}
		}
		if it.waits && ev.Reason == "" {
			it.doc, it.open = []byte("{}"), false
		}
	}
	return nil
}

// flush writes what is due: everything of the first part that is not wholly written, and so on while each
// one has ended.
func (e *encoder) flush(dst []byte) []byte {
	for len(e.items) > 0 {
		it := e.items[0]
		dst = append(dst, it.out...)
		it.out = it.out[:0]
		if it.open {
			return dst
		}
		if it.kind == wholecall.CallPart {
			dst = e.call(dst, it)
		}
		e.items = slices.Delete(e.items, 0, 1)
	}
	return dst
}

func (e *encoder) call(dst []byte, it *item) []byte {
	dst = e.message(dst, `"content":"","tool_calls":[{`)
	if it.id != nil {
		dst = append(strictjson.AppendQuoted(append(dst, `"id":`...), it.id), ',')
	}
	dst = append(dst, `"function":{"index":`...)
	dst = strconv.AppendInt(dst, int64(e.calls), 10)
	dst = strictjson.AppendQuoted(append(dst, `,"name":`...), it.name)
	dst = appendRaw(append(dst, `,"arguments":`...), bytes.TrimSpace(it.doc))
	e.calls++
	return e.endMessage(append(dst, "}}]"...))
}

// message appends the beginning of a line, up to the members of its message.
func (e *encoder) message(dst []byte, members string) []byte {
	dst = strictjson.AppendQuoted(append(dst, `{"model":`...), e.model)
	dst = append(dst, `,"created_at":"1970-01-01T00:00:00Z","message":{"role":"assistant",`...)
	return append(dst, members...)
}

func (e *encoder) endMessage(dst []byte) []byte {
	return append(dst, `},"done":false}`+"\n"...)
}

// terminal writes the line that says done. A call that never ended has no place in the protocol.
func (e *encoder) terminal(dst []byte) ([]byte, error) {
	for _, it := range e.items {
		if it.kind == wholecall.CallPart {
			return dst, fmt.Errorf("ollama: call %s: a call that never ended well can't be expressed", it.id)
		}
		dst = append(dst, it.out...)
	}
	e.items = nil
	dst = append(e.message(dst, `"content":""`), `},"done":true`...)
	if len(e.finish) > 0 {
		dst = strictjson.AppendQuoted(append(dst, `,"done_reason":`...), e.finish)
	}
	if e.usage != (wholecall.Usage{}) {
		dst = fmt.Appendf(dst, `,"prompt_eval_count":%d,"eval_count":%d`, e.usage.Input, e.usage.Output)
	}
	return append(dst, "}\n"...), nil
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
