package mistral

import "github.com/wholecall/wholecall/internal/strictjson"

// piece is a piece of content: text, thought, or a part of another type.
type piece struct {
	text    text
	thought bool
	sign    text
	note    []byte // said of the thought, as it stands
	typ     []byte // of another type of part
	raw     []byte // the part as it stands
}

// appendContent reads content, which is a string, a list of parts, one part (in Conversations), or null.
func appendContent(dst []piece, c *strictjson.Cursor) []piece {
	switch c.Peek() {
	case '"':
		raw, escaped, _ := c.String()
		return append(dst, piece{text: text{raw, escaped}})
	case '[':
		c.Array()
		for c.Element() {
			dst = appendPart(dst, c)
		}
		return dst
	case '{':
		return appendPart(dst, c)
	}
	if !c.Null() {
		c.Refuse(strictjson.Type)
	}
	return dst
}

// part is one part of a list of content. All slices borrow.
type part struct {
	seen     uint32
	typ      []byte
	text     text
	thinking []byte
	sign     text
}

// appendPart reads one part: as it stands first, since its type may come last.
func appendPart(dst []piece, c *strictjson.Cursor) []piece {
	raw, ok := c.Raw()
	if !ok {
		return dst
	}
	var p part
	var sub strictjson.Cursor
	sub.Reset(raw)
	sub.Object()
	for name, ok := sub.Member(); ok; name, ok = sub.Member() {
		p.member(&sub, name)
	}
	if sub.Err() == nil {
		dst = p.appendTo(dst, raw, &sub)
	}
	if sub.Err() != nil {
		c.Refuse(strictjson.Type)
	}
	return dst
}

func (p *part) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		p.typ = word(c, &p.seen, hasType)
	case "text":
		p.text = textOf(c, &p.seen, hasText)
	case "signature":
		p.sign = textOf(c, &p.seen, hasSign)
	case "thinking":
		once(c, &p.seen, hasThinking)
		p.thinking, _ = c.Raw()
	default:
		c.Skip()
	}
}

// textOf reads the inside of a string; null is like absent, and so is whatever is no string: parts of
// other types use the same names for other things, and are kept as they stand.
func textOf(c *strictjson.Cursor, seen *uint32, bit uint32) text {
	if c.Peek() != '"' {
		c.Skip()
		return text{}
	}
	once(c, seen, bit)
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}

func (p *part) appendTo(dst []piece, raw []byte, c *strictjson.Cursor) []piece {
	switch string(p.typ) {
	case "text":
		return append(dst, piece{text: p.text})
	case "thinking":
		dst = appendThoughts(dst, p.thinking, c)
		if len(p.sign.raw) > 0 {
			dst = append(dst, piece{thought: true, sign: p.sign})
		}
		return dst
	}
	return append(dst, piece{typ: p.typ, raw: raw})
}

// appendThoughts reads what stands inside a part that is thinking: texts, and references, which are kept
// as something said of the thought.
func appendThoughts(dst []piece, raw []byte, c *strictjson.Cursor) []piece {
	c.Reset(raw)
	if c.Peek() == '"' {
		raw, escaped, _ := c.String()
		return append(dst, piece{thought: true, text: text{raw, escaped}})
	}
	for c.Array(); c.Element(); {
		one, from := piece{thought: true}, c.Offset()
		var p part
		c.Object()
		for name, ok := c.Member(); ok; name, ok = c.Member() {
			p.member(c, name)
		}
		if c.Err() != nil {
			return dst
		}
		one.text = p.text
		if string(p.typ) != "text" {
			one.text, one.note = text{}, raw[from:c.Offset()]
		}
		dst = append(dst, one)
	}
	return dst
}
