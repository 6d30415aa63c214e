package preview_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
	"github.com/wholecall/wholecall/provider/anthropic"
)

// open opens one of the captures that the examples read. A program reads resp.Body instead.
func open(name string) *os.File {
	f, err := os.Open("../testdata/captures/" + name)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// What there is of a call is shown while the model writes it. It is run when it is whole.
func Example() {
	body := open("two-calls.sse")
	defer body.Close()

	turn := wholecall.NewTurn(body, anthropic.Messages, wholecall.WithProgress())
	var shows preview.Calls
	for part, err := range turn.Parts() {
		if err != nil {
			log.Fatal(err)
		}
		switch p := part.(type) {
		case *wholecall.Progress: // for eyes only
			fmt.Println("…", p.Name(), shows.Add(p).Value())
		case wholecall.Call: // whole, and once
			shows.End(p.Place())
			fmt.Println("→", p.Name(), string(p.Arguments()))
		}
	}
	// Output:
	// … search_orders …
	// … search_orders {customer: "Ad…
	// … search_orders {customer: "Ada", status: "open"}
	// → search_orders {"customer": "Ada", "status": "open"}
	// … search_orders …
	// … search_orders {customer: "Grace"…
	// … search_orders {customer: "Grace", status: "late"}
	// → search_orders {"customer": "Grace", "status": "late"}
}

// A string is written to the screen as it grows, each of its characters once. The escape that the stream
// cuts in two is shown when it is whole.
func ExampleDocument_Changes() {
	body := open("split-escape.sse")
	defer body.Close()

	turn := wholecall.NewTurn(body, anthropic.Messages, wholecall.WithProgress())
	var shows preview.Calls
	for part, err := range turn.Parts() {
		if err != nil {
			log.Fatal(err)
		}
		if p, ok := part.(*wholecall.Progress); ok {
			for c := range shows.Add(p).Changes() {
				if c.What == preview.Grew && c.Pointer() == "/note" {
					fmt.Printf("%q\n", c.Text)
				}
			}
		}
	}
	// Output:
	// "say "
	// "\"hi\""
}

// A value is found by its path, as soon as it is there.
func ExampleValue_Get() {
	var doc preview.Document
	doc.Add([]byte(`{"to": ["ada@example.com", "gra`))
	if v, ok := doc.Value().Get("to", "1"); ok {
		fmt.Println(v.Pointer(), v.Kind(), v.Text(), v.Whole())
	}
	doc.Add([]byte(`ce@example.com"], "order": 12`))
	order, _ := doc.Value().Get("order")
	fmt.Println(order.Kind(), order) // 12 may still become 1200
	doc.Add([]byte(`00}`))
	fmt.Println(order.Kind(), order)
	// Output:
	// /to/1 string gra false
	// pending …
	// number 1200
}

// TestReadme: what the README shows of a preview stands in the example, line by line.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Show a call while it is written\n")
	for fence, indent := range map[string]string{"```go\n": "\t", "```text\n": "\t// "} {
		_, block, _ := strings.Cut(section, fence)
		block, _, ok := strings.Cut(block, "\n```\n")
		if !ok || !strings.Contains(string(example), indent+strings.ReplaceAll(block, "\n", "\n"+indent)) {
			t.Errorf("this stands in the README, and not in the example:\n%s", block)
		}
	}
}
