// Package autopsy holds the accumulators that lose calls, and the parsers that let it pass: the classic
// mistakes, written down plainly. They show what would have become of a stream, and they prove that the
// tests which hold the real accumulator in place would catch each of them. Nothing dispatches what they make.
package autopsy

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Call is what a wrong accumulator takes for a call.
type Call struct{ ID, Name, Arguments string }

// Accumulator assembles the calls of one turn, wrongly.
type Accumulator interface {
	// Apply takes one event. A wrong accumulator knows no errors. It returns the index of the buffer that
	// the event went into, or -1.
	Apply(ev *wholecall.Event) int
	// Calls returns what it takes for the calls.
	Calls() []Call
	// Buffers returns what it holds: where the bytes of each call came from.
	Buffers() []*Buffer
}

// Source is a run of bytes of a buffer that one call of the stream wrote.
type Source struct {
	Stream   int // 0 is the stream in question, 1 another one that the process serves
	Key      wholecall.Key
	From, To int // bytes of the buffer
}

// Buffer is what an accumulator holds for one call.
type Buffer struct {
	ID, Name string
	Args     []byte
	Sources  []Source
	carry    uint16
}

func (b *Buffer) add(stream int, ev *wholecall.Event) {
	if ev.Kind == wholecall.Document {
		// Clients that read the copy take it where no fragment came.
		if b.holds(stream, ev.Key) || len(ev.Data) == 0 {
			return
		}
	}
	before := len(b.Args)
	if ev.Escaped {
		b.Args, b.carry, _ = strictjson.AppendUnescaped(b.Args, ev.Data, b.carry)
	} else {
		b.Args = append(b.Args, ev.Data...)
	}
	if len(b.Args) == before {
		return
	}
	if n := len(b.Sources); n > 0 && b.Sources[n-1].Key == ev.Key && b.Sources[n-1].Stream == stream {
		b.Sources[n-1].To = len(b.Args)
		return
	}
	b.Sources = append(b.Sources, Source{stream, ev.Key, before, len(b.Args)})
}

// holds reports whether the buffer has bytes of a call.
func (b *Buffer) holds(stream int, k wholecall.Key) bool {
	for _, s := range b.Sources {
		if s.Key == k && s.Stream == stream {
			return true
		}
	}
	return false
}

// identify takes an announcement. What it leaves out stays as it was.
func (b *Buffer) identify(ev *wholecall.Event) {
	if len(ev.ID) > 0 {
		b.ID = string(ev.ID)
	}
	if len(ev.Name) > 0 {
		b.Name = string(ev.Name)
	}
}

// buffers are what an accumulator holds, in the order in which it made them.
type buffers []*Buffer

func (o *buffers) make() int {
	*o = append(*o, &Buffer{})
	return len(*o) - 1
}

// Buffers implements Accumulator.
func (o *buffers) Buffers() []*Buffer { return *o }

// Calls implements Accumulator.
func (o *buffers) Calls() []Call {
	var out []Call
	for _, b := range *o {
		out = append(out, Call{b.ID, b.Name, b.Document()})
	}
	return out
}

// Document is what the accumulator would parse: {} where no byte came, as clients do.
func (b *Buffer) Document() string {
	if len(b.Args) == 0 {
		return "{}"
	}
	return string(b.Args)
}

// piece reports whether an event carries arguments.
func piece(ev *wholecall.Event) bool {
	return ev.Kind == wholecall.Fragment || ev.Kind == wholecall.Document && !ev.Final
}

// NameKeyed keys calls by the tool's name: two calls of one tool in a turn become one.
type NameKeyed struct {
	buffers
	byName map[string]int
	byKey  map[wholecall.Key]string
}

// Apply implements Accumulator.
func (a *NameKeyed) Apply(ev *wholecall.Event) int {
	if a.byName == nil {
		a.byName, a.byKey = map[string]int{}, map[wholecall.Key]string{}
	}
	switch {
	case ev.Kind == wholecall.Announce:
		name := string(ev.Name)
		a.byKey[ev.Key] = name
		if _, ok := a.byName[name]; !ok {
			a.byName[name] = a.make()
		}
		i := a.byName[name]
		a.buffers[i].identify(ev)
		return i
	case piece(ev):
		if i, ok := a.byName[a.byKey[ev.Key]]; ok {
			a.buffers[i].add(0, ev)
			return i
		}
	}
	return -1
}

// CurrentCall appends every fragment to the call that was announced last, whatever key it carries: calls
// whose fragments alternate become garbage.
type CurrentCall struct{ buffers }

// Apply implements Accumulator.
func (a *CurrentCall) Apply(ev *wholecall.Event) int {
	if ev.Kind == wholecall.Announce {
		a.buffers[a.make()].identify(ev)
	} else if !piece(ev) || len(a.buffers) == 0 {
		return -1
	} else {
		a.buffers[len(a.buffers)-1].add(0, ev)
	}
	return len(a.buffers) - 1
}

// place is the position that a client reads on the wire: it has no idea that one may be used again.
type place struct{ choice, index int32 }

func placeOf(k wholecall.Key) place { return place{k.Choice, k.Index} }

// Shared is one accumulator for several streams, keyed by position: the second stream that announces a
// position takes the first one's call.
type Shared struct {
	buffers
	// Stream says which stream the next events come from, for Source.Stream.
	Stream int
	byKey  map[place]int
}

// Apply implements Accumulator.
func (a *Shared) Apply(ev *wholecall.Event) int {
	if a.byKey == nil {
		a.byKey = map[place]int{}
	}
	i, ok := a.byKey[placeOf(ev.Key)]
	switch {
	case ev.Kind == wholecall.Announce:
		if !ok {
			i = a.make()
			a.byKey[placeOf(ev.Key)] = i
		}
		a.buffers[i].identify(ev)
		return i
	case piece(ev) && ok:
		a.buffers[i].add(a.Stream, ev)
		return i
	}
	return -1
}

// DefaultDict makes a buffer for any position that it has not seen, as a default dictionary does: a lost
// announcement leaves a call without a name, and a replay writes into a call that had ended.
type DefaultDict struct {
	buffers
	byKey map[place]int
}

// Apply implements Accumulator.
func (a *DefaultDict) Apply(ev *wholecall.Event) int {
	if a.byKey == nil {
		a.byKey = map[place]int{}
	}
	if ev.Kind != wholecall.Announce && !piece(ev) {
		return -1
	}
	i, ok := a.byKey[placeOf(ev.Key)]
	if !ok {
		i = a.make()
		a.byKey[placeOf(ev.Key)] = i
	}
	if ev.Kind == wholecall.Announce {
		a.buffers[i].identify(ev)
	} else {
		a.buffers[i].add(0, ev)
	}
	return i
}
