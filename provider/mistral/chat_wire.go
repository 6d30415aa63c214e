package mistral

import "github.com/wholecall/wholecall/internal/strictjson"

// chunk is one chunk as it stands in a frame. Absent is not zero: what was there is in the bits of seen.
// Slices borrow from the frame.
type chunk struct {
	seen    uint32
	id      []byte
	model   []byte
	object  []byte
	message []byte // of an error
	typ     []byte // of an error
	code    []byte // of an error
	fault   []byte // error, as it stands
	usage   []byte
	choices []choice
	pieces  []piece // of all choices; a choice has the part pieces[0]..pieces[1]
	entries []entry // likewise
}

// choice is one entry of choices.
type choice struct {
	seen    uint32
	index   int32
	finish  []byte
	pieces  [2]int
	entries [2]int
}

// entry is one entry of tool_calls.
type entry struct {
	seen   uint32
	index  int32
	id     []byte
	typ    []byte
	name   []byte
	args   text
	object []byte // arguments that are an object, as they stand
}

// The members that are looked at, as bits of seen.
const (
	hasID = 1 << iota
	hasModel
	hasObject
	hasChoices
	hasUsage
	hasFault
	hasMessage
	hasCode
	hasPadding
	hasIndex
	hasDelta
	hasContent
	hasCalls
	hasFinish
	hasType
	hasFunction
	hasName
	hasArgs
	hasText
	hasThinking
	hasSign
	hasOutput
	hasCallID
)

// parse reads the payload of one frame into w, reusing its slices.
func (w *chunk) parse(c *strictjson.Cursor, data []byte) error {
	*w = chunk{choices: w.choices[:0], pieces: w.pieces[:0], entries: w.entries[:0]}
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
		return malformed(err, "the data is not the JSON of one chunk: %v", err)
	}
	return nil
}

func (w *chunk) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "id":
		w.id = word(c, &w.seen, hasID)
	case "model":
		w.model = word(c, &w.seen, hasModel)
	case "object":
		w.object = word(c, &w.seen, hasObject)
	case "message":
		w.message = ownOrNumber(c)
	case "type":
		w.typ = ownOrNumber(c)
	case "code":
		w.code = ownOrNumber(c)
	case "error":
		if !c.Null() {
			once(c, &w.seen, hasFault)
			w.fault, _ = c.Raw()
		}
	case "p":
		if c.Peek() == '"' {
			w.seen |= hasPadding
		}
		c.Skip()
	case "usage":
		once(c, &w.seen, hasUsage)
		w.usage, _ = c.Raw()
	case "choices":
		once(c, &w.seen, hasChoices)
		w.readChoices(c)
	default:
		c.Skip()
	}
}

func (w *chunk) readChoices(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	for c.Array(); c.Element(); {
		var ch choice
		w.readChoice(c, &ch)
		w.choices = append(w.choices, ch)
	}
}

func (w *chunk) readChoice(c *strictjson.Cursor, ch *choice) {
	ch.pieces = [2]int{len(w.pieces), len(w.pieces)}
	ch.entries = [2]int{len(w.entries), len(w.entries)}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "index":
			ch.index = position(c, &ch.seen, hasIndex)
		case "delta":
			once(c, &ch.seen, hasDelta)
			w.readDelta(c, ch)
		case "finish_reason":
			ch.finish = word(c, &ch.seen, hasFinish)
		default:
			c.Skip()
		}
	}
}

func (w *chunk) readDelta(c *strictjson.Cursor, ch *choice) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "content":
			once(c, &ch.seen, hasContent)
			w.pieces = appendContent(w.pieces, c)
			ch.pieces[1] = len(w.pieces)
		case "tool_calls":
			once(c, &ch.seen, hasCalls)
			w.readEntries(c)
			ch.entries[1] = len(w.entries)
		default:
			c.Skip()
		}
	}
}

func (w *chunk) readEntries(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	for c.Array(); c.Element(); {
		w.entries = append(w.entries, entry{})
		w.entries[len(w.entries)-1].read(c)
	}
}

func (e *entry) read(c *strictjson.Cursor) {
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "index":
			e.index = position(c, &e.seen, hasIndex)
		case "id":
			e.id = word(c, &e.seen, hasID)
		case "type":
			e.typ = word(c, &e.seen, hasType)
		case "function":
			once(c, &e.seen, hasFunction)
			e.readFunction(c)
		default:
			c.Skip()
		}
	}
}

func (e *entry) readFunction(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			e.name = word(c, &e.seen, hasName)
		case "arguments":
			e.readArguments(c)
		default:
			c.Skip()
		}
	}
}

// readArguments reads a string or an object, the two that the types name. Null is like absent.
func (e *entry) readArguments(c *strictjson.Cursor) {
	switch c.Peek() {
	case 'n':
		c.Null()
	case '{':
		once(c, &e.seen, hasArgs)
		e.object, _ = c.Raw()
	default:
		once(c, &e.seen, hasArgs)
		e.args.raw, e.args.escaped, _ = c.String()
	}
}
