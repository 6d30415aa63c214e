package wholecall

// Event is one thing that a frame said, in provider-neutral form. Decoders make events, the
// Accumulator applies them, encoders turn them back into frames.
//
// It is one flat struct for all kinds, so that a decoder can reuse a slice of them without an
// allocation. Which fields count depends on Kind; the others are zero. All byte slices are borrowed:
// they are valid until the next frame is decoded.
type Event struct {
	Kind EventKind
	// Part is the kind of part that an OpenPart begins.
	Part PartKind
	// Runner says who must run the call that an Announce announces.
	Runner Runner
	// Form says what the arguments of an announced call are.
	Form Form
	// Empty says what a call without argument bytes means, for an Announce.
	Empty EmptyRule
	// Escaped says that Data is the inside of a JSON string as it stood on the wire: well-formed, but
	// not yet unescaped. The one copy into the call's buffer does that.
	Escaped bool
	// Ends says, for a Stop, that it ends every open call of its choice.
	Ends bool
	// Promises says, for a Stop, that the model stopped in order to call tools.
	Promises bool
	// Final says, for a Document, that it is a copy made after the call's own end.
	Final bool

	// Reason is why the answer was cut, for a Stop or an End. Empty means that it was not: the
	// answer, or the call, ended because it was finished.
	Reason Reason

	Key  Key
	ID   []byte
	Name []byte
	Data []byte
	// Extra is a JSON object of what the protocol says of a call or part beside the fields above, and
	// that an echo must give back: a caller, a namespace, an item's own id. Nil where there is nothing.
	Extra []byte
	// Usage counts the tokens, for a Usage event.
	Usage Usage
}

// EventKind says what an Event says.
type EventKind uint8

// The kinds of event, with the fields that count.
const (
	// Begin: the turn begins. ID is the response's id, Name the model.
	Begin EventKind = iota + 1
	// OpenPart: a part that is not a call begins. Key, Part; for DataPart also Name, its type on the
	// wire, and Data, its JSON as it stood.
	OpenPart
	// Delta: a piece of an open part's text. Key, Data, Escaped.
	Delta
	// Sign: a piece of an open part's signature. Key, Data, Escaped.
	Sign
	// Annotate: something said about an open part, as JSON. Key, Data.
	Annotate
	// ClosePart: an open part ends. Key.
	ClosePart
	// Announce: a call begins. Key, ID, Name, Runner, Form, Empty, Extra.
	Announce
	// Fragment: a piece of an open call's arguments. Key, Data, Escaped.
	Fragment
	// Document: a copy of a call's whole arguments. Where fragments came it must be the same document;
	// where none came it is the document. Key, Data, Escaped, Final; Name says which copy it is.
	Document
	// End: an open call's own end. Key, Reason.
	End
	// Stop: the model stopped. Key.Choice, Name as the provider said it, Reason, Ends, Promises.
	Stop
	// UsageReport: token counts so far. Usage, and Data, their JSON as it stood.
	UsageReport
	// Terminal: the stream's own end was seen.
	Terminal
	// Failure: the provider says that the turn failed. ID is its code, Name its type, Data its message.
	Failure
	// Deviate: the dialect let something through. Name says what.
	Deviate
	// Hint: were the turn to end here, a dialect with the deviation that Name names would have ended it
	// well.
	Hint
	// Pass: an event of a type that the decoder does not know was passed over. Name is that type.
	Pass
)

// Usage counts tokens as the provider reports them. A count that was not reported is 0.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
}

// Runner says who must run a call.
type Runner uint8

// The runners.
const (
	// ClientRuns: the client must run the call and send its result back.
	ClientRuns Runner = iota
	// ProviderRuns: the provider runs the call itself. It is followed with the same rigour, for the
	// order and the record, and never dispatched.
	ProviderRuns
)

// Form says what the arguments of a call are.
type Form uint8

// The forms.
const (
	// JSONArguments: one JSON value.
	JSONArguments Form = iota
	// TextArguments: free text, which is never parsed (custom tools, code).
	TextArguments
)

// EmptyRule says what a call means that ended well and without one byte of arguments.
type EmptyRule uint8

// The rules.
const (
	// EmptyFails: the call fails, as its owner documents that the model writes a document.
	EmptyFails EmptyRule = iota
	// EmptyNeedsDialect: as EmptyFails, but some servers mean {} by it: the error names the deviation
	// empty-arguments, which a dialect may allow.
	EmptyNeedsDialect
	// EmptyIsObject: the call has no arguments, which is written {}.
	EmptyIsObject
	// EmptyIsObjectByDialect: as EmptyIsObject, but a dialect says so; it is counted as the deviation
	// empty-arguments.
	EmptyIsObjectByDialect
)
