package openai

import (
	"bytes"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// chunk is one chunk as it stands in a frame. Absent is not zero: what was there is in the bits of
// seen. Slices borrow from the frame.
type chunk struct {
	seen      uint32
	id        []byte
	model     []byte
	object    []byte
	message   []byte // of a top-level error without an error object
	fault     []byte // error, as it stands
	usage     []byte
	choices   []choice
	entries   []entry // of all choices; a choice has the part from..to
	faultType byte
	padding   strictjson.Hole // where the value of obfuscation stands
	main      *text           // the one text that differs from chunk to chunk, in a shape
}

// choice is one entry of choices.
type choice struct {
	seen       uint32
	index      int32
	content    text
	hole       strictjson.Hole // where content stands
	refusal    text
	reasoning  text
	transcript text
	finish     []byte
	from, to   int // its entries of tool_calls
	legacy     entry
}

// entry is one entry of tool_calls, or the legacy function_call.
type entry struct {
	seen  uint32
	index int32
	id    []byte
	name  []byte
	args  text
	hole  strictjson.Hole // where args stand
	raw   []byte          // arguments that are no string, as they stand
	extra []byte          // extra_content, an object, as it stands
}

// The members that are looked at, as bits of seen.
const (
	hasID = 1 << iota
	hasModel
	hasObject
	hasChoices
	hasUsage
	hasFault
	hasType
	hasMessage
	hasIndex
	hasDelta
	hasContent
	hasRefusal
	hasReasoning
	hasAudio
	hasCalls
	hasLegacy
	hasFinish
	hasName
	hasArgs
	hasNullArgs
	hasObjectArgs
	hasFunction
	hasCustom
	hasRole
)

// parse reads the payload of one frame into w, reusing its slices.
func (w *chunk) parse(c *strictjson.Cursor, data []byte) error {
	*w = chunk{choices: w.choices[:0], entries: w.entries[:0]}
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
		once(c, &w.seen, hasID)
		w.id = own(c)
	case "model":
		once(c, &w.seen, hasModel)
		w.model = own(c)
	case "object":
		once(c, &w.seen, hasObject)
		w.object = own(c)
	case "type":
		w.seen |= hasType
		c.Skip()
	case "message":
		if c.Peek() == '"' {
			w.message = own(c)
			return
		}
		c.Skip()
	case "error":
		once(c, &w.seen, hasFault)
		w.faultType = c.Peek()
		w.fault, _ = c.Raw()
		if w.faultType == 'n' {
			w.seen &^= hasFault
		}
	case "obfuscation":
		if c.Peek() == '"' {
			raw, _, _ := c.String()
			w.padding = c.StringHole(raw, strictjson.AnyHole)
			return
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

// parseChunk parses a chunk that was parsed before.
func parseChunk(w *chunk, data []byte) {
	var c strictjson.Cursor
	w.parse(&c, data)
	w.main, _ = w.piece()
}

// piece returns the one text that a chunk adds to a call's arguments or to the answer, and where it
// stands; nil where the chunk says anything besides.
func (w *chunk) piece() (*text, strictjson.Hole) {
	const plain = hasID | hasModel | hasObject | hasChoices | hasUsage
	if w.seen&^plain != 0 || len(w.choices) != 1 || len(w.usage) > len("null") {
		return nil, strictjson.Hole{}
	}
	ch := &w.choices[0]
	if ch.seen&^(hasIndex|hasDelta|hasContent|hasCalls) != 0 || len(ch.reasoning.raw) > 0 {
		return nil, strictjson.Hole{}
	}
	switch {
	case len(w.entries) == 1 && len(ch.content.raw) == 0:
		e := &w.entries[0]
		if e.seen&^(hasIndex|hasFunction|hasCustom) == hasArgs {
			return &e.args, e.hole
		}
	case len(w.entries) == 0 && len(ch.content.raw) > 0:
		return &ch.content, ch.hole
	}
	return nil, strictjson.Hole{}
}

func (w *chunk) readChoices(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Array()
	for c.Element() {
		w.choices = append(w.choices, choice{})
		w.readChoice(c, &w.choices[len(w.choices)-1])
	}
}

func (w *chunk) readChoice(c *strictjson.Cursor, ch *choice) {
	ch.from = len(w.entries)
	ch.to = ch.from
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "index":
			once(c, &ch.seen, hasIndex)
			ch.index = readIndex(c, &ch.seen)
		case "delta":
			once(c, &ch.seen, hasDelta)
			w.readDelta(c, ch)
		case "finish_reason":
			if !c.Null() {
				once(c, &ch.seen, hasFinish)
				ch.finish = own(c)
			}
		case "message":
			ch.seen |= hasMessage
			c.Skip()
		default:
			c.Skip()
		}
	}
}

// readIndex reads a position; null is like absent.
func readIndex(c *strictjson.Cursor, seen *uint32) int32 {
	if c.Null() {
		*seen &^= hasIndex
		return 0
	}
	n, _ := c.Int()
	if int64(int32(n)) != n {
		c.Refuse(strictjson.Syntax)
	}
	return int32(n)
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
			ch.content = stringOrNull(c)
			ch.hole = c.StringHole(ch.content.raw, strictjson.TextHole)
		case "refusal":
			once(c, &ch.seen, hasRefusal)
			ch.refusal = stringOrNull(c)
		case "reasoning_content", "reasoning":
			ch.readReasoning(c)
		case "audio":
			once(c, &ch.seen, hasAudio)
			ch.readAudio(c)
		case "tool_calls":
			once(c, &ch.seen, hasCalls)
			w.readEntries(c, ch)
		case "function_call":
			if !c.Null() {
				once(c, &ch.seen, hasLegacy)
				ch.legacy.readFunction(c)
			}
		default:
			c.Skip()
		}
	}
}

// readReasoning reads what compatible servers say of the model's thoughts. Some send the same text
// under both names; the first one counts.
func (ch *choice) readReasoning(c *strictjson.Cursor) {
	if ch.seen&hasReasoning != 0 || c.Peek() != '"' {
		c.Skip()
		return
	}
	ch.reasoning = stringOrNull(c)
	if len(ch.reasoning.raw) > 0 {
		ch.seen |= hasReasoning
	}
}

func (ch *choice) readAudio(c *strictjson.Cursor) {
	if c.Null() {
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "transcript" {
			ch.transcript = stringOrNull(c)
		} else {
			c.Skip()
		}
	}
}

func (w *chunk) readEntries(c *strictjson.Cursor, ch *choice) {
	if c.Null() {
		return
	}
	c.Array()
	for c.Element() {
		w.entries = append(w.entries, entry{})
		w.entries[len(w.entries)-1].read(c)
	}
	ch.to = len(w.entries)
}

func (e *entry) read(c *strictjson.Cursor) {
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "index":
			once(c, &e.seen, hasIndex)
			e.index = readIndex(c, &e.seen)
		case "id":
			if !c.Null() {
				once(c, &e.seen, hasID)
				e.id = own(c)
			}
		case "type":
			if typ := own(c); string(typ) == "custom" {
				e.seen |= hasCustom
			}
		case "function":
			once(c, &e.seen, hasFunction)
			e.readFunction(c)
		case "custom":
			e.readFunction(c)
		case "extra_content":
			if c.Peek() == '{' {
				e.extra, _ = c.Raw()
			} else {
				c.Skip()
			}
		default:
			c.Skip()
		}
	}
}

// readFunction reads name and arguments, of a function, a custom tool, or the legacy function_call. An
// empty custom object beside a function says nothing.
func (e *entry) readFunction(c *strictjson.Cursor) {
	if c.Null() {
		e.seen |= hasNullArgs
		return
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			if !c.Null() {
				once(c, &e.seen, hasName)
				e.name = own(c)
			}
		case "input":
			e.seen |= hasCustom
			e.readArguments(c)
		case "arguments":
			e.readArguments(c)
		default:
			c.Skip()
		}
	}
}

func (e *entry) readArguments(c *strictjson.Cursor) {
	switch {
	case c.Null():
		e.seen |= hasNullArgs
	case c.Peek() == '"':
		once(c, &e.seen, hasArgs)
		e.args.raw, e.args.escaped, _ = c.String()
		e.hole = c.StringHole(e.args.raw, strictjson.TextHole)
	default:
		once(c, &e.seen, hasObjectArgs)
		e.raw, _ = c.Raw()
	}
}

// done reports whether the payload is the sentinel.
func done(data []byte) bool {
	return len(data) > 0 && data[0] != '{' && string(bytes.TrimSpace(data)) == "[DONE]"
}
