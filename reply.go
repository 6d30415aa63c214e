package wholecall

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Reply is a turn that is kept: its parts, owned, in the order in which they began, so that it can be
// sent back with the results of its calls. The zero Reply is empty and ready to use.
type Reply struct {
	// Parts are the parts. Each text stands there once, whole.
	Parts []Part
}

// Keep adds a part as Turn.Next or Parts hands it out. What is borrowed is copied. Nil is no part, and
// what a turn shows of open calls is left out: the calls come whole.
func (r *Reply) Keep(p Part) {
	if _, ok := p.(*Progress); ok {
		return
	}
	t, ok := p.(*Text)
	if !ok {
		if p != nil {
			r.Parts = append(r.Parts, p)
		}
		return
	}
	if n := len(r.Parts); n > 0 && r.Parts[n-1].Place() == t.Place() {
		old := r.Parts[n-1].(*Text)
		old.Delta = append(old.Delta, t.Delta...)
		old.Done, old.Signature, old.Annotations = t.Done, bytes.Clone(t.Signature), t.Annotations
		return
	}
	kept := *t
	kept.Delta, kept.Signature = bytes.Clone(t.Delta), bytes.Clone(t.Signature)
	r.Parts = append(r.Parts, &kept)
}

// Answer is what a call came to, as the model gets it.
type Answer struct {
	// ID is the id of the call, and Name the name of its tool.
	ID, Name string
	// Form is the form of the call's arguments: a call with free text is answered in another way.
	Form Form
	// Content is what the model reads: text, which may be JSON.
	Content string
	// Failed says that the call did not do what it was to do. A protocol without a place for that gets
	// the content alone.
	Failed bool
}

// Echo is what a next request says besides what the one before it said.
type Echo struct {
	// Member is the member of the request's body that holds the conversation: "messages", "input",
	// "contents".
	Member string
	// Messages are the elements to append to it: the assistant's turn, and the results.
	Messages []json.RawMessage
}

// Echoer is a Protocol that can write the next request of a conversation.
type Echoer interface {
	Protocol
	// Echo returns the turn as its owner wants it back, text, reasoning, signatures and calls as they
	// came and in their order, and behind it one result for each call of the turn that the client must
	// run. A failed call is written with the arguments {}, since what there is of them is no document.
	//
	// Answers stand in any order. A call without an answer, and an answer without a call, are errors: the
	// next request would be refused. Only choice 0 is written.
	Echo(r *Reply, answers []Answer) (Echo, error)
	// Tools returns the members of a request's body that tell the model of its tools, and, where parallel
	// is false, ask it to make one call a turn. The error says that the protocol can't ask for that.
	Tools(tools []ToolSpec, parallel bool) (map[string]json.RawMessage, error)
}

// ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments.
	Schema json.RawMessage
}

// ErrParallel says that a protocol has no switch against several calls in one turn.
var ErrParallel = errors.New("the protocol has no switch against parallel calls")

// EchoError says that a turn and the answers to its calls do not fit together.
type EchoError struct {
	// ID and Name are those of the call concerned.
	ID, Name string
	// Why says what does not fit.
	Why string
}

func (e *EchoError) Error() string {
	return "the next request can't be written: call " + e.ID + " of " + e.Name + ": " + e.Why
}

// Answered returns the parts of choice 0, and for each call of it that the client must run, whole or
// failed, the answer, in the order of the calls. It is for those who write an Echo. The error is an
// *EchoError.
func (r *Reply) Answered(answers []Answer) (parts []Part, calls []Answer, err error) {
	byID := make(map[string]*Answer, len(answers))
	for i := range answers {
		a := &answers[i]
		if byID[a.ID] != nil {
			return nil, nil, &EchoError{a.ID, a.Name, "it has two answers"}
		}
		byID[a.ID] = a
	}
	for _, p := range r.Parts {
		if choiceOf(p) != 0 {
			continue
		}
		parts = append(parts, p)
		id, name, form := mine(p)
		if name == "" {
			continue
		}
		a := byID[id]
		if a == nil {
			return nil, nil, &EchoError{id, name, "it has no answer"}
		}
		delete(byID, id)
		answer := *a
		answer.Name, answer.Form = name, form
		calls = append(calls, answer)
	}
	for _, a := range answers {
		if byID[a.ID] != nil {
			return nil, nil, &EchoError{a.ID, a.Name, "it is answered, and the turn has no such call"}
		}
	}
	return parts, calls, nil
}

// mine returns the identity of a call that the client must answer.
func mine(p Part) (id, name string, form Form) {
	switch p := p.(type) {
	case Call:
		return p.id, p.name, p.form
	case FailedCall:
		if p.runner == ClientRuns {
			return p.id, p.name, JSONArguments
		}
	}
	return "", "", JSONArguments
}

func choiceOf(p Part) int {
	switch p := p.(type) {
	case *Text:
		return p.Choice
	case Data:
		return p.Choice
	case Call:
		return int(p.key.Choice)
	case ServerCall:
		return int(p.call.key.Choice)
	case FailedCall:
		return int(p.key.Choice)
	}
	return 0
}
