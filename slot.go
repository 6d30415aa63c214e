package wholecall

import (
	"errors"
	"fmt"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// state is how far a part has come.
type state uint8

const (
	open      state = iota // takes fragments or deltas
	ended                  // a call that ended well and is empty: what that means hangs on the stop reason
	cut                    // a call that its own end declared unfinished: why, the stop reason says
	completed              // a whole call
	failed                 // a failed call
	closed                 // a part that is no call, and has ended
)

// slot is one part of the turn. Slots stand in the order in which their parts began on the wire (I9)
// and are never removed, so that a key stays known (I1).
type slot struct {
	key    Key
	kind   PartKind
	state  state
	form   Form
	empty  EmptyRule
	runner Runner
	// carry is a high surrogate half that the last piece ended in, or 0.
	carry uint16
	// lone says that a half never found its other half.
	lone bool
	// over says that the document passed its bound, and was dropped.
	over bool
	// copied says that buf came from a whole copy, no fragment having brought a byte.
	copied bool
	// drained says that buf was handed out, and may be overwritten.
	drained bool

	// buf is the document of a call, or the text of a part that was not handed out yet.
	buf    []byte
	bytes  int
	pieces int

	id, name string
	extra    []byte
	sign     []byte
	notes    [][]byte
	reason   Reason
	fault    *ArgumentError // known before the end: copies that disagree
	err      error
}

func (s *slot) isCall() bool { return s.kind == CallPart || s.kind == ServerCallPart }

// append adds a piece to the slot's text.
func (s *slot) append(ev *Event, limit int) {
	if s.over {
		return
	}
	if len(s.buf)+len(ev.Data) > limit {
		s.over, s.buf = true, nil
		return
	}
	s.grow(ev.Data, ev.Escaped)
}

func (s *slot) grow(data []byte, escaped bool) {
	if s.carry == 0 && !escaped {
		s.buf = append(s.buf, data...)
		return
	}
	var lone bool
	if escaped {
		s.buf, s.carry, lone = strictjson.AppendUnescaped(s.buf, data, s.carry)
	} else {
		s.buf, s.carry, lone = strictjson.AppendPlain(s.buf, data, s.carry)
	}
	s.lone = s.lone || lone
}

// settle ends the text: a surrogate half that waits for its other half has lost it.
func (s *slot) settle() {
	if s.carry == 0 {
		return
	}
	var lone bool
	s.buf, lone = strictjson.AppendCarry(s.buf, s.carry)
	s.carry, s.lone = 0, s.lone || lone
}

// argumentError makes an error about the slot's arguments.
func (s *slot) argumentError(k Kind, at Where, off int) *ArgumentError {
	return &ArgumentError{Kind: k, Where: at, Key: s.key, ID: s.id, Name: s.name,
		At: off, Bytes: len(s.buf), Advice: k.Advice()}
}

// verdict parses the finished document, once and strictly (I6). Nil means that it is whole.
func (s *slot) verdict(c *strictjson.Checker, lim *Limits, at Where) *ArgumentError {
	s.settle()
	switch {
	case s.fault != nil:
		return s.fault
	case s.over:
		e := s.argumentError(DocumentTooLong, at, 0)
		e.Detail = fmt.Sprintf("longer than the bound of %d bytes", lim.DocumentBytes)
		return e
	case s.lone:
		e := s.argumentError(LoneSurrogate, at, 0)
		e.Detail = "half of a surrogate pair has no other half"
		return e
	case s.form == TextArguments:
		return nil
	}
	err := c.Check(s.buf, lim.Depth)
	if err == nil {
		return nil
	}
	var je *strictjson.Error
	if !errors.As(err, &je) {
		e := s.argumentError(InvalidJSON, at, 0)
		e.Cause = err
		return e
	}
	e := s.argumentError(argumentKind(je.Kind), at, je.Offset)
	e.Cause = err
	if e.Kind == EmptyDocument {
		e.Detail = "the call ended without arguments"
		if s.empty == EmptyNeedsDialect {
			e.Switch = "empty-arguments"
		}
	}
	return e
}

// argumentKind is the kind of argument error that a failure to parse is.
func argumentKind(k strictjson.Kind) Kind {
	switch k {
	case strictjson.UTF8:
		return InvalidUTF8
	case strictjson.Surrogate:
		return LoneSurrogate
	case strictjson.Duplicate:
		return DuplicateMember
	case strictjson.Trailing:
		return TrailingData
	case strictjson.Depth:
		return TooDeep
	case strictjson.Empty:
		return EmptyDocument
	case strictjson.Incomplete:
		return IncompleteJSON
	}
	return InvalidJSON
}

// call is the whole call. It takes the slot's buffer along, which the slot only reads from then on.
func (s *slot) call(place int) Call {
	return Call{key: s.key, id: s.id, name: s.name, form: s.form, doc: s.buf[:len(s.buf):len(s.buf)],
		extra: s.extra, fragments: s.pieces, place: place, runner: s.runner}
}

func (s *slot) failedCall(place int) FailedCall {
	return FailedCall{Reason: s.reason, Err: s.err, key: s.key, id: s.id, name: s.name,
		runner: s.runner, partial: s.buf, pieces: s.pieces, place: place}
}

func (s *slot) info() PartInfo {
	i := PartInfo{Kind: s.kind, Key: s.key, Bytes: s.bytes, Pieces: s.pieces,
		Whole: s.state == completed || s.state == closed}
	if s.kind == DataPart {
		i.Type = s.name
	}
	if s.isCall() {
		i.Bytes = len(s.buf)
	}
	return i
}
