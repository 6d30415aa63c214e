package mistral

import "github.com/wholecall/wholecall/internal/strictjson"

// convEvent is one event as it stands in a frame. Absent is not zero: what was there is in the bits of
// seen. Slices borrow from the frame.
type convEvent struct {
	data         []byte
	seen         uint32
	typ          []byte
	id           []byte
	conversation []byte
	callID       []byte
	name         []byte
	args         text
	confirmation []byte // confirmation_status, as it stands
	output       int32
	contentIndex int32
	pieces       []piece
	usage        []byte
	message      []byte
	code         []byte
}

// parse reads the payload of one frame into w, reusing its slice.
func (w *convEvent) parse(c *strictjson.Cursor, data []byte) error {
	*w = convEvent{data: data, pieces: w.pieces[:0]}
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

func (w *convEvent) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		w.typ = word(c, &w.seen, hasType)
	case "id":
		w.id = word(c, &w.seen, hasID)
	case "conversation_id":
		w.conversation = word(c, &w.seen, hasObject)
	case "tool_call_id":
		w.callID = word(c, &w.seen, hasCallID)
	case "name":
		w.name = word(c, &w.seen, hasName)
	case "arguments":
		w.readArguments(c)
	case "confirmation_status":
		if !c.Null() {
			w.confirmation, _ = c.Raw()
		}
	case "output_index":
		w.output = position(c, &w.seen, hasOutput)
	case "content_index":
		w.contentIndex = position(c, &w.seen, hasIndex)
	case "content":
		once(c, &w.seen, hasContent)
		w.pieces = appendContent(w.pieces, c)
	case "usage":
		once(c, &w.seen, hasUsage)
		w.usage, _ = c.Raw()
	case "message":
		w.message = ownOrNumber(c)
	case "code":
		w.code = ownOrNumber(c)
	default:
		c.Skip()
	}
}

// readArguments reads a piece of arguments, which is a string; null is like absent.
func (w *convEvent) readArguments(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	once(c, &w.seen, hasArgs)
	w.args.raw, w.args.escaped, _ = c.String()
}
