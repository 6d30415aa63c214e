package wholecall

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// Accumulator turns the events of one stream into parts. It is a machine that is fed and drained: it
// has no reader, no clock, no goroutine and no provider. It checks the invariants that make a call
// whole on every event:
//
//   - a key is announced at most once, also after its call has ended
//   - a fragment or an end has an announced, unfinished key
//   - an id is used by one call of a choice
//   - when the stream ends, no call is open: each is completed or failed, with a reason
//   - a completed call's arguments are exactly one JSON value, parsed once, at the end
//   - a call is handed out once, and parts in the order in which they began
//
// An Accumulator serves one stream, is not safe for concurrent use, and can't be reset. Most callers
// want a Turn, which drives one from a reader.
type Accumulator struct {
	lim   Limits
	at    Where
	check strictjson.Checker

	slots []slot
	last  int           // the slot that was used last: the next event is mostly for it
	byKey map[Key]int32 // all slots by key, once there are many
	head  int           // the first slot that is not wholly handed out
	text  Text          // what Next hands out for text, again and again
	spare []byte        // a text buffer that no slot uses
	copy  []byte        // scratch for an unescaped copy

	id, model                  string
	begun                      bool
	terminal                   bool
	over                       bool // End was called
	stops                      []stop
	usage                      Usage
	rawUsage                   []byte
	calls                      int
	choices                    int32
	devs                       []Deviation
	passed                     []Deviation
	rawControls, doubleEncoded bool // what the dialect allows of a finished document

	hint string // the switch that would have ended the turn well
	err  error
}

// stop is why a choice stopped.
type stop struct {
	choice   int32
	name     string
	reason   Reason
	promises bool
}

// NewAccumulator returns an accumulator for one stream.
func NewAccumulator(lim Limits) *Accumulator {
	return &Accumulator{lim: lim.filled()}
}

// Allow makes the accumulator read finished arguments as the dialect d allows it: of its switches,
// RawControlCharacters and DoubleEncoded matter here. It must be called before the first event.
func (a *Accumulator) Allow(d Dialect) {
	a.rawControls, a.doubleEncoded = d.Has(RawControlCharacters), d.Has(DoubleEncoded)
}

// At says which frame the next events come from.
func (a *Accumulator) At(w Where) { a.at = w }

// Apply applies one event. An error is a *ProtocolError or a *ProviderError; it fails the turn, sticks,
// and leaves everything else as it was: whatever had ended stays completed, whatever was open fails.
func (a *Accumulator) Apply(ev *Event) error {
	if a.err != nil {
		return a.err
	}
	var err error
	switch ev.Kind {
	case Fragment:
		err = a.fragment(ev)
	case Delta:
		err = a.delta(ev)
	case Announce:
		err = a.announce(ev)
	case End:
		err = a.end(ev)
	case Document:
		err = a.document(ev)
	case OpenPart:
		err = a.openPart(ev)
	case ClosePart:
		err = a.closePart(ev)
	case Sign, Annotate:
		err = a.remark(ev)
	case Begin:
		err = a.begin(ev)
	case Stop:
		err = a.stop(ev)
	case UsageReport:
		a.report(ev)
	case Terminal:
		err = a.finish()
	case Failure:
		err = &ProviderError{Where: a.at, Code: string(ev.ID), Type: string(ev.Name), Message: string(ev.Data)}
	case Deviate:
		a.devs = count(a.devs, ev.Name)
	case Hint:
		a.hint = string(ev.Name)
	case Pass:
		a.passed = count(a.passed, ev.Name)
	default:
		err = a.protocolError(Internal, ev, fmt.Sprintf("event kind %d", ev.Kind))
	}
	if err != nil {
		a.Fail(err)
	}
	return err
}

// Fail fails the turn with err, as Apply does for an event that breaks an invariant. What the decoder
// and the framing find wrong comes in here. Only the first failure counts.
func (a *Accumulator) Fail(err error) {
	if a.err != nil {
		return
	}
	a.err = err
	reason := ReasonProtocol
	if _, ok := err.(*ProviderError); ok {
		reason = ReasonProviderError
	}
	a.failOpen(reason, err)
}

// failOpen fails every call that is not decided, and closes every other part.
func (a *Accumulator) failOpen(reason Reason, err error) {
	for i := range a.slots {
		s := &a.slots[i]
		switch {
		case s.state > cut:
		case s.isCall():
			s.settle()
			s.state, s.reason, s.err = failed, reason, err
		default:
			a.close(s)
		}
	}
}

// find returns the slot with the key, or nil.
func (a *Accumulator) find(k Key) *slot {
	if a.last < len(a.slots) && a.slots[a.last].key == k {
		return &a.slots[a.last]
	}
	return a.search(k)
}

func (a *Accumulator) search(k Key) *slot {
	if a.byKey != nil {
		i, ok := a.byKey[k]
		if !ok {
			return nil
		}
		a.last = int(i)
		return &a.slots[i]
	}
	for i := range a.slots {
		if a.slots[i].key == k {
			a.last = i
			return &a.slots[i]
		}
	}
	return nil
}

// add makes a slot for a part that begins now.
func (a *Accumulator) add(s slot) *slot {
	a.slots = append(a.slots, s)
	a.last = len(a.slots) - 1
	a.choices = max(a.choices, s.key.Choice+1)
	const many = 16
	switch {
	case a.byKey != nil:
		a.byKey[s.key] = int32(a.last)
	case len(a.slots) > many:
		a.byKey = make(map[Key]int32, 4*many)
		for i := range a.slots {
			a.byKey[a.slots[i].key] = int32(i)
		}
	}
	return &a.slots[a.last]
}

func (a *Accumulator) announce(ev *Event) error {
	if a.terminal {
		return a.protocolError(Late, ev, "a call is announced behind the end of the stream")
	}
	if a.find(ev.Key) != nil {
		return a.protocolError(DuplicateAnnouncement, ev, "the position already has a part")
	}
	if len(ev.ID) == 0 || len(ev.Name) == 0 {
		return a.protocolError(IncompleteIdentity, ev, "a call is announced without "+absent(ev))
	}
	if a.idTaken(ev) {
		return a.protocolError(DuplicateID, ev, "another call of this turn has the id")
	}
	if a.calls >= a.lim.Calls {
		return a.protocolError(TooManyCalls, ev, fmt.Sprintf("more than %d calls", a.lim.Calls))
	}
	a.calls++
	kind := CallPart
	if ev.Runner == ProviderRuns {
		kind = ServerCallPart
	}
	a.add(slot{key: ev.Key, kind: kind, form: ev.Form, empty: ev.Empty, runner: ev.Runner,
		id: string(ev.ID), name: string(ev.Name), extra: slices.Clone(ev.Extra)})
	return nil
}

func absent(ev *Event) string {
	if len(ev.ID) == 0 {
		return "an id"
	}
	return "a name"
}

// idTaken reports whether a call of the same choice has the id (I3).
func (a *Accumulator) idTaken(ev *Event) bool {
	for i := range a.slots {
		s := &a.slots[i]
		if s.isCall() && s.key.Choice == ev.Key.Choice && s.id == string(ev.ID) {
			return true
		}
	}
	return false
}

// openCall returns the open call that the event belongs to (I2).
func (a *Accumulator) openCall(ev *Event, what string) (*slot, error) {
	s := a.find(ev.Key)
	switch {
	case s == nil:
		return nil, a.protocolError(Unannounced, ev, what+" for a call that was never announced")
	case !s.isCall():
		return nil, a.protocolError(MismatchedPart, ev, what+" of a call, but the position is "+s.kind.String())
	case s.state != open || a.terminal:
		return nil, a.slotError(Late, s, what+" for a call that has already ended")
	}
	return s, nil
}

func (a *Accumulator) fragment(ev *Event) error {
	s, err := a.openCall(ev, "a fragment")
	if err != nil {
		return err
	}
	s.pieces++
	if s.copied && len(ev.Data) > 0 {
		return a.slotError(Late, s, "a fragment behind the whole document")
	}
	s.append(ev, a.lim.DocumentBytes)
	return nil
}

func (a *Accumulator) end(ev *Event) error {
	s, err := a.openCall(ev, "an end")
	if err != nil {
		return err
	}
	if ev.Reason != "" {
		s.settle()
		s.state, s.reason = cut, ev.Reason
		return nil
	}
	a.conclude(s, a.stopOf(s.key.Choice))
	return nil
}

// conclude decides about a call that has ended: by its own end, or by its choice's. st is why its
// choice stopped, nil while that is not known.
func (a *Accumulator) conclude(s *slot, st *stop) {
	if s.empty >= EmptyIsObject && s.form == JSONArguments && len(s.buf) == 0 && !s.over && s.fault == nil && s.carry == 0 {
		a.concludeEmpty(s, st)
		return
	}
	fault := s.verdict(&a.check, &a.lim, a.at)
	if a.rawControls || a.doubleEncoded {
		fault = a.reread(s, fault)
	}
	switch {
	case fault == nil:
		s.state = completed
	case st == nil && fault.Kind == IncompleteJSON:
		// The model may have run into its token limit. The stop reason tells, and is waited for.
		s.state, s.fault = ended, fault
	case st != nil && st.reason != "":
		fault.Switch = "" // no dialect reads a cut answer
		s.state, s.reason, s.err = failed, st.reason, fault
	default:
		s.state, s.reason, s.err = failed, ReasonArgument, fault
	}
}

// concludeEmpty decides about a call that ended without a byte, or with half a document, once it is
// known why its choice stopped. That no bytes are no arguments is an interpretation, and a cut answer is
// never interpreted.
func (a *Accumulator) concludeEmpty(s *slot, st *stop) {
	switch {
	case st == nil:
		s.state = ended
	case s.fault != nil && st.reason == "":
		s.state, s.reason, s.err = failed, ReasonArgument, s.fault
	case s.fault != nil:
		s.fault.Switch = ""
		s.state, s.reason, s.err = failed, st.reason, s.fault
	case st.reason != "":
		s.state, s.reason = failed, st.reason
	default:
		if s.empty == EmptyIsObjectByDialect {
			a.devs = count(a.devs, []byte("empty-arguments"))
		}
		s.buf, s.state = append(s.buf, "{}"...), completed
	}
}

// document holds a copy of the whole arguments against what is there.
func (a *Accumulator) document(ev *Event) error {
	s := a.find(ev.Key)
	switch {
	case s == nil:
		return a.protocolError(Unannounced, ev, "a document for a call that was never announced")
	case !s.isCall():
		return a.protocolError(MismatchedPart, ev, "a document, but the position is "+s.kind.String())
	case s.state == open && !a.terminal:
		a.openDocument(s, ev)
		return nil
	case !ev.Final:
		return a.slotError(Late, s, "a document for a call that has already ended")
	case s.state == completed:
		return a.finalDocument(s, ev)
	}
	return nil
}

func (a *Accumulator) unescaped(ev *Event) []byte {
	if !ev.Escaped {
		return ev.Data
	}
	a.copy, _, _ = strictjson.AppendUnescaped(a.copy[:0], ev.Data, 0)
	return a.copy
}

// same holds a copy of the whole document against what is there, and reports whether they are the same
// document. As a rule they are the same bytes, and then the copy is not even unescaped.
func (a *Accumulator) same(s *slot, ev *Event) bool {
	if ev.Escaped && strictjson.Spells(ev.Data, s.buf) {
		return true
	}
	text := a.unescaped(ev)
	return bytes.Equal(s.buf, text) || s.form == JSONArguments && strictjson.Equal(s.buf, text)
}

func (a *Accumulator) openDocument(s *slot, ev *Event) {
	s.settle()
	switch {
	case s.over || s.fault != nil:
	case len(ev.Data) == 0 && len(s.buf) > 0:
		a.devs = count(a.devs, []byte("empty-copy"))
	case len(ev.Data) == 0:
	case len(s.buf) == 0:
		s.append(ev, a.lim.DocumentBytes)
		s.copied = true
		a.devs = count(a.devs, []byte("arguments-only-in-done"))
	default:
		if !a.same(s, ev) {
			s.fault = s.argumentError(DocumentMismatch, a.at, 0)
			s.fault.Detail = fmt.Sprintf("the fragments make %d bytes, the copy in %s has %d, and they are not the same document",
				len(s.buf), ev.Name, len(a.unescaped(ev)))
		}
	}
}

func (a *Accumulator) finalDocument(s *slot, ev *Event) error {
	if len(ev.Data) == 0 && len(s.buf) > 0 {
		a.devs = count(a.devs, []byte("empty-copy"))
		return nil
	}
	if !a.same(s, ev) {
		return a.slotError(CopyMismatch, s, fmt.Sprintf(
			"the call completed with %d bytes of arguments, the copy in %s has %d, and they are not the same document",
			len(s.buf), ev.Name, len(a.unescaped(ev))))
	}
	return nil
}

func (a *Accumulator) begin(ev *Event) error {
	if a.begun {
		return a.protocolError(Restarted, ev, "a second turn begins inside the stream")
	}
	a.begun, a.id, a.model = true, string(ev.ID), string(ev.Name)
	return nil
}

func (a *Accumulator) stopOf(choice int32) *stop {
	for i := range a.stops {
		if a.stops[i].choice == choice {
			return &a.stops[i]
		}
	}
	return nil
}

// stop records why a choice stopped, and decides about the calls that waited for that.
func (a *Accumulator) stop(ev *Event) error {
	if a.terminal {
		return a.protocolError(Late, ev, "a stop reason behind the end of the stream")
	}
	if st := a.stopOf(ev.Key.Choice); st != nil {
		if st.name == string(ev.Name) {
			return nil
		}
		return a.protocolError(RepeatedFinish, ev, fmt.Sprintf("the stop reason was %q, and is now %q", st.name, ev.Name))
	}
	a.choices = max(a.choices, ev.Key.Choice+1)
	a.stops = append(a.stops, stop{ev.Key.Choice, string(ev.Name), ev.Reason, ev.Promises})
	st := &a.stops[len(a.stops)-1]
	for i := range a.slots {
		s := &a.slots[i]
		switch {
		case s.key.Choice != st.choice:
		case s.state == ended:
			a.concludeEmpty(s, st)
		case s.state != open || !ev.Ends:
		case s.isCall():
			a.conclude(s, st)
		default:
			a.close(s)
		}
	}
	return nil
}

func (a *Accumulator) report(ev *Event) {
	a.usage = ev.Usage
	a.rawUsage = append(a.rawUsage[:0], ev.Data...)
}

func count(devs []Deviation, name []byte) []Deviation {
	for i := range devs {
		if devs[i].Name == string(name) {
			devs[i].Count++
			return devs
		}
	}
	return append(devs, Deviation{Name: string(name), Count: 1})
}

// protocolError makes an error about an event.
func (a *Accumulator) protocolError(k Kind, ev *Event, detail string) *ProtocolError {
	return &ProtocolError{Kind: k, Where: a.at, HasKey: ev.Kind != Begin && ev.Kind != Terminal, Key: ev.Key,
		ID: string(ev.ID), Name: nameOf(ev), Detail: detail, Advice: k.Advice()}
}

// nameOf is the tool's name, where the event carries one.
func nameOf(ev *Event) string {
	if ev.Kind == Announce {
		return string(ev.Name)
	}
	return ""
}

// slotError makes an error about a part.
func (a *Accumulator) slotError(k Kind, s *slot, detail string) *ProtocolError {
	return &ProtocolError{Kind: k, Where: a.at, HasKey: true, Key: s.key, ID: s.id, Name: s.name,
		Detail: detail, Advice: k.Advice()}
}
