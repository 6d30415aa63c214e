package mock

import (
	"github.com/wholecall/wholecall/audit"
)

// Verdict is what a client did with a scenario.
type Verdict string

// The verdicts, from good to bad.
const (
	// Kept: every call that the stream completed came back, unaltered, with one result.
	Kept Verdict = "kept"
	// FailedLoudly: the client said that something is wrong: it ended with an error, or asked again.
	FailedLoudly Verdict = "failed loudly"
	// LostCall: a call vanished, or its result did, and the client said nothing.
	LostCall Verdict = "lost"
	// MergedCalls: two calls became one.
	MergedCalls Verdict = "merged"
	// AlteredCall: a call came back with other arguments.
	AlteredCall Verdict = "altered"
	// RanWhatNeverWas: the client ran a call that no stream completed, or one twice.
	RanWhatNeverWas Verdict = "ran a call that never was"
	// Hung: the client did not end in time.
	Hung Verdict = "hung"
	// NotRun: the scenario can't be said in the protocol of the client, or the client could not begin.
	NotRun Verdict = "not run"
)

// Silent reports whether the verdict is a loss that nobody was told of.
func (v Verdict) Silent() bool {
	switch v {
	case LostCall, MergedCalls, AlteredCall, RanWhatNeverWas:
		return true
	}
	return false
}

// Exit is how a client ended.
type Exit struct {
	// Status is its exit status.
	Status int
	// Timeout says that it did not end by itself.
	Timeout bool
}

// Judge says what a client did with a run, from what it sent and how it ended.
func Judge(r *Record, x Exit) Verdict {
	worst := Kept
	for _, f := range r.Findings {
		if v := verdictOf(f.Kind); rank(v) > rank(worst) {
			worst = v
		}
	}
	switch {
	case worst != Kept:
		return worst
	case len(r.Turns) == 0:
		return NotRun
	case x.Timeout:
		return Hung
	}
	open := r.unanswered()
	switch {
	case !open:
		return Kept
	case x.Status != 0 || r.Retried:
		return FailedLoudly
	}
	return LostCall
}

func verdictOf(k audit.Kind) Verdict {
	switch k {
	case audit.Lost, audit.Unanswered:
		return LostCall
	case audit.Merged:
		return MergedCalls
	case audit.Altered:
		return AlteredCall
	}
	return RanWhatNeverWas
}

func rank(v Verdict) int {
	for i, o := range []Verdict{Kept, FailedLoudly, LostCall, AlteredCall, MergedCalls, RanWhatNeverWas} {
		if o == v {
			return i
		}
	}
	return 0
}
