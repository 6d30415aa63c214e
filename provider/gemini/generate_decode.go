package gemini

import (
	"bytes"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// generateDecoder reads one stream.
type generateDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the chunk
	w   chunk

	nameless bool // the dialect's switch

	begun      bool
	ended      bool
	id         []byte // of the response
	calls      int    // announced in the stream
	candidates []candidateState
	scratch    []byte // what the events of one frame borrow
}

// candidateState is what the decoder knows of a candidate.
type candidateState struct {
	index    int32
	calls    int32 // how many were announced
	run      wholecall.PartKind
	runs     int32 // how many parts that are no calls there were
	finished bool
	finish   string
	open     openCall
}

func newGenerateDecoder(d wholecall.Dialect) *generateDecoder {
	return &generateDecoder{nameless: d.Has(nameless)}
}

func (d *generateDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		// Not the protocol's: gateways add it. It neither ends the turn nor says that it was whole.
		return append(events, wholecall.Event{Kind: wholecall.Pass, Name: f.Data}), nil
	}
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	d.scratch = d.scratch[:0]
	events, err := d.begin(events)
	for i := 0; i < len(w.candidates) && err == nil; i++ {
		events, err = d.candidate(events, &w.candidates[i])
	}
	if err == nil {
		events, err = d.report(events)
	}
	if err == nil && len(w.feedback) > 0 {
		events, err = d.blocked(events)
	}
	if err == nil && len(w.fault) > 0 {
		events = append(events, failure(&d.sub, w.fault))
	}
	return events, err
}

// done reports whether the payload is the sentinel of other protocols.
func done(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

// DecodeStray implements wholecall.StrayDecoder: the API writes the body of an error response between the
// events, or behind them, without the name of a field.
func (d *generateDecoder) DecodeStray(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if ev, ok := strayFailure(&d.sub, f.Stray); ok {
		events = append(events, ev)
	}
	return events, nil
}

// End implements wholecall.Decoder. Nothing on the wire ends a turn, so that the end of the body does,
// where every candidate has said why it stopped: parts can come behind a finish reason.
func (d *generateDecoder) End(events []wholecall.Event) []wholecall.Event {
	if d.ended || len(d.candidates) == 0 {
		return events
	}
	for i := range d.candidates {
		if !d.candidates[i].finished {
			return events
		}
	}
	d.ended, d.scratch = true, d.scratch[:0]
	for i := range d.candidates {
		events = d.release(events, &d.candidates[i])
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal})
}

// Begins implements wholecall.Decoder.
func (d *generateDecoder) Begins(f *frame.Frame) bool {
	var w chunk
	return w.parse(&d.sub, f.Data) == nil && len(w.id) > 0 && !bytes.Equal(w.id, d.id)
}

// begin begins the turn with the first response. All of a stream have one id.
func (d *generateDecoder) begin(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	switch {
	case len(w.id) > 0 && len(d.id) > 0 && !bytes.Equal(w.id, d.id):
		return events, &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a response with another responseId"}
	case !d.begun && w.seen&^hasFault != 0:
		d.begun = true
		events = append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.id, Name: w.model})
	}
	if len(d.id) == 0 {
		d.id = append(d.id, w.id...)
	}
	return events, nil
}

func (d *generateDecoder) state(index int32) *candidateState {
	for i := range d.candidates {
		if d.candidates[i].index == index {
			return &d.candidates[i]
		}
	}
	d.candidates = append(d.candidates, candidateState{index: index})
	return &d.candidates[len(d.candidates)-1]
}

// candidate reads what a chunk says of one answer: its parts, then its finish reason, since a call may
// arrive in the chunk that finishes it.
func (d *generateDecoder) candidate(events []wholecall.Event, c *candidate) ([]wholecall.Event, error) {
	st := d.state(c.index)
	if st.finished && c.from < c.to {
		events = append(events, deviate(partsAfterFinish))
	}
	var err error
	for i := c.from; i < c.to; i++ {
		if events, err = d.part(events, st, &d.w.parts[i]); err != nil {
			return events, err
		}
	}
	events = d.notes(events, st, c)
	if c.finish != nil {
		return d.finish(events, st, c)
	}
	return events, nil
}

func (d *generateDecoder) part(events []wholecall.Event, st *candidateState, p *part) ([]wholecall.Event, error) {
	switch p.kind {
	case noPayload, textPayload:
		if len(p.text.raw) == 0 && len(p.signature.raw) == 0 {
			return events, nil
		}
		return d.text(d.release(events, st), st, p), nil
	case callPayload:
		return d.call(endRun(events, st), st, p)
	case codePayload, toolPayload:
		return d.serverCall(d.release(endRun(events, st), st), st, p)
	}
	return d.data(d.release(endRun(events, st), st), st, p), nil
}

// text reads a piece of text. Pieces of one kind that come one behind the other are one part. A signature
// belongs to the text that it stands with. Streamed answers have it in a piece of its own without text,
// where it signs the text before it; with text it signs that piece alone, which is a part of its own then.
func (d *generateDecoder) text(events []wholecall.Event, st *candidateState, p *part) []wholecall.Event {
	kind := wholecall.TextPart
	switch {
	case p.thought:
		kind = wholecall.ReasoningPart
	case p.kind == noPayload && st.run != 0:
		kind = st.run
	}
	signed := len(p.signature.raw) > 0
	if st.run != kind || signed && len(p.text.raw) > 0 {
		events = endRun(events, st)
		st.run = kind
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: st.nextRun()})
	}
	key := st.runKey()
	if len(p.text.raw) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Delta, Key: key, Data: p.text.raw, Escaped: p.text.escaped})
	}
	if !signed {
		return events
	}
	events = append(events, wholecall.Event{Kind: wholecall.Sign, Key: key, Data: p.signature.raw, Escaped: p.signature.escaped})
	return endRun(events, st)
}

func (st *candidateState) runKey() wholecall.Key {
	return wholecall.Key{Choice: st.index, Sub: st.runs}
}

func (st *candidateState) nextRun() wholecall.Key {
	st.runs++
	return st.runKey()
}

func endRun(events []wholecall.Event, st *candidateState) []wholecall.Event {
	if st.run == 0 {
		return events
	}
	st.run = 0
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: st.runKey()})
}

// data hands on a part that is neither text nor a call, as it stands.
func (d *generateDecoder) data(events []wholecall.Event, st *candidateState, p *part) []wholecall.Event {
	key := st.nextRun()
	return append(events,
		wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: p.name, Data: p.raw},
		wholecall.Event{Kind: wholecall.ClosePart, Key: key})
}

// notes hands on what is said about the text that is open: where it comes from. Without one there is
// nothing that it could be kept with.
func (d *generateDecoder) notes(events []wholecall.Event, st *candidateState, c *candidate) []wholecall.Event {
	for i, raw := range c.notes {
		switch {
		case raw == nil:
		case st.run == 0:
			events = append(events, wholecall.Event{Kind: wholecall.Pass, Name: []byte(noteNames[i])})
		default:
			from := len(d.scratch)
			d.scratch = append(appendMember(append(d.scratch, '{'), noteNames[i], raw), '}')
			events = append(events, wholecall.Event{Kind: wholecall.Annotate, Key: st.runKey(), Data: d.scratch[from:]})
		}
	}
	return events
}

// finish reads a finish reason. One that comes again says the same; the accumulator refuses another one.
func (d *generateDecoder) finish(events []wholecall.Event, st *candidateState, c *candidate) ([]wholecall.Event, error) {
	finish, err := finishWord(c)
	if err != nil {
		return events, err
	}
	events = d.release(endRun(events, st), st)
	if st.finished && st.finish == finish {
		return append(events, deviate(repeatedFinish)), nil
	}
	st.finished, st.finish = true, finish
	events = append(events, wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: st.index},
		Name: []byte(finish), Reason: reasonOf(finish)})
	if droppedCall(finish) {
		events = append(events, wholecall.Event{Kind: wholecall.Failure, Name: []byte(finish), Data: c.message})
	}
	return events, nil
}

func finishWord(c *candidate) (string, error) {
	if !c.number {
		return string(c.finish), nil
	}
	n, err := strconv.Atoi(string(c.finish))
	if err != nil || n >= len(finishNumbers) {
		return "", malformed(err, "a finishReason that is a number, and not one that has one meaning")
	}
	return finishNumbers[n], nil
}

// blocked reads what the API says of the prompt. Where it blocked it there is no answer.
func (d *generateDecoder) blocked(events []wholecall.Event) ([]wholecall.Event, error) {
	c := &d.sub
	var reason, message []byte
	c.Reset(d.w.feedback)
	members(c, func(name []byte) {
		switch {
		case string(name) == "blockReason" && c.Peek() == '0':
			reason, _ = c.Raw()
		case string(name) == "blockReason":
			reason = own(c)
		case string(name) == "blockReasonMessage":
			message = own(c)
		default:
			c.Skip()
		}
	})
	if err := c.Err(); err != nil {
		return events, malformed(err, "the promptFeedback is malformed: %v", err)
	}
	if len(reason) == 0 || string(reason) == "0" {
		return events, nil
	}
	if len(message) == 0 {
		message = []byte("the prompt was blocked")
	}
	return append(events, wholecall.Event{Kind: wholecall.Failure, Name: reason, Data: message}), nil
}

// report hands on token counts. What the model thinks is counted beside what it says.
func (d *generateDecoder) report(events []wholecall.Event) ([]wholecall.Event, error) {
	if len(d.w.usage) == 0 {
		return events, nil
	}
	var u wholecall.Usage
	c := &d.sub
	c.Reset(d.w.usage)
	members(c, func(name []byte) {
		switch string(name) {
		case "promptTokenCount", "toolUsePromptTokenCount":
			u.Input += countOf(c)
		case "candidatesTokenCount":
			u.Output += countOf(c)
		case "thoughtsTokenCount":
			u.Reasoning = countOf(c)
		case "cachedContentTokenCount":
			u.CacheRead = countOf(c)
		default:
			c.Skip()
		}
	})
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usageMetadata is malformed: %v", err)
	}
	u.Output += u.Reasoning
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: d.w.usage}), nil
}
