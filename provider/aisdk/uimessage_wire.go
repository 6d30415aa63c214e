package aisdk

import (
	"bytes"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// wire is one event as it stands in a frame. Members that were absent are nil or have their bit unset:
// absent is not zero. All slices borrow from the frame.
type wire struct {
	seen uint32
	data []byte // the frame

	typ, id, callID, name    []byte
	messageID, finish, fault []byte
	delta, inputDelta        text
	input                    []byte // as it stands
	executed                 bool
	provider, tool, dynamic  []byte // as they stand
	title, metadata          []byte // as they stand
}

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// The members that are looked at, as bits of seen. A string member that holds something else has its
// bit unset.
const (
	hasType = 1 << iota
	hasID
	hasCallID
	hasName
	hasDelta
	hasInputDelta
	hasInput
	hasExecuted
	hasProvider
	hasTool
	hasDynamic
	hasTitle
	hasMessageID
	hasMetadata
	hasFinish
	hasErrorText
)

// malformed makes the error for a frame that can't be an event of the protocol. The cause's text may
// quote the frame, so it is not part of the detail.
func malformed(cause error, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// done reports whether a frame is the sentinel.
func done(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// parse reads the payload of one frame into w.
func (w *wire) parse(c *strictjson.Cursor, data []byte) error {
	*w = wire{data: data}
	c.Reset(data)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			w.member(c, name)
		}
	}
	if c.Err() == nil {
		c.End()
	}
	if err := c.Err(); err != nil {
		return malformed(err, "the data is not the JSON of one event")
	}
	return nil
}

func (w *wire) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		w.typ = own(c)
		w.mark(c, hasType)
	case "id":
		w.string(c, hasID, &w.id)
	case "toolCallId":
		w.string(c, hasCallID, &w.callID)
	case "toolName":
		w.string(c, hasName, &w.name)
	case "delta":
		w.text(c, hasDelta, &w.delta)
	case "inputTextDelta":
		w.text(c, hasInputDelta, &w.inputDelta)
	case "input":
		w.input, _ = c.Raw()
		w.mark(c, hasInput)
	default:
		w.rare(c, name)
	}
}

// rare reads the members that few events have.
func (w *wire) rare(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "messageId":
		w.string(c, hasMessageID, &w.messageID)
	case "finishReason":
		w.string(c, hasFinish, &w.finish)
	case "errorText":
		w.string(c, hasErrorText, &w.fault)
	case "providerExecuted":
		if c.Null() {
			return
		}
		w.executed, _ = c.Bool()
		w.mark(c, hasExecuted)
	case "providerMetadata":
		w.value(c, hasProvider, &w.provider)
	case "toolMetadata":
		w.value(c, hasTool, &w.tool)
	case "dynamic":
		w.value(c, hasDynamic, &w.dynamic)
	case "title":
		w.value(c, hasTitle, &w.title)
	case "messageMetadata":
		w.value(c, hasMetadata, &w.metadata)
	default:
		c.Skip()
	}
}

// mark notes that a member was there; that it was there twice is a fault of the frame.
func (w *wire) mark(c *strictjson.Cursor, bit uint32) {
	if w.seen&bit != 0 {
		c.Refuse(strictjson.Duplicate)
	}
	w.seen |= bit
}

// string reads a member that is a string where it matters. What is no string is passed over.
func (w *wire) string(c *strictjson.Cursor, bit uint32, s *[]byte) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	*s = own(c)
	w.mark(c, bit)
}

func (w *wire) text(c *strictjson.Cursor, bit uint32, t *text) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	t.raw, t.escaped, _ = c.String()
	w.mark(c, bit)
}

// value keeps a value as it stands; null is like absent.
func (w *wire) value(c *strictjson.Cursor, bit uint32, v *[]byte) {
	if c.Null() {
		return
	}
	*v, _ = c.Raw()
	w.mark(c, bit)
}

// own reads a string that outlives the cursor's scratch.
func own(c *strictjson.Cursor) []byte {
	s, escaped, _ := c.String()
	if !escaped {
		return s
	}
	s, _, _ = strictjson.AppendUnescaped(nil, s, 0)
	return s
}

// modelIn returns the member model of an application's metadata, where it is a string.
func modelIn(c *strictjson.Cursor, raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "model" && c.Peek() == '"' {
			return own(c)
		}
		c.Skip()
	}
	return nil
}
