package agui

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// call returns the call that the event belongs to, and that is open.
func (d *decoder) call() (*partState, error) {
	w := &d.w
	if w.seen&hasCallID == 0 {
		return nil, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: fmt.Sprintf("a %s without a toolCallId", w.typ)}
	}
	p := d.find(callSpace, w.callID)
	switch {
	case p == nil:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Unannounced, ID: string(w.callID),
			Detail: fmt.Sprintf("a %s for a call that was never announced", w.typ)}
	case !p.open:
		return nil, d.failure(wholecall.Late, p, "for a call that has already ended")
	}
	return p, nil
}

func (d *decoder) callArgs(events []wholecall.Event) ([]wholecall.Event, error) {
	p, err := d.call()
	if err != nil {
		return events, err
	}
	if d.w.seen&hasDelta == 0 {
		return events, d.failure(wholecall.UnknownDelta, p, "without a delta")
	}
	return d.fragment(events, p), nil
}

func (d *decoder) fragment(events []wholecall.Event, p *partState) []wholecall.Event {
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: p.key, Data: d.w.delta.raw, Escaped: d.w.delta.escaped})
}

func (d *decoder) callEnd(events []wholecall.Event) ([]wholecall.Event, error) {
	p, err := d.call()
	if err != nil {
		return events, err
	}
	return append(events, d.end(p)), nil
}

func (d *decoder) callStart(events []wholecall.Event) ([]wholecall.Event, error) {
	if p := d.find(callSpace, d.w.callID); p != nil {
		return events, d.failure(wholecall.DuplicateAnnouncement, p, "with a toolCallId that was announced before")
	}
	events, _ = d.announce(events)
	return events, nil
}

// announce announces a call. That an id or a name is missing, the accumulator says.
func (d *decoder) announce(events []wholecall.Event) ([]wholecall.Event, *partState) {
	w := &d.w
	events = d.missing(events)
	p := d.add(callSpace, w.callID)
	p.name = string(w.callName)
	return append(events, wholecall.Event{Kind: wholecall.Announce, Key: p.key, ID: w.callID, Name: w.callName, Extra: d.extra()}), p
}

// extra is what the announcing event says beside the call's id and name.
func (d *decoder) extra() []byte {
	w := &d.w
	b := append(d.scratch[:0], '{')
	if w.parent != nil {
		b = append(append(b, `"parentMessageId":`...), w.parent...)
	}
	if w.metadata != nil {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(b, `"metadata":`...), w.metadata...)
	}
	d.scratch = b
	if len(b) == 1 {
		return nil
	}
	d.scratch = append(b, '}')
	return d.scratch
}

// callChunk reads a chunk: of the open call, or the first one of another.
func (d *decoder) callChunk(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	var p *partState
	if d.chunk >= 0 && d.parts[d.chunk].space == callSpace {
		p = &d.parts[d.chunk]
	}
	switch {
	case p == nil && w.seen&(hasCallID|hasCallName) == 0:
		return events, &wholecall.ProtocolError{Kind: wholecall.Unannounced, Detail: "a TOOL_CALL_CHUNK that names no call, and none is open"}
	case p == nil || w.seen&hasCallID != 0 && p.id != string(w.callID):
		if old := d.find(callSpace, w.callID); old != nil {
			return events, d.failure(wholecall.DuplicateAnnouncement, old, "of a call that was announced before, and is not the one in chunks")
		}
		events, p = d.announce(d.endChunk(events))
		d.chunk = len(d.parts) - 1
	case w.seen&hasCallName != 0 && p.name != string(w.callName):
		return events, d.failure(wholecall.ConflictingIdentity, p, "with another name than its call was announced with")
	}
	if w.seen&hasDelta == 0 {
		return events, nil
	}
	return d.fragment(events, p), nil
}

// id is what a text goes by: nothing, in the older form of reasoning.
func (d *decoder) id(s space) ([]byte, error) {
	if s != thinkingSpace && d.w.seen&hasMessageID == 0 {
		return nil, malformed(nil, "a %s without a messageId", d.w.typ)
	}
	if s == thinkingSpace {
		return nil, nil
	}
	return d.w.messageID, nil
}

func (d *decoder) textStart(events []wholecall.Event, s space) ([]wholecall.Event, error) {
	id, err := d.id(s)
	if err != nil {
		return events, err
	}
	if p := d.find(s, id); p != nil && p.open {
		return events, d.failure(wholecall.DuplicateAnnouncement, p, "for a message that is open")
	}
	return d.openText(events, s, id), nil
}

// openText begins a text. A message of another role than the assistant's is none of the model's text.
func (d *decoder) openText(events []wholecall.Event, s space, id []byte) []wholecall.Event {
	events = d.missing(events)
	ev := wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.TextPart, Key: d.add(s, id).key}
	switch role := string(d.w.role); {
	case s != textSpace:
		ev.Part = wholecall.ReasoningPart
	case role != "" && role != "assistant":
		ev.Part, ev.Name, ev.Data = wholecall.DataPart, d.w.typ, d.w.data
	}
	return append(events, ev)
}

// text returns the text that the event belongs to, and that is open.
func (d *decoder) text(s space) (*partState, error) {
	id, err := d.id(s)
	if err != nil {
		return nil, err
	}
	p := d.find(s, id)
	switch {
	case p == nil:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Unannounced, Detail: fmt.Sprintf("a %s for a message that never began", d.w.typ)}
	case !p.open:
		return nil, d.failure(wholecall.Late, p, "for a message that has already ended")
	}
	return p, nil
}

func (d *decoder) textDelta(events []wholecall.Event, s space) ([]wholecall.Event, error) {
	p, err := d.text(s)
	if err != nil {
		return events, err
	}
	if d.w.seen&hasDelta == 0 {
		return events, malformed(nil, "a %s without its text", d.w.typ)
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: p.key, Data: d.w.delta.raw, Escaped: d.w.delta.escaped}), nil
}

func (d *decoder) textEnd(events []wholecall.Event, s space) ([]wholecall.Event, error) {
	p, err := d.text(s)
	if err != nil {
		return events, err
	}
	return append(events, d.end(p)), nil
}

// textChunk reads a chunk: of the open text, or the first one of another.
func (d *decoder) textChunk(events []wholecall.Event, s space) ([]wholecall.Event, error) {
	w := &d.w
	var p *partState
	if d.chunk >= 0 && d.parts[d.chunk].space == s {
		p = &d.parts[d.chunk]
	}
	if p == nil || w.seen&hasMessageID != 0 && p.id != string(w.messageID) {
		id, err := d.id(s)
		if err != nil {
			return events, err
		}
		if old := d.find(s, id); old != nil && old.open {
			return events, d.failure(wholecall.DuplicateAnnouncement, old, "of a message that is open, and is not the one in chunks")
		}
		events = d.openText(d.endChunk(events), s, id)
		d.chunk = len(d.parts) - 1
		p = &d.parts[d.chunk]
	}
	if w.seen&hasDelta == 0 {
		return events, nil
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: p.key, Data: w.delta.raw, Escaped: w.delta.escaped}), nil
}

// snapshot holds the calls of this run that have ended against their copies, and counts those of the last
// message that no event brought. Of several copies under one id only the last can be of this run: some
// models count their calls anew each time.
func (d *decoder) snapshot(events []wholecall.Event) ([]wholecall.Event, error) {
	if len(d.w.messages) == 0 || d.w.messages[0] != '[' {
		return events, nil
	}
	c := &d.cur
	c.Reset(d.w.messages)
	unknown := 0
	for c.Array(); c.Element(); {
		one, _ := c.Raw()
		unknown = d.copies(rawIn(&d.sub, one, "toolCalls"))
	}
	for range unknown {
		events = append(events, deviate(onlyInSnapshot))
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.copy != nil {
			events = append(events, wholecall.Event{Kind: wholecall.Document, Final: true, Key: p.key, Name: []byte(snapshot),
				Data: p.copy[1 : len(p.copy)-1], Escaped: true})
			p.copy = nil
		}
	}
	return events, nil
}

// copies takes note of the calls of one message, and returns how many of them no event brought.
func (d *decoder) copies(calls []byte) (unknown int) {
	if len(calls) == 0 || calls[0] != '[' {
		return 0
	}
	d.sub.Reset(calls)
	for d.sub.Array(); d.sub.Element(); {
		call, _ := d.sub.Raw()
		p := d.find(callSpace, stringIn(&d.deep, call, "id"))
		args := rawIn(&d.deep, rawIn(&d.deep, call, "function"), "arguments")
		switch {
		case p == nil:
			unknown++
		case !p.open && len(args) > 0 && args[0] == '"':
			p.copy = args
		}
	}
	return unknown
}

// rawIn returns the named member of an object as it stands, or nil.
func rawIn(c *strictjson.Cursor, raw []byte, want string) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == want {
			v, _ := c.Raw()
			return v
		}
		c.Skip()
	}
	return nil
}
