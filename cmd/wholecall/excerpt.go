package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// numbered is a line of a capture.
type numbered struct {
	number int
	text   []byte
}

// excerpt is a frame of a capture and the lines around it.
type excerpt struct {
	lines       []numbered
	first, last int // the frame's lines, as indexes of lines
	lead        int // bytes of the frame's only line that are not of its data
}

// How much of a capture is held to show a few lines of it, in bytes.
const (
	excerptBefore = 32 << 10
	excerptAfter  = 256 << 10
)

// excerptAt returns the frame that begins at w, with lines before and behind it.
func excerptAt(in *input, w wholecall.Where) (*excerpt, error) {
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	before, err := skipTo(r, w.Offset)
	if err != nil {
		return nil, err
	}
	after, err := io.ReadAll(io.LimitReader(r, excerptAfter))
	if err != nil {
		return nil, err
	}
	head := splitLines(before)
	lead := []byte(nil)
	if n := len(head); n > 0 && !endsLine(before) {
		head, lead = head[:n-1], head[n-1] // blanks or a byte order mark in front of the frame
	}
	tail := splitLines(append(bytes.Clone(lead), after...))
	e := &excerpt{first: len(head)}
	for i, text := range append(head, tail...) {
		e.lines = append(e.lines, numbered{w.Line + i - e.first, text})
	}
	if e.first >= len(e.lines) {
		e.first = len(e.lines) - 1
	}
	e.last = e.first
	return e, nil
}

// skipTo reads n bytes and returns the last of them.
func skipTo(r io.Reader, n int64) ([]byte, error) {
	if _, err := io.CopyN(io.Discard, r, n-excerptBefore); n > excerptBefore && err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, min(n, excerptBefore)))
	return b, err
}

func endsLine(b []byte) bool {
	return len(b) == 0 || b[len(b)-1] == '\n' || b[len(b)-1] == '\r'
}

// splitLines splits at LF, CRLF and CR.
func splitLines(b []byte) [][]byte {
	var lines [][]byte
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			return append(lines, b)
		}
		lines = append(lines, b[:i])
		if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
		b = b[i+1:]
	}
	return lines
}

// frameOf sets the end of the frame: in server-sent events a blank line, elsewhere its only line.
func (e *excerpt) frameOf(framing string) {
	if framing != "sse" {
		return
	}
	for e.last+1 < len(e.lines) && len(e.lines[e.last+1].text) > 0 {
		e.last++
	}
}

// whole reports whether the frame's data is one JSON value.
func (e *excerpt) whole() bool {
	var data []byte
	for _, l := range e.lines[e.first : e.last+1] {
		if rest, ok := bytes.CutPrefix(l.text, []byte("data:")); ok {
			data = append(data, rest...)
		}
	}
	return json.Valid(data)
}

// end returns the last line of the capture that is not empty.
func (e *excerpt) end() int {
	i := len(e.lines) - 1
	for i > 0 && len(e.lines[i].text) == 0 {
		i--
	}
	return i
}

// mark finds what an error is about: the line, and the bytes in it.
func (e *excerpt) mark(patterns []*regexp.Regexp) (line, from, to int) {
	for _, p := range patterns {
		for i := e.first; i <= e.last; i++ {
			all := p.FindAllSubmatchIndex(e.lines[i].text, -1)
			if len(all) > 0 {
				m := all[len(all)-1]
				return i, m[len(m)-2], m[len(m)-1]
			}
		}
	}
	for i := e.first; i <= e.last; i++ {
		if rest, ok := bytes.CutPrefix(e.lines[i].text, []byte("data:")); ok {
			n := len(e.lines[i].text)
			return i, n - len(bytes.TrimLeft(rest, " ")), n
		}
	}
	return e.first, 0, len(e.lines[e.first].text)
}

// fault returns where in the frame's data its JSON goes wrong, or -1 where the error doesn't say. A
// decoder counts that from the start of the data only where it is the data as a whole that is wrong.
func fault(err error) int {
	var pe *wholecall.ProtocolError
	var je *strictjson.Error
	if !errors.As(err, &pe) || !strings.HasPrefix(pe.Detail, "the data is not") || !errors.As(pe.Cause, &je) {
		return -1
	}
	return je.Offset
}

// at finds byte n of the frame's data, where that stands in one line.
func (e *excerpt) at(n int) (line, from, to int, ok bool) {
	if n < 0 {
		return 0, 0, 0, false
	}
	found := -1
	start := 0
	for i := e.first; i <= e.last; i++ {
		text := e.lines[i].text
		rest, data := bytes.CutPrefix(text, []byte("data:"))
		switch {
		case data && found >= 0:
			return 0, 0, 0, false
		case data:
			found, start = i, len(text)-len(bytes.TrimPrefix(rest, []byte(" ")))
		case e.first == e.last:
			found, start = i, e.lead+len(text[e.lead:])-len(bytes.TrimLeft(text[e.lead:], " \t"))
		}
	}
	if found < 0 {
		return 0, 0, 0, false
	}
	from = min(start+n, len(e.lines[found].text))
	return found, from, min(from+1, len(e.lines[found].text)), true
}

// longestID bounds an id that is looked for, in bytes.
const longestID = 256

// patternsOf returns what to look for in a frame, best first. The last match counts: in a chat chunk
// the position of a call stands behind that of its choice. A pattern's last group is what is marked.
func patternsOf(err error) []*regexp.Regexp {
	e, ok := err.(*wholecall.ProtocolError)
	if !ok {
		if _, ok := err.(*wholecall.ProviderError); ok {
			return []*regexp.Regexp{regexp.MustCompile(`("error"\s*:)`)}
		}
		return nil
	}
	var found []*regexp.Regexp
	add := func(p string) { found = append(found, regexp.MustCompile(p)) }
	id := func() {
		if e.ID != "" && len(e.ID) <= longestID {
			add(`("(?:call_id|id|toolUseId)"\s*:\s*` + regexp.QuoteMeta(strconv.Quote(e.ID)) + `)`)
		}
	}
	position := func() {
		if e.HasKey {
			k := strconv.Itoa(int(e.Key.Index))
			add(`"tool_calls".*("index"\s*:\s*` + k + `)\b`)
			add(`("output_index"\s*:\s*` + k + `)\b`)
			add(`("(?:index|contentBlockIndex)"\s*:\s*` + k + `)\b`)
		}
	}
	switch e.Kind {
	case wholecall.DuplicateID, wholecall.ConflictingIdentity:
		id()
		position()
	case wholecall.IncompleteIdentity:
		add(`("(?:call_id|id|toolUseId|name)"\s*:\s*(?:""|null))`)
		position()
	case wholecall.MissingIndex:
		add(`("tool_calls")`)
	case wholecall.Restarted:
		add(`("message_start"|"response\.created"|^messageStart)`)
	case wholecall.SequenceGap, wholecall.SequenceReplay:
		add(`("sequence_number"\s*:\s*-?\d+)`)
	case wholecall.RepeatedFinish, wholecall.CallsPromised:
		add(`("(?:finish_reason|stop_reason|stopReason)"\s*:\s*"[^"]*")`)
	case wholecall.UnknownDelta:
		add(`"delta"\s*:\s*\{[^{}]*("type"\s*:\s*"[^"]*")`)
		position()
	case wholecall.DuplicateAnnouncement, wholecall.Unannounced, wholecall.Late, wholecall.MismatchedPart:
		position()
		id()
	case wholecall.DeviationRefused:
		id()
		position()
	}
	return found
}
