package openai

import (
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// chatDecoder reads one stream.
type chatDecoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor
	own chunk                    // what was parsed last
	w   *chunk                   // what the frame holds: own, or the shape that it matched
	mem strictjson.Shapes[chunk] // the shapes of the last pieces
	on  chatSwitches

	begun    bool
	id       string
	sentinel bool // [DONE] was seen
	ended    bool // the terminal was emitted
	choices  []choiceState
	calls    []callState
	last     int
	check    strictjson.Checker
}

// choiceState is what the decoder knows of a choice.
type choiceState struct {
	index    int32
	finished bool
	finish   string
	waits    bool // its stop waits for [DONE]
	drifted  []int32
	run      wholecall.PartKind // the kind of the open run of text, 0 where there is none
	runs     int32
	calls    int32 // how many were announced
}

// callState is what the decoder knows of a call.
type callState struct {
	key     wholecall.Key
	id      string
	name    string
	custom  bool
	object  bool // its arguments came as an object
	bytes   bool // its arguments came as text
	retired bool // its index belongs to another call now
	pending bool // its announcement waits for an id or a name
	held    held
	extra   []byte // extra_content of the announcement: the signatures of Gemini stand there
}

func newChatDecoder(d wholecall.Dialect) *chatDecoder {
	return &chatDecoder{on: newChatSwitches(d)}
}

func (d *chatDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if done(f.Data) {
		return d.done(events)
	}
	if err := d.parse(f.Data); err != nil {
		return events, err
	}
	w := d.w
	events = d.begin(events)
	for i := range w.choices {
		var err error
		if events, err = d.choice(events, &w.choices[i]); err != nil {
			return events, err
		}
	}
	if len(w.usage) > 0 && w.usage[0] == '{' {
		var err error
		if events, err = d.report(events); err != nil {
			return events, err
		}
	}
	switch {
	case w.seen&hasFault != 0:
		return d.fault(events, w.fault), nil
	case string(f.Event) == "error", string(w.object) == "error":
		return append(events, wholecall.Event{Kind: wholecall.Failure, Data: w.message}), nil
	}
	return events, nil
}

// parse reads the payload of a frame. Chunks that add to one call or to the text differ in that text
// alone, so that all but the first are recognised and not parsed.
func (d *chatDecoder) parse(data []byte) error {
	var f strictjson.Filling
	if d.w = d.mem.Match(data, &f); d.w != nil {
		*d.w.main = text{f.Text, f.Escaped}
		return nil
	}
	d.w = &d.own
	if err := d.own.parse(&d.cur, data); err != nil {
		return err
	}
	if t, hole := d.own.piece(); t != nil {
		holes := [2]strictjson.Hole{hole, d.own.padding}
		switch {
		case d.own.padding.Kind == 0:
			d.mem.Learn(data, holes[:1], parseChunk)
		default:
			if d.own.padding.From < hole.From {
				holes[0], holes[1] = holes[1], holes[0]
			}
			d.mem.Learn(data, holes[:], parseChunk)
		}
	}
	return nil
}

// begin begins the turn with the first chunk that says anything of it. The chunk's id is no identity
// of the stream: several servers change it, which is counted.
func (d *chatDecoder) begin(events []wholecall.Event) []wholecall.Event {
	w := d.w
	if !d.begun {
		if len(w.id) == 0 && len(w.choices) == 0 {
			return events
		}
		d.begun, d.id = true, string(w.id)
		return append(events, wholecall.Event{Kind: wholecall.Begin, ID: w.id, Name: w.model})
	}
	if len(w.id) > 0 && string(w.id) != d.id {
		events = append(events, deviate(chunkIDVaries))
		d.id = string(w.id)
	}
	return events
}

// done reads the sentinel. It ends the turn only where every choice has said why it stopped.
func (d *chatDecoder) done(events []wholecall.Event) ([]wholecall.Event, error) {
	d.sentinel = true
	for i := range d.choices {
		var err error
		switch st := &d.choices[i]; {
		case st.waits:
			st.waits = false
			events, err = d.stop(events, st)
		case d.on.noFinish && !st.finished:
			st.finished = true
			events, err = d.stop(append(events, deviate(noFinish)), st)
		}
		if err != nil {
			return events, err
		}
	}
	if !d.finished() || d.ended {
		return events, nil
	}
	d.ended = true
	return append(events, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// finished reports whether there is a choice, and every choice has said why it stopped.
func (d *chatDecoder) finished() bool {
	for i := range d.choices {
		if !d.choices[i].finished || d.choices[i].waits {
			return false
		}
	}
	return len(d.choices) > 0
}

// DecodeStray implements wholecall.StrayDecoder: llama.cpp and what is built on it have written errors
// as a field named "error", which a standard reader ignores.
func (d *chatDecoder) DecodeStray(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	if ev, ok := strayFailure(&d.sub, f.Stray); ok {
		events = append(events, ev)
	}
	return events, nil
}

// End implements wholecall.Decoder. A finish reason is enough: a missing [DONE] behind it loses
// nothing.
func (d *chatDecoder) End(events []wholecall.Event) []wholecall.Event {
	switch {
	case d.ended:
	case d.finished():
		d.ended = true
		events = append(events, wholecall.Event{Kind: wholecall.Terminal})
	case d.sentinel && len(d.choices) > 0:
		events = append(events, wholecall.Event{Kind: wholecall.Hint, Name: []byte(noFinish)})
	}
	return events
}

// Begins implements wholecall.Decoder: behind [DONE], whatever has a choice begins another turn.
func (d *chatDecoder) Begins(f *frame.Frame) bool {
	var w chunk
	return d.sentinel && !done(f.Data) && w.parse(&d.sub, f.Data) == nil && w.seen&hasChoices != 0
}

func (d *chatDecoder) state(index int32) *choiceState {
	for i := range d.choices {
		if d.choices[i].index == index {
			return &d.choices[i]
		}
	}
	d.choices = append(d.choices, choiceState{index: index})
	return &d.choices[len(d.choices)-1]
}

// choice reads one choice of a chunk: its text, then its calls, then its finish reason, since a call
// may arrive in the chunk that finishes its choice.
func (d *chatDecoder) choice(events []wholecall.Event, ch *choice) ([]wholecall.Event, error) {
	if ch.seen&hasMessage != 0 {
		events = append(events, deviate(messageInChunk))
	}
	index := ch.index
	if ch.seen&hasIndex == 0 {
		if len(d.w.choices) > 1 {
			return events, &wholecall.ProtocolError{Kind: wholecall.MissingIndex, Detail: "one of several choices without an index"}
		}
		events = append(events, deviate(missingChoiceIndex))
	}
	if d.on.choiceIndexVaries && index != 0 {
		events = append(events, deviate(choiceIndexVaries))
		index = 0
	}
	st := d.state(index)
	events = d.text(events, st, wholecall.ReasoningPart, ch.reasoning)
	events = d.text(events, st, wholecall.TextPart, ch.content)
	events = d.text(events, st, wholecall.RefusalPart, ch.refusal)
	events = d.text(events, st, wholecall.TranscriptPart, ch.transcript)
	var err error
	for i := ch.from; i < ch.to; i++ {
		if events, err = d.entry(events, st, &d.w.entries[i]); err != nil {
			return events, err
		}
	}
	if ch.seen&hasLegacy != 0 {
		if events, err = d.legacy(events, st, &ch.legacy); err != nil {
			return events, err
		}
	}
	if ch.seen&hasFinish != 0 {
		return d.finish(events, st, ch)
	}
	return events, nil
}

// text reads a piece of text. Runs of one kind are one part; another kind, or a call, ends the run.
func (d *chatDecoder) text(events []wholecall.Event, st *choiceState, kind wholecall.PartKind, t text) []wholecall.Event {
	if len(t.raw) == 0 {
		return events
	}
	if st.run != kind {
		events = d.endRun(events, st)
		st.run = kind
		st.runs++
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: st.runKey()})
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: st.runKey(), Data: t.raw, Escaped: t.escaped})
}

func (st *choiceState) runKey() wholecall.Key {
	return wholecall.Key{Choice: st.index, Sub: st.runs}
}

func (d *chatDecoder) endRun(events []wholecall.Event, st *choiceState) []wholecall.Event {
	if st.run == 0 {
		return events
	}
	st.run = 0
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: st.runKey()})
}

// finish reads a finish reason. It ends every open call of its choice, whatever it says.
func (d *chatDecoder) finish(events []wholecall.Event, st *choiceState, ch *choice) ([]wholecall.Event, error) {
	reason := string(ch.finish)
	if reason == "" || reason == "None" {
		if d.on.emptyFinish {
			return append(events, deviate(emptyFinish)), nil
		}
		return events, &wholecall.ProtocolError{Kind: wholecall.DeviationRefused, Switch: emptyFinish,
			Detail: fmt.Sprintf("a finish_reason that is %q", reason)}
	}
	if reason == "error" {
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: ch.finish}), nil
	}
	if st.finished {
		return d.finishAgain(events, st, reason)
	}
	st.finished, st.finish = true, reason
	if d.on.lateDeltas {
		st.waits = true
		return events, nil
	}
	return d.stop(events, st)
}

// stop ends a choice, and with it every open call in it.
func (d *chatDecoder) stop(events []wholecall.Event, st *choiceState) ([]wholecall.Event, error) {
	events, err := d.settle(d.endRun(events, st), st)
	if err != nil {
		return events, err
	}
	if st.finish == "stop" && st.calls > 0 {
		events = append(events, deviate(finishStopOnCalls))
	}
	return append(events, wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: st.index}, Name: []byte(st.finish),
		Reason: chatReason(st.finish), Ends: true, Promises: st.finish == "tool_calls" || st.finish == "function_call"}), nil
}

func (d *chatDecoder) finishAgain(events []wholecall.Event, st *choiceState, reason string) ([]wholecall.Event, error) {
	worse := chatReason(reason) != "" && chatReason(st.finish) == ""
	if d.on.repeatedFinish && !worse {
		return append(events, deviate(repeatedFinish)), nil
	}
	e := &wholecall.ProtocolError{Kind: wholecall.RepeatedFinish,
		Detail: fmt.Sprintf("choice %d finishes with %q, and had finished with %q", st.index, reason, st.finish)}
	if !worse {
		e.Switch = repeatedFinish
	}
	return events, e
}

// chatReason says what a finish reason means for a call whose document is not whole: "" where the
// model stopped because it was done. A reason that is not OpenAI's is taken for a good one, since any
// finish but a cut ends the calls of its choice.
func chatReason(finish string) wholecall.Reason {
	switch finish {
	case "length", "max_tokens":
		return wholecall.ReasonTokenLimit
	case "content_filter":
		return wholecall.ReasonContentFilter
	}
	return ""
}

func (d *chatDecoder) report(events []wholecall.Event) ([]wholecall.Event, error) {
	var u wholecall.Usage
	c := &d.sub
	c.Reset(d.w.usage)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "prompt_tokens":
			u.Input = countOf(c)
		case "completion_tokens":
			u.Output = countOf(c)
		case "prompt_tokens_details":
			u.CacheRead = countIn(c, "cached_tokens")
		case "completion_tokens_details":
			u.Reasoning = countIn(c, "reasoning_tokens")
		default:
			c.Skip()
		}
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: d.w.usage}), nil
}

// countOf reads a count of tokens; whatever is no whole number counts 0.
func countOf(c *strictjson.Cursor) int64 {
	if c.Peek() != '0' {
		c.Skip()
		return 0
	}
	n, _ := c.Int()
	return n
}

// countIn reads a count of tokens out of an object of details.
func countIn(c *strictjson.Cursor, want string) int64 {
	if c.Peek() != '{' {
		c.Skip()
		return 0
	}
	var n int64
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == want {
			n = countOf(c)
		} else {
			c.Skip()
		}
	}
	return n
}

// fault hands on the provider's own error, whose code may be text or a number.
func (d *chatDecoder) fault(events []wholecall.Event, raw []byte) []wholecall.Event {
	return append(events, failure(&d.sub, raw))
}

// failure reads an error object: {type, code, message}, or a bare string.
func failure(c *strictjson.Cursor, raw []byte) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure}
	c.Reset(raw)
	if c.Peek() == '"' {
		ev.Data = own(c)
		return ev
	}
	if c.Peek() != '{' {
		ev.Data = raw
		return ev
	}
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		var to *[]byte
		switch string(name) {
		case "type":
			to = &ev.Name
		case "code":
			to = &ev.ID
		case "message":
			to = &ev.Data
		}
		switch {
		case to == nil:
			c.Skip()
		case c.Peek() == '"':
			*to = own(c)
		case c.Peek() == '0', c.Peek() == '-':
			*to, _ = c.Raw()
		default:
			c.Skip()
		}
	}
	return ev
}
