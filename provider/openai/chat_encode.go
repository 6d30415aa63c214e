package openai

import (
	"fmt"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// chatEncoder writes one stream. Every event is a chunk of its own; an end has none, as the protocol
// has none. Token counts stand behind the last finish reason.
type chatEncoder struct {
	id, model []byte
	body      []byte
	kinds     map[wholecall.Key]wholecall.PartKind
	forms     map[wholecall.Key]wholecall.Form
	usage     []byte // the chunk with the token counts
}

// Append implements wholecall.Encoder.
func (e *chatEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	e.body = e.body[:0]
	switch ev.Kind {
	case wholecall.Begin:
		e.id, e.model = append(e.id[:0], ev.ID...), append(e.model[:0], ev.Name...)
		return e.chunk(dst, ev.Key.Choice, append(e.body, `{"role":"assistant"}`...), nil), nil
	case wholecall.OpenPart:
		if e.kinds == nil {
			e.kinds = map[wholecall.Key]wholecall.PartKind{}
		}
		if _, err := member(ev.Part); err != nil {
			return dst, err
		}
		e.kinds[ev.Key] = ev.Part
		return dst, nil
	case wholecall.Delta:
		return e.delta(dst, ev)
	case wholecall.Announce:
		return e.announce(dst, ev)
	case wholecall.Fragment:
		return e.fragment(dst, ev), nil
	case wholecall.Stop:
		return e.chunk(dst, ev.Key.Choice, append(e.body, `{}`...), ev.Name), nil
	case wholecall.UsageReport:
		e.usage = e.report(e.usage[:0], ev)
		return dst, nil
	case wholecall.Terminal:
		return append(append(dst, e.usage...), "data: [DONE]\n\n"...), nil
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.ClosePart, wholecall.End, wholecall.Document, wholecall.Deviate, wholecall.Hint, wholecall.Pass:
		return dst, nil
	case wholecall.Sign, wholecall.Annotate:
		return dst, fmt.Errorf("openai-chat: a signature or an annotation can't be expressed")
	}
	return dst, fmt.Errorf("openai-chat: event kind %d can't be expressed", ev.Kind)
}

// member names the member of a delta that holds the text of a part.
func member(k wholecall.PartKind) (string, error) {
	switch k {
	case wholecall.TextPart:
		return "content", nil
	case wholecall.RefusalPart:
		return "refusal", nil
	case wholecall.ReasoningPart:
		return "reasoning_content", nil
	case wholecall.TranscriptPart:
		return "transcript", nil
	}
	return "", fmt.Errorf("openai-chat: a part of kind %s can't be expressed", k)
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

func (e *chatEncoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	kind, ok := e.kinds[ev.Key]
	if !ok {
		return dst, fmt.Errorf("openai-chat: a delta for a part that never began")
	}
	name, err := member(kind)
	if err != nil {
		return dst, err
	}
	if kind == wholecall.TranscriptPart {
		b := appendText(append(e.body, `{"audio":{"transcript":`...), ev)
		return e.chunk(dst, ev.Key.Choice, append(b, "}}"...), nil), nil
	}
	b := append(append(append(e.body, `{"`...), name...), `":`...)
	b = append(appendText(b, ev), '}')
	return e.chunk(dst, ev.Key.Choice, b, nil), nil
}

func (e *chatEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Runner == wholecall.ProviderRuns {
		return dst, fmt.Errorf("openai-chat: call %s: a call that the provider runs can't be expressed", ev.ID)
	}
	if e.forms == nil {
		e.forms = map[wholecall.Key]wholecall.Form{}
	}
	e.forms[ev.Key] = ev.Form
	b := append(e.body, `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(ev.Key.Index), 10)
	b = append(b, `,"id":`...)
	b = strictjson.AppendQuoted(b, ev.ID)
	if ev.Form == wholecall.TextArguments {
		b = append(b, `,"type":"custom","custom":{"name":`...)
		b = strictjson.AppendQuoted(b, ev.Name)
		b = append(b, `,"input":""}}]}`...)
	} else {
		b = append(b, `,"type":"function","function":{"name":`...)
		b = strictjson.AppendQuoted(b, ev.Name)
		b = append(b, `,"arguments":""}`...)
		b = appendMember(b, "extra_content", memberIn(ev.Extra, "extra_content"))
		b = append(b, "}]}"...)
	}
	return e.chunk(dst, ev.Key.Choice, b, nil), nil
}

func (e *chatEncoder) fragment(dst []byte, ev *wholecall.Event) []byte {
	b := append(e.body, `{"tool_calls":[{"index":`...)
	b = strconv.AppendInt(b, int64(ev.Key.Index), 10)
	if e.forms[ev.Key] == wholecall.TextArguments {
		b = append(b, `,"custom":{"input":`...)
	} else {
		b = append(b, `,"function":{"arguments":`...)
	}
	b = append(appendText(b, ev), "}}]}"...)
	return e.chunk(dst, ev.Key.Choice, b, nil)
}

func (e *chatEncoder) report(dst []byte, ev *wholecall.Event) []byte {
	dst = append(e.head(dst), `,"choices":[],"usage":`...)
	if len(ev.Data) > 0 {
		dst = strictjson.AppendLine(dst, ev.Data)
	} else {
		dst = fmt.Appendf(dst, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
			ev.Usage.Input, ev.Usage.Output, ev.Usage.Input+ev.Usage.Output, ev.Usage.CacheRead, ev.Usage.Reasoning)
	}
	return append(dst, "}\n\n"...)
}

func (e *chatEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	dst = append(dst, `data: {"error":{"message":`...)
	dst = strictjson.AppendQuoted(dst, ev.Data)
	dst = append(dst, `,"type":`...)
	dst = strictjson.AppendQuoted(dst, ev.Name)
	dst = append(dst, `,"code":`...)
	dst = strictjson.AppendQuoted(dst, ev.ID)
	return append(dst, "}}\n\n"...)
}
