package mistral

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

// refuse makes the error for what a piece of a call may not say.
func refuse(kind wholecall.Kind, key wholecall.Key, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: key, Detail: fmt.Sprintf(format, args...)}
}

// deviate makes the event that counts an oddity.
func deviate(name string) wholecall.Event {
	// These come with every fragment.
	switch name {
	case repeatedID:
		return wholecall.Event{Kind: wholecall.Deviate, Name: repeatedIDName}
	case emptyIdentity:
		return wholecall.Event{Kind: wholecall.Deviate, Name: emptyIdentityName}
	}
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

var repeatedIDName, emptyIdentityName = []byte(repeatedID), []byte(emptyIdentity)

// done reports whether the payload is the sentinel.
func done(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) }

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

// word reads a member that is a string; null is like absent.
func word(c *strictjson.Cursor, seen *uint32, bit uint32) []byte {
	if c.Null() {
		return nil
	}
	once(c, seen, bit)
	return own(c)
}

// ownOrNumber reads a string, or a number as text; whatever else says nothing.
func ownOrNumber(c *strictjson.Cursor) []byte {
	switch c.Peek() {
	case '"':
		return own(c)
	case '0', '-':
		raw, _ := c.Raw()
		return raw
	}
	c.Skip()
	return nil
}

// position reads a place in a list; null is like absent.
func position(c *strictjson.Cursor, seen *uint32, bit uint32) int32 {
	if c.Null() {
		return 0
	}
	once(c, seen, bit)
	n, _ := c.Int()
	if int64(int32(n)) != n {
		c.Refuse(strictjson.Syntax)
	}
	return int32(n)
}

// report hands on token counts, which both APIs name alike.
func report(c *strictjson.Cursor, events []wholecall.Event, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return events, nil
	}
	var u wholecall.Usage
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "prompt_tokens":
			u.Input = countOf(c)
		case "completion_tokens":
			u.Output = countOf(c)
		case "prompt_tokens_details":
			u.CacheRead = cached(c)
		default:
			c.Skip()
		}
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: raw}), nil
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

func cached(c *strictjson.Cursor) int64 {
	if c.Peek() != '{' {
		c.Skip()
		return 0
	}
	var n int64
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "cached_tokens" {
			n = countOf(c)
			continue
		}
		c.Skip()
	}
	return n
}

// appendText appends an event's text as a JSON string.
func appendText(dst []byte, ev *wholecall.Event) []byte {
	if !ev.Escaped {
		return strictjson.AppendQuoted(dst, ev.Data)
	}
	return append(append(append(dst, '"'), ev.Data...), '"')
}

// appendRaw appends a JSON value as it stood, but for line ends between its tokens, which would end the line
// that it is written in.
func appendRaw(dst, raw []byte) []byte {
	from := len(dst)
	dst = append(dst, raw...)
	for i, ch := range dst[from:] {
		if ch == '\n' || ch == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

// appendUsage appends token counts: as they stood, or, where they come from elsewhere, in Mistral's words.
func appendUsage(dst []byte, raw []byte, u wholecall.Usage) []byte {
	if len(raw) > 0 {
		return appendRaw(dst, raw)
	}
	return fmt.Appendf(dst, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
		u.Input, u.Output, u.Input+u.Output, u.CacheRead)
}

// fits returns the word for a stop reason in a protocol that reads words with reasonOf: the provider's own,
// where that says the same there.
func fits(ev *wholecall.Event) ([]byte, error) {
	name := string(ev.Name)
	switch {
	case name == "error":
	case reasonOf(name) == ev.Reason:
		return ev.Name, nil
	case ev.Reason == wholecall.ReasonTokenLimit:
		return []byte("length"), nil
	case ev.Reason == wholecall.ReasonContentFilter:
		return []byte("content_filter"), nil
	}
	return nil, fmt.Errorf("mistral: a stop %q for the reason %q can't be expressed", name, ev.Reason)
}
