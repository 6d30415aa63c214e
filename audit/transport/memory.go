package transport

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/wholecall/wholecall/audit"
)

// turn is a turn that no request has echoed yet.
type turn struct {
	said     audit.Said
	protocol string
	prefix   string // what the conversation was when the turn was asked for
	text     string // what the turn said
	at       time.Time
	echoed   bool // its echo was audited: it is kept so that nothing else is taken for it
	element  *list.Element
}

// memory is the turns that wait for their echo, by what an echo can name them by. It belongs to one
// goroutine.
type memory struct {
	order list.List // of *turn, the oldest first
	names map[string][]*turn
}

// keys are what an echo of a turn can be found by. Its text is none: the same words stand in many
// conversations.
func keys(t *turn) []string {
	s := &t.said
	var ks []string
	if t.prefix != "" {
		ks = append(ks, "prefix "+t.prefix)
	}
	for _, c := range s.Calls {
		if c.MadeUp {
			ks = append(ks, "name "+c.Name)
		} else {
			ks = append(ks, "call "+c.ID)
		}
	}
	if s.Turn != "" {
		ks = append(ks, "turn "+s.Turn)
	}
	return ks
}

func (m *memory) add(t *turn, limit int, oldest time.Time) {
	if m.names == nil {
		m.names = map[string][]*turn{}
	}
	m.expire(oldest)
	for m.order.Len() >= limit {
		m.remove(m.order.Front().Value.(*turn))
	}
	t.element = m.order.PushBack(t)
	for _, k := range keys(t) {
		m.names[k] = append(m.names[k], t)
	}
}

func (m *memory) expire(oldest time.Time) {
	for e := m.order.Front(); e != nil && e.Value.(*turn).at.Before(oldest); e = m.order.Front() {
		m.remove(e.Value.(*turn))
	}
}

func (m *memory) remove(t *turn) {
	if t.element == nil {
		return
	}
	m.order.Remove(t.element)
	t.element = nil
	for _, k := range keys(t) {
		list := m.names[k]
		for i, o := range list {
			if o == t {
				list = append(list[:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			delete(m.names, k)
		} else {
			m.names[k] = list
		}
	}
}

// echo is a turn of the memory, and the turn of a request that is its echo; that is nil where the request
// goes on from the turn without repeating it.
type echo struct {
	turn  *turn
	heard *audit.HeardTurn
}

// findings compares the turn with its echo.
func (e echo) findings(h audit.Heard) []audit.Finding {
	if e.heard != nil {
		return audit.Against(e.turn.said, *e.heard)
	}
	return audit.Compare(e.turn.said, h)
}

// echoes returns the turns that a request echoes, grouped by the echo: of a group one is meant.
//
// What tells is the conversation: a turn stands behind exactly what it was asked with. That finds a turn
// whose calls are all lost, too. Only where a client writes its history anew do ids tell, and of these only
// such as no two turns have: some providers count theirs from the beginning in each turn.
func (m *memory) echoes(protocol string, h audit.Heard, prefixes []string) (groups [][]echo) {
	known := map[string]bool{}
	for _, p := range prefixes {
		known[p] = true
	}
	if h.Previous != "" {
		var group []echo
		for _, t := range m.names["turn "+h.Previous] {
			if t.protocol == protocol {
				group = append(group, echo{t, nil})
			}
		}
		groups = append(groups, group)
	}
	for i := range h.Turns {
		heard := &h.Turns[i]
		var group []echo
		if heard.At > 0 && heard.At < len(prefixes) {
			for _, t := range m.names["prefix "+prefixes[heard.At]] {
				if t.protocol == protocol && t.generated(heard) {
					group = append(group, echo{t, heard})
				}
			}
		}
		if len(group) == 0 {
			group = m.byID(protocol, heard, known)
		}
		groups = append(groups, group)
		if heard.Several {
			groups = append(groups, m.further(protocol, heard, prefixes)...)
		}
	}
	return groups
}

// further returns the turns that stand in an echo behind its first: they were asked for with what is in front
// of them there.
func (m *memory) further(protocol string, heard *audit.HeardTurn, prefixes []string) (groups [][]echo) {
	seen := map[*turn]bool{}
	for _, c := range heard.Calls {
		for _, t := range m.names["call "+c.ID] {
			if seen[t] || t.protocol != protocol {
				continue
			}
			seen[t] = true
			if n := slices.Index(prefixes, t.prefix); n > heard.At {
				groups = append(groups, []echo{{t, heard}})
			}
		}
	}
	return groups
}

// byID returns the turn that an echo's ids name, if there is one alone, and if it is not known that its
// echo would stand elsewhere.
func (m *memory) byID(protocol string, heard *audit.HeardTurn, known map[string]bool) []echo {
	ids := make([]string, 0, len(heard.Calls)+len(heard.Results))
	for _, c := range heard.Calls {
		ids = append(ids, c.ID)
	}
	for _, r := range heard.Results {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		if counted(id) {
			continue
		}
		ts := m.names["call "+id]
		if len(ts) == 1 && ts[0].protocol == protocol && !known[ts[0].prefix] {
			return []echo{{ts[0], heard}}
		}
	}
	return nil
}

// counted reports whether an id is short or ends in a small number: it may stand in other turns too.
func counted(id string) bool {
	digits := len(id) - len(strings.TrimRight(id, "0123456789"))
	return len(id) < 12 || digits > 0 && digits < 4 && strings.ContainsAny(id[len(id)-digits-1:len(id)-digits], ":_-.")
}

// generated reports whether a turn of the assistant that stands where this one belongs is this one, and
// not another answer to the same request, which went elsewhere: some call of it is there, or it has none and
// says the same.
func (t *turn) generated(heard *audit.HeardTurn) bool {
	if len(heard.Calls) == 0 {
		return strings.TrimSpace(heard.Text) == strings.TrimSpace(t.text)
	}
	for _, c := range t.said.Calls {
		for _, h := range heard.Calls {
			if h.ID == c.ID || h.Name == c.Name && (c.MadeUp || c.Same(h.Arguments)) {
				return true
			}
		}
	}
	return false
}

// prefixes are digests of the conversation in a request: the n-th is that of its first n elements.
func prefixes(body []byte) []string {
	var r struct{ Messages, Contents, Input json.RawMessage }
	if json.Unmarshal(body, &r) != nil {
		return nil
	}
	var list []json.RawMessage
	for _, raw := range []json.RawMessage{r.Messages, r.Contents, r.Input} {
		if raw != nil && json.Unmarshal(raw, &list) == nil {
			break
		}
	}
	digest := sha256.New()
	var b [8]byte
	all := make([]string, 0, len(list)+1)
	for n := 0; ; n++ {
		all = append(all, string(digest.Sum(nil)[:16]))
		if n == len(list) {
			return all
		}
		binary.BigEndian.PutUint64(b[:], uint64(len(list[n])))
		digest.Write(b[:])
		digest.Write(list[n])
	}
}
