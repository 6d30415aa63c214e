package agui_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/agui"
)

// Two calls of one tool, whose arguments alternate, and one that comes in chunks.
func ExampleEvents() {
	body := strings.NewReader(`data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}

data: {"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"zoom"}

data: {"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"zoom"}

data: {"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"k\":"}

data: {"type":"TOOL_CALL_ARGS","toolCallId":"c2","delta":"{\"k\":3}"}

data: {"type":"TOOL_CALL_END","toolCallId":"c2"}

data: {"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"2}"}

data: {"type":"TOOL_CALL_END","toolCallId":"c1"}

data: {"type":"TOOL_CALL_CHUNK","toolCallId":"c3","toolCallName":"pan","delta":"{\"x\":"}

data: {"type":"TOOL_CALL_CHUNK","delta":"9}"}

data: {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success"}}

`)
	turn := wholecall.NewTurn(body, agui.Events)
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
	// c1 zoom {"k":2}
	// c2 zoom {"k":3}
	// c3 pan {"x":9}
}
