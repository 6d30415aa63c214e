package mistral_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/mistral"
)

// show prints the calls of a turn.
func show(turn *wholecall.Turn) {
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("the turn is not complete:", err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.Key(), call.ID(), call.Name(), string(call.Arguments()))
		}
	}
}

// Two calls of one tool in the chunk that finishes, from a server that sends no index: read with 0 for
// what is absent, they would be one.
func ExampleChat() {
	body := strings.NewReader(`data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{\"m2\":40}"}},{"id":"f5G6h7J8k","function":{"name":"mow","arguments":{"m2":9}}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`)
	show(wholecall.NewTurn(body, mistral.Chat))
	// Output:
	// 0 a1B2c3D4e mow {"m2":40}
	// 1 f5G6h7J8k mow {"m2":9}
}

func ExampleConversations() {
	body := strings.NewReader(`event: conversation.response.started
data: {"type":"conversation.response.started","conversation_id":"conv_1"}

event: function.call.delta
data: {"type":"function.call.delta","output_index":0,"id":"fc_1","name":"mow","tool_call_id":"a1B2c3D4e","arguments":"{\"m2\":"}

event: function.call.delta
data: {"type":"function.call.delta","output_index":0,"id":"fc_1","name":"mow","tool_call_id":"a1B2c3D4e","arguments":"40}"}

event: conversation.response.done
data: {"type":"conversation.response.done","usage":{}}

`)
	show(wholecall.NewTurn(body, mistral.Conversations))
	// Output:
	// 0 a1B2c3D4e mow {"m2":40}
}
