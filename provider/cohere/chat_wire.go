package cohere

import (
	"fmt"
	"math"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// wire is one event as it stands in a frame. Absent is not zero: what was there is in the bits of seen.
// All slices borrow from the frame.
type wire struct {
	data     []byte
	seen     uint32
	typ      []byte
	id       []byte // of the message
	index    int32
	content  []byte // delta.message.content, as it stands
	contType []byte
	text     text
	thinking text
	plan     text
	call     call
	citation []byte // delta.message.citations, as it stands
	finish   []byte
	usage    []byte
	fault    []byte
}

// call is delta.message.tool_calls, an object in the stream.
type call struct {
	id, name []byte
	args     text
}

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// The members that are looked at, as bits of seen.
const (
	hasType = 1 << iota
	hasID
	hasIndex
	hasDelta
	hasMessage
	hasContent
	hasContentType
	hasText
	hasThinking
	hasPlan
	hasCall
	hasCallID
	hasCallType
	hasFunction
	hasName
	hasArgs
	hasCitation
	hasFinish
	hasUsage
	hasFault
	hasList // content or tool_calls is an array that holds something
)

// malformed makes the error for a frame that can't be an event of the protocol. The cause's text may
// quote the frame, so it is not part of the detail.
func malformed(cause error, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// parse reads the payload of one frame into w.
func (w *wire) parse(c *strictjson.Cursor, data []byte) error {
	*w = wire{data: data}
	c.Reset(data)
	if c.Object() {
		for name, ok := c.Member(); ok; name, ok = c.Member() {
			w.member(c, name)
		}
	}
	if c.Err() == nil {
		c.End()
	}
	if err := c.Err(); err != nil {
		return malformed(err, "the data is not the JSON of one event: %v", err)
	}
	return nil
}

// once sets a bit, and makes the cursor fail where it was set before: a member that matters may stand
// there only once.
func (w *wire) once(c *strictjson.Cursor, bit uint32) {
	if w.seen&bit != 0 {
		c.Refuse(strictjson.Duplicate)
	}
	w.seen |= bit
}

func (w *wire) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		w.once(c, hasType)
		w.typ = own(c)
	case "id":
		w.once(c, hasID)
		w.id = own(c)
	case "index":
		w.readIndex(c)
	case "delta":
		w.once(c, hasDelta)
		w.readDelta(c)
	default:
		c.Skip()
	}
}

// readIndex reads a position, which counts from 0; null is like absent.
func (w *wire) readIndex(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	w.once(c, hasIndex)
	n, _ := c.Int()
	if n < 0 || n >= math.MaxInt32 {
		c.Refuse(strictjson.Syntax)
	}
	w.index = int32(n)
}

func (w *wire) readDelta(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "message":
			w.once(c, hasMessage)
			w.readMessage(c)
		case "finish_reason":
			w.finish = w.string(c, hasFinish)
		case "error":
			w.fault = w.string(c, hasFault)
		case "usage":
			w.once(c, hasUsage)
			w.usage, _ = c.Raw()
		default:
			c.Skip()
		}
	}
}

func (w *wire) readMessage(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "content":
			w.readContent(c)
		case "tool_plan":
			w.plan = w.textOf(c, hasPlan)
		case "tool_calls":
			w.readCall(c)
		case "citations":
			w.readCitation(c)
		default:
			c.Skip()
		}
	}
}

// list passes an array, which is what message-start has where other events have an object. Only an empty
// one says nothing.
func (w *wire) list(c *strictjson.Cursor) bool {
	if c.Peek() != '[' {
		return false
	}
	c.Array()
	for c.Element() {
		w.seen |= hasList
		c.Skip()
	}
	return true
}

// readContent reads delta.message.content twice: as it stands, for content of a type that this version
// does not know, and for what it says.
func (w *wire) readContent(c *strictjson.Cursor) {
	if c.Null() || w.list(c) {
		return
	}
	w.once(c, hasContent)
	from := c.Offset()
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "type":
			w.contType = w.string(c, hasContentType)
		case "text":
			w.text = w.textOf(c, hasText)
		case "thinking":
			w.thinking = w.textOf(c, hasThinking)
		default:
			c.Skip()
		}
	}
	if c.Err() == nil {
		w.content = w.data[from:c.Offset()]
	}
}

func (w *wire) readCall(c *strictjson.Cursor) {
	if c.Null() || w.list(c) {
		return
	}
	w.once(c, hasCall)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "id":
			w.call.id = w.string(c, hasCallID)
		case "function":
			w.once(c, hasFunction)
			w.readFunction(c)
		default:
			c.Skip()
		}
	}
}

func (w *wire) readFunction(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			w.call.name = w.string(c, hasName)
		case "arguments":
			w.call.args = w.textOf(c, hasArgs)
		default:
			c.Skip()
		}
	}
}

func (w *wire) readCitation(c *strictjson.Cursor) {
	if c.Peek() == '[' || c.Peek() == 'n' {
		c.Skip()
		return
	}
	w.once(c, hasCitation)
	w.citation, _ = c.Raw()
}

// string reads a string that outlives the cursor's scratch; null is like absent.
func (w *wire) string(c *strictjson.Cursor, bit uint32) []byte {
	if c.Null() {
		return nil
	}
	w.once(c, bit)
	return own(c)
}

// textOf reads the inside of a string; null is like absent.
func (w *wire) textOf(c *strictjson.Cursor, bit uint32) text {
	if c.Null() {
		return text{}
	}
	w.once(c, bit)
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}

// own reads a string that outlives the cursor's scratch.
func own(c *strictjson.Cursor) []byte {
	if c.Null() {
		return nil
	}
	s, escaped, _ := c.String()
	if !escaped {
		return s
	}
	s, _, _ = strictjson.AppendUnescaped(nil, s, 0)
	return s
}
