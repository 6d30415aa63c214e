// Command support is a support assistant. It asks a model about a customer's orders; the tool takes one status
// at a time, so that a model that wants two calls it twice in one turn. That is where clients lose one.
//
//	go run ./examples/support -sdk anthropic
//
// Without -url it talks to a provider of its own on a local port, whose model is a script. With -url it talks
// to a real one: the key is read from the environment as the SDK does it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
)

func main() {
	sdk := flag.String("sdk", "anthropic", strings.Join(names(), ", "))
	url := flag.String("url", "", "the provider; a local one where it is empty")
	model := flag.String("model", "mock-1", "the model")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *sdk, *url, *model); err != nil {
		fmt.Fprintln(os.Stderr, "support:", err)
		os.Exit(1)
	}
}

const question = "Which orders of Ada are open, and which are late?"

// order is what the tool takes. A status has one value.
type order struct {
	Customer string `json:"customer" jsonschema:"the customer's first name"`
	Status   string `json:"status" jsonschema:"the one status to look for"`
}

// searchOrders is the tool.
func searchOrders(_ context.Context, o order) (any, error) {
	if o.Customer != "Ada" {
		return nil, fmt.Errorf("there is no customer %q", o.Customer)
	}
	return map[string]any{"status": o.Status, "orders": map[string][]int{"open": {7, 12}, "late": {3}}[o.Status]}, nil
}

func run(ctx context.Context, out io.Writer, sdk, url, model string) error {
	converse, ok := clients()[sdk]
	if !ok {
		return fmt.Errorf("there is no SDK %q; there is %s", sdk, strings.Join(names(), ", "))
	}
	if url == "" {
		srv := httptest.NewServer(script())
		defer srv.Close()
		url = srv.URL
	}
	search, err := dispatch.NewTool("search_orders", "Finds the orders of a customer that have one status.", searchOrders,
		dispatch.Enum("status", "open", "late"))
	if err != nil {
		return err
	}
	d, err := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "you:  ", question)
	turn, err := converse(ctx, url, model, d, loop.Options{
		Each: func(p wholecall.Part) error {
			if c, ok := p.(wholecall.Call); ok {
				fmt.Fprintf(out, "call:  %s %s\n", c.Name(), c.Arguments())
			}
			return nil
		},
		Stop: func(t *loop.Turn) bool {
			for _, r := range t.Results {
				fmt.Fprintf(out, "result: %s\n", r.Content)
			}
			return false
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "model:", said(turn))
	return nil
}

func said(t *loop.Turn) string {
	var b strings.Builder
	for _, p := range t.Reply.Parts {
		if p, ok := p.(*wholecall.Text); ok && p.Kind() == wholecall.TextPart {
			b.Write(p.Delta)
		}
	}
	return b.String()
}

// script is a provider whose model calls the tool twice in one turn, and then says what it got.
func script() *mock.Server {
	s := mock.New(mock.Config{})
	s.Play(mock.Scenario{Name: "support", Turns: []mock.Turn{
		{Say: []mock.Say{
			{Text: "I will look for both."},
			{Call: "search_orders", Arguments: `{"customer":"Ada","status":"open"}`},
			{Call: "search_orders", Arguments: `{"customer":"Ada","status":"late"}`},
		}, Interleave: true},
		{Say: []mock.Say{{Text: "Orders 7 and 12 are open, and order 3 is late."}}},
	}})
	return s
}

func names() []string {
	var list []string
	for name := range clients() {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
