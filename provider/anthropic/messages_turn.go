package anthropic

import (
	"bytes"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// message is the message of message_start.
type message struct {
	seen           uint32
	id, model      []byte
	content, usage []byte
	stop           []byte
}

func parseMessage(c *strictjson.Cursor, raw []byte) (message, error) {
	var m message
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			m.member(c, name)
		}
	}
	if err := c.Err(); err != nil {
		return m, malformed(err, "the message of message_start is malformed: %v", err)
	}
	return m, nil
}

func (m *message) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "id":
		m.id, bit = own(c), 1
	case "model":
		m.model, bit = own(c), 2
	case "content":
		m.content, _ = c.Raw()
		bit = 4
	case "usage":
		m.usage, _ = c.Raw()
		bit = 8
	case "stop_reason":
		m.stop, bit = own(c), 16
	default:
		c.Skip()
		return
	}
	if !once(&m.seen, bit) {
		c.Refuse(strictjson.Duplicate)
	}
}

// messageStart begins the turn. A message that continues a program's calls holds them whole in its
// content, and no block event follows (programmatic tool calling).
func (d *decoder) messageStart(events []wholecall.Event) ([]wholecall.Event, error) {
	m, err := parseMessage(&d.sub, d.w.msg)
	if err != nil {
		return events, err
	}
	if d.begun {
		return d.secondStart(events, &m)
	}
	d.begun, d.id = true, bytes.Clone(m.id)
	events = append(events, wholecall.Event{Kind: wholecall.Begin, ID: m.id, Name: m.model})
	events, err = d.report(events, m.usage)
	if err != nil {
		return events, err
	}
	if events, err = d.content(events, m.content); err != nil {
		return events, err
	}
	if len(m.stop) > 0 {
		events = d.stop(events, m.stop)
	}
	return events, nil
}

func (d *decoder) secondStart(events []wholecall.Event, m *message) ([]wholecall.Event, error) {
	same := !d.started && bytes.Equal(d.id, m.id)
	if same && d.repeatedStart {
		return append(events, deviate(repeatedStart)), nil
	}
	e := &wholecall.ProtocolError{Kind: wholecall.Restarted, Detail: "a second message_start"}
	if same {
		e.Switch = repeatedStart
	}
	return events, e
}

// content reads the blocks that stand whole in message_start. Their keys are their places, which are
// what block events would count on from.
func (d *decoder) content(events []wholecall.Event, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '[' {
		return events, nil
	}
	var list strictjson.Cursor
	list.Reset(raw)
	list.Array()
	for n := int32(0); list.Element(); n++ {
		one, _ := list.Raw()
		var err error
		if events, err = d.startBlock(events, n, one, true); err != nil {
			return events, err
		}
		d.w.index = n
		if events, err = d.endWhole(events, n); err != nil {
			return events, err
		}
	}
	return events, nil
}

func (d *decoder) endWhole(events []wholecall.Event, index int32) ([]wholecall.Event, error) {
	d.w.seen |= hasIndex
	d.w.index = index
	return d.blockStop(events)
}

func (d *decoder) messageDelta(events []wholecall.Event) ([]wholecall.Event, error) {
	if d.w.seen&hasDelta == 0 {
		return events, malformed(nil, "a message_delta without a delta")
	}
	events, err := d.report(d.missing(events), d.w.usage)
	if err != nil {
		return events, err
	}
	if d.w.delta.hasStop {
		events = d.stop(events, d.w.delta.stop)
	}
	return events, nil
}

func (d *decoder) stop(events []wholecall.Event, reason []byte) []wholecall.Event {
	d.stopped = true
	return append(events, wholecall.Event{Kind: wholecall.Stop, Name: reason,
		Reason: reasonOf(string(reason)), Promises: string(reason) == "tool_use"})
}

// reasonOf says what a stop reason means for a call that has no end of its own: "" where the model
// stopped because it was done. A reason that this version does not know is taken for a good one: it
// completes nothing that was not ended by its own block.
func reasonOf(stop string) wholecall.Reason {
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		return wholecall.ReasonTokenLimit
	case "refusal":
		return wholecall.ReasonRefusal
	case "pause_turn":
		return wholecall.ReasonPaused
	}
	return ""
}

// report hands on token counts, which are cumulative: each report overwrites what it names.
func (d *decoder) report(events []wholecall.Event, raw []byte) ([]wholecall.Event, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return events, nil
	}
	c := &d.sub
	c.Reset(raw)
	for c.Object(); ; {
		name, ok := c.Member()
		if !ok {
			break
		}
		var n *int64
		switch string(name) {
		case "input_tokens":
			n = &d.usage.Input
		case "output_tokens":
			n = &d.usage.Output
		case "cache_read_input_tokens":
			n = &d.usage.CacheRead
		case "cache_creation_input_tokens":
			n = &d.usage.CacheWrite
		}
		if n == nil || c.Peek() != '0' {
			c.Skip()
			continue
		}
		*n, _ = c.Int()
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: d.usage, Data: raw}), nil
}

// fault hands on the provider's own error.
func (d *decoder) fault(events []wholecall.Event) ([]wholecall.Event, error) {
	ev := wholecall.Event{Kind: wholecall.Failure}
	if raw := d.w.fault; len(raw) > 0 && raw[0] == '{' {
		c := &d.sub
		c.Reset(raw)
		for c.Object(); ; {
			name, ok := c.Member()
			if !ok {
				break
			}
			switch {
			case string(name) == "type" && c.Peek() == '"':
				ev.Name = own(c)
			case string(name) == "message" && c.Peek() == '"':
				ev.Data = own(c)
			default:
				c.Skip()
			}
		}
	}
	return append(events, ev), nil
}
