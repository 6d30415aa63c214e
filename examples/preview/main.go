// Command preview shows the arguments of calls while they are written, as a front end would: the value so far,
// each time that something of it changed.
//
//	go run ./examples/preview -pace 40ms
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/preview"
	"github.com/wholecall/wholecall/provider/anthropic"
)

func main() {
	pace := flag.Duration("pace", 30*time.Millisecond, "the pause between two events")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *pace); err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, pace time.Duration) error {
	s := mock.New(mock.Config{Pace: pace})
	s.Play(mock.Scenario{Name: "letter", Turns: []mock.Turn{{Say: []mock.Say{
		{Call: "send_mail", Arguments: `{"to":"ada@example.com","subject":"Your order","body":"It left today.","copies":2}`},
		{Call: "close_ticket", Arguments: `{"ticket":1234,"solved":true}`},
	}, Interleave: true}}})
	srv := httptest.NewServer(s)
	defer srv.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/v1/messages", strings.NewReader(`{"stream":true,"messages":[]}`))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	turn, err := httpturn.New(resp, anthropic.Messages, wholecall.WithProgress())
	if err != nil {
		return err
	}
	var calls preview.Calls
	for part, err := range turn.Parts() {
		if err != nil {
			return err
		}
		switch p := part.(type) {
		case *wholecall.Progress:
			d := calls.Add(p)
			for c := range d.Changes() {
				fmt.Fprintf(out, "%-12s  %s\n", p.Name(), c)
			}
		case wholecall.Call:
			calls.End(p.Place())
			fmt.Fprintf(out, "%-12s  whole: %s\n", p.Name(), json.RawMessage(p.Arguments()))
		}
	}
	return nil
}
