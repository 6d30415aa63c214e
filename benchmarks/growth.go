package main

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"runtime"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

var documentSizes = []int{10 << 10, 100 << 10, 1 << 20, 4 << 20}

// growth is the time for each event by the length of the document.
type growth struct {
	protocol string
	ns       []float64   // the median, for each of documentSizes
	all      [][]float64 // the rounds
	steady   float64     // allocations for each event between the last two sizes
}

func (res *results) grow() error {
	for _, protocol := range streams.Protocols {
		g := growth{protocol: protocol, all: make([][]float64, len(documentSizes))}
		ours := peers.Find(protocol, peers.Ours)
		stories := make([]*streams.Story, len(documentSizes))
		for i, size := range documentSizes {
			stories[i] = streams.Document(size)
		}
		for range res.rounds {
			for i, s := range stories {
				ns, err := eventTime(ours, s)
				if err != nil {
					return err
				}
				g.all[i] = append(g.all[i], ns)
			}
		}
		for _, rounds := range g.all {
			g.ns = append(g.ns, median(rounds))
		}
		g.steady = steady(ours, stories)
		res.growth = append(res.growth, g)
	}
	return nil
}

// eventTime reads a story often enough for a sample.
func eventTime(p peers.Peer, s *streams.Story) (float64, error) {
	runtime.GC()
	var took time.Duration
	var events int
	for took < sampleTime {
		f := newFeeder(s.Bytes(p.Protocol))
		start := time.Now()
		_, err := p.Read(f)
		took += time.Since(start) - f.making
		f.stop()
		if err != nil {
			return 0, err
		}
		events += f.events
	}
	return float64(took.Nanoseconds()) / float64(events), nil
}

// steady counts what a longer document allocates beyond a shorter one, for each event more.
func steady(p peers.Peer, stories []*streams.Story) float64 {
	long, more := stories[len(stories)-1].Body(p.Protocol)
	short, less := stories[len(stories)-2].Body(p.Protocol)
	a := allocations(func() { p.ReadBytes(short) })
	b := allocations(func() { p.ReadBytes(long) })
	return (b - a) / float64(more-less)
}

// feeder makes a stream as it is read, into a buffer that is used again, as a socket's is. What the
// making takes is not counted. A long body in memory would measure the memory instead: its events come
// from further away the longer it is.
type feeder struct {
	next   func() ([]byte, bool)
	stop   func()
	buf    []byte
	rest   []byte
	making time.Duration
	events int
}

func newFeeder(chunks iter.Seq[[]byte]) *feeder {
	f := &feeder{buf: make([]byte, 0, 64<<10)}
	f.next, f.stop = iter.Pull(chunks)
	return f
}

func (f *feeder) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		start := time.Now()
		f.buf = f.buf[:0]
		for len(f.buf) < 32<<10 {
			chunk, ok := f.next()
			if !ok {
				break
			}
			f.buf = append(f.buf, chunk...)
			f.events += streams.Events(chunk)
		}
		f.rest = f.buf
		f.making += time.Since(start)
	}
	if len(f.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// memory is what a document costs.
type memory struct {
	protocol string
	document int
	frame    int // the bytes of the longest event
	total    int // all that was allocated
	peak     int // what was alive at the same time
	official int // total of the official SDK
}

// beyond is the peak without one frame, as a multiple of the document.
func (m memory) beyond() float64 { return float64(m.peak-m.frame) / float64(m.document) }

func (res *results) remember() error {
	for _, protocol := range streams.Protocols {
		for _, size := range documentSizes[2:] {
			m, err := measureMemory(protocol, streams.Document(size))
			if err != nil {
				return err
			}
			res.memory = append(res.memory, m)
		}
	}
	return nil
}

func measureMemory(protocol string, s *streams.Story) (memory, error) {
	body, _ := s.Body(protocol)
	m := memory{protocol: protocol, document: len(s.Calls[0].Document), frame: longest(body)}
	w := &watcher{r: bytes.NewReader(body)}
	w.begin()
	calls, err := hold(w, protocol)
	if err != nil {
		return m, err
	}
	w.look()
	runtime.KeepAlive(calls)
	m.peak = int(w.peak)
	m.total = allocated(func() { hold(bytes.NewReader(body), protocol) })
	m.official = allocated(func() { peers.Find(protocol, peers.Official).ReadBytes(body) })
	runtime.KeepAlive(body)
	return m, nil
}

// hold reads a turn and keeps its calls.
func hold(r io.Reader, protocol string) (calls []wholecall.Call, err error) {
	turn := wholecall.NewTurn(r, peers.Protocol(protocol))
	for part, err := range turn.Parts() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", protocol, err)
		}
		if c, ok := part.(wholecall.Call); ok {
			calls = append(calls, c)
		}
	}
	return calls, nil
}

func allocated(f func()) int {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return int(b.TotalAlloc - a.TotalAlloc)
}

func longest(body []byte) (n int) {
	for f := range bytes.SplitSeq(body, []byte("\n\n")) {
		n = max(n, len(f))
	}
	return n
}

// watcher is a reader that looks at the heap at each Read. What was alive at the last one and what was
// allocated since bound what was alive at any moment between: a buffer that grows is there twice for a
// while.
type watcher struct {
	r           io.Reader
	base        uint64
	live, total uint64
	peak        uint64
}

func (w *watcher) begin() {
	w.measure()
	w.base = w.live
}

func (w *watcher) measure() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	w.live, w.total = m.HeapAlloc, m.TotalAlloc
}

func (w *watcher) look() {
	before, was := w.live, w.total
	w.measure()
	w.peak = max(w.peak, before+w.total-was-w.base)
}

func (w *watcher) Read(p []byte) (int, error) {
	w.look()
	return w.r.Read(p[:min(len(p), 64<<10)])
}
