// Package autopsy holds the accumulators that lose calls: the classic mistakes, written down plainly.
// They show what would have become of a stream, and they prove that the tests which hold the real
// accumulator in place would catch each of them. Nothing dispatches what they make.
package autopsy

import (
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Call is what a wrong accumulator takes for a call.
type Call struct{ ID, Name, Arguments string }

// Accumulator assembles the calls of one turn, wrongly.
type Accumulator interface {
	// Apply takes one event. A wrong accumulator knows no errors.
	Apply(ev *wholecall.Event)
	// Calls returns what it takes for the calls.
	Calls() []Call
}

type buffer struct {
	id, name string
	args     strings.Builder
	carry    uint16
}

func (b *buffer) add(ev *wholecall.Event) {
	if !ev.Escaped {
		b.args.Write(ev.Data)
		return
	}
	text, carry, _ := strictjson.AppendUnescaped(nil, ev.Data, b.carry)
	b.carry = carry
	b.args.Write(text)
}

func calls(buffers []*buffer) []Call {
	var out []Call
	for _, b := range buffers {
		args := b.args.String()
		if args == "" {
			args = "{}"
		}
		out = append(out, Call{b.id, b.name, args})
	}
	return out
}

// NameKeyed keys calls by the tool's name: two calls of one tool in a turn become one.
type NameKeyed struct {
	order  []*buffer
	byName map[string]*buffer
	byKey  map[wholecall.Key]string
}

// Apply implements Accumulator.
func (a *NameKeyed) Apply(ev *wholecall.Event) {
	if a.byName == nil {
		a.byName, a.byKey = map[string]*buffer{}, map[wholecall.Key]string{}
	}
	switch ev.Kind {
	case wholecall.Announce:
		name := string(ev.Name)
		a.byKey[ev.Key] = name
		if a.byName[name] == nil {
			a.byName[name] = &buffer{name: name}
			a.order = append(a.order, a.byName[name])
		}
		a.byName[name].id = string(ev.ID)
	case wholecall.Fragment:
		if b := a.byName[a.byKey[ev.Key]]; b != nil {
			b.add(ev)
		}
	}
}

// Calls implements Accumulator.
func (a *NameKeyed) Calls() []Call { return calls(a.order) }

// CurrentCall appends every fragment to the call that was announced last: calls whose fragments
// alternate become garbage.
type CurrentCall struct{ order []*buffer }

// Apply implements Accumulator.
func (a *CurrentCall) Apply(ev *wholecall.Event) {
	switch ev.Kind {
	case wholecall.Announce:
		a.order = append(a.order, &buffer{id: string(ev.ID), name: string(ev.Name)})
	case wholecall.Fragment:
		if n := len(a.order); n > 0 {
			a.order[n-1].add(ev)
		}
	}
}

// Calls implements Accumulator.
func (a *CurrentCall) Calls() []Call { return calls(a.order) }

// Shared is one accumulator for several streams, keyed by position: the second stream that announces a
// position takes the first one's call.
type Shared struct {
	order []*buffer
	byKey map[wholecall.Key]*buffer
}

// Apply implements Accumulator.
func (a *Shared) Apply(ev *wholecall.Event) {
	if a.byKey == nil {
		a.byKey = map[wholecall.Key]*buffer{}
	}
	switch ev.Kind {
	case wholecall.Announce:
		b := a.byKey[ev.Key]
		if b == nil {
			b = &buffer{}
			a.byKey[ev.Key] = b
			a.order = append(a.order, b)
		}
		b.id, b.name = string(ev.ID), string(ev.Name)
	case wholecall.Fragment:
		if b := a.byKey[ev.Key]; b != nil {
			b.add(ev)
		}
	}
}

// Calls implements Accumulator.
func (a *Shared) Calls() []Call { return calls(a.order) }
