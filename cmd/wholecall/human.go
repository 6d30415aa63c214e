package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wholecall/wholecall"
)

// human prints turns for people.
type human struct {
	w      *bufio.Writer
	colour bool
	width  int
	full   bool // cut nothing
	pretty bool // arguments over several lines
	ends   int  // how many line ends were printed last
}

func newHuman(w io.Writer, colour bool, width int, full bool) *human {
	return &human{w: bufio.NewWriter(w), colour: colour, width: width, full: full, ends: 2}
}

// The colours.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
	blue   = "1;34"
)

func (h *human) paint(style, s string) string {
	if !h.colour || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (h *human) printf(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	h.w.WriteString(s)
	if rest := strings.TrimRight(s, "\n"); rest != "" {
		h.ends = 0
		s = s[len(rest):]
	}
	h.ends += len(s)
}

// gap leaves one line free, unless one is.
func (h *human) gap() {
	if h.ends < 2 {
		h.printf("\n")
	}
}

// The left edge: a label of the part, and what stands under it.
const (
	labelWidth = 7
	indent     = "  "
	under      = indent + "       " // indent and a label's width
)

// turn prints a turn with all its parts.
func (h *human) turn(r *result) {
	h.gap()
	h.printf("%s  %s\n", h.paint(bold, r.title()), h.facts(r))
	h.parts(r, true)
	h.remarks(r)
	h.diagnose(r)
	h.printf("%s: %s\n", h.paint(outcomeStyle(r.outcome), string(r.outcome)), tally(r))
}

// line prints a turn in one line, and what is to be found in it below.
func (h *human) line(r *result) {
	const pad = 10 // the longest outcome
	word := string(r.outcome)
	if r.clean() {
		word = "ok"
	}
	word = h.paint(outcomeStyle(r.outcome), word) + strings.Repeat(" ", pad-len(word))
	if r.clean() {
		note := ""
		if r.dialect.Name != "" {
			note = "  dialect " + r.dialect.Name
		}
		h.printf("%s  %s  %s%s\n", word, h.paint(dim, fmt.Sprintf("%-9s", calls(r))), r.title(), h.paint(dim, note))
		return
	}
	h.gap()
	h.printf("%s  %s  %s  %s\n", word, h.paint(dim, fmt.Sprintf("%-9s", calls(r))), h.paint(bold, r.title()), h.facts(r))
	h.parts(r, false)
	h.remarks(r)
	h.diagnose(r)
	h.gap()
}

func calls(r *result) string {
	switch {
	case r.announced == 0:
		return "no calls"
	case len(r.failed) > 0:
		return fmt.Sprintf("%d of %d", len(r.completed), r.announced)
	}
	return plural(r.announced, "call")
}

func tally(r *result) string {
	if r.announced == 0 {
		return "no calls"
	}
	return fmt.Sprintf("%s announced, %d completed, %d failed", plural(r.announced, "call"), len(r.completed), len(r.failed))
}

func outcomeStyle(o wholecall.Outcome) string {
	switch o {
	case wholecall.Complete:
		return green
	case wholecall.Incomplete:
		return yellow
	}
	return red
}

// title names the turn: its file, and which of several turns it is.
func (r *result) title() string {
	name := safeText(r.in.name)
	if name == "-" {
		name = "(standard input)"
	}
	if r.turns > 1 {
		name += fmt.Sprintf(" (turn %d of %d)", r.turn, r.turns)
	}
	return name
}

// facts says what kind of stream it is.
func (h *human) facts(r *result) string {
	if r.guess.Protocol == nil {
		return h.paint(dim, "not recognised")
	}
	facts := []string{r.guess.Protocol.Facts().Name, r.guess.Framing}
	if r.dialect.Name != "" {
		facts = append(facts, "dialect: "+r.dialect.Name)
	}
	if r.model != "" {
		facts = append(facts, safeText(r.model))
	}
	if r.stop != "" {
		facts = append(facts, "stop: "+safeText(r.stop))
	}
	return h.paint(dim, strings.Join(facts, " · "))
}

// parts prints the parts in the order in which they began; without all, only the calls that failed.
func (h *human) parts(r *result, all bool) {
	var keys, ids int
	for _, p := range r.parts {
		if c, ok := p.(keyed); ok {
			keys, ids = max(keys, len(r.key(c.Key()))), max(ids, columns(safeText(c.ID())))
		}
	}
	ids = min(ids, h.width/2)
	for place, info := range r.outline {
		switch p := r.parts[place].(type) {
		case wholecall.FailedCall:
			h.failedCall(r, p, keys, ids)
		case wholecall.Call:
			if all {
				h.call("call", r, p, keys, ids)
			}
		case wholecall.ServerCall:
			if all {
				h.call("server", r, p, keys, ids)
			}
		default:
			if all {
				h.text(info, r.texts[place])
			}
		}
	}
}

// keyed is a call of any kind.
type keyed interface {
	Key() wholecall.Key
	ID() string
	Name() string
}

// written is a call whose arguments are whole.
type written interface {
	keyed
	Arguments() json.RawMessage
	Fragments() int
}

func (h *human) label(style, word string) {
	h.printf("%s%s%s", indent, h.paint(style, word), strings.Repeat(" ", max(1, labelWidth-len(word))))
}

// identity prints a call's key, id and name in columns.
func (h *human) identity(r *result, c keyed, keys, ids int) {
	key, id := r.key(c.Key()), safeText(c.ID())
	h.printf("%s%s  %s%s  %s", key, strings.Repeat(" ", max(0, keys-len(key))),
		h.paint(dim, id), strings.Repeat(" ", max(0, ids-columns(id))), h.paint(bold, safeText(c.Name())))
}

// call prints a whole call.
func (h *human) call(word string, r *result, c written, keys, ids int) {
	h.label(green, word)
	h.identity(r, c, keys, ids)
	h.printf("  %s\n", h.paint(dim, plural(c.Fragments(), "fragment")))
	h.document(c.Arguments())
}

// document prints the arguments of a whole call.
func (h *human) document(arguments []byte) {
	if h.pretty {
		h.prettyDocument(arguments)
		return
	}
	room := h.width - len(under)
	text := safeText(arguments)
	switch {
	case h.full:
		for line := range strings.Lines(string(arguments)) {
			h.printf("%s%s\n", under, safeText(strings.TrimSuffix(line, "\n")))
		}
		return
	case columns(text) > room:
		rest := fmt.Sprintf("… (%d bytes)", len(arguments))
		text, _ = fit(text, room-columns(rest))
		text += h.paint(dim, rest)
	}
	h.printf("%s%s\n", under, text)
}

// text prints the beginning of a part that is no call.
func (h *human) text(info wholecall.PartInfo, start []byte) {
	word := info.Kind.String()
	switch info.Kind {
	case wholecall.SummaryPart:
		word = "summary"
	case wholecall.ReasoningPart:
		word = "thought"
	}
	size := plural(info.Bytes, "byte")
	if info.Kind == wholecall.DataPart {
		h.label(dim, word)
		h.printf("%s  %s\n", safeText(info.Type), h.paint(dim, size))
		return
	}
	most, kept := 2, len(start)
	width := h.width - len(under) - len(size) - 6
	if h.full {
		most, width = 1<<30, 1<<30
	}
	if !h.full {
		start = []byte(safeText(start)) // a line end as a sign: two rows hold more so
	}
	lines, more := rows(string(start), width, most)
	more = more || kept < info.Bytes
	text := `"` + strings.Join(lines, "\n"+under+" ")
	if more {
		text += "…"
	}
	h.label(dim, word)
	h.printf("%s\"  %s\n", text, h.paint(dim, size))
}

func (h *human) failedCall(r *result, f wholecall.FailedCall, keys, ids int) {
	h.label(red, "failed")
	h.identity(r, f, keys, ids)
	h.printf("  %s\n", h.paint(red, string(f.Reason)))
	if why := means(f.Reason); why != "" {
		h.printf("%s%s\n", under, why)
	}
	var e *wholecall.ArgumentError
	if errors.As(f.Err, &e) {
		h.fault(f, e)
		return
	}
	if len(f.Partial()) == 0 {
		h.printf("%s%s\n", under, h.paint(dim, "(no arguments came)"))
		return
	}
	h.partial(f)
}

// means says what a reason means, where what is printed beside it doesn't.
func means(r wholecall.Reason) string {
	switch r {
	case wholecall.ReasonTokenLimit:
		return "the model ran into its token limit before the call was whole"
	case wholecall.ReasonContentFilter:
		return "the provider's filter cut the answer before the call was whole"
	case wholecall.ReasonRefusal:
		return "the answer was refused before the call was whole"
	case wholecall.ReasonPaused:
		return "the provider paused the turn before the call was whole"
	case wholecall.ReasonTruncated:
		return "the stream was cut before the call was whole"
	case wholecall.ReasonProviderError:
		return "the provider reported an error before the call was whole"
	case wholecall.ReasonProtocol:
		return "the call was open when the stream went wrong"
	case wholecall.ReasonUnfinished:
		return "the turn came to its end and the call did not"
	}
	return ""
}

// partial prints what there was of the arguments: the end counts, since that is where they were cut.
func (h *human) partial(f wholecall.FailedCall) {
	rest := fmt.Sprintf(" ends here, after %s", plural(len(f.Partial()), "byte"))
	n := len(f.Partial())
	text, column, _ := clip(f.Partial(), n, n, h.width-len(under)-1)
	h.printf("%s%s\n", under, text)
	if column+columns(rest) < h.width-len(under) {
		h.printf("%s%s%s\n", under, strings.Repeat(" ", column), h.paint(red, "^"+rest))
		return
	}
	h.printf("%s%s%s\n", under, strings.Repeat(" ", max(0, column-columns(rest)-1)), h.paint(red, strings.TrimSpace(rest)+" ^"))
}

// fault shows where the arguments of a call are wrong.
func (h *human) fault(f wholecall.FailedCall, e *wholecall.ArgumentError) {
	doc := f.Partial()
	if len(doc) > 0 && e.Kind != wholecall.DocumentMismatch && e.Kind != wholecall.AmbiguousDocument {
		at := min(max(e.At, 0), len(doc))
		text, column, _ := clip(doc, at, min(at+1, len(doc)), h.width-len(under)-1)
		h.printf("%s%s\n%s%s%s\n", under, text, under, strings.Repeat(" ", column), h.paint(red, "^"))
	}
	h.printf("%s%s: %s\n", under, h.paint(red, string(e.Kind)), safeText(argumentMessage(e)))
	h.advice(under, e.Advice, e.Switch)
}

func (h *human) advice(margin, advice, sw string) {
	h.note(margin, "help", advice)
	if sw != "" {
		h.note(margin, "note", "a dialect with "+sw+" would read this")
	}
}

// note prints a remark, with its following lines under its first.
func (h *human) note(margin, word, text string) {
	if text == "" {
		return
	}
	lead := margin + "= " + word + ": "
	lines := prose(text, max(30, h.width-len(lead)))
	h.printf("%s= %s %s\n", margin, h.paint(blue, word+":"), lines[0])
	for _, l := range lines[1:] {
		h.printf("%s%s\n", strings.Repeat(" ", len(lead)), l)
	}
}

// remarks prints what else is worth knowing of a turn.
func (h *human) remarks(r *result) {
	if len(r.deviations) > 0 {
		h.label(yellow, "note")
		h.printf("deviations: %s\n", counted(r.deviations))
	}
	if len(r.passed) > 0 {
		h.label(yellow, "note")
		h.printf("event types passed over: %s\n", counted(r.passed))
	}
	if r.strict == nil {
		return
	}
	h.label(yellow, "note")
	h.printf("read with the dialect %s; without it:\n", h.paint(bold, r.dialect.Name))
	for _, line := range prose(r.strict.summary(), h.width-len(under)) {
		h.printf("%s%s\n", under, line)
	}
	h.printf("%sin Go: %s\n", under, goOption(r.dialect))
}

// summary says in one line what is wrong with the turn.
func (r *result) summary() string {
	s := string(kindOf(r.err))
	if kindOf(r.err) == wholecall.CallsFailed {
		for _, f := range r.failed {
			if k := kindOf(f.Err); k != "" {
				s = string(k)
			}
		}
	}
	if m := r.message(); m != "" {
		s += ": " + m
	}
	if w := whereOf(r.err).String(); w != "" {
		s += " (" + w + ")"
	}
	return s
}

func counted(devs []wholecall.Deviation) string {
	var s []string
	for _, d := range devs {
		s = append(s, fmt.Sprintf("%s ×%d", safeText(d.Name), d.Count))
	}
	return strings.Join(s, ", ")
}
