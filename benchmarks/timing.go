package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

const (
	sampleTime = 15 * time.Millisecond // a sample repeats a body until it takes about that long
	peerBudget = 6 * time.Second       // a peer that is slow on a body gets fewer rounds
	patience   = 60 * time.Second      // a peer that would take longer is left out
)

// row is what one peer did with one stream.
type row struct {
	story, protocol string
	peer            peers.Peer
	events          int
	ns              []float64 // for each event, one a round
	ratio           []float64 // over ours in the same round
	allocs          float64   // for each event
	skipped         string    // why there is no time
}

// entrant is a peer that takes part in the rounds of a stream.
type entrant struct {
	row
	repeat, rounds int
}

// compare checks that the peers agree on a stream, and then lets them read it in turn.
func compare(s *streams.Story, protocol string, rounds int) ([]row, error) {
	body, events := s.Body(protocol)
	list := append(peers.For(protocol), peers.Floor(protocol))
	entrants := make([]*entrant, len(list))
	for i, p := range list {
		e := &entrant{row: row{story: s.Name, protocol: protocol, peer: p, events: events}}
		entrants[i] = e
		if err := e.qualify(s, body, rounds); err != nil {
			return nil, err
		}
	}
	for round := range rounds {
		var base float64
		for _, e := range entrants {
			if e.skipped != "" || round >= e.rounds {
				continue
			}
			ns := float64(e.sample(body)) / float64(e.repeat) / float64(events)
			if e.peer.Kind == peers.Ours {
				base = ns
			}
			e.ns = append(e.ns, ns)
			e.ratio = append(e.ratio, ns/base)
		}
	}
	rows := make([]row, len(entrants))
	for i, e := range entrants {
		rows[i] = e.row
	}
	return rows, nil
}

// qualify checks that the peer makes the right calls of the stream, and finds out how much of it a
// round can take.
func (e *entrant) qualify(s *streams.Story, body []byte, rounds int) error {
	if long := e.forecast(s); long > patience {
		e.skipped = fmt.Sprintf("would take about %.0f s for one run", long.Seconds())
		return nil
	}
	start := time.Now()
	got, err := e.peer.ReadBytes(body)
	took := time.Since(start)
	switch {
	case err != nil:
		e.skipped = "fails: " + err.Error()
	case e.peer.Kind != peers.Bound:
		if diff := peers.Same(truth(s), got, e.peer.Rewrites); diff != "" {
			e.skipped = "wrong: " + diff
		}
	}
	if e.skipped != "" {
		fmt.Fprintf(os.Stderr, "  %s, %s: %s %s\n", e.protocol, e.story, e.peer.Name, e.skipped)
		if e.peer.Kind == peers.Ours {
			return fmt.Errorf("%s, %s: %s", e.protocol, e.story, e.skipped)
		}
		return nil
	}
	e.repeat = max(1, int(sampleTime/max(took, 1)))
	e.rounds = min(rounds, max(1, int(peerBudget/max(took, sampleTime))))
	e.allocs = allocations(func() { e.peer.ReadBytes(body) }) / float64(e.events)
	return nil
}

// forecast is how long one run of a long document would take, from two short ones: linear or quadratic.
func (e *entrant) forecast(s *streams.Story) time.Duration {
	const small, large = 64 << 10, 128 << 10
	if len(s.Calls) == 0 || len(s.Calls[0].Document) <= large || e.peer.Kind == peers.Bound {
		return 0
	}
	took := func(size int) time.Duration {
		body, _ := streams.Document(size).Body(e.protocol)
		start := time.Now()
		e.peer.ReadBytes(body)
		return time.Since(start)
	}
	a, b := took(small), took(large)
	times := time.Duration(len(s.Calls[0].Document) / large)
	if b > 3*a {
		times *= times
	}
	return b * times
}

// sample is how long the peer takes for the repeats of a round. What others left behind is cleared
// away before.
func (e *entrant) sample(body []byte) time.Duration {
	runtime.GC()
	start := time.Now()
	for range e.repeat {
		if _, err := e.peer.ReadBytes(body); err != nil {
			panic(err) // it read the same bytes before
		}
	}
	return time.Since(start)
}

// truth is what the stream says.
func truth(s *streams.Story) *peers.Turn {
	t := &peers.Turn{Text: string(s.Text)}
	for _, c := range s.Calls {
		t.Calls = append(t.Calls, peers.Call{ID: c.ID, Name: c.Name, JSON: c.Document})
	}
	return t
}

// allocations counts the allocations of f, which has run before.
func allocations(f func()) float64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return float64(b.Mallocs - a.Mallocs)
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
