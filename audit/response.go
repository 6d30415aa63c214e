package audit

import (
	"encoding/json"
	"fmt"

	"github.com/wholecall/wholecall"
)

// whole holds the members of a response that is no stream, of every format.
type whole struct {
	ID         string            `json:"id"`
	ResponseID string            `json:"responseId"`
	Model      string            `json:"model"`
	Content    json.RawMessage   `json:"content"`
	Choices    []json.RawMessage `json:"choices"`
	Output     json.RawMessage   `json:"output"`
	Message    json.RawMessage   `json:"message"`
	Candidates []struct {
		Content json.RawMessage `json:"content"`
	} `json:"candidates"`
}

// ParseResponse reads the body of a response that is no stream: what the model said stands in it as it
// stands in the request that echoes it. The error is ErrFormat, or says what in the body is no such
// response.
func ParseResponse(protocol string, body []byte) (Said, error) {
	var w whole
	if err := json.Unmarshal(body, &w); err != nil {
		return Said{}, fmt.Errorf("the response of %s: %w", protocol, err)
	}
	s := Said{Turn: w.ID + w.ResponseID, Model: w.Model}
	h, err := Parse(protocol, w.asRequest(protocol))
	if err != nil {
		return s, err
	}
	for _, t := range h.Turns {
		s.Text += t.Text
		for i, c := range t.Calls {
			s.Calls = append(s.Calls, SaidCall{Key: wholecall.Key{Index: int32(i)}, ID: c.ID, Name: c.Name, Arguments: c.Arguments, MadeUp: c.ID == ""})
		}
	}
	return s, nil
}

// asRequest writes what the response says as the request that would echo it.
func (w *whole) asRequest(protocol string) []byte {
	member, list := "messages", []any{}
	add := func(v any) { list = append(list, v) }
	switch protocol {
	case "anthropic", "bedrock-invoke":
		add(map[string]any{"role": "assistant", "content": w.Content})
	case "openai-chat", "mistral":
		for _, c := range w.Choices[:min(1, len(w.Choices))] {
			var choice struct{ Message json.RawMessage }
			if json.Unmarshal(c, &choice) == nil {
				add(assistant(choice.Message))
			}
		}
	case "cohere", "ollama":
		add(assistant(w.Message))
	case "openai-responses":
		b, err := json.Marshal(map[string]any{"input": w.Output})
		if err != nil {
			return []byte("{}")
		}
		return b
	case "gemini":
		member = "contents"
		for _, c := range w.Candidates[:min(1, len(w.Candidates))] {
			add(c.Content)
		}
	case "bedrock":
		var o struct{ Message json.RawMessage }
		if json.Unmarshal(w.Output, &o) == nil {
			add(o.Message)
		}
	}
	b, err := json.Marshal(map[string]any{member: list})
	if err != nil {
		return []byte("{}")
	}
	return b
}

// assistant is a message with its role, which some responses leave out.
func assistant(raw json.RawMessage) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &m) != nil || m == nil {
		m = map[string]json.RawMessage{}
	}
	m["role"] = json.RawMessage(`"assistant"`)
	return m
}
