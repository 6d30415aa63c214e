package audit_test

import (
	"fmt"
	"log"
	"os"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/provider/anthropic"
)

// The client kept one buffer for each tool's name, and the second call took the place of the first.
func ExampleCompare() {
	body, err := os.Open("../testdata/captures/two-calls.sse")
	if err != nil {
		log.Fatal(err)
	}
	defer body.Close()
	said := audit.Read(wholecall.NewTurn(body, anthropic.Messages))
	heard, err := audit.Parse("anthropic", []byte(`{"messages":[
		{"role":"assistant","content":[{"type":"tool_use","id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","name":"search_orders",
			"input":{"customer":"Grace","status":"late"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","content":"none"}]}]}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range audit.Compare(said, heard) {
		fmt.Println(f)
	}
	// Output:
	// lost: call toolu_01KaQ7mWb2TzN5xYcV8dRs3P of search_orders: the echo of its turn has neither the call nor a result for it
}
