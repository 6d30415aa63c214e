package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/wholecall/wholecall"
)

// Turn reads a turn to its end, runs its calls, and returns a result for each call that the client must
// answer, in the order of the calls; a failed call has one too. each, where it is not nil, sees every part
// as it comes, before a call of it runs; its error ends the turn.
//
// The error is the turn's: where it is not nil the turn is not complete, what was running was cancelled,
// and the results say what ran. Turn returns only when nothing of it runs any more.
func (d *Dispatcher) Turn(ctx context.Context, t *wholecall.Turn, each func(wholecall.Part) error) ([]Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{d: d, ctx: ctx, t: t}
	err := r.read(each)
	if err != nil && !onlyCallsFailed(err) {
		cancel(fmt.Errorf("%w: %w", errTurnFailed, err))
		r.refuse(err)
	} else {
		for _, c := range r.waiting {
			r.start(c)
		}
	}
	r.wg.Wait()
	slices.SortFunc(r.results, func(a, b Result) int { return cmp.Compare(a.Place, b.Place) })
	return r.results, err
}

// onlyCallsFailed reports whether a turn came to its own end, and some of its calls are not whole: the
// others are, and are run.
func onlyCallsFailed(err error) bool {
	var ie *wholecall.IncompleteError
	return errors.As(err, &ie) && ie.Kind == wholecall.CallsFailed
}

// run is one turn.
type run struct {
	d       *Dispatcher
	ctx     context.Context
	t       *wholecall.Turn
	waiting []wholecall.Call
	wg      sync.WaitGroup

	mu      sync.Mutex
	results []Result
}

func (r *run) read(each func(wholecall.Part) error) error {
	for p, err := range r.t.Parts() {
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(p); err != nil {
				return err
			}
		}
		switch p := p.(type) {
		case wholecall.Call:
			if r.d.policy == Eager {
				r.start(p)
			} else {
				r.waiting = append(r.waiting, p)
			}
		case wholecall.FailedCall:
			r.failed(p)
		}
	}
	return nil
}

func (r *run) add(res Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, res)
}

func (r *run) failed(f wholecall.FailedCall) {
	if f.Runner() == wholecall.ProviderRuns {
		return
	}
	res := Result{Answer: wholecall.Answer{ID: f.ID(), Name: f.Name()}, Key: f.Key(), Place: f.Place()}
	res.fail(&FailedError{f})
	res.Content = "error: the call was not run: it did not arrive whole (" + string(f.Reason) + "). Make it again if it is still needed."
	r.add(res)
}

// refuse answers the calls that wait when the turn fails: none of them runs.
func (r *run) refuse(err error) {
	for _, c := range r.waiting {
		res := newResult(c)
		res.fail(fmt.Errorf("%w: %w", errTurnFailed, err))
		res.Content = "error: the call was not run: the answer that it stood in did not come to its end. Make it again if it is still needed."
		r.add(res)
	}
}

func newResult(c wholecall.Call) Result {
	return Result{Answer: wholecall.Answer{ID: c.ID(), Name: c.Name(), Form: c.Form()}, Key: c.Key(), Place: c.Place()}
}

// start runs a call in a goroutine of the turn.
func (r *run) start(c wholecall.Call) {
	id := CallID{Turn: r.t.ID(), Call: c.ID()}
	r.wg.Go(func() { r.add(r.d.one(r.ctx, id, c)) })
}

// one runs one call, unless it ran before.
func (d *Dispatcher) one(ctx context.Context, id CallID, c wholecall.Call) Result {
	res := newResult(c)
	tool := d.tools[c.Name()]
	if tool == nil {
		res.fail(&UnknownToolError{c.Name(), d.tools.names()})
		return res
	}
	if err := tool.check(c); err != nil {
		res.fail(err)
		return res
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		res.fail(context.Cause(ctx))
		return res
	}
	if ctx.Err() != nil {
		res.fail(context.Cause(ctx))
		return res
	}
	before, err := d.claim(ctx, id)
	switch {
	case err != nil:
		res.fail(err)
		return res
	case before != nil:
		again := *before
		again.Key, again.Place, again.Again, again.Ran = res.Key, res.Place, true, false
		return again
	}
	tool.call(ctx, d.limit(tool), c, &res)
	if id.Turn != "" {
		// The result counts although the turn is over: whoever reads the stream again must find it.
		if err := d.store.Done(context.WithoutCancel(ctx), id, res); err != nil {
			res.Err = errors.Join(res.Err, fmt.Errorf("the store: %w", err))
		}
	}
	return res
}

func (d *Dispatcher) limit(t *Tool) time.Duration {
	if t.Timeout != 0 {
		return t.Timeout
	}
	return d.timeout
}

// call runs the function. A function that does not heed its context is waited for: a goroutine that is
// left behind would have no owner.
func (t *Tool) call(ctx context.Context, limit time.Duration, c wholecall.Call, res *Result) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	res.Ran = true
	start := time.Now()
	out, err := t.guarded(ctx, c)
	res.Took = time.Since(start)
	if err == nil {
		res.Content, err = content(out)
	}
	if err != nil {
		res.fail(err)
	}
}

func (t *Tool) guarded(ctx context.Context, c wholecall.Call) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return t.Run(ctx, c)
}

// content is what the model reads of what a tool returned.
func content(out any) (string, error) {
	switch v := out.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case json.RawMessage:
		return string(v), nil
	case nil:
		return "done", nil
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("what the tool returned can't be written as JSON: %w", err)
	}
	return string(b), nil
}

// fail makes the result one of a call that failed.
func (r *Result) fail(err error) {
	r.Err, r.Failed = err, true
	var p *PanicError
	switch {
	case errors.As(err, &p):
		// What a panic says is the program's business, and not the model's.
		r.Content = "error: the tool failed"
	case errors.Is(err, context.DeadlineExceeded):
		r.Content = "error: the tool took too long"
	case errors.Is(err, errTurnFailed), errors.Is(err, context.Canceled):
		r.Content = "error: the call was cancelled"
	default:
		r.Content = "error: " + err.Error()
	}
}
