package main

import (
	"errors"
	"io"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// result is what became of one turn of a capture.
type result struct {
	in    *input
	turn  int // counted from 1 in the capture
	turns int // in the capture

	guess   provider.Guess
	dialect wholecall.Dialect

	id, model, stop string
	outcome         wholecall.Outcome
	announced       int
	choices         int
	completed       []wholecall.Call
	failed          []wholecall.FailedCall
	outline         []wholecall.PartInfo
	parts           map[int]wholecall.Part // by place: all but the texts
	texts           map[int][]byte         // by place: the beginning of each text
	deviations      []wholecall.Deviation
	passed          []wholecall.Deviation
	usage           wholecall.Usage
	hasUsage        bool
	err             error

	// strict is what the protocol without a dialect made of the turn, where a dialect explained it.
	strict *result
	// torn are the dialects that explain the turn and don't agree on its calls.
	torn []string
}

// take reads a turn to its end. Of each text it keeps the first keep bytes.
func take(t *wholecall.Turn, keep int) *result {
	r := &result{parts: map[int]wholecall.Part{}, texts: map[int][]byte{}}
	for {
		p, err := t.Next()
		if err != nil {
			break
		}
		text, ok := p.(*wholecall.Text)
		if !ok {
			r.parts[p.Place()] = p
			continue
		}
		have := r.texts[p.Place()]
		n := min(len(text.Delta), max(0, keep-len(have)))
		r.texts[p.Place()] = append(have, text.Delta[:n]...)
	}
	r.id, r.model, r.stop = t.ID(), t.Model(), t.StopReason()
	r.outcome, r.err = t.Outcome(), t.Err()
	r.announced, r.choices = t.Announced(), t.Choices()
	r.completed, r.failed = t.Completed(), t.Failed()
	r.outline = t.Outline()
	r.deviations, r.passed = t.Deviations(), t.Passed()
	var raw []byte
	r.usage, raw = t.Usage()
	r.hasUsage = len(raw) > 0
	return r
}

// clean reports whether there is nothing to find.
func (r *result) clean() bool { return r.outcome == wholecall.Complete }

// key returns the key as text, with its choice where the turn has several.
func (r *result) key(k wholecall.Key) string { return k.Text(r.choices > 1) }

// switches returns the deviations that a dialect would have to allow for more of the turn to be read.
func (r *result) switches() []string {
	var names []string
	add := func(s string) {
		for _, n := range names {
			if n == s {
				return
			}
		}
		if s != "" {
			names = append(names, s)
		}
	}
	add(switchOf(r.err))
	for _, f := range r.failed {
		add(switchOf(f.Err))
	}
	return names
}

// switchOf returns the switch that an error names itself, without those of the calls in it.
func switchOf(err error) string {
	switch e := err.(type) {
	case *wholecall.ProtocolError:
		return e.Switch
	case *wholecall.IncompleteError:
		return e.Switch
	case *wholecall.ArgumentError:
		return e.Switch
	}
	return ""
}

// whereOf returns the place that an error names.
func whereOf(err error) wholecall.Where {
	switch e := err.(type) {
	case *wholecall.ProtocolError:
		return e.Where
	case *wholecall.IncompleteError:
		return e.Where
	case *wholecall.ProviderError:
		return e.Where
	}
	return wholecall.Where{}
}

// kindOf returns the kind of an error.
func kindOf(err error) wholecall.Kind {
	var k wholecall.Kind
	errors.As(err, &k)
	return k
}

// sticky remembers what a reader failed with.
type sticky struct {
	r   io.Reader
	err error
}

func (s *sticky) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
