package gemini

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// generateEncoder writes one stream of events. A call is written when it is whole, and what began behind it
// in its candidate waits for it, so that parts come out in the order in which they began. Two texts that
// stand one behind the other come out as one: the protocol has no border between them.
type generateEncoder struct {
	id, model []byte
	items     []*item // not wholly written, in the order in which they began
	usage     []byte  // waits for the chunk that carries it
	dropped   *wholecall.Event
}

// Append implements wholecall.Encoder.
func (e *generateEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch ev.Kind {
	case wholecall.Begin:
		e.id, e.model = append(e.id[:0], ev.ID...), append(e.model[:0], ev.Name...)
	case wholecall.OpenPart:
		it, err := e.openPart(ev)
		return e.began(dst, it, err)
	case wholecall.Announce:
		it, err := announce(ev)
		return e.began(dst, it, err)
	case wholecall.Delta, wholecall.Sign, wholecall.Annotate, wholecall.ClosePart, wholecall.Fragment, wholecall.Document, wholecall.End:
		it := e.find(ev.Key)
		switch {
		case it == nil && ev.Final:
			return dst, nil // the wire has no copy of a call that was written
		case it == nil:
			return dst, fmt.Errorf("gemini: event kind %d for a part that never began", ev.Kind)
		}
		if err := e.piece(it, ev); err != nil {
			return dst, err
		}
		return e.flush(dst), nil
	case wholecall.UsageReport:
		e.report(ev)
	case wholecall.Stop:
		return e.stop(dst, ev)
	case wholecall.Terminal:
		return e.terminal(dst)
	case wholecall.Failure:
		return e.failure(dst, ev), nil
	case wholecall.Deviate, wholecall.Hint, wholecall.Pass:
	default:
		return dst, fmt.Errorf("gemini: event kind %d can't be expressed", ev.Kind)
	}
	return dst, nil
}

func (e *generateEncoder) began(dst []byte, it *item, err error) ([]byte, error) {
	if err != nil {
		return dst, err
	}
	e.items = append(e.items, it)
	return e.flush(dst), nil
}

func (e *generateEncoder) find(key wholecall.Key) *item {
	for _, it := range e.items {
		if it.key == key {
			return it
		}
	}
	return nil
}

func (e *generateEncoder) openPart(ev *wholecall.Event) (*item, error) {
	it := &item{key: ev.Key, kind: ev.Part, open: true}
	switch ev.Part {
	case wholecall.TextPart, wholecall.ReasoningPart:
		return it, nil
	case wholecall.DataPart:
		it.out = e.part(it.out, ev.Key.Choice, strictjson.AppendLine(nil, ev.Data))
		return it, nil
	}
	return nil, fmt.Errorf("gemini: a part of kind %s can't be expressed", ev.Part)
}

// piece adds a piece to a part, or ends it.
func (e *generateEncoder) piece(it *item, ev *wholecall.Event) error {
	isText := it.kind == wholecall.TextPart || it.kind == wholecall.ReasoningPart
	isCall := it.kind == wholecall.CallPart
	switch {
	case !it.open:
		return fmt.Errorf("gemini: event kind %d for a part that has ended", ev.Kind)
	case ev.Kind == wholecall.ClosePart && !isCall:
		if it.open = false; len(it.sign) > 0 {
			it.out = e.part(it.out, it.key.Choice, it.textPart(`""`))
		}
	case ev.Kind == wholecall.Delta && isText:
		if len(ev.Data) > 0 {
			it.out = e.part(it.out, it.key.Choice, it.textPart(string(appendText(nil, ev))))
		}
	case ev.Kind == wholecall.Sign && isText:
		inside := appendText(nil, ev)
		it.sign = append(it.sign, inside[1:len(inside)-1]...)
	case ev.Kind == wholecall.Annotate && isText:
		return e.annotate(it, ev)
	case isCall:
		return it.piece(ev)
	default:
		return fmt.Errorf("gemini: event kind %d for a part of kind %s", ev.Kind, it.kind)
	}
	return nil
}

// annotate writes what is said about a text. Only the protocol's own words can be: each is a member of the
// candidate.
func (e *generateEncoder) annotate(it *item, ev *wholecall.Event) error {
	var c strictjson.Cursor
	c.Reset(ev.Data)
	if c.Peek() != '{' || !c.Object() {
		return fmt.Errorf("gemini: an annotation that is no object can't be expressed")
	}
	if name, ok := c.Member(); !ok || !slices.Contains(noteNames[:], string(name)) {
		return fmt.Errorf("gemini: an annotation of another protocol can't be expressed")
	}
	it.out = append(e.head(it.out), '{')
	it.out = strictjson.AppendLine(it.out, ev.Data[1:len(ev.Data)-1])
	it.out = e.tail(it.out, it.key.Choice, nil)
	return nil
}

// flush writes what is due: of each candidate everything of the first part that is not wholly written, and
// so on while each one has ended.
func (e *generateEncoder) flush(dst []byte) []byte {
	var waiting []int32
	left := e.items[:0]
	for _, it := range e.items {
		if slices.Contains(waiting, it.key.Choice) {
			left = append(left, it)
			continue
		}
		dst = append(dst, it.out...)
		it.out = it.out[:0]
		switch {
		case it.open:
			waiting = append(waiting, it.key.Choice)
			left = append(left, it)
		case it.kind == wholecall.CallPart:
			dst = e.part(dst, it.key.Choice, it.callPart())
		}
	}
	clear(e.items[len(left):])
	e.items = left
	return dst
}

// head appends the beginning of a chunk, up to its candidate.
func (e *generateEncoder) head(dst []byte) []byte { return append(dst, `data: {"candidates":[`...) }

// tail appends the end of a chunk, behind the first members of its candidate.
func (e *generateEncoder) tail(dst []byte, choice int32, usage []byte) []byte {
	dst = strconv.AppendInt(append(dst, `,"index":`...), int64(choice), 10)
	return e.end(append(dst, "}]"...), usage)
}

// end appends what every chunk ends with. The server's line ends are CRLF.
func (e *generateEncoder) end(dst, usage []byte) []byte {
	dst = appendMember(dst, "usageMetadata", usage)
	if len(e.model) > 0 {
		dst = strictjson.AppendQuoted(appendName(dst, "modelVersion"), e.model)
	}
	if len(e.id) > 0 {
		dst = strictjson.AppendQuoted(appendName(dst, "responseId"), e.id)
	}
	return append(dst, "}\r\n\r\n"...)
}

// part appends a chunk with one part.
func (e *generateEncoder) part(dst []byte, choice int32, part []byte) []byte {
	dst = append(e.head(dst), `{"content":{"parts":[`...)
	dst = append(append(dst, part...), `],"role":"model"}`...)
	return e.tail(dst, choice, nil)
}

func (e *generateEncoder) report(ev *wholecall.Event) {
	if len(ev.Data) > 0 {
		e.usage = strictjson.AppendLine(nil, ev.Data)
		return
	}
	u := ev.Usage
	e.usage = fmt.Appendf(nil, `{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d,"cachedContentTokenCount":%d,"thoughtsTokenCount":%d}`,
		u.Input, u.Output-u.Reasoning, u.Input+u.Output, u.CacheRead, u.Reasoning)
}

// stop writes why a candidate stopped. A reason that says that a call was dropped is the failure that the
// next event is, and waits for it.
func (e *generateEncoder) stop(dst []byte, ev *wholecall.Event) ([]byte, error) {
	for _, it := range e.items {
		if it.key.Choice != ev.Key.Choice || !it.open {
			continue
		}
		if it.kind != wholecall.CallPart {
			it.open = false
		} else if err := it.stop(ev.Ends); err != nil {
			return dst, err
		}
	}
	dst = e.flush(dst)
	if droppedCall(string(ev.Name)) {
		e.dropped = &wholecall.Event{Key: ev.Key, Name: slices.Clone(ev.Name)}
		return dst, nil
	}
	return e.finish(dst, ev), nil
}

// finish writes a finish reason. Its message is the event's data.
func (e *generateEncoder) finish(dst []byte, ev *wholecall.Event) []byte {
	dst = append(e.head(dst), `{"content":{"parts":[],"role":"model"},"finishReason":`...)
	dst = strictjson.AppendQuoted(dst, ev.Name)
	if len(ev.Data) > 0 {
		dst = strictjson.AppendQuoted(appendName(dst, "finishMessage"), ev.Data)
	}
	dst = e.tail(dst, ev.Key.Choice, e.usage)
	e.usage, e.dropped = nil, nil
	return dst
}

// terminal writes what is left: the end of the body is the end of the turn.
func (e *generateEncoder) terminal(dst []byte) ([]byte, error) {
	for _, it := range e.items {
		if it.kind == wholecall.CallPart {
			return dst, fmt.Errorf("gemini: call %s: a call that never ended can't be expressed", it.id)
		}
	}
	if e.dropped != nil {
		dst = e.finish(dst, e.dropped)
	}
	if e.usage != nil {
		dst = e.end(append(dst, "data: {"...), e.usage)
		e.usage = nil
	}
	return dst, nil
}

func (e *generateEncoder) failure(dst []byte, ev *wholecall.Event) []byte {
	if e.dropped != nil && string(e.dropped.Name) == string(ev.Name) {
		e.dropped.Data = ev.Data
		return e.finish(dst, e.dropped)
	}
	dst = append(dst, `data: {"error":{"code":`...)
	if n, err := strconv.ParseUint(string(ev.ID), 10, 32); err == nil {
		dst = strconv.AppendUint(dst, n, 10)
	} else {
		dst = strictjson.AppendQuoted(dst, ev.ID)
	}
	dst = strictjson.AppendQuoted(append(dst, `,"message":`...), ev.Data)
	dst = strictjson.AppendQuoted(append(dst, `,"status":`...), ev.Name)
	return append(dst, "}}\r\n\r\n"...)
}
