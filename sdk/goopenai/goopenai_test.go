package goopenai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/mock/mocktest"
	"github.com/wholecall/wholecall/sdk/goopenai"
)

func TestClient(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		config := openai.DefaultConfig("none")
		config.BaseURL, config.HTTPClient = base+"/v1", hc
		request := &openai.ChatCompletionRequest{Model: "mock-1", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "Look the orders up."}}}
		if err := goopenai.UseTools(request, d, true); err != nil {
			return nil, err
		}
		return goopenai.Loop(ctx, openai.NewClientWithConfig(config), request, d, loop.Options{})
	})
}

func Example() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	config := openai.DefaultConfig("none")
	config.BaseURL = srv.URL + "/v1"
	client := openai.NewClientWithConfig(config)

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	request := &openai.ChatCompletionRequest{Model: "gpt-5.1",
		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "Open and late orders of Ada?"}}}
	goopenai.UseTools(request, d, true)
	turn, err := goopenai.Loop(ctx, client, request, d, loop.Options{Stop: func(t *loop.Turn) bool {
		for _, r := range t.Results {
			fmt.Println(r.Content)
		}
		return false
	}})
	fmt.Println(turn.StopReason(), err)
	// Output:
	// Ada has one order that is open
	// Ada has one order that is late
	// stop <nil>
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
