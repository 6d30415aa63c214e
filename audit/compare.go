package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Compare holds what a stream said against what a request heard. It returns nothing where the request does
// not echo that turn.
//
// The turn is known again by the ids of its calls, by the id that the request goes on from, or, where
// neither is there, by its text. Of several turns with the same ids the last counts.
func Compare(s Said, h Heard) []Finding {
	if h.Previous != "" && h.Previous == s.Turn {
		t := continued(h)
		return (&comparison{said: s, heard: t, resultsOnly: true}).run()
	}
	t, ok := Find(s, h)
	if !ok {
		return nil
	}
	return (&comparison{said: s, heard: t}).run()
}

// Against holds what a stream said against a turn of which the caller knows that it is the echo.
func Against(s Said, t HeardTurn) []Finding { return (&comparison{said: s, heard: t}).run() }

// continued is the turn of a request that repeats nothing: the results in front of it.
func continued(h Heard) HeardTurn {
	if len(h.Turns) == 0 {
		return HeardTurn{}
	}
	return h.Turns[0]
}

// Find returns the turn of a request that echoes the stream.
func Find(s Said, h Heard) (HeardTurn, bool) {
	ids := map[string]bool{}
	nameless := map[string]bool{}
	for _, c := range s.Calls {
		if c.MadeUp {
			nameless[c.Name] = true
		} else {
			ids[c.ID] = true
		}
	}
	for _, t := range slices.Backward(h.Turns) {
		for _, c := range t.Calls {
			if ids[c.ID] || c.ID == "" && nameless[c.Name] {
				return t, true
			}
		}
		for _, r := range t.Results {
			if ids[r.ID] {
				return t, true
			}
		}
	}
	if len(s.Calls) > 0 && strings.TrimSpace(s.Text) != "" {
		for _, t := range slices.Backward(h.Turns) {
			if strings.TrimSpace(t.Text) == strings.TrimSpace(s.Text) {
				return t, true
			}
		}
	}
	return HeardTurn{}, false
}

// comparison is one turn on both sides.
type comparison struct {
	said        Said
	heard       HeardTurn
	resultsOnly bool // the client does not repeat the calls

	match    []int // for each said call, the heard call, or -1
	used     []bool
	findings []Finding
	merged   map[int]bool // heard calls that are made of several
}

func (c *comparison) run() []Finding {
	c.pair()
	c.merged = map[int]bool{}
	c.findMerged()
	for i := range c.said.Calls {
		c.call(i)
	}
	c.others()
	return c.findings
}

// pair finds the echo of each call: by id, and where the wire has none, by name, equal arguments first, in
// order.
func (c *comparison) pair() {
	c.match = make([]int, len(c.said.Calls))
	c.used = make([]bool, len(c.heard.Calls))
	for i := range c.said.Calls {
		c.match[i] = -1
		if s := &c.said.Calls[i]; !s.MadeUp {
			for j, h := range c.heard.Calls {
				if h.ID == s.ID && !c.used[j] {
					c.match[i], c.used[j] = j, true
					break
				}
			}
		}
	}
	for _, equal := range []bool{true, false} {
		for i := range c.said.Calls {
			s := &c.said.Calls[i]
			if !s.MadeUp || c.match[i] >= 0 {
				continue
			}
			for j, h := range c.heard.Calls {
				if !c.used[j] && h.Name == s.Name && (!equal || s.Arguments != nil && sameArguments(s, h.Arguments)) {
					c.match[i], c.used[j] = j, true
					break
				}
			}
		}
	}
}

func (c *comparison) add(k Kind, s *SaidCall, where, detail string) *Finding {
	c.findings = append(c.findings, Finding{Kind: k, Turn: c.said.Turn, Model: c.said.Model, ID: s.ID, Name: s.Name, Key: s.Key,
		Where: where, Detail: detail})
	return &c.findings[len(c.findings)-1]
}

// findMerged finds heard calls whose arguments are made of those of a call that has no echo and another.
func (c *comparison) findMerged() {
	for i := range c.said.Calls {
		lost := &c.said.Calls[i]
		if c.match[i] >= 0 || lost.Arguments == nil {
			continue
		}
		for j, h := range c.heard.Calls {
			k := slices.Index(c.match, j)
			other := c.partner(i, k, h)
			if other == nil {
				continue
			}
			c.merged[j] = true
			c.add(Merged, other, h.Where, "the echo has one call, whose arguments are made of those of both").Other = lost.ID
			c.match[i] = j
			break
		}
	}
}

// partner returns the call that, with call i, makes up the arguments of h, or nil. k is the call that h
// echoes by its id, or -1.
func (c *comparison) partner(i, k int, h HeardCall) *SaidCall {
	lost := &c.said.Calls[i]
	for n := range c.said.Calls {
		other := &c.said.Calls[n]
		if n == i || k >= 0 && n != k || other.Arguments == nil || sameArguments(other, h.Arguments) {
			continue
		}
		if k < 0 && sameArguments(lost, h.Arguments) {
			continue // it is that call alone, under another id
		}
		if joined(other.Arguments, lost.Arguments, h.Arguments) {
			return other
		}
	}
	return nil
}

// joined reports whether arguments are those of two calls, end to end or one laid over the other.
func joined(a, b, both []byte) bool {
	// Where the protocol wants an object, two of them end to end are text that could not be parsed.
	text := bytes.TrimSpace(argumentsOf(bytes.TrimSpace(both)))
	if len(text) > max(len(a), len(b)) && bytes.Contains(text, bytes.TrimSpace(a)) && bytes.Contains(text, bytes.TrimSpace(b)) {
		return true
	}
	var x, y, z map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || json.Unmarshal(both, &z) != nil || len(x)+len(y) == 0 {
		return false
	}
	over := func(under, over map[string]any) map[string]any {
		m := maps.Clone(under)
		if m == nil {
			m = map[string]any{}
		}
		maps.Copy(m, over)
		return m
	}
	return diff("", over(x, y), z) == same || diff("", over(y, x), z) == same
}

// call checks one call of the stream.
func (c *comparison) call(i int) {
	s := &c.said.Calls[i]
	results := c.results(s)
	j := c.match[i]
	if s.Failed != "" {
		c.failed(s, results)
		return
	}
	switch {
	case j >= 0 && c.merged[j]:
		// What became of it is said.
		return
	case j < 0 && len(results) == 0:
		c.add(Lost, s, "", "the echo of its turn has neither the call nor a result for it")
		return
	case j < 0 && !c.resultsOnly:
		c.add(Lost, s, results[0].Where, "the echo has a result for it, and not the call")
		return
	case j >= 0:
		c.same(s, &c.heard.Calls[j])
	}
	switch {
	case len(results) == 0:
		where := ""
		if j >= 0 {
			where = c.heard.Calls[j].Where
		}
		c.add(Unanswered, s, where, "the echo has no result for it")
	case len(results) > 1:
		c.add(Doubled, s, results[1].Where, fmt.Sprintf("the echo has %d results for it", len(results)))
	}
	if j >= 0 && !s.MadeUp {
		for n, h := range c.heard.Calls {
			if n != j && h.ID == s.ID && !c.used[n] {
				c.used[n] = true
				c.add(Doubled, s, h.Where, "the echo has its id twice")
			}
		}
	}
}

// same checks name and arguments of a call against its echo.
func (c *comparison) same(s *SaidCall, h *HeardCall) {
	switch {
	case h.Name != "" && h.Name != s.Name:
		c.add(Altered, s, h.Where, "the echo has it under another name")
	case !sameArguments(s, h.Arguments):
		f := c.add(Altered, s, h.Where, "")
		f.Path, f.Detail = difference(s.Arguments, h.Arguments)
	}
}

// failed checks a call that was never whole: a client may say so to the model, and may not have run it.
func (c *comparison) failed(s *SaidCall, results []HeardResult) {
	for _, r := range results {
		if !r.Error {
			c.add(RanOnFailedTurn, s, r.Where, "the call was not whole ("+string(s.Failed)+"), and the echo has a result that is no error")
			return
		}
	}
}

// results are the results for a call. Where there are no ids, the first results of the tool's name belong
// to its first calls.
func (c *comparison) results(s *SaidCall) (list []HeardResult) {
	if !s.MadeUp {
		for _, r := range c.heard.Results {
			if r.ID == s.ID {
				list = append(list, r)
			}
		}
		return list
	}
	nth := 0
	for i := range c.said.Calls {
		o := &c.said.Calls[i]
		if o == s {
			break
		}
		if o.MadeUp && o.Name == s.Name {
			nth++
		}
	}
	for _, r := range c.heard.Results {
		if r.Name == s.Name || r.ID == s.ID {
			if nth == 0 {
				return []HeardResult{r}
			}
			nth--
		}
	}
	return nil
}

// others are the calls and results of the echo that the stream never announced.
func (c *comparison) others() {
	if c.heard.Several {
		return
	}
	known := map[string]bool{}
	names := map[string]int{}
	for _, s := range c.said.Calls {
		known[s.ID] = true
		if s.MadeUp {
			names[s.Name]++
		}
	}
	for j, h := range c.heard.Calls {
		if c.used[j] || c.merged[j] || known[h.ID] {
			continue
		}
		c.add(Invented, &SaidCall{ID: h.ID, Name: h.Name}, h.Where, "the stream announced no such call in this turn")
		known[h.ID] = true
	}
	for _, r := range c.heard.Results {
		switch {
		case r.ID == "" && names[r.Name] > 0:
			names[r.Name]--
		case known[r.ID]:
		case r.ID == "" && r.Name == "":
		default:
			c.add(Invented, &SaidCall{ID: r.ID, Name: r.Name}, r.Where, "a result for a call that the stream announced nowhere in this turn")
			known[r.ID] = true
		}
	}
}

// difference says where two arguments differ, without saying what stands there.
func difference(said, heard []byte) (path, detail string) {
	var a, b any
	if err := json.Unmarshal(heard, &b); err != nil {
		return "", fmt.Sprintf("the echo has %d bytes that are no JSON value, the stream %d", len(heard), len(said))
	}
	if json.Unmarshal(said, &a) != nil {
		return "", "the echo has another text"
	}
	path = diff("", a, b)
	if path == same {
		// Numbers that differ only beyond what a float holds.
		return "", "the echo has another value"
	}
	at := path
	if at == "" {
		at = "the whole of them"
	}
	return path, "the arguments differ at " + at
}

// same is what diff returns where there is no difference: no JSON Pointer is called that.
const same = "="

// diff returns the JSON Pointer of the first difference of two values, or same.
func diff(at string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return at
		}
		names := slices.Sorted(maps.Keys(x))
		for _, n := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[n]; !ok {
				names = append(names, n)
			}
		}
		for _, n := range names {
			here := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(n)
			v, ok := x[n]
			w, too := y[n]
			if !ok || !too {
				return here
			}
			if d := diff(here, v, w); d != same {
				return d
			}
		}
		return same
	case []any:
		y, ok := b.([]any)
		if !ok {
			return at
		}
		for i := range max(len(x), len(y)) {
			here := at + "/" + strconv.Itoa(i)
			if i >= len(x) || i >= len(y) {
				return here
			}
			if d := diff(here, x[i], y[i]); d != same {
				return d
			}
		}
		return same
	}
	if a == b {
		return same
	}
	return at
}
