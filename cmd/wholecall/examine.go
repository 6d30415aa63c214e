package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// examiner assembles captures.
type examiner struct {
	ctx     context.Context
	known   provider.Guess // what the user named
	dialect string         // what the user named, or ""
	keep    int            // bytes of each text that are kept
}

// The sizes of the sample that the protocol is detected in. The first frame of a stream may be long, so
// that a small sample need not hold one.
const (
	firstSample = 64 << 10
	lastSample  = 16 << 20
)

// examine returns what became of each turn of a capture. An error says that it can't be read.
func (x *examiner) examine(in *input) ([]*result, error) {
	guess, err := x.detect(in)
	var unknown *provider.DetectError
	if errors.As(err, &unknown) {
		return []*result{{in: in, turn: 1, turns: 1, guess: guess, outcome: wholecall.Failed, choices: 1, err: unknown}}, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := x.named(guess.Protocol)
	if err != nil {
		return nil, err
	}
	results, err := x.read(in, guess, d)
	if err != nil || x.dialect != "" {
		return results, err
	}
	return x.explain(in, guess, results)
}

func (x *examiner) detect(in *input) (provider.Guess, error) {
	for size := firstSample; ; size *= 16 {
		sample, more, err := in.head(size)
		if err != nil {
			return provider.Guess{}, err
		}
		guess, err := provider.Detect(sample, x.known)
		if err == nil || !more || size >= lastSample {
			return guess, err
		}
	}
}

// named returns the dialect that the user named, as the protocol has it.
func (x *examiner) named(p wholecall.Protocol) (wholecall.Dialect, error) {
	if x.dialect == "" || x.dialect == standard {
		return wholecall.Dialect{}, nil
	}
	if d, ok := wholecall.DialectNamed(p, x.dialect); ok {
		return d, nil
	}
	names := dialects(p)
	return wholecall.Dialect{}, fmt.Errorf("%s has no dialect %q; it has %s", p.Facts().Name, x.dialect, strings.Join(names, ", "))
}

// standard is the name of the dialect that is none.
const standard = "standard"

// read assembles every turn of a capture in one dialect.
func (x *examiner) read(in *input, guess provider.Guess, d wholecall.Dialect) ([]*result, error) {
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	src := &sticky{r: r}
	var all []*result
	for t := range wholecall.Turns(src, guess.Protocol, wholecall.WithContext(x.ctx),
		wholecall.WithFraming(guess.NewFramer), wholecall.WithDialect(d)) {
		one := take(t, x.keep)
		one.in, one.guess, one.dialect, one.turn = in, guess, d, len(all)+1
		all = append(all, one)
	}
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	if src.err != nil {
		return nil, src.err
	}
	number(all)
	return all, nil
}

func number(all []*result) {
	for i, r := range all {
		r.turn, r.turns = i+1, len(all)
	}
}

// explain looks for a named dialect that reads what the protocol as its owner documents it doesn't.
// It never tries sets of switches that no server is known for: those complete calls that lost bytes.
func (x *examiner) explain(in *input, guess provider.Guess, strict []*result) ([]*result, error) {
	if !slices.ContainsFunc(strict, wants) {
		return strict, nil
	}
	var tries [][]*result
	for _, d := range wholecall.Dialects(guess.Protocol) {
		if !mayTry(d, strict) {
			continue
		}
		try, err := x.read(in, guess, d)
		if err != nil {
			return nil, err
		}
		tries = append(tries, try)
	}
	if all := whole(strict, tries); all != nil {
		return all, nil
	}
	best := slices.Clone(strict)
	for i, s := range strict {
		if wants(s) {
			best[i] = choose(s, at(tries, len(strict), i))
		}
	}
	return best, nil
}

// mayTry reports whether a dialect may be tried on a capture whose server nobody named.
func mayTry(d wholecall.Dialect, strict []*result) bool {
	if d.OnlyNamed {
		return false
	}
	shows := func(id string) bool { return strings.HasPrefix(id, d.IDs) }
	return d.IDs == "" || slices.ContainsFunc(strict, func(r *result) bool {
		return slices.ContainsFunc(r.completed, func(c wholecall.Call) bool { return shows(c.ID()) }) ||
			slices.ContainsFunc(r.failed, func(f wholecall.FailedCall) bool { return shows(f.ID()) })
	})
}

// wants reports whether a dialect could make more of the turn.
func wants(r *result) bool { return !r.clean() && len(r.switches()) > 0 }

// at returns what each dialect made of turn i, where it saw as many turns.
func at(tries [][]*result, n, i int) []*result {
	var same []*result
	for _, try := range tries {
		if len(try) == n {
			same = append(same, try[i])
		}
	}
	return same
}

// whole returns what a dialect made of the capture that sees other turns in it than the protocol does,
// and in which nothing is left to explain. It returns nil where there is none, or two that disagree.
func whole(strict []*result, tries [][]*result) []*result {
	var best []*result
	for _, try := range tries {
		dirty := slices.ContainsFunc(try, func(r *result) bool { return !r.clean() })
		switch {
		case dirty || len(try) == len(strict):
		case best == nil:
			best = try
		case len(best) != len(try) || !slices.EqualFunc(best, try, sameCalls):
			return nil
		case len(try[0].dialect.Allows) < len(best[0].dialect.Allows):
			best = try
		}
	}
	for _, r := range best {
		r.strict = strict[0]
	}
	return best
}

// choose returns what the smallest dialect makes of a turn, of those that explain it. Where they don't
// agree on its calls it returns what the protocol makes of it, since the choice would be a guess.
func choose(strict *result, tries []*result) *result {
	var explain []*result
	for _, finds := range []func(*result) bool{
		(*result).clean,
		func(r *result) bool { return better(r, strict) },
	} {
		for _, r := range tries {
			if finds(r) {
				explain = append(explain, r)
			}
		}
		if len(explain) > 0 {
			break
		}
	}
	if len(explain) == 0 {
		return strict
	}
	best := explain[0]
	for _, r := range explain[1:] {
		if !sameCalls(best, r) {
			for _, e := range explain {
				strict.torn = append(strict.torn, e.dialect.String())
			}
			return strict
		}
		if len(r.dialect.Allows) < len(best.dialect.Allows) {
			best = r
		}
	}
	best.strict = strict
	return best
}

// better reports whether a dialect reads a turn to its end that the protocol can't be followed in, even
// if a call is found to have failed then: that is the server's fault or the model's, and worth knowing.
func better(r, strict *result) bool {
	var pe *wholecall.ProtocolError
	return errors.As(strict.err, &pe) && r.outcome != wholecall.Failed &&
		len(r.switches()) == 0 && len(r.completed) >= len(strict.completed)
}

// sameCalls reports whether two readings of a turn agree on its calls.
func sameCalls(a, b *result) bool {
	return slices.EqualFunc(a.completed, b.completed, func(c, d wholecall.Call) bool {
		return c.Key() == d.Key() && c.ID() == d.ID() && c.Name() == d.Name() &&
			string(c.Arguments()) == string(d.Arguments())
	}) && slices.EqualFunc(a.failed, b.failed, func(c, d wholecall.FailedCall) bool {
		return c.Key() == d.Key() && c.ID() == d.ID() && c.Name() == d.Name()
	})
}
