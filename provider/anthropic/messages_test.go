package anthropic_test

import (
	"testing"

	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, EmptyIsObject: true, Reasoning: true, Signatures: true, Server: true,
	Good: "tool_use", Done: "end_turn",
}

func TestLaws(t *testing.T) { wholecalltest.Laws(t, anthropic.Messages, shape) }

func FuzzMessages(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, anthropic.Messages, events)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, anthropic.Messages, stream) })
}
