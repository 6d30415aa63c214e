// Package audit holds what a stream said against what the client's next request says that it understood.
//
// A client that loses a call gives itself away there: it sends back the assistant's turn as it has it, and
// one result for each call that it ran. Nothing is needed from the client but that request.
//
// The audit goes turn by turn, since ids are unique within a turn only. A request that does not echo a turn
// at all says nothing about it: users abort and regenerate, and clients shorten a history. That is no
// finding.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Kind is what became of a call on its way through a client. Kinds are stable.
type Kind string

// The kinds of finding.
const (
	// Lost: the stream completed a call, and the echo of its turn has no such call.
	Lost Kind = "lost"
	// Merged: two calls of the stream are one in the echo, whose arguments are made of both.
	Merged Kind = "merged"
	// Altered: the echo has the call with arguments that are another value, or under another name.
	Altered Kind = "altered"
	// Unanswered: the echo has the call, and no result for it.
	Unanswered Kind = "unanswered"
	// Doubled: the echo has one id twice in a turn, or two results for it.
	Doubled Kind = "doubled"
	// Invented: the echo has an id that the stream never announced.
	Invented Kind = "invented"
	// RanOnFailedTurn: the stream failed the call or its turn, and the echo has a result that is no error.
	RanOnFailedTurn Kind = "ran-on-a-failed-turn"
)

// Advice says what to do about findings of the kind.
func (k Kind) Advice() string {
	switch k {
	case Lost:
		return "Look at how the client keys its accumulator: by the tool's name, or by \"the current call\", one of two calls vanishes."
	case Merged:
		return "The client appends the fragments of two calls to one buffer. Key by the position that the fragment carries."
	case Altered:
		return "Compare what the client assembled with the capture: fragments of another stream, a repaired document, or a replay."
	case Unanswered:
		return "The client has the call and did not run it, or dropped its result."
	case Doubled:
		return "The client ran one call twice: a replayed event, or a copy of the call that was taken for another."
	case Invented:
		return "The client made the call up, or it belongs to another conversation that shares an accumulator."
	case RanOnFailedTurn:
		return "The client ran a call that never was whole. Don't repair a cut document, and don't run what a failed turn left."
	}
	return ""
}

// Finding is one call that did not come through a client as the stream said it. It holds no arguments.
type Finding struct {
	Kind Kind
	// Turn is the provider's id of the turn, and Model the model that made it, where they are known.
	Turn, Model string
	// ID and Name are those of the call, as the stream has them; of an invented one, as the echo has them.
	ID, Name string
	// Key is the call's position in its stream.
	Key wholecall.Key
	// Other is the id of the other call, where two were merged.
	Other string
	// Where is the place in the request, as a JSON Pointer; "" where the finding is that there is none.
	Where string
	// Path is where in the arguments the first difference lies, as a JSON Pointer, of an altered call.
	Path string
	// Detail says more, without arguments.
	Detail string
}

func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: call %s of %s", f.Kind, f.ID, f.Name)
	if f.Other != "" {
		fmt.Fprintf(&b, " and call %s", f.Other)
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	if f.Where != "" {
		b.WriteString(" (at " + f.Where + " of the request)")
	}
	return b.String()
}

// SaidCall is a call of a stream that the client must run.
type SaidCall struct {
	Key      wholecall.Key
	ID, Name string
	Form     wholecall.Form
	// Arguments is the document, nil where the call failed.
	Arguments []byte
	// Failed is why the call is not whole, "" where it is.
	Failed wholecall.Reason
	// MadeUp says that the wire has no id: the one here is the reader's.
	MadeUp bool
}

// Said is what one stream said.
type Said struct {
	// Turn is the provider's id of the turn, and Model the model.
	Turn, Model string
	// Failed says that the turn failed or was cut: nothing of it may be run that was not whole before.
	Failed bool
	// Text is what the model said, so that a turn whose calls are all lost is known again.
	Text string
	// Calls are the calls of choice 0, in wire order.
	Calls []SaidCall
}

// Read reads a turn to its end and returns what it said.
func Read(t *wholecall.Turn) Said {
	var text strings.Builder
	for {
		p, err := t.Next()
		if err != nil {
			break
		}
		if p, ok := p.(*wholecall.Text); ok && p.Kind() == wholecall.TextPart && p.Choice == 0 {
			text.Write(p.Delta)
		}
	}
	s := Of(t)
	s.Text = text.String()
	return s
}

// Of returns what a turn said that was read to its end, without its text.
func Of(t *wholecall.Turn) Said {
	s := Said{Turn: t.ID(), Model: t.Model(), Failed: t.Outcome() == wholecall.Failed || !t.TerminalSeen()}
	type placed struct {
		place int
		SaidCall
	}
	var all []placed
	for _, c := range t.Completed() {
		if c.Key().Choice == 0 {
			all = append(all, placed{c.Place(), SaidCall{Key: c.Key(), ID: c.ID(), Name: c.Name(), Form: c.Form(),
				Arguments: c.Arguments(), MadeUp: madeUp(c.Extra())}})
		}
	}
	for _, f := range t.Failed() {
		if f.Key().Choice == 0 && f.Runner() == wholecall.ClientRuns {
			all = append(all, placed{f.Place(), SaidCall{Key: f.Key(), ID: f.ID(), Name: f.Name(), Failed: f.Reason}})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	for _, p := range all {
		s.Calls = append(s.Calls, p.SaidCall)
	}
	return s
}

func madeUp(extra []byte) bool {
	var c strictjson.Cursor
	c.Reset(extra)
	for ok := c.Object(); ok; {
		var name []byte
		if name, ok = c.Member(); !ok {
			break
		}
		if string(name) == "generated_id" {
			v, _ := c.Bool()
			return v
		}
		c.Skip()
	}
	return false
}
