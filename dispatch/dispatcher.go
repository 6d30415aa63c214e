package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wholecall/wholecall"
)

// Policy says when calls run.
type Policy uint8

const (
	// WholeTurn runs nothing until the turn has ended without an error: what ran was meant, and no call
	// that ran has to be explained to the user of a turn that failed.
	WholeTurn Policy = iota
	// Eager runs each call as soon as it is whole, while the model goes on. On a protocol whose calls have
	// no end of their own that is when the model stops. A turn that fails later leaves calls that ran.
	Eager
)

// Config is how a Dispatcher runs calls. The zero Config is sound.
type Config struct {
	// Policy says when calls run: WholeTurn where nothing is said.
	Policy Policy
	// Limit is how many calls run side by side, of all the turns of the Dispatcher; 0 means 16.
	Limit int
	// Timeout bounds one run; 0 means one minute, and less than 0 no bound.
	Timeout time.Duration
	// Store remembers what ran. Nil means a Memory of its own.
	Store Store
}

// Dispatcher runs the calls of turns. It is safe for concurrent use, and has no goroutine between turns.
type Dispatcher struct {
	tools   set
	order   []Tool
	policy  Policy
	timeout time.Duration
	store   Store
	slots   chan struct{}
}

// New returns a Dispatcher for the tools. The error says which schema is wrong, or which name stands there
// twice.
func New(c Config, tools ...Tool) (*Dispatcher, error) {
	s, err := newSet(tools)
	if err != nil {
		return nil, fmt.Errorf("dispatch: %w", err)
	}
	if c.Limit <= 0 {
		c.Limit = 16
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	if c.Store == nil {
		c.Store = &Memory{}
	}
	return &Dispatcher{tools: s, order: tools, policy: c.Policy, timeout: c.Timeout, store: c.Store,
		slots: make(chan struct{}, c.Limit)}, nil
}

// Tools returns the tools, in the order in which New got them. The caller must not change them.
func (d *Dispatcher) Tools() []Tool { return d.order }

// Result is what a call came to.
type Result struct {
	wholecall.Answer
	// Key is the call's position in its turn, and Place its place among the parts.
	Key   wholecall.Key
	Place int
	// Err says why the call failed: an *ArgumentsError, an *UnknownToolError, a *PanicError, the tool's
	// own error, the context's, a *FailedError. Nil where it did not.
	Err error
	// Ran says that the tool's function was called in this turn. What it did may be there although the
	// call failed.
	Ran bool
	// Again says that the call ran before, in another reading of its stream: this is that result.
	Again bool
	// Took is how long the run took.
	Took time.Duration
}

// PanicError is a panic of a tool.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the tool panicked: %v", e.Value) }

// FailedError says that a call was announced and is not whole, so that it can't be run.
type FailedError struct{ Call wholecall.FailedCall }

func (e *FailedError) Error() string { return e.Call.String() }

// Unwrap returns what the stream did wrong, where it is known.
func (e *FailedError) Unwrap() error { return e.Call.Err }

// errTurnFailed cancels what runs when the turn fails.
var errTurnFailed = errors.New("the turn failed")

// claim asks the store whether a call may run.
func (d *Dispatcher) claim(ctx context.Context, id CallID) (*Result, error) {
	if id.Turn == "" {
		// Without the turn's id the call can't be told from that of another turn.
		return nil, nil
	}
	return d.store.Claim(ctx, id)
}
