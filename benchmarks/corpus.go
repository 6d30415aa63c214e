package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// corpus is what recorded streams take.
type corpus struct{ rows []corpusRow }

type corpusRow struct {
	protocol      string
	files, used   int
	differ        int // of used: the peers do not make the same calls
	bytes, events int
	peers         []string
	kinds         []peers.Kind
	ns            [][]float64 // for each peer, one a round
	ratio         [][]float64
	allocs        []float64
}

// folders is where the corpus keeps a protocol.
var folders = map[string]string{
	"anthropic":        "anthropic-messages",
	"openai-chat":      "openai-chat",
	"openai-responses": "openai-responses",
}

func (res *results) recorded(dir string) error {
	if dir == "" {
		fmt.Fprintln(os.Stderr, "  WHOLECALL_CORPUS is not set: left out")
		return nil
	}
	res.corpus = &corpus{}
	for _, protocol := range streams.Protocols {
		r, err := readRecorded(filepath.Join(dir, folders[protocol]), protocol, res.rounds)
		if err != nil {
			return err
		}
		res.corpus.rows = append(res.corpus.rows, r)
	}
	return nil
}

func readRecorded(dir, protocol string, rounds int) (corpusRow, error) {
	r := corpusRow{protocol: protocol}
	list := []peers.Peer{peers.Find(protocol, peers.Ours), peers.Find(protocol, peers.Official), peers.Find(protocol, peers.ByHand), peers.Floor(protocol)}
	names, err := filepath.Glob(filepath.Join(dir, "*.sse"))
	if err != nil {
		return r, err
	}
	var bodies [][]byte
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return r, err
		}
		r.files++
		readable, same := agree(list[:3], body)
		if !readable {
			continue
		}
		if !same {
			r.differ++
		}
		bodies = append(bodies, body)
		r.bytes += len(body)
		r.events += streams.Events(body)
	}
	r.used = len(bodies)
	if r.used == 0 {
		return r, fmt.Errorf("no stream in %s that all can read", filepath.Base(dir))
	}
	r.time(list, bodies, rounds)
	return r, nil
}

// agree reports whether all peers can read the body, and whether they make the same of it.
func agree(list []peers.Peer, body []byte) (readable, same bool) {
	same = true
	var first *peers.Turn
	for _, p := range list {
		t, err := p.ReadBytes(body)
		switch {
		case err != nil:
			return false, false
		case first == nil:
			first = t
		default:
			same = same && peers.Same(first, t, true) == ""
		}
	}
	return true, same
}

func (r *corpusRow) time(list []peers.Peer, bodies [][]byte, rounds int) {
	r.ns = make([][]float64, len(list))
	r.ratio = make([][]float64, len(list))
	for _, p := range list {
		r.peers, r.kinds = append(r.peers, p.Name), append(r.kinds, p.Kind)
		r.allocs = append(r.allocs, allocations(func() { readAll(p, bodies) })/float64(r.events))
	}
	for range rounds {
		for i, p := range list {
			runtime.GC()
			start := time.Now()
			readAll(p, bodies)
			r.ns[i] = append(r.ns[i], float64(time.Since(start).Nanoseconds())/float64(r.events))
			r.ratio[i] = append(r.ratio[i], r.ns[i][len(r.ns[i])-1]/r.ns[0][len(r.ns[0])-1])
		}
	}
}

func readAll(p peers.Peer, bodies [][]byte) {
	for _, b := range bodies {
		p.ReadBytes(b)
	}
}
