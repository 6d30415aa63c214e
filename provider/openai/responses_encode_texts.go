package openai

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func (e *responsesEncoder) partEvent(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.OpenPart {
		return e.openPart(dst, ev)
	}
	if e.speaking && ev.Key == e.voice {
		return e.voiceEvent(dst, ev)
	}
	it, p := e.part(ev.Key)
	switch {
	case it == nil:
		return dst, errors.New("openai-responses: an event for a part that never began")
	case p == nil && ev.Kind == wholecall.ClosePart:
		return dst, nil // data ended where it began
	case p == nil:
		return dst, errors.New("openai-responses: a delta of a part that is data can't be expressed")
	case !p.open:
		return dst, errors.New("openai-responses: an event for a part that has ended")
	}
	switch ev.Kind {
	case wholecall.Delta:
		return e.delta(dst, it, p, ev), nil
	case wholecall.Annotate:
		return e.note(dst, it, p, ev)
	case wholecall.ClosePart:
		return e.closePart(dst, it, p), nil
	}
	return dst, errors.New("openai-responses: a signature can't be expressed")
}

// part returns the item and the part with the key; the part is nil where the item is data.
func (e *responsesEncoder) part(k wholecall.Key) (*encodedItem, *encodedPart) {
	for _, it := range slices.Backward(e.items) {
		for _, p := range it.parts {
			if p.key == k {
				return it, p
			}
		}
		if it.kind == dataItem && it.key == k || it.kind == objectItem && k.Sub == wholeItem && k.Index == it.key.Index {
			return it, nil
		}
		if it.kind == reasoningItem && k.Sub == wholeItem && k.Index == it.key.Index {
			return it, nil
		}
	}
	return nil, nil
}

func (e *responsesEncoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Part {
	case wholecall.DataPart:
		return e.data(dst, ev)
	case wholecall.TranscriptPart:
		if e.speaking {
			return dst, errors.New("openai-responses: two transcripts at a time can't be expressed")
		}
		e.speaking, e.voice = true, ev.Key
		e.member("delta", nil)
		return e.frame(dst, "response.audio.transcript.delta"), nil
	case wholecall.TextPart, wholecall.RefusalPart:
		return e.openText(dst, ev, messageItem), nil
	case wholecall.ReasoningPart, wholecall.SummaryPart:
		return e.openText(dst, ev, reasoningItem), nil
	}
	return dst, fmt.Errorf("openai-responses: a part of kind %s can't be expressed", ev.Part)
}

// voiceEvent writes the transcript of an audio, whose events have no position.
func (e *responsesEncoder) voiceEvent(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Kind {
	case wholecall.Delta:
		e.body = appendText(appendName(e.body, "delta"), ev)
		return e.frame(dst, "response.audio.transcript.delta"), nil
	case wholecall.ClosePart:
		e.speaking = false
		return e.frame(dst, "response.audio.transcript.done"), nil
	}
	return dst, errors.New("openai-responses: a remark about a transcript can't be expressed")
}

// openText begins a part of a message or reasoning item, and the item where there is none to join.
func (e *responsesEncoder) openText(dst []byte, ev *wholecall.Event, kind itemKind) []byte {
	it := e.group
	if it == nil || it.kind != kind || it.key.Index != ev.Key.Index || ev.Key.Sub == 0 || it.key.Sub == 0 {
		dst = e.leave(dst)
		it = &encodedItem{index: e.next(), kind: kind, key: ev.Key}
		it.id = fmt.Appendf(nil, "item_%d", it.index)
		dst = e.add(dst, it, it.textItem("in_progress"))
		e.group = it
	}
	p := &encodedPart{key: ev.Key, kind: ev.Part, open: true}
	for _, other := range it.parts {
		if (other.kind == wholecall.SummaryPart) == (p.kind == wholecall.SummaryPart) {
			p.place++
		}
	}
	it.parts = append(it.parts, p)
	e.position(it, p)
	e.body = append(appendName(e.body, "part"), p.json()...)
	if p.kind == wholecall.SummaryPart {
		return e.frame(dst, "response.reasoning_summary_part.added")
	}
	return e.frame(dst, "response.content_part.added")
}

// position adds the members that say where a part stands.
func (e *responsesEncoder) position(it *encodedItem, p *encodedPart) {
	e.number("output_index", int(it.index))
	e.member("item_id", it.id)
	if p.kind == wholecall.SummaryPart {
		e.number("summary_index", p.place)
	} else {
		e.number("content_index", p.place)
	}
}

// json is the part as it stands in the events about it and in its item.
func (p *encodedPart) json() []byte {
	switch p.kind {
	case wholecall.RefusalPart:
		return append(appendString([]byte(`{"type":"refusal"`), "refusal", p.text), '}')
	case wholecall.ReasoningPart:
		return append(appendString([]byte(`{"type":"reasoning_text"`), "text", p.text), '}')
	case wholecall.SummaryPart:
		return append(appendString([]byte(`{"type":"summary_text"`), "text", p.text), '}')
	}
	b := append([]byte(`{"type":"output_text","annotations":[`), p.notes...)
	return append(appendString(append(b, ']'), "text", p.text), '}')
}

// textItem is a message or reasoning item.
func (it *encodedItem) textItem(status string) []byte {
	typ := "message"
	if it.kind == reasoningItem {
		typ = "reasoning"
	}
	b := appendString([]byte(`{"type":"`+typ+`"`), "id", it.id)
	b = appendString(b, "status", []byte(status))
	if it.kind == messageItem {
		b = append(b, `,"role":"assistant","content":[`...)
		return append(it.appendParts(b, false), "]}"...)
	}
	b = append(b, `,"summary":[`...)
	b = append(it.appendParts(b, true), `],"content":[`...)
	return append(it.appendParts(b, false), "]}"...)
}

func (it *encodedItem) appendParts(dst []byte, summaries bool) []byte {
	for _, p := range it.parts {
		if (p.kind == wholecall.SummaryPart) != summaries {
			continue
		}
		if p.place > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, p.json()...)
	}
	return dst
}

// deltaType is the type of the events about a kind of part, without ".delta" or ".done".
func deltaType(k wholecall.PartKind) string {
	switch k {
	case wholecall.RefusalPart:
		return "response.refusal"
	case wholecall.ReasoningPart:
		return "response.reasoning_text"
	case wholecall.SummaryPart:
		return "response.reasoning_summary_text"
	}
	return "response.output_text"
}

func (e *responsesEncoder) delta(dst []byte, it *encodedItem, p *encodedPart, ev *wholecall.Event) []byte {
	p.text, p.carry = appendPiece(p.text, p.carry, ev)
	e.position(it, p)
	e.body = appendText(appendName(e.body, "delta"), ev)
	return e.frame(dst, deltaType(p.kind)+".delta")
}

// appendPiece appends a piece of text, unescaped.
func appendPiece(dst []byte, carry uint16, ev *wholecall.Event) ([]byte, uint16) {
	if ev.Escaped {
		dst, carry, _ = strictjson.AppendUnescaped(dst, ev.Data, carry)
	} else {
		dst, carry, _ = strictjson.AppendPlain(dst, ev.Data, carry)
	}
	return dst, carry
}

func (e *responsesEncoder) note(dst []byte, it *encodedItem, p *encodedPart, ev *wholecall.Event) ([]byte, error) {
	if p.kind != wholecall.TextPart {
		return dst, fmt.Errorf("openai-responses: an annotation of a part of kind %s can't be expressed", p.kind)
	}
	if len(p.notes) > 0 {
		p.notes = append(p.notes, ',')
	}
	p.notes = append(p.notes, ev.Data...)
	e.position(it, p)
	e.body = append(appendName(e.body, "annotation"), ev.Data...)
	return e.frame(dst, "response.output_text.annotation.added"), nil
}

// closePart ends a part, and its item where no other part can join it.
func (e *responsesEncoder) closePart(dst []byte, it *encodedItem, p *encodedPart) []byte {
	p.open = false
	p.text, _ = strictjson.AppendCarry(p.text, p.carry)
	e.position(it, p)
	if p.kind == wholecall.RefusalPart {
		e.member("refusal", p.text)
	} else {
		e.member("text", p.text)
	}
	dst = e.frame(dst, deltaType(p.kind)+".done")
	e.position(it, p)
	e.body = append(appendName(e.body, "part"), p.json()...)
	typ := "response.content_part.done"
	if p.kind == wholecall.SummaryPart {
		typ = "response.reasoning_summary_part.done"
	}
	dst = e.frame(dst, typ)
	if it == e.group && it.key.Sub != 0 {
		return dst
	}
	if it == e.group {
		e.group = nil
	}
	return e.settle(dst, it)
}

// speaks reports whether a part of the item is open.
func (it *encodedItem) speaks() bool {
	return slices.ContainsFunc(it.parts, func(p *encodedPart) bool { return p.open })
}

// settle writes the end of a message or reasoning item that has no open part and no end yet.
func (e *responsesEncoder) settle(dst []byte, it *encodedItem) []byte {
	if it.raw != nil || it.speaks() {
		return dst
	}
	it.raw = it.textItem("completed")
	return e.closeItem(dst, it)
}

// leave ends the item that parts could have joined: something else begins.
func (e *responsesEncoder) leave(dst []byte) []byte {
	it := e.group
	if it == nil {
		return dst
	}
	e.group = nil
	return e.settle(dst, it)
}

// holds reports whether the event is the whole item of the call that is held.
func (e *responsesEncoder) holds(ev *wholecall.Event) bool {
	return ev.Kind == wholecall.OpenPart && ev.Part == wholecall.DataPart &&
		ev.Key.Sub == wholeItem && ev.Key.Index == e.held.key.Index
}

// data writes an item as it stands, both times: it ends where it begins. The whole of an item whose
// parts or whose call have been written is that item's last copy.
func (e *responsesEncoder) data(dst []byte, ev *wholecall.Event) ([]byte, error) {
	var c strictjson.Cursor
	it, err := parseItem(&c, ev.Data)
	if err != nil || !c.End() || string(it.typ) != string(ev.Name) || len(it.typ) == 0 {
		return dst, fmt.Errorf("openai-responses: data of type %q can't be expressed", ev.Name)
	}
	if e.held != nil {
		e.held.raw = bytes.Clone(ev.Data)
		dst = e.closeItem(dst, e.held)
		e.held = nil
		return dst, nil
	}
	kind := kindOfItem(string(it.typ))
	if g := e.group; g != nil && kind == reasoningItem && g.kind == kind && g.key.Index == ev.Key.Index &&
		ev.Key.Sub == wholeItem && !g.speaks() {
		g.raw = bytes.Clone(ev.Data)
		e.group = nil
		return e.closeItem(dst, g), nil
	}
	if kind != dataItem && kind != reasoningItem {
		return dst, fmt.Errorf("openai-responses: data of type %q can't be expressed", ev.Name)
	}
	dst = e.leave(dst)
	item := &encodedItem{index: e.next(), kind: dataItem, key: ev.Key, raw: bytes.Clone(ev.Data)}
	dst = e.add(dst, item, item.raw)
	return e.closeItem(dst, item), nil
}
