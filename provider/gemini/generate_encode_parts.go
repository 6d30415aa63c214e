package gemini

import (
	"bytes"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// item is a part that is being written.
type item struct {
	key  wholecall.Key
	kind wholecall.PartKind // CallPart for every call
	open bool
	out  []byte // chunks that are due
	sign []byte // the inside of a JSON string

	id, name []byte // of a call; a nil id is none on the wire
	runner   wholecall.Runner
	form     wholecall.Form
	empty    wholecall.EmptyRule
	extra    extra
	doc      []byte
	carry    uint16
}

// extra is what the Extra of a call says that a part can say.
type extra struct {
	generated           bool
	signature, language []byte // as they stand
}

func parseExtra(raw []byte) (x extra) {
	if len(raw) == 0 {
		return x
	}
	var c strictjson.Cursor
	c.Reset(raw)
	members(&c, func(name []byte) {
		switch string(name) {
		case "generated_id":
			x.generated = c.Peek() == 't'
			c.Skip()
		case "thoughtSignature":
			x.signature = rawOrNull(&c)
		case "language":
			x.language = rawOrNull(&c)
		default:
			c.Skip()
		}
	})
	return x
}

func announce(ev *wholecall.Event) (*item, error) {
	code := ev.Runner == wholecall.ProviderRuns && string(ev.Name) == "executableCode"
	if ev.Form == wholecall.TextArguments && !code {
		return nil, fmt.Errorf("gemini: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	it := &item{key: ev.Key, kind: wholecall.CallPart, open: true, id: bytes.Clone(ev.ID), name: bytes.Clone(ev.Name),
		runner: ev.Runner, form: ev.Form, empty: ev.Empty, extra: parseExtra(bytes.Clone(ev.Extra))}
	if it.extra.generated {
		it.id = nil
	}
	return it, nil
}

// piece adds a piece to a call's document, or ends the call.
func (it *item) piece(ev *wholecall.Event) error {
	switch {
	case ev.Kind == wholecall.End:
		return it.end(ev.Reason)
	case ev.Kind == wholecall.Document && (ev.Final || len(it.doc) > 0):
	case ev.Kind != wholecall.Fragment && ev.Kind != wholecall.Document:
		return fmt.Errorf("gemini: event kind %d for a call", ev.Kind)
	case ev.Escaped:
		it.doc, it.carry, _ = strictjson.AppendUnescaped(it.doc, ev.Data, it.carry)
	default:
		it.doc, it.carry, _ = strictjson.AppendPlain(it.doc, ev.Data, it.carry)
	}
	return nil
}

// end ends a call. What is no object has no place in the protocol, and neither has half a call. Whether a
// call without a byte is whole hangs on the finish reason here as well.
func (it *item) end(reason wholecall.Reason) error {
	doc := bytes.TrimSpace(it.doc)
	switch {
	case reason != "":
		return fmt.Errorf("gemini: call %s: a call that was cut (%s) can't be expressed", it.id, reason)
	case it.form == wholecall.TextArguments && it.carry == 0:
	case len(it.doc) == 0 && it.carry == 0 && it.empty >= wholecall.EmptyIsObject:
	case it.carry != 0 || strictjson.Check(it.doc, wholecall.DefaultDepth) != nil || doc[0] != '{':
		return fmt.Errorf("gemini: call %s: arguments that are not a whole object can't be expressed", it.id)
	}
	it.open = false
	return nil
}

// stop is told to a call that is open where its candidate stops.
func (it *item) stop(ends bool) error {
	if !ends {
		return fmt.Errorf("gemini: call %s: a call that never ended can't be expressed", it.id)
	}
	return it.end("")
}

// textPart is a part with a text, which is a JSON string, and with the signature where that is empty.
func (it *item) textPart(quoted string) []byte {
	b := append([]byte(`{"text":`), quoted...)
	if it.kind == wholecall.ReasoningPart {
		b = append(b, `,"thought":true`...)
	}
	if quoted == `""` {
		b = appendInside(appendName(b, "thoughtSignature"), text{raw: it.sign})
	}
	return append(b, '}')
}

// callPart is a part with the whole call.
func (it *item) callPart() []byte {
	member, name := "functionCall", "name"
	switch {
	case it.form == wholecall.TextArguments:
		member = "executableCode"
	case it.runner == wholecall.ProviderRuns:
		member, name = "toolCall", "toolType"
	}
	b := append([]byte(`{"`), member...)
	b = append(b, `":{`...)
	if it.id != nil {
		b = strictjson.AppendQuoted(appendName(b, "id"), it.id)
	}
	if it.form == wholecall.TextArguments {
		b = appendMember(b, "language", it.extra.language)
		b = strictjson.AppendQuoted(appendName(b, "code"), it.doc)
	} else {
		b = strictjson.AppendQuoted(appendName(b, name), it.name)
	}
	if it.form != wholecall.TextArguments && len(it.doc) > 0 {
		b = strictjson.AppendLine(appendName(b, "args"), bytes.TrimSpace(it.doc))
	}
	b = append(b, '}')
	return append(appendMember(b, "thoughtSignature", it.extra.signature), '}')
}
