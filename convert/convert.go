// Package convert writes a turn in another protocol's wire format: calls, their order, text, reasoning,
// the stop reason and the token counts. What the other protocol can't express is listed, never dropped
// without a word.
package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/wholecall/wholecall"
)

// Loss is something that the other protocol can't express.
type Loss struct {
	// What names the thing: "call", "text", "reasoning", "signature", "stop reason", …
	What string
	// ID is the id of the call concerned, or "".
	ID string
	// Why says why it can't be expressed.
	Why string
}

func (l Loss) String() string {
	s := l.What
	if l.ID != "" {
		s += " " + l.ID
	}
	return s + ": " + l.Why
}

// Turn reads a turn to its end and writes it to w in protocol to. A call is written with its arguments
// in one piece. A failed call is written as far as it came, and left open: the reader of the result
// fails it too.
//
// It returns what could not be expressed. The error is w's, or what failed the turn: a turn that its
// provider failed is written up to there, with the provider's error; any other failed turn is an error,
// since what it means is not known.
func Turn(w io.Writer, t *wholecall.Turn, to wholecall.Protocol) ([]Loss, error) {
	c := &converter{w: w, t: t, enc: to.NewEncoder(), facts: to.Facts(), calls: map[int]bool{},
		index: map[int]int32{}, runs: map[int]int32{}}
	var parts []wholecall.Part
	var failure error
	for part, err := range t.Parts() {
		if err != nil {
			failure = err
			break
		}
		parts = keep(parts, part)
	}
	err := c.turn(parts, failure)
	return c.losses, err
}

// keep adds a part to those that are kept. Pieces of one text are joined, since they are borrowed. What a
// turn shows of open calls is left out: the calls come whole.
func keep(parts []wholecall.Part, p wholecall.Part) []wholecall.Part {
	if p.Kind() == wholecall.ProgressPart {
		return parts
	}
	t, ok := p.(*wholecall.Text)
	if !ok {
		return append(parts, p)
	}
	if n := len(parts); n > 0 && parts[n-1].Place() == t.Place() {
		old := parts[n-1].(*wholecall.Text)
		old.Delta = append(old.Delta, t.Delta...)
		old.Done, old.Signature, old.Annotations = t.Done, t.Signature, t.Annotations
		return parts
	}
	kept := *t
	kept.Delta = bytes.Clone(t.Delta)
	return append(parts, &kept)
}

// turn writes the turn. It is read to its end by then: what a failed call is written as hangs on it.
func (c *converter) turn(parts []wholecall.Part, failure error) error {
	var provider *wholecall.ProviderError
	var incomplete *wholecall.IncompleteError
	if failure != nil && !errors.As(failure, &provider) && !errors.As(failure, &incomplete) {
		return fmt.Errorf("a failed turn can't be converted: %w", failure)
	}
	c.begin()
	for _, p := range parts {
		c.part(p)
	}
	if provider != nil {
		c.put(wholecall.Event{Kind: wholecall.Failure, ID: []byte(provider.Code), Name: []byte(provider.Type),
			Data: []byte(provider.Message)}, "provider's error", "")
		return c.err
	}
	c.end()
	return c.err
}

// stopped reports whether the model said why a choice stopped.
func (c *converter) stopped(choice int) bool {
	return slices.ContainsFunc(c.t.Stops(), func(st wholecall.Stopped) bool { return st.Choice == choice })
}

type converter struct {
	w      io.Writer
	t      *wholecall.Turn
	enc    wholecall.Encoder
	facts  wholecall.Facts
	buf    []byte
	losses []Loss
	err    error

	written []wholecall.Key // of whole calls whose end is still to come
	ids     []string        // theirs
	index   map[int]int32   // positions given out, by choice
	runs    map[int]int32
	calls   map[int]bool // choices with calls
}

// put writes one event. It reports whether the protocol could express it.
func (c *converter) put(ev wholecall.Event, what, id string) bool {
	if c.err != nil {
		return false
	}
	b, err := c.enc.Append(c.buf[:0], &ev)
	if err != nil {
		c.losses = append(c.losses, Loss{what, id, err.Error()})
		return false
	}
	c.buf = b
	_, c.err = c.w.Write(b)
	return c.err == nil
}

func (c *converter) begin() {
	c.put(wholecall.Event{Kind: wholecall.Begin, ID: []byte(c.t.ID()), Name: []byte(c.t.Model())}, "beginning", "")
}

// next returns the position of a part that begins now, as the other protocol counts.
func (c *converter) next(choice int, call bool) wholecall.Key {
	k := wholecall.Key{Choice: int32(choice)}
	if !call && !c.facts.OneSpace {
		c.runs[choice]++
		k.Sub = c.runs[choice]
		return k
	}
	k.Index = c.index[choice]
	c.index[choice]++
	return k
}

func (c *converter) part(p wholecall.Part) {
	switch p := p.(type) {
	case *wholecall.Text:
		c.text(p)
	case wholecall.Data:
		c.data(p)
	case wholecall.Call:
		c.call(p, wholecall.ClientRuns)
	case wholecall.ServerCall:
		c.serverCall(p)
	case wholecall.FailedCall:
		c.failed(p)
	}
}

func (c *converter) text(p *wholecall.Text) {
	what := p.Kind().String()
	k := c.next(p.Choice, false)
	if !c.put(wholecall.Event{Kind: wholecall.OpenPart, Part: p.Kind(), Key: k}, what, "") {
		return
	}
	if len(p.Delta) > 0 {
		c.put(wholecall.Event{Kind: wholecall.Delta, Key: k, Data: p.Delta}, what, "")
	}
	if len(p.Signature) > 0 {
		c.put(wholecall.Event{Kind: wholecall.Sign, Key: k, Data: p.Signature}, "signature of "+what, "")
	}
	for _, note := range p.Annotations {
		c.put(wholecall.Event{Kind: wholecall.Annotate, Key: k, Data: note}, "annotation of "+what, "")
	}
	c.put(wholecall.Event{Kind: wholecall.ClosePart, Key: k}, what, "")
}

// fits reports whether a call can be written where arguments are no text but a part of the frame.
func (c *converter) fits(p wholecall.Call) bool {
	args := bytes.TrimSpace(p.Arguments())
	if p.Form() != wholecall.JSONArguments || len(args) == 0 || args[0] != '{' {
		c.losses = append(c.losses, Loss{"call", p.ID(), "its arguments are no object, and " + c.facts.Name + " has no others"})
		return false
	}
	if len(args) < len(p.Arguments()) || bytes.ContainsAny(args, "\r\n") {
		c.losses = append(c.losses, Loss{"spacing of the arguments of call", p.ID(), c.facts.Name + " has them inside a line of its own"})
	}
	return true
}

// ends reports whether a whole call of a choice gets an end in the other protocol.
func (c *converter) ends(choice int) bool {
	switch {
	case c.facts.OwnEnd:
		return true
	case c.facts.TerminalEnds:
		return c.t.TerminalSeen()
	}
	return c.stopped(choice)
}

// data writes a part that is the provider's own JSON, which only the protocol that it came in has.
func (c *converter) data(p wholecall.Data) {
	if !c.same() {
		c.losses = append(c.losses, Loss{"part of type " + p.Type, "", c.facts.Name + " has no such part"})
		return
	}
	k := c.next(p.Choice, false)
	if !c.put(wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: k, Name: []byte(p.Type), Data: p.JSON}, p.Type, "") {
		return
	}
	if len(p.Text) > 0 {
		c.put(wholecall.Event{Kind: wholecall.Delta, Key: k, Data: p.Text}, p.Type, "")
	}
	c.put(wholecall.Event{Kind: wholecall.ClosePart, Key: k}, p.Type, "")
}

// same reports whether the turn came in the protocol that it is written in.
func (c *converter) same() bool { return c.t.Protocol().Facts().Name == c.facts.Name }

func (c *converter) announce(k wholecall.Key, id, name string, form wholecall.Form, runner wholecall.Runner, extra []byte, what string) bool {
	ev := wholecall.Event{Kind: wholecall.Announce, Key: k, ID: []byte(id), Name: []byte(name), Form: form, Runner: runner}
	if c.same() {
		ev.Extra = extra
	} else if runner == wholecall.ClientRuns && says(extra) {
		c.losses = append(c.losses, Loss{"what else is said of call", id, "only " + c.t.Protocol().Facts().Name + " has it"})
	}
	return c.put(ev, what, id)
}

// says reports whether what a provider says of a call beside its id and name matters to anybody else: an
// item's own id does not.
func says(extra []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(extra, &members) != nil {
		return false
	}
	for _, name := range []string{"item_id", "type", "generated_id"} {
		delete(members, name)
	}
	return len(members) > 0
}

func (c *converter) call(p wholecall.Call, runner wholecall.Runner) {
	choice := int(p.Key().Choice)
	if !c.ends(choice) {
		c.losses = append(c.losses, Loss{"call", p.ID(), "it had its own end in a stream that was cut, and " +
			c.facts.Name + " has no end of a call: whoever reads the result fails it"})
	}
	if c.facts.WholeCalls && !c.fits(p) {
		return
	}
	k := c.next(choice, true)
	if !c.announce(k, p.ID(), p.Name(), p.Form(), runner, p.Extra(), "call") {
		return
	}
	c.calls[choice] = true
	c.put(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: p.Arguments()}, "arguments of call", p.ID())
	c.put(wholecall.Event{Kind: wholecall.End, Key: k}, "end of call", p.ID())
	if !c.facts.OwnEnd && c.ends(choice) {
		c.written, c.ids = append(c.written, k), append(c.ids, p.ID())
	}
}

func (c *converter) serverCall(p wholecall.ServerCall) {
	k := c.next(int(p.Key().Choice), true)
	if !c.announce(k, p.ID(), p.Name(), p.Form(), wholecall.ProviderRuns, p.Extra(), "call that the provider ran") {
		return
	}
	c.put(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: p.Arguments()}, "arguments of call", p.ID())
	c.put(wholecall.Event{Kind: wholecall.End, Key: k}, "end of call", p.ID())
}

// failed writes a failed call as far as it came, so that whoever reads the result fails it too. What
// there is of its arguments may be a whole document all the same, which nothing authorised: then it is
// left without an end, and where calls have no end of their own it can't be written at all.
func (c *converter) failed(p wholecall.FailedCall) {
	choice := int(p.Key().Choice)
	if c.facts.WholeCalls {
		c.losses = append(c.losses, Loss{"failed call", p.ID(), c.facts.Name + " has calls only whole"})
		return
	}
	whole := json.Valid(p.Partial()) || len(p.Partial()) == 0 && c.facts.OwnEnd
	if whole && c.ends(choice) && !c.facts.OwnEnd {
		c.losses = append(c.losses, Loss{"failed call", p.ID(), "its arguments are a document as far as they came, and " +
			c.facts.Name + " has no end of a call that could be left out"})
		return
	}
	k := c.next(choice, true)
	if !c.announce(k, p.ID(), p.Name(), wholecall.JSONArguments, p.Runner(), nil, "failed call") {
		return
	}
	c.calls[choice] = c.calls[choice] || p.Runner() == wholecall.ClientRuns
	if len(p.Partial()) > 0 {
		c.put(wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: p.Partial()}, "arguments of failed call", p.ID())
	}
	if p.Reason == wholecall.ReasonArgument && !whole {
		c.put(wholecall.Event{Kind: wholecall.End, Key: k}, "end of failed call", p.ID())
	}
}

// end writes why the model stopped, the token counts, and the end of the stream, as far as they came.
func (c *converter) end() {
	if u, raw := c.t.Usage(); u != (wholecall.Usage{}) {
		ev := wholecall.Event{Kind: wholecall.UsageReport, Usage: u}
		if c.same() {
			ev.Data = raw
		}
		c.put(ev, "token counts", "")
	}
	for _, st := range c.t.Stops() {
		c.stop(st)
	}
	if c.t.TerminalSeen() && !c.put(wholecall.Event{Kind: wholecall.Terminal}, "end of the stream", "") && c.facts.TerminalEnds {
		c.endless(func(int) bool { return true })
	}
}

// endless lists the whole calls of some choices whose end could not be written.
func (c *converter) endless(of func(choice int) bool) {
	for i, k := range c.written {
		if of(int(k.Choice)) {
			c.losses = append(c.losses, Loss{"call", c.ids[i], "its end can't be expressed: whoever reads the result fails it"})
		}
	}
}

func (c *converter) stop(st wholecall.Stopped) {
	word := c.facts.Stops.Word(st.Reason, c.calls[st.Choice])
	if c.same() {
		word = st.Name
	}
	if word == "" {
		word = c.facts.Stops.Word(wholecall.ReasonTokenLimit, false)
		c.losses = append(c.losses, Loss{"stop reason " + st.Name, "",
			fmt.Sprintf("%s has no word for it; it is written as %q, which fails the same calls", c.facts.Name, word)})
	}
	if !c.put(wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: int32(st.Choice)}, Name: []byte(word),
		Reason: st.Reason, Ends: !c.facts.OwnEnd}, "stop reason", "") && !c.facts.TerminalEnds {
		c.endless(func(choice int) bool { return choice == st.Choice })
	}
}
