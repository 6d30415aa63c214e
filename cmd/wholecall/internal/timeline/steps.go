// Package timeline says what each frame of a capture did: which part of the turn it touched, and with how
// many bytes. Unlike a turn it goes on behind a fault, as far as the frames can be understood, since code
// that checks nothing goes on, too.
package timeline

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
)

// How says how a capture is read.
type How struct {
	Protocol  wholecall.Protocol
	NewFramer func(limit int) frame.Framer // nil means the protocol's own
	Dialect   wholecall.Dialect
}

// Step is one frame of a turn, or, without a frame, what the end of the capture itself says.
type Step struct {
	Turn   int               // counted from 1
	Frame  *frame.Frame      // borrowed; nil for the end of the capture
	Events []wholecall.Event // what the decoder read; borrowed
	Err    error             // why the decoder refused the frame, or nil
	Fault  error             // what failed the turn, at this frame; nil at every other
	Behind bool              // the turn had failed before
	Cut    bool              // the capture ends inside the frame, which has no events
}

// Steps reads a capture and hands out each frame's step, until see returns false. What it borrows is valid
// until see returns. It holds no more than one frame. The error is the reader's or the framing's; a capture
// that is cut is none.
func Steps(ctx context.Context, r io.Reader, how How, see func(*Step) bool) error {
	w := &walk{how: how, see: see}
	newFramer := how.NewFramer
	if newFramer == nil {
		newFramer = how.Protocol.NewFramer
	}
	fr := newFramer(0)
	var f frame.Frame
	for {
		ok, err := fr.Next(&f)
		switch {
		case err != nil:
			return framingError(err)
		case ok:
			if !w.frame(&f) {
				return nil
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(fr.Buffer())
		fr.Fed(n)
		if err == io.EOF && n == 0 {
			return w.close(fr)
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
}

// framingError returns err, unless it says no more than that the capture is cut or can't be cut into frames:
// that is a finding about the capture, and the turn itself reports it.
func framingError(err error) error {
	var fe *frame.Error
	if errors.As(err, &fe) {
		return nil
	}
	return err
}

// walk is one reading of a capture.
type walk struct {
	how    How
	see    func(*Step) bool
	turn   int
	dec    wholecall.Decoder
	acc    *wholecall.Accumulator
	failed bool
	events []wholecall.Event
}

// frame takes one frame, and reports whether to go on.
func (w *walk) frame(f *frame.Frame) bool {
	if w.dec == nil || (w.failed || w.acc.TerminalSeen()) && w.dec.Begins(f) {
		w.begin()
	}
	s := &Step{Turn: w.turn, Frame: f, Behind: w.failed}
	w.events = w.events[:0]
	if stray, ok := w.dec.(wholecall.StrayDecoder); ok && f.Stray != nil {
		w.events, s.Err = stray.DecodeStray(f, w.events)
	}
	quiet := w.how.Dialect.Has(wholecall.KeepaliveData) && bytes.HasPrefix(f.Data, []byte(":"))
	if s.Err == nil && f.Data != nil && !quiet {
		w.events, s.Err = w.dec.Decode(f, w.events)
	}
	w.apply(s, wholecall.Where{Frame: f.Number, Offset: f.Offset, Line: f.Line})
	return w.see(s)
}

func (w *walk) begin() {
	w.turn++
	w.dec, w.acc, w.failed = w.how.Protocol.NewDecoder(w.how.Dialect), wholecall.NewAccumulator(wholecall.Limits{}), false
	w.acc.Allow(w.how.Dialect)
}

// apply finds out whether the step fails the turn.
func (w *walk) apply(s *Step, at wholecall.Where) {
	s.Events = w.events
	if w.failed {
		return
	}
	w.acc.At(at)
	for i := range w.events {
		if s.Fault = w.acc.Apply(&w.events[i]); s.Fault != nil {
			w.failed = true
			return
		}
	}
	for { // what is whole is of no interest here, and must not pile up
		if _, ok := w.acc.Next(); !ok {
			break
		}
	}
	if s.Err != nil {
		s.Fault, w.failed = s.Err, true
	}
}

// close takes what stands behind the last whole frame, and what the end of the capture says.
func (w *walk) close(fr frame.Framer) error {
	var f frame.Frame
	err := fr.Close(&f)
	last := err == nil && f.Data != nil
	if errors.Is(err, frame.Truncated) && w.how.Dialect.Has(wholecall.UnterminatedEvent) && f.Data != nil {
		last = true
	}
	if last && !w.frame(&f) || w.dec == nil {
		return nil
	}
	if err != nil && !last {
		w.cut(err)
		return framingError(err)
	}
	w.events = w.dec.End(w.events[:0])
	s := &Step{Turn: w.turn, Behind: w.failed}
	w.apply(s, wholecall.Where{})
	w.see(s)
	return nil
}

// cut takes a frame that the capture ends in.
func (w *walk) cut(err error) {
	var fe *frame.Error
	if errors.As(err, &fe) && fe.Kind == frame.Truncated {
		f := &frame.Frame{Number: fe.Number, Offset: fe.Offset, Line: fe.Line}
		w.see(&Step{Turn: w.turn, Frame: f, Behind: w.failed, Cut: true})
	}
}
