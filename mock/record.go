package mock

import (
	"maps"
	"slices"
	"sync"

	"github.com/wholecall/wholecall/audit"
)

// Record is what happened in one run of a scenario.
type Record struct {
	// Turns are what the streams said, in the order in which they were asked for, as a strict reader has
	// it.
	Turns []audit.Said
	// Findings are what the client's requests show.
	Findings []audit.Finding
	// Retried says that the client asked again for a turn that went wrong.
	Retried bool
	// Requests counts the requests.
	Requests int
	// Problem says why the scenario could not be played, or "".
	Problem string

	answered map[int]bool // turns that a request echoed
}

// unanswered reports whether a turn with calls was never echoed: the client stopped there.
func (r *Record) unanswered() bool {
	for i, t := range r.Turns {
		if len(t.Calls) > 0 && !r.answered[i] {
			return true
		}
		if t.Failed && !r.answered[i] {
			return true
		}
	}
	return false
}

// run is a run that goes on.
type run struct {
	scenario Scenario
	seed     uint64

	mu      sync.Mutex
	record  Record
	threads map[string]*thread // conversations, by what they begin with
	byTurn  map[string]place   // turns by the provider's id
}

// thread is one conversation of a run.
type thread struct{ turns []int }

type place struct {
	thread *thread
	n      int
}

// heard notes a request and says which turn of the scenario it asks for.
func (r *run) heard(begins string, h audit.Heard) (t *thread, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Requests++
	t, n = r.thread(begins), len(h.Turns)
	if p, ok := r.byTurn[h.Previous]; ok && h.Previous != "" {
		t, n = p.thread, p.n+1
	} else if slices.ContainsFunc(h.Turns, func(ht audit.HeardTurn) bool { return ht.Several }) {
		n = r.known(t, h)
	}
	if n < len(t.turns) {
		r.record.Retried = true
	}
	if n > 0 && n <= len(t.turns) {
		r.compare(t.turns[n-1], n-1, h)
	}
	return t, n
}

func (r *run) compare(turn, n int, h audit.Heard) {
	if r.record.answered[turn] {
		return
	}
	if r.record.answered == nil {
		r.record.answered = map[int]bool{}
	}
	r.record.answered[turn] = true
	said := r.record.Turns[turn]
	if h.Previous != "" && h.Previous == said.Turn {
		r.record.Findings = append(r.record.Findings, audit.Compare(said, h)...)
		return
	}
	if n >= len(h.Turns) || h.Turns[n].Several {
		r.record.Findings = append(r.record.Findings, audit.Compare(said, h)...)
		return
	}
	r.record.Findings = append(r.record.Findings, audit.Against(said, h.Turns[n])...)
}

// known counts the turns of a conversation that a request knows, where it does not say how many it has:
// by their ids.
func (r *run) known(t *thread, h audit.Heard) (n int) {
	for i, turn := range t.turns {
		if _, ok := audit.Find(r.record.Turns[turn], h); ok {
			n = i + 1
		}
	}
	return n
}

func (r *run) thread(begins string) *thread {
	if r.threads == nil {
		r.threads, r.byTurn = map[string]*thread{}, map[string]place{}
	}
	t := r.threads[begins]
	if t == nil {
		t = &thread{}
		r.threads[begins] = t
	}
	return t
}

// said notes what a stream says that is about to be played.
func (r *run) said(t *thread, n int, s audit.Said) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byTurn == nil {
		r.byTurn = map[string]place{}
	}
	r.record.Turns = append(r.record.Turns, s)
	turn := len(r.record.Turns) - 1
	if n < len(t.turns) {
		t.turns[n] = turn
	} else {
		t.turns = append(t.turns, turn)
	}
	if s.Turn != "" {
		r.byTurn[s.Turn] = place{t, n}
	}
}

func (r *run) problem(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Problem = why
}

func (r *run) snapshot() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.record
	c.answered = maps.Clone(c.answered)
	return c
}
