package gemini

import (
	"strconv"

	"github.com/wholecall/wholecall"
)

// openCall is a call of a candidate that has not ended.
type openCall struct {
	open bool
	key  wholecall.Key
	id   string // as the wire has it, "" where there is none
	name string
	doc  document
	// held says that the call has ended but for the dialect: the next part may bring its arguments. args
	// are those that it came with.
	held bool
	args []byte
	// bare says that the last call came with {} and has ended: the name of the switch is a hint then.
	bare bool
}

// call reads a functionCall: a whole one, or a piece of one whose arguments are streamed.
func (d *generateDecoder) call(events []wholecall.Event, st *candidateState, p *part) ([]wholecall.Event, error) {
	k, o := &p.call, &st.open
	switch {
	case k.args != nil && k.args[0] != '{':
		return events, malformed(nil, "the args of a functionCall are no object")
	case len(k.name) == 0:
		return d.continued(events, st, p)
	}
	events = d.release(events, st)
	if o.open {
		// It may be a new call, the end of the open one being lost, or a piece of the open one.
		return events, &wholecall.ProtocolError{Kind: wholecall.ConflictingIdentity, HasKey: true, Key: o.key, ID: o.id,
			Name: o.name, Detail: "a functionCall with a name while another one goes on"}
	}
	events = d.announce(events, st, p, wholecall.Event{Name: k.name, Empty: wholecall.EmptyIsObject})
	o.key, o.name, o.id, o.bare = events[len(events)-1].Key, string(k.name), string(k.id), false
	if k.more || k.seen&hasPatches != 0 {
		if !isEmptyObject(k.args) {
			return events, refuse(wholecall.MismatchedPart, o.key, "a functionCall with args, and with patches of them")
		}
		o.open = true
		o.doc.reset()
		return d.patches(events, st, p)
	}
	return d.whole(events, st, k), nil
}

// whole ends a call that stands whole in its part.
func (d *generateDecoder) whole(events []wholecall.Event, st *candidateState, k *call) []wholecall.Event {
	o := &st.open
	o.bare = isEmptyObject(k.args)
	if o.bare && d.nameless {
		o.held, o.args = true, append(o.args[:0], k.args...)
		return events
	}
	if k.args != nil {
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: o.key, Data: k.args})
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: o.key})
}

// release ends a call that was held for the dialect, with what it came with.
func (d *generateDecoder) release(events []wholecall.Event, st *candidateState) []wholecall.Event {
	o := &st.open
	o.bare = o.bare && o.held
	if !o.held {
		return events
	}
	o.held, o.bare = false, false
	if len(o.args) > 0 {
		from := len(d.scratch)
		d.scratch = append(d.scratch, o.args...)
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: o.key, Data: d.scratch[from:]})
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: o.key})
}

// continued reads a functionCall without a name. It belongs to the one call that is open.
func (d *generateDecoder) continued(events []wholecall.Event, st *candidateState, p *part) ([]wholecall.Event, error) {
	k, o := &p.call, &st.open
	switch {
	case o.held && k.args != nil && k.seen&hasPatches == 0 && !k.more:
		o.held, o.bare = false, false
		return append(events, deviate(nameless),
			wholecall.Event{Kind: wholecall.Fragment, Key: o.key, Data: k.args},
			wholecall.Event{Kind: wholecall.End, Key: o.key}), nil
	case !o.open:
		e := &wholecall.ProtocolError{Kind: wholecall.Unannounced,
			Detail: "a functionCall without a name, and no call is open"}
		if o.bare && !d.nameless && k.args != nil {
			e.Switch = nameless
		}
		return events, e
	case len(k.id) > 0 && string(k.id) != o.id:
		return events, refuse(wholecall.ConflictingIdentity, o.key, "a functionCall without a name and with another id than the open one's")
	case !isEmptyObject(k.args):
		return events, refuse(wholecall.MismatchedPart, o.key, "args for a call whose arguments are streamed in patches")
	}
	if len(p.signature.raw) > 0 {
		// The announcement is out, so that it can't be kept with the call.
		events = append(events, deviate(lateSignature))
	}
	return d.patches(events, st, p)
}

// patches adds the patches of a part to the open call, and ends it where nothing is to follow.
func (d *generateDecoder) patches(events []wholecall.Event, st *candidateState, p *part) ([]wholecall.Event, error) {
	k, o := &p.call, &st.open
	for i := k.from; i < k.to; i++ {
		if one := &d.w.patches[i]; one.kind == noPatch {
			return events, refuse(wholecall.UnknownDelta, o.key, "a patch without a value of a kind that is known")
		}
		o.doc.apply(&d.w.patches[i])
	}
	if k.more {
		return events, nil
	}
	o.open = false
	o.doc.end()
	if o.doc.fault != "" {
		events = append(events, deviate(o.doc.fault))
	}
	if !o.doc.empty() {
		from := len(d.scratch)
		d.scratch = o.doc.appendTo(d.scratch)
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: o.key, Data: d.scratch[from:]})
	}
	o.doc.reset()
	return append(events, wholecall.Event{Kind: wholecall.End, Key: o.key}), nil
}

// serverCall reads a call that the API runs itself: code, or a tool of its own.
func (d *generateDecoder) serverCall(events []wholecall.Event, st *candidateState, p *part) ([]wholecall.Event, error) {
	k := &p.call
	ev := wholecall.Event{Runner: wholecall.ProviderRuns, Name: k.name, Empty: wholecall.EmptyIsObject}
	if p.kind == codePayload {
		ev.Name, ev.Form = []byte("executableCode"), wholecall.TextArguments
	}
	events = d.announce(events, st, p, ev)
	key := events[len(events)-1].Key
	switch {
	case len(k.code.raw) > 0:
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: k.code.raw, Escaped: k.code.escaped})
	case k.args != nil && p.kind == toolPayload:
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Key: key, Data: k.args})
	}
	return append(events, wholecall.Event{Kind: wholecall.End, Key: key}), nil
}

// announce adds the announcement of the part's call, which is ev but for what all calls have.
func (d *generateDecoder) announce(events []wholecall.Event, st *candidateState, p *part, ev wholecall.Event) []wholecall.Event {
	d.calls++
	ev.Kind, ev.Key, ev.ID = wholecall.Announce, wholecall.Key{Choice: st.index, Index: st.calls}, p.call.id
	st.calls++
	generated := len(ev.ID) == 0
	if generated {
		ev.ID = strconv.AppendInt([]byte("wholecall_"), int64(d.calls), 10)
		events = append(events, deviate(generatedID))
	}
	ev.Extra = d.extra(p, generated)
	return append(events, ev)
}

// extra is what a part says of its call beside its id, name and arguments.
func (d *generateDecoder) extra(p *part, generated bool) []byte {
	from := len(d.scratch)
	d.scratch = append(d.scratch, '{')
	switch p.kind {
	case codePayload:
		d.scratch = append(d.scratch, `"type":"executableCode"`...)
		d.scratch = appendMember(d.scratch, "language", p.call.language)
	case toolPayload:
		d.scratch = append(d.scratch, `"type":"toolCall"`...)
	}
	if len(p.signature.raw) > 0 {
		d.scratch = appendInside(appendName(d.scratch, "thoughtSignature"), p.signature)
	}
	if generated {
		d.scratch = append(appendName(d.scratch, "generated_id"), "true"...)
	}
	if len(d.scratch) == from+1 {
		d.scratch = d.scratch[:from]
		return nil
	}
	d.scratch = append(d.scratch, '}')
	return d.scratch[from:]
}
