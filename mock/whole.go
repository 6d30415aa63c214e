package mock

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wholecall/wholecall"
)

// wholeBody is the response that is no stream and says what the stream says. The assistant's turn stands in
// it as it stands in the request that echoes it.
func wholeBody(p wholecall.Protocol, stream []byte) ([]byte, error) {
	e, ok := p.(wholecall.Echoer)
	if !ok {
		return nil, fmt.Errorf("%s: %w without a stream", p.Facts().Name, errCantSay)
	}
	t := wholecall.NewTurn(bytes.NewReader(stream), p)
	var r wholecall.Reply
	for {
		part, err := t.Next()
		if err != nil {
			break
		}
		r.Keep(part)
	}
	var answers []wholecall.Answer
	for _, c := range t.Completed() {
		answers = append(answers, wholecall.Answer{ID: c.ID()})
	}
	for _, f := range t.Failed() {
		answers = append(answers, wholecall.Answer{ID: f.ID()})
	}
	echo, err := e.Echo(&r, answers)
	if err != nil {
		return nil, err
	}
	var message json.RawMessage = []byte("null")
	if len(echo.Messages) > 0 {
		message = echo.Messages[0]
	}
	u, _ := t.Usage()
	member := func(name string) json.RawMessage {
		var m map[string]json.RawMessage
		json.Unmarshal(message, &m)
		return m[name]
	}
	stop, id, model := t.StopReason(), t.ID(), t.Model()
	switch p.Facts().Name {
	case "anthropic":
		return json.Marshal(map[string]any{"id": id, "type": "message", "role": "assistant", "model": model, "content": member("content"),
			"stop_reason": stop, "stop_sequence": nil, "usage": map[string]int64{"input_tokens": u.Input, "output_tokens": u.Output}})
	case "openai-chat", "mistral":
		return json.Marshal(map[string]any{"id": id, "object": "chat.completion", "created": 0, "model": model,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": stop}},
			"usage":   map[string]int64{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}})
	case "openai-responses":
		return json.Marshal(map[string]any{"id": id, "object": "response", "created_at": 0, "model": model, "status": "completed",
			"output": echo.Messages[:len(echo.Messages)-len(answers)],
			"usage":  map[string]int64{"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output}})
	case "gemini":
		return json.Marshal(map[string]any{"responseId": id, "modelVersion": model,
			"candidates": []any{map[string]any{"index": 0, "content": message, "finishReason": stop}}})
	case "bedrock":
		return json.Marshal(map[string]any{"output": map[string]any{"message": message}, "stopReason": stop,
			"usage": map[string]int64{"inputTokens": u.Input, "outputTokens": u.Output, "totalTokens": u.Input + u.Output}})
	case "cohere":
		return json.Marshal(map[string]any{"id": id, "message": message, "finish_reason": stop})
	case "ollama":
		return json.Marshal(map[string]any{"model": model, "created_at": "1970-01-01T00:00:00Z", "message": message, "done": true, "done_reason": stop})
	}
	return nil, fmt.Errorf("%s: %w without a stream", p.Facts().Name, errCantSay)
}
