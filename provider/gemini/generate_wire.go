package gemini

import (
	"bytes"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// chunk is one GenerateContentResponse as it stands in a frame. Members that were absent are nil or have
// their flag unset: absent is not zero. All slices borrow from the frame, or are the decoder's own.
type chunk struct {
	seen       uint32
	id, model  []byte
	usage      []byte
	fault      []byte
	feedback   []byte
	candidates []candidate
	parts      []part
	patches    []patch
	spoken     bool // a candidate has a content or a finish reason
	data       []byte
}

// The members of a chunk that are looked at, as bits of seen.
const (
	hasCandidates = 1 << iota
	hasResponseID
	hasModelVersion
	hasUsage
	hasFault
	hasFeedback
)

// candidate is one alternative answer in a chunk.
type candidate struct {
	seen     uint32
	index    int32
	from, to int    // its parts
	finish   []byte // nil where there is none
	number   bool   // it is a number
	message  []byte
	notes    [len(noteNames)][]byte // what is said about the answer, as it stands
}

// noteNames are the members that say where an answer has its contents from.
var noteNames = [...]string{"citationMetadata", "groundingMetadata", "urlContextMetadata"}

// part is one piece of an answer.
type part struct {
	seen      uint32
	kind      payload
	name      []byte // of the member that is its payload, where that is data
	other     []byte // of a member that this version does not know
	raw       []byte // the whole part, as it stands
	text      text
	thought   bool
	signature text
	call      call
}

// payload is what a part holds.
type payload uint8

const (
	noPayload payload = iota
	textPayload
	callPayload
	codePayload
	toolPayload
	dataPayload
)

// call is a functionCall, an executableCode or a toolCall.
type call struct {
	seen     uint32
	id, name []byte
	args     []byte // as they stand, nil where there are none
	code     text
	language []byte // as it stands
	more     bool
	from, to int // its patches
}

// The members of a call, as bits of seen. An empty id or name is none: the API's format does not tell them
// apart, and leaves a member out that has its type's zero value.
const (
	hasID = 1 << iota
	hasName
	hasArgs
	hasPatches
	hasMore
	hasCode
	hasLanguage
)

// patch is one partialArg: a path, and the value that stands there.
type patch struct {
	seen  uint32
	path  []byte
	kind  patchKind
	value text
	more  bool
}

type patchKind uint8

const (
	noPatch patchKind = iota // a value of a kind that this version does not know
	stringPatch
	plainPatch
)

// parse reads the payload of one frame.
func (w *chunk) parse(c *strictjson.Cursor, data []byte) error {
	*w = chunk{candidates: w.candidates[:0], parts: w.parts[:0], patches: w.patches[:0], data: data}
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
		return malformed(err, "the data is not the JSON of one response: %v", err)
	}
	return nil
}

func (w *chunk) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "candidates":
		w.list(c, w.candidate)
		bit = hasCandidates
	case "responseId":
		w.id, bit = own(c), hasResponseID
	case "modelVersion":
		w.model, bit = own(c), hasModelVersion
	case "usageMetadata":
		w.usage, bit = rawOrNull(c), hasUsage
	case "promptFeedback":
		w.feedback, bit = rawOrNull(c), hasFeedback
	case "error":
		w.fault, bit = rawOrNull(c), hasFault
	default:
		c.Skip()
		return
	}
	once(c, &w.seen, bit)
}

// list reads an array's elements, or null as none, each by read.
func (w *chunk) list(c *strictjson.Cursor, read func(*strictjson.Cursor)) {
	if c.Null() || !c.Array() {
		return
	}
	for c.Element() {
		read(c)
	}
}

func (w *chunk) candidate(c *strictjson.Cursor) {
	one := candidate{from: len(w.parts)}
	members(c, func(name []byte) { w.candidateMember(c, &one, name) })
	one.to = len(w.parts)
	w.candidates = append(w.candidates, one)
}

func (w *chunk) candidateMember(c *strictjson.Cursor, one *candidate, name []byte) {
	var bit uint32
	switch string(name) {
	case "index":
		n, _ := c.Int()
		if one.index = int32(n); int64(one.index) != n || n < 0 {
			c.Refuse(strictjson.Type)
		}
		bit = 1
	case "content":
		w.content(c)
		w.spoken, bit = true, 2
	case "finishReason":
		one.reason(c)
		w.spoken, bit = true, 4
	case "finishMessage":
		one.message, bit = own(c), 8
	default:
		for i := range noteNames {
			if noteNames[i] == string(name) {
				one.notes[i] = rawOrNull(c)
				once(c, &one.seen, 16<<i)
				return
			}
		}
		c.Skip()
		return
	}
	once(c, &one.seen, bit)
}

// reason reads a finish reason: a word, or a number. That it is not specified is the same as absent.
func (one *candidate) reason(c *strictjson.Cursor) {
	if one.number = c.Peek() == '0'; one.number {
		one.finish, _ = c.Raw()
	} else {
		one.finish = own(c)
	}
	if len(one.finish) == 0 || string(one.finish) == unspecified || string(one.finish) == "0" {
		one.finish, one.number = nil, false
	}
}

func (w *chunk) content(c *strictjson.Cursor) {
	var seen uint32
	members(c, func(name []byte) {
		if string(name) != "parts" {
			c.Skip()
			return
		}
		once(c, &seen, 1)
		w.list(c, w.part)
	})
}

func (w *chunk) part(c *strictjson.Cursor) {
	c.Peek()
	from := c.Offset()
	w.parts = append(w.parts, part{})
	p := &w.parts[len(w.parts)-1]
	members(c, func(name []byte) { w.partMember(c, p, name) })
	if c.Err() != nil {
		return
	}
	p.raw = w.data[from:c.Offset()]
	if p.kind == noPayload && p.other != nil {
		p.kind, p.name = dataPayload, p.other
	}
}

// partMember reads a member of a part. A part holds one thing; what only describes it is skipped, and
// stays in its bytes.
func (w *chunk) partMember(c *strictjson.Cursor, p *part, name []byte) {
	switch string(name) {
	case "text":
		p.hold(c, textPayload, name)
		p.text = stringOrNull(c)
	case "thought":
		once(c, &p.seen, 1)
		p.thought = flag(c)
	case "thoughtSignature":
		once(c, &p.seen, 2)
		p.signature = stringOrNull(c)
	case "functionCall":
		p.hold(c, callPayload, name)
		w.call(c, &p.call)
	case "executableCode":
		p.hold(c, codePayload, name)
		w.call(c, &p.call)
	case "toolCall":
		p.hold(c, toolPayload, name)
		w.call(c, &p.call)
	case "codeExecutionResult", "toolResponse", "inlineData", "fileData", "functionResponse", "audioTranscription":
		p.hold(c, dataPayload, name)
		c.Skip()
	case "videoMetadata", "mediaResolution", "mediaProcessing", "partMetadata", "speechMetadata", "documentMetadata",
		"spreadsheetMetadata", "audioMetadata":
		c.Skip()
	default:
		p.other = bytes.Clone(name)
		c.Skip()
	}
}

// hold notes what a part holds. Null is like absent.
func (p *part) hold(c *strictjson.Cursor, kind payload, name []byte) {
	switch {
	case c.Peek() == 'n':
	case p.kind != noPayload:
		c.Refuse(strictjson.Duplicate)
	case kind == dataPayload:
		p.kind, p.name = kind, bytes.Clone(name)
	default:
		p.kind = kind
	}
}

func (w *chunk) call(c *strictjson.Cursor, k *call) {
	k.from = len(w.patches)
	members(c, func(name []byte) { w.callMember(c, k, name) })
	k.to = len(w.patches)
}

func (w *chunk) callMember(c *strictjson.Cursor, k *call, name []byte) {
	var bit uint32
	switch string(name) {
	case "id":
		k.id, bit = own(c), hasID
	case "name", "toolType":
		k.name, bit = own(c), hasName
	case "args":
		k.args, bit = rawOrNull(c), hasArgs
	case "partialArgs":
		w.list(c, w.patch)
		bit = hasPatches
	case "willContinue":
		k.more, bit = flag(c), hasMore
	case "code":
		k.code, bit = stringOrNull(c), hasCode
	case "language":
		k.language, bit = rawOrNull(c), hasLanguage
	default:
		c.Skip()
		return
	}
	once(c, &k.seen, bit)
}

func (w *chunk) patch(c *strictjson.Cursor) {
	var p patch
	members(c, func(name []byte) { p.member(c, name) })
	w.patches = append(w.patches, p)
}

func (p *patch) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "jsonPath":
		once(c, &p.seen, 1)
		p.path = own(c)
	case "willContinue":
		once(c, &p.seen, 2)
		p.more = flag(c)
	case "stringValue":
		once(c, &p.seen, 4)
		p.kind = stringPatch
		p.value.raw, _, _ = c.String()
	case "numberValue":
		p.plain(c, c.Peek() == '0' || c.Peek() == '-')
	case "boolValue":
		p.plain(c, c.Peek() == 't' || c.Peek() == 'f')
	case "nullValue":
		once(c, &p.seen, 4)
		// Written as null, or as the name of the one value that its type has.
		if !c.Null() && string(own(c)) != "NULL_VALUE" {
			c.Refuse(strictjson.Type)
		}
		p.kind, p.value.raw = plainPatch, []byte("null")
	default:
		c.Skip()
	}
}

func (p *patch) plain(c *strictjson.Cursor, ok bool) {
	once(c, &p.seen, 4)
	if !ok {
		c.Refuse(strictjson.Type)
	}
	p.kind = plainPatch
	p.value.raw, _ = c.Raw()
}
