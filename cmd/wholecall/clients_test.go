package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/provider/openai"
)

// The clients that the scripts run against the mock, each a program of its own.

// conversations runs a conversation as often as the environment wants it, all at once.
func conversations(one func(prompt string) error) {
	n, _ := strconv.Atoi(os.Getenv("WHOLECALL_CONVERSATIONS"))
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- one(fmt.Sprint(os.Getenv("WHOLECALL_PROMPT"), " ", i)) }()
	}
	status := 0
	for range n {
		if err := <-errs; err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// goodClient is this project's own loop.
func goodClient() {
	conversations(func(prompt string) error {
		d, err := dispatch.New(dispatch.Config{}, dispatch.Tool{Name: "search_orders",
			Run: func(context.Context, wholecall.Call) (any, error) { return "one order", nil }})
		if err != nil {
			return err
		}
		first, _ := json.Marshal([]any{map[string]string{"role": "user", "content": prompt}})
		c := &httpturn.Conversation{URL: os.Getenv("OPENAI_BASE_URL") + "/chat/completions", Protocol: openai.Chat,
			Body: map[string]json.RawMessage{"messages": first, "stream": json.RawMessage("true")}}
		// A stream that stalls is given up; any other may take its time.
		patience := time.Minute
		if os.Getenv("WHOLECALL_SCENARIO") == "stall" {
			patience = time.Second
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = loop.Loop(ctx, c, d, loop.Options{})
		return err
	})
}

// buffers is a wrong accumulator: what is announced, and what came, by some key.
type buffers struct {
	order []string
	ids   map[string]string
	names map[string]string
	args  map[string]string
}

func newBuffers() *buffers {
	return &buffers{ids: map[string]string{}, names: map[string]string{}, args: map[string]string{}}
}

type delta struct {
	Index    int
	ID       string
	Function struct{ Name, Arguments string }
}

// nameKeyed keys calls by the tool's name.
func nameKeyed() {
	conversations(func(prompt string) error {
		current := ""
		return chat(prompt, newBuffers, func(b *buffers, d delta) {
			if d.Function.Name != "" {
				current = d.Function.Name
			}
			b.add(current, d)
		})
	})
}

// sharing guards the accumulator of the client that has one for all its conversations.
var sharing sync.Mutex

// moduleScope has one accumulator for all its conversations.
func moduleScope() {
	shared := newBuffers()
	conversations(func(prompt string) error {
		return chat(prompt, func() *buffers { return shared }, func(b *buffers, d delta) {
			sharing.Lock()
			defer sharing.Unlock()
			b.add(fmt.Sprint(d.Index), d)
		})
	})
}

func (b *buffers) add(key string, d delta) {
	if d.ID != "" {
		if b.ids[key] == "" {
			b.order = append(b.order, key)
		}
		b.ids[key], b.names[key] = d.ID, d.Function.Name
	}
	b.args[key] += d.Function.Arguments
}

// chat is a loop over Chat with a wrong accumulator.
func chat(prompt string, make func() *buffers, add func(*buffers, delta)) error {
	messages := []any{map[string]any{"role": "user", "content": prompt}}
	for range 8 {
		body, _ := json.Marshal(map[string]any{"stream": true, "messages": messages})
		resp, err := http.Post(os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			return err
		}
		b := make()
		n := 0
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			var c struct {
				Choices []struct {
					Delta struct {
						ToolCalls []delta `json:"tool_calls"`
					}
				}
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || json.Unmarshal([]byte(data), &c) != nil {
				continue
			}
			for _, ch := range c.Choices {
				for _, d := range ch.Delta.ToolCalls {
					add(b, d)
					n++
				}
			}
		}
		resp.Body.Close()
		if n == 0 {
			return nil
		}
		sharing.Lock()
		var calls, results []any
		for _, key := range b.order {
			calls = append(calls, map[string]any{"id": b.ids[key], "type": "function", "function": map[string]any{"name": b.names[key], "arguments": b.args[key]}})
			results = append(results, map[string]any{"role": "tool", "tool_call_id": b.ids[key], "content": "one order"})
		}
		sharing.Unlock()
		messages = append(append(messages, map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}), results...)
	}
	return nil
}

// quiet asks for nothing.
func quiet() {}
