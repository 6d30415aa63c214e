package openai_test

import (
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

var chatShape = wholecalltest.Shape{
	Choices: 3, Reasoning: true, Refusal: true, FreeText: true,
	Good: "tool_calls", Done: "stop",
}

func TestChatLaws(t *testing.T) { wholecalltest.Laws(t, openai.Chat, chatShape) }

func FuzzChat(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := chatShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, openai.Chat, events)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, openai.Chat, stream) })
}

// TestErrorsBesideTheStream: an error in lines that are no field is the provider's error, and anything
// else there is passed over.
func TestErrorsBesideTheStream(t *testing.T) {
	const begin = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"so"},"finish_reason":null}]}` + "\n\n"
	for stray, want := range map[string]wholecall.Kind{
		"error: {\"code\":500,\"message\":\"out of slots\",\"type\":\"server_error\"}\n\n": wholecall.ProviderFailed,
		"error: {\"detail\":\"no\",\"error\":{\"message\":\"failed to decode\"}}\n\n":      wholecall.ProviderFailed,
		"{\n  \"error\": {\"message\": \"cancelled\"}\n}\n\n":                              wholecall.ProviderFailed,
		"{\"error\":\"no\"}\n\n": wholecall.ProviderFailed,
		"error: nonsense\n\n":    wholecall.Truncated,
		"{\"warning\":1}\n\n":    wholecall.Truncated,
		"x-note: hello\n\n":      wholecall.Truncated,
	} {
		turn := wholecall.NewTurn(strings.NewReader(begin+stray), openai.Chat)
		if got := wholecalltest.Drain(turn); got.Kind != want {
			t.Errorf("%q: %v, want %s", stray, turn.Err(), want)
		}
		if len(turn.Deviations()) == 0 {
			t.Errorf("%q: not counted", stray)
		}
	}
}
