// Package mock is a provider on a port: it plays scenarios in the wire formats of real providers, to real
// clients, with faults where a scenario has them, and keeps what the clients make of them.
//
// It is an http.Handler. What it plays is written by the encoders of package provider; what a client
// understood is read from its next request, by package audit.
package mock

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scenario says what a model says, turn by turn, how it is cut, and what goes wrong on the way.
type Scenario struct {
	// Name and About say what the scenario is.
	Name  string `json:"name"`
	About string `json:"about"`
	// Turns are what the model says to the first request, to the one with the results of that, and so on.
	// Behind the last it says that it is done.
	Turns []Turn `json:"turns"`
	// Conversations is how many conversations there are at once; 0 means one.
	Conversations int `json:"conversations,omitempty"`
	// Expect are the verdicts that are right. Where nothing is said it is Kept alone.
	Expect []Verdict `json:"expect,omitempty"`
}

// Turn is one turn of the model.
type Turn struct {
	Say []Say `json:"say"`
	// Interleave lets the fragments of the calls alternate, where the protocol can say that.
	Interleave bool `json:"interleave,omitempty"`
	// Stop is why the model stops: "calls", "done", "limit", "filter". Where nothing is said, it is
	// "calls" where there is one, and "done" otherwise.
	Stop string `json:"stop,omitempty"`
	// Fault is what goes wrong, if anything.
	Fault *Fault `json:"fault,omitempty"`
	// Bytes is the stream of the turn as it stands, in the place of all that, for the provider alone.
	Bytes []byte `json:"bytes,omitempty"`
	// Provider is the name of the protocol of Bytes.
	Provider string `json:"provider,omitempty"`
}

// Say is a part of a turn: text, thinking, or a call.
type Say struct {
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	// Call is the name of the tool, and Arguments the document.
	Call      string `json:"call,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	// Pieces are the fragments of it. Where nothing is said they are of 7 bytes.
	Pieces []string `json:"pieces,omitempty"`
	// Open leaves the call without its end.
	Open bool `json:"open,omitempty"`
	// Fill is how many letters stand in the place of the @ in the arguments.
	Fill int `json:"fill,omitempty"`
}

// arguments is the document.
func (s *Say) arguments() string {
	if s.Fill <= 0 {
		return s.Arguments
	}
	return strings.Replace(s.Arguments, "@", strings.Repeat("abcdefghij", s.Fill/10), 1)
}

// FaultKind is a kind of fault.
type FaultKind string

// The kinds of fault. Those that name a piece mean a fragment of the call; those without, the whole call.
const (
	Drop          FaultKind = "drop"           // a fragment is left out
	Double        FaultKind = "double"         // a fragment comes twice
	Swap          FaultKind = "swap"           // a fragment and the next change places
	NoAnnounce    FaultKind = "no-announce"    // the announcement is left out
	AnnounceTwice FaultKind = "announce-twice" // the announcement comes twice
	Replay        FaultKind = "replay"         // the whole call comes once more
	NoEnd         FaultKind = "no-end"         // the end of the call is left out
	Cut           FaultKind = "cut"            // the connection is cut in the middle of the fragment
	Stall         FaultKind = "stall"          // nothing more comes, and the connection stays open
	ErrorEvent    FaultKind = "error"          // the provider's error comes in the place of the fragment
	WrongStop     FaultKind = "wrong-stop"     // the model stops at its limit, as the stream says
	NoStop        FaultKind = "no-stop"        // the stream ends without its end
	Splice        FaultKind = "splice"         // a second turn begins inside the first, as proxies that retry do
)

// Fault is one thing that goes wrong in a turn.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// Call counts the calls of the turn, and Piece the fragments of the call, from 0.
	Call  int `json:"call,omitempty"`
	Piece int `json:"piece,omitempty"`
}

// Validate says what in a scenario can't be played.
func (s *Scenario) Validate() error {
	switch {
	case s.Name == "":
		return errors.New("the scenario has no name")
	case len(s.Turns) == 0:
		return fmt.Errorf("scenario %s: no turns", s.Name)
	}
	for i, t := range s.Turns {
		calls := 0
		for _, say := range t.Say {
			if say.Call != "" {
				calls++
			}
			if joined := join(say.Pieces); len(say.Pieces) > 0 && joined != say.Arguments {
				return fmt.Errorf("scenario %s, turn %d: the pieces of %s make other arguments", s.Name, i, say.Call)
			}
		}
		if f := t.Fault; f != nil && f.Kind != WrongStop && f.Kind != NoStop && f.Call >= calls {
			return fmt.Errorf("scenario %s, turn %d: the fault %s names call %d of %d", s.Name, i, f.Kind, f.Call, calls)
		}
		if !slices.Contains([]string{"", "calls", "done", "limit", "filter"}, t.Stop) {
			return fmt.Errorf("scenario %s, turn %d: the model can't stop for %q", s.Name, i, t.Stop)
		}
	}
	return nil
}

func join(pieces []string) (all string) {
	for _, p := range pieces {
		all += p
	}
	return all
}

// Parse reads a scenario.
func Parse(b []byte) (Scenario, error) {
	var s Scenario
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("the scenario: %w", err)
	}
	return s, s.Validate()
}
