package bedrock

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// decoder reads one stream.
type decoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor       // for values inside the event
	own wire                    // what was parsed last
	w   *wire                   // what the frame holds: own, or the shape that it matched
	mem strictjson.Shapes[wire] // the shapes of the last pieces

	begun   bool // messageStart was seen
	started bool // something came that is not messageStart
	open    int
	blocks  []blockState
	last    int
	usage   wholecall.Usage
}

// blockState is what the decoder knows of a content block.
type blockState struct {
	index int32
	kind  blockKind
	open  bool
}

type blockKind uint8

const (
	textBlock blockKind = iota + 1
	reasoningBlock
	callBlock
	resultBlock
	imageBlock
	redactedBlock
	otherBlock // of a kind that this version does not know
	bareBlock  // its start said nothing: its first delta says what it is
)

// The types of the parts that are no text and no call. The first two are also the names of their starts.
const (
	resultType   = "toolResult"
	imageType    = "image"
	redactedType = "redactedContent"
)

// Decode implements wholecall.Decoder.
func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if failed(f) {
		return append(events, failure(&d.cur, f)), nil
	}
	name, payload, err := named(&d.cur, f)
	if err != nil {
		return events, err
	}
	if len(f.Event) > 0 && len(f.ID) == 0 {
		events = append(events, deviate(missingMessageType))
	}
	if len(f.Event) == 0 && isException(name) {
		return append(events, exception(&d.cur, name, payload)), nil
	}
	return d.event(events, name, payload)
}

func (d *decoder) event(events []wholecall.Event, name, payload []byte) ([]wholecall.Event, error) {
	if string(name) == "contentBlockDelta" {
		if err := d.parseDelta(payload); err != nil {
			return events, err
		}
		return d.blockDelta(events)
	}
	d.w = &d.own
	switch string(name) {
	case "contentBlockStart", "contentBlockStop", "messageStart", "messageStop", "metadata":
	default:
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: name}), nil
	}
	if err := d.own.parse(&d.cur, payload); err != nil {
		return events, err
	}
	switch string(name) {
	case "contentBlockStart":
		return d.blockStart(events)
	case "contentBlockStop":
		return d.blockStop(events)
	case "messageStart":
		return d.messageStart(events)
	case "messageStop":
		return d.messageStop(events)
	}
	return d.metadata(events)
}

// parseDelta reads the payload of a piece. Pieces of a block differ in their text and their padding
// alone, so that all but the first are recognised and not parsed.
func (d *decoder) parseDelta(data []byte) error {
	var f strictjson.Filling
	if d.w = d.mem.Match(data, &f); d.w != nil {
		d.w.delta.text = text{f.Text, f.Escaped}
		return nil
	}
	d.w = &d.own
	if err := d.own.parse(&d.cur, data); err != nil {
		return err
	}
	if d.own.seen&^hasPad == hasIndex|hasDelta && d.own.delta.hole.Kind != 0 {
		d.mem.Learn(data, d.own.holes(), parseShape)
	}
	return nil
}

// holes are where pieces differ, in the order in which they stand there.
func (w *wire) holes() []strictjson.Hole {
	switch {
	case w.seen&hasPad == 0:
		return []strictjson.Hole{w.delta.hole}
	case w.pad.From < w.delta.hole.From:
		return []strictjson.Hole{w.pad, w.delta.hole}
	}
	return []strictjson.Hole{w.delta.hole, w.pad}
}

// End implements wholecall.Decoder. The end of the body says nothing.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder.
func (d *decoder) Begins(f *frame.Frame) bool {
	name, _, err := named(&d.sub, f)
	return err == nil && string(name) == "messageStart"
}

// missing reports, once, that the stream does not begin with messageStart. No call is lost by that: each
// is announced by its own block.
func (d *decoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.begun && !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

// messageStart begins the turn. It has neither an id nor a model.
func (d *decoder) messageStart(events []wholecall.Event) ([]wholecall.Event, error) {
	if d.begun {
		return events, &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a second messageStart"}
	}
	d.begun = true
	return append(events, wholecall.Event{Kind: wholecall.Begin}), nil
}

// messageStop ends the turn, or says that it failed: what a malformed output or a malformed call was to
// be, nobody can know.
func (d *decoder) messageStop(events []wholecall.Event) ([]wholecall.Event, error) {
	events = d.missing(events)
	stop := d.w.stop
	if isFailing(stop) {
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: stop}), nil
	}
	if len(stop) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Stop, Name: stop,
			Reason: reasonOf(string(stop)), Promises: string(stop) == "tool_use"})
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// isFailing reports whether a stop reason says that the turn failed.
func isFailing(stop []byte) bool {
	return string(stop) == "malformed_model_output" || string(stop) == "malformed_tool_use"
}

// reasonOf says what a stop reason means for a call that has no end of its own, or no arguments: "" where
// the model stopped because it was done. A reason that this version does not know is taken for a good
// one: it completes nothing that was not ended by its own block.
func reasonOf(stop string) wholecall.Reason {
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		return wholecall.ReasonTokenLimit
	case "guardrail_intervened", "content_filtered":
		return wholecall.ReasonContentFilter
	}
	return ""
}

// metadata hands on token counts. They come behind the end of the turn, as a rule.
func (d *decoder) metadata(events []wholecall.Event) ([]wholecall.Event, error) {
	raw := d.w.usage
	if len(raw) == 0 || raw[0] != '{' {
		return events, nil
	}
	if err := readUsage(&d.sub, raw, &d.usage); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: d.usage, Data: raw}), nil
}

// readUsage reads the counts of a usage into u.
func readUsage(c *strictjson.Cursor, raw []byte, u *wholecall.Usage) error {
	c.Reset(raw)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok {
			break
		}
		n := counter(u, name)
		if n == nil || c.Peek() != '0' {
			c.Skip()
			continue
		}
		*n, _ = c.Int()
	}
	return c.Err()
}

// counter returns what a member of the usage counts, or nil.
func counter(u *wholecall.Usage, name []byte) *int64 {
	switch string(name) {
	case "inputTokens":
		return &u.Input
	case "outputTokens":
		return &u.Output
	case "cacheReadInputTokens":
		return &u.CacheRead
	case "cacheWriteInputTokens":
		return &u.CacheWrite
	}
	return nil
}

// blockError makes an error about the block that the event belongs to.
func (d *decoder) blockError(k wholecall.Kind, format string, args ...any) error {
	return &wholecall.ProtocolError{Kind: k, HasKey: true, Key: wholecall.Key{Index: d.w.index},
		Detail: fmt.Sprintf(format, args...)}
}
