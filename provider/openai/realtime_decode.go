package openai

import (
	"bytes"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// realtimeDecoder reads the responses of one turn.
type realtimeDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the event
	w   realtimeWire

	emptyArguments bool

	responses []realtimeResponse
	open      int  // how many of them are not done
	ended     bool // the terminal was emitted
	usage     wholecall.Usage

	// fault is the last error event, where nothing of a response followed it.
	fault  wholecall.Event
	faulty bool

	scratch []byte
}

// realtimeResponse is what the decoder knows of a response.
type realtimeResponse struct {
	id     string
	choice int32
	open   bool
	items  []realtimeItem
}

// realtimeItem is what the decoder knows of an item.
type realtimeItem struct {
	key  wholecall.Key
	kind itemKind // functionItem, mcpItem, messageItem or dataItem
	open bool

	typ, id, callID, name string

	// The rest is for calls.
	confirmed bool             // a copy of the whole call was seen
	listed    bool             // it stands in response.done
	reason    wholecall.Reason // what the item's own status says

	parts []partState // of a message
}

func (d *realtimeDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	typ := realtimeType(w.typ)
	switch {
	case w.seen&rtType == 0:
		return events, malformed(nil, "an event without a type")
	case typ == "error":
		return d.errorEvent(events), nil
	case aside(typ):
		return events, nil
	case !strings.HasPrefix(typ, "response."):
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: w.typ}), nil
	}
	events, err := d.response(events, typ)
	d.faulty = false
	return events, err
}

// The types of the events that come with every piece.
const (
	rtArgumentsDelta  = "response.function_call_arguments.delta"
	rtOutputTextDelta = "response.output_text.delta"
	rtTranscriptDelta = "response.output_audio_transcript.delta"
)

// realtimeType is the type as a string: for those that come with every piece, without an allocation.
func realtimeType(b []byte) string {
	switch string(b) {
	case rtArgumentsDelta:
		return rtArgumentsDelta
	case rtOutputTextDelta:
		return rtOutputTextDelta
	case rtTranscriptDelta:
		return rtTranscriptDelta
	}
	return string(b)
}

// response reads the events about a response.
func (d *realtimeDecoder) response(events []wholecall.Event, typ string) ([]wholecall.Event, error) {
	switch typ {
	case "response.created":
		return d.created(events)
	case "response.done":
		return d.done(events)
	case "response.output_item.added":
		return d.added(events)
	case "response.output_item.done":
		return d.itemDone(events)
	case rtArgumentsDelta:
		return d.fragment(events, functionItem)
	case "response.function_call_arguments.done":
		return d.argumentsDone(events, functionItem)
	case "response.mcp_call_arguments.delta":
		return d.fragment(events, mcpItem)
	case "response.mcp_call_arguments.done":
		return d.argumentsDone(events, mcpItem)
	case "response.content_part.added":
		return d.partAdded(events)
	case "response.content_part.done":
		return d.partDone(events)
	case rtOutputTextDelta, "response.text.delta":
		return d.textDelta(events, wholecall.TextPart)
	case "response.output_text.done", "response.text.done":
		return d.textDone(events, wholecall.TextPart, rtText)
	case rtTranscriptDelta, "response.audio_transcript.delta":
		return d.textDelta(events, wholecall.TranscriptPart)
	case "response.output_audio_transcript.done", "response.audio_transcript.done":
		return d.textDone(events, wholecall.TranscriptPart, rtTranscript)
	}
	if progress(typ) {
		return events, nil
	}
	return d.unknown(events, typ)
}

// unknown passes over an event of a type that this version does not know; but if that looks like a piece
// of a call, something of its arguments could be in it.
func (d *realtimeDecoder) unknown(events []wholecall.Event, typ string) ([]wholecall.Event, error) {
	if r := d.find(d.w.responseID); strings.HasSuffix(typ, ".delta") && r != nil && d.w.seen&rtIndex != 0 {
		if it := r.find(d.w.index); it != nil && it.kind.isCall() {
			return events, it.failure(wholecall.UnknownDelta, "a "+typ+" for a call")
		}
	}
	return append(events, wholecall.Event{Kind: wholecall.Pass, Name: d.w.typ}), nil
}

// errorEvent keeps an error for the case that nothing follows it.
func (d *realtimeDecoder) errorEvent(events []wholecall.Event) []wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure}
	if d.w.fault != nil {
		ev = failure(&d.sub, d.w.fault)
	}
	d.fault = wholecall.Event{Kind: ev.Kind, ID: bytes.Clone(ev.ID), Name: bytes.Clone(ev.Name), Data: bytes.Clone(ev.Data)}
	d.faulty = true
	return append(events, deviate(rtErrorEvent))
}

// End implements wholecall.Decoder. An error that nothing followed is what ended the stream.
func (d *realtimeDecoder) End(events []wholecall.Event) []wholecall.Event {
	if d.faulty && !d.ended {
		return append(events, d.fault)
	}
	return events
}

// Begins implements wholecall.Decoder.
func (d *realtimeDecoder) Begins(f *frame.Frame) bool {
	var w realtimeWire
	return w.parse(&d.sub, f.Data) == nil && string(w.typ) == "response.created"
}

func (d *realtimeDecoder) find(id []byte) *realtimeResponse {
	for i := len(d.responses) - 1; i >= 0; i-- {
		if d.responses[i].id == string(id) {
			return &d.responses[i]
		}
	}
	return nil
}

func (d *realtimeDecoder) add(id []byte) *realtimeResponse {
	d.responses = append(d.responses, realtimeResponse{id: string(id), choice: int32(len(d.responses)), open: true})
	d.open++
	return &d.responses[len(d.responses)-1]
}

// created begins a response: the turn, or another choice of it.
func (d *realtimeDecoder) created(events []wholecall.Event) ([]wholecall.Event, error) {
	resp, err := parseResponse(&d.sub, d.w.response)
	if err != nil {
		return events, err
	}
	detail := ""
	switch {
	case len(resp.id) == 0:
		return events, malformed(nil, "a response.created without the response's id")
	case d.find(resp.id) != nil:
		detail = "a second response.created of one response, or one behind its first item"
	case d.ended:
		detail = "another response begins behind the end of the turn: several turns of one socket are read one by one"
	}
	if detail != "" {
		return events, &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: detail}
	}
	if d.add(resp.id).choice == 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Begin, ID: resp.id, Name: resp.model})
	}
	return events, nil
}

// current returns the open response that the event belongs to. An item may be the first that is seen of
// one, and so may its end: no call is lost by that, since each is announced by its own item.
func (d *realtimeDecoder) current(events []wholecall.Event, id []byte, first bool) (*realtimeResponse, []wholecall.Event, error) {
	if len(id) == 0 {
		return nil, events, missingResponse(d.w.typ)
	}
	r := d.find(id)
	switch {
	case r == nil && first && !d.ended:
		return d.add(id), append(events, deviate(rMissingStart)), nil
	case r == nil:
		return nil, events, &wholecall.ProtocolError{Kind: wholecall.Unannounced,
			Detail: "a " + string(d.w.typ) + " for a response that was never created"}
	case !r.open:
		return nil, events, &wholecall.ProtocolError{Kind: wholecall.Late,
			Detail: "a " + string(d.w.typ) + " for a response that is already done"}
	}
	return r, events, nil
}

func missingResponse(typ []byte) error {
	return &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a " + string(typ) + " without a response_id"}
}

func (r *realtimeResponse) find(index int32) *realtimeItem {
	for i := len(r.items) - 1; i >= 0; i-- {
		if r.items[i].key.Index == index {
			return &r.items[i]
		}
	}
	return nil
}

// item returns the open item that the event belongs to.
func (d *realtimeDecoder) item() (*realtimeItem, error) {
	w := &d.w
	r, _, err := d.current(nil, w.responseID, false)
	if err != nil {
		return nil, err
	}
	if w.seen&rtIndex == 0 {
		return nil, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "a " + string(w.typ) + " without output_index"}
	}
	it := r.find(w.index)
	switch {
	case it == nil:
		return nil, &wholecall.ProtocolError{Kind: wholecall.Unannounced, HasKey: true, ID: string(w.callID),
			Key: wholecall.Key{Choice: r.choice, Index: w.index}, Detail: "a " + string(w.typ) + " for an item that was never added"}
	case !it.open:
		return nil, it.failure(wholecall.Late, "a "+string(w.typ)+" for an item that is already done")
	case len(w.itemID) > 0 && it.id != "" && it.id != string(w.itemID):
		return nil, it.failure(wholecall.ConflictingIdentity, "a "+string(w.typ)+" with another item_id than its item")
	}
	return it, nil
}

// failure makes an error about an item.
func (it *realtimeItem) failure(kind wholecall.Kind, detail string) error {
	return &wholecall.ProtocolError{Kind: kind, HasKey: true, Key: it.key, ID: it.callID, Name: it.name, Detail: detail}
}
