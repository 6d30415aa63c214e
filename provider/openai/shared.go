package openai

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

// deviate makes the event that counts a deviation.
func deviate(name string) wholecall.Event {
	b, ok := perFragment[name]
	if !ok {
		b = []byte(name)
	}
	return wholecall.Event{Kind: wholecall.Deviate, Name: b}
}

// perFragment are the names of deviations that come with every fragment, so that counting one costs no
// allocation. It is only read.
var perFragment = named(emptyIdentity, repeatedID, repeatedName, changingID, missingIndex, nullArguments, chunkIDVaries,
	rItemID, rMissingItemID, rResponseID, rObfuscated, rCumulative)

func named(names ...string) map[string][]byte {
	m := map[string][]byte{}
	for _, n := range names {
		m[n] = []byte(n)
	}
	return m
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

// stringOrNull reads the inside of a string; null is like the empty one.
func stringOrNull(c *strictjson.Cursor) text {
	if c.Null() {
		return text{}
	}
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}

// appendMember appends a member with a JSON value to an object that is being written; a nil value is
// left out.
func appendMember(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(dst, value...)
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}

// appendUnescaped appends a text, unescaped.
func appendUnescaped(dst []byte, t text) []byte {
	if !t.escaped {
		return append(dst, t.raw...)
	}
	dst, _, _ = strictjson.AppendUnescaped(dst, t.raw, 0)
	return dst
}

// strayFailure reads an error that a server wrote beside its stream, in lines that are no field of
// server-sent events: "error: {…}", or a bare JSON object with an error in it. It reports whether there
// is one. The lines were never data, so that nothing else is read from them.
func strayFailure(c *strictjson.Cursor, stray []byte) (wholecall.Event, bool) {
	rest, named := bytes.CutPrefix(stray, []byte("error:"))
	inner := errorIn(c, rest)
	switch {
	case inner != nil:
		rest = inner
	case !named:
		return wholecall.Event{}, false
	}
	if c.Reset(rest); c.Peek() != '{' && c.Peek() != '"' {
		return wholecall.Event{}, false
	}
	ev := failure(c, rest)
	return ev, c.Err() == nil
}

// errorIn returns the error member of a JSON object, or nil.
func errorIn(c *strictjson.Cursor, object []byte) (found []byte) {
	if c.Reset(object); !c.Object() {
		return nil
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "error" {
			found, _ = c.Raw()
		} else {
			c.Skip()
		}
	}
	return found
}

// memberIn returns a member of a JSON object as it stands, or nil.
func memberIn(object []byte, member string) (value []byte) {
	var c strictjson.Cursor
	c.Reset(object)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok {
			return nil
		}
		if string(name) == member {
			value, _ = c.Raw()
			return value
		}
		c.Skip()
	}
	return nil
}
