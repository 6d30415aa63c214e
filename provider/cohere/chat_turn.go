package cohere

import (
	"strconv"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// cite reads a citation. It is said of the content that it names, or of the only one that is open, or of
// the plan; where none of these is open it is a part of its own. citation-end says nothing more.
func (d *decoder) cite(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	if w.seen&hasCitation == 0 {
		return events, malformed(nil, "a citation-start without a citation")
	}
	key, ok, err := d.cited()
	if err != nil {
		return events, err
	}
	if ok {
		return append(events, wholecall.Event{Kind: wholecall.Annotate, Key: key, Data: w.citation}), nil
	}
	d.citations++
	key = wholecall.Key{Index: citationSpace, Sub: d.citations}
	return append(d.endPlan(events),
		wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Key: key, Name: []byte(citation), Data: w.citation},
		wholecall.Event{Kind: wholecall.ClosePart, Key: key}), nil
}

// citation is the name of a part that is a citation.
const citation = "citation"

// cited returns the key of the open part that the citation is said of, and whether there is one.
func (d *decoder) cited() (wholecall.Key, bool, error) {
	var typ []byte
	index, named := int64(0), false
	c := &d.sub
	c.Reset(d.w.citation)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch {
		case string(name) == "type" && c.Peek() == '"':
			typ = own(c)
		case string(name) == "content_index" && c.Peek() == '0':
			index, named = c.Int()
		default:
			c.Skip()
		}
	}
	if err := c.Err(); err != nil {
		return wholecall.Key{}, false, malformed(err, "a citation is malformed: %v", err)
	}
	if string(typ) == "PLAN" {
		return d.planKey(), d.planning, nil
	}
	return d.citedContent(index, named)
}

func (d *decoder) citedContent(index int64, named bool) (wholecall.Key, bool, error) {
	var key wholecall.Key
	n := 0
	for i := range d.contents {
		if st := &d.contents[i]; st.open && (!named || int64(st.index) == index) {
			key = contentKey(st.index)
			n++
		}
	}
	return key, n == 1, nil
}

// messageEnd ends the turn. A failure is never read as an end.
func (d *decoder) messageEnd(events []wholecall.Event) ([]wholecall.Event, error) {
	w := &d.w
	events, err := d.report(d.endPlan(events))
	if err != nil {
		return events, err
	}
	if failing(string(w.finish)) || len(w.fault) > 0 {
		return append(events, wholecall.Event{Kind: wholecall.Failure, Name: w.finish, Data: w.fault}), nil
	}
	if len(w.finish) > 0 {
		events = append(events, wholecall.Event{Kind: wholecall.Stop, Name: w.finish,
			Reason: reasonOf(string(w.finish)), Promises: string(w.finish) == "TOOL_CALL"})
	}
	return append(events, wholecall.Event{Kind: wholecall.Terminal}), nil
}

// failing reports whether a finish reason says that the turn failed: ERROR, and what older versions add
// to that word, and TIMEOUT.
func failing(finish string) bool {
	return strings.HasPrefix(finish, "ERROR") || finish == "TIMEOUT"
}

// reasonOf says what a finish reason means for a call that has no end of its own: "" where the model
// stopped because it was done. A reason that this version does not know is taken for a good one: it
// completes nothing that was not ended by its own event.
func reasonOf(finish string) wholecall.Reason {
	if finish == "MAX_TOKENS" {
		return wholecall.ReasonTokenLimit
	}
	return ""
}

// report hands on token counts. The counts of usage.tokens are those of the model; billed_units are what
// is paid for.
func (d *decoder) report(events []wholecall.Event) ([]wholecall.Event, error) {
	raw := d.w.usage
	if len(raw) == 0 || raw[0] != '{' {
		return events, nil
	}
	var u wholecall.Usage
	c := &d.sub
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch {
		case string(name) == "cached_tokens":
			u.CacheRead = countOf(c)
		case string(name) == "tokens" && c.Peek() == '{':
			tokens(c, &u)
		default:
			c.Skip()
		}
	}
	if err := c.Err(); err != nil {
		return events, malformed(err, "the usage is malformed: %v", err)
	}
	return append(events, wholecall.Event{Kind: wholecall.UsageReport, Usage: u, Data: raw}), nil
}

func tokens(c *strictjson.Cursor, u *wholecall.Usage) {
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "input_tokens":
			u.Input = countOf(c)
		case "output_tokens":
			u.Output = countOf(c)
		case "reasoning_tokens":
			u.Reasoning = countOf(c)
		default:
			c.Skip()
		}
	}
}

// countOf reads a count of tokens. The types say that it is a float; whatever is no whole number counts 0.
func countOf(c *strictjson.Cursor) int64 {
	raw, _ := c.Raw()
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > 1<<53 {
		return 0
	}
	return int64(f)
}
