package openai

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func (e *responsesEncoder) callEvent(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Announce {
		return e.announce(dst, ev)
	}
	it := e.call(ev.Key)
	switch {
	case it == nil:
		return dst, errors.New("openai-responses: an event for a call that was never announced")
	case ev.Kind == wholecall.Document:
		it.document(ev)
		return dst, nil
	case it.ended:
		return dst, errors.New("openai-responses: an event for a call that has ended")
	case ev.Kind == wholecall.Fragment:
		return e.fragment(dst, it, ev), nil
	}
	return e.end(dst, it, ev.Reason), nil
}

func (e *responsesEncoder) call(k wholecall.Key) *encodedItem {
	for _, it := range slices.Backward(e.items) {
		if it.kind.isCall() && it.key == k {
			return it
		}
	}
	return nil
}

// announce begins the item of a call. Its type is the one that it had, where that is one of this
// protocol's, and else follows from who runs it and what its arguments are.
func (e *responsesEncoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	it := &encodedItem{key: ev.Key, empty: ev.Empty, name: bytes.Clone(ev.Name)}
	it.readExtra(ev.Extra)
	if !it.fits(ev) {
		it.typ = typeOfCall(ev)
	}
	it.kind = kindOfItem(it.typ)
	if it.kind.named() && it.typ != string(ev.Name) {
		return dst, fmt.Errorf("openai-responses: a call of the provider of %q with free text can't be expressed", ev.Name)
	}
	dst = e.leave(dst)
	it.index = e.next()
	switch it.kind {
	case mcpItem, codeItem, hostedItem:
		it.id = bytes.Clone(ev.ID)
	default:
		it.callID = bytes.Clone(ev.ID)
	}
	if len(it.id) == 0 {
		it.id = fmt.Appendf(nil, "item_%d", it.index)
	}
	return e.add(dst, it, it.json("in_progress", nil)), nil
}

// typeOfCall is the type of item for a call of another protocol.
func typeOfCall(ev *wholecall.Event) string {
	switch {
	case ev.Runner == wholecall.ClientRuns && ev.Form == wholecall.JSONArguments:
		return "function_call"
	case ev.Runner == wholecall.ClientRuns:
		return "custom_tool_call"
	case ev.Form == wholecall.JSONArguments:
		return "mcp_call"
	}
	return "code_interpreter_call"
}

// fits reports whether the type that Extra names is a call of this protocol, and this call.
func (it *encodedItem) fits(ev *wholecall.Event) bool {
	kind := kindOfItem(it.typ)
	if !kind.isCall() || kind.named() && it.typ != string(ev.Name) {
		return false
	}
	if (kind == customItem || kind == codeItem) != (ev.Form == wholecall.TextArguments) {
		return false
	}
	switch kind {
	case functionItem, customItem:
		return ev.Runner == wholecall.ClientRuns
	case mcpItem, codeItem, hostedItem:
		return ev.Runner == wholecall.ProviderRuns
	}
	return true
}

// readExtra takes the members out of an event's Extra that this protocol has. They stand in the item
// as they stood.
func (it *encodedItem) readExtra(extra []byte) {
	if len(extra) == 0 || extra[0] != '{' {
		return
	}
	var c strictjson.Cursor
	c.Reset(extra)
	for c.Object(); ; {
		name, ok := c.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "type":
			it.typ = string(own(&c))
		case "item_id":
			it.id = bytes.Clone(own(&c))
		case "caller", "namespace", "server_label", "container_id", "environment", "execution":
			it.extra = appendName(it.extra, string(name))
			raw, _ := c.Raw()
			it.extra = append(it.extra, raw...)
		default:
			c.Skip()
		}
	}
}

// json is the item. doc is its document, nil where it is not known yet.
func (it *encodedItem) json(status string, doc []byte) []byte {
	b := strictjson.AppendQuoted([]byte(`{"type":`), []byte(it.typ))
	b = appendString(b, "id", it.id)
	b = appendString(b, "status", []byte(status))
	if len(it.callID) > 0 {
		b = appendString(b, "call_id", it.callID)
	}
	if !it.kind.named() {
		b = appendString(b, "name", it.name)
	}
	switch {
	case it.kind == customItem:
		b = appendString(b, "input", doc)
	case it.kind == codeItem:
		b = appendString(b, "code", doc)
	case it.kind.streams():
		b = appendString(b, "arguments", doc)
	case len(doc) > 0:
		b = append(appendName(b, it.member()), doc...)
	}
	return append(append(b, it.extra...), '}')
}

// member is the name of the member that holds the document of a call whose arguments are no string.
func (it *encodedItem) member() string {
	switch it.typ {
	case "tool_search_call":
		return "arguments"
	case "apply_patch_call":
		return "operation"
	}
	return "action"
}

// deltaName is the type of the events about a call's arguments without ".delta" or ".done", and the
// member that holds the copy.
func (it *encodedItem) deltaName() (typ, member string) {
	switch it.kind {
	case customItem:
		return "response.custom_tool_call_input", "input"
	case mcpItem:
		return "response.mcp_call_arguments", "arguments"
	case codeItem:
		return "response.code_interpreter_call_code", "code"
	}
	return "response.function_call_arguments", "arguments"
}

func (e *responsesEncoder) callPosition(it *encodedItem) {
	e.number("output_index", int(it.index))
	e.member("item_id", it.id)
}

// fragment writes a piece of the arguments. Where they are an object, it waits for the whole of it.
func (e *responsesEncoder) fragment(dst []byte, it *encodedItem, ev *wholecall.Event) []byte {
	it.text, it.carry = appendPiece(it.text, it.carry, ev)
	if !it.kind.streams() {
		return dst
	}
	e.callPosition(it)
	e.body = appendText(appendName(e.body, "delta"), ev)
	typ, _ := it.deltaName()
	return e.frame(dst, typ+".delta")
}

// document takes note of a copy. One that is another text than the fragments goes out with the call's
// end, so that whoever reads the stream finds the same fault.
func (it *encodedItem) document(ev *wholecall.Event) {
	if len(ev.Data) == 0 {
		return
	}
	doc, carry := appendPiece(nil, 0, ev)
	doc, _ = strictjson.AppendCarry(doc, carry)
	if it.copy == nil || bytes.Equal(it.copy, it.text) || ev.Final {
		it.copy = doc
	}
	if it.ended && it.kind.streams() && it.raw != nil {
		it.raw = it.json("completed", it.copy)
	}
}

// whole is the document as the copies have it.
func (it *encodedItem) whole() []byte {
	if it.copy != nil {
		return it.copy
	}
	text, _ := strictjson.AppendCarry(it.text, it.carry)
	return text
}

func (it *encodedItem) isText() bool { return it.kind == customItem || it.kind == codeItem }

// end ends a call. One without a byte that may mean {} waits for the stop reason.
func (e *responsesEncoder) end(dst []byte, it *encodedItem, reason wholecall.Reason) []byte {
	it.ended = true
	switch {
	case reason != "":
		return e.endAs(dst, it, "incomplete", it.whole())
	case len(it.whole()) == 0 && it.empty >= wholecall.EmptyIsObject && !it.isText():
		it.waits = true
		return dst
	}
	return e.endAs(dst, it, "completed", it.whole())
}

// endEmpty ends a call without a byte when it is known why the model stopped.
func (e *responsesEncoder) endEmpty(dst []byte, it *encodedItem, reason wholecall.Reason) []byte {
	it.waits = false
	if reason != "" {
		return e.endAs(dst, it, "incomplete", nil)
	}
	it.text = []byte("{}")
	return e.endAs(dst, it, "completed", it.text)
}

// endWithStop ends a call that nothing but its choice's stop ends. Where that says that the answer was
// cut, what is no document is what was cut.
func (e *responsesEncoder) endWithStop(dst []byte, it *encodedItem, reason wholecall.Reason) []byte {
	doc := it.whole()
	it.ended = true
	switch {
	case reason == "" && len(doc) == 0 && it.empty >= wholecall.EmptyIsObject && !it.isText():
		return e.endEmpty(dst, it, "")
	case reason != "" && !it.isText() && strictjson.Check(doc, wholecall.DefaultDepth) != nil:
		return e.endAs(dst, it, "incomplete", doc)
	}
	return e.endAs(dst, it, "completed", doc)
}

// endAs writes the end of a call with the copies of its document. An object that is not whole can't
// stand in an item: it is left out.
func (e *responsesEncoder) endAs(dst []byte, it *encodedItem, status string, doc []byte) []byte {
	if it.kind.streams() {
		typ, member := it.deltaName()
		e.callPosition(it)
		e.member(member, doc)
		dst = e.frame(dst, typ+".done")
	} else if !isValue(doc) {
		doc = nil
	}
	it.raw = it.json(status, doc)
	if it.typ == "computer_call" {
		if e.held != nil {
			dst = e.closeItem(dst, e.held)
		}
		e.held = it
		return dst
	}
	return e.closeItem(dst, it)
}

func isValue(doc []byte) bool {
	var c strictjson.Cursor
	c.Reset(doc)
	return c.Skip() && c.End()
}
