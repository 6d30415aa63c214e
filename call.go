package wholecall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Call is a whole tool call: announced once, ended by the stream, and its arguments one valid
// document. Only the Accumulator makes one; the zero Call is no call, and its Whole is false.
//
// A Call is owned by whoever got it, and may be kept and used from any goroutine.
type Call struct {
	key       Key
	id, name  string
	form      Form
	doc       []byte
	extra     []byte
	fragments int
	place     int
	runner    Runner
}

// Key is the call's position in its stream.
func (c Call) Key() Key { return c.key }

// ID is what the result must be returned against. It is unique within one turn, and only there.
func (c Call) ID() string { return c.id }

// Name is the name of the tool.
func (c Call) Name() string { return c.name }

// Form says whether the arguments are JSON or free text.
func (c Call) Form() Form { return c.form }

// Arguments is the document: the exact bytes that the model wrote. Where Form is JSONArguments it is
// one valid JSON value without a duplicate member. Its bytes must not be modified.
func (c Call) Arguments() json.RawMessage { return c.doc }

// Fragments counts the pieces that the arguments came in, empty ones included.
func (c Call) Fragments() int { return c.fragments }

// Extra is a JSON object of what else the provider said of the call and expects back with it, such as
// the caller of a programmatic call; nil where there is nothing.
func (c Call) Extra() json.RawMessage { return c.extra }

// Whole reports whether this is a call at all: true for every Call that was handed out.
func (c Call) Whole() bool { return c.name != "" || c.doc != nil }

// Decode stores the arguments in the value that v points to. It is strict: a member that v has no
// field for is an error. It must not be used on free text.
func (c Call) Decode(v any) error {
	if c.form != JSONArguments {
		return fmt.Errorf("call %s of %q: its arguments are free text: use Arguments", c.id, c.name)
	}
	d := json.NewDecoder(bytes.NewReader(c.doc))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("call %s of %q: arguments: %w", c.id, c.name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("call %s of %q: arguments: more than one value", c.id, c.name)
	}
	return nil
}

// String describes the call without its arguments.
func (c Call) String() string {
	return fmt.Sprintf("call %s %s %q, %d bytes of arguments", c.key, c.id, c.name, len(c.doc))
}

// Kind is CallPart.
func (c Call) Kind() PartKind { return CallPart }

// Place implements Part.
func (c Call) Place() int { return c.place }

func (Call) part() {}

// ServerCall is a call that the provider runs itself: a server tool, an MCP call that it makes, a
// code interpreter. It is for the record and the echo. It must not be run, so it is not a Call.
type ServerCall struct{ call Call }

// Key is the call's position in its stream.
func (s ServerCall) Key() Key { return s.call.key }

// ID is the provider's identifier of the call.
func (s ServerCall) ID() string { return s.call.id }

// Name is the name of the tool.
func (s ServerCall) Name() string { return s.call.name }

// Form says whether the arguments are JSON or free text.
func (s ServerCall) Form() Form { return s.call.form }

// Arguments is the document: the exact bytes that the model wrote.
func (s ServerCall) Arguments() json.RawMessage { return s.call.doc }

// Fragments counts the pieces that the arguments came in, empty ones included.
func (s ServerCall) Fragments() int { return s.call.fragments }

// Extra is as Call.Extra.
func (s ServerCall) Extra() json.RawMessage { return s.call.extra }

// Kind is ServerCallPart.
func (s ServerCall) Kind() PartKind { return ServerCallPart }

// Place implements Part.
func (s ServerCall) Place() int { return s.call.place }

func (ServerCall) part() {}

// FailedCall is a call that was announced and can't be completed. It is a part like the others, so
// that nobody overlooks it.
type FailedCall struct {
	// Reason says why in one word.
	Reason Reason
	// Err says more: an *ArgumentError where the arguments are at fault, else what failed the turn,
	// or nil where the reason says it all.
	Err error

	key      Key
	id, name string
	runner   Runner
	partial  []byte
	pieces   int
	place    int
}

// Key is the call's position in its stream.
func (f FailedCall) Key() Key { return f.key }

// ID is the call's id. A provider that gets the assistant's turn back wants a result for it.
func (f FailedCall) ID() string { return f.id }

// Name is the name of the tool.
func (f FailedCall) Name() string { return f.name }

// Runner says who would have run the call.
func (f FailedCall) Runner() Runner { return f.runner }

// Fragments counts the pieces of the arguments that came.
func (f FailedCall) Fragments() int { return f.pieces }

// Partial is what there was of the arguments. It is for eyes and for logs that may hold it: never
// parse it, never run it.
func (f FailedCall) Partial() []byte { return f.partial }

// String describes the failed call without its arguments.
func (f FailedCall) String() string {
	return fmt.Sprintf("call %s %s %q failed: %s (%d bytes of arguments)", f.key, f.id, f.name, f.Reason, len(f.partial))
}

// Kind is CallPart, or ServerCallPart where the provider would have run the call.
func (f FailedCall) Kind() PartKind {
	if f.runner == ProviderRuns {
		return ServerCallPart
	}
	return CallPart
}

// Place implements Part.
func (f FailedCall) Place() int { return f.place }

func (FailedCall) part() {}
