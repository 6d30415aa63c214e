package bedrock

import (
	"bytes"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// wire is the payload of one event. Members that were absent are nil or have their flag unset: absent
// is not zero. All slices borrow from the frame.
type wire struct {
	seen  uint32
	index int32
	delta delta
	start []byte // as it stands
	stop  []byte
	usage []byte          // as it stands
	pad   strictjson.Hole // where the padding stands
}

// The members that are looked at, as bits of seen.
const (
	hasIndex = 1 << iota
	hasDelta
	hasStart
	hasStop
	hasUsage
	hasPad
)

// delta is the delta of a contentBlockDelta, which is one of several things.
type delta struct {
	kind deltaKind
	text text            // of whichever member holds the delta's text
	hole strictjson.Hole // where that stands
	raw  []byte          // of a member that is a JSON value, as it stands
	name []byte          // of the member that made it unknown
}

type deltaKind uint8

const (
	noDelta deltaKind = iota
	textDelta
	inputDelta
	reasoningDelta
	signatureDelta
	redactedDelta
	citationDelta
	resultDelta
	imageDelta
	severalDeltas
)

// named returns the name of a frame's event, and its payload. In the binary framing the name is a header
// of the message; elsewhere it is the payload's one member.
func named(c *strictjson.Cursor, f *frame.Frame) (name, payload []byte, err error) {
	switch {
	case len(f.Event) > 0 && (len(f.ID) == 0 || string(f.ID) == eventstream.Event || failed(f)):
		return f.Event, f.Data, nil
	case len(f.ID) == 0:
		return union(c, f.Data)
	case string(f.ID) == eventstream.Event:
		return nil, nil, malformed(nil, "a message without an event type")
	}
	return nil, nil, malformed(nil, "a message of type %q", f.ID)
}

// union returns the one member of an object that is known to be an event, and its value. Where none is,
// it is the first member.
func union(c *strictjson.Cursor, data []byte) (name, value []byte, err error) {
	c.Reset(data)
	known := 0
	for ok := c.Object(); ok; {
		var member []byte
		if member, ok = c.Member(); !ok {
			break
		}
		event := eventName(member)
		switch {
		case event != nil:
			known++
			name = event
			value, _ = c.Raw()
		case name == nil:
			name = bytes.Clone(member)
			value, _ = c.Raw()
		default:
			c.Skip()
		}
	}
	if c.Err() == nil {
		c.End()
	}
	switch {
	case c.Err() != nil:
		return nil, nil, malformed(c.Err(), "the data is not the JSON of one event: %v", c.Err())
	case name == nil:
		return nil, nil, malformed(nil, "an object that names no event")
	case known > 1:
		return nil, nil, malformed(nil, "two events in one frame")
	}
	return name, value, nil
}

// events are the names of events that a payload may stand under.
var events = [][]byte{[]byte("contentBlockDelta"), []byte("contentBlockStop"), []byte("contentBlockStart"),
	[]byte("messageStart"), []byte("messageStop"), []byte("metadata"), []byte("chunk")}

// eventName returns the name of an event or an exception for the member that it is, or nil. The member's
// own bytes may stand in the cursor's scratch.
func eventName(member []byte) []byte {
	for _, name := range events {
		if bytes.Equal(name, member) {
			return name
		}
	}
	if isException(member) {
		return bytes.Clone(member)
	}
	return nil
}

// isException reports whether a name is that of an exception: all of AWS' end so.
func isException(name []byte) bool { return bytes.HasSuffix(name, []byte("Exception")) }

// parse reads the payload of an event into w.
func (w *wire) parse(c *strictjson.Cursor, data []byte) error {
	*w = wire{}
	c.Reset(data)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); ok {
			w.member(c, name)
		}
	}
	if c.Err() == nil {
		c.End()
	}
	switch err := c.Err(); {
	case err != nil:
		return malformed(err, "the payload is not the JSON of one event: %v", err)
	case w.delta.kind == severalDeltas:
		return malformed(nil, "a delta that is several things at once")
	}
	return nil
}

// parseShape parses a payload that was parsed before.
func parseShape(w *wire, data []byte) {
	var c strictjson.Cursor
	w.parse(&c, data)
}

func (w *wire) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "contentBlockIndex":
		n, ok := c.Int()
		w.index = int32(n)
		if ok && (n < 0 || int64(w.index) != n) {
			c.Refuse(strictjson.Type)
		}
		once(c, &w.seen, hasIndex)
	case "delta":
		w.delta.parse(c)
		once(c, &w.seen, hasDelta)
	case "start":
		w.start, _ = c.Raw()
		once(c, &w.seen, hasStart)
	case "stopReason":
		w.stop = own(c)
		once(c, &w.seen, hasStop)
	case "usage":
		w.usage, _ = c.Raw()
		once(c, &w.seen, hasUsage)
	case "p":
		w.padding(c)
	default:
		c.Skip()
	}
}

// padding passes the padding, which hides how long a token is. That it stands there twice is all the
// same.
func (w *wire) padding(c *strictjson.Cursor) {
	if c.Peek() != '"' {
		c.Skip()
		return
	}
	raw, _, ok := c.String()
	if ok && w.seen&hasPad == 0 {
		w.pad = c.StringHole(raw, strictjson.AnyHole)
		w.seen |= hasPad
	}
}

// parse reads a delta. A member that is null is like an absent one.
func (d *delta) parse(c *strictjson.Cursor) {
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok || c.Null() {
			continue
		}
		switch string(name) {
		case "text":
			d.string(c, textDelta)
		case "toolUse":
			d.input(c)
		case "reasoningContent":
			d.reasoning(c)
		case "citation":
			d.value(c, citationDelta)
		case "toolResult":
			d.value(c, resultDelta)
		case "image":
			d.value(c, imageDelta)
		default:
			d.unknown(c, name)
		}
	}
}

// is notes what the delta is. It can be one thing only.
func (d *delta) is(k deltaKind) {
	if d.kind != noDelta {
		k = severalDeltas
	}
	d.kind = k
}

func (d *delta) string(c *strictjson.Cursor, k deltaKind) {
	d.text.raw, d.text.escaped, _ = c.String()
	d.hole = c.StringHole(d.text.raw, strictjson.TextHole)
	d.is(k)
}

func (d *delta) value(c *strictjson.Cursor, k deltaKind) {
	d.raw, _ = c.Raw()
	d.is(k)
}

// unknown notes a member that this version does not know.
func (d *delta) unknown(c *strictjson.Cursor, name []byte) {
	if d.name == nil {
		d.name = bytes.Clone(name)
	}
	c.Skip()
}

// input reads a piece of a call's arguments. Without one it is of a kind that this version does not know.
func (d *delta) input(c *strictjson.Cursor) {
	found := false
	for ok := c.Object(); ok; {
		var name []byte
		switch name, ok = c.Member(); {
		case !ok || c.Null():
		case string(name) == "input":
			found = true
			d.string(c, inputDelta)
		default:
			c.Skip()
		}
	}
	if !found {
		d.name = []byte("toolUse")
	}
}

// reasoning reads what a delta adds to reasoning: text, its signature, or what is hidden.
func (d *delta) reasoning(c *strictjson.Cursor) {
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok || c.Null() {
			continue
		}
		switch string(name) {
		case "text":
			d.string(c, reasoningDelta)
		case "signature":
			d.string(c, signatureDelta)
		case "redactedContent":
			d.string(c, redactedDelta)
		default:
			d.unknown(c, name)
		}
	}
}

// start is the start of a contentBlockStart, which is one of several things.
type start struct {
	seen uint32
	kind []byte // the name of the member that it is
	raw  []byte // its value, as it stands
	id   []byte
	name []byte
	typ  []byte
}

// The members of a call's start, as bits of seen.
const (
	hasID = 1 << iota
	hasName
	hasType
)

// parseStart reads a start. Its slices are valid until the next frame. Where it says nothing, kind is nil.
func parseStart(c *strictjson.Cursor, raw []byte) (start, error) {
	var s start
	c.Reset(raw)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok || c.Null() {
			continue
		}
		if s.kind != nil {
			return s, malformed(nil, "a content block that starts as several things at once")
		}
		s.kind = bytes.Clone(name)
		s.raw, _ = c.Raw()
	}
	if err := c.Err(); err != nil {
		return s, malformed(err, "the start of a content block is malformed: %v", err)
	}
	if string(s.kind) == "toolUse" {
		return s, s.call(c)
	}
	return s, nil
}

// call reads what a call's start says.
func (s *start) call(c *strictjson.Cursor) error {
	c.Reset(s.raw)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok {
			continue
		}
		switch string(name) {
		case "toolUseId":
			s.id = own(c)
			once(c, &s.seen, hasID)
		case "name":
			s.name = own(c)
			once(c, &s.seen, hasName)
		case "type":
			s.typ = own(c)
			once(c, &s.seen, hasType)
		default:
			c.Skip()
		}
	}
	if err := c.Err(); err != nil {
		return malformed(err, "the start of a call is malformed: %v", err)
	}
	return nil
}
