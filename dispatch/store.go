package dispatch

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// ErrRunning says that a call was claimed before, and that its run has not ended.
var ErrRunning = errors.New("the call runs already, or was running when its process ended")

// CallID names one call for ever: ids alone are unique within one turn only, and some providers begin to
// count anew in each.
type CallID struct {
	// Turn is the provider's id of the turn.
	Turn string
	// Call is the id of the call.
	Call string
}

// Store remembers which calls ran, so that none runs twice, also where a stream is resumed or replayed.
// It must be safe for concurrent use.
type Store interface {
	// Claim says that the call is about to run. It returns nil and no error where that was never said
	// before, and from then on it was. Where the call has ended it returns the result; where it has not,
	// the error is ErrRunning. Any other error keeps the call from running.
	Claim(ctx context.Context, id CallID) (*Result, error)
	// Done says what a claimed call came to.
	Done(ctx context.Context, id CallID, r Result) error
}

// Memory is a Store in memory. The zero Memory is ready to use, and holds the newest 65,536 calls.
type Memory struct {
	// Limit is how many calls are remembered; 0 means 65,536. A call that has not ended is never
	// forgotten.
	Limit int

	mu    sync.Mutex
	calls map[CallID]*list.Element
	order list.List // of *memo, the oldest first
}

type memo struct {
	id     CallID
	result *Result
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, id CallID) (*Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.calls[id]; e != nil {
		if r := e.Value.(*memo).result; r != nil {
			return r, nil
		}
		return nil, ErrRunning
	}
	if m.calls == nil {
		m.calls = map[CallID]*list.Element{}
	}
	m.calls[id] = m.order.PushBack(&memo{id: id})
	m.forget()
	return nil, nil
}

// forget drops the oldest calls that have ended, once there are too many.
func (m *Memory) forget() {
	limit := m.Limit
	if limit <= 0 {
		limit = 1 << 16
	}
	for e := m.order.Front(); e != nil && m.order.Len() > limit; {
		next := e.Next()
		if c := e.Value.(*memo); c.result != nil {
			m.order.Remove(e)
			delete(m.calls, c.id)
		}
		e = next
	}
}

// Done implements Store.
func (m *Memory) Done(_ context.Context, id CallID, r Result) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.calls[id]; e != nil {
		e.Value.(*memo).result = &r
	}
	return nil
}
