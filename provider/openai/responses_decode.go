package openai

import (
	"hash/maphash"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// responsesDecoder reads one stream.
type responsesDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor                // for values inside the event
	own responsesWire                    // what was parsed last
	w   *responsesWire                   // what the frame holds: own, or the shape that it matched
	mem strictjson.Shapes[responsesWire] // the shapes of the last pieces
	on  responsesSwitches

	begun   bool
	id      string // of the response
	started bool   // something came behind response.created
	ended   bool   // a terminal was seen

	numbered bool  // a sequence number was seen
	last     int64 // the highest of them
	// hashes are those of the frames by sequence number, kept where replayed events may be dropped.
	hashes map[int64]uint64
	seed   maphash.Seed

	items []itemState
	cache int // the item that was used last: the next event is mostly for it

	transcripts int32 // transcripts of audio that have ended
	speaking    bool  // one is open

	scratch []byte
}

func newResponsesDecoder(d wholecall.Dialect) *responsesDecoder {
	r := &responsesDecoder{on: newResponsesSwitches(d)}
	if r.on.replayedEvents {
		r.hashes, r.seed = map[int64]uint64{}, maphash.MakeSeed()
	}
	return r
}

// Decode implements wholecall.Decoder.
func (d *responsesDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		return events, nil // OpenAI sends none; what ends the stream is its own terminal
	}
	if err := d.parse(f.Data); err != nil {
		return events, err
	}
	w := d.w
	if len(w.typ) == 0 {
		return d.untyped(f, events)
	}
	if len(f.Event) > 0 && string(f.Event) != string(w.typ) {
		return events, malformed(nil, "the event is named %q, and its data says type %q", f.Event, w.typ)
	}
	if w.seen&rSequence != 0 && string(w.typ) != "error" { // an error fails the turn, whatever its number
		var drop bool
		var err error
		if events, drop, err = d.number(events, f.Data); drop || err != nil {
			return events, err
		}
	}
	return d.event(events)
}

// parse reads the payload of a frame. Pieces of one item differ in their text and their number, so that
// all but the first are recognised and not parsed.
func (d *responsesDecoder) parse(data []byte) error {
	var f strictjson.Filling
	if d.w = d.mem.Match(data, &f); d.w != nil {
		d.w.delta, d.w.sequence = text{f.Text, f.Escaped}, f.Int
		return nil
	}
	d.w = &d.own
	if err := d.own.parse(&d.cur, data); err != nil {
		return err
	}
	const piece = rType | rIndex | rContent | rSummary | rSequence | rItemIDMember | rDelta
	if w := d.w; w.seen&rDelta != 0 && w.seen&^piece == 0 {
		d.mem.Learn(data, w.holes[:w.nholes], func(w *responsesWire, data []byte) {
			var c strictjson.Cursor
			w.parse(&c, data)
		})
	}
	return nil
}

// untyped reads the one thing that makes sense without a type: an error. Compatible servers send the
// object of their Chat endpoint.
func (d *responsesDecoder) untyped(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if d.w.fault != nil || string(f.Event) == "error" {
		return d.fault(events), nil
	}
	return events, malformed(nil, "an event without a type")
}

// event reads the events about the turn; what belongs to an item is itemEvent's.
func (d *responsesDecoder) event(events []wholecall.Event) ([]wholecall.Event, error) {
	switch string(d.w.typ) {
	case "response.created":
		return d.created(events)
	case "response.in_progress", "response.queued":
		return d.progress(events)
	case "response.completed", "response.incomplete":
		return d.terminal(d.missing(events))
	case "response.failed", "response.cancelled":
		return d.broken(events)
	case "error":
		return d.fault(events), nil
	case "keepalive":
		return events, nil
	}
	return d.itemEvent(d.missing(events))
}

// itemEvent reads the events about items. Those that only tell how far a call of the provider has come,
// and those that preview what output_item.done carries whole, say nothing here. The bytes of audio are
// no text; they are passed over like what is not known.
func (d *responsesDecoder) itemEvent(events []wholecall.Event) ([]wholecall.Event, error) {
	switch string(d.w.typ) {
	case "response.output_item.added":
		return d.added(events)
	case "response.output_item.done":
		return d.itemDone(events)

	case "response.function_call_arguments.delta":
		return d.fragment(events, functionItem)
	case "response.function_call_arguments.done":
		return d.copyDone(events, functionItem, rArguments)
	case "response.custom_tool_call_input.delta":
		return d.fragment(events, customItem)
	case "response.custom_tool_call_input.done":
		return d.copyDone(events, customItem, rInput)
	case "response.mcp_call_arguments.delta":
		return d.fragment(events, mcpItem)
	case "response.mcp_call_arguments.done":
		return d.copyDone(events, mcpItem, rArguments)
	case "response.code_interpreter_call_code.delta":
		return d.fragment(events, codeItem)
	case "response.code_interpreter_call_code.done":
		d.w.whole = d.w.code
		return d.copyDone(events, codeItem, rCode)

	case "response.output_text.annotation.added":
		return d.annotate(events)
	case "response.audio.transcript.delta":
		return d.transcript(events)
	case "response.audio.transcript.done":
		return d.transcriptDone(events), nil

	case "response.web_search_call.in_progress", "response.web_search_call.searching", "response.web_search_call.completed",
		"response.file_search_call.in_progress", "response.file_search_call.searching", "response.file_search_call.completed",
		"response.image_generation_call.in_progress", "response.image_generation_call.generating",
		"response.image_generation_call.partial_image", "response.image_generation_call.completed",
		"response.code_interpreter_call.in_progress", "response.code_interpreter_call.interpreting", "response.code_interpreter_call.completed",
		"response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed",
		"response.mcp_list_tools.in_progress", "response.mcp_list_tools.completed", "response.mcp_list_tools.failed",
		"response.shell_call_command.added", "response.shell_call_command.delta", "response.shell_call_command.done",
		"response.shell_call_output_content.delta", "response.shell_call_output_content.done",
		"response.apply_patch_call_operation_diff.delta", "response.apply_patch_call_operation_diff.done":
		return events, nil
	}
	if r := textRule(string(d.w.typ)); r != nil {
		return d.textEvent(events, r)
	}
	return d.unknown(events)
}

// unknown passes over an event of a type that this version does not know; but if that looks like a
// piece of a call, something of its arguments could be in it.
func (d *responsesDecoder) unknown(events []wholecall.Event) ([]wholecall.Event, error) {
	w := d.w
	if strings.HasSuffix(string(w.typ), "delta") && w.seen&rIndex != 0 {
		if s := d.find(w.index); s != nil && s.kind.isCall() {
			return events, d.failure(wholecall.UnknownDelta, s, "a "+string(w.typ)+" for a call")
		}
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
}

// number checks the sequence number of an event: each is one more than the one before, whatever the
// event. Where replayed events may be dropped, drop says that this is one.
func (d *responsesDecoder) number(events []wholecall.Event, data []byte) (_ []wholecall.Event, drop bool, err error) {
	n := d.w.sequence
	switch {
	case !d.numbered && (n == 0 || n == 1), d.numbered && n == d.last+1:
	case !d.numbered:
		events, err = d.gap(events, d.on.resumedStream, rResumedStream, "the first event is not the first of its stream")
	case n > d.last:
		events, err = d.gap(events, d.on.sequenceGap, rSequenceGap, "events are missing")
	default:
		if drop, err = d.again(data); drop {
			return append(events, deviate(rReplayedEvents)), true, nil
		}
	}
	if err != nil {
		return events, false, err
	}
	d.numbered, d.last = true, n
	if d.hashes != nil {
		d.hashes[n] = maphash.Bytes(d.seed, data)
	}
	return events, false, nil
}

func (d *responsesDecoder) gap(events []wholecall.Event, allowed bool, name, detail string) ([]wholecall.Event, error) {
	if allowed {
		return append(events, deviate(name)), nil
	}
	return events, &wholecall.ProtocolError{Kind: wholecall.SequenceGap, Switch: name, Detail: detail}
}

// again decides about an event whose number is not above the last. A second response.created is left
// to its own rule.
func (d *responsesDecoder) again(data []byte) (drop bool, err error) {
	if d.hashes != nil {
		if h, ok := d.hashes[d.w.sequence]; ok && h == maphash.Bytes(d.seed, data) {
			return true, nil
		}
	}
	if string(d.w.typ) == "response.created" && d.begun {
		return false, nil
	}
	e := &wholecall.ProtocolError{Kind: wholecall.SequenceReplay, Switch: rReplayedEvents,
		Detail: "an event's number is not above the one before"}
	if d.hashes != nil {
		e.Switch, e.Detail = "", "an event's number is not above the one before, and the event is not the one that had it"
	}
	return false, e
}

// End implements wholecall.Decoder.
func (d *responsesDecoder) End(events []wholecall.Event) []wholecall.Event {
	if d.ended {
		return events
	}
	return d.announcePending(events)
}

// Begins implements wholecall.Decoder.
func (d *responsesDecoder) Begins(f *frame.Frame) bool {
	var w responsesWire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == "response.created"
}

// missing reports, once, that the stream does not begin with response.created. No call is lost by that:
// each is announced by its own item.
func (d *responsesDecoder) missing(events []wholecall.Event) []wholecall.Event {
	if !d.begun && !d.started {
		events = append(events, deviate(rMissingStart))
	}
	d.started = true
	return events
}

// failure makes an error about an item.
func (d *responsesDecoder) failure(kind wholecall.Kind, s *itemState, detail string) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: s.key(), ID: s.callID, Name: s.name, Detail: detail}
}

// missingPosition makes the error for an event without an index that it needs.
func missingPosition(w *responsesWire, member string) error {
	return &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a " + string(w.typ) + " without " + member}
}
