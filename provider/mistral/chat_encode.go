package mistral

import (
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// chatEncoder writes one stream. Every event is a chunk of its own; an end has none, as the protocol has
// none. A fragment has an empty name, since the types demand one.
type chatEncoder struct {
	id, model []byte
	body      []byte
	kinds     map[wholecall.Key]wholecall.PartKind
	calls     []chatCall
}

// chatCall is a call that was announced.
type chatCall struct {
	key   wholecall.Key
	index int32
	empty wholecall.EmptyRule
	bytes bool // a byte of arguments was written
}

// Append implements wholecall.Encoder.
func (e *chatEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	switch ev.Kind {
	case wholecall.Begin:
		e.id, e.model = append(e.id[:0], ev.ID...), append(e.model[:0], ev.Name...)
		return e.chunk(dst, ev.Key.Choice, append(e.body, `{"role":"assistant","content":""}`...), nil), nil
	case wholecall.OpenPart:
		return e.openPart(dst, ev)
	case wholecall.Delta, wholecall.Sign, wholecall.Annotate:
		return e.delta(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment, wholecall.Document:
		return e.fragment(dst, ev)
	case wholecall.Stop:
		return e.stop(dst, ev)
	case wholecall.UsageReport:
		dst = append(e.head(dst), `,"choices":[],"usage":`...)
		return append(appendUsage(dst, ev.Data, ev.Usage), "}\n\n"...), nil
	case wholecall.Terminal:
		return append(dst, "data: [DONE]\n\n"...), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.ClosePart, wholecall.End, wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	}
	return dst, fmt.Errorf("mistral: event kind %d can't be expressed", ev.Kind)
}

// head appends the beginning of a chunk, up to its choices.
func (e *chatEncoder) head(dst []byte) []byte {
	dst = append(dst, `data: {"id":`...)
	dst = strictjson.AppendQuoted(dst, e.id)
	dst = append(dst, `,"object":"chat.completion.chunk","created":0,"model":`...)
	return strictjson.AppendQuoted(dst, e.model)
}

// chunk appends a chunk with one choice. A nil finish is null.
func (e *chatEncoder) chunk(dst []byte, choice int32, delta, finish []byte) []byte {
	e.body = delta
	dst = append(e.head(dst), `,"choices":[{"index":`...)
	dst = strconv.AppendInt(dst, int64(choice), 10)
	dst = append(append(dst, `,"delta":`...), delta...)
	dst = append(dst, `,"finish_reason":`...)
	if finish == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strictjson.AppendQuoted(dst, finish)
	}
	return append(dst, "}]}\n\n"...)
}

// openPart notes a part. Only one that is neither text nor thought has something to write.
func (e *chatEncoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if e.kinds == nil {
		e.kinds = map[wholecall.Key]wholecall.PartKind{}
	}
	e.kinds[ev.Key] = ev.Part
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
		return dst, nil
	case wholecall.DataPart:
		b := append(appendRaw(append(e.body, `{"content":[`...), ev.Data), "]}"...)
		return e.chunk(dst, ev.Key.Choice, b, nil), nil
	}
	return dst, fmt.Errorf("mistral: a part of kind %s can't be expressed", ev.Part)
}

func (e *chatEncoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	b, err := appendContentOf(append(e.body, `{"content":`...), e.kinds[ev.Key], ev)
	if err != nil {
		return dst, err
	}
	return e.chunk(dst, ev.Key.Choice, append(b, '}'), nil), nil
}

// appendContentOf appends the content that says what an event adds to a part of a kind.
func appendContentOf(b []byte, kind wholecall.PartKind, ev *wholecall.Event) ([]byte, error) {
	switch {
	case kind == wholecall.TextPart && ev.Kind == wholecall.Delta:
		return appendText(b, ev), nil
	case kind != wholecall.ReasoningPart:
		return b, fmt.Errorf("mistral: event kind %d for a part of kind %s can't be expressed", ev.Kind, kind)
	case ev.Kind == wholecall.Delta:
		b = appendText(append(b, `[{"type":"thinking","thinking":[{"type":"text","text":`...), ev)
		return append(b, "}]}]"...), nil
	case ev.Kind == wholecall.Sign:
		b = appendText(append(b, `[{"type":"thinking","thinking":[],"signature":`...), ev)
		return append(b, "}]"...), nil
	}
	return append(appendRaw(append(b, `[{"type":"thinking","thinking":[`...), ev.Data), "]}]"...), nil
}

func (e *chatEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch {
	case ev.Runner == wholecall.ProviderRuns:
		return dst, fmt.Errorf("mistral: call %s: a call that the provider runs can't be expressed", ev.ID)
	case ev.Form == wholecall.TextArguments:
		return dst, fmt.Errorf("mistral: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	call := chatCall{key: ev.Key, index: e.free(ev.Key), empty: ev.Empty}
	e.calls = append(e.calls, call)
	b := e.entry(call.index)
	b = append(b, `,"id":`...)
	b = strictjson.AppendQuoted(b, ev.ID)
	b = append(b, `,"type":"function","function":{"name":`...)
	b = strictjson.AppendQuoted(b, ev.Name)
	return e.chunk(dst, ev.Key.Choice, append(b, `,"arguments":""}}]}`...), nil), nil
}

// free returns a call's own position or, where another use of that position has it, one behind all.
func (e *chatEncoder) free(key wholecall.Key) int32 {
	index, next := key.Index, int32(0)
	for i := range e.calls {
		if c := &e.calls[i]; c.key.Choice == key.Choice {
			next = max(next, c.index+1)
			if c.index == key.Index {
				index = -1
			}
		}
	}
	if index < 0 {
		return next
	}
	return index
}

func (e *chatEncoder) entry(index int32) []byte {
	b := append(e.body[:0], `{"tool_calls":[{"index":`...)
	return strconv.AppendInt(b, int64(index), 10)
}

// fragment writes a fragment. A copy of the whole document is one where nothing came before it.
func (e *chatEncoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	for i := range e.calls {
		c := &e.calls[i]
		switch {
		case c.key != ev.Key:
			continue
		case ev.Kind == wholecall.Document && (ev.Final || c.bytes || len(ev.Data) == 0):
			return dst, nil
		}
		c.bytes = c.bytes || len(ev.Data) > 0
		b := append(e.entry(c.index), `,"function":{"name":"","arguments":`...)
		b = append(appendText(b, ev), "}}]}"...)
		return e.chunk(dst, ev.Key.Choice, b, nil), nil
	}
	return dst, fmt.Errorf("mistral: a fragment for a call that was never announced")
}

// stop finishes a choice. A call that has no arguments, as its own protocol says, gets the {} that
// Mistral's models write.
func (e *chatEncoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	finish, err := fits(ev)
	if err != nil {
		return dst, err
	}
	for i := range e.calls {
		c := &e.calls[i]
		if c.key.Choice == ev.Key.Choice && !c.bytes && c.empty >= wholecall.EmptyIsObject && ev.Reason == "" {
			c.bytes = true
			b := append(e.entry(c.index), `,"function":{"name":"","arguments":"{}"}}]}`...)
			dst = e.chunk(dst, ev.Key.Choice, b, nil)
		}
	}
	return e.chunk(dst, ev.Key.Choice, append(e.body[:0], `{"content":""}`...), finish), nil
}

func (e *chatEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	dst = append(dst, `data: {"object":"error","message":`...)
	dst = strictjson.AppendQuoted(dst, ev.Data)
	dst = append(dst, `,"type":`...)
	dst = strictjson.AppendQuoted(dst, ev.Name)
	dst = append(dst, `,"code":`...)
	dst = strictjson.AppendQuoted(dst, ev.ID)
	return append(dst, "}\n\n"...)
}
