package openai

import (
	"bytes"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// responsesItem is an item as output_item.added, output_item.done or a final output holds it.
type responsesItem struct {
	seen uint32
	raw  []byte

	typ, id, callID, name, status, execution []byte

	arguments, input, code, action, actions, operation []byte // as they stand
	caller, namespace, server, container, environment  []byte
	content, summary, checks                           []byte
	encrypted                                          bool
}

// parseItem reads one item. Its slices are valid until the next frame.
func parseItem(c *strictjson.Cursor, raw []byte) (responsesItem, error) {
	it := responsesItem{raw: raw}
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			it.member(c, name)
		}
	}
	if err := c.Err(); err != nil {
		return it, malformed(err, "an item is malformed: %v", err)
	}
	return it, nil
}

func (it *responsesItem) member(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "type":
		it.string(c, 0, &it.typ)
	case "id":
		it.string(c, 1, &it.id)
	case "call_id":
		it.string(c, 2, &it.callID)
	case "name":
		it.string(c, 3, &it.name)
	case "status":
		it.string(c, 4, &it.status)
	case "execution":
		it.string(c, 5, &it.execution)
	case "encrypted_content":
		if c.Peek() != '"' {
			c.Skip()
			return
		}
		raw, _, _ := c.String()
		it.encrypted = len(raw) > 0
	default:
		it.valueMember(c, name)
	}
}

func (it *responsesItem) valueMember(c *strictjson.Cursor, name []byte) {
	switch string(name) {
	case "arguments":
		it.value(c, 8, &it.arguments)
	case "input":
		it.value(c, 9, &it.input)
	case "code":
		it.value(c, 10, &it.code)
	case "action":
		it.value(c, 11, &it.action)
	case "actions":
		it.value(c, 12, &it.actions)
	case "operation":
		it.value(c, 13, &it.operation)
	case "caller":
		it.value(c, 14, &it.caller)
	case "namespace":
		it.value(c, 15, &it.namespace)
	case "server_label":
		it.value(c, 16, &it.server)
	case "container_id":
		it.value(c, 17, &it.container)
	case "environment":
		it.value(c, 18, &it.environment)
	case "content":
		it.value(c, 19, &it.content)
	case "summary":
		it.value(c, 20, &it.summary)
	case "pending_safety_checks":
		it.value(c, 21, &it.checks)
	default:
		c.Skip()
	}
}

func (it *responsesItem) string(c *strictjson.Cursor, n uint, s *[]byte) {
	*s = own(c)
	once(c, &it.seen, 1<<n)
}

// value reads a member as it stands; null is like absent.
func (it *responsesItem) value(c *strictjson.Cursor, n uint, v *[]byte) {
	if !c.Null() {
		*v, _ = c.Raw()
	}
	once(c, &it.seen, 1<<n)
}

// textOf is the inside of a value that must be a string. An absent one is the empty string, and ok.
func textOf(raw []byte) (t text, ok bool) {
	if raw == nil {
		return text{}, true
	}
	if raw[0] != '"' {
		return text{}, false
	}
	t.raw = raw[1 : len(raw)-1]
	t.escaped = bytes.IndexByte(t.raw, '\\') >= 0
	return t, true
}

// contentPart is a content part of a message, or a text or summary of a reasoning item.
type contentPart struct {
	typ           []byte
	text, refusal text
	notes         []byte // annotations, as they stand
}

// body is the part's text, wherever its type keeps it.
func (p *contentPart) body() text {
	if string(p.typ) == "refusal" {
		return p.refusal
	}
	return p.text
}

func parsePart(c *strictjson.Cursor, raw []byte) (contentPart, error) {
	var p contentPart
	var seen uint32
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			switch string(name) {
			case "type":
				p.typ = own(c)
				once(c, &seen, 1)
			case "text":
				p.text = stringOrNull(c)
				once(c, &seen, 2)
			case "refusal":
				p.refusal = stringOrNull(c)
				once(c, &seen, 4)
			case "annotations":
				p.notes = rawOrNull(c)
				once(c, &seen, 8)
			default:
				c.Skip()
			}
		}
	}
	if err := c.Err(); err != nil {
		return p, malformed(err, "a content part is malformed: %v", err)
	}
	return p, nil
}

// responseObject is the response that the events about the whole turn carry.
type responseObject struct {
	seen                         uint32
	id, model, status            []byte
	output, usage, fault, detail []byte // as they stand
}

func parseResponse(c *strictjson.Cursor, raw []byte) (responseObject, error) {
	var r responseObject
	if raw == nil {
		return r, malformed(nil, "an event about the turn without a response")
	}
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			r.member(c, name)
		}
	}
	if err := c.Err(); err != nil {
		return r, malformed(err, "the response is malformed: %v", err)
	}
	return r, nil
}

func (r *responseObject) member(c *strictjson.Cursor, name []byte) {
	var bit uint32
	switch string(name) {
	case "id":
		r.id, bit = own(c), 1
	case "model":
		r.model, bit = own(c), 2
	case "status":
		r.status, bit = own(c), 4
	case "output":
		r.output, bit = rawOrNull(c), 8
	case "usage":
		r.usage, bit = rawOrNull(c), 16
	case "error":
		r.fault, bit = rawOrNull(c), 32
	case "incomplete_details":
		r.detail, bit = rawOrNull(c), 64
	default:
		c.Skip()
		return
	}
	once(c, &r.seen, bit)
}

func rawOrNull(c *strictjson.Cursor) []byte {
	if c.Null() {
		return nil
	}
	raw, _ := c.Raw()
	return raw
}

// stringIn returns the string that a member of an object holds, or nil.
func stringIn(c *strictjson.Cursor, raw []byte, want string) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	c.Reset(raw)
	for c.Object(); ; {
		name, ok := c.Member()
		if !ok {
			return nil
		}
		if string(name) == want && c.Peek() == '"' {
			return own(c)
		}
		c.Skip()
	}
}

// readUsage reads the token counts of a response.
func readUsage(c *strictjson.Cursor, raw []byte) (wholecall.Usage, error) {
	var u wholecall.Usage
	c.Reset(raw)
	if c.Object() {
		for {
			name, ok := c.Member()
			if !ok {
				break
			}
			switch string(name) {
			case "input_tokens":
				u.Input = countOf(c)
			case "output_tokens":
				u.Output = countOf(c)
			case "input_tokens_details":
				u.CacheRead = countIn(c, "cached_tokens")
			case "output_tokens_details":
				u.Reasoning = countIn(c, "reasoning_tokens")
			default:
				c.Skip()
			}
		}
	}
	if err := c.Err(); err != nil {
		return u, malformed(err, "the usage is malformed: %v", err)
	}
	return u, nil
}
