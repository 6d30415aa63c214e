package openai_test

import (
	"testing"

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
