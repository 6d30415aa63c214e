package goopenai_test

import (
	"encoding/json"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/sdk/goopenai"
)

// TestNothingIsLost: what goes back says all of the turn, or is an error.
func TestNothingIsLost(t *testing.T) {
	for _, m := range []struct{ message, holds string }{
		{`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`, "c2ln"},
		{`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"some text"}}]}`, "some text"},
		{`{"role":"tool","tool_call_id":"a","content":""}`, `"content"`},
		{`{"role":"assistant","content":"yes","reasoning_content":"hm"}`, `"hm"`},
	} {
		r := &openai.ChatCompletionRequest{}
		err := goopenai.Conversation{Request: r}.Add(wholecall.Echo{Messages: []json.RawMessage{json.RawMessage(m.message)}})
		if err != nil {
			continue
		}
		b, err := json.Marshal(r.Messages)
		if err != nil || !strings.Contains(string(b), m.holds) {
			t.Errorf("%s became %s, %v", m.message, b, err)
		}
	}
}
