package main

import (
	"fmt"
	"strings"
)

const (
	callA = "call_example_A"
	callB = "call_example_B"
	callC = "call_example_C"
)

// chat builds a stream of Chat Completions.
type chat struct{ stream }

func newChat() *chat { return &chat{} }

// chunk adds a chunk with the given choices, and whatever stands beside them.
func (c *chat) chunk(choices, beside string) *chat {
	if beside != "" {
		beside = "," + beside
	}
	return c.payload(fmt.Sprintf(`{"id":"chatcmpl-example-1","object":"chat.completion.chunk","created":1700000000,"model":%s,"choices":[%s]%s}`,
		quote(model), choices, beside))
}

func (c *chat) payload(p string) *chat {
	c.event("", p)
	return c
}

func choiceOf(index int, delta, finish string) string {
	if finish != "null" {
		finish = quote(finish)
	}
	return fmt.Sprintf(`{"index":%d,"delta":%s,"finish_reason":%s}`, index, delta, finish)
}

// delta adds a chunk of choice 0.
func (c *chat) delta(delta string) *chat { return c.chunk(choiceOf(0, delta, "null"), "") }

func (c *chat) start() *chat { return c.delta(`{"role":"assistant","content":null}`) }

func (c *chat) say(s string) *chat { return c.delta(`{"content":` + quote(s) + `}`) }

// calls adds a chunk with entries of tool_calls.
func (c *chat) calls(entries ...string) *chat {
	return c.delta(`{"tool_calls":[` + strings.Join(entries, ",") + `]}`)
}

// opens is the entry that announces a call.
func opens(index int, id, name, args string) string {
	return fmt.Sprintf(`{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, index, quote(id), quote(name), quote(args))
}

// adds is an entry with a fragment.
func adds(index int, args string) string {
	return fmt.Sprintf(`{"index":%d,"function":{"arguments":%s}}`, index, quote(args))
}

func (c *chat) open(index int, id, name string) *chat { return c.calls(opens(index, id, name, "")) }

func (c *chat) piece(index int, s string) *chat { return c.calls(adds(index, s)) }

// call adds a call in fragments. The announcement has an empty one, as OpenAI does it.
func (c *chat) call(index int, id, name string, pieces ...string) *chat {
	c.open(index, id, name)
	for _, p := range pieces {
		c.piece(index, p)
	}
	return c
}

func (c *chat) stop(reason string) *chat { return c.chunk(choiceOf(0, `{}`, reason), "") }

func (c *chat) done() *chat { return c.payload("[DONE]") }

func (c *chat) finish(reason string) *chat { return c.stop(reason).done() }

func (c *chat) usage() *chat {
	return c.chunk("", `"usage":{"prompt_tokens":31,"completion_tokens":40,"total_tokens":71}`)
}

// of adds a chunk of one choice of several.
func (c *chat) of(choice int, delta string) *chat {
	return c.chunk(choiceOf(choice, delta, "null"), "")
}

func (c *chat) stopOf(choice int, reason string) *chat {
	return c.chunk(choiceOf(choice, `{}`, reason), "")
}

func entriesOf(e ...string) string { return `{"tool_calls":[` + strings.Join(e, ",") + `]}` }

func (c *chat) with(old, new string) *chat {
	c.replace(old, new)
	return c
}

func (c *chat) bytesCut(n int) *chat {
	c.cutBytes(n)
	return c
}

func (c *chat) behind(b string) *chat {
	c.raw(b)
	return c
}
