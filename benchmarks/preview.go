package main

import (
	"bytes"
	"runtime"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
	"github.com/wholecall/wholecall/preview"
)

// previewed is what a preview of a long document costs, over the plain path, in the same round.
type previewed struct {
	protocol string
	ratio    []float64
}

// look reads a turn, shows each piece of its call to a preview, and looks at what changed.
func look(body []byte, p wholecall.Protocol) {
	t := wholecall.NewTurn(bytes.NewReader(body), p, wholecall.WithProgress())
	var calls preview.Calls
	for part, err := range t.Parts() {
		if err != nil {
			panic(err) // it read the same bytes before
		}
		if pr, ok := part.(*wholecall.Progress); ok {
			for range calls.Add(pr).Changes() {
			}
		}
	}
}

func plain(body []byte, p wholecall.Protocol) {
	t := wholecall.NewTurn(bytes.NewReader(body), p)
	for _, err := range t.Parts() {
		if err != nil {
			panic(err)
		}
	}
}

func (res *results) preview() error {
	for _, protocol := range streams.Protocols {
		body, _ := streams.Document(1 << 20).Body(protocol)
		p := peers.Protocol(protocol)
		v := previewed{protocol: protocol}
		for range res.rounds {
			a := timed(func() { plain(body, p) })
			v.ratio = append(v.ratio, float64(timed(func() { look(body, p) }))/float64(a))
		}
		res.looked = append(res.looked, v)
	}
	return nil
}

func timed(f func()) time.Duration {
	runtime.GC()
	start := time.Now()
	f()
	return time.Since(start)
}
