package aisdk_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/aisdk"
)

// Two calls of one tool, whose deltas alternate.
func ExampleUIMessage() {
	body := strings.NewReader(`data: {"type":"start","messageId":"u1"}

data: {"type":"start-step"}

data: {"type":"tool-input-start","toolCallId":"t1","toolName":"pin"}

data: {"type":"tool-input-start","toolCallId":"t2","toolName":"pin"}

data: {"type":"tool-input-delta","toolCallId":"t1","inputTextDelta":"{\"x\":"}

data: {"type":"tool-input-delta","toolCallId":"t2","inputTextDelta":"{\"x\":7}"}

data: {"type":"tool-input-delta","toolCallId":"t1","inputTextDelta":"4}"}

data: {"type":"tool-input-available","toolCallId":"t1","toolName":"pin","input":{"x":4}}

data: {"type":"tool-input-available","toolCallId":"t2","toolName":"pin","input":{"x":7}}

data: {"type":"finish-step"}

data: {"type":"finish","finishReason":"tool-calls"}

data: [DONE]

`)
	turn := wholecall.NewTurn(body, aisdk.UIMessage)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("the turn is not complete:", err)
			return
		}
		if c, ok := part.(wholecall.Call); ok {
			fmt.Println(c.ID(), c.Name(), string(c.Arguments()))
		}
	}
	// Output:
	// t1 pin {"x":4}
	// t2 pin {"x":7}
}
