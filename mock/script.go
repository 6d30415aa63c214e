package mock

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/wholecall/wholecall"
)

// chunk is what one event of a turn is on the wire.
type chunk struct {
	bytes []byte
	kind  wholecall.EventKind
	call  int // which call of the turn, or -1
	piece int // which fragment of it
	stall bool
	cut   bool
}

// player writes turns in one protocol.
type player struct {
	protocol wholecall.Protocol
	facts    wholecall.Facts
	rand     *rand.Rand
	model    string
}

// idOf makes an id as the owner of the protocol makes them.
func (p *player) idOf(what string) string {
	const letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n, head := 24, "call_"
	switch p.facts.Name {
	case "anthropic", "bedrock-invoke":
		head = "toolu_01"
	case "bedrock":
		head, n = "tooluse_", 22
	case "mistral":
		head, n = "", 9
	}
	if what == "turn" {
		head = map[string]string{"anthropic": "msg_01", "openai-chat": "chatcmpl-", "openai-responses": "resp_"}[p.facts.Name]
		if head == "" {
			head = "turn-"
		}
	}
	b := []byte(head)
	for range n {
		b = append(b, letters[p.rand.IntN(len(letters))])
	}
	return string(b)
}

var errCantSay = errors.New("the protocol can't say that")

// chunks writes a turn, event by event, with its fault.
func (p *player) chunks(t *Turn) ([]chunk, error) {
	enc := p.protocol.NewEncoder()
	var out []chunk
	var err error
	put := func(ev wholecall.Event, call, piece int) {
		if err != nil {
			return
		}
		var b []byte
		if b, err = enc.Append(nil, &ev); err == nil {
			out = append(out, chunk{bytes: b, kind: ev.Kind, call: call, piece: piece})
		}
	}
	put(wholecall.Event{Kind: wholecall.Begin, ID: []byte(p.idOf("turn")), Name: []byte(p.model)}, -1, 0)
	ks := &keys{oneSpace: p.facts.OneSpace}
	calls := 0
	for i := 0; i < len(t.Say); {
		say := t.Say[i]
		if say.Call == "" {
			p.prose(put, say, ks.text())
			i++
			continue
		}
		j := i + 1
		for t.Interleave && j < len(t.Say) && t.Say[j].Call != "" {
			j++
		}
		p.calls(put, t.Say[i:j], calls, ks)
		calls += j - i
		i = j
	}
	p.end(put, t, calls > 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", p.facts.Name, errCantSay, err)
	}
	if t.Fault != nil {
		return p.fault(out, t.Fault)
	}
	return out, nil
}

// keys counts positions as a protocol does.
type keys struct {
	oneSpace   bool
	calls, run int32
}

func (k *keys) call() wholecall.Key {
	k.calls++
	return wholecall.Key{Index: k.calls - 1}
}

func (k *keys) text() wholecall.Key {
	if k.oneSpace {
		return k.call()
	}
	k.run++
	return wholecall.Key{Sub: k.run}
}

type putter func(ev wholecall.Event, call, piece int)

func (p *player) prose(put putter, say Say, k wholecall.Key) {
	kind, text := wholecall.TextPart, say.Text
	if say.Thinking != "" {
		kind, text = wholecall.ReasoningPart, say.Thinking
	}
	put(wholecall.Event{Kind: wholecall.OpenPart, Part: kind, Key: k}, -1, 0)
	for _, piece := range cut(text, 12) {
		put(wholecall.Event{Kind: wholecall.Delta, Key: k, Data: []byte(piece)}, -1, 0)
	}
	if kind == wholecall.ReasoningPart && p.facts.Name == "anthropic" {
		put(wholecall.Event{Kind: wholecall.Sign, Key: k, Data: []byte("c2lnbmVk")}, -1, 0)
	}
	put(wholecall.Event{Kind: wholecall.ClosePart, Key: k}, -1, 0)
}

// calls writes calls side by side: a fragment of each in turn.
func (p *player) calls(put putter, says []Say, first int, ks *keys) {
	at := make([]wholecall.Key, len(says))
	pieces := make([][]string, len(says))
	most := 0
	for i, say := range says {
		at[i] = ks.call()
		pieces[i] = say.Pieces
		if pieces[i] == nil {
			pieces[i] = cut(say.arguments(), 7)
		}
		most = max(most, len(pieces[i]))
		put(wholecall.Event{Kind: wholecall.Announce, Key: at[i], ID: []byte(p.idOf("call")), Name: []byte(say.Call), Empty: wholecall.EmptyIsObject}, first+i, 0)
	}
	for n := range most {
		for i := range says {
			if n < len(pieces[i]) {
				put(wholecall.Event{Kind: wholecall.Fragment, Key: at[i], Data: []byte(pieces[i][n])}, first+i, n)
			}
		}
	}
	for i, say := range says {
		if !say.Open {
			put(wholecall.Event{Kind: wholecall.End, Key: at[i]}, first+i, 0)
		}
	}
}

// cut cuts a text into pieces of n bytes, between characters.
func cut(s string, n int) (pieces []string) {
	for s != "" {
		k := min(n, len(s))
		for k < len(s) && !utf8.RuneStart(s[k]) {
			k++
		}
		pieces, s = append(pieces, s[:k]), s[k:]
	}
	return pieces
}

func (p *player) end(put putter, t *Turn, calls bool) {
	if f := t.Fault; f != nil && f.Kind == NoStop {
		return
	}
	put(wholecall.Event{Kind: wholecall.UsageReport, Usage: wholecall.Usage{Input: 31, Output: 40}}, -1, 0)
	reason := wholecall.Reason("")
	switch t.Stop {
	case "limit":
		reason = wholecall.ReasonTokenLimit
	case "filter":
		reason = wholecall.ReasonContentFilter
	case "done":
		calls = false
	}
	if f := t.Fault; f != nil && f.Kind == WrongStop {
		reason = wholecall.ReasonTokenLimit
	}
	put(wholecall.Event{Kind: wholecall.Stop, Name: []byte(p.facts.Stops.Word(reason, calls)), Reason: reason, Ends: !p.facts.OwnEnd, Promises: calls}, -1, 0)
	put(wholecall.Event{Kind: wholecall.Terminal}, -1, 0)
}

// fault does to the chunks what the fault says.
func (p *player) fault(cs []chunk, f *Fault) ([]chunk, error) {
	find := func(kind wholecall.EventKind, piece int) int {
		return slices.IndexFunc(cs, func(c chunk) bool { return c.call == f.Call && c.kind == kind && c.piece == piece })
	}
	announce, fragment, end := find(wholecall.Announce, 0), find(wholecall.Fragment, f.Piece), find(wholecall.End, 0)
	no := func() ([]chunk, error) {
		return nil, fmt.Errorf("%s: %w: fault %s of call %d", p.facts.Name, errCantSay, f.Kind, f.Call)
	}
	empty := func(i int) bool { return i < 0 || len(cs[i].bytes) == 0 }
	switch f.Kind {
	case WrongStop, NoStop:
		return cs, nil
	case Drop, Double, Cut:
		if empty(fragment) {
			return no()
		}
	case NoAnnounce, AnnounceTwice:
		if empty(announce) {
			return no()
		}
	case NoEnd:
		if empty(end) {
			return no()
		}
	}
	switch f.Kind {
	case Drop:
		return slices.Delete(cs, fragment, fragment+1), nil
	case Double:
		return slices.Insert(cs, fragment, cs[fragment]), nil
	case Swap:
		next := find(wholecall.Fragment, f.Piece+1)
		if empty(fragment) || empty(next) {
			return no()
		}
		cs[fragment], cs[next] = cs[next], cs[fragment]
		return cs, nil
	case NoAnnounce:
		return slices.Delete(cs, announce, announce+1), nil
	case AnnounceTwice:
		return slices.Insert(cs, announce, cs[announce]), nil
	case Replay:
		if empty(announce) && empty(end) {
			return no()
		}
		var block []chunk
		at := 0
		for i, c := range cs {
			if c.call == f.Call {
				block, at = append(block, c), i+1
			}
		}
		return slices.Insert(cs, at, block...), nil
	case NoEnd:
		return slices.Delete(cs, end, end+1), nil
	case Cut:
		c := cs[fragment]
		c.bytes, c.cut = c.bytes[:len(c.bytes)/2], true
		return append(cs[:fragment], c), nil
	case Stall:
		if fragment < 0 {
			return no()
		}
		return append(cs[:fragment], chunk{stall: true, call: -1}), nil
	case ErrorEvent:
		if fragment < 0 {
			return no()
		}
		ev := wholecall.Event{Kind: wholecall.Failure, ID: []byte("529"), Name: []byte("overloaded_error"), Data: []byte("overloaded")}
		if p.facts.Name == "bedrock" {
			ev.ID, ev.Name = []byte("429"), []byte("throttlingException")
		}
		b, err := p.protocol.NewEncoder().Append(nil, &ev)
		if err != nil {
			return no()
		}
		return append(cs[:fragment], chunk{bytes: b, call: -1}), nil
	case Splice:
		if fragment < 0 {
			return no()
		}
		return slices.Concat(cs[:fragment], cs), nil
	}
	return no()
}
