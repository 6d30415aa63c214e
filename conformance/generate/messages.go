package main

import "fmt"

const (
	useA   = "toolu_example_A"
	useB   = "toolu_example_B"
	useC   = "toolu_example_C"
	serveA = "srvtoolu_example_A"
	mcpA   = "mcptoolu_example_A"
)

// messages builds a stream of Anthropic Messages.
type messages struct{ stream }

func newMessages() *messages { return &messages{stream{named: true}} }

// typed adds an event whose type is also its name.
func (m *messages) typed(typ, rest string) *messages {
	if rest != "" {
		rest = "," + rest
	}
	m.event(typ, `{"type":`+quote(typ)+rest+`}`)
	return m
}

func (m *messages) start() *messages { return m.startWith("msg_example_1", "[]", "null") }

func (m *messages) startWith(id, content, stop string) *messages {
	return m.typed("message_start", fmt.Sprintf(
		`"message":{"id":%s,"type":"message","role":"assistant","model":%s,"content":%s,"stop_reason":%s,"stop_sequence":null,"usage":{"input_tokens":31,"output_tokens":1}}`,
		quote(id), quote(model), content, stop))
}

func (m *messages) block(index int, block string) *messages {
	return m.typed("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, index, block))
}

func (m *messages) delta(index int, delta string) *messages {
	return m.typed("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s`, index, delta))
}

func (m *messages) stop(index int) *messages {
	return m.typed("content_block_stop", fmt.Sprintf(`"index":%d`, index))
}

func useBlock(typ, id, name string) string {
	return fmt.Sprintf(`{"type":%s,"id":%s,"name":%s,"input":{}}`, quote(typ), quote(id), quote(name))
}

func (m *messages) open(index int, id, name string) *messages {
	return m.block(index, useBlock("tool_use", id, name))
}

// piece adds a fragment.
func (m *messages) piece(index int, s string) *messages {
	return m.delta(index, `{"type":"input_json_delta","partial_json":`+quote(s)+`}`)
}

// inner adds a fragment that is given as it stands inside the JSON string.
func (m *messages) inner(index int, s string) *messages {
	return m.delta(index, `{"type":"input_json_delta","partial_json":"`+s+`"}`)
}

// call adds a whole call, in fragments. The first one is empty, as the provider does it.
func (m *messages) call(index int, id, name string, pieces ...string) *messages {
	m.open(index, id, name).piece(index, "")
	for _, p := range pieces {
		m.piece(index, p)
	}
	return m.stop(index)
}

func (m *messages) openText(index int) *messages { return m.block(index, `{"type":"text","text":""}`) }

func (m *messages) say(index int, s string) *messages {
	return m.delta(index, `{"type":"text_delta","text":`+quote(s)+`}`)
}

func (m *messages) text(index int, pieces ...string) *messages {
	m.openText(index)
	for _, p := range pieces {
		m.say(index, p)
	}
	return m.stop(index)
}

func (m *messages) reason(stop string) *messages {
	return m.typed("message_delta", `"delta":{"stop_reason":`+quote(stop)+`,"stop_sequence":null},"usage":{"output_tokens":40}`)
}

func (m *messages) end() *messages { return m.typed("message_stop", "") }

// finish ends the turn.
func (m *messages) finish(stop string) *messages { return m.reason(stop).end() }

func (m *messages) ping() *messages { return m.typed("ping", "") }

func (m *messages) fault(typ, message string) *messages {
	return m.typed("error", `"error":{"type":`+quote(typ)+`,"message":`+quote(message)+`}`)
}

// with puts a replacement into the last frame.
func (m *messages) with(old, new string) *messages {
	m.replace(old, new)
	return m
}

// bytesCut takes bytes from the end.
func (m *messages) bytesCut(n int) *messages {
	m.cutBytes(n)
	return m
}

// behind adds bytes as they are.
func (m *messages) behind(b string) *messages {
	m.raw(b)
	return m
}
