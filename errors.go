package wholecall

import (
	"fmt"
	"strings"
)

// Kind names one way in which a stream, a turn or a call goes wrong. It is itself an error, so that
// errors.Is(err, wholecall.DuplicateAnnouncement) works on whatever this package returns. The same
// word is the value of error.kind on the command line and of the expectation in a conformance vector.
type Kind string

func (k Kind) Error() string { return string(k) }

// What fails a turn. A *ProtocolError has one of these.
const (
	MalformedFrame        Kind = "malformed-frame"
	FrameTooLong          Kind = "frame-too-long"
	NotAStream            Kind = "not-a-stream"
	DuplicateAnnouncement Kind = "duplicate-announcement"
	Unannounced           Kind = "unannounced"
	Late                  Kind = "late"
	DuplicateID           Kind = "duplicate-id"
	IncompleteIdentity    Kind = "incomplete-identity"
	ConflictingIdentity   Kind = "conflicting-identity"
	MissingIndex          Kind = "missing-index"
	MismatchedPart        Kind = "mismatched-part"
	UnknownDelta          Kind = "unknown-delta"
	Restarted             Kind = "restarted"
	RepeatedFinish        Kind = "repeated-finish"
	SequenceGap           Kind = "sequence-gap"
	SequenceReplay        Kind = "sequence-replay"
	CopyMismatch          Kind = "copy-mismatch"
	AmbiguousDocument     Kind = "ambiguous-document"
	CallsPromised         Kind = "calls-promised"
	TooManyCalls          Kind = "too-many-calls"
	TooManyParts          Kind = "too-many-parts"
	DeviationRefused      Kind = "deviation-refused"
	ProviderFailed        Kind = "provider-error"
	Internal              Kind = "internal"
)

// What fails one call. An *ArgumentError has one of these.
const (
	EmptyDocument    Kind = "empty-document"
	InvalidJSON      Kind = "invalid-json"
	InvalidUTF8      Kind = "invalid-utf8"
	LoneSurrogate    Kind = "lone-surrogate"
	DuplicateMember  Kind = "duplicate-member"
	TrailingData     Kind = "trailing-data"
	IncompleteJSON   Kind = "incomplete-json"
	TooDeep          Kind = "too-deep"
	DocumentTooLong  Kind = "document-too-long"
	DocumentMismatch Kind = "document-mismatch"
)

// What leaves a turn incomplete. An *IncompleteError has one of these.
const (
	// Truncated: the stream ended before its own end.
	Truncated Kind = "truncated"
	// CallsFailed: the stream came to its end, and at least one call failed.
	CallsFailed Kind = "calls-failed"
	// Cancelled: the context of the reader was cancelled.
	Cancelled Kind = "cancelled"
	// TimedOut: no byte came for too long, or a deadline passed.
	TimedOut Kind = "timed-out"
	// NoStopReason: the stream came to its end without a word on why the model stopped.
	NoStopReason Kind = "no-stop-reason"
)

// Reason says in one word why an announced call did not complete.
type Reason string

// The reasons.
const (
	ReasonTruncated     Reason = "truncated"
	ReasonTokenLimit    Reason = "token-limit"
	ReasonContentFilter Reason = "content-filter"
	ReasonRefusal       Reason = "refusal"
	ReasonPaused        Reason = "paused"
	ReasonProviderError Reason = "provider-error"
	ReasonCancelled     Reason = "cancelled"
	ReasonTimedOut      Reason = "timed-out"
	ReasonArgument      Reason = "argument-error"
	ReasonProtocol      Reason = "protocol-error"
	// ReasonUnfinished: the stream came to its end, the model stopped for a good reason, and yet the
	// call was never ended.
	ReasonUnfinished Reason = "unfinished"
)

// Where says where in a capture something stands.
type Where struct {
	// Frame counts frames from 1; 0 where no frame is meant.
	Frame int
	// Offset counts bytes from 0: the first byte of the frame, in the stream as the framing read it.
	Offset int64
	// Line counts lines from 1; 0 where the framing has none.
	Line int
}

// String returns the place as text, or "" where there is none.
func (w Where) String() string {
	if w.Frame == 0 {
		return ""
	}
	return fmt.Sprintf("frame %d, byte %d", w.Frame, w.Offset)
}

// ProtocolError fails a turn: the stream is not what its protocol allows, and what it means would be
// a guess. No call that was open completes. Calls that had already ended stay completed.
type ProtocolError struct {
	Kind Kind
	Where
	// HasKey says that Key counts.
	HasKey bool
	Key    Key
	// ID and Name are those of the call concerned, as far as they are known.
	ID, Name string
	// Detail says what was found and what was expected, without argument contents.
	Detail string
	// Advice says what to do next.
	Advice string
	// Switch names the deviation that a dialect would have to allow for this to be read; "" where
	// nothing could.
	Switch string
	// Cause is what lies beneath, or nil. Its text may hold argument contents: it is not part of
	// Error's.
	Cause error
}

func (e *ProtocolError) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	var at []string
	if w := e.Where.String(); w != "" {
		at = append(at, w)
	}
	if e.HasKey {
		at = append(at, "key "+e.Key.String())
	}
	if e.ID != "" {
		at = append(at, "id "+e.ID)
	}
	if e.Name != "" {
		at = append(at, fmt.Sprintf("tool %q", e.Name))
	}
	if len(at) > 0 {
		b.WriteString(" (" + strings.Join(at, ", ") + ")")
	}
	if e.Switch != "" {
		b.WriteString("; a dialect with " + e.Switch + " would read it")
	}
	return b.String()
}

// Unwrap returns the kind and, where there is one, the cause.
func (e *ProtocolError) Unwrap() []error { return unwrap(e.Kind, e.Cause) }

// ArgumentError fails one call: its arguments are not one valid document. Its siblings go on.
type ArgumentError struct {
	Kind Kind
	// Where is the frame in which the fault was found, which is the one that ended the call.
	Where
	Key      Key
	ID, Name string
	// At is the offset in the arguments, in bytes from 0.
	At int
	// Bytes is how long the arguments are.
	Bytes int
	// Detail says more, without argument contents; it may be "".
	Detail string
	// Advice says what to do next.
	Advice string
	// Switch names the deviation that a dialect would have to allow; "" where nothing could.
	Switch string
	// Cause is what lies beneath, or nil.
	Cause error
}

func (e *ArgumentError) Error() string {
	s := fmt.Sprintf("%s: call %s %s %q: ", e.Kind, e.Key, e.ID, e.Name)
	if e.Detail != "" {
		s += e.Detail
	} else {
		s += fmt.Sprintf("byte %d of its %d bytes of arguments", e.At, e.Bytes)
	}
	if w := e.Where.String(); w != "" {
		s += " (" + w + ")"
	}
	if e.Switch != "" {
		s += "; a dialect with " + e.Switch + " would read it"
	}
	return s
}

// Unwrap returns the kind and, where there is one, the cause.
func (e *ArgumentError) Unwrap() []error { return unwrap(e.Kind, e.Cause) }

// ProviderError fails a turn: the provider said so on the stream.
type ProviderError struct {
	Where
	// Code, Type and Message are what the provider said; any may be "".
	Code, Type, Message string
}

func (e *ProviderError) Error() string {
	s := "provider-error"
	for _, p := range []string{e.Type, e.Code, e.Message} {
		if p != "" {
			s += ": " + p
		}
	}
	if w := e.Where.String(); w != "" {
		s += " (" + w + ")"
	}
	return s
}

// Unwrap returns ProviderFailed.
func (e *ProviderError) Unwrap() error { return ProviderFailed }

// IncompleteError says that a turn ended and is not complete, though nothing on the wire was wrong:
// the stream was cut, or came to its end with a call that failed.
type IncompleteError struct {
	Kind Kind
	// Where is where the stream ended.
	Where
	// Failed are the calls that failed.
	Failed []FailedCall
	// Detail says more; it may be "".
	Detail string
	// Advice says what to do next.
	Advice string
	// Switch names the deviation that a dialect would have to allow; "" where nothing could.
	Switch string
	// Cause is what lies beneath, such as the reader's error, or nil.
	Cause error
}

func (e *IncompleteError) Error() string {
	s := string(e.Kind)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if w := e.Where.String(); w != "" && e.Kind != CallsFailed {
		s += " (" + w + ")"
	}
	if e.Switch != "" {
		s += "; a dialect with " + e.Switch + " would read it"
	}
	switch len(e.Failed) {
	case 0:
		return s
	case 1:
		s += ": 1 call failed: "
	default:
		s += fmt.Sprintf(": %d calls failed, the first: ", len(e.Failed))
	}
	first := &e.Failed[0]
	if first.Err != nil {
		return s + first.Err.Error()
	}
	return s + fmt.Sprintf("%s: call %s %s %q, %d bytes of arguments", first.Reason, first.key, first.id, first.name, len(first.partial))
}

// Unwrap returns the kind, the cause, and what failed each call.
func (e *IncompleteError) Unwrap() []error {
	errs := unwrap(e.Kind, e.Cause)
	for _, f := range e.Failed {
		if f.Err != nil {
			errs = append(errs, f.Err)
		}
	}
	return errs
}

func unwrap(k Kind, cause error) []error {
	if cause == nil {
		return []error{k}
	}
	return []error{k, cause}
}
