package cohere_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/cohere"
)

// Two calls of one tool, of which the second has no arguments: a start and an end, and nothing between.
func ExampleChat() {
	body := strings.NewReader(`event: message-start
data: {"type":"message-start","id":"m1","delta":{"message":{"role":"assistant"}}}

event: tool-plan-delta
data: {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"Two colours."}}}

event: tool-call-start
data: {"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"tint_1","type":"function","function":{"name":"tint","arguments":""}}}}}

event: tool-call-delta
data: {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"rgb\":9}"}}}}}

event: tool-call-end
data: {"type":"tool-call-end","index":0}

event: tool-call-start
data: {"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":{"id":"tint_2","type":"function","function":{"name":"tint","arguments":""}}}}}

event: tool-call-end
data: {"type":"tool-call-end","index":1}

event: message-end
data: {"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}

data: [DONE]

`)
	turn := wholecall.NewTurn(body, cohere.Chat)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("the turn is not complete:", err)
			return
		}
		switch p := part.(type) {
		case *wholecall.Text:
			fmt.Print(string(p.Delta))
			if p.Done {
				fmt.Println()
			}
		case wholecall.Call:
			fmt.Println(p.ID(), p.Name(), string(p.Arguments()))
		}
	}
	// Output:
	// Two colours.
	// tint_1 tint {"rgb":9}
	// tint_2 tint {}
}
