package openai

import (
	"bytes"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// held is the document of a call as far as it came, where a switch needs to know it: fragments,
// unescaped, one behind the other.
type held struct {
	doc   []byte
	ends  []int  // where each fragment that brought a byte ends in doc
	named []bool // whether each came with an id or a name
	carry uint16
}

// add adds the text of an entry's arguments.
func (h *held) add(e *entry) {
	if e.args.escaped {
		h.doc, h.carry, _ = strictjson.AppendUnescaped(h.doc, e.args.raw, h.carry)
	} else {
		h.doc, h.carry, _ = strictjson.AppendPlain(h.doc, e.args.raw, h.carry)
	}
	h.ends = append(h.ends, len(h.doc))
	h.named = append(h.named, len(e.id) > 0 || len(e.name) > 0)
}

// piece is the n-th fragment.
func (h *held) piece(n int) []byte {
	from := 0
	if n > 0 {
		from = h.ends[n-1]
	}
	return h.doc[from:h.ends[n]]
}

// whole reports whether the document of a call is one JSON value as far as it came.
func (d *chatDecoder) whole(s *callState) bool {
	return s.object || s.custom || d.check.Check(s.held.doc, wholecall.DefaultDepth) == nil
}

// isObject reports whether a text is one JSON object.
func (d *chatDecoder) isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && d.check.Check(text, wholecall.DefaultDepth) == nil
}

// drifts reports whether a fragment at an unknown index continues the one call that was announced.
func (d *chatDecoder) drifts(st *choiceState, e *entry) bool {
	if !d.on.driftingIndex || e.seen&(hasID|hasName) != 0 || st.calls != 1 || st.finished {
		return false
	}
	if !slices.Contains(st.drifted, e.index) {
		st.drifted = append(st.drifted, e.index)
	}
	return true
}

// mayWait reports whether an announcement without an id or a name may wait for it, or do without.
func (d *chatDecoder) mayWait(e *entry) bool {
	nameLate := len(e.name) == 0 && d.on.lateName
	idLate := len(e.id) == 0 && (d.on.lateID || d.on.missingID)
	return (nameLate || len(e.name) > 0) && (idLate || len(e.id) > 0)
}

// incompleteKind is what an entry at a new index is that lacks an id or a name: without both it is no
// announcement at all.
func incompleteKind(e *entry) wholecall.Kind {
	if len(e.id) == 0 && len(e.name) == 0 {
		return wholecall.Unannounced
	}
	return wholecall.IncompleteIdentity
}

// incompleteSwitch names the deviation that could read it.
func incompleteSwitch(e *entry) string {
	switch {
	case len(e.id) == 0 && len(e.name) == 0:
		return ""
	case len(e.name) == 0:
		return lateName
	}
	return missingID
}

// complete takes from a later entry what the announcement of its call waits for.
func (d *chatDecoder) complete(events []wholecall.Event, e *entry, s *callState) (*callState, []wholecall.Event, error) {
	if len(e.id) > 0 {
		switch {
		case s.id == "":
			s.id = string(e.id)
			events = append(events, deviate(lateID))
		case s.id != string(e.id):
			return s, events, refuse(wholecall.ConflictingIdentity, s.key, "", "a call that waits for its name changes its id")
		}
	}
	if len(e.name) > 0 {
		switch {
		case s.name == "":
			s.name = string(e.name)
			events = append(events, deviate(lateName))
		case d.on.splitName && len(s.held.doc) == 0:
			s.name += string(e.name)
			events = append(events, deviate(splitName))
		default:
			return s, events, refuse(wholecall.ConflictingIdentity, s.key, "", "the name goes on behind the first byte of arguments")
		}
	}
	if d.on.splitName || s.id == "" || s.name == "" {
		return s, events, nil
	}
	s.pending = false
	events = d.publish(events, s)
	if d.on.hold {
		return s, events, nil
	}
	return s, d.forward(events, s), nil
}

// firstBytes ends the wait for more of a name: arguments have begun.
func (d *chatDecoder) firstBytes(events []wholecall.Event, s *callState) []wholecall.Event {
	if s.name == "" || s.id == "" && !d.on.missingID {
		return events
	}
	s.pending = false
	events = d.publish(events, s)
	if d.on.hold {
		return events
	}
	return d.forward(events, s)
}

// forward hands on what a call kept while it waited. Later fragments go their own way.
func (d *chatDecoder) forward(events []wholecall.Event, s *callState) []wholecall.Event {
	if len(s.held.doc) == 0 {
		return events
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key, Data: slices.Clone(s.held.doc)})
}

// settle decides, when a choice stops, about what was held back: announcements that wait, and
// documents that can be told only now.
func (d *chatDecoder) settle(events []wholecall.Event, st *choiceState) ([]wholecall.Event, error) {
	if !d.on.keep {
		return events, nil
	}
	for i := range d.calls {
		s := &d.calls[i]
		if s.key.Choice != st.index || s.retired {
			continue
		}
		if s.pending {
			if s.name == "" || s.id == "" && !d.on.missingID {
				return events, &wholecall.ProtocolError{Kind: wholecall.IncompleteIdentity, HasKey: true, Key: s.key,
					ID: s.id, Name: s.name, Detail: "the choice finished before the call had an id and a name"}
			}
			s.pending = false
			if events = d.publish(events, s); !d.on.hold {
				events = d.forward(events, s)
			}
		}
		if d.on.hold && !s.custom && !s.object {
			events = d.document(events, s)
		}
	}
	return events, nil
}

// document hands on the document that the fragments of a call mean in the dialect. Each reading is
// taken only where the plain one, all fragments joined, is no document, so that it can be the only one.
func (d *chatDecoder) document(events []wholecall.Event, s *callState) []wholecall.Event {
	h := &s.held
	if len(h.doc) == 0 {
		return events
	}
	doc, by := d.reading(h)
	if by != "" {
		events = append(events, deviate(by))
	}
	return append(events, wholecall.Event{Kind: wholecall.Fragment, Key: s.key, Data: doc})
}

// reading returns the document, and the deviation that it takes to read it.
func (d *chatDecoder) reading(h *held) (doc []byte, by string) {
	if d.check.Check(h.doc, wholecall.DefaultDepth) == nil {
		return h.doc, ""
	}
	n := len(h.ends)
	last := h.piece(n - 1)
	switch {
	case d.on.placeholderArguments && n > 1 && string(h.piece(0)) == "{}" && !h.named[1] && bytes.HasPrefix(h.doc[2:], []byte("{")):
		return h.doc[2:], placeholderArguments
	case d.on.repeatedDocument && d.repeats(h):
		return h.piece(0), repeatedDocument
	case d.on.repeatedDocument && d.repeatsLast(h):
		return h.doc[:h.ends[n-2]], repeatedDocument
	case d.on.finalSnapshot && n > 1 && !h.named[n-1] && d.isObject(last) && bytes.HasPrefix(last, h.doc[:h.ends[n-2]]):
		return last, finalSnapshot
	case d.on.cumulativeArguments && d.grows(h):
		return last, cumulativeArguments
	}
	return h.doc, ""
}

// repeats reports whether each fragment is the same document.
func (d *chatDecoder) repeats(h *held) bool {
	if len(h.ends) < 2 || !d.isObject(h.piece(0)) {
		return false
	}
	for n := 1; n < len(h.ends); n++ {
		if h.named[n] || !strictjson.Equal(h.piece(0), h.piece(n)) {
			return false
		}
	}
	return true
}

// repeatsLast reports whether the last fragment is the document that the ones before it make.
func (d *chatDecoder) repeatsLast(h *held) bool {
	n := len(h.ends)
	return n > 1 && !h.named[n-1] && d.isObject(h.doc[:h.ends[n-2]]) && strictjson.Equal(h.doc[:h.ends[n-2]], h.piece(n-1))
}

// grows reports whether each fragment begins with the one before it, and the last is a document.
func (d *chatDecoder) grows(h *held) bool {
	n := len(h.ends)
	for i := 1; i < n; i++ {
		if !bytes.HasPrefix(h.piece(i), h.piece(i-1)) {
			return false
		}
	}
	return n > 1 && d.isObject(h.piece(n-1))
}
