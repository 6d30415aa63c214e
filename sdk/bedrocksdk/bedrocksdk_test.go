package bedrocksdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/mock/mocktest"
	"github.com/wholecall/wholecall/sdk/bedrocksdk"
)

func newClient(base string, hc *http.Client) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{Region: "us-east-1", BaseEndpoint: aws.String(base), HTTPClient: hc, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
		})})
}

func ask(text string) *bedrockruntime.ConverseStreamInput {
	return &bedrockruntime.ConverseStreamInput{ModelId: aws.String("mock-1"), Messages: []types.Message{{Role: types.ConversationRoleUser,
		Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: text}}}}}
}

func TestClient(t *testing.T) {
	mocktest.Run(t, func(ctx context.Context, base string, hc *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error) {
		in := ask("Look the orders up.")
		if err := bedrocksdk.UseTools(in, d); err != nil {
			return nil, err
		}
		return bedrocksdk.Loop(ctx, newClient(base, hc), in, d, loop.Options{})
	})
}

func Example() {
	srv := httptest.NewServer(support())
	defer srv.Close()
	ctx := context.Background()
	client := newClient(srv.URL, http.DefaultClient)

	search, _ := dispatch.NewTool("search_orders", "Finds the orders of a customer.",
		func(ctx context.Context, q struct {
			Customer, Status string
		}) (any, error) {
			return q.Customer + " has one order that is " + q.Status, nil
		})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	in := ask("Open and late orders of Ada?")
	bedrocksdk.UseTools(in, d)
	turn, err := bedrocksdk.Loop(ctx, client, in, d, loop.Options{Stop: func(t *loop.Turn) bool {
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
