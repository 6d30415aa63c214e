package bedrock

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// framing is the name of AWS' binary framing.
const framing = "eventstream"

// missingMessageType is an oddity that is counted and needs no dialect: a message without
// ":message-type", as some mock servers send them. What it is, its ":event-type" says.
const missingMessageType = "missing-message-type"

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
	s, _, _ = strictjson.AppendUnescaped(nil, s, 0)
	return s
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}

// failed reports whether a message is the service's own word that the turn failed.
func failed(f *frame.Frame) bool {
	return string(f.ID) == eventstream.Exception || string(f.ID) == eventstream.Failure
}

// failure hands on what a message says that failed reports. Of an error, the code and the text stand in
// the message's headers; of an exception, the text stands in its payload.
func failure(c *strictjson.Cursor, f *frame.Frame) wholecall.Event {
	if string(f.ID) == eventstream.Failure {
		return wholecall.Event{Kind: wholecall.Failure, ID: f.Event, Data: f.Data}
	}
	return exception(c, f.Event, f.Data)
}

// exception reads the payload of an exception. One that can't be read is an exception all the same.
func exception(c *strictjson.Cursor, name, payload []byte) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure, Name: name}
	var original []byte
	c.Reset(payload)
	for ok := c.Object(); ok; {
		var member []byte
		if member, ok = c.Member(); !ok {
			break
		}
		switch b := c.Peek(); {
		case b == '"' && (string(member) == "message" || string(member) == "Message"):
			ev.Data = own(c)
		case b == '"' && string(member) == "originalMessage":
			original = own(c)
		case b == '0' && string(member) == "originalStatusCode":
			ev.ID, _ = c.Raw()
		default:
			c.Skip()
		}
	}
	if len(ev.Data) == 0 {
		ev.Data = original
	}
	return ev
}

// appendFailure appends the message for a Failure: an exception where it has a type, else an error.
func appendFailure(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if len(ev.Name) == 0 {
		return eventstream.Append(dst, &frame.Frame{ID: []byte(eventstream.Failure), Event: ev.ID, Data: ev.Data})
	}
	b := strictjson.AppendQuoted([]byte(`{"message":`), ev.Data)
	if isStatus(ev.ID) {
		b = append(append(b, `,"originalStatusCode":`...), ev.ID...)
	}
	b = append(b, '}')
	return eventstream.Append(dst, &frame.Frame{ID: []byte(eventstream.Exception), Event: ev.Name, Data: b})
}

// isStatus reports whether a code is a number such as 429: the wire has no place for another.
func isStatus(code []byte) bool {
	for _, ch := range code {
		if ch < '0' || ch > '9' {
			return false
		}
	}
	return len(code) == 3 && code[0] != '0'
}

// appendEvent appends the message for an event.
func appendEvent(dst []byte, name string, payload []byte) ([]byte, error) {
	return eventstream.Append(dst, &frame.Frame{ID: []byte(eventstream.Event), Event: []byte(name), Data: payload})
}
