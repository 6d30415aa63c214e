package wholecalltest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Shape says what the turns of a protocol can hold, so that random ones can be made of it.
type Shape struct {
	// OneSpace says that calls and other parts share the positions of a turn.
	OneSpace bool
	// Choices is how many alternative answers a turn may have; 0 means 1.
	Choices int
	// CallEnds says that a call has its own end. Otherwise its choice's stop ends it.
	CallEnds bool
	// Numbered says that events are numbered, or that documents have copies, so that a lost, doubled
	// or swapped fragment shows.
	Numbered bool
	// EmptyIsObject says that a call without a byte of arguments means {}.
	EmptyIsObject bool
	// Reasoning, Refusal, Signatures, FreeText and Server say that there are such things.
	Reasoning, Refusal, Signatures, FreeText, Server bool
	// Good is the stop reason of a model that wants its calls run, Done that of one that has none.
	Good, Done string
}

// Turn makes the events of a random turn of the shape, with the result that they must give.
func (s Shape) Turn(r *rand.Rand) ([]wholecall.Event, []Call) {
	g := &generator{Shape: s, r: r}
	return g.turn()
}

type generator struct {
	Shape
	r     *rand.Rand
	calls []Call
	ids   int
}

// track is the events of one part, in their order; tracks are interleaved.
type track []wholecall.Event

func (g *generator) turn() ([]wholecall.Event, []Call) {
	events := []wholecall.Event{{Kind: wholecall.Begin, ID: []byte("turn_" + g.word()), Name: []byte("model-" + g.word())}}
	choices := 1
	if g.Choices > 1 {
		choices = 1 + g.r.IntN(g.Choices)
	}
	var all []track
	perChoice := make([]int, choices)
	for c := range choices {
		tracks, calls := g.choice(int32(c))
		perChoice[c] = calls
		all = append(all, tracks...)
	}
	events = append(events, g.interleave(all)...)
	for c, calls := range perChoice {
		name := g.Done
		if calls > 0 {
			name = g.Good
		}
		events = append(events, wholecall.Event{Kind: wholecall.Stop, Key: wholecall.Key{Choice: int32(c)}, Name: []byte(name),
			Ends: !g.CallEnds, Promises: name == g.Good})
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal}), g.calls
}

// choice makes the parts of one answer, each a track. Text comes first: where parts have positions of
// their own, what begins later has a higher one.
func (g *generator) choice(c int32) (tracks []track, calls int) {
	var index, sub int32
	next := func(call bool) wholecall.Key {
		k := wholecall.Key{Choice: c, Index: index}
		if !call && !g.OneSpace {
			sub++
			return wholecall.Key{Choice: c, Sub: sub}
		}
		index++
		return k
	}
	if g.Reasoning && g.r.IntN(2) == 0 {
		tracks = append(tracks, g.prose(next(false), wholecall.ReasoningPart))
	}
	if g.Refusal && g.r.IntN(8) == 0 {
		tracks = append(tracks, g.prose(next(false), wholecall.RefusalPart))
	} else if g.r.IntN(2) == 0 {
		tracks = append(tracks, g.prose(next(false), wholecall.TextPart))
	}
	for range g.r.IntN(4) {
		server := g.Server && g.r.IntN(5) == 0
		tracks = append(tracks, g.call(next(true), server))
		calls++
	}
	return tracks, calls
}

func (g *generator) prose(k wholecall.Key, kind wholecall.PartKind) track {
	t := track{{Kind: wholecall.OpenPart, Part: kind, Key: k}}
	for _, piece := range g.cut(g.text(), 1) {
		t = append(t, wholecall.Event{Kind: wholecall.Delta, Key: k, Data: piece.data, Escaped: piece.escaped})
	}
	if kind == wholecall.ReasoningPart && g.Signatures {
		t = append(t, wholecall.Event{Kind: wholecall.Sign, Key: k, Data: []byte("c2ln" + g.word())})
	}
	return append(t, wholecall.Event{Kind: wholecall.ClosePart, Key: k})
}

func (g *generator) call(k wholecall.Key, server bool) track {
	g.ids++
	id := fmt.Sprintf("call_%s_%d", g.word(), g.ids)
	names := []string{"search_orders", "read_file", "add", "0"}
	ev := wholecall.Event{Kind: wholecall.Announce, Key: k, ID: []byte(id), Name: []byte(names[g.r.IntN(len(names))])}
	doc := g.object(3)
	switch {
	case server:
		ev.Runner = wholecall.ProviderRuns
	case g.FreeText && g.r.IntN(4) == 0:
		ev.Form, doc = wholecall.TextArguments, g.text()+"x"
	}
	if g.EmptyIsObject {
		ev.Empty = wholecall.EmptyIsObject
		if ev.Form == wholecall.JSONArguments && g.r.IntN(6) == 0 {
			doc = ""
		}
	}
	t := track{ev}
	for _, piece := range g.cut(doc, 0) {
		t = append(t, wholecall.Event{Kind: wholecall.Fragment, Key: k, Data: piece.data, Escaped: piece.escaped})
	}
	if g.CallEnds {
		t = append(t, wholecall.Event{Kind: wholecall.End, Key: k})
	}
	if !server {
		if doc == "" && ev.Form == wholecall.JSONArguments {
			doc = "{}"
		}
		g.calls = append(g.calls, Call{id, string(ev.Name), doc})
	}
	return t
}

// interleave mixes tracks at random. The order within each track is kept, and tracks begin in their
// order; prose is kept in one piece where it would otherwise fall apart into several parts.
func (g *generator) interleave(tracks []track) []wholecall.Event {
	var events []wholecall.Event
	begun := 0
	for {
		var live []int
		for i := range begun {
			if len(tracks[i]) > 0 {
				live = append(live, i)
			}
		}
		if begun < len(tracks) && g.mayBegin(tracks, begun) {
			live = append(live, begun)
		}
		if len(live) == 0 {
			return events
		}
		i := live[g.r.IntN(len(live))]
		begun = max(begun, i+1)
		n := 1
		if !g.OneSpace && tracks[i][0].Kind == wholecall.OpenPart {
			n = 1 + firstText(tracks[i])
		}
		events = append(events, tracks[i][:n]...)
		tracks[i] = tracks[i][n:]
	}
}

// firstText is the place of the first piece of text that says anything. Where parts have no position
// of their own, a part begins with it.
func firstText(t track) int {
	for i := range t {
		if t[i].Kind == wholecall.Delta && len(t[i].Data) > 0 {
			return i
		}
	}
	return len(t) - 1
}

// mayBegin reports whether the next track may begin: not inside a run of text of the same choice,
// where runs have no position of their own.
func (g *generator) mayBegin(tracks []track, next int) bool {
	if g.OneSpace {
		return true
	}
	for i := range next {
		if len(tracks[i]) > 0 && tracks[i][0].Kind != wholecall.Fragment && tracks[i][0].Key.Choice == tracks[next][0].Key.Choice {
			return false
		}
	}
	return true
}

// piece is a piece of a text: as it is, or as the inside of a JSON string.
type piece struct {
	data    []byte
	escaped bool
}

// cut cuts a text anywhere a provider could: between characters, and, where it is written in escapes,
// also between the two halves of a surrogate pair. Some pieces are empty. There are at least atLeast.
func (g *generator) cut(text string, atLeast int) []piece {
	escaped := g.r.IntN(2) == 0
	var units []string
	for _, c := range text {
		units = append(units, g.units(c, escaped)...)
	}
	var pieces []piece
	for len(units) > 0 || len(pieces) < atLeast {
		n := min(g.r.IntN(9), len(units))
		pieces = append(pieces, piece{[]byte(strings.Join(units[:n], "")), escaped})
		units = units[n:]
	}
	return pieces
}

// units writes a character in units that a cut may stand between.
func (g *generator) units(c rune, escaped bool) []string {
	if !escaped {
		return []string{string(c)}
	}
	if hi, lo := utf16.EncodeRune(c); hi != utf8.RuneError && g.r.IntN(2) == 0 {
		return []string{fmt.Sprintf(`\u%04x`, hi), fmt.Sprintf(`\u%04X`, lo)}
	}
	if c < 0x10000 && g.r.IntN(8) == 0 {
		return []string{fmt.Sprintf(`\u%04x`, c)}
	}
	q := strictjson.AppendQuoted(nil, []byte(string(c)))
	return []string{string(q[1 : len(q)-1])}
}

func (g *generator) word() string {
	return strconv.FormatUint(uint64(g.r.Uint32()), 36)
}

// text makes a text with what hurts: quotes, backslashes, braces, line ends, characters of every width.
func (g *generator) text() string {
	alphabet := []string{"a", "order ", "\"", "\\", "{", "}", "[", "]", ":", ",", "\n", "\r", "\t", "\u0001", "é", "日", "😀", "\u2028", "</", "data: ", " "}
	var b strings.Builder
	for range 1 + g.r.IntN(24) {
		b.WriteString(alphabet[g.r.IntN(len(alphabet))])
	}
	return b.String()
}

// object makes a JSON object, nested at most depth deep.
func (g *generator) object(depth int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range g.r.IntN(4) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(strictjson.AppendQuoted(nil, fmt.Appendf(nil, "%d%s", i, g.word()[:1])))
		b.WriteString([]string{":", ": "}[g.r.IntN(2)])
		b.WriteString(g.value(depth - 1))
	}
	b.WriteByte('}')
	return b.String()
}

func (g *generator) value(depth int) string {
	switch n := g.r.IntN(8); {
	case n == 0:
		return []string{"true", "false", "null"}[g.r.IntN(3)]
	case n == 1:
		return strconv.Itoa(g.r.IntN(1e6) - 5e5)
	case n == 2:
		return "1.50e-3"
	case n == 3 && depth > 0:
		return g.object(depth)
	case n == 4 && depth > 0:
		return "[" + g.value(depth-1) + ", " + g.value(depth-1) + "]"
	}
	return string(strictjson.AppendQuoted(nil, []byte(g.text())))
}
