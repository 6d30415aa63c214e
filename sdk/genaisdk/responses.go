package genaisdk

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"google.golang.org/genai"
)

// responses is the SDK's iterator as something that can be closed beside a read.
type responses struct {
	pull   func() (*genai.GenerateContentResponse, error, bool)
	stop   func()
	cancel context.CancelFunc // nil where the request's context is the caller's
	mu     sync.Mutex         // held while pull or stop run: they may not run together
	closed atomic.Bool
	first  *genai.GenerateContentResponse // looked at before the turn began
}

func newResponses(s iter.Seq2[*genai.GenerateContentResponse, error], cancel context.CancelFunc) *responses {
	r := &responses{cancel: cancel}
	r.pull, r.stop = iter.Pull2(s)
	return r
}

// read returns the next response, or what the stream ended with.
func (r *responses) read() (*genai.GenerateContentResponse, error) {
	r.mu.Lock()
	defer r.release()
	defer r.mu.Unlock()
	if first := r.first; first != nil {
		r.first = nil
		return first, nil
	}
	chunk, err, ok := r.pull()
	if !ok {
		return nil, io.EOF
	}
	return chunk, err
}

// peek looks at the first response: a request that was refused shows there.
func (r *responses) peek() error {
	first, err := r.read()
	if err == io.EOF {
		return nil
	}
	r.first = first
	return err
}

// close ends the stream, and gives its connection back.
func (r *responses) close() error {
	if r.cancel != nil {
		r.cancel()
	}
	r.closed.Store(true)
	r.release()
	return nil
}

// release ends the iterator of a stream that is closed, unless a read is under way, which does it when it is
// through.
func (r *responses) release() {
	if r.closed.Load() && r.mu.TryLock() {
		r.stop()
		r.mu.Unlock()
	}
}
