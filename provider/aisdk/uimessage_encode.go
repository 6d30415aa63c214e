package aisdk

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one stream. Parts are counted in the order in which they begin, as the decoder does.
//
// What it can't express is an error: more than one choice, free text as arguments, a signature, token
// counts, a text that is neither said nor thought, and a stop for a reason that the protocol has no word
// for.
type encoder struct {
	body  []byte
	parts []*encoded
}

// encoded is a part as it stands on the wire.
type encoded struct {
	key  wholecall.Key
	kind wholecall.PartKind
	id   []byte
	open bool

	// The rest is for calls.
	name   []byte
	runner wholecall.Runner
	empty  wholecall.EmptyRule
	text   []byte // the document, as far as it came
	carry  uint16
	copy   []byte // a copy of it that is not the same text
	waits  bool   // ended without a byte: what that means, the stop says
}

// Append implements wholecall.Encoder.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Key.Choice != 0 {
		return dst, errors.New("aisdk: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		return e.begin(dst, ev), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta, wholecall.Annotate, wholecall.Sign:
		return e.delta(dst, ev)
	case wholecall.ClosePart:
		return e.closePart(dst, e.find(ev.Key)), nil
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment, wholecall.Document:
		return e.fragment(dst, ev)
	case wholecall.End:
		return e.end(dst, ev)
	case wholecall.Stop:
		return e.stop(dst, ev)
	case wholecall.Terminal:
		return append(dst, "data: [DONE]\n\n"...), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.UsageReport:
		return dst, errors.New("aisdk: token counts can't be expressed")
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	}
	return dst, fmt.Errorf("aisdk: event kind %d can't be expressed", ev.Kind)
}

// event begins an event.
func (e *encoder) event(typ string) {
	e.body = append(append(append(e.body[:0], `{"type":"`...), typ...), '"')
}

// name begins a member.
func (e *encoder) name(name string) {
	e.body = append(append(append(e.body, `,"`...), name...), `":`...)
}

// string adds a member with a string.
func (e *encoder) string(name string, s []byte) {
	e.name(name)
	e.body = strictjson.AppendQuoted(e.body, s)
}

// raw adds a member with a value as it stood.
func (e *encoder) raw(name string, value []byte) {
	e.name(name)
	e.body = append(e.body, value...)
}

// frame writes the event. A line end between the tokens of a value that stands as another wrote it would
// end the line.
func (e *encoder) frame(dst []byte) []byte {
	dst = appendLine(append(dst, "data: "...), e.body)
	return append(dst, "}\n\n"...)
}

func appendLine(dst, data []byte) []byte {
	from := len(dst)
	dst = append(dst, data...)
	for i, ch := range dst[from:] {
		if ch == '\n' || ch == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

func (e *encoder) begin(dst []byte, ev *wholecall.Event) []byte {
	e.event("start")
	if len(ev.ID) > 0 {
		e.string("messageId", ev.ID)
	}
	if len(ev.Name) > 0 {
		e.body = append(strictjson.AppendQuoted(append(e.body, `,"messageMetadata":{"model":`...), ev.Name), '}')
	}
	return e.frame(dst)
}

func (e *encoder) find(key wholecall.Key) *encoded {
	for i := len(e.parts) - 1; i >= 0; i-- {
		if e.parts[i].key == key {
			return e.parts[i]
		}
	}
	return nil
}

func (e *encoder) add(ev *wholecall.Event, kind wholecall.PartKind, id []byte) *encoded {
	p := &encoded{key: ev.Key, kind: kind, id: slices.Clone(id), open: true}
	e.parts = append(e.parts, p)
	return p
}

// stem is what the types of the events about a text begin with.
func (p *encoded) stem() string {
	if p.kind == wholecall.ReasoningPart {
		return "reasoning"
	}
	return "text"
}

func (e *encoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
	case wholecall.DataPart:
		return e.data(dst, ev)
	default:
		return dst, fmt.Errorf("aisdk: a part of kind %s can't be expressed", ev.Part)
	}
	p := e.add(ev, ev.Part, strconv.AppendInt(nil, int64(len(e.parts)), 10))
	e.event(p.stem() + "-start")
	e.string("id", p.id)
	return e.frame(dst), nil
}

// data writes an event of this protocol as it stood, and any other part as the application's own data.
func (e *encoder) data(dst []byte, ev *wholecall.Event) ([]byte, error) {
	raw := ev.Data
	if strictjson.Check(raw, wholecall.DefaultDepth) != nil {
		return dst, fmt.Errorf("aisdk: data of type %q that is no JSON can't be expressed", ev.Name)
	}
	e.add(ev, ev.Part, nil)
	var w wire
	var c strictjson.Cursor
	if isData(ev.Name) && w.parse(&c, raw) == nil && string(w.typ) == string(ev.Name) {
		return append(appendLine(append(dst, "data: "...), raw), "\n\n"...), nil
	}
	e.body = strictjson.AppendQuoted(append(e.body[:0], `{"type":`...), append([]byte(dataTypePrefix), ev.Name...))
	e.raw("data", raw)
	return e.frame(dst), nil
}

func (e *encoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.find(ev.Key)
	switch {
	case p == nil:
		return dst, errors.New("aisdk: a delta for a part that never began")
	case ev.Kind == wholecall.Sign:
		return dst, errors.New("aisdk: a signature can't be expressed")
	case p.kind != wholecall.TextPart && p.kind != wholecall.ReasoningPart:
		return dst, errors.New("aisdk: a delta of data can't be expressed")
	case ev.Kind == wholecall.Annotate && !isMetadata(ev.Data):
		return dst, errors.New("aisdk: an annotation that is no provider's metadata can't be expressed")
	}
	e.event(p.stem() + "-delta")
	e.string("id", p.id)
	if ev.Kind == wholecall.Annotate {
		e.string("delta", nil)
		e.raw("providerMetadata", ev.Data)
		return e.frame(dst), nil
	}
	e.name("delta")
	e.body = appendText(e.body, ev)
	return e.frame(dst), nil
}

// isMetadata reports whether a value is an object of objects, one for each provider.
func isMetadata(raw []byte) bool {
	if strictjson.Check(raw, wholecall.DefaultDepth) != nil {
		return false
	}
	var c strictjson.Cursor
	c.Reset(raw)
	if c.Peek() != '{' {
		return false
	}
	c.Object()
	for _, ok := c.Member(); ok; _, ok = c.Member() {
		if c.Peek() != '{' {
			return false
		}
		c.Skip()
	}
	return true
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}

func (e *encoder) closePart(dst []byte, p *encoded) []byte {
	if p == nil || !p.open {
		return dst
	}
	p.open = false
	if p.kind == wholecall.DataPart {
		return dst
	}
	e.event(p.stem() + "-end")
	e.string("id", p.id)
	return e.frame(dst)
}

// stop ends what it is said to end, and writes why the model stopped: as the provider said it, where that
// is a word of this protocol.
func (e *encoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	word, err := wordOf(ev)
	if err != nil {
		return dst, err
	}
	for _, p := range e.parts {
		switch {
		case !p.open || !p.waits && !ev.Ends:
		case p.kind == wholecall.CallPart:
			dst = e.endAtStop(dst, p, ev.Reason)
		default:
			dst = e.closePart(dst, p)
		}
	}
	if word == "abort" {
		e.event(word)
		return e.frame(dst), nil
	}
	e.event("finish")
	if word != "" {
		e.string("finishReason", []byte(word))
	}
	return e.frame(dst), nil
}

func wordOf(ev *wholecall.Event) (string, error) {
	switch ev.Reason {
	case wholecall.ReasonTokenLimit:
		return "length", nil
	case wholecall.ReasonContentFilter:
		return "content-filter", nil
	case wholecall.ReasonCancelled:
		return "abort", nil
	case "":
	default:
		return "", fmt.Errorf("aisdk: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	switch name := string(ev.Name); {
	case name == "stop", name == "tool-calls", name == "other":
		return name, nil
	case name == "finish":
		return "", nil
	case ev.Promises:
		return "tool-calls", nil
	}
	return "stop", nil
}

// failure writes that the turn failed. The protocol has a text for that, and nothing else.
func (e *encoder) failure(dst []byte, ev *wholecall.Event) []byte {
	message := ev.Data
	for _, s := range [][]byte{ev.Name, ev.ID} {
		if len(message) == 0 {
			message = s
		}
	}
	e.event("error")
	e.string("errorText", message)
	return e.frame(dst)
}
