package agui

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func (e *encoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	switch {
	case ev.Form == wholecall.TextArguments:
		return dst, fmt.Errorf("ag-ui: call %s: arguments that are free text can't be expressed", ev.ID)
	case ev.Runner == wholecall.ProviderRuns:
		return dst, fmt.Errorf("ag-ui: call %s: a call that the provider runs can't be expressed", ev.ID)
	}
	p := e.add(ev, wholecall.CallPart, ev.ID)
	p.empty = ev.Empty
	e.event(callStart)
	e.string("toolCallId", p.id)
	e.string("toolCallName", ev.Name)
	e.extra(ev.Extra)
	return e.frame(dst), nil
}

// extra writes what of a call's Extra this protocol says itself.
func (e *encoder) extra(raw []byte) {
	for _, name := range []string{"parentMessageId", "metadata"} {
		var c strictjson.Cursor
		if v := rawIn(&c, raw, name); v != nil {
			e.raw(name, v)
		}
	}
}

// fragment writes a fragment. A copy of the whole document is one where nothing came before it.
func (e *encoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.find(ev.Key)
	switch {
	case ev.Kind == wholecall.Document && (ev.Final || len(ev.Data) == 0):
		return dst, nil
	case p == nil || p.kind != wholecall.CallPart:
		return dst, errors.New("ag-ui: a fragment for a call that was never announced")
	case ev.Kind == wholecall.Document && len(p.text) > 0:
		return dst, e.sameCopy(p, ev)
	}
	p.text, p.carry = unescape(p.text, p.carry, ev)
	e.event(callArgs)
	e.string("toolCallId", p.id)
	e.name("delta")
	e.body = appendText(e.body, ev)
	return e.frame(dst), nil
}

// sameCopy refuses a copy that makes the call fail: here there is no place for one.
func (e *encoder) sameCopy(p *encoded, ev *wholecall.Event) error {
	if text, _ := unescape(nil, 0, ev); !bytes.Equal(p.text, text) && !strictjson.Equal(p.text, text) {
		return fmt.Errorf("ag-ui: call %s: a copy of its arguments that is another document can't be expressed", p.id)
	}
	return nil
}

func unescape(dst []byte, carry uint16, ev *wholecall.Event) ([]byte, uint16) {
	if ev.Escaped {
		dst, carry, _ = strictjson.AppendUnescaped(dst, ev.Data, carry)
	} else {
		dst, carry, _ = strictjson.AppendPlain(dst, ev.Data, carry)
	}
	return dst, carry
}

// end ends a call. One that its end cuts is left open; one without a byte, where that may mean {}, waits
// for the stop.
func (e *encoder) end(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.find(ev.Key)
	switch {
	case p == nil || p.kind != wholecall.CallPart:
		return dst, errors.New("ag-ui: an end for a call that was never announced")
	case ev.Reason != "":
		return dst, nil
	case len(p.text) == 0 && p.carry == 0 && p.empty >= wholecall.EmptyIsObject:
		p.waits = true
		return dst, nil
	}
	return e.close(dst, p), nil
}

func (e *encoder) close(dst []byte, p *encoded) []byte {
	p.open = false
	e.event(callEnd)
	e.string("toolCallId", p.id)
	return e.frame(dst)
}

// endAtStop ends a call that the stop ends, or that waited for it. What a run that was interrupted left
// unfinished is left open.
func (e *encoder) endAtStop(dst []byte, p *encoded, reason wholecall.Reason) []byte {
	if reason != "" && strictjson.Check(p.text, wholecall.DefaultDepth) != nil {
		return dst
	}
	if len(p.text) == 0 && p.carry == 0 && p.empty >= wholecall.EmptyIsObject {
		e.event(callArgs)
		e.string("toolCallId", p.id)
		e.string("delta", []byte("{}"))
		dst = e.frame(dst)
	}
	return e.close(dst, p)
}
