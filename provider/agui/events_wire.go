package agui

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// wire is one event as it stands in a frame. Members that were absent are nil or have their bit unset:
// absent is not zero. All slices borrow from the frame.
type wire struct {
	seen uint32
	data []byte // the frame

	typ, callID, callName []byte
	messageID, role       []byte
	runID, message, code  []byte
	delta                 text
	parent, metadata      []byte // as they stand
	outcome, usage        []byte // as they stand
	messages              []byte // as they stand
}

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// The members that are looked at, as bits of seen. A string member that holds something else has its
// bit unset: null is like absent, and STATE_DELTA has a list in delta.
const (
	hasType = 1 << iota
	hasCallID
	hasCallName
	hasMessageID
	hasRole
	hasDelta
	hasRunID
	hasMessage
	hasCode
	hasParent
	hasMetadata
	hasOutcome
	hasUsage
	hasMessages
	hasResult
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
	case "toolCallId":
		w.string(c, hasCallID, &w.callID)
	case "delta":
		if c.Peek() != '"' {
			c.Skip()
			return
		}
		w.delta.raw, w.delta.escaped, _ = c.String()
		w.mark(c, hasDelta)
	case "messageId":
		w.string(c, hasMessageID, &w.messageID)
	case "toolCallName":
		w.string(c, hasCallName, &w.callName)
	default:
		w.rare(c, name)
	}
}

// rare reads the members that few events have.
func (w *wire) rare(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "role":
		w.string(c, hasRole, &w.role)
	case "runId":
		w.string(c, hasRunID, &w.runID)
	case "message":
		w.string(c, hasMessage, &w.message)
	case "code":
		w.string(c, hasCode, &w.code)
	case "parentMessageId":
		w.value(c, hasParent, &w.parent)
	case "metadata":
		w.value(c, hasMetadata, &w.metadata)
	case "outcome":
		w.value(c, hasOutcome, &w.outcome)
	case "usage":
		w.value(c, hasUsage, &w.usage)
	case "messages":
		w.value(c, hasMessages, &w.messages)
	case "result":
		var v []byte
		w.value(c, hasResult, &v)
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

// stringIn returns the named string member of an object, or nil.
func stringIn(c *strictjson.Cursor, raw []byte, want string) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == want && c.Peek() == '"' {
			return own(c)
		}
		c.Skip()
	}
	return nil
}

// readUsage adds up the token counts of a run's models.
func readUsage(c *strictjson.Cursor, raw []byte) (wholecall.Usage, error) {
	var u wholecall.Usage
	c.Reset(raw)
	for c.Array(); c.Element(); {
		for c.Object(); ; {
			name, ok := c.Member()
			if !ok {
				break
			}
			n := counter(&u, name)
			if n == nil || c.Peek() != '0' {
				c.Skip()
				continue
			}
			v, _ := c.Int()
			*n += v
		}
	}
	if err := c.Err(); err != nil {
		return u, malformed(err, "the usage is malformed")
	}
	return u, nil
}

func counter(u *wholecall.Usage, name []byte) *int64 {
	switch string(name) {
	case "inputTokens":
		return &u.Input
	case "outputTokens":
		return &u.Output
	case "reasoningTokens":
		return &u.Reasoning
	case "cachedInputTokens":
		return &u.CacheRead
	}
	return nil
}
