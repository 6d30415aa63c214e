package openai

import "github.com/wholecall/wholecall/internal/strictjson"

// realtimeWire is one event as it stands on a line. Members that were absent are nil or have their bit
// unset: absent is not zero. All slices borrow from the frame.
type realtimeWire struct {
	seen    uint32
	typ     []byte
	index   int32 // output_index
	content int32 // content_index

	eventID, responseID, itemID, callID, name []byte
	delta, whole                              text // whole is a copy: arguments, text or transcript

	item, response, part, fault []byte // as they stand
}

// The members that are looked at, as bits of seen. A string member that holds something else has its bit
// unset.
const (
	rtType = 1 << iota
	rtEventID
	rtIndex
	rtContent
	rtResponseID
	rtItemID
	rtCallID
	rtName
	rtDelta
	rtArguments
	rtText
	rtTranscript
	rtItem
	rtResponse
	rtPart
	rtFault
	rtSequence
)

// parse reads the payload of one frame into w.
func (w *realtimeWire) parse(c *strictjson.Cursor, data []byte) error {
	*w = realtimeWire{}
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
		return malformed(err, "the line is not the JSON of one event")
	}
	return nil
}

func (w *realtimeWire) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		w.typ = own(c)
		once(c, &w.seen, rtType)
	case "event_id":
		w.string(c, rtEventID, &w.eventID)
	case "response_id":
		w.string(c, rtResponseID, &w.responseID)
	case "item_id":
		w.string(c, rtItemID, &w.itemID)
	case "call_id":
		w.string(c, rtCallID, &w.callID)
	case "name":
		w.string(c, rtName, &w.name)
	case "output_index":
		w.position(c, rtIndex, &w.index)
	case "content_index":
		w.position(c, rtContent, &w.content)
	case "delta":
		w.text(c, rtDelta, &w.delta)
	default:
		w.rare(c, name)
	}
}

// rare reads the members that few events have.
func (w *realtimeWire) rare(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "arguments":
		w.text(c, rtArguments, &w.whole)
	case "text":
		w.text(c, rtText, &w.whole)
	case "transcript":
		w.text(c, rtTranscript, &w.whole)
	case "item":
		w.value(c, rtItem, &w.item)
	case "response":
		w.value(c, rtResponse, &w.response)
	case "part":
		w.value(c, rtPart, &w.part)
	case "error":
		w.value(c, rtFault, &w.fault)
	case "sequence_number": // an event of Responses
		c.Skip()
		w.seen |= rtSequence
	default:
		c.Skip()
	}
}

// string reads a member that is a string where it matters. What is no string is passed over.
func (w *realtimeWire) string(c *strictjson.Cursor, bit uint32, s *[]byte) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	*s = own(c)
	once(c, &w.seen, bit)
}

func (w *realtimeWire) text(c *strictjson.Cursor, bit uint32, t *text) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	t.raw, t.escaped, _ = c.String()
	once(c, &w.seen, bit)
}

// value keeps a value as it stands; null is like absent.
func (w *realtimeWire) value(c *strictjson.Cursor, bit uint32, v *[]byte) {
	if c.Null() {
		return
	}
	*v, _ = c.Raw()
	once(c, &w.seen, bit)
}

// position reads an index. One that is out of range can't be compared, so it is refused.
func (w *realtimeWire) position(c *strictjson.Cursor, bit uint32, n *int32) {
	if c.Null() {
		return
	}
	v, _ := c.Int()
	*n = int32(v)
	if int64(*n) != v {
		c.Refuse(strictjson.Syntax)
	}
	once(c, &w.seen, bit)
}

// realtimeContent is a content part: in an event of its own, or in the list of an item.
type realtimeContent struct {
	typ              []byte
	text, transcript text
}

// body is the part's text, wherever its type keeps it.
func (p *realtimeContent) body() text {
	if p.text.raw != nil {
		return p.text
	}
	return p.transcript
}

func parseRealtimeContent(c *strictjson.Cursor, raw []byte) (realtimeContent, error) {
	var p realtimeContent
	var seen uint32
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			switch string(name) {
			case "type":
				p.typ = own(c)
				once(c, &seen, 1)
			case "text":
				p.text = stringOrNull(c)
				once(c, &seen, 2)
			case "transcript":
				p.transcript = stringOrNull(c)
				once(c, &seen, 4)
			default:
				c.Skip()
			}
		}
	}
	if err := c.Err(); err != nil {
		return p, malformed(err, "a content part is malformed")
	}
	return p, nil
}

// rawIn returns the named member of an object as it stands, or nil.
func rawIn(c *strictjson.Cursor, raw []byte, want string) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == want {
			return rawOrNull(c)
		}
		c.Skip()
	}
	return nil
}
