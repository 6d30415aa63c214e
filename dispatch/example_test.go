package dispatch_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/provider/anthropic"
)

func ExampleDispatcher_Turn() {
	type query struct {
		Customer string `json:"customer" jsonschema:"the customer's name"`
		Status   string `json:"status"`
	}
	search, err := dispatch.NewTool("search_orders", "Finds a customer's orders of one status.",
		func(_ context.Context, q query) (any, error) {
			return fmt.Sprintf("%s has one order that is %s", q.Customer, q.Status), nil
		}, dispatch.Enum("status", "open", "late"))
	if err != nil {
		log.Fatal(err)
	}
	d, err := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	if err != nil {
		log.Fatal(err)
	}
	body, err := os.Open("../testdata/captures/two-calls.sse")
	if err != nil {
		log.Fatal(err)
	}
	defer body.Close()
	results, err := d.Turn(context.Background(), wholecall.NewTurn(body, anthropic.Messages), nil)
	for _, r := range results {
		fmt.Printf("%s: %s\n", r.ID, r.Content)
	}
	fmt.Println(err)
	// Output:
	// toolu_01KaQ7mWb2TzN5xYcV8dRs3P: Ada has one order that is open
	// toolu_01KbF4hJk9LpG6wZuX2tEq7M: Grace has one order that is late
	// <nil>
}
