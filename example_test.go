package wholecall_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
)

// open opens one of the captures that the examples read. A program reads resp.Body instead.
func open(name string) *os.File {
	f, err := os.Open("testdata/captures/" + name)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// show prints the calls of a turn, and what was wrong with it.
func show(turn *wholecall.Turn) {
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		switch p := part.(type) {
		case wholecall.Call:
			fmt.Printf("%s %s %s\n", p.ID(), p.Name(), p.Arguments())
		case wholecall.FailedCall:
			fmt.Printf("%s %s failed: %s\n", p.ID(), p.Name(), p.Reason)
		}
	}
}

// Two calls of one tool in one turn, one behind the other. An accumulator that keys by the tool's name
// makes one call of them.
func Example() {
	body := open("two-calls.sse")
	defer body.Close()

	turn := wholecall.NewTurn(body, anthropic.Messages)
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println("the turn is not complete:", err)
			return
		}
		switch p := part.(type) {
		case *wholecall.Text:
			fmt.Print(string(p.Delta)) // borrowed until the next part
			if p.Done {
				fmt.Println()
			}
		case wholecall.Call: // whole, and once
			fmt.Println(p.ID(), p.Name(), string(p.Arguments()))
		}
	}
	// Output:
	// I will look up both customers.
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders {"customer": "Ada", "status": "open"}
	// toolu_01KbF4hJk9LpG6wZuX2tEq7M search_orders {"customer": "Grace", "status": "late"}
}

// Two calls of one tool whose fragments alternate, both in one chunk. An accumulator that appends to
// "the current call" makes garbage of them.
func Example_interleaved() {
	body := open("interleaved.sse")
	defer body.Close()
	show(wholecall.NewTurn(body, openai.Chat))
	// Output:
	// call_aK3mT9vQ2xZ7cR5nW8pL1dYs search_orders {"customer":"Ada"}
	// call_bH6jF4gU0eS2kN9tX3qV7wMz search_orders {"customer":"Grace"}
}

// The same on OpenAI Responses, where every document stands four times on the wire. It is taken once,
// and the copies are compared.
func Example_responses() {
	body := open("responses.sse")
	defer body.Close()
	show(wholecall.NewTurn(body, openai.Responses))
	// Output:
	// call_aK3mT9vQ2xZ7cR5nW8pL1dYs search_orders {"customer":"Ada"}
	// call_bH6jF4gU0eS2kN9tX3qV7wMz search_orders {"customer":"Grace"}
}

// A fragment may end anywhere: inside a string, an escape, a unicode escape, a nested object, between
// a key and its colon. Nothing looks into a document before it is finished.
func Example_splits() {
	for _, where := range []string{"string", "escape", "unicode-escape", "nested-object", "key-and-colon"} {
		body := open("split-" + where + ".sse")
		turn := wholecall.NewTurn(body, anthropic.Messages)
		for part, err := range turn.Parts() {
			if err != nil {
				fmt.Println(err)
			}
			if call, ok := part.(wholecall.Call); ok {
				fmt.Printf("%-14s %s\n", where, call.Arguments())
			}
		}
		body.Close()
	}
	// Output:
	// string         {"customer": "Ada"}
	// escape         {"note": "say \"hi\""}
	// unicode-escape {"emoji": "\ud83d\ude00"}
	// nested-object  {"filter": {"status": "open", "since": {"year": 2026}}}
	// key-and-colon  {"customer": "Ada"}
}

// Two conversations at the same time, both announcing index 0. A turn belongs to one stream: there is
// nothing that they could share.
func Example_twoConversations() {
	var wg sync.WaitGroup
	calls := make([]wholecall.Call, 2)
	for i, who := range []string{"ada", "grace"} {
		wg.Go(func() {
			body := open("conversation-" + who + ".sse")
			defer body.Close()
			for part, err := range wholecall.NewTurn(body, anthropic.Messages).Parts() {
				if err != nil {
					log.Fatal(err)
				}
				if call, ok := part.(wholecall.Call); ok {
					calls[i] = call
				}
			}
		})
	}
	wg.Wait()
	for _, call := range calls {
		fmt.Println(call.Key(), call.ID(), string(call.Arguments()))
	}
	// Output:
	// 0 toolu_Ada {"customer": "Ada"}
	// 0 toolu_Grace {"customer": "Grace"}
}

// Turn two of an agent loop. Each turn is a new stream and a new Turn, so that nothing of turn one is
// left in it.
func Example_agentLoop() {
	for _, file := range []string{"turn-1.sse", "turn-2.sse"} {
		body := open(file)
		show(wholecall.NewTurn(body, anthropic.Messages))
		body.Close()
	}
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders {"customer": "Ada"}
	// toolu_01KbF4hJk9LpG6wZuX2tEq7M send_mail {"to": "ada@example.com", "order": 7}
}

// A replayed block is an error, and not a second call: the key stays known when its call has ended.
func Example_replayedBlock() {
	body := open("replayed-block.sse")
	defer body.Close()
	turn := wholecall.NewTurn(body, anthropic.Messages)
	show(turn)
	fmt.Println(errors.Is(turn.Err(), wholecall.DuplicateAnnouncement))
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders {"customer": "Ada", "status": "open"}
	// error: duplicate-announcement: a block starts at an index that already has one (frame 11, byte 1383, key 1, id toolu_01KaQ7mWb2TzN5xYcV8dRs3P, tool "search_orders")
	// true
}

// A call whose announcement was lost has no id and no name. Its fragments don't get a buffer.
func Example_lostAnnouncement() {
	body := open("lost-announcement.sse")
	defer body.Close()
	turn := wholecall.NewTurn(body, anthropic.Messages)
	show(turn)
	fmt.Println(errors.Is(turn.Err(), wholecall.Unannounced))
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders {"customer": "Ada", "status": "open"}
	// error: unannounced: a delta for a block that never started (frame 11, byte 1383, key 2)
	// true
}

// A stream that is cut short. The first call had its own end; the second fails, with a reason.
func Example_cutShort() {
	body := open("cut-short.sse")
	defer body.Close()
	turn := wholecall.NewTurn(body, anthropic.Messages)
	show(turn)
	var incomplete *wholecall.IncompleteError
	if errors.As(turn.Err(), &incomplete) {
		for _, call := range incomplete.Failed {
			fmt.Println("lost:", call.ID(), call.Name())
		}
	}
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders {"customer": "Ada", "status": "open"}
	// toolu_01KbF4hJk9LpG6wZuX2tEq7M search_orders failed: truncated
	// error: truncated: the stream ended before its own end (frame 14, byte 1850): 1 call failed: truncated: call 2 toolu_01KbF4hJk9LpG6wZuX2tEq7M "search_orders", 22 bytes of arguments
	// lost: toolu_01KbF4hJk9LpG6wZuX2tEq7M search_orders
}

// An argument error fails one call. Its siblings go on, and its id is kept: the model wants an answer
// for it.
func Example_argumentError() {
	body := open("two-documents.sse")
	defer body.Close()
	turn := wholecall.NewTurn(body, anthropic.Messages)
	show(turn)
	var ae *wholecall.ArgumentError
	if errors.As(turn.Err(), &ae) {
		fmt.Println(ae.Kind, "at byte", ae.At, "of the arguments of", ae.ID)
	}
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P search_orders failed: argument-error
	// toolu_01KbF4hJk9LpG6wZuX2tEq7M search_orders {"customer": "Edith"}
	// error: calls-failed: 1 call failed: trailing-data: call 0 toolu_01KaQ7mWb2TzN5xYcV8dRs3P "search_orders": byte 19 of its 40 bytes of arguments (frame 5, byte 734)
	// trailing-data at byte 19 of the arguments of toolu_01KaQ7mWb2TzN5xYcV8dRs3P
}

// A server that departs from its protocol is read in its dialect, which is named, and what it let
// through is counted. Without the dialect the error says which switch would have read it.
func ExampleWithDialect() {
	const stream = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"now","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	strict := wholecall.NewTurn(strings.NewReader(stream), openai.Chat)
	show(strict)

	databricks := wholecall.Dialect{Name: "databricks", Allows: []string{"empty-arguments"}}
	turn := wholecall.NewTurn(strings.NewReader(stream), openai.Chat, wholecall.WithDialect(databricks))
	show(turn)
	for _, d := range turn.Deviations() {
		fmt.Println("let through:", d.Name, d.Count)
	}
	// Output:
	// call_1 now failed: argument-error
	// error: calls-failed: 1 call failed: empty-document: call 0 call_1 "now": the call ended without arguments (frame 2, byte 218); a dialect with empty-arguments would read it
	// call_1 now {}
	// let through: empty-arguments 1
}

// Arguments decode strictly: a member that the struct has no field for is an error.
func ExampleCall_Decode() {
	body := open("turn-2.sse")
	defer body.Close()
	for part, err := range wholecall.NewTurn(body, anthropic.Messages).Parts() {
		if err != nil {
			log.Fatal(err)
		}
		call, ok := part.(wholecall.Call)
		if !ok {
			continue
		}
		var mail struct {
			To    string `json:"to"`
			Order int    `json:"order"`
		}
		if err := call.Decode(&mail); err != nil {
			log.Fatal(err)
		}
		fmt.Println(mail.To, mail.Order)

		var other struct {
			To string `json:"to"`
		}
		fmt.Println(call.Decode(&other))
	}
	// Output:
	// ada@example.com 7
	// call toolu_01KbF4hJk9LpG6wZuX2tEq7M of "send_mail": arguments: json: unknown field "order"
}

// An accumulator can be fed without a reader: it takes events, whoever makes them, and is drained.
func ExampleAccumulator() {
	acc := wholecall.NewAccumulator(wholecall.Limits{})
	for _, ev := range []wholecall.Event{
		{Kind: wholecall.Begin, ID: []byte("turn_1"), Name: []byte("model")},
		{Kind: wholecall.Announce, ID: []byte("call_1"), Name: []byte("add")},
		{Kind: wholecall.Fragment, Data: []byte(`{"a":1,`)},
		{Kind: wholecall.Fragment, Data: []byte(`"b":2}`)},
		{Kind: wholecall.End},
		{Kind: wholecall.Stop, Name: []byte("tool_use")},
		{Kind: wholecall.Terminal},
	} {
		if err := acc.Apply(&ev); err != nil {
			log.Fatal(err)
		}
	}
	acc.End("", nil)
	for {
		part, ok := acc.Next()
		if !ok {
			break
		}
		fmt.Println(part)
	}
	fmt.Println(acc.Outcome())
	// Output:
	// call 0 call_1 "add", 13 bytes of arguments
	// complete
}
