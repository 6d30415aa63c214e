package openai

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func (e *realtimeEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("openai-realtime: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	r, dst := e.response(dst, ev.Key.Choice, nil)
	var c strictjson.Cursor
	it := &realtimeOutItem{key: ev.Key, kind: functionItem, id: stringIn(&c, ev.Extra, "item_id"), callID: slices.Clone(ev.ID),
		name: slices.Clone(ev.Name), empty: ev.Empty}
	if ev.Runner == wholecall.ProviderRuns {
		it.kind, it.id, it.callID = mcpItem, it.callID, nil
		it.extra = appendMember([]byte{'{'}, "server_label", rawIn(&c, ev.Extra, "server_label"))[1:]
	}
	it.id = slices.Clone(it.id)
	return e.add(dst, r, it, it.object("in_progress", nil)), nil
}

// object is a call's item, with its arguments.
func (it *realtimeOutItem) object(status string, arguments []byte) []byte {
	typ := "function_call"
	if it.kind == mcpItem {
		typ = "mcp_call"
	}
	b := appendString([]byte(`{"object":"realtime.item"`), "type", []byte(typ))
	if it.id != nil {
		b = appendString(b, "id", it.id)
	}
	if it.callID != nil {
		b = appendString(b, "call_id", it.callID)
	}
	b = appendString(appendString(b, "status", []byte(status)), "name", it.name)
	if len(it.extra) > 0 {
		b = append(append(b, ','), it.extra...)
	}
	return append(appendString(b, "arguments", arguments), '}')
}

// stem is what the types of the events about a call begin with.
func (it *realtimeOutItem) stem() string {
	if it.kind == mcpItem {
		return "response.mcp_call_arguments"
	}
	return "response.function_call_arguments"
}

// fragment writes a fragment. A copy of the whole document waits for the call's end, which carries it.
func (e *realtimeEncoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	r, it, _ := e.find(ev.Key)
	switch {
	case ev.Kind == wholecall.Document && (ev.Final || len(ev.Data) == 0):
		return dst, nil
	case it == nil || !it.kind.isCall():
		return dst, errors.New("openai-realtime: a fragment for a call that was never announced")
	case ev.Kind == wholecall.Document:
		if len(it.copy) == 0 || strictjson.Equal(it.copy, it.text) { // one that disagrees is kept
			it.copy, _ = appendPiece(it.copy[:0], 0, ev)
		}
		return dst, nil
	}
	it.text, it.carry = appendPiece(it.text, it.carry, ev)
	e.of(r, it)
	if it.callID != nil {
		e.string("call_id", it.callID)
	}
	e.body = appendText(appendName(e.body, "delta"), ev)
	return e.frame(dst, it.stem()+".delta"), nil
}

// document is the call's document as far as it is known: its last copy, or what its fragments made.
func (it *realtimeOutItem) document() []byte {
	if len(it.copy) > 0 {
		return it.copy
	}
	return it.text
}

// end takes note of a call's own end. One without a byte, where that may mean {}, waits for the stop.
func (e *realtimeEncoder) end(dst []byte, ev *wholecall.Event) ([]byte, error) {
	r, it, _ := e.find(ev.Key)
	if it == nil || !it.kind.isCall() {
		return dst, errors.New("openai-realtime: an end for a call that was never announced")
	}
	it.ended, it.cut = ev.Reason != wholecall.ReasonUnfinished, ev.Reason != ""
	if it.cut || len(it.document()) == 0 {
		return dst, nil
	}
	return e.endCall(dst, r, it), nil
}

// settle decides about the calls when their response stops. One that has no end then never gets one.
func (r *realtimeOut) settle(ev *wholecall.Event) error {
	var whole *realtimeOutItem
	lost := false
	for _, it := range r.items {
		if !it.kind.isCall() {
			continue
		}
		empty := len(it.document()) == 0 && it.carry == 0
		if it.ended = it.ended || ev.Ends && !it.cut; empty && it.ended && !it.cut && ev.Reason == "" && it.empty >= wholecall.EmptyIsObject {
			it.copy = []byte("{}")
		}
		switch {
		case ev.Reason == "":
		case it.ended && !it.cut && !empty && strictjson.Check(it.document(), wholecall.DefaultDepth) == nil:
			whole = it
		default:
			lost, it.ended = true, false
		}
	}
	if whole == nil {
		return nil
	}
	r.stopped, r.reason = lost, ""
	return fmt.Errorf("openai-realtime: call %s%s: that it is whole in a response that stopped with %q can't be expressed", whole.callID, whole.id, ev.Name)
}

// endCall writes a call's copies: its arguments, and its item.
func (e *realtimeEncoder) endCall(dst []byte, r *realtimeOut, it *realtimeOutItem) []byte {
	doc := it.document()
	if it.carry != 0 { // half a character, as the fragments have it
		doc = append(bytes.Clone(doc), "\uFFFD"...)
	}
	if !it.cut {
		e.of(r, it)
		if it.callID != nil {
			e.string("call_id", it.callID)
			e.string("name", it.name)
		}
		e.string("arguments", doc)
		dst = e.frame(dst, it.stem()+".done")
	}
	status := statusCompleted
	if it.cut {
		status = statusIncomplete
	}
	it.raw = it.object(status, doc)
	return e.closeItem(dst, r, it)
}

// openPart begins a text, in the message of its position, or writes an item that is data.
func (e *realtimeEncoder) openPart(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Part == wholecall.DataPart {
		return e.data(dst, ev)
	}
	if ev.Part != wholecall.TextPart && ev.Part != wholecall.TranscriptPart {
		return dst, fmt.Errorf("openai-realtime: a part of kind %s can't be expressed", ev.Part)
	}
	r, dst := e.response(dst, ev.Key.Choice, nil)
	var it *realtimeOutItem
	if n := len(r.items); n > 0 && ev.Key.Sub > 0 && r.items[n-1].kind == messageItem && r.items[n-1].key.Index == ev.Key.Index {
		it = r.items[n-1]
	} else {
		it = &realtimeOutItem{key: ev.Key, kind: messageItem, id: strconv.AppendInt([]byte("item_"), int64(len(r.items)), 10)}
		dst = e.add(dst, r, it, it.message("in_progress"))
	}
	p := &realtimeOutPart{key: ev.Key, kind: ev.Part, place: len(it.parts), open: true}
	it.parts = append(it.parts, p)
	e.of(r, it)
	e.number("content_index", p.place)
	e.body = append(appendName(e.body, "part"), p.object("text", "audio")...)
	return e.frame(dst, "response.content_part.added"), nil
}

// message is a message's item.
func (it *realtimeOutItem) message(status string) []byte {
	b := appendString([]byte(`{"object":"realtime.item","type":"message","role":"assistant"`), "id", it.id)
	b = append(appendString(b, "status", []byte(status)), `,"content":[`...)
	for i, p := range it.parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p.object("output_text", "output_audio")...)
	}
	return append(b, "]}"...)
}

// object is a content part, whose type is one of two words.
func (p *realtimeOutPart) object(text, audio string) []byte {
	if p.kind == wholecall.TextPart {
		return append(appendString(strictjson.AppendQuoted([]byte(`{"type":`), []byte(text)), "text", p.text), '}')
	}
	return append(appendString(strictjson.AppendQuoted([]byte(`{"type":`), []byte(audio)), "transcript", p.text), '}')
}

// stem is what the types of the events about a text begin with, and member what holds a copy of it.
func (p *realtimeOutPart) stem() (stem, member string) {
	if p.kind == wholecall.TextPart {
		return "response.output_text", "text"
	}
	return "response.output_audio_transcript", "transcript"
}

func (e *realtimeEncoder) delta(dst []byte, ev *wholecall.Event) ([]byte, error) {
	r, it, p := e.find(ev.Key)
	if p == nil {
		return dst, errors.New("openai-realtime: a delta for a part that is no text, or never began")
	}
	p.text, p.carry = appendPiece(p.text, p.carry, ev)
	e.of(r, it)
	e.number("content_index", p.place)
	e.body = appendText(appendName(e.body, "delta"), ev)
	stem, _ := p.stem()
	return e.frame(dst, stem+".delta"), nil
}

func (e *realtimeEncoder) closePart(dst []byte, ev *wholecall.Event) []byte {
	r, it, p := e.find(ev.Key)
	if p == nil {
		return dst
	}
	return e.endPart(dst, r, it, p)
}

func (e *realtimeEncoder) endPart(dst []byte, r *realtimeOut, it *realtimeOutItem, p *realtimeOutPart) []byte {
	if !p.open {
		return dst
	}
	p.open = false
	stem, member := p.stem()
	e.of(r, it)
	e.number("content_index", p.place)
	e.string(member, p.text)
	dst = e.frame(dst, stem+".done")
	e.of(r, it)
	e.number("content_index", p.place)
	e.body = append(appendName(e.body, "part"), p.object("text", "audio")...)
	return e.frame(dst, "response.content_part.done")
}

func (e *realtimeEncoder) endMessage(dst []byte, r *realtimeOut, it *realtimeOutItem) []byte {
	status, _ := r.status()
	if status != statusCompleted {
		status = statusIncomplete
	}
	it.raw = it.message(status)
	return e.closeItem(dst, r, it)
}

// data writes an item that is neither a message nor a call, as it stands.
func (e *realtimeEncoder) data(dst []byte, ev *wholecall.Event) ([]byte, error) {
	var c strictjson.Cursor
	typ := stringIn(&c, ev.Data, "type")
	if len(typ) == 0 || !bytes.Equal(typ, ev.Name) || realtimeKind(typ) != dataItem || strictjson.Check(ev.Data, wholecall.DefaultDepth) != nil {
		return dst, fmt.Errorf("openai-realtime: data of type %q that is no item can't be expressed", ev.Name)
	}
	r, dst := e.response(dst, ev.Key.Choice, nil)
	it := &realtimeOutItem{key: ev.Key, kind: dataItem, raw: bytes.Clone(ev.Data)}
	return e.closeItem(e.add(dst, r, it, it.raw), r, it), nil
}
