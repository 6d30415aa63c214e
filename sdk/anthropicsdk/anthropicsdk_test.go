package anthropicsdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/mock/mocktest"
	"github.com/wholecall/wholecall/sdk/anthropicsdk"
)

func TestClient(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		client := anthropic.NewClient(option.WithBaseURL(base), option.WithAPIKey("none"), option.WithHTTPClient(hc), option.WithMaxRetries(0))
		params := &anthropic.MessageNewParams{Model: "mock-1", MaxTokens: 1024,
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Look the orders up."))}}
		if err := anthropicsdk.UseTools(params, d, true); err != nil {
			return nil, err
		}
		return anthropicsdk.Loop(ctx, &client, params, d, loop.Options{})
	})
}

func Example() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"))

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	params := &anthropic.MessageNewParams{Model: "claude-sonnet-4-5", MaxTokens: 1024,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Open and late orders of Ada?"))}}
	anthropicsdk.UseTools(params, d, true)
	turn, err := anthropicsdk.Loop(ctx, &client, params, d, loop.Options{Stop: func(t *loop.Turn) bool {
		for _, r := range t.Results {
			fmt.Println(r.Content)
		}
		return false
	}})
	fmt.Println(turn.StopReason(), err)
	// Output:
	// Ada has one order that is open
	// Ada has one order that is late
	// end_turn <nil>
}

// support is a provider whose model looks up orders of two statuses: the tool takes one at a time.
func support() http.Handler {
	s := mock.New(mock.Config{})
	s.Play(mock.Scenario{Name: "support", Turns: []mock.Turn{{Say: []mock.Say{
		{Call: "search_orders", Arguments: `{"Customer":"Ada","Status":"open"}`},
		{Call: "search_orders", Arguments: `{"Customer":"Ada","Status":"late"}`},
	}}}})
	return s
}
