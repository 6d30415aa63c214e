package wholecalltest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wholecall/wholecall"
)

// Result is what became of a turn, in a form that can be compared.
type Result struct {
	Outcome  wholecall.Outcome
	Kind     wholecall.Kind // of the error, "" where there is none
	Stop     string
	Calls    []Call   // completed calls, in order
	Failed   []string // id and reason of each failed call, in order
	Server   []Call   // completed calls that the provider ran
	Handed   []string // what was handed out, in order
	Distinct int      // announced calls
}

// Call is a completed call.
type Call struct{ ID, Name, Arguments string }

// String returns the result as text, a line each thing.
func (r Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "outcome %s", r.Outcome)
	if r.Kind != "" {
		fmt.Fprintf(&b, " %s", r.Kind)
	}
	if r.Stop != "" {
		fmt.Fprintf(&b, " stop %s", r.Stop)
	}
	for _, h := range r.Handed {
		fmt.Fprintf(&b, "\n%s", h)
	}
	return b.String() + "\n"
}

// KindOf returns the kind of an error that a turn ended with, or "".
func KindOf(err error) wholecall.Kind {
	var pe *wholecall.ProtocolError
	var ve *wholecall.ProviderError
	var ie *wholecall.IncompleteError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &pe):
		return pe.Kind
	case errors.As(err, &ve):
		return wholecall.ProviderFailed
	case errors.As(err, &ie):
		return ie.Kind
	}
	return "unknown"
}

// source is what a Turn and an Accumulator have in common.
type source interface {
	Outcome() wholecall.Outcome
	Err() error
	StopReason() string
	Completed() []wholecall.Call
	Failed() []wholecall.FailedCall
	ServerCalls() []wholecall.ServerCall
	Announced() int
}

// collector notes what is handed out.
type collector struct {
	handed []string
	text   strings.Builder
}

func (c *collector) part(p wholecall.Part) {
	switch p := p.(type) {
	case *wholecall.Text:
		c.text.Write(p.Delta)
		if p.Done {
			line := fmt.Sprintf("%s %q", p.Kind(), c.text.String())
			if len(p.Signature) > 0 {
				line += fmt.Sprintf(" signed %q", p.Signature)
			}
			for _, a := range p.Annotations {
				line += " note " + string(a)
			}
			c.add(line)
			c.text.Reset()
		}
	case wholecall.Data:
		c.add(fmt.Sprintf("data %s %s", p.Type, p.JSON))
	case wholecall.Call:
		c.add(fmt.Sprintf("call %s %s %s", p.ID(), p.Name(), p.Arguments()))
	case wholecall.ServerCall:
		c.add(fmt.Sprintf("server_call %s %s %s", p.ID(), p.Name(), p.Arguments()))
	case wholecall.FailedCall:
		line := fmt.Sprintf("failed %s %s %s", p.ID(), p.Name(), p.Reason)
		var ae *wholecall.ArgumentError
		if errors.As(p.Err, &ae) {
			line += " " + string(ae.Kind)
		}
		c.add(line)
	}
}

func (c *collector) add(line string) { c.handed = append(c.handed, line) }

func (c *collector) result(s source) Result {
	r := Result{Outcome: s.Outcome(), Kind: KindOf(s.Err()), Stop: s.StopReason(), Handed: c.handed, Distinct: s.Announced()}
	for _, call := range s.Completed() {
		r.Calls = append(r.Calls, Call{call.ID(), call.Name(), string(call.Arguments())})
	}
	for _, call := range s.ServerCalls() {
		r.Server = append(r.Server, Call{call.ID(), call.Name(), string(call.Arguments())})
	}
	for _, f := range s.Failed() {
		r.Failed = append(r.Failed, f.ID()+" "+string(f.Reason))
	}
	return r
}

// Read reads one turn to its end.
func Read(r io.Reader, p wholecall.Protocol, opts ...wholecall.Option) Result {
	return Drain(wholecall.NewTurn(r, p, opts...))
}

// Drain reads what is left of a turn.
func Drain(t *wholecall.Turn) Result {
	var c collector
	for {
		p, err := t.Next()
		if err != nil {
			return c.result(t)
		}
		c.part(p)
	}
}

// Apply applies events to a new accumulator, drains it after each, and ends it.
func Apply(events []wholecall.Event, lim wholecall.Limits) Result {
	a := wholecall.NewAccumulator(lim)
	var c collector
	for i := range events {
		a.At(wholecall.Where{Frame: i + 1, Offset: int64(i), Line: i + 1})
		err := a.Apply(&events[i])
		drain(a, &c)
		if err != nil {
			break
		}
	}
	a.End("", nil)
	drain(a, &c)
	return c.result(a)
}

func drain(a *wholecall.Accumulator, c *collector) {
	for {
		p, ok := a.Next()
		if !ok {
			return
		}
		c.part(p)
	}
}
