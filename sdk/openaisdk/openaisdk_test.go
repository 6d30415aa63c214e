package openaisdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/mock/mocktest"
	"github.com/wholecall/wholecall/sdk/openaisdk"
)

func TestChat(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		client := openai.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey("none"), option.WithHTTPClient(hc), option.WithMaxRetries(0))
		params := &openai.ChatCompletionNewParams{Model: "mock-1", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Look the orders up.")}}
		if err := openaisdk.UseChatTools(params, d, true); err != nil {
			return nil, err
		}
		return openaisdk.ChatLoop(ctx, &client, params, d, loop.Options{})
	})
}

func TestResponses(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		client := openai.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey("none"), option.WithHTTPClient(hc), option.WithMaxRetries(0))
		params := &responses.ResponseNewParams{Model: "mock-1", Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt("Look the orders up.")}}
		if err := openaisdk.UseResponsesTools(params, d, true); err != nil {
			return nil, err
		}
		return openaisdk.ResponsesLoop(ctx, &client, params, d, loop.Options{})
	})
}

func ExampleChatLoop() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey("none"))

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	params := &openai.ChatCompletionNewParams{Model: "gpt-5.1",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Open and late orders of Ada?")}}
	openaisdk.UseChatTools(params, d, true)
	turn, err := openaisdk.ChatLoop(ctx, &client, params, d, loop.Options{Stop: func(t *loop.Turn) bool {
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

func ExampleResponsesLoop() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	client := openai.NewClient(option.WithBaseURL(srv.URL+"/v1"), option.WithAPIKey("none"))

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	params := &responses.ResponseNewParams{Model: "gpt-5.1",
		Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt("Open and late orders of Ada?")}}
	openaisdk.UseResponsesTools(params, d, true)
	turn, err := openaisdk.ResponsesLoop(ctx, &client, params, d, loop.Options{Stop: func(t *loop.Turn) bool {
		for _, r := range t.Results {
			fmt.Println(r.Content)
		}
		return false
	}})
	fmt.Println(turn.StopReason(), err)
	// Output:
	// Ada has one order that is open
	// Ada has one order that is late
	// completed <nil>
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
