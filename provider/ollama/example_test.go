package ollama_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/ollama"
)

// Two calls of one tool, each on a line of its own. The second comes from a parser of the server that
// gives every call the index 0.
func ExampleChat() {
	body := strings.NewReader(`{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_k2m4p6r8","function":{"index":0,"name":"feed","arguments":{"cat":"Mo"}}}]},"done":false}
{"model":"m","created_at":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_t1v3x5z7","function":{"index":0,"name":"feed","arguments":{"cat":"Bo"}}}]},"done":false}
{"model":"m","created_at":"2026-01-01T00:00:02Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":12}
`)
	turn := wholecall.NewTurn(body, ollama.Chat)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("the turn is not complete:", err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.Key(), call.ID(), call.Name(), string(call.Arguments()))
		}
	}
	fmt.Println(turn.Deviations())
	// Output:
	// 0 call_k2m4p6r8 feed {"cat":"Mo"}
	// 1 call_t1v3x5z7 feed {"cat":"Bo"}
	// [{reused-index 1}]
}
