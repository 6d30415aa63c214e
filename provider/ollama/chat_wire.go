package ollama

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// line is one line of the stream. Absent is not zero: what was there is in the bits of seen. Slices
// borrow from the frame.
type line struct {
	seen     uint32
	model    []byte
	content  text
	thinking text
	images   []byte // as they stand
	entries  []entry
	done     bool
	reason   []byte
	fault    []byte // error, as it stands
	usage    wholecall.Usage
}

// entry is one entry of message.tool_calls.
type entry struct {
	seen  uint32
	id    []byte
	index int32
	name  []byte
	args  []byte // an object, as it stands
}

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// The members that are looked at, as bits of seen.
const (
	hasModel = 1 << iota
	hasMessage
	hasContent
	hasThinking
	hasImages
	hasCalls
	hasDone
	hasReason
	hasFault
	hasInput
	hasOutput
	hasID
	hasFunction
	hasIndex
	hasName
	hasArgs
)

// malformed makes the error for a frame that can't be a line of the protocol. The cause's text may quote
// the frame, so it is not part of the detail.
func malformed(cause error, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// parse reads one line into w, reusing its slice.
func (w *line) parse(c *strictjson.Cursor, data []byte) error {
	*w = line{entries: w.entries[:0]}
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
		return malformed(err, "the line is not the JSON of one message: %v", err)
	}
	return nil
}

// once sets a bit, and makes the cursor fail where it was set before: a member that matters may stand
// there only once.
func once(c *strictjson.Cursor, seen *uint32, bit uint32) {
	if *seen&bit != 0 {
		c.Refuse(strictjson.Duplicate)
	}
	*seen |= bit
}

func (w *line) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "model":
		w.model = word(c, &w.seen, hasModel)
	case "message":
		w.readMessage(c)
	case "done":
		once(c, &w.seen, hasDone)
		w.done, _ = c.Bool()
	case "done_reason":
		w.reason = word(c, &w.seen, hasReason)
	case "error":
		if !c.Null() {
			once(c, &w.seen, hasFault)
			w.fault, _ = c.Raw()
		}
	case "prompt_eval_count":
		once(c, &w.seen, hasInput)
		w.usage.Input = countOf(c)
	case "eval_count":
		once(c, &w.seen, hasOutput)
		w.usage.Output = countOf(c)
	default:
		c.Skip()
	}
}

func (w *line) readMessage(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	once(c, &w.seen, hasMessage)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "content":
			w.content = textOf(c, &w.seen, hasContent)
		case "thinking":
			w.thinking = textOf(c, &w.seen, hasThinking)
		case "images":
			once(c, &w.seen, hasImages)
			w.images, _ = c.Raw()
		case "tool_calls":
			once(c, &w.seen, hasCalls)
			w.readEntries(c)
		default:
			c.Skip()
		}
	}
}

func (w *line) readEntries(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	for c.Array(); c.Element(); {
		w.entries = append(w.entries, entry{})
		w.entries[len(w.entries)-1].read(c)
	}
}

func (e *entry) read(c *strictjson.Cursor) {
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "id":
			e.id = word(c, &e.seen, hasID)
		case "function":
			once(c, &e.seen, hasFunction)
			e.readFunction(c)
		default:
			c.Skip()
		}
	}
}

func (e *entry) readFunction(c *strictjson.Cursor) {
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "index":
			e.readIndex(c)
		case "name":
			e.name = word(c, &e.seen, hasName)
		case "arguments":
			e.readArguments(c)
		default:
			c.Skip()
		}
	}
}

// readIndex reads the call's place, as the server says it; null is like absent.
func (e *entry) readIndex(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	once(c, &e.seen, hasIndex)
	n, _ := c.Int()
	if int64(int32(n)) != n {
		c.Refuse(strictjson.Syntax)
	}
	e.index = int32(n)
}

// readArguments reads the document, which is an object. Null is like absent.
func (e *entry) readArguments(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	once(c, &e.seen, hasArgs)
	if c.Peek() != '{' {
		c.Refuse(strictjson.Type)
	}
	e.args, _ = c.Raw()
}

// countOf reads a count of tokens; whatever is no number counts 0.
func countOf(c *strictjson.Cursor) int64 {
	if c.Peek() != '0' {
		c.Skip()
		return 0
	}
	n, _ := c.Int()
	return n
}

// word reads a string that outlives the cursor's scratch; null is like absent.
func word(c *strictjson.Cursor, seen *uint32, bit uint32) []byte {
	if c.Null() {
		return nil
	}
	once(c, seen, bit)
	s, escaped, _ := c.String()
	if !escaped {
		return s
	}
	s, _, _ = strictjson.AppendUnescaped(nil, s, 0)
	return s
}

// textOf reads the inside of a string; null is like absent.
func textOf(c *strictjson.Cursor, seen *uint32, bit uint32) text {
	if c.Null() {
		return text{}
	}
	once(c, seen, bit)
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}
