package anthropic

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// wire is one event as it stands in a frame. Members that were absent are nil or have their flag
// unset: absent is not zero. All slices borrow from the frame.
type wire struct {
	seen  uint32
	typ   []byte
	index int32
	delta delta
	block []byte // content_block, as it stands
	msg   []byte // message, as it stands
	usage []byte
	fault []byte // error, as it stands
}

// delta is the delta member of content_block_delta and of message_delta.
type delta struct {
	seen    uint32
	typ     []byte
	text    text            // of whichever member holds the delta's text
	hole    strictjson.Hole // where that stands
	cite    []byte
	stop    []byte
	hasStop bool
}

// text is the inside of a JSON string.
type text struct {
	raw     []byte
	escaped bool
}

// parseShape parses a text that was parsed before.
func parseShape(w *wire, data []byte) {
	var c strictjson.Cursor
	w.parse(&c, data)
}

// The members that are looked at, as bits of seen.
const (
	hasType = 1 << iota
	hasIndex
	hasDelta
	hasBlock
	hasMessage
	hasUsage
	hasError
	hasText
	hasJSON
	hasThinking
	hasSignature
	hasCitation
	hasStopReason
	hasContent
)

// malformed makes the error for a frame that can't be an event of the protocol. The cause's text may
// quote the frame, so it is not part of the detail.
func malformed(cause error, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: wholecall.MalformedFrame, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// parse reads the payload of one frame into w.
func (w *wire) parse(c *strictjson.Cursor, data []byte) error {
	*w = wire{}
	c.Reset(data)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			if !w.member(c, name) {
				return malformed(nil, "member %q stands there twice", name)
			}
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

// member reads one member. It reports false where the member was there before.
func (w *wire) member(c *strictjson.Cursor, name []byte) bool {
	switch string(name) {
	case "type":
		w.typ = own(c)
		return once(&w.seen, hasType)
	case "index":
		if c.Null() {
			return true // like absent, which is not 0
		}
		n, ok := c.Int()
		w.index = int32(n)
		if ok && int64(w.index) != n {
			w.index = -1
		}
		return once(&w.seen, hasIndex)
	case "delta":
		w.delta.parse(c)
		return once(&w.seen, hasDelta)
	case "content_block":
		w.block, _ = c.Raw()
		return once(&w.seen, hasBlock)
	case "message":
		w.msg, _ = c.Raw()
		return once(&w.seen, hasMessage)
	case "usage":
		w.usage, _ = c.Raw()
		return once(&w.seen, hasUsage)
	case "error":
		w.fault, _ = c.Raw()
		return once(&w.seen, hasError)
	}
	c.Skip()
	return true
}

// once sets a bit, and reports whether it was unset.
func once(seen *uint32, bit uint32) bool {
	was := *seen & bit
	*seen |= bit
	return was == 0
}

// parse reads a delta. Which member holds its text is decided by its type, afterwards.
func (d *delta) parse(c *strictjson.Cursor) {
	if c.Null() || !c.Object() {
		return
	}
	for {
		name, ok := c.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "type":
			d.typ = own(c)
			d.mark(c, hasType)
		case "text":
			d.string(c, hasText)
		case "partial_json":
			d.string(c, hasJSON)
		case "thinking":
			d.string(c, hasThinking)
		case "signature":
			d.string(c, hasSignature)
		case "content":
			d.string(c, hasContent)
		case "citation":
			d.cite, _ = c.Raw()
			d.mark(c, hasCitation)
		case "stop_reason":
			if !c.Null() {
				d.stop, _ = c.Text()
				d.hasStop = true
			}
			d.mark(c, hasStopReason)
		default:
			c.Skip()
		}
	}
}

// mark notes that a member was there; that it was there twice is a fault of the frame.
func (d *delta) mark(c *strictjson.Cursor, bit uint32) {
	if !once(&d.seen, bit) {
		c.Refuse(strictjson.Duplicate)
	}
}

// string reads a member that holds the delta's text. Null is like absent.
func (d *delta) string(c *strictjson.Cursor, bit uint32) {
	if c.Null() {
		return
	}
	d.text.raw, d.text.escaped, _ = c.String()
	d.hole = c.StringHole(d.text.raw, strictjson.TextHole)
	d.mark(c, bit)
}

// block is a content block as content_block_start or a whole message holds it.
type block struct {
	seen             uint32
	typ, id, name    []byte
	input            []byte // as it stands
	text, thinking   text
	signature        text
	caller, toolset  []byte // as they stand
	server           []byte
	citations        []byte
	inputIsEmptyOrNo bool
}

// parseBlock reads one content block. Its slices are valid until the next frame; id and name are
// copied out of the cursor's scratch where they had escapes.
func parseBlock(c *strictjson.Cursor, raw []byte) (block, error) {
	b := block{inputIsEmptyOrNo: true}
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			b.member(c, name)
		}
	}
	if err := c.Err(); err != nil {
		return b, malformed(err, "a content block is malformed: %v", err)
	}
	return b, nil
}

func (b *block) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "type":
		b.typ, bit = own(c), 1
	case "id":
		b.id, bit = own(c), 2
	case "name":
		b.name, bit = own(c), 4
	case "input":
		b.input, _ = c.Raw()
		b.inputIsEmptyOrNo = isEmptyObject(b.input)
		bit = 8
	case "text":
		b.text, bit = stringOrNull(c), 16
	case "thinking":
		b.thinking, bit = stringOrNull(c), 32
	case "signature":
		b.signature, bit = stringOrNull(c), 64
	case "caller":
		b.caller, _ = c.Raw()
		bit = 128
	case "toolset_name":
		b.toolset, _ = c.Raw()
		bit = 256
	case "server_name":
		b.server, _ = c.Raw()
		bit = 512
	case "citations":
		b.citations, _ = c.Raw()
		bit = 1024
	default:
		c.Skip()
		return
	}
	if !once(&b.seen, bit) {
		c.Refuse(strictjson.Duplicate)
	}
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

func stringOrNull(c *strictjson.Cursor) text {
	if c.Null() {
		return text{}
	}
	raw, escaped, _ := c.String()
	return text{raw, escaped}
}

// isEmptyObject reports whether a value is {}, null or absent: the placeholder, and no document.
func isEmptyObject(raw []byte) bool {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return true
	}
	if raw[0] != '{' {
		return false
	}
	for _, ch := range raw[1 : len(raw)-1] {
		if ch != ' ' && ch != '\n' && ch != '\r' && ch != '\t' {
			return false
		}
	}
	return true
}
