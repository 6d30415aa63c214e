package bedrock_test

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
)

// Text has no start of its own, and a call without arguments has a start and an end, and nothing between.
// The body is what ConverseStream's HTTP response holds; here it is made by hand.
func Example() {
	var body []byte
	for _, m := range [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Two colours."}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"contentBlockStart", `{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"tooluse_1","name":"tint"}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"rgb\""}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":1,"delta":{"toolUse":{"input":":9}"}}}`},
		{"contentBlockStop", `{"contentBlockIndex":1}`},
		{"contentBlockStart", `{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"tooluse_2","name":"tint"}}}`},
		{"contentBlockStop", `{"contentBlockIndex":2}`},
		{"messageStop", `{"stopReason":"tool_use"}`},
		{"metadata", `{"usage":{"inputTokens":9,"outputTokens":6,"totalTokens":15}}`},
	} {
		body, _ = eventstream.Append(body, &frame.Frame{ID: []byte(eventstream.Event), Event: []byte(m[0]), Data: []byte(m[1])})
	}

	turn := wholecall.NewTurn(bytes.NewReader(body), bedrock.ConverseStream)
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
	// tooluse_1 tint {"rgb":9}
	// tooluse_2 tint {}
}

// Claude's own events stand in chunks. This stream breaks off with an exception: the call that had ended
// is handed out, and the error says why there is no more.
func ExampleInvokeModel() {
	var body []byte
	for _, payload := range []string{
		`{"type":"message_start","message":{"id":"msg_bdrk_1","model":"claude-example","content":[]}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_bdrk_1","name":"tint","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"rgb\":9}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_bdrk_2","name":"tint","input":{}}}`,
	} {
		chunk := []byte(`{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(payload)) + `"}`)
		body, _ = eventstream.Append(body, &frame.Frame{ID: []byte(eventstream.Event), Event: []byte("chunk"), Data: chunk})
	}
	body, _ = eventstream.Append(body, &frame.Frame{ID: []byte(eventstream.Exception), Event: []byte("throttlingException"),
		Data: []byte(`{"message":"too many tokens"}`)})

	turn := wholecall.NewTurn(bytes.NewReader(body), bedrock.InvokeModel(anthropic.Messages))
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			break
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.ID(), call.Name(), string(call.Arguments()))
		}
	}
	for _, f := range turn.Failed() {
		fmt.Println(f.ID(), f.Name(), "failed:", f.Reason)
	}
	// Output:
	// toolu_bdrk_1 tint {"rgb":9}
	// provider-error: throttlingException: too many tokens (frame 6, byte 1159)
	// toolu_bdrk_2 tint failed: provider-error
}
