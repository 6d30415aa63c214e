package gemini

import (
	"github.com/wholecall/wholecall/internal/strictjson"
)

// stepEvent is one event as it stands in a frame. Members that were absent are nil or have their flag
// unset. All slices borrow from the frame, or are the decoder's own.
type stepEvent struct {
	seen        uint32
	typ         []byte
	index       int32
	step        []byte // as it stands
	delta       stepDelta
	interaction []byte // as it stands
	usage       []byte
	fault       []byte
	data        []byte
}

// The members of an event that are looked at, as bits of seen.
const (
	hasEventType = 1 << iota
	hasIndex
	hasStep
	hasDelta
	hasInteraction
	hasStepUsage
	hasError
)

// stepDelta is a piece of a step.
type stepDelta struct {
	seen        uint32
	raw         []byte // the whole of it, as it stands
	typ         []byte
	arguments   []byte // as they stand; nil where they are a string
	inside      text   // of the string that the arguments are
	text        text
	signature   text
	content     []byte
	annotations []byte
}

// parse reads the payload of one frame.
func (w *stepEvent) parse(c *strictjson.Cursor, data []byte) error {
	*w = stepEvent{data: data}
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

func (w *stepEvent) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "event_type":
		w.typ, bit = own(c), hasEventType
	case "index":
		n, _ := c.Int()
		if w.index = int32(n); int64(w.index) != n {
			c.Refuse(strictjson.Type)
		}
		bit = hasIndex
	case "step":
		w.step, bit = rawOrNull(c), hasStep
	case "delta":
		w.parseDelta(c)
		bit = hasDelta
	case "interaction":
		w.interaction, bit = rawOrNull(c), hasInteraction
	case "usage":
		w.usage, bit = rawOrNull(c), hasStepUsage
	case "error":
		w.fault, bit = rawOrNull(c), hasError
	default:
		c.Skip()
		return
	}
	once(c, &w.seen, bit)
}

func (w *stepEvent) parseDelta(c *strictjson.Cursor) {
	c.Peek()
	from := c.Offset()
	members(c, func(name []byte) { w.delta.member(c, name) })
	if c.Err() == nil {
		w.delta.raw = w.data[from:c.Offset()]
	}
}

func (d *stepDelta) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "type":
		d.typ, bit = own(c), 1
	case "arguments":
		if c.Peek() == '"' {
			d.inside = stringOrNull(c)
		} else {
			d.arguments = rawOrNull(c)
		}
		bit = 2
	case "text":
		d.text, bit = stringOrNull(c), 4
	case "signature":
		d.signature, bit = stringOrNull(c), 8
	case "content":
		d.content, bit = rawOrNull(c), 16
	case "annotations":
		d.annotations, bit = rawOrNull(c), 32
	default:
		c.Skip()
		return
	}
	once(c, &d.seen, bit)
}

// step is a step as step.start or a completed interaction holds it.
type step struct {
	seen      uint32
	typ       []byte
	id, name  []byte
	args      []byte // as they stand
	signature text
	content   []byte // of an output, or the summary of a thought
	fault     []byte
	server    []byte // as it stands
	search    []byte // as it stands
}

func parseStep(c *strictjson.Cursor, raw []byte) (step, error) {
	var s step
	c.Reset(raw)
	members(c, func(name []byte) { s.member(c, name) })
	if err := c.Err(); err != nil {
		return s, malformed(err, "a step is malformed: %v", err)
	}
	return s, nil
}

func (s *step) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "type":
		s.typ, bit = own(c), 1
	case "id":
		s.id, bit = own(c), 2
	case "name":
		s.name, bit = own(c), 4
	case "arguments":
		s.args, bit = rawOrNull(c), 8
	case "signature":
		s.signature, bit = stringOrNull(c), 16
	case "content", "summary":
		s.content, bit = rawOrNull(c), 32
	case "error":
		s.fault, bit = rawOrNull(c), 64
	case "server_name":
		s.server, bit = rawOrNull(c), 128
	case "search_type":
		s.search, bit = rawOrNull(c), 256
	default:
		c.Skip()
		return
	}
	once(c, &s.seen, bit)
}

// content is a piece of an output or of a thought's summary.
type content struct {
	raw         []byte
	typ         []byte
	text        text
	annotations []byte
}

func parseContent(c *strictjson.Cursor, raw []byte) (content, error) {
	one := content{raw: raw}
	var seen uint32
	c.Reset(raw)
	members(c, func(name []byte) {
		switch string(name) {
		case "type":
			one.typ = own(c)
			once(c, &seen, 1)
		case "text":
			one.text = stringOrNull(c)
			once(c, &seen, 2)
		case "annotations":
			one.annotations = rawOrNull(c)
			once(c, &seen, 4)
		default:
			c.Skip()
		}
	})
	if err := c.Err(); err != nil {
		return one, malformed(err, "a content is malformed: %v", err)
	}
	return one, nil
}
