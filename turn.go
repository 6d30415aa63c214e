package wholecall

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Turn reads one model response from a reader and hands out its parts. It drives a framing, a decoder
// and an Accumulator, and belongs to one stream: there is nothing to reset and nothing to share.
//
// A Turn is not safe for concurrent use. The calls that it hands out are.
type Turn struct {
	p   Protocol
	src *source
	acc *Accumulator
	dec Decoder

	events []Event
	next   int       // the first event of events that is not applied
	show   *progress // nil without WithProgress
	fault  error     // what the decoder found wrong behind them
	done   bool
	lax    bool // a last frame that lacks only its end counts
	alive  bool // data that begins with a colon is a keep-alive
	split  bool // leave a frame that begins another turn to the next Turn
}

// Option is a choice that NewTurn offers.
type Option func(*config)

type config struct {
	lim     Limits
	dialect Dialect
	ctx     context.Context
	framer  func(limit int) frame.Framer

	progress bool
}

// WithLimits bounds what the stream may cost. Without it the defaults of Limits hold.
func WithLimits(l Limits) Option { return func(c *config) { c.lim = l } }

// WithDialect names the dialect of the server, where it departs from its protocol. Without it the
// protocol is read as its owner documents it.
func WithDialect(d Dialect) Option { return func(c *config) { c.dialect = d } }

// WithContext ends the turn when ctx does: as cancelled, or as timed out where ctx had a deadline. A
// reader that is an io.Closer is closed then, so that a pending Read returns.
func WithContext(ctx context.Context) Option { return func(c *config) { c.ctx = ctx } }

// WithFraming replaces the framing that the protocol documents, for a capture that was stored
// otherwise: a file of bare payloads, one a line, is ndjson.
func WithFraming(newFramer func(limit int) frame.Framer) Option {
	return func(c *config) { c.framer = newFramer }
}

// NewTurn returns the turn that r holds, as protocol p writes it. It reads nothing yet. NewTurn panics
// if the dialect has a switch that the protocol doesn't know: check names from outside with
// CheckDialect.
//
// Where r is an io.Closer, the turn closes it when no byte came for Limits.Idle, or when the context
// of WithContext ends; otherwise closing r is the caller's business.
func NewTurn(r io.Reader, p Protocol, opts ...Option) *Turn {
	c := configure(p, opts)
	return newTurn(newSource(r, p, c), p, c, false)
}

func configure(p Protocol, opts []Option) *config {
	c := &config{ctx: context.Background()}
	for _, o := range opts {
		o(c)
	}
	if err := CheckDialect(p, c.dialect); err != nil {
		panic("wholecall: " + err.Error())
	}
	c.lim = c.lim.filled()
	return c
}

func newTurn(src *source, p Protocol, c *config, split bool) *Turn {
	t := &Turn{p: p, src: src, acc: NewAccumulator(c.lim), dec: p.NewDecoder(c.dialect), split: split,
		lax: c.dialect.Has(UnterminatedEvent), alive: c.dialect.Has(KeepaliveData)}
	t.acc.Allow(c.dialect)
	if c.progress {
		t.show = &progress{}
	}
	return t
}

// Parts iterates over the parts of the turn, in the order in which they began on the wire. A *Text is
// borrowed until the next part, and so is a *Progress; a Call is owned.
//
// Where the turn is not complete, the last thing that it yields is an error: a *ProtocolError or a
// *ProviderError where the turn failed, an *IncompleteError where the stream was cut or a call failed.
// The calls that were handed out before are whole all the same; the ones that failed are in Failed.
func (t *Turn) Parts() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		for {
			p, err := t.Next()
			if err == io.EOF {
				return
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next part, in the order in which the parts began on the wire. At the end of a
// complete turn the error is io.EOF; otherwise it is what Parts yields last. It sticks.
func (t *Turn) Next() (Part, error) {
	for {
		if t.show != nil {
			if p := t.show.take(); p != nil {
				return p, nil
			}
		}
		if p, ok := t.acc.Next(); ok {
			return p, nil
		}
		if t.done {
			if err := t.acc.Err(); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		t.step()
	}
}

// step applies one event, or decodes one frame, or ends the turn.
func (t *Turn) step() {
	if t.next < len(t.events) {
		ev := &t.events[t.next]
		t.next++
		if t.acc.Apply(ev) != nil {
			t.finish("", nil)
		} else if t.show != nil {
			t.show.note(t.acc, ev)
		}
		return
	}
	if t.fault != nil {
		t.fail(t.fault)
		return
	}
	f, err := t.src.frame()
	switch {
	case err != nil:
		t.stop(err)
	case t.split && t.acc.terminal && t.dec.Begins(f):
		t.src.unread()
		t.finish("", nil)
	default:
		t.decode(f)
	}
}

func (t *Turn) decode(f *frame.Frame) {
	t.acc.At(Where{f.Number, f.Offset, f.Line})
	var err error
	t.next, t.events = 0, t.events[:0]
	if f.Stray != nil {
		t.acc.devs = count(t.acc.devs, strayName(f.Stray))
		if sd, ok := t.dec.(StrayDecoder); ok {
			t.events, err = sd.DecodeStray(f, t.events)
		}
	}
	comment := len(f.Data) > 0 && f.Data[0] == ':'
	switch {
	case err != nil || f.Data == nil:
	case comment && t.alive:
		t.acc.devs = count(t.acc.devs, []byte(KeepaliveData))
	default:
		t.events, err = t.dec.Decode(f, t.events)
	}
	if err == nil {
		return
	}
	if pe, ok := err.(*ProtocolError); ok && comment {
		pe.Switch = KeepaliveData
	}
	// What the frame said before the fault is applied first: a call that it announces is accounted for.
	t.fault = err
}

// strayName tells a stray line that looks like an error, which some servers write beside the stream,
// from any other line that is no field.
func strayName(stray []byte) []byte {
	if bytes.HasPrefix(stray, []byte("error:")) || bytes.Contains(stray, []byte(`"error"`)) {
		return []byte("json-error-field")
	}
	return []byte("stray-lines")
}

// fail fails the turn with what the decoder or the framing found wrong, and says where.
func (t *Turn) fail(err error) {
	var pe *ProtocolError
	if errors.As(err, &pe) {
		if pe.Where == (Where{}) {
			pe.Where = t.acc.at
		}
		if pe.Advice == "" {
			pe.Advice = pe.Kind.Advice()
		}
	}
	t.acc.Fail(err)
	t.finish("", nil)
}

// stop ends the turn at the end of its bytes. err is io.EOF, an error of the framing, or the reader's.
func (t *Turn) stop(err error) {
	if err == io.EOF {
		t.end("", nil)
		return
	}
	var fe *frame.Error
	if !errors.As(err, &fe) {
		t.finish(readEnd(err), err)
		return
	}
	t.acc.At(Where{fe.Number, fe.Offset, fe.Line})
	switch {
	case errors.Is(err, frame.Truncated) && t.src.none && t.src.stray != nil:
		t.fail(t.src.notAStream(err))
	case errors.Is(err, frame.Truncated) && t.acc.terminal:
		// The bytes behind the end are a frame that never was: nothing is lost with it.
		t.acc.devs = count(t.acc.devs, []byte("cut-behind-the-end"))
		t.end("", nil)
	case errors.Is(err, frame.Truncated):
		t.cut(err)
	case errors.Is(err, frame.TooLong):
		t.fail(&ProtocolError{Kind: FrameTooLong, Detail: fe.Error(), Cause: err})
	default:
		t.fail(&ProtocolError{Kind: MalformedFrame, Detail: fe.Error(), Cause: err})
	}
}

// cut ends the turn inside a frame. Where the frame lacks nothing but its end, a dialect may count it.
func (t *Turn) cut(err error) {
	f := &t.src.f
	whole := f.Data != nil && (strictjson.Check(f.Data, DefaultDepth) == nil || string(bytes.TrimSpace(f.Data)) == "[DONE]")
	switch {
	case whole && t.lax:
		t.acc.devs = count(t.acc.devs, []byte(UnterminatedEvent))
		t.src.err = io.EOF
		t.decode(f)
		return
	case whole:
		t.acc.hint = UnterminatedEvent
	}
	if t.p.Facts().EndOfBody {
		// The decoder would take the end of the bytes for the end of the turn.
		t.finish(Truncated, err)
		return
	}
	t.end(Truncated, err)
}

// end applies what the end of the stream itself says, and ends the turn.
func (t *Turn) end(kind Kind, cause error) {
	if t.src.stray != nil && t.src.none {
		t.fail(t.src.notAStream(nil))
		return
	}
	t.events = t.dec.End(t.events[:0])
	for i := range t.events {
		if t.acc.Apply(&t.events[i]) != nil {
			break
		}
	}
	t.finish(kind, cause)
}

func (t *Turn) finish(kind Kind, cause error) {
	if t.done {
		return
	}
	t.done = true
	t.acc.End(kind, cause)
	t.src.stop()
	if !t.split || t.src.err != nil && !t.src.again {
		t.events = nil
		t.src.release()
	}
}

// readEnd says what a reader's error means for the turn.
func readEnd(err error) Kind {
	var timeout interface{ Timeout() bool } // what a net.Error is, without package net
	switch {
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, errIdle):
		return TimedOut
	case errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut
	}
	return Truncated
}

// Protocol is the protocol that the turn is read in.
func (t *Turn) Protocol() Protocol { return t.p }

// Err returns what is wrong with the turn so far; after its end, what Parts yields last.
func (t *Turn) Err() error { return t.acc.Err() }

// Outcome says what became of the turn. It is final when Next has returned an error.
func (t *Turn) Outcome() Outcome { return t.acc.Outcome() }

// Announced counts the calls announced so far that the client must run.
func (t *Turn) Announced() int { return t.acc.Announced() }

// Completed returns the whole calls so far, in the order in which they were announced.
func (t *Turn) Completed() []Call { return t.acc.Completed() }

// Failed returns the calls that were announced and can't be completed.
func (t *Turn) Failed() []FailedCall { return t.acc.Failed() }

// ServerCalls returns the calls that the provider ran itself.
func (t *Turn) ServerCalls() []ServerCall { return t.acc.ServerCalls() }

// Outline returns the parts so far in short, in the order in which they began.
func (t *Turn) Outline() []PartInfo { return t.acc.Parts() }

// Deviations returns what the dialect let through and what harmless oddities were seen, with counts.
func (t *Turn) Deviations() []Deviation { return t.acc.Deviations() }

// Passed returns the types of event that were passed over because the decoder does not know them.
func (t *Turn) Passed() []Deviation { return t.acc.Passed() }

// ID is the response's id, as the provider gave it.
func (t *Turn) ID() string { return t.acc.ID() }

// Model is the model's name, as the provider gave it.
func (t *Turn) Model() string { return t.acc.Model() }

// StopReason is why the first choice stopped, as the provider said it.
func (t *Turn) StopReason() string { return t.acc.StopReason() }

// Stops returns why each choice stopped.
func (t *Turn) Stops() []Stopped { return t.acc.Stops() }

// TerminalSeen reports whether the stream's own end was seen.
func (t *Turn) TerminalSeen() bool { return t.acc.TerminalSeen() }

// Choices counts the alternative answers seen: at least 1.
func (t *Turn) Choices() int { return t.acc.Choices() }

// Usage returns the token counts that were reported last, and their JSON as it stood.
func (t *Turn) Usage() (Usage, []byte) { return t.acc.Usage() }

// Turns iterates over the turns of a capture that holds several, one behind the other. A turn ends
// where its terminal was seen and the next frame begins another; whatever is not so separated stays
// one turn, and is the error that it is. Each turn must be read to its end before the next; what the
// caller leaves unread is read and dropped.
func Turns(r io.Reader, p Protocol, opts ...Option) iter.Seq[*Turn] {
	return func(yield func(*Turn) bool) {
		c := configure(p, opts)
		src := newSource(r, p, c)
		for first := true; first || src.more(); first = false {
			t := newTurn(src, p, c, true)
			if !yield(t) {
				src.stop()
				return
			}
			for {
				if _, err := t.Next(); err != nil {
					break
				}
			}
			src.skip(t.dec)
		}
	}
}
