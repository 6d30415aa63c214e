package wholecall

import (
	"fmt"
	"slices"
)

func (a *Accumulator) openPart(ev *Event) error {
	if a.terminal {
		return a.protocolError(Late, ev, "a part begins behind the end of the stream")
	}
	if a.find(ev.Key) != nil {
		return a.protocolError(DuplicateAnnouncement, ev, "the position already has a part")
	}
	if len(a.slots)-a.calls >= a.lim.Parts {
		return a.protocolError(TooManyParts, ev, fmt.Sprintf("more than %d parts", a.lim.Parts))
	}
	s := a.add(slot{key: ev.Key, kind: ev.Part})
	if ev.Part == DataPart {
		s.name, s.extra, s.bytes = string(ev.Name), slices.Clone(ev.Data), len(ev.Data)
	} else {
		s.buf, a.spare = a.spare[:0], nil
	}
	return nil
}

// openText returns the open part that the event belongs to.
func (a *Accumulator) openText(ev *Event, what string) (*slot, error) {
	s := a.find(ev.Key)
	switch {
	case s == nil:
		return nil, a.protocolError(Unannounced, ev, what+" for a part that never began")
	case s.isCall():
		return nil, a.slotError(MismatchedPart, s, what+" of a part, but the position is a call")
	case s.state != open || a.terminal:
		return nil, a.slotError(Late, s, what+" for a part that has already ended")
	}
	return s, nil
}

func (a *Accumulator) delta(ev *Event) error {
	s, err := a.openText(ev, "a delta")
	if err != nil {
		return err
	}
	if s.drained {
		s.buf, s.drained = s.buf[:0], false
	}
	before := len(s.buf)
	s.pieces++
	s.append(ev, a.lim.DocumentBytes)
	if s.over {
		return a.slotError(FrameTooLong, s, fmt.Sprintf("more than %d bytes of text wait for an earlier part to end", a.lim.DocumentBytes))
	}
	s.bytes += len(s.buf) - before
	return nil
}

// remark keeps a signature or an annotation for the part's end.
func (a *Accumulator) remark(ev *Event) error {
	s, err := a.openText(ev, "a remark")
	if err != nil {
		return err
	}
	if ev.Kind == Annotate {
		s.notes = append(s.notes, slices.Clone(ev.Data))
		return nil
	}
	if len(s.sign)+len(ev.Data) > a.lim.DocumentBytes {
		return a.slotError(FrameTooLong, s, fmt.Sprintf("a signature of more than %d bytes", a.lim.DocumentBytes))
	}
	s.sign = append(s.sign, a.unescaped(ev)...)
	return nil
}

func (a *Accumulator) closePart(ev *Event) error {
	s, err := a.openText(ev, "an end")
	if err != nil {
		return err
	}
	a.close(s)
	return nil
}

// close ends a part that is no call. A half of a surrogate pair without its other half is no reason to
// lose a turn over prose: it becomes U+FFFD, and is counted.
func (a *Accumulator) close(s *slot) {
	if s.drained {
		s.buf, s.drained = s.buf[:0], false
	}
	before := len(s.buf)
	s.settle()
	s.bytes += len(s.buf) - before
	if s.lone {
		a.devs = count(a.devs, []byte("lone-surrogate-in-text"))
	}
	s.state = closed
}

// Next returns the next part that can be handed out, and reports whether there is one. Parts come in
// the order in which they began: while an earlier one is open, a later one waits.
//
// A *Text and what it holds are borrowed until the next call of any method; other parts are owned.
func (a *Accumulator) Next() (Part, bool) {
	if a.head == len(a.slots) {
		return nil, false
	}
	switch s := &a.slots[a.head]; {
	case s.isCall():
		return a.nextCall(s)
	case s.kind == DataPart:
		return a.nextData(s)
	default:
		return a.nextText(s)
	}
}

func (a *Accumulator) nextCall(s *slot) (Part, bool) {
	place := a.head
	switch s.state {
	case completed:
		a.head++
		if s.runner == ProviderRuns {
			return ServerCall{s.call(place)}, true
		}
		return s.call(place), true
	case failed:
		a.head++
		return s.failedCall(place), true
	}
	return nil, false
}

func (a *Accumulator) nextData(s *slot) (Part, bool) {
	if s.state != closed {
		return nil, false
	}
	d := Data{Type: s.name, JSON: s.extra, Text: s.buf, Choice: int(s.key.Choice), place: a.head}
	a.head++
	return d, true
}

func (a *Accumulator) nextText(s *slot) (Part, bool) {
	done := s.state == closed
	if !done && (s.drained || len(s.buf) == 0) {
		return nil, false
	}
	a.text = Text{Delta: s.buf, Done: done, Choice: int(s.key.Choice), kind: s.kind, place: a.head}
	if s.drained {
		a.text.Delta = nil
	}
	s.drained = true
	if done {
		a.text.Signature, a.text.Annotations = s.sign, s.notes
		a.spare, s.buf = s.buf, nil
		a.head++
	}
	return &a.text, true
}
