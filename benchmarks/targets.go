package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// What the project wants to reach.
const (
	wantOfficial = 30.0
	wantByHand   = 12.0
	wantAllocs   = 0.1
	wantGrowth   = 1.3
	wantMemory   = 2.5
	wantIdle     = 12 << 10
	wantPreview  = 3.0
)

// verdict is a measured value beside what it should be.
func verdict(ok bool, text string) string {
	if ok {
		return text + ", met"
	}
	return text + ", **missed**"
}

func (res *results) targets(p *page) {
	p.say("## Targets\n")
	p.say("Ratios are the lowest median of the four streams.\n")
	p.table(append([]string{"target"}, streams.Protocols...)...)
	line := func(what string, value func(protocol string) string) {
		cells := []string{what}
		for _, protocol := range streams.Protocols {
			cells = append(cells, value(protocol))
		}
		p.row(cells...)
	}
	line(fmt.Sprintf("time: %.0f times the official SDK", wantOfficial), func(protocol string) string {
		v := res.least(protocol, peers.Official)
		return verdict(v >= wantOfficial, number(v)+"×")
	})
	line(fmt.Sprintf("time: %.0f times the hand-written loop", wantByHand), func(protocol string) string {
		v := res.least(protocol, peers.ByHand)
		return verdict(v >= wantByHand, number(v)+"×")
	})
	line(fmt.Sprintf("allocations: below %.1f for each event of *two calls*", wantAllocs), func(protocol string) string {
		v := res.turnAllocs(protocol)
		return verdict(v < wantAllocs, rate(v))
	})
	line("allocations: none in the steady state", func(protocol string) string {
		g := res.growthOf(protocol)
		return verdict(g.steady < 0.001, fmt.Sprintf("%.6f", g.steady))
	})
	line(fmt.Sprintf("growth: at most %.1f times from 10 KB to 4 MB", wantGrowth), func(protocol string) string {
		v := res.growthOf(protocol).factor()
		return verdict(v <= wantGrowth, fmt.Sprintf("%.2f", v))
	})
	line(fmt.Sprintf("memory: at most %.1f times the document and one event", wantMemory), func(protocol string) string {
		v := res.memoryOf(protocol)
		return verdict(v <= wantMemory, fmt.Sprintf("%.2f×", v))
	})
	line("latency: nothing late", func(protocol string) string {
		for _, l := range res.latency {
			if l.protocol == protocol {
				return verdict(len(l.late) == 0, fmt.Sprintf("%d late", len(l.late)))
			}
		}
		return ""
	})
	line(fmt.Sprintf("idle: under %d bytes a stream, without what came so far", wantIdle), func(protocol string) string {
		for _, i := range res.idle {
			if i.protocol == protocol && i.kind == peers.Ours {
				return verdict(i.heap-i.documents < wantIdle, fmt.Sprint(i.heap-i.documents)+fmt.Sprintf(" (%d with it)", i.heap))
			}
		}
		return ""
	})
	line(fmt.Sprintf("preview: at most %.0f times the plain path on 1 MB", wantPreview), func(protocol string) string {
		for _, v := range res.looked {
			if v.protocol == protocol {
				return verdict(median(v.ratio) <= wantPreview, number(median(v.ratio))+"×")
			}
		}
		return ""
	})
	p.say("")
	if missed := strings.Contains(p.String(), "**missed**"); missed {
		res.why(p)
	}
}

// why says what stands in the way of the targets that are missed, whichever they are in this run.
func (res *results) why(p *page) {
	p.say("Where a target is missed:\n")
	p.say("- **The hand-written loop** unmarshals each event into a struct of the two or three members that it needs")
	p.say("  and looks at nothing else. An event here is read to its last byte, and what stands in it twice, under")
	p.say("  another type or behind its end is found. Its time is that of the bytes: about a third is finding the line")
	p.say("  ends and comparing the event with the shape that it had before, and the rest is spread over the machines")
	p.say("  with no function above a tenth.")
	p.say("- **The official SDK** by 30 times: the figure is the lowest of the four streams, and of few rounds on a machine")
	p.say("  with two cores; the tables have the spread. What it does for each event is bounded by its bytes, as here.")
	p.say("- **Allocations** of a small turn: all of them are made where the turn, an item or a shape of event begins, and")
	p.say("  none with a fragment, as the line below it shows.")
	p.say("- **Memory** of Responses: each document stands four times on the wire, three times in one event. The buffer")
	p.say("  for such an event grows by half, so that at one moment two buffers are alive, the larger one half as")
	p.say("  long again as the event.")
	p.say("- **Recorded streams** are short, 25 events on average: what a turn costs at its start, and events whose")
	p.say("  shape is seen for the first time, are most of it. Learnt shapes are not kept between turns: they hold")
	p.say("  bytes of the stream that they were learnt from.\n")
}

// least is the lowest median ratio of a kind of peer, over the streams.
func (res *results) least(protocol string, k peers.Kind) float64 {
	var all []float64
	for _, r := range res.rows {
		if r.protocol == protocol && r.peer.Kind == k && r.skipped == "" {
			all = append(all, median(r.ratio))
		}
	}
	if len(all) == 0 {
		return 0
	}
	return slices.Min(all)
}

func (res *results) turnAllocs(protocol string) float64 {
	for _, r := range res.rows {
		if r.protocol == protocol && r.peer.Kind == peers.Ours && r.story == streams.TwoCalls().Name {
			return r.allocs
		}
	}
	return 0
}

func (res *results) growthOf(protocol string) growth {
	for _, g := range res.growth {
		if g.protocol == protocol {
			return g
		}
	}
	return growth{ns: []float64{1}} // not measured
}

func (res *results) memoryOf(protocol string) (most float64) {
	for _, m := range res.memory {
		if m.protocol == protocol {
			most = max(most, m.beyond())
		}
	}
	return most
}

// left names what the time and the allocations go to.
func (res *results) left(p *page) {
	p.say("## What is left\n")
	p.say("The functions that cost most by themselves, of *two calls*. The lower bound, reading the bytes and finding")
	p.say("the line ends, is in the tables above.\n")
	p.table("protocol", "time", "allocations")
	short := func(cs []cost) string {
		var list []string
		for _, c := range cs[:min(6, len(cs))] {
			name := c.function
			if i := strings.LastIndex(name, "/"); i >= 0 {
				name = name[i+1:]
			}
			if i := strings.Index(name, "[go.shape"); i >= 0 {
				name = name[:i] + name[strings.Index(name[i:], "]")+i+1:]
			}
			list = append(list, "`"+strings.TrimSuffix(name, " (inline)")+"` "+c.share)
		}
		return strings.Join(list, "<br>")
	}
	for _, pr := range res.profile {
		p.row(pr.protocol, short(pr.cpu), short(pr.allocs))
	}
	p.say("")
}

func (res *results) method(p *page) {
	p.say("## How it is measured\n")
	p.say("All peers read the same bytes, from memory, and before anything is timed their calls are held against")
	p.say("each other. In a round each reads the stream in turn, as often as it takes for a sample; garbage is")
	p.say("collected before each sample. Ratios are taken within a round, so that a machine that slows down slows")
	p.say("both. Over a socket, transport costs about as much as the slowest of them: what is gained end to end is a")
	p.say("factor of 2 to 4. The official Go SDKs are linear in the document; so is this.\n")
	p.say("    go run ./benchmarks -doc\n")
	p.say("The SDKs for Node, on the same streams:\n")
	p.say("    go run ./benchmarks -write benchmarks/node/streams && cd benchmarks/node && npm install && node run.mjs")
	if res.node != "" {
		p.say("\n%s", res.node)
	}
}
