package main

import (
	"io"
	"runtime"
	"sync"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// idle is what an open stream holds that has read half of a turn and waits.
type idle struct {
	protocol  string
	peer      string
	kind      peers.Kind
	heap      int // bytes for each stream
	stack     int
	documents int // of heap, the bytes of text and arguments that came so far, roughly
}

// waiter is a reader that hands out one event at a time, and at the end waits for a byte.
type waiter struct {
	body   []byte
	ends   []int // of events; shared
	at     int
	next   int
	parked *sync.WaitGroup
	resume chan struct{}
}

func (w *waiter) Read(p []byte) (int, error) {
	if w.next == len(w.ends) {
		return 0, w.park()
	}
	n := copy(p, w.body[w.at:w.ends[w.next]])
	w.at += n
	if w.at == w.ends[w.next] {
		w.next++
	}
	return n, nil
}

func (w *waiter) park() error {
	w.parked.Done()
	<-w.resume
	return io.ErrUnexpectedEOF
}

// nobody reads nothing and waits: what it holds counts for no peer.
var nobody = peers.Peer{Read: func(r io.Reader) (*peers.Turn, error) { return nil, r.(*waiter).park() }}

func (res *results) wait() error {
	for _, protocol := range streams.Protocols {
		body, half := firstHalf(streams.TwoCalls(), protocol)
		baseHeap, baseStack := park(nobody, body, half, res.count)
		for _, k := range []peers.Kind{peers.Ours, peers.Official, peers.ByHand} {
			p := peers.Find(protocol, k)
			heap, stack := park(p, body, half, res.count)
			res.idle = append(res.idle, idle{protocol: protocol, peer: p.Name, kind: k,
				heap: (heap - baseHeap) / res.count, stack: (stack - baseStack) / res.count,
				documents: arrived(streams.TwoCalls())})
		}
	}
	return nil
}

// arrived is how many bytes of text and arguments are in the first half of the story.
func arrived(s *streams.Story) int {
	return len(s.Text) + len(s.Calls[0].Document)
}

// firstHalf is the first half of the events, and where each ends.
func firstHalf(s *streams.Story, protocol string) (body []byte, ends []int) {
	whole, events := s.Body(protocol)
	for at := 0; len(ends) < events/2; {
		at += indexEnd(whole[at:])
		ends = append(ends, at)
	}
	return whole[:ends[len(ends)-1]], ends
}

func indexEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		if b[i] == '\n' && b[i-1] == '\n' {
			return i + 1
		}
	}
	return len(b)
}

// park opens count streams, lets each read until it waits, and returns what they hold together.
func park(p peers.Peer, body []byte, ends []int, count int) (heap, stack int) {
	var parked, done sync.WaitGroup
	resume := make(chan struct{})
	before := settled()
	parked.Add(count)
	for range count {
		done.Go(func() {
			p.Read(&waiter{body: body, ends: ends, parked: &parked, resume: resume})
		})
	}
	parked.Wait()
	after := settled()
	close(resume)
	done.Wait()
	return int(after.HeapAlloc) - int(before.HeapAlloc), int(after.StackInuse) - int(before.StackInuse)
}

func settled() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
