package autopsy

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Truth is a call as the model wrote it.
type Truth struct {
	Key       wholecall.Key
	ID, Name  string
	Arguments string
	Whole     bool // it completed: it is right to run it
	Text      bool // its arguments are free text, which nothing parses
}

// Verdict says what becomes of something that a wrong accumulator holds.
type Verdict uint8

// The verdicts.
const (
	Refused Verdict = iota // the parser objects: nothing is run
	Right                  // the call as the model wrote it
	Wrong                  // it looks perfectly valid, and is not what the model wrote
)

// String returns the verdict in a word.
func (v Verdict) String() string { return [...]string{"refused", "right", "wrong"}[v] }

// Held is what a wrong accumulator holds for one call, and what each parser makes of it.
type Held struct {
	*Buffer
	Parsed   [NumParsers]Parsed
	Verdicts [NumParsers]Verdict
	Calls    []int // the calls whose bytes it holds, as indexes of the truth
	Strange  bool  // it holds bytes of another stream
	Orphans  bool  // it holds bytes of a call that nobody announced
}

// Merged reports whether the bytes of more than one call are in it.
func (h *Held) Merged() bool {
	return len(h.Calls) > 1 || len(h.Calls) > 0 && (h.Strange || h.Orphans)
}

// Fate says what becomes of a call of the truth, with each parser.
type Fate struct {
	Runs [NumParsers]Verdict // Refused also where no buffer has its id: it vanishes
	Held int                 // the buffer with its id; -1 where none has: the call is gone without an error
}

// Report is the autopsy of one accumulator at the end of a stream.
type Report struct {
	Held  []Held
	Fates []Fate // in the order of the truth
}

// Harmless reports whether every call comes out as the model wrote it, and nothing else does, whatever parses.
func (r *Report) Harmless(truth []Truth) bool {
	for i, f := range r.Fates {
		for p := range NumParsers {
			if truth[i].Whole && f.Runs[p] != Right {
				return false
			}
		}
	}
	for i := range r.Held {
		for p := range NumParsers {
			if r.Held[i].Verdicts[p] == Wrong {
				return false
			}
		}
	}
	return true
}

// Count counts what a parser hands to the dispatcher: right calls, and wrong ones.
func (r *Report) Count(p Parser) (right, wrong int) {
	for i := range r.Held {
		switch r.Held[i].Verdicts[p] {
		case Right:
			right++
		case Wrong:
			wrong++
		}
	}
	return right, wrong
}

// Examine holds what an accumulator has against the truth.
func Examine(a Accumulator, truth []Truth) *Report {
	byKey, byID := map[wholecall.Key]int{}, map[string]int{}
	for i, t := range truth {
		byKey[t.Key] = i
		if _, ok := byID[t.ID]; !ok {
			byID[t.ID] = i
		}
	}
	r := &Report{Fates: make([]Fate, len(truth))}
	for i := range r.Fates {
		r.Fates[i].Held = -1
	}
	for _, b := range a.Buffers() {
		h := Held{Buffer: b}
		seen := map[int]bool{}
		for _, s := range b.Sources {
			i, ok := byKey[s.Key]
			switch {
			case s.Stream != 0:
				h.Strange = true
			case ok && !seen[i]:
				seen[i] = true
				h.Calls = append(h.Calls, i)
			case !ok:
				h.Orphans = true
			}
		}
		own, known := byID[b.ID]
		for p := range NumParsers {
			h.Parsed[p], h.Verdicts[p] = judge(p, b, truth, own, known)
			if known && r.Fates[own].Runs[p] != Right {
				r.Fates[own].Runs[p] = h.Verdicts[p]
			}
		}
		if known && r.Fates[own].Held < 0 {
			r.Fates[own].Held = len(r.Held)
		}
		r.Held = append(r.Held, h)
	}
	return r
}

// judge parses a buffer, and says whether what comes out is the call that has its id.
func judge(p Parser, b *Buffer, truth []Truth, own int, known bool) (Parsed, Verdict) {
	doc := b.Document()
	parsed := Parsed{OK: true, Document: doc}
	text := known && truth[own].Text
	if !text {
		parsed = p.Parse(doc)
	}
	switch {
	case !parsed.OK:
		return parsed, Refused
	case !known, !truth[own].Whole, truth[own].Name != b.Name:
		return parsed, Wrong
	case parsed.Document == truth[own].Arguments,
		!text && strictjson.Equal([]byte(parsed.Document), []byte(truth[own].Arguments)):
		return parsed, Right
	}
	return parsed, Wrong
}
