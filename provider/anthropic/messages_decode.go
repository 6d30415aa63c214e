package anthropic

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

	repeatedStart, inputInBlockStart, noMessageStop, reusedBlockIndex bool

	begun   bool
	id      []byte // of the message
	started bool   // something came behind message_start
	stopped bool   // a stop reason was seen
	ended   bool   // message_stop was seen
	open    int
	blocks  []blockState
	last    int
	usage   wholecall.Usage
	scratch []byte
}

// blockState is what the decoder knows of a content block.
type blockState struct {
	index int32
	again int32 // how many blocks had the index before
	kind  blockKind
	open  bool
	whole bool // its input stood in the start
	id    string
}

func (b *blockState) key() wholecall.Key { return wholecall.Key{Index: b.index, Again: b.again} }

type blockKind uint8

const (
	textBlock blockKind = iota + 1
	thinkingBlock
	callBlock
	dataBlock
)

func newDecoder(d wholecall.Dialect) *decoder {
	return &decoder{
		repeatedStart:     d.Has(repeatedStart),
		inputInBlockStart: d.Has(inputInBlockStart),
		noMessageStop:     d.Has(noMessageStop),
		reusedBlockIndex:  d.Has(reusedBlockIndex),
	}
}

func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if err := d.parse(f.Data); err != nil {
		return events, err
	}
	w := d.w
	if w.seen&hasType == 0 {
		return events, malformed(nil, "an event without a type")
	}
	if len(f.Event) > 0 && string(f.Event) != string(w.typ) {
		return events, malformed(nil, "the event is named %q, and its data says type %q", f.Event, w.typ)
	}
	switch string(w.typ) {
	case "content_block_delta":
		return d.blockDelta(events)
	case "content_block_start":
		return d.blockStart(events)
	case "content_block_stop":
		return d.blockStop(events)
	case "message_start":
		return d.messageStart(events)
	case "message_delta":
		return d.messageDelta(events)
	case "message_stop":
		d.ended = true
		return append(d.missing(events), wholecall.Event{Kind: wholecall.Terminal}), nil
	case "ping":
		return events, nil
	case "error":
		return d.fault(events)
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// parse reads the payload of a frame. Pieces of a block differ in their text alone, so that all but the
// first are recognised and not parsed.
func (d *decoder) parse(data []byte) error {
	var f strictjson.Filling
	if d.w = d.mem.Match(data, &f); d.w != nil {
		d.w.delta.text = text{f.Text, f.Escaped}
		return nil
	}
	d.w = &d.own
	if err := d.own.parse(&d.cur, data); err != nil {
		return err
	}
	if d.own.seen == hasType|hasIndex|hasDelta && d.own.delta.hole.Kind != 0 {
		d.mem.Learn(data, []strictjson.Hole{d.own.delta.hole}, parseShape)
	}
	return nil
}

// End implements wholecall.Decoder.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event {
	if d.noMessageStop && d.stopped && !d.ended && d.open == 0 {
		events = append(events, deviate(noMessageStop), wholecall.Event{Kind: wholecall.Terminal})
	}
	return events
}

// Begins implements wholecall.Decoder.
func (d *decoder) Begins(f *frame.Frame) bool {
	var w wire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == "message_start"
}

func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// missing reports, once, that the stream does not begin with message_start. No call is lost by that:
// each is announced by its own block.
func (d *decoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.begun && !d.started {
		events = append(events, deviate(missingStart))
	}
	d.started = true
	return events
}

// find returns the state of the block with the index, or nil.
func (d *decoder) find(index int32) *blockState {
	if d.last < len(d.blocks) && d.blocks[d.last].index == index {
		return &d.blocks[d.last]
	}
	// Blocks count up from 0 as a rule, so that a block stands at its own index.
	if !d.reusedBlockIndex && int(index) < len(d.blocks) && index >= 0 && d.blocks[index].index == index {
		d.last = int(index)
		return &d.blocks[index]
	}
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].index == index {
			d.last = i
			return &d.blocks[i]
		}
	}
	return nil
}

// known returns the open block that the event belongs to.
func (d *decoder) known(what string) (*blockState, error) {
	w := d.w
	if w.seen&hasIndex == 0 {
		return nil, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: what + " without an index"}
	}
	b := d.find(w.index)
	switch {
	case b == nil:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Unannounced, HasKey: true,
			Key: wholecall.Key{Index: w.index}, Detail: what + " for a block that never started"}
	case !b.open:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Late, HasKey: true,
			Key: wholecall.Key{Index: w.index}, Detail: what + " for a block that has already stopped"}
	}
	return b, nil
}

func (d *decoder) blockDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	b, err := d.known("a delta")
	if err != nil {
		return events, err
	}
	w := d.w
	ev := wholecall.Event{Key: b.key(), Data: w.delta.text.raw, Escaped: w.delta.text.escaped}
	var want blockKind
	var member uint32
	switch string(w.delta.typ) {
	case "input_json_delta":
		ev.Kind, want, member = wholecall.Fragment, callBlock, hasJSON
		if b.whole && len(ev.Data) > 0 {
			return events, &wholecall.ProtocolError{Kind: wholecall.AmbiguousDocument, HasKey: true, Key: ev.Key,
				Detail: "a fragment for a block whose whole input stood in its start"}
		}
	case "text_delta":
		ev.Kind, want, member = wholecall.Delta, textBlock, hasText
	case "thinking_delta":
		ev.Kind, want, member = wholecall.Delta, thinkingBlock, hasThinking
	case "signature_delta":
		ev.Kind, want, member = wholecall.Sign, thinkingBlock, hasSignature
	case "citations_delta":
		ev.Kind, want, member = wholecall.Annotate, textBlock, hasCitation
		ev.Data, ev.Escaped = w.delta.cite, false
	case "compaction_delta":
		ev.Kind, want, member = wholecall.Delta, dataBlock, 0
	default:
		return d.unknownDelta(b, events)
	}
	if want != b.kind {
		return events, &wholecall.ProtocolError{Kind: wholecall.MismatchedPart, HasKey: true, Key: ev.Key,
			Detail: fmt.Sprintf("a %s for a block of another type", w.delta.typ)}
	}
	if w.delta.seen&member != member {
		return events, malformed(nil, "a %s without its text", w.delta.typ)
	}
	return append(events, ev), nil
}

// unknownDelta refuses a delta that this decoder can't read on a call, since a piece of its arguments
// could be in it; elsewhere it is passed over.
func (d *decoder) unknownDelta(b *blockState, events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	if w.delta.seen&hasType == 0 {
		return events, malformed(nil, "a delta without a type")
	}
	if b.kind == callBlock {
		return events, &wholecall.ProtocolError{Kind: wholecall.UnknownDelta, HasKey: true,
			Key: wholecall.Key{Index: w.index}, Detail: fmt.Sprintf("a delta of type %q for a call", w.delta.typ)}
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.delta.typ}), nil
}

func (d *decoder) blockStop(events []wholecall.Event) ([]wholecall.Event, error) {
	b, err := d.known("an end")
	if err != nil {
		return events, err
	}
	b.open = false
	d.open--
	kind := wholecall.ClosePart
	if b.kind == callBlock {
		kind = wholecall.End
	}
	return append(events, wholecall.Event{Kind: kind, Key: b.key()}), nil
}

func (d *decoder) blockStart(events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	switch {
	case w.seen&hasIndex == 0:
		return events, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a block starts without an index"}
	case w.seen&hasBlock == 0:
		return events, malformed(nil, "a block starts without a content_block")
	}
	events = d.missing(events)
	if w.index != int32(len(d.blocks)) && d.find(w.index) == nil {
		events = append(events, deviate(sparseIndex))
	}
	if d.open > 0 {
		events = append(events, deviate(overlappingBlocks))
	}
	return d.startBlock(events, w.index, w.block, false)
}

// startBlock begins the block at an index. A block of a whole message ends where it begins.
func (d *decoder) startBlock(events []wholecall.Event, index int32, raw []byte, whole bool) ([]wholecall.Event, error) {
	b, err := parseBlock(&d.sub, raw)
	if err != nil {
		return events, err
	}
	state := blockState{index: index, open: true, id: string(b.id)}
	if old := d.find(index); old != nil {
		if !d.reusedBlockIndex || d.open > 0 {
			return events, d.reused(old, &b)
		}
		events = append(events, deviate(reusedBlockIndex))
		state.again = old.again + 1
	}
	switch string(b.typ) {
	case "":
		return events, malformed(nil, "a content block without a type")
	case "tool_use", "server_tool_use", "mcp_tool_use":
		state.kind = callBlock
		events, err = d.startCall(events, &b, &state, whole)
	case "text":
		state.kind = textBlock
		events = d.startText(events, state.key(), wholecall.TextPart, b.text, &b)
	case "thinking":
		state.kind = thinkingBlock
		events = d.startText(events, state.key(), wholecall.ReasoningPart, b.thinking, &b)
	default:
		state.kind = dataBlock
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart,
			Key: state.key(), Name: b.typ, Data: raw})
	}
	if err != nil {
		return events, err
	}
	d.blocks = append(d.blocks, state)
	d.last = len(d.blocks) - 1
	d.open++
	return events, nil
}

// reused makes the error for a block at an index that has one. The same call again is a replay, which
// no dialect reads.
func (d *decoder) reused(old *blockState, b *block) error {
	e := &wholecall.ProtocolError{Kind: wholecall.DuplicateAnnouncement, HasKey: true, Key: old.key(),
		ID: string(b.id), Name: string(b.name), Detail: "a block starts at an index that already has one"}
	if d.open == 0 && (len(b.id) == 0 || string(b.id) != old.id) {
		e.Switch = reusedBlockIndex
	}
	return e
}

func (d *decoder) startText(events []wholecall.Event, key wholecall.Key, kind wholecall.PartKind, t text, b *block) []wholecall.Event {
	events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: key})
	if len(t.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: key, Data: t.raw, Escaped: t.escaped})
	}
	if len(b.signature.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Sign, Key: key, Data: b.signature.raw, Escaped: b.signature.escaped})
	}
	if len(b.citations) > 2 && b.citations[0] == '[' {
		d.sub.Reset(b.citations)
		for d.sub.Array(); d.sub.Element(); {
			one, _ := d.sub.Raw()
			events = append(events, wholecall.Event{Kind: wholecall.Annotate, Key: key, Data: one})
		}
	}
	return events
}

// startCall announces a call. A call that a program makes, or that the provider runs, may have its
// whole input in the start; for any other that is a deviation.
func (d *decoder) startCall(events []wholecall.Event, b *block, state *blockState, whole bool) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: state.key(), ID: b.id, Name: b.name,
		Empty: wholecall.EmptyIsObject, Extra: d.extra(b)}
	if string(b.typ) != "tool_use" {
		ev.Runner = wholecall.ProviderRuns
	}
	events = append(events, ev)
	if b.inputIsEmptyOrNo {
		return events, nil
	}
	state.whole = true
	if !whole && ev.Runner == wholecall.ClientRuns && !d.programmatic(b.caller) {
		if !d.inputInBlockStart {
			return events, &wholecall.ProtocolError{Kind: wholecall.DeviationRefused, HasKey: true, Key: ev.Key,
				ID: string(b.id), Name: string(b.name), Switch: inputInBlockStart,
				Detail: "the whole input stands in content_block_start"}
		}
		events = append(events, deviate(inputInBlockStart))
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: ev.Key, Data: b.input}), nil
}

// programmatic reports whether a caller is a program: of a type that is not "direct".
func (d *decoder) programmatic(caller []byte) bool {
	if len(caller) == 0 || caller[0] != '{' {
		return false
	}
	d.sub.Reset(caller)
	for d.sub.Object(); ; {
		name, ok := d.sub.Member()
		if !ok {
			return false
		}
		if string(name) != "type" {
			d.sub.Skip()
			continue
		}
		typ, ok := d.sub.Text()
		return ok && string(typ) != "direct"
	}
}

// extra is what a call's block says beside its id, name and input.
func (d *decoder) extra(b *block) []byte {
	if string(b.typ) == "tool_use" && b.caller == nil && b.toolset == nil && b.server == nil {
		return nil
	}
	d.scratch = append(d.scratch[:0], '{')
	if string(b.typ) != "tool_use" {
		d.scratch = append(append(append(d.scratch, `"type":"`...), b.typ...), '"')
	}
	d.scratch = appendMember(d.scratch, "caller", b.caller)
	d.scratch = appendMember(d.scratch, "toolset_name", b.toolset)
	d.scratch = appendMember(d.scratch, "server_name", b.server)
	return append(d.scratch, '}')
}

func appendMember(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(dst, value...)
}
