package ollama

import (
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// decoder reads one stream.
type decoder struct {
	cur strictjson.Cursor
	sub strictjson.Cursor // for values inside the line
	w   line

	begun bool
	run   wholecall.PartKind // the kind of the open run of text, 0 where there is none
	runs  int32
	calls []callState
}

// callState is what the decoder knows of a call.
type callState struct {
	index      int32
	hasIndex   bool
	name, args string // of a call that has an index and no id
}

func (d *decoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if err := w.parse(&d.cur, f.Data); err != nil {
		return events, err
	}
	if w.seen&hasFault == 0 && w.seen&hasMessage == 0 && !w.done {
		return events, malformed(nil, "a line without a message; /api/generate is another protocol")
	}
	if !d.begun && w.seen&hasMessage != 0 {
		d.begun = true
		events = append(events, wholecall.Event{Kind: wholecall.Begin, Name: w.model})
	}
	events = d.text(events, wholecall.ReasoningPart, w.thinking)
	events = d.text(events, wholecall.TextPart, w.content)
	events, err := d.pictures(events)
	if err != nil {
		return events, err
	}
	for i := range w.entries {
		if events, err = d.call(events, &w.entries[i]); err != nil {
			return events, err
		}
	}
	switch {
	case w.seen&hasFault != 0:
		return append(events, d.fault()), nil
	case w.done:
		return d.done(events), nil
	}
	return events, nil
}

// End implements wholecall.Decoder. Nothing ends a turn but a line that says done.
func (d *decoder) End(events []wholecall.Event) []wholecall.Event { return events }

// Begins implements wholecall.Decoder: behind the end, any message begins another turn.
func (d *decoder) Begins(f *frame.Frame) bool {
	var w line
	return w.parse(&d.sub, f.Data) == nil && w.seen&hasMessage != 0
}

func deviate(name string) wholecall.Event {
	return wholecall.Event{Kind: wholecall.Deviate, Name: []byte(name)}
}

// text reads a piece of text. Runs of one kind are one part; another kind, or a call, ends the run.
func (d *decoder) text(events []wholecall.Event, kind wholecall.PartKind, t text) []wholecall.Event {
	if len(t.raw) == 0 {
		return events
	}
	if d.run != kind {
		events = d.begin(events)
		d.run = kind
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: d.runKey()})
	}
	return append(events, wholecall.Event{Kind: wholecall.Delta, Key: d.runKey(), Data: t.raw, Escaped: t.escaped})
}

func (d *decoder) runKey() wholecall.Key { return wholecall.Key{Sub: d.runs} }

// begin ends the open run and takes the key of the next part.
func (d *decoder) begin(events []wholecall.Event) []wholecall.Event {
	events = d.endRun(events)
	d.runs++
	return events
}

func (d *decoder) endRun(events []wholecall.Event) []wholecall.Event {
	if d.run == 0 {
		return events
	}
	d.run = 0
	return append(events, wholecall.Event{Kind: wholecall.ClosePart, Key: d.runKey()})
}

// picture is the name of a part that is an image; its JSON is the string that holds it in base64.
const picture = "image"

// pictures reads the images that a message holds.
func (d *decoder) pictures(events []wholecall.Event) ([]wholecall.Event, error) {
	raw := d.w.images
	if len(raw) == 0 || raw[0] == 'n' {
		return events, nil
	}
	c := &d.sub
	c.Reset(raw)
	for c.Array(); c.Element(); {
		one, _ := c.Raw()
		events = d.begin(events)
		events = append(events, wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: d.runKey(), Name: []byte(picture), Data: one},
			wholecall.Event{Kind: wholecall.ClosePart, Key: d.runKey()})
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "the images are no list: %v", err)
	}
	return events, nil
}

// call reads a whole call: its announcement, its document and its end.
func (d *decoder) call(events []wholecall.Event, e *entry) ([]wholecall.Event, error) {
	key := wholecall.Key{Index: int32(len(d.calls))}
	if e.seen&hasFunction == 0 {
		return events, malformed(nil, "a call without a function")
	}
	events, err := d.place(d.endRun(events), e, key)
	if err != nil {
		return events, err
	}
	ev := wholecall.Event{Kind: wholecall.Announce, Key: key, ID: e.id, Name: e.name}
	if len(e.id) == 0 {
		ev.ID = strconv.AppendInt([]byte("wholecall_"), int64(len(d.calls)), 10)
		ev.Extra = []byte(`{"generated_id":true}`)
		events = append(events, deviate(generatedID))
	}
	events = append(events, ev)
	if e.args != nil {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: e.args})
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: key}), nil
}

// place notes a call, and holds its index against those before it.
func (d *decoder) place(events []wholecall.Event, e *entry, key wholecall.Key) ([]wholecall.Event, error) {
	st := callState{index: e.index, hasIndex: e.seen&hasIndex != 0}
	if st.hasIndex && len(e.id) == 0 {
		st.name, st.args = string(e.name), string(e.args)
	}
	reused := false
	for i := range d.calls {
		switch was := &d.calls[i]; {
		case !st.hasIndex || !was.hasIndex || was.index != st.index:
		case st.name != "" && *was == st:
			return events, &wholecall.ProtocolError{Kind: wholecall.DuplicateAnnouncement, HasKey: true, Key: key, Name: st.name,
				Detail: "the same call again at the same index, and without an id: it can't be told from a replay"}
		default:
			reused = true
		}
	}
	switch {
	case reused:
		events = append(events, deviate(reusedIndex))
	case st.hasIndex && st.index != key.Index:
		events = append(events, deviate(sparseIndex))
	}
	d.calls = append(d.calls, st)
	return events, nil
}

// done ends the turn. A line that says done and not why is what the server writes where its model's
// process went away: there is no stop reason then, and the turn is not complete.
func (d *decoder) done(events []wholecall.Event) []wholecall.Event {
	w := &d.w
	events = d.endRun(events)
	if w.seen&(hasInput|hasOutput) != 0 {
		events = append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: w.usage})
	}
	if len(w.reason) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Stop, Name: w.reason, Reason: reasonOf(string(w.reason))})
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal})
}

// reasonOf says what a done_reason means: "" where the model stopped because it was done, and where the
// request only loaded or unloaded it. No call hangs on it.
func reasonOf(reason string) wholecall.Reason {
	if reason == "length" {
		return wholecall.ReasonTokenLimit
	}
	return ""
}

// fault hands on the server's own error, which is a string. Proxies write objects with a message.
func (d *decoder) fault() wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Failure, Data: d.w.fault}
	c := &d.sub
	c.Reset(d.w.fault)
	var seen uint32
	switch c.Peek() {
	case '"':
		ev.Data = word(c, &seen, hasFault)
	case '{':
		c.Object()
		for name, ok := c.Member(); ok; name, ok = c.Member() {
			if string(name) == "message" && c.Peek() == '"' {
				ev.Data = word(c, &seen, hasMessage)
				continue
			}
			c.Skip()
		}
	}
	return ev
}
