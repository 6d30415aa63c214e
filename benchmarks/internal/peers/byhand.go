package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// The loops that most programs have: a scanner for lines, encoding/json into a struct with the few
// members that matter, a builder for each call. They check nothing.

// lines calls f with the data of each event.
func lines(r io.Reader, f func(data []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		data, ok := bytes.CutPrefix(s.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		if err := f(data); err != nil {
			return err
		}
	}
	return s.Err()
}

// pending is a call in the making.
type pending struct {
	id, name string
	args     strings.Builder
}

func finished(calls []*pending, text string) *Turn {
	t := &Turn{Text: text}
	for _, c := range calls {
		t.Calls = append(t.Calls, Call{ID: c.id, Name: c.name, Text: c.args.String()})
	}
	return t
}

type messagesEvent struct {
	Type         string `json:"type"`
	Index        int    `json:"index"`
	ContentBlock struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
	} `json:"delta"`
}

func handAnthropic() Peer {
	return Peer{Name: "hand-written loop", Protocol: "anthropic", Kind: ByHand, Read: func(r io.Reader) (*Turn, error) {
		var text strings.Builder
		var calls []*pending
		open := map[int]*pending{}
		err := lines(r, func(data []byte) error {
			var e messagesEvent
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			switch e.Type {
			case "content_block_start":
				if e.ContentBlock.Type == "tool_use" {
					c := &pending{id: e.ContentBlock.ID, name: e.ContentBlock.Name}
					open[e.Index] = c
					calls = append(calls, c)
				}
			case "content_block_delta":
				switch e.Delta.Type {
				case "text_delta":
					text.WriteString(e.Delta.Text)
				case "input_json_delta":
					if c := open[e.Index]; c != nil {
						c.args.WriteString(e.Delta.PartialJSON)
					}
				}
			}
			return nil
		})
		return finished(calls, text.String()), err
	}}
}

type chatChunk struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				Index    int    `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

func handChat() Peer {
	return Peer{Name: "hand-written loop", Protocol: "openai-chat", Kind: ByHand, Read: func(r io.Reader) (*Turn, error) {
		var text strings.Builder
		var calls []*pending
		open := map[int]*pending{}
		err := lines(r, func(data []byte) error {
			var e chatChunk
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			if len(e.Choices) == 0 {
				return nil
			}
			text.WriteString(e.Choices[0].Delta.Content)
			for _, t := range e.Choices[0].Delta.ToolCalls {
				c := open[t.Index]
				if c == nil {
					c = &pending{id: t.ID, name: t.Function.Name}
					open[t.Index] = c
					calls = append(calls, c)
				}
				c.args.WriteString(t.Function.Arguments)
			}
			return nil
		})
		return finished(calls, text.String()), err
	}}
}

type responsesEvent struct {
	Type        string          `json:"type"`
	OutputIndex int             `json:"output_index"`
	Delta       json.RawMessage `json:"delta"` // a string, but an object in some events
	Item        struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Name   string `json:"name"`
	} `json:"item"`
}

func handResponses() Peer {
	return Peer{Name: "hand-written loop", Protocol: "openai-responses", Kind: ByHand, Read: func(r io.Reader) (*Turn, error) {
		var text strings.Builder
		var calls []*pending
		open := map[int]*pending{}
		err := lines(r, func(data []byte) error {
			var e responsesEvent
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			switch e.Type {
			case "response.output_item.added":
				if e.Item.Type == "function_call" {
					c := &pending{id: e.Item.CallID, name: e.Item.Name}
					open[e.OutputIndex] = c
					calls = append(calls, c)
				}
			case "response.function_call_arguments.delta", "response.output_text.delta":
				var delta string
				if err := json.Unmarshal(e.Delta, &delta); err != nil {
					return err
				}
				if e.Type == "response.output_text.delta" {
					text.WriteString(delta)
				} else if c := open[e.OutputIndex]; c != nil {
					c.args.WriteString(delta)
				}
			}
			return nil
		})
		return finished(calls, text.String()), err
	}}
}
