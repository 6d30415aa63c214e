package openai_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/openai"
)

// One socket, two responses. The first is interrupted: its call is not whole, though its document is.
func ExampleRealtime() {
	socket := strings.NewReader(`{"type":"session.created","event_id":"e1","session":{}}
{"type":"response.created","event_id":"e2","response":{"id":"resp_1","status":"in_progress"}}
{"type":"response.output_item.added","event_id":"e3","response_id":"resp_1","output_index":0,"item":{"id":"item_1","type":"function_call","call_id":"call_1","name":"dial","arguments":""}}
{"type":"response.function_call_arguments.delta","event_id":"e4","response_id":"resp_1","item_id":"item_1","output_index":0,"call_id":"call_1","delta":"{\"n\":1}"}
{"type":"response.output_item.done","event_id":"e5","response_id":"resp_1","output_index":0,"item":{"id":"item_1","type":"function_call","call_id":"call_1","name":"dial","status":"incomplete","arguments":"{\"n\":1}"}}
{"type":"response.done","event_id":"e6","response":{"id":"resp_1","status":"cancelled","status_details":{"type":"cancelled","reason":"turn_detected"},"output":[]}}
{"type":"response.created","event_id":"e7","response":{"id":"resp_2","status":"in_progress"}}
{"type":"response.output_item.added","event_id":"e8","response_id":"resp_2","output_index":0,"item":{"id":"item_2","type":"function_call","call_id":"call_2","name":"dial","arguments":""}}
{"type":"response.function_call_arguments.delta","event_id":"e9","response_id":"resp_2","item_id":"item_2","output_index":0,"call_id":"call_2","delta":"{\"n\":12}"}
{"type":"response.output_item.done","event_id":"e10","response_id":"resp_2","output_index":0,"item":{"id":"item_2","type":"function_call","call_id":"call_2","name":"dial","status":"completed","arguments":"{\"n\":12}"}}
{"type":"response.done","event_id":"e11","response":{"id":"resp_2","status":"completed","output":[{"id":"item_2","type":"function_call","call_id":"call_2","name":"dial","status":"completed","arguments":"{\"n\":12}"}]}}
`)
	for turn := range wholecall.Turns(socket, openai.Realtime) {
		for part, err := range turn.Parts() {
			switch p := part.(type) {
			case wholecall.Call:
				fmt.Println(p.ID(), p.Name(), string(p.Arguments()))
			case wholecall.FailedCall:
				fmt.Println(p.ID(), p.Name(), p.Reason)
			}
			if err != nil {
				fmt.Println(turn.ID(), turn.Outcome())
			}
		}
	}
	// Output:
	// call_1 dial cancelled
	// resp_1 incomplete
	// call_2 dial {"n":12}
}
