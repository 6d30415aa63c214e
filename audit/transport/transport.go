// Package transport audits the traffic of an HTTP client, whatever SDK sits on it: it keeps what each stream
// said, and holds the next request against it. The traffic passes as it is; nothing is delayed or altered,
// and whatever goes wrong here is counted and reaches nobody.
//
//	t := transport.New(transport.Config{Found: func(f audit.Finding) { … }})
//	defer t.Close()
//	client := &http.Client{Transport: t}
package transport

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/httpturn"
)

// Config is how a Transport audits. The zero Config is sound, but for having nobody to tell.
type Config struct {
	// Base does the work; nil means http.DefaultTransport.
	Base http.RoundTripper
	// Found gets each finding. It is called by one goroutine, the Transport's own.
	Found func(audit.Finding)
	// Logger gets each finding as a warning, with ids and names and no arguments. Nil means none.
	Logger *slog.Logger
	// Protocol says in which protocol a request is answered; nil where it is not to be audited. Where the
	// function is nil, the path of the request tells: httpturn.ByPath.
	Protocol func(*http.Request) wholecall.Protocol
	// Dialect is the dialect of the servers.
	Dialect wholecall.Dialect
	// Turns is how many turns are remembered at most; 0 means 10,000. Age is how long; 0 means one hour.
	Turns int
	Age   time.Duration
	// Body bounds what is kept of one body, in bytes; 0 means 16 MiB. A longer one is not audited.
	Body int
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

// Stats counts what a Transport did.
type Stats struct {
	Turns     int64 // turns that were read
	Echoed    int64 // of these, turns that a request echoed
	Findings  int64
	Ambiguous int64 // echoes that could be of several turns, and fit none: nothing is said of them
	Unread    int64 // bodies that were too long, or no request or response of their protocol
	Dropped   int64 // bodies that came while too many waited
	Panics    int64
}

// Transport is an http.RoundTripper that audits. Make one with New. It has one goroutine, which Close ends.
type Transport struct {
	c    Config
	jobs chan job
	done chan struct{}

	mu     sync.RWMutex // held for reading while a job is handed over, so that Close can't come between
	closed bool

	memory memory
	stats  struct {
		turns, echoed, findings, ambiguous, unread, dropped, panics atomic.Int64
	}
}

// job is a body that was read to its end, or a mark of Flush.
type job struct {
	protocol wholecall.Protocol
	request  io.Reader // of a request; its bytes are in memory
	response []byte
	header   http.Header // of a response
	exchange *exchange
	mark     chan struct{}
}

// exchange is what a response must know of its request. It belongs to the Transport's goroutine.
type exchange struct{ prefix string }

// waiting is how many bodies may wait for the audit.
const waiting = 1024

// New returns a Transport. Close must be called once it is not needed any more.
func New(c Config) *Transport {
	if c.Base == nil {
		c.Base = http.DefaultTransport
	}
	if c.Turns <= 0 {
		c.Turns = 10_000
	}
	if c.Age <= 0 {
		c.Age = time.Hour
	}
	if c.Body <= 0 {
		c.Body = 16 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Protocol == nil {
		c.Protocol = func(r *http.Request) wholecall.Protocol { return httpturn.ByPath(r.URL.Path) }
	}
	t := &Transport{c: c, jobs: make(chan job, waiting), done: make(chan struct{})}
	go t.work()
	return t
}

// Close ends the audit, once what waits is done. Requests still pass, unaudited.
func (t *Transport) Close() error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.jobs)
	}
	t.mu.Unlock()
	<-t.done
	return nil
}

// Flush returns once all that was read before is audited.
func (t *Transport) Flush() {
	mark := make(chan struct{})
	t.mu.RLock()
	if t.closed {
		t.mu.RUnlock()
		<-t.done
		return
	}
	t.jobs <- job{mark: mark}
	t.mu.RUnlock()
	<-mark
}

// Stats returns the counts so far.
func (t *Transport) Stats() Stats {
	s := &t.stats
	return Stats{s.turns.Load(), s.echoed.Load(), s.findings.Load(), s.ambiguous.Load(), s.unread.Load(), s.dropped.Load(), s.panics.Load()}
}

// hand hands a job over, unless too many wait.
func (t *Transport) hand(j job) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return
	}
	select {
	case t.jobs <- j:
	default:
		t.stats.dropped.Add(1)
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	p := t.c.Protocol(req)
	if p == nil || req.Method != http.MethodPost {
		return t.c.Base.RoundTrip(req)
	}
	x := &exchange{}
	req = t.listen(req, p, x)
	resp, err := t.c.Base.RoundTrip(req)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 || resp.Body == nil {
		return resp, err
	}
	header := resp.Header
	resp.Body = &tee{ReadCloser: resp.Body, limit: t.c.Body, end: func(b []byte, over bool) {
		if over {
			t.stats.unread.Add(1)
			return
		}
		t.hand(job{protocol: p, response: b, header: header, exchange: x})
	}}
	return resp, nil
}

// listen makes the body of a request known to the audit. A body that can be had twice is read on the
// side; any other is kept as it is sent.
func (t *Transport) listen(req *http.Request, p wholecall.Protocol, x *exchange) *http.Request {
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			t.hand(job{protocol: p, request: body, exchange: x})
			return req
		}
	}
	// A RoundTripper may not change a request.
	clone := req.Clone(req.Context())
	clone.Body = &tee{ReadCloser: req.Body, limit: t.c.Body, length: req.ContentLength, end: func(b []byte, over bool) {
		if over {
			t.stats.unread.Add(1)
			return
		}
		t.hand(job{protocol: p, request: bytes.NewReader(b), exchange: x})
	}}
	return clone
}

// tee keeps what is read of a body, and hands it on once, at its end.
type tee struct {
	io.ReadCloser
	limit int
	// length is how long the body is, where that is known: whoever sends it need not read to its end, and may
	// close it at any time afterwards.
	length int64
	end    func(b []byte, over bool)

	mu   sync.Mutex // a body may be closed while it is read
	kept []byte
	read int64
	over bool
	done bool
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.done:
	case len(t.kept)+n > t.limit:
		t.over, t.kept = true, nil
	case !t.over:
		t.kept = append(t.kept, p[:n]...)
	}
	if t.read += int64(n); err != nil || t.length > 0 && t.read >= t.length {
		t.finish()
	}
	return n, err
}

// Close ends the body. A client that closes it early leaves a turn that is cut, which is what it heard.
func (t *tee) Close() error {
	t.mu.Lock()
	t.finish()
	t.mu.Unlock()
	return t.ReadCloser.Close()
}

func (t *tee) finish() {
	if t.done {
		return
	}
	t.done = true
	t.end(t.kept, t.over)
	t.kept = nil
}
