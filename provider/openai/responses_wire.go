package openai

import "github.com/wholecall/wholecall/internal/strictjson"

// responsesWire is one event as it stands in a frame. Members that were absent are nil or have their
// bit unset: absent is not zero. All slices borrow from the frame.
type responsesWire struct {
	seen     uint32
	typ      []byte
	index    int32 // output_index
	content  int32 // content_index
	summary  int32 // summary_index
	sequence int64

	item     []byte // as it stands
	response []byte // as it stands
	part     []byte // as it stands
	note     []byte // annotation, as it stands
	fault    []byte // error, as it stands

	itemID, callID, name  text
	delta, whole, message text

	// holes are where the members stand that differ from one piece to the next: delta, sequence_number
	// and the padding in obfuscation.
	holes  [3]strictjson.Hole
	nholes int

	code text // of an error event, or code_interpreter_call_code.done
}

// The members that are looked at, as bits of seen. A string member that holds something else has its
// bit unset.
const (
	rType = 1 << iota
	rIndex
	rContent
	rSummary
	rSequence
	rItem
	rResponse
	rPart
	rNote
	rFault
	rItemIDMember
	rCallID
	rName
	rDelta
	rArguments
	rInput
	rText
	rRefusal
	rTranscript
	rCode
	rMessage
)

// parse reads the payload of one frame into w.
func (w *responsesWire) parse(c *strictjson.Cursor, data []byte) error {
	*w = responsesWire{}
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
		return malformed(err, "the data is not the JSON of one event: %v", err)
	}
	return nil
}

func (w *responsesWire) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		w.typ = own(c)
		once(c, &w.seen, rType)
	case "sequence_number":
		w.number(c, rSequence, &w.sequence)
	case "output_index":
		w.position(c, rIndex, &w.index)
	case "content_index":
		w.position(c, rContent, &w.content)
	case "summary_index":
		w.position(c, rSummary, &w.summary)
	case "item":
		w.value(c, rItem, &w.item)
	case "response":
		w.value(c, rResponse, &w.response)
	case "part":
		w.value(c, rPart, &w.part)
	case "annotation":
		w.value(c, rNote, &w.note)
	case "error":
		w.value(c, rFault, &w.fault)
	default:
		w.stringMember(c, name)
	}
}

// stringMember reads the members that are strings where they matter.
func (w *responsesWire) stringMember(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "delta":
		w.string(c, rDelta, &w.delta)
	case "item_id":
		w.string(c, rItemIDMember, &w.itemID)
	case "arguments":
		w.string(c, rArguments, &w.whole)
	case "input":
		w.string(c, rInput, &w.whole)
	case "text":
		w.string(c, rText, &w.whole)
	case "refusal":
		w.string(c, rRefusal, &w.whole)
	case "transcript":
		w.string(c, rTranscript, &w.whole)
	case "code":
		w.string(c, rCode, &w.code)
	case "message":
		w.string(c, rMessage, &w.message)
	case "call_id":
		w.string(c, rCallID, &w.callID)
	case "name":
		w.string(c, rName, &w.name)
	case "obfuscation":
		if c.Peek() != '"' {
			c.Skip()
			return
		}
		raw, _, _ := c.String()
		w.hole(c.StringHole(raw, strictjson.AnyHole))
	default:
		c.Skip()
	}
}

func (w *responsesWire) hole(h strictjson.Hole) {
	if w.nholes < len(w.holes) {
		w.holes[w.nholes] = h
		w.nholes++
	}
}

// string reads a member whose type depends on the event: shell output, for one, comes as an object in
// delta. What is no string is passed over.
func (w *responsesWire) string(c *strictjson.Cursor, bit uint32, t *text) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	t.raw, t.escaped, _ = c.String()
	if bit == rDelta {
		w.hole(c.StringHole(t.raw, strictjson.TextHole))
	}
	once(c, &w.seen, bit)
}

func (w *responsesWire) value(c *strictjson.Cursor, bit uint32, v *[]byte) {
	if c.Null() {
		return
	}
	*v, _ = c.Raw()
	once(c, &w.seen, bit)
}

func (w *responsesWire) number(c *strictjson.Cursor, bit uint32, n *int64) {
	if c.Null() {
		return
	}
	*n, _ = c.Int()
	if bit == rSequence && *n >= 0 {
		w.hole(c.IntegerHole())
	}
	once(c, &w.seen, bit)
}

// position reads an index. One that is out of range can't be compared, so it is refused.
func (w *responsesWire) position(c *strictjson.Cursor, bit uint32, n *int32) {
	var v int64
	w.number(c, bit, &v)
	*n = int32(v)
	if int64(*n) != v {
		c.Refuse(strictjson.Syntax)
	}
}
