package aisdk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

func (e *encoder) announce(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Form == wholecall.TextArguments {
		return dst, fmt.Errorf("aisdk: call %s: arguments that are free text can't be expressed", ev.ID)
	}
	p := e.add(ev, wholecall.CallPart, ev.ID)
	p.name, p.empty, p.runner = slices.Clone(ev.Name), ev.Empty, ev.Runner
	e.call("tool-input-start", p)
	e.extra(ev.Extra)
	return e.frame(dst), nil
}

// call begins an event about a call. Each says who runs it, as clients look at the last one.
func (e *encoder) call(typ string, p *encoded) {
	e.event(typ)
	e.string("toolCallId", p.id)
	e.string("toolName", p.name)
	if p.runner == wholecall.ProviderRuns {
		e.body = append(e.body, `,"providerExecuted":true`...)
	}
}

// extra writes what of a call's Extra this protocol says itself.
func (e *encoder) extra(raw []byte) {
	if len(raw) == 0 {
		return
	}
	var c strictjson.Cursor
	c.Reset(raw)
	c.Object()
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch n := string(name); n {
		case "dynamic", "title", "toolMetadata", "providerMetadata":
			value, _ := c.Raw()
			e.raw(n, value)
		default:
			c.Skip()
		}
	}
}

// fragment writes a fragment. A copy of the whole document waits for the call's end, which carries it.
func (e *encoder) fragment(dst []byte, ev *wholecall.Event) ([]byte, error) {
	p := e.find(ev.Key)
	switch {
	case ev.Kind == wholecall.Document && (ev.Final || len(ev.Data) == 0):
		return dst, nil
	case p == nil || p.kind != wholecall.CallPart:
		return dst, errors.New("aisdk: a fragment for a call that was never announced")
	case ev.Kind == wholecall.Document:
		if len(p.copy) == 0 || strictjson.Equal(p.copy, p.text) { // one that disagrees is kept
			p.copy, _ = unescape(p.copy[:0], 0, ev)
		}
		return dst, nil
	}
	p.text, p.carry = unescape(p.text, p.carry, ev)
	e.event("tool-input-delta")
	e.string("toolCallId", p.id)
	e.name("inputTextDelta")
	e.body = appendText(e.body, ev)
	return e.frame(dst), nil
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
		return dst, errors.New("aisdk: an end for a call that was never announced")
	case ev.Reason == wholecall.ReasonArgument:
		return e.invalid(dst, p), nil
	case ev.Reason != "":
		return dst, nil
	case len(p.document()) == 0 && p.empty >= wholecall.EmptyIsObject:
		p.waits = true
		return dst, nil
	}
	return e.whole(dst, p), nil
}

// document is the call's document as far as it is known: its last copy, or what its fragments made.
func (p *encoded) document() []byte {
	if len(p.copy) > 0 {
		return p.copy
	}
	return p.text
}

// whole ends a call with its whole input. What is no JSON value can't stand there: the call failed.
func (e *encoder) whole(dst []byte, p *encoded) []byte {
	doc := p.document()
	if p.carry != 0 || strictjson.Check(doc, wholecall.DefaultDepth) != nil {
		return e.invalid(dst, p)
	}
	p.open = false
	e.call("tool-input-available", p)
	e.raw("input", doc)
	return e.frame(dst)
}

// invalid ends a call as failed.
func (e *encoder) invalid(dst []byte, p *encoded) []byte {
	p.open = false
	e.call("tool-input-error", p)
	e.string("input", p.document())
	e.string("errorText", []byte("the input is not one valid JSON value"))
	return e.frame(dst)
}

// endAtStop ends a call that the stop ends, or that waited for it. What an answer that was cut left
// unfinished is left open.
func (e *encoder) endAtStop(dst []byte, p *encoded, reason wholecall.Reason) []byte {
	switch {
	case len(p.document()) > 0 || p.empty < wholecall.EmptyIsObject:
	case reason == "":
		p.text = append(p.text, "{}"...)
	}
	if reason != "" && strictjson.Check(p.document(), wholecall.DefaultDepth) != nil {
		return dst
	}
	return e.whole(dst, p)
}
