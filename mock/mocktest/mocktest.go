// Package mocktest runs a client that is built on this project against the mock provider, over a real
// socket, through the auditing transport, and holds what it did against what it should.
package mocktest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/audit/transport"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
)

// Loop runs a loop on a client of a vendor's SDK: base is the provider's URL, and the client must use the
// HTTP client that it gets. It returns what loop.Loop returns.
type Loop func(ctx context.Context, base string, client *http.Client, d *dispatch.Dispatcher) (*loop.Turn, error)

// Order is what the tool of the tests is called with.
type Order struct {
	Customer string `json:"customer"`
	Status   string `json:"status,omitempty"`
}

const (
	ada   = `{"customer":"Ada","status":"open"}`
	grace = `{"customer":"Grace","status":"late"}`
)

var both = []mock.Say{{Text: "I will look."}, {Call: "search_orders", Arguments: ada}, {Call: "search_orders", Arguments: grace}}

// Run runs the stories that every client must get right.
func Run(t *testing.T, l Loop) {
	t.Run("two calls", func(t *testing.T) {
		r := play(t, l, mock.Scenario{Name: "two calls", Turns: []mock.Turn{{Say: both}}})
		r.good(t, 2, "Ada", "Grace")
		if got := r.text(); got != "That is all." {
			t.Errorf("the last turn says %q", got)
		}
	})
	t.Run("interleaved", func(t *testing.T) {
		play(t, l, mock.Scenario{Name: "interleaved", Turns: []mock.Turn{{Say: both[1:], Interleave: true}}}).good(t, 2, "Ada", "Grace")
	})
	t.Run("three turns", func(t *testing.T) {
		r := play(t, l, mock.Scenario{Name: "three turns", Turns: []mock.Turn{{Say: both}, {Say: both[1:2]}, {Say: both[1:]}}})
		r.good(t, 4, "Ada", "Ada", "Ada", "Grace", "Grace")
	})
	t.Run("a call that is cut by the token limit", func(t *testing.T) {
		cut := mock.Say{Call: "search_orders", Arguments: `{"customer":"Gr`, Open: true}
		r := play(t, l, mock.Scenario{Name: "limit", Turns: []mock.Turn{{Say: []mock.Say{both[1], cut}, Stop: "limit"}}})
		if r.record.Problem != "" {
			t.Skip(r.record.Problem)
		}
		r.good(t, 2, "Ada")
	})
	t.Run("an error inside the stream", func(t *testing.T) {
		r := play(t, l, mock.Scenario{Name: "error", Turns: []mock.Turn{{Say: both[1:], Fault: &mock.Fault{Kind: mock.ErrorEvent, Call: 1}}}})
		if r.record.Problem != "" {
			t.Skip(r.record.Problem)
		}
		var pe *wholecall.ProviderError
		if !errors.As(r.err, &pe) || r.turn == nil || len(r.ran) != 0 {
			t.Errorf("%v, ran %v", r.err, r.ran)
		}
	})
	t.Run("a connection that breaks", func(t *testing.T) {
		r := play(t, l, mock.Scenario{Name: "cut", Turns: []mock.Turn{{Say: both[1:], Fault: &mock.Fault{Kind: mock.Cut, Call: 1}}}})
		if r.record.Problem != "" {
			t.Skip(r.record.Problem)
		}
		if r.err == nil || r.turn == nil || len(r.ran) != 0 || len(r.turn.Results) == 0 {
			t.Errorf("%v, ran %v, %+v", r.err, r.ran, r.turn)
		}
	})
	t.Run("a request that is refused", func(t *testing.T) {
		s := httptest.NewServer(mock.New(mock.Config{}))
		defer s.Close()
		d, err := dispatch.New(dispatch.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if turn, err := l(t.Context(), s.URL, http.DefaultClient, d); err == nil || turn != nil {
			t.Errorf("%v, %v", turn, err)
		}
	})
}

// run is what came of a story.
type run struct {
	turn   *loop.Turn
	err    error
	ran    []string
	record mock.Record
	found  []audit.Finding
	stats  transport.Stats
}

func play(t *testing.T, l Loop, sc mock.Scenario) *run {
	t.Helper()
	r := &run{}
	s := mock.New(mock.Config{})
	srv := httptest.NewServer(s)
	defer srv.Close()
	tr := transport.New(transport.Config{Base: &http.Transport{DisableKeepAlives: true}, Found: func(f audit.Finding) { r.found = append(r.found, f) }})
	names := make(chan string, 100)
	tool, err := dispatch.NewTool("search_orders", "Finds orders.", func(_ context.Context, o Order) (any, error) {
		names <- o.Customer
		return o.Customer + " has one", nil
	}, dispatch.Enum("status", "open", "late"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := dispatch.New(dispatch.Config{}, tool)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	name := s.Begin(sc)
	r.turn, r.err = l(ctx, srv.URL+"/r/"+name, &http.Client{Transport: tr}, d)
	tr.Close()
	close(names)
	for n := range names {
		r.ran = append(r.ran, n)
	}
	slices.Sort(r.ran)
	r.record, r.stats = s.Record(name), tr.Stats()
	return r
}

// good checks that nothing went wrong: what ran, how many requests there were, and that neither the provider
// nor the transport found anything.
func (r *run) good(t *testing.T, requests int, ran ...string) {
	t.Helper()
	slices.Sort(ran)
	if r.err != nil || !slices.Equal(r.ran, ran) || r.record.Requests != requests {
		t.Errorf("%v, ran %v, want %v, %d requests, want %d; %s", r.err, r.ran, ran, r.record.Requests, requests, r.record.Problem)
	}
	if v := mock.Judge(&r.record, mock.Exit{}); v != mock.Kept || len(r.found) > 0 {
		t.Errorf("%s, %v, %v", v, r.record.Findings, r.found)
	}
	if r.stats.Turns != int64(requests) || r.stats.Echoed != int64(requests-1) {
		t.Errorf("the transport saw %+v", r.stats)
	}
}

func (r *run) text() string {
	var b strings.Builder
	for _, p := range r.turn.Reply.Parts {
		if p, ok := p.(*wholecall.Text); ok {
			b.Write(p.Delta)
		}
	}
	return b.String()
}
