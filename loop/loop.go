// Package loop goes round: a turn of the model, its calls, their results, and again, until there is nothing
// to run. One stream is one turn is one accumulator; nothing is kept between turns but the conversation.
package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
)

// Conversation is where the turns come from: a client of a vendor's SDK, or plain HTTP. It holds the
// request, and is used by one goroutine at a time.
type Conversation interface {
	// Open sends the request as it stands and returns the stream of the turn.
	Open(ctx context.Context) (*Stream, error)
	// Add appends to the request what a turn said, and what its calls came to.
	Add(e wholecall.Echo) error
}

// Stream is one response.
type Stream struct {
	Turn *wholecall.Turn
	// Close ends the stream and gives its connection back. Nil where there is nothing to close.
	Close func() error
}

// Turn is a turn that is over.
type Turn struct {
	*wholecall.Turn
	// Reply is what the turn said.
	Reply wholecall.Reply
	// Results are what the calls came to, in the order of the calls. A call that failed, or that did not
	// run since the turn failed, has one too.
	Results []dispatch.Result
	// Echo is what a next request has to say of the turn to be valid, also where the turn failed: each call
	// that was announced stands in it, with a result. It is empty where EchoErr is not nil.
	Echo wholecall.Echo
	// EchoErr says why there is no echo.
	EchoErr error
}

// errNoEcho says that a protocol can't write a next request.
var errNoEcho = errors.New("the protocol can't write a next request; build it from Reply and Results")

// RunTurn runs one turn: it sends the request, reads the stream, runs the calls, and adds the turn and its
// results to the conversation. each, where it is not nil, sees each part as it comes.
//
// Where the turn is not complete, the error says so. If only calls of it failed, their results say that to
// the model, and the conversation can go on. If the turn itself failed or was cut, nothing is added to the
// conversation: the returned turn holds what was complete, what was not and why, and with its Echo the
// caller can go on nevertheless. The turn is nil only where there was no stream.
func RunTurn(ctx context.Context, c Conversation, d *dispatch.Dispatcher, each func(wholecall.Part) error) (*Turn, error) {
	s, err := c.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("the turn could not begin: %w", err)
	}
	t := &Turn{Turn: s.Turn}
	t.Results, err = d.Turn(ctx, s.Turn, func(p wholecall.Part) error {
		t.Reply.Keep(p)
		if each == nil {
			return nil
		}
		return each(p)
	})
	if s.Close != nil {
		// What was read is whole or is not: how the connection ends afterwards changes nothing.
		s.Close()
	}
	t.echo()
	if err != nil && !CanGoOn(err) {
		return t, err
	}
	if t.EchoErr != nil {
		return t, errors.Join(err, t.EchoErr)
	}
	if aerr := c.Add(t.Echo); aerr != nil {
		return t, errors.Join(err, fmt.Errorf("the conversation: %w", aerr))
	}
	return t, err
}

// CanGoOn reports whether a turn that ended with this error came to its own end, and only calls of it
// failed: a next request with their results is sound.
func CanGoOn(err error) bool {
	var ie *wholecall.IncompleteError
	return errors.As(err, &ie) && ie.Kind == wholecall.CallsFailed
}

func (t *Turn) echo() {
	e, ok := t.Protocol().(wholecall.Echoer)
	if !ok {
		t.EchoErr = fmt.Errorf("%s: %w", t.Protocol().Facts().Name, errNoEcho)
		return
	}
	var answers []wholecall.Answer
	for _, r := range t.Results {
		if r.Key.Choice == 0 {
			answers = append(answers, r.Answer)
		}
	}
	t.Echo, t.EchoErr = e.Echo(&t.Reply, answers)
}

// ErrTurnLimit says that the model still had calls to run when the loop had made as many turns as it may.
var ErrTurnLimit = errors.New("the turn limit is reached, and the model still calls tools")

// Options are the choices of a Loop. The zero Options are sound.
type Options struct {
	// MaxTurns is how many turns there may be; 0 means 32.
	MaxTurns int
	// Each sees each part of each turn as it comes. Its error ends the loop.
	Each func(wholecall.Part) error
	// Stop is asked behind each turn, once its calls have run; true ends the loop.
	Stop func(*Turn) bool
}

// Loop runs turns until the model has no more calls, the limit is reached, or Stop says so. It returns the
// last turn. A call that failed is no end: the model gets to know, and may make it again.
func Loop(ctx context.Context, c Conversation, d *dispatch.Dispatcher, o Options) (*Turn, error) {
	if o.MaxTurns <= 0 {
		o.MaxTurns = 32
	}
	for n := 1; ; n++ {
		t, err := RunTurn(ctx, c, d, o.Each)
		switch {
		case err != nil && !CanGoOn(err), t == nil:
			return t, err
		case o.Stop != nil && o.Stop(t):
			return t, err
		case len(t.Results) == 0 && !paused(t):
			return t, err
		case n == o.MaxTurns:
			return t, errors.Join(ErrTurnLimit, err)
		case ctx.Err() != nil:
			return t, context.Cause(ctx)
		}
	}
}

// paused reports whether the provider interrupted its own work and wants the turn back to go on with it.
func paused(t *Turn) bool {
	for _, st := range t.Stops() {
		if st.Choice == 0 && st.Reason == wholecall.ReasonPaused {
			return true
		}
	}
	return false
}

// Specs is what a request tells the model of a dispatcher's tools.
func Specs(d *dispatch.Dispatcher) []wholecall.ToolSpec {
	var specs []wholecall.ToolSpec
	for _, t := range d.Tools() {
		specs = append(specs, wholecall.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return specs
}
