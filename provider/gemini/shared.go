package gemini

import (
	"bytes"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// malformed makes the error for a frame that can't be an event of the protocol. The cause's text may
// quote the frame, so it is not part of the detail.
func malformed(cause error, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// refuse makes the error for something that is wrong with the part or the call at a position.
func refuse(kind wholecall.Kind, key wholecall.Key, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: key, Detail: fmt.Sprintf(format, args...)}
}

// deviate makes the event that counts a deviation.
func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// once sets a bit, and makes the cursor fail where it was set before: a member that matters may stand
// there only once.
func once(c *strictjson.Cursor, seen *uint32, bit uint32) {
	if *seen&bit != 0 {
		c.Refuse(strictjson.Duplicate)
	}
	*seen |= bit
}

// own reads a string, or null as the empty one, that outlives the cursor's scratch.
func own(c *strictjson.Cursor) []byte {
	if c.Null() {
		return nil
	}
	s, escaped, _ := c.String()
	if !escaped {
		return s
	}
	return unescaped(s)
}

// unescaped returns the text of the inside of a JSON string.
func unescaped(raw []byte) []byte {
	s, carry, _ := strictjson.AppendUnescaped(nil, raw, 0)
	s, _ = strictjson.AppendCarry(s, carry)
	return s
}

// stringOrNull reads the inside of a string; null is like the empty one.
func stringOrNull(c *strictjson.Cursor) text {
	if c.Null() {
		return text{}
	}
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}

// flag reads a truth value; null is false.
func flag(c *strictjson.Cursor) bool {
	if c.Null() {
		return false
	}
	v, _ := c.Bool()
	return v
}

// rawOrNull reads a value as it stands; null is like absent.
func rawOrNull(c *strictjson.Cursor) []byte {
	if c.Null() {
		return nil
	}
	raw, _ := c.Raw()
	return raw
}

// members reads an object's members, or null as none, each by read.
func members(c *strictjson.Cursor, read func(name []byte)) {
	if c.Null() || !c.Object() {
		return
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		read(name)
	}
}

// countOf reads a count of tokens; whatever is no whole number counts 0.
func countOf(c *strictjson.Cursor) int64 {
	if c.Peek() != '0' {
		c.Skip()
		return 0
	}
	n, _ := c.Int()
	return n
}

// isEmptyObject reports whether a value is {}, or absent.
func isEmptyObject(raw []byte) bool {
	return len(raw) == 0 || raw[0] == '{' && len(bytes.TrimLeft(raw[1:], " \t\r\n")) == 1
}

// appendMember appends a member with a JSON value to an object that is being written; a nil value is
// left out.
func appendMember(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	return append(appendName(dst, name), value...)
}

// appendName appends a member's name to an object that is being written.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), `":`...)
}

// appendInside appends the inside of a string as a JSON string.
func appendInside(dst []byte, t text) []byte {
	return append(append(append(dst, '"'), t.raw...), '"')
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if ev.Escaped {
		return appendInside(dst, text{raw: ev.Data})
	}
	return strictjson.AppendQuoted(dst, ev.Data)
}

// failure reads an error object: {code, message, status}. The code is a number or a text.
func failure(c *strictjson.Cursor, raw []byte) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure}
	c.Reset(raw)
	if c.Peek() != '{' {
		return ev
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		var to *[]byte
		switch string(name) {
		case "status":
			to = &ev.Name
		case "code":
			to = &ev.ID
		case "message":
			to = &ev.Data
		}
		switch {
		case to == nil:
			c.Skip()
		case c.Peek() == '"':
			*to = own(c)
		case c.Peek() == '0', c.Peek() == '-':
			*to, _ = c.Raw()
		default:
			c.Skip()
		}
	}
	return ev
}

// strayFailure reads an error that the server wrote beside its stream: the indented body of an error
// response, without "data:", which a standard reader ignores line by line. It reports whether there is
// one. What has the look of one and can't be read is one without a word on why.
func strayFailure(c *strictjson.Cursor, stray []byte) (wholecall.Event, bool) {
	body := bytes.TrimLeft(stray, " \t[")
	if len(body) == 0 || body[0] != '{' || !bytes.Contains(body, []byte(`"error"`)) {
		return wholecall.Event{}, false
	}
	var found []byte
	c.Reset(body)
	members(c, func(name []byte) {
		if string(name) == "error" {
			found = rawOrNull(c)
		} else {
			c.Skip()
		}
	})
	if c.Err() != nil {
		return wholecall.Event{Kind: wholecall.Failure}, true
	}
	return failure(c, found), found != nil
}
