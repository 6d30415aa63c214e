package httpturn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
)

// server plays bodies one after the other, and keeps the requests.
type server struct {
	*httptest.Server
	requests []map[string]json.RawMessage
}

func play(t *testing.T, contentType string, bodies ...string) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req map[string]json.RawMessage
		raw, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(raw, &req); err != nil {
			t.Errorf("the request is no JSON object: %v", err)
		}
		s.requests = append(s.requests, req)
		n := len(s.requests) - 1
		if n >= len(bodies) {
			http.Error(w, `{"error":"no more"}`, http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", contentType)
		for rest := bodies[n]; rest != ""; {
			k := min(len(rest), 50)
			io.WriteString(w, rest[:k])
			w.(http.Flusher).Flush()
			rest = rest[k:]
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func capture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../testdata/captures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

type query struct {
	Customer string `json:"customer"`
	Status   string `json:"status,omitempty"`
}

func orders(t *testing.T) *dispatch.Dispatcher {
	t.Helper()
	tool, err := dispatch.NewTool("search_orders", "Finds orders.", func(_ context.Context, q query) (any, error) {
		return q.Customer + " has one", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, tool)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const said = `event: message_start
data: {"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Both have one."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}}

event: message_stop
data: {"type":"message_stop"}

`

func conversation(url string) *httpturn.Conversation {
	return &httpturn.Conversation{URL: url + "/v1/messages", Protocol: anthropic.Messages,
		Header: http.Header{"X-Api-Key": {"k"}}, Body: map[string]json.RawMessage{
			"model": json.RawMessage(`"m"`), "stream": json.RawMessage("true"),
			"messages": json.RawMessage(`[{"role":"user","content":"Ada and Grace?"}]`)}}
}

func TestLoop(t *testing.T) {
	s := play(t, "text/event-stream", capture(t, "two-calls.sse"), said)
	d := orders(t)
	c := conversation(s.URL)
	if err := c.UseTools(loop.Specs(d), false); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	last, err := loop.Loop(t.Context(), c, d, loop.Options{Each: func(p wholecall.Part) error {
		if p, ok := p.(*wholecall.Text); ok {
			text.Write(p.Delta)
		}
		return nil
	}})
	if err != nil || last.StopReason() != "end_turn" || len(s.requests) != 2 {
		t.Fatal(err, last, len(s.requests))
	}
	if got := text.String(); got != "I will look up both customers.Both have one." {
		t.Errorf("the text is %q", got)
	}
	if got := string(s.requests[0]["tool_choice"]); got != `{"type":"auto","disable_parallel_tool_use":true}` {
		t.Errorf("tool_choice is %s", got)
	}
	want := `[{"role":"user","content":"Ada and Grace?"},` +
		`{"role":"assistant","content":[{"type":"text","text":"I will look up both customers."},` +
		`{"type":"tool_use","id":"toolu_01KaQ7mWb2TzN5xYcV8dRs3P","name":"search_orders","input":{"customer":"Ada","status":"open"}},` +
		`{"type":"tool_use","id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","name":"search_orders","input":{"customer":"Grace","status":"late"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01KaQ7mWb2TzN5xYcV8dRs3P","content":"Ada has one"},` +
		`{"type":"tool_result","tool_use_id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","content":"Grace has one"}]}]`
	if got := string(s.requests[1]["messages"]); got != want {
		t.Errorf("the second request says\n%s\nwant\n%s", got, want)
	}
}

// TestAbandonedTurn: a stream that is cut leaves a conversation as it was, and an echo that is valid.
func TestAbandonedTurn(t *testing.T) {
	s := play(t, "text/event-stream", capture(t, "cut-short.sse"))
	c := conversation(s.URL)
	last, err := loop.Loop(t.Context(), c, orders(t), loop.Options{})
	var ie *wholecall.IncompleteError
	if !errors.As(err, &ie) || last == nil {
		t.Fatal(err)
	}
	if got := string(c.Body["messages"]); got != `[{"role":"user","content":"Ada and Grace?"}]` {
		t.Errorf("the conversation is %s", got)
	}
	if len(last.Results) != 2 || !last.Results[1].Failed || last.Results[1].Ran {
		t.Errorf("%+v", last.Results)
	}
	if len(last.Echo.Messages) != 2 || strings.Count(string(last.Echo.Messages[1]), "tool_result\"") != 2 {
		t.Errorf("the echo is %s, %v", last.Echo.Messages, last.EchoErr)
	}
	if err := c.Add(last.Echo); err != nil || !json.Valid(c.Body["messages"]) {
		t.Error(err)
	}
}

// TestFailedCallsAreAnswered: a call with bad arguments gets an error result, and the loop goes on.
func TestFailedCallsAreAnswered(t *testing.T) {
	s := play(t, "text/event-stream", capture(t, "two-documents.sse"), said)
	_, err := loop.Loop(t.Context(), conversation(s.URL), orders(t), loop.Options{})
	if err != nil || len(s.requests) != 2 {
		t.Fatal(err, len(s.requests))
	}
	got := string(s.requests[1]["messages"])
	if !strings.Contains(got, `"tool_use_id":"toolu_01KaQ7mWb2TzN5xYcV8dRs3P","content":"error: the call was not run`) ||
		!strings.Contains(got, `"content":"Edith has one"`) {
		t.Errorf("the second request says %s", got)
	}
}

func TestLimits(t *testing.T) {
	s := play(t, "text/event-stream", capture(t, "two-calls.sse"), strings.ReplaceAll(capture(t, "two-calls.sse"), "toolu_01K", "toolu_02K"))
	if last, err := loop.Loop(t.Context(), conversation(s.URL), orders(t), loop.Options{MaxTurns: 2}); !errors.Is(err, loop.ErrTurnLimit) || len(last.Results) != 2 {
		t.Error(last, err)
	}
	s = play(t, "text/event-stream", capture(t, "two-calls.sse"))
	if last, err := loop.Loop(t.Context(), conversation(s.URL), orders(t), loop.Options{Stop: func(t *loop.Turn) bool { return len(t.Results) == 2 }}); err != nil || last == nil {
		t.Error(last, err)
	}
	var se *httpturn.StatusError
	if last, err := loop.Loop(t.Context(), conversation(s.URL), orders(t), loop.Options{}); !errors.As(err, &se) || last != nil || se.Code != 429 || !strings.Contains(string(se.Body), "no more") {
		t.Error(last, err)
	}
}

func TestCancelledWhileAToolRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tool, err := dispatch.NewTool("search_orders", "", func(ctx context.Context, _ query) (any, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dispatch.New(dispatch.Config{}, tool)
	if err != nil {
		t.Fatal(err)
	}
	s := play(t, "text/event-stream", capture(t, "two-calls.sse"), said)
	last, err := loop.Loop(ctx, conversation(s.URL), d, loop.Options{})
	if !errors.Is(err, context.Canceled) || last == nil || len(last.Results) != 2 {
		t.Error(last, err)
	}
}

func TestProtocol(t *testing.T) {
	for _, c := range []struct{ typ, path, want string }{
		{"text/event-stream; charset=utf-8", "/v1/messages", "anthropic"},
		{"text/event-stream", "/v1/chat/completions", "openai-chat"},
		{"text/event-stream", "/openai/v1/responses", "openai-responses"},
		{"text/event-stream", "/v1beta/models/g:streamGenerateContent", "gemini"},
		{"text/event-stream", "/v2/chat", "cohere"},
		{"application/x-ndjson", "/api/chat", "ollama"},
		{"application/vnd.amazon.eventstream", "/model/x/converse-stream", "bedrock"},
		{"application/vnd.amazon.eventstream", "/model/x/invoke-with-response-stream", "bedrock-invoke"},
		{"text/event-stream", "/events", ""},
		{"application/json", "/v1/messages", ""},
	} {
		req := httptest.NewRequest(http.MethodPost, "http://host"+c.path, nil)
		p, err := httpturn.Protocol(&http.Response{Request: req, Header: http.Header{"Content-Type": {c.typ}}})
		var ue *httpturn.UnknownProtocolError
		switch {
		case c.want == "":
			if !errors.As(err, &ue) {
				t.Errorf("%s %s: %v", c.typ, c.path, err)
			}
		case err != nil || p.Facts().Name != c.want:
			t.Errorf("%s %s: %v, %v", c.typ, c.path, p, err)
		}
	}
}

func ExampleConversation() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		body, _ := os.ReadFile("../testdata/captures/turn-1.sse")
		w.Write(body)
	}))
	defer srv.Close()
	search, _ := dispatch.NewTool("search_orders", "Finds orders.", func(_ context.Context, q query) (any, error) {
		return q.Customer + " has one order", nil
	})
	d, _ := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, search)
	c := &httpturn.Conversation{URL: srv.URL + "/v1/messages", Protocol: anthropic.Messages,
		Body: map[string]json.RawMessage{"messages": json.RawMessage(`[{"role":"user","content":"Ada?"}]`)}}
	turn, err := loop.RunTurn(context.Background(), c, d, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(turn.Results[0].Content)
	// Output: Ada has one order
}

func ExampleNew() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		body, _ := os.ReadFile("../testdata/captures/interleaved.sse")
		w.Write(body)
	}))
	defer srv.Close()
	resp, err := http.Post(srv.URL+"/v1/chat/completions", "application/json", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	turn, err := httpturn.New(resp, openai.Chat)
	if err != nil {
		fmt.Println(err)
		return
	}
	for part, err := range turn.Parts() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if call, ok := part.(wholecall.Call); ok {
			fmt.Println(call.Name(), string(call.Arguments()))
		}
	}
	// Output:
	// search_orders {"customer":"Ada"}
	// search_orders {"customer":"Grace"}
}
