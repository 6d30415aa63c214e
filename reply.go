package wholecall

import (
	"bytes"
	"encoding/json"
)

// Reply is a turn that is kept: its parts, owned, in the order in which they began, so that it can be
// sent back with the results of its calls. The zero Reply is empty and ready to use.
type Reply struct {
	// Parts are the parts. Each text stands there once, whole.
	Parts []Part
}

// Keep adds a part as Turn.Next or Parts hands it out. What is borrowed is copied. Nil is no part.
func (r *Reply) Keep(p Part) {
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
}
