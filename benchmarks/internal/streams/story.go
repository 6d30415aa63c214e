// Package streams writes the response bodies that the benchmark reads: the same story as each provider
// would send it, with the members that its real events have.
//
// Everything is deterministic. A provider's events are longer than what our own encoder writes, and
// vary in length; that is what a reader has to cope with.
package streams

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"unicode/utf8"
)

// Call is a call that the story makes.
type Call struct {
	ID, Name string
	Document []byte
}

// Story is a turn: some text, and calls whose documents come in fragments.
type Story struct {
	Name  string
	About string
	Text  []byte
	Calls []Call
	// Interleaved says that the fragments of the calls alternate.
	Interleaved bool
	// Low and High bound the bytes of a piece.
	Low, High int
}

// Stories are the four that the table shows.
func Stories() []*Story {
	return []*Story{TwoCalls(), fourCalls(), Document(1 << 20), prose()}
}

// TwoCalls is two calls, one behind the other, and some text: an ordinary small turn.
func TwoCalls() *Story {
	return &Story{
		Name:  "two calls",
		About: "some text, and two calls of 500 fragments of 4–12 bytes, one behind the other",
		Text:  words(500),
		Calls: calls(2, 4000),
		Low:   4, High: 12,
	}
}

func fourCalls() *Story {
	return &Story{
		Name:        "four interleaved",
		About:       "four calls of 500 fragments of 4–12 bytes, whose fragments alternate",
		Calls:       calls(4, 4000),
		Interleaved: true,
		Low:         4, High: 12,
	}
}

// Document is one call with a document of about size bytes, in fragments of 8 bytes.
func Document(size int) *Story {
	return &Story{
		Name:  "one " + Size(size) + " document",
		About: "one call, its document in fragments of 8 bytes",
		Calls: calls(1, size),
		Low:   8, High: 8,
	}
}

func prose() *Story {
	return &Story{
		Name:  "prose only",
		About: "1,000 deltas of text and no call",
		Text:  words(8000),
		Low:   4, High: 12,
	}
}

// Size prints a number of bytes.
func Size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}

func calls(n, size int) []Call {
	list := make([]Call, n)
	for i := range list {
		list[i] = Call{ID: fmt.Sprintf("call_%024d", 7919*(i+1)), Name: "edit_file", Document: document(i, size)}
	}
	return list
}

// source is what the documents edit: quotes, line ends, tabs, brackets, and a few letters that are not
// ASCII.
const source = `func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name") // größer als nötig, «naïve»
	if name == "" {
		http.Error(w, "no \"name\" given", http.StatusBadRequest)
		return
	}
	for i, row := range s.rows[name] {
		fmt.Fprintf(w, "%d\t%s → %s\n", i, row.From, row.To)
	}
}

`

// document is a JSON object of about size bytes that edits a file.
func document(seed, size int) []byte {
	d := fmt.Appendf(nil, `{"path": "internal/server/handle_%d.go", "replace_all": false, "new_string": "`, seed)
	for line := 1; len(d) < size-2; line++ {
		d = quote(d, fmt.Appendf(nil, "// part %d\n", line))
		d = quote(d, []byte(source))
	}
	if len(d) > size-2 {
		d = trim(d[:size-2])
	}
	return append(d, `"}`...)
}

// trim takes away what a cut left of a rune or of an escape.
func trim(d []byte) []byte {
	for len(d) > 0 && (d[len(d)-1] == '\\' || d[len(d)-1] >= utf8.RuneSelf) {
		d = d[:len(d)-1]
	}
	return d
}

func words(size int) []byte {
	const text = "I’ll read the handler first, then change the two places that build the row — the rest can stay as it is.\n\n"
	return bytes.TrimRight(trim(bytes.Repeat([]byte(text), size/len(text)+1)[:size]), "\n")
}

// quote appends the inside of a JSON string, as the providers write it: letters stand as they are.
func quote(dst, s []byte) []byte {
	for _, c := range s {
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// cut yields a text in pieces that end between two runes.
func (s *Story) cut(text []byte, seed uint64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		r := rand.New(rand.NewPCG(seed, 1))
		for len(text) > 0 {
			n := min(s.Low+r.IntN(s.High-s.Low+1), len(text))
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n++
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// wire writes the events of one provider. Each method appends none, one or several.
type wire interface {
	begin(dst []byte) []byte
	startText(dst []byte) []byte
	text(dst, piece []byte) []byte
	endText(dst, whole []byte) []byte
	startCall(dst []byte, n int, c *Call) []byte
	fragment(dst []byte, n int, piece []byte) []byte
	endCall(dst []byte, n int, c *Call) []byte
	end(dst []byte, s *Story) []byte
}

// Bytes yields the story's body in pieces of some events each, without ever holding all of it. A
// piece is valid until the next.
func (s *Story) Bytes(protocol string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var buf []byte
		ok := true
		emit := func(b []byte) {
			buf = b[:0]
			ok = ok && (len(b) == 0 || yield(b))
		}
		w := newWire(protocol, len(s.Text) > 0)
		emit(w.begin(buf))
		if len(s.Text) > 0 {
			emit(w.startText(buf))
			for piece := range s.cut(s.Text, 99) {
				emit(w.text(buf, piece))
			}
			emit(w.endText(buf, s.Text))
		}
		if s.Interleaved {
			s.alternate(w, &buf, emit)
		} else {
			s.inTurn(w, &buf, emit)
		}
		emit(w.end(buf, s))
	}
}

func (s *Story) inTurn(w wire, buf *[]byte, emit func([]byte)) {
	for n := range s.Calls {
		c := &s.Calls[n]
		emit(w.startCall(*buf, n, c))
		for piece := range s.cut(c.Document, uint64(n)) {
			emit(w.fragment(*buf, n, piece))
		}
		emit(w.endCall(*buf, n, c))
	}
}

func (s *Story) alternate(w wire, buf *[]byte, emit func([]byte)) {
	next := make([]func() ([]byte, bool), len(s.Calls))
	for n := range s.Calls {
		emit(w.startCall(*buf, n, &s.Calls[n]))
		f, stop := iter.Pull(s.cut(s.Calls[n].Document, uint64(n)))
		defer stop()
		next[n] = f
	}
	for open := len(next); open > 0; {
		open = 0
		for n, f := range next {
			if piece, ok := f(); ok {
				emit(w.fragment(*buf, n, piece))
				open++
			}
		}
	}
	for n := range s.Calls {
		emit(w.endCall(*buf, n, &s.Calls[n]))
	}
}

// Body is the whole body, and the number of its events.
func (s *Story) Body(protocol string) (body []byte, events int) {
	for b := range s.Bytes(protocol) {
		body = append(body, b...)
	}
	return body, Events(body)
}

// Events counts the events of a body.
func Events(body []byte) int { return bytes.Count(body, []byte("\n\n")) }

// Protocols are the names of the protocols, as wholecall has them.
var Protocols = []string{"anthropic", "openai-chat", "openai-responses"}

func newWire(protocol string, text bool) wire {
	r := rand.New(rand.NewPCG(42, 7))
	first := 0
	if text {
		first = 1
	}
	switch protocol {
	case "anthropic":
		return &anthropic{r: r, first: first}
	case "openai-chat":
		return &chat{r: r}
	case "openai-responses":
		return &responses{r: r, first: first}
	}
	panic("streams: no protocol " + protocol)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// random appends n letters.
func random(dst []byte, r *rand.Rand, n int) []byte {
	for range n {
		dst = append(dst, letters[r.IntN(len(letters))])
	}
	return dst
}
