package gemini_test

import (
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/provider/gemini"
)

func Example() {
	body := strings.NewReader("data: {\"candidates\":[{\"content\":{\"parts\":[" +
		"{\"functionCall\":{\"name\":\"tide\",\"args\":{\"port\":\"Ost\"}}},{\"functionCall\":{\"name\":\"tide\",\"args\":{\"port\":\"Nes\"}}}" +
		"]},\"finishReason\":\"STOP\"}]}\r\n\r\n")
	turn := wholecall.NewTurn(body, gemini.GenerateContent)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.ID(), call.Name(), string(call.Arguments()), string(call.Extra()))
		}
	}
	fmt.Println(turn.Outcome(), turn.StopReason())
	// Output:
	// wholecall_1 tide {"port":"Ost"} {"generated_id":true}
	// wholecall_2 tide {"port":"Nes"} {"generated_id":true}
	// complete STOP
}

// Without "alt=sse" in its URL the server sends one JSON array, piece by piece.
func Example_array() {
	body := strings.NewReader("[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Low tide\"}]}}]}\n,\r\n" +
		"{\"candidates\":[{\"finishReason\":\"STOP\"}]}\n]")
	turn := wholecall.NewTurn(body, gemini.GenerateContent, wholecall.WithFraming(
		func(limit int) frame.Framer { return jsonarray.New(limit) }))
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if text, ok := part.(*wholecall.Text); ok {
			fmt.Printf("%s", text.Delta)
		}
	}
	fmt.Println(":", turn.Outcome())
	// Output: Low tide: complete
}

// Vertex AI streams the arguments of a call as patches. The document comes out whole.
func Example_patches() {
	part := func(s string) string {
		return "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":" + s + "}]}}]}\r\n\r\n"
	}
	body := strings.NewReader(part(`{"name":"plan","willContinue":true}`) +
		part(`{"partialArgs":[{"jsonPath":"$.stops[0].city","stringValue":"Lin","willContinue":true}],"willContinue":true}`) +
		part(`{"partialArgs":[{"jsonPath":"$.stops[0].city","stringValue":"z"},{"jsonPath":"$.stops[0].nights","numberValue":2}],"willContinue":true}`) +
		part(`{}`) +
		"data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\r\n\r\n")
	turn := wholecall.NewTurn(body, gemini.GenerateContent)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.Name(), string(call.Arguments()))
		}
	}
	// Output: plan {"stops":[{"city":"Linz","nights":2}]}
}

func Example_interactions() {
	event := func(name, rest string) string {
		return "event: " + name + "\ndata: {\"event_type\":\"" + name + "\"," + rest + "}\n\n"
	}
	body := strings.NewReader(event("interaction.created", `"interaction":{"id":"v1_x","status":"in_progress"}`) +
		event("step.start", `"index":0,"step":{"type":"function_call","id":"fc_7","name":"pay","arguments":{}}`) +
		event("step.delta", `"index":0,"delta":{"type":"arguments_delta","arguments":"{\"eur\""}`) +
		event("step.delta", `"index":0,"delta":{"type":"arguments_delta","arguments":":5}"}`) +
		event("step.stop", `"index":0`) +
		event("interaction.completed", `"interaction":{"id":"v1_x","status":"requires_action"}`) +
		"event: done\ndata: [DONE]\n\n")
	turn := wholecall.NewTurn(body, gemini.Interactions)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.ID(), call.Name(), string(call.Arguments()))
		}
	}
	// Output: fc_7 pay {"eur":5}
}
