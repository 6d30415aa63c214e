package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
)

type search struct {
	Customer string `json:"customer"`
	Status   string `json:"status,omitempty"`
}

// orders is the tool of these tests.
func orders(t *testing.T, run func(context.Context, search) (any, error)) dispatch.Tool {
	t.Helper()
	tool, err := dispatch.NewTool("search_orders", "Finds orders.", run, dispatch.Enum("status", "open", "late"))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func echo(_ context.Context, in search) (any, error) { return in.Customer, nil }

// call is a call in a stream: its id, and its arguments.
type call struct{ id, name, args string }

// stream writes a turn of Messages.
func stream(id, stop string, calls ...call) string {
	var b strings.Builder
	event := func(typ, rest string) { fmt.Fprintf(&b, "event: %s\ndata: {\"type\":%q%s}\n\n", typ, typ, rest) }
	event("message_start", fmt.Sprintf(`,"message":{"id":%q,"type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null}`, id))
	for i, c := range calls {
		event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":%q,"name":%q,"input":{}}`, i, c.id, c.name))
		event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"input_json_delta","partial_json":%q}`, i, c.args))
		event("content_block_stop", fmt.Sprintf(`,"index":%d`, i))
	}
	if stop != "" {
		event("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null}`, stop))
		event("message_stop", "")
	}
	return b.String()
}

func turn(body string) *wholecall.Turn {
	return wholecall.NewTurn(strings.NewReader(body), anthropic.Messages)
}

func dispatcher(t *testing.T, c dispatch.Config, tools ...dispatch.Tool) *dispatch.Dispatcher {
	t.Helper()
	d, err := dispatch.New(c, tools...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var both = []call{{"a", "search_orders", `{"customer":"Ada"}`}, {"b", "search_orders", `{"customer":"Grace"}`}}

func TestResultsAreBoundToTheirCalls(t *testing.T) {
	// The second call is done before the first.
	second := make(chan struct{})
	tool := orders(t, func(_ context.Context, in search) (any, error) {
		if in.Customer == "Grace" {
			close(second)
		} else {
			<-second
		}
		return in, nil
	})
	for _, policy := range []dispatch.Policy{dispatch.WholeTurn, dispatch.Eager} {
		second = make(chan struct{})
		got, err := dispatcher(t, dispatch.Config{Policy: policy}, tool).Turn(t.Context(), turn(stream("m1", "tool_use", both...)), nil)
		if err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		for i, want := range both {
			if r := got[i]; r.ID != want.id || r.Content != want.args || r.Failed || !r.Ran || r.Place != i {
				t.Errorf("result %d is %+v", i, r)
			}
		}
	}
}

func TestWhatCantRunTellsTheModel(t *testing.T) {
	tool := orders(t, func(ctx context.Context, in search) (any, error) {
		switch in.Customer {
		case "panic":
			panic("a secret")
		case "slow":
			<-ctx.Done()
			return nil, ctx.Err()
		case "nobody":
			return nil, errors.New("no such customer")
		}
		return make(chan int), nil
	})
	d := dispatcher(t, dispatch.Config{Timeout: 10 * time.Millisecond}, tool)
	for _, c := range []struct {
		name string
		call
		content string
		ran     bool
		err     any
	}{
		{"unknown", call{"a", "lookup", `{}`}, `error: there is no tool "lookup"; there is search_orders`, false, new(*dispatch.UnknownToolError)},
		{"no member", call{"a", "search_orders", `{}`}, "error: the arguments of search_orders do not satisfy its schema", false, new(*dispatch.ArgumentsError)},
		{"another member", call{"a", "search_orders", `{"customer":"x","Status":"open"}`}, "error: the arguments of search_orders do not satisfy its schema", false, new(*dispatch.ArgumentsError)},
		{"not in the list", call{"a", "search_orders", `{"customer":"x","status":"lost"}`}, "error: the arguments of search_orders do not satisfy its schema", false, new(*dispatch.ArgumentsError)},
		{"another type", call{"a", "search_orders", `{"customer":7}`}, "error: the arguments of search_orders do not satisfy its schema", false, new(*dispatch.ArgumentsError)},
		{"its own error", call{"a", "search_orders", `{"customer":"nobody"}`}, "error: no such customer", true, nil},
		{"panic", call{"a", "search_orders", `{"customer":"panic"}`}, "error: the tool failed", true, new(*dispatch.PanicError)},
		{"time limit", call{"a", "search_orders", `{"customer":"slow"}`}, "error: the tool took too long", true, nil},
		{"no JSON", call{"a", "search_orders", `{"customer":"chan"}`}, "error: what the tool returned can't be written as JSON", true, nil},
	} {
		got, err := d.Turn(t.Context(), turn(stream("m-"+c.name, "tool_use", c.call)), nil)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v %v", c.name, got, err)
		}
		r := got[0]
		if r.ID != "a" || !r.Failed || r.Err == nil || r.Ran != c.ran || !strings.HasPrefix(r.Content, c.content) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if c.err != nil && !errors.As(r.Err, c.err) {
			t.Errorf("%s: the error is a %T", c.name, r.Err)
		}
	}
}

// TestCallsThatFailedAreAnswered: the next request needs a result for each call that was announced.
func TestCallsThatFailedAreAnswered(t *testing.T) {
	body := stream("m1", "tool_use", call{"a", "search_orders", `{"customer":"Ada"`}, both[1])
	got, err := dispatcher(t, dispatch.Config{}, orders(t, echo)).Turn(t.Context(), turn(body), nil)
	var ie *wholecall.IncompleteError
	if !errors.As(err, &ie) || len(got) != 2 {
		t.Fatal(got, err)
	}
	if got[0].ID != "a" || !got[0].Failed || got[0].Ran || got[1].ID != "b" || got[1].Content != "Grace" {
		t.Errorf("%+v", got)
	}
}

// gate hands out a body up to a mark, and the rest once it may.
type gate struct {
	before, behind io.Reader
	open           chan struct{}
}

func (g *gate) Read(p []byte) (int, error) {
	if n, err := g.before.Read(p); err != io.EOF {
		return n, err
	}
	<-g.open
	return g.behind.Read(p)
}

func gated(body, mark string) *gate {
	i := strings.Index(body, mark)
	return &gate{strings.NewReader(body[:i]), strings.NewReader(body[i:]), make(chan struct{})}
}

// TestEagerRunsWhileTheModelGoesOn: the first call ends before the rest of the turn is there.
func TestEagerRunsWhileTheModelGoesOn(t *testing.T) {
	g := gated(stream("m1", "tool_use", both...), `event: content_block_start`+"\n"+`data: {"type":"content_block_start","index":1`)
	var ran atomic.Int32
	tool := orders(t, func(_ context.Context, in search) (any, error) {
		if ran.Add(1) == 1 {
			close(g.open)
		}
		return in.Customer, nil
	})
	got, err := dispatcher(t, dispatch.Config{Policy: dispatch.Eager}, tool).Turn(t.Context(), wholecall.NewTurn(g, anthropic.Messages), nil)
	if err != nil || len(got) != 2 || ran.Load() != 2 {
		t.Error(got, err, ran.Load())
	}
}

// TestAFailedTurn: with WholeTurn nothing runs, with Eager what runs is cancelled, and reported.
func TestAFailedTurn(t *testing.T) {
	body := stream("m1", "", both[0]) + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n"
	for _, policy := range []dispatch.Policy{dispatch.WholeTurn, dispatch.Eager} {
		g := gated(body, "event: error")
		tool := orders(t, func(ctx context.Context, _ search) (any, error) {
			close(g.open)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		if policy == dispatch.WholeTurn {
			close(g.open)
		}
		got, err := dispatcher(t, dispatch.Config{Policy: policy}, tool).Turn(t.Context(), wholecall.NewTurn(g, anthropic.Messages), nil)
		var pe *wholecall.ProviderError
		if !errors.As(err, &pe) || len(got) != 1 || !got[0].Failed || got[0].Ran != (policy == dispatch.Eager) {
			t.Errorf("policy %d: %+v, %v", policy, got, err)
		}
	}
}

// TestNoCallRunsTwice: a stream that is read again gives the results that it gave before.
func TestNoCallRunsTwice(t *testing.T) {
	var ran atomic.Int32
	tool := orders(t, func(_ context.Context, in search) (any, error) {
		ran.Add(1)
		return in.Customer, nil
	})
	d := dispatcher(t, dispatch.Config{}, tool)
	body := stream("m1", "tool_use", both...)
	for round := range 3 {
		got, err := d.Turn(t.Context(), turn(body), nil)
		if err != nil || len(got) != 2 || got[0].Content != "Ada" || got[1].Content != "Grace" || got[0].Again != (round > 0) {
			t.Errorf("round %d: %+v %v", round, got, err)
		}
	}
	if ran.Load() != 2 {
		t.Errorf("%d runs of two calls", ran.Load())
	}
	// Another turn may count its ids from the beginning.
	if got, _ := d.Turn(t.Context(), turn(stream("m2", "tool_use", both...)), nil); len(got) != 2 || got[0].Again {
		t.Errorf("%+v", got)
	}
	if ran.Load() != 4 {
		t.Errorf("%d runs of four calls", ran.Load())
	}
}

func TestAPartThatIsRefusedEndsTheTurn(t *testing.T) {
	no := errors.New("no")
	got, err := dispatcher(t, dispatch.Config{}, orders(t, echo)).Turn(t.Context(), turn(stream("m1", "tool_use", both...)),
		func(p wholecall.Part) error {
			if p.Place() == 1 {
				return no
			}
			return nil
		})
	if !errors.Is(err, no) || len(got) != 1 || got[0].Ran {
		t.Error(got, err)
	}
}

func TestLimit(t *testing.T) {
	var now, most atomic.Int32
	tool := orders(t, func(context.Context, search) (any, error) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return nil, nil
	})
	var calls []call
	for i := range 40 {
		calls = append(calls, call{fmt.Sprint("c", i), "search_orders", `{"customer":"x"}`})
	}
	if _, err := dispatcher(t, dispatch.Config{Limit: 3}, tool).Turn(t.Context(), turn(stream("m1", "tool_use", calls...)), nil); err != nil {
		t.Fatal(err)
	}
	if most.Load() > 3 {
		t.Errorf("%d ran side by side", most.Load())
	}
}

func TestToolsThatAreWrong(t *testing.T) {
	ok := orders(t, echo)
	for name, tools := range map[string][]dispatch.Tool{
		"two of one name": {ok, ok},
		"no name":         {{Run: ok.Run}},
		"no function":     {{Name: "x"}},
		"no schema":       {{Name: "x", Schema: []byte(`{"type":7}`), Run: ok.Run}},
	} {
		if _, err := dispatch.New(dispatch.Config{}, tools...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := dispatch.NewTool("x", "", func(context.Context, struct{ F func() }) (any, error) { return nil, nil }); err == nil {
		t.Error("a function has a schema")
	}
	if _, err := dispatch.NewTool("x", "", echo, dispatch.Enum("colour", "red")); err == nil {
		t.Error("an enumeration of a member that is not there")
	}
}

func TestMemoryForgetsTheOldest(t *testing.T) {
	m := dispatch.Memory{Limit: 2}
	id := func(i int) dispatch.CallID { return dispatch.CallID{Turn: "t", Call: fmt.Sprint(i)} }
	for i := range 4 {
		if r, err := m.Claim(t.Context(), id(i)); r != nil || err != nil {
			t.Fatal(r, err)
		}
		if i != 1 {
			m.Done(t.Context(), id(i), dispatch.Result{Place: i})
		}
	}
	if _, err := m.Claim(t.Context(), id(1)); !errors.Is(err, dispatch.ErrRunning) {
		t.Errorf("a call that has not ended was forgotten: %v", err)
	}
	if r, _ := m.Claim(t.Context(), id(3)); r == nil || r.Place != 3 {
		t.Errorf("the newest is %v", r)
	}
	if r, err := m.Claim(t.Context(), id(0)); r != nil || err != nil {
		t.Errorf("the oldest was remembered: %v %v", r, err)
	}
}

// TestManyConversations: of a thousand conversations that run at once, and use the same ids and indexes,
// each call runs exactly once, with the arguments of its own conversation.
func TestManyConversations(t *testing.T) {
	const conversations, turns = 1000, 3
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	ran := map[string]int{}
	tool := orders(t, func(_ context.Context, in search) (any, error) {
		mu.Lock()
		ran[in.Customer]++
		mu.Unlock()
		return in.Customer, nil
	})
	d := dispatcher(t, dispatch.Config{Policy: dispatch.Eager, Limit: 64}, tool)
	var wg sync.WaitGroup
	for n := range conversations {
		wg.Go(func() {
			for k := range turns {
				var calls []call
				for c := range 2 {
					calls = append(calls, call{fmt.Sprint("call_", c), "search_orders", fmt.Sprintf(`{"customer":"%d/%d/%d"}`, n, k, c)})
				}
				body := stream(fmt.Sprintf("m%d-%d", n, k), "tool_use", calls...)
				got, err := d.Turn(t.Context(), wholecall.NewTurn(&trickle{s: body}, anthropic.Messages), nil)
				if err != nil || len(got) != 2 {
					t.Errorf("conversation %d: %v %v", n, got, err)
					return
				}
				for c, r := range got {
					if want := fmt.Sprintf("%d/%d/%d", n, k, c); r.Content != want {
						t.Errorf("conversation %d got %s, want %s", n, r.Content, want)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(ran) != conversations*turns*2 {
		t.Errorf("%d different calls ran", len(ran))
	}
	for c, n := range ran {
		if n != 1 {
			t.Errorf("call %s ran %d times", c, n)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left", runtime.NumGoroutine()-before)
}

// trickle hands out a few bytes at a time, and lets others run between them.
type trickle struct{ s string }

func (r *trickle) Read(p []byte) (int, error) {
	if r.s == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 61)], r.s)
	r.s = r.s[n:]
	runtime.Gosched()
	return n, nil
}

// TestNoEndOfItsOwn: where a call ends with the model's stop, Eager runs it then.
func TestNoEndOfItsOwn(t *testing.T) {
	body := `data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"search_orders","arguments":"{\"customer\":\"Ada\"}"}}]},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	got, err := dispatcher(t, dispatch.Config{Policy: dispatch.Eager}, orders(t, echo)).
		Turn(t.Context(), wholecall.NewTurn(strings.NewReader(body), openai.Chat), nil)
	if err != nil || len(got) != 1 || got[0].Content != "Ada" {
		t.Error(got, err)
	}
}
