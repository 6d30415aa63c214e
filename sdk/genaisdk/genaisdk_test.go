package genaisdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/genai"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/mock/mocktest"
	"github.com/wholecall/wholecall/sdk/genaisdk"
)

func newClient(ctx context.Context, base string, hc *http.Client) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPClient: hc,
		HTTPOptions: genai.HTTPOptions{BaseURL: base}})
}

func TestClient(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		client, err := newClient(ctx, base, hc)
		if err != nil {
			return nil, err
		}
		request := &genaisdk.Request{Model: "mock-1", Contents: genai.Text("Look the orders up.")}
		if err := genaisdk.UseTools(request, d); err != nil {
			return nil, err
		}
		return genaisdk.Loop(ctx, client, request, d, loop.Options{})
	})
}

func Example() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	client, _ := newClient(ctx, srv.URL, http.DefaultClient)

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	request := &genaisdk.Request{Model: "gemini-3-pro", Contents: genai.Text("Open and late orders of Ada?")}
	genaisdk.UseTools(request, d)
	turn, err := genaisdk.Loop(ctx, client, request, d, loop.Options{Stop: func(t *loop.Turn) bool {
		for _, r := range t.Results {
			fmt.Println(r.Content)
		}
		return false
	}})
	fmt.Println(turn.StopReason(), err)
	// Output:
	// Ada has one order that is open
	// Ada has one order that is late
	// STOP <nil>
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
