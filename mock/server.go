package mock

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/provider"
)

// Chunking says how the bytes of a stream reach the socket.
type Chunking string

// The ways to write a stream.
const (
	PerEvent Chunking = "event"  // each event in a write of its own
	Whole    Chunking = "whole"  // all of it in one
	PerByte  Chunking = "byte"   // a byte at a time
	Random   Chunking = "random" // pieces of 1 to 64 bytes
)

// Config is how a Server plays.
type Config struct {
	// Seed makes everything that is random the same again.
	Seed uint64
	// Chunking is how streams are written; "" means PerEvent.
	Chunking Chunking
	// Pace is the pause between two writes.
	Pace time.Duration
	// Gzip packs the bodies of clients that accept it.
	Gzip bool
}

// Server is a provider. Its paths are those of the real ones, below /r/RUN where a run was begun with
// Begin, and at the root for the run that Play names. It is an http.Handler, safe for concurrent use.
type Server struct {
	c Config

	mu   sync.Mutex
	runs map[string]*run
	next int
}

// New returns a Server.
func New(c Config) *Server {
	if c.Chunking == "" {
		c.Chunking = PerEvent
	}
	return &Server{c: c, runs: map[string]*run{}}
}

// Play makes a scenario the one that requests without a run get. What came before is forgotten.
func (s *Server) Play(sc Scenario) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[""] = &run{scenario: sc, seed: s.c.Seed}
}

// Begin begins a run of a scenario and returns its name: the client's base URL ends in /r/NAME then.
func (s *Server) Begin(sc Scenario) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	name := fmt.Sprint(s.next)
	s.runs[name] = &run{scenario: sc, seed: s.c.Seed + uint64(s.next)}
	return name
}

// Record returns what happened in a run so far.
func (s *Server) Record(name string) Record {
	s.mu.Lock()
	r := s.runs[name]
	s.mu.Unlock()
	if r == nil {
		return Record{}
	}
	return r.snapshot()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	path, name := req.URL.Path, ""
	if rest, ok := strings.CutPrefix(path, "/r/"); ok {
		name, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	s.mu.Lock()
	r := s.runs[name]
	s.mu.Unlock()
	p := protocolOf(path)
	switch {
	case r == nil:
		fail(w, http.StatusNotFound, "there is no such run")
	case p == nil || req.Method != http.MethodPost:
		fail(w, http.StatusNotFound, "no provider has such a path: "+path)
	default:
		s.answer(w, req, r, p, path)
	}
}

// protocolOf is the protocol of a path. Mistral's is that of Chat, at a host of its own, which a mock
// does not have: below /mistral it is.
func protocolOf(path string) wholecall.Protocol {
	if strings.HasPrefix(path, "/mistral/") {
		p, _ := provider.Named("mistral")
		return p
	}
	return httpturn.ByPath(path)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": message}})
	w.Write(b)
}

// bound is how long a request may be, in bytes.
const bound = 64 << 20

func (s *Server) answer(w http.ResponseWriter, req *http.Request, r *run, p wholecall.Protocol, path string) {
	body, err := io.ReadAll(io.LimitReader(req.Body, bound))
	if err != nil {
		fail(w, http.StatusBadRequest, "the request can't be read")
		return
	}
	h, err := audit.Parse(p.Facts().Name, body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	th, n := r.heard(beginning(body), h)
	t := Turn{Say: []Say{{Text: "That is all."}}}
	if n < len(r.scenario.Turns) {
		t = r.scenario.Turns[n]
	}
	cs, err := s.chunks(r, p, &t, n)
	if err != nil {
		r.problem(err.Error())
		fail(w, http.StatusNotImplemented, err.Error())
		return
	}
	said := audit.Read(wholecall.NewTurn(bytes.NewReader(concat(cs)), p))
	r.said(th, n, said)
	if !streams(p, path, body) {
		s.whole(w, p, cs)
		return
	}
	s.stream(w, req, p, cs, r.seed+uint64(n))
}

// beginning is what a conversation begins with: what the user said first.
func beginning(body []byte) string {
	var m struct{ Messages, Contents, Input json.RawMessage }
	if json.Unmarshal(body, &m) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{m.Messages, m.Contents, m.Input} {
		var list []struct {
			Role           string
			Content, Parts json.RawMessage
		}
		if json.Unmarshal(raw, &list) != nil {
			if len(raw) > 0 {
				return string(raw)
			}
			continue
		}
		for _, e := range list {
			if e.Role == "user" {
				return string(e.Content) + string(e.Parts)
			}
		}
	}
	return ""
}

func (s *Server) chunks(r *run, p wholecall.Protocol, t *Turn, n int) ([]chunk, error) {
	if t.Bytes != nil {
		if t.Provider != p.Facts().Name {
			return nil, fmt.Errorf("%s: %w: the turn is of %s", p.Facts().Name, errCantSay, t.Provider)
		}
		return []chunk{{bytes: t.Bytes, call: -1}}, nil
	}
	pl := &player{protocol: p, facts: p.Facts(), rand: rand.New(rand.NewPCG(r.seed, uint64(n))), model: "mock-1"}
	return pl.chunks(t)
}

func concat(cs []chunk) (all []byte) {
	for _, c := range cs {
		all = append(all, c.bytes...)
	}
	return all
}

// streams reports whether a request asks for a stream: its path says so, or its body.
func streams(p wholecall.Protocol, path string, body []byte) bool {
	if strings.Contains(path, "tream") {
		return true
	}
	if strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, "/converse") {
		return false
	}
	var m struct{ Stream *bool }
	json.Unmarshal(body, &m)
	return m.Stream != nil && *m.Stream || m.Stream == nil && p.Facts().Name == "ollama"
}

var contentTypes = map[string]string{
	"sse": "text/event-stream; charset=utf-8", "ndjson": "application/x-ndjson", "eventstream": "application/vnd.amazon.eventstream",
}

func (s *Server) stream(w http.ResponseWriter, req *http.Request, p wholecall.Protocol, cs []chunk, seed uint64) {
	head := w.Header()
	head.Set("Content-Type", contentTypes[p.Facts().Framing])
	head.Set("Cache-Control", "no-cache")
	head.Set("Request-Id", fmt.Sprintf("req_%x", seed))
	out := &writer{w: w, ctx: req.Context(), pace: s.c.Pace}
	if s.c.Gzip && strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
		head.Set("Content-Encoding", "gzip")
		out.z = gzip.NewWriter(w)
	}
	w.WriteHeader(http.StatusOK)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, c := range s.cut(cs, r) {
		if err := out.write(c); err != nil {
			// The handler is left as a server leaves it whose connection breaks.
			panic(http.ErrAbortHandler)
		}
	}
	if out.z != nil {
		out.z.Close()
	}
}

// cut cuts the chunks as the chunking says.
func (s *Server) cut(cs []chunk, r *rand.Rand) []chunk {
	if s.c.Chunking == PerEvent {
		return cs
	}
	var out []chunk
	var run []byte
	flush := func() {
		for len(run) > 0 {
			n := len(run)
			switch s.c.Chunking {
			case PerByte:
				n = 1
			case Random:
				n = min(n, 1+r.IntN(64))
			}
			out, run = append(out, chunk{bytes: run[:n]}), run[n:]
		}
	}
	for _, c := range cs {
		run = append(run, c.bytes...)
		if c.cut || c.stall {
			flush()
			out = append(out, chunk{cut: c.cut, stall: c.stall})
		}
	}
	flush()
	return out
}

var errCut = errors.New("the connection is cut")

type writer struct {
	w    http.ResponseWriter
	z    *gzip.Writer
	ctx  context.Context
	pace time.Duration
}

func (o *writer) write(c chunk) error {
	var err error
	if o.z != nil {
		if _, err = o.z.Write(c.bytes); err == nil {
			err = o.z.Flush()
		}
	} else {
		_, err = o.w.Write(c.bytes)
	}
	if f, ok := o.w.(http.Flusher); ok && err == nil {
		f.Flush()
	}
	switch {
	case err != nil:
		return err
	case c.cut:
		return errCut
	case c.stall:
		<-o.ctx.Done()
		return o.ctx.Err()
	}
	if o.pace > 0 {
		select {
		case <-time.After(o.pace):
		case <-o.ctx.Done():
			return o.ctx.Err()
		}
	}
	return nil
}

// whole answers a request that asks for no stream, with the same turn.
func (s *Server) whole(w http.ResponseWriter, p wholecall.Protocol, cs []chunk) {
	b, err := wholeBody(p, concat(cs))
	if err != nil {
		fail(w, http.StatusNotImplemented, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b)
}
