package agui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// encoder writes one run. Parts are counted in the order in which they begin, as the decoder does. Calls
// are written in the long form, never in chunks. The thread, which no event names, goes by the run's id.
//
// What it can't express is an error: more than one choice, free text as arguments, a call that the
// provider runs, a signature, an annotation, a text that is neither said nor thought, and a stop that says
// that the answer was cut.
type encoder struct {
	body    []byte
	parts   []*encoded
	run     []byte
	stopped bool
	outcome []byte // success, or nil
	last    []byte // RUN_FINISHED as it stood, where it was a part
	usage   []byte
}

// encoded is a part as it stands on the wire.
type encoded struct {
	key  wholecall.Key
	kind wholecall.PartKind
	id   []byte
	open bool

	// The rest is for calls.
	empty wholecall.EmptyRule
	text  []byte // the document, as far as it came
	carry uint16
	waits bool // ended without a byte: what that means, the stop says
}

// Append implements wholecall.Encoder. Why the run ended waits for the terminal, which carries it.
func (e *encoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Key.Choice != 0 {
		return dst, errors.New("ag-ui: a second choice can't be expressed")
	}
	switch ev.Kind {
	case wholecall.Begin:
		e.run = slices.Clone(ev.ID)
		return e.bracket(dst, runStarted), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta:
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
	case wholecall.UsageReport:
		e.usage = appendUsage(e.usage[:0], ev)
		return dst, nil
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	case wholecall.Sign, wholecall.Annotate:
		return dst, errors.New("ag-ui: a signature or an annotation can't be expressed")
	}
	return dst, fmt.Errorf("ag-ui: event kind %d can't be expressed", ev.Kind)
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

// frame writes the event.
func (e *encoder) frame(dst []byte) []byte { return appendFrame(dst, append(e.body, '}')) }

// appendFrame writes an event as it stands. A line end between its tokens would end the line.
func appendFrame(dst, data []byte) []byte {
	dst = append(dst, "data: "...)
	from := len(dst)
	dst = append(dst, data...)
	for i, ch := range dst[from:] {
		if ch == '\n' || ch == '\r' {
			dst[from+i] = ' '
		}
	}
	return append(dst, "\n\n"...)
}

// bracket writes an event that begins or ends the run.
func (e *encoder) bracket(dst []byte, typ string) []byte {
	e.event(typ)
	e.string("threadId", e.run)
	e.string("runId", e.run)
	if typ == runFinished && len(e.outcome) > 0 {
		e.raw("outcome", append(strictjson.AppendQuoted([]byte(`{"type":`), e.outcome), '}'))
	}
	if typ == runFinished && len(e.usage) > 0 {
		e.raw("usage", e.usage)
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
		return "REASONING_MESSAGE"
	}
	return "TEXT_MESSAGE"
}

func (e *encoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	role := "assistant"
	switch ev.Part {
	case wholecall.TextPart:
	case wholecall.ReasoningPart:
		role = "reasoning"
	case wholecall.DataPart:
		return e.data(dst, ev)
	default:
		return dst, fmt.Errorf("ag-ui: a part of kind %s can't be expressed", ev.Part)
	}
	p := e.add(ev, ev.Part, strconv.AppendInt([]byte("msg_"), int64(len(e.parts)), 10))
	e.event(p.stem() + "_START")
	e.string("messageId", p.id)
	e.string("role", []byte(role))
	return e.frame(dst), nil
}

// data writes an event of this protocol as it stood, and any other part as a custom event. The event that
// ends the run waits for the terminal.
func (e *encoder) data(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if strictjson.Check(ev.Data, wholecall.DefaultDepth) != nil {
		return dst, fmt.Errorf("ag-ui: data of type %q that is no JSON can't be expressed", ev.Name)
	}
	p := e.add(ev, ev.Part, nil)
	var w wire
	var c strictjson.Cursor
	ours := w.parse(&c, ev.Data) == nil && string(w.typ) == string(ev.Name)
	switch typ := string(ev.Name); {
	case ours && typ == runFinished:
		e.last = slices.Clone(ev.Data)
		return dst, nil
	case ours && typ == textStart && len(w.messageID) > 0:
		p.id = slices.Clone(w.messageID)
		return appendFrame(dst, ev.Data), nil
	case ours && isData(ev.Name):
		return appendFrame(dst, ev.Data), nil
	}
	e.event("CUSTOM")
	e.string("name", ev.Name)
	e.raw("value", ev.Data)
	return e.frame(dst), nil
}

func (e *encoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.find(ev.Key)
	switch {
	case p == nil:
		return dst, errors.New("ag-ui: a delta for a part that never began")
	case p.kind == wholecall.CallPart || p.id == nil:
		return dst, errors.New("ag-ui: a delta of data can't be expressed")
	}
	e.event(p.stem() + "_CONTENT")
	e.string("messageId", p.id)
	e.name("delta")
	e.body = appendText(e.body, ev)
	return e.frame(dst), nil
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
	if p.id == nil {
		return dst
	}
	e.event(p.stem() + "_END")
	e.string("messageId", p.id)
	return e.frame(dst)
}

// stop ends what it is said to end. The protocol has no word for an answer that was cut: only a run that
// was interrupted, which its own event says.
func (e *encoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Reason != "" && (ev.Reason != wholecall.ReasonPaused || e.last == nil) {
		return dst, fmt.Errorf("ag-ui: a stop %q for the reason %q can't be expressed", ev.Name, ev.Reason)
	}
	e.stopped = true
	if string(ev.Name) != runFinished {
		e.outcome = []byte(success)
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
	return dst, nil
}

// terminal writes the end of the run, which says that nothing was cut.
func (e *encoder) terminal(dst []byte) ([]byte, error) {
	switch {
	case !e.stopped:
		return dst, errors.New("ag-ui: an end without a good stop can't be expressed")
	case e.last != nil:
		return appendFrame(dst, e.last), nil
	}
	return e.bracket(dst, runFinished), nil
}

// appendUsage appends token counts: as they stood, where they are this protocol's.
func appendUsage(dst []byte, ev *wholecall.Event) []byte {
	var c strictjson.Cursor
	if u, err := readUsage(&c, ev.Data); err == nil && u == ev.Usage {
		return append(dst, ev.Data...)
	}
	u := ev.Usage
	return fmt.Appendf(dst, `[{"inputTokens":%d,"outputTokens":%d,"reasoningTokens":%d,"cachedInputTokens":%d}]`,
		u.Input, u.Output, u.Reasoning, u.CacheRead)
}

func (e *encoder) failure(dst []byte, ev *wholecall.Event) []byte {
	message, code := ev.Data, ev.ID
	if len(code) == 0 {
		code = ev.Name
	}
	e.event(runError)
	e.string("message", message)
	if len(code) > 0 {
		e.string("code", code)
	}
	return e.frame(dst)
}
