package wholecall

import (
	"fmt"
	"slices"
)

// Outcome says in one word what became of a turn.
type Outcome string

// The outcomes.
const (
	// Complete: the stream's terminal was seen, and every call completed.
	Complete Outcome = "complete"
	// Incomplete: the stream was cut, or at least one call failed.
	Incomplete Outcome = "incomplete"
	// Failed: a protocol error, or the provider reported an error.
	Failed Outcome = "failed"
)

// finish takes note of the stream's own end, and decides about every call.
func (a *Accumulator) finish() error {
	if a.terminal {
		return a.protocolError(Late, &Event{Kind: Terminal}, "the stream ends a second time")
	}
	if st := a.brokenPromise(); st != nil {
		return a.protocolError(CallsPromised, &Event{Kind: Terminal},
			fmt.Sprintf("the model stopped with %q, and no call was announced", st.name))
	}
	a.terminal = true
	a.abandon(ReasonUnfinished, nil)
	return nil
}

// brokenPromise returns the stop that says that there are calls, where there is none. Some servers put
// the text in one choice and the calls in another, so that it is asked of the whole turn.
func (a *Accumulator) brokenPromise() *stop {
	if a.calls > 0 {
		return nil
	}
	for i := range a.stops {
		if a.stops[i].promises {
			return &a.stops[i]
		}
	}
	return nil
}

// abandon fails each call that the end of the stream finds undecided (I4): for the reason that its
// choice stopped for, where that says "cut", and else for the one given.
func (a *Accumulator) abandon(reason Reason, err error) {
	for i := range a.slots {
		s := &a.slots[i]
		if s.state > cut {
			continue
		}
		if !s.isCall() {
			a.close(s)
			continue
		}
		s.settle()
		why := reason
		if s.state == cut {
			why = s.reason
		}
		if st := a.stopOf(s.key.Choice); st != nil && st.reason != "" {
			why = st.reason
		}
		if s.fault != nil {
			if s.state == ended && why == reason {
				why = ReasonArgument
			}
			err = s.fault
		}
		s.state, s.reason, s.err = failed, why, err
	}
}

// End says that the bytes have come to their end. kind is "" where that was the end of the body; it is
// Truncated where the body was cut, Cancelled or TimedOut where the caller gave up. cause is the
// reader's error, or nil. After it, drain Next; Err and Outcome tell the result.
func (a *Accumulator) End(kind Kind, cause error) {
	if a.over {
		return
	}
	a.over = true
	if a.err == nil && !a.terminal {
		if kind == "" {
			kind = Truncated
		}
		a.abandon(endReason(kind), nil)
	}
	if err := a.count(); err != nil {
		a.Fail(err)
		return
	}
	if a.err != nil {
		return
	}
	a.err = a.incomplete(kind, cause)
}

func endReason(k Kind) Reason {
	switch k {
	case Cancelled:
		return ReasonCancelled
	case TimedOut:
		return ReasonTimedOut
	}
	return ReasonTruncated
}

// incomplete says why the turn is not complete, or nil if it is.
func (a *Accumulator) incomplete(kind Kind, cause error) error {
	e := &IncompleteError{Where: a.at, Failed: a.Failed(), Cause: cause, Switch: a.hint}
	switch {
	case !a.terminal:
		e.Kind = kind
		e.Detail = "the stream ended before its own end"
		if a.hint == UnterminatedEvent {
			e.Detail = "the stream ended inside its last frame, which lacks nothing but its end"
		}
		if len(a.slots) == 0 && !a.begun && a.at.Frame == 0 {
			e.Detail = "the stream is empty"
		}
	case len(a.stops) == 0:
		e.Kind, e.Detail = NoStopReason, "the stream never said why the model stopped"
	case len(e.Failed) > 0:
		e.Kind = CallsFailed
	default:
		return nil
	}
	e.Advice = e.Kind.Advice()
	return e
}

// count asserts that every announced call was completed or failed (I5).
func (a *Accumulator) count() error {
	var done, lost int
	for i := range a.slots {
		switch s := &a.slots[i]; {
		case !s.isCall():
		case s.state == completed:
			done++
		case s.state == failed:
			lost++
		}
	}
	if a.calls == done+lost {
		return nil
	}
	return &ProtocolError{Kind: Internal, Where: a.at, Advice: Internal.Advice(),
		Detail: fmt.Sprintf("%d calls announced, %d completed, %d failed", a.calls, done, lost)}
}

// Err returns what is wrong with the turn: a *ProtocolError or a *ProviderError as soon as there is
// one, an *IncompleteError after End, or nil.
func (a *Accumulator) Err() error { return a.err }

// Outcome says what became of the turn. It is final after End.
func (a *Accumulator) Outcome() Outcome {
	switch a.err.(type) {
	case nil:
		if a.over {
			return Complete
		}
		return Incomplete
	case *IncompleteError:
		return Incomplete
	}
	return Failed
}

// TerminalSeen reports whether the stream's own end was seen.
func (a *Accumulator) TerminalSeen() bool { return a.terminal }

// Announced counts the calls announced so far that the client must run.
func (a *Accumulator) Announced() int {
	n := 0
	for i := range a.slots {
		if a.slots[i].kind == CallPart {
			n++
		}
	}
	return n
}

// Completed returns the completed calls that the client must run, in the order in which they were
// announced. The caller owns the slice.
func (a *Accumulator) Completed() []Call {
	var calls []Call
	for i := range a.slots {
		if s := &a.slots[i]; s.kind == CallPart && s.state == completed {
			calls = append(calls, s.call(i))
		}
	}
	return calls
}

// Failed returns the failed calls that the client would have had to run, in the order in which they
// were announced. The caller owns the slice.
func (a *Accumulator) Failed() []FailedCall {
	var calls []FailedCall
	for i := range a.slots {
		if s := &a.slots[i]; s.kind == CallPart && s.state == failed {
			calls = append(calls, s.failedCall(i))
		}
	}
	return calls
}

// ServerCalls returns the calls that the provider ran and that completed, in the order in which they
// were announced. The caller owns the slice.
func (a *Accumulator) ServerCalls() []ServerCall {
	var calls []ServerCall
	for i := range a.slots {
		if s := &a.slots[i]; s.kind == ServerCallPart && s.state == completed {
			calls = append(calls, ServerCall{s.call(i)})
		}
	}
	return calls
}

// Parts returns the turn's parts in short, in the order in which they began. The caller owns the slice.
func (a *Accumulator) Parts() []PartInfo {
	infos := make([]PartInfo, len(a.slots))
	for i := range a.slots {
		infos[i] = a.slots[i].info()
	}
	return infos
}

// Deviations returns what the dialect let through and what harmless oddities were seen, with counts,
// in the order in which they were first seen. The caller owns the slice.
func (a *Accumulator) Deviations() []Deviation { return slices.Clone(a.devs) }

// Passed returns the types of event that were passed over because the decoder does not know them,
// with counts. The caller owns the slice.
func (a *Accumulator) Passed() []Deviation { return slices.Clone(a.passed) }

// ID is the response's id, as the provider gave it; "" where it gave none.
func (a *Accumulator) ID() string { return a.id }

// Model is the model's name, as the provider gave it; "" where it gave none.
func (a *Accumulator) Model() string { return a.model }

// StopReason is why the first choice stopped, as the provider said it; "" where it did not.
func (a *Accumulator) StopReason() string {
	if st := a.stopOf(0); st != nil {
		return st.name
	}
	if len(a.stops) > 0 {
		return a.stops[0].name
	}
	return ""
}

// Stopped says why one choice stopped.
type Stopped struct {
	Choice int
	// Name is what the provider said.
	Name string
	// Reason is why the answer was cut; "" where the model was done.
	Reason Reason
}

// Stops returns why each choice stopped, in the order in which they did. The caller owns the slice.
func (a *Accumulator) Stops() []Stopped {
	all := make([]Stopped, len(a.stops))
	for i, st := range a.stops {
		all[i] = Stopped{int(st.choice), st.name, st.reason}
	}
	return all
}

// Choices counts the alternative answers seen: at least 1.
func (a *Accumulator) Choices() int { return max(1, int(a.choices)) }

// Usage returns the token counts that were reported last, and their JSON as it stood.
func (a *Accumulator) Usage() (Usage, []byte) { return a.usage, slices.Clone(a.rawUsage) }
