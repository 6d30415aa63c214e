package mock_test

import (
	"bufio"
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
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/provider"
)

// scenarios reads those of the conformance module.
func scenarios(t testing.TB) []mock.Scenario {
	t.Helper()
	const dir = "../conformance/scenarios"
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the scenarios are in a module of their own, and not beside this one")
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []mock.Scenario
	for _, e := range entries {
		b, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		s, err := mock.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// paths are where each protocol is spoken.
var paths = map[string]string{
	"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses",
	"gemini": "/v1beta/models/mock:streamGenerateContent", "bedrock": "/model/mock/converse-stream",
	"cohere": "/v2/chat", "mistral": "/mistral/v1/chat/completions", "ollama": "/api/chat",
}

// ours runs this project's own client, and returns how a program would have ended.
func ours(t *testing.T, base string, p wholecall.Echoer, conversations int, patience time.Duration) mock.Exit {
	t.Helper()
	tool := dispatch.Tool{Name: "search_orders", Run: func(context.Context, wholecall.Call) (any, error) { return "one order", nil }}
	d, err := dispatch.New(dispatch.Config{}, tool)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	failed := make(chan error, conversations)
	for n := range conversations {
		go func() {
			member := map[string]string{"openai-responses": "input", "gemini": "contents"}[p.Facts().Name]
			if member == "" {
				member = "messages"
			}
			first := fmt.Sprintf(`[{"role":"user","content":"question %d"}]`, n)
			if member == "contents" {
				first = fmt.Sprintf(`[{"role":"user","parts":[{"text":"question %d"}]}]`, n)
			}
			c := &httpturn.Conversation{URL: base + paths[p.Facts().Name], Protocol: p, Body: map[string]json.RawMessage{
				member: json.RawMessage(first), "stream": json.RawMessage("true")}}
			_, err := loop.Loop(ctx, c, d, loop.Options{})
			failed <- err
		}()
	}
	x := mock.Exit{}
	for range conversations {
		if <-failed != nil {
			x.Status = 1
		}
	}
	return x
}

// TestOurOwnClientLosesNothing: in every protocol and every scenario, and however the bytes come.
func TestOurOwnClientLosesNothing(t *testing.T) {
	played := map[string]int{}
	for _, sc := range scenarios(t) {
		if testing.Short() && sc.Name == "large-document" {
			continue
		}
		for name := range paths {
			p, _ := provider.Named(name)
			for _, chunking := range []mock.Chunking{mock.PerEvent, mock.Whole, mock.PerByte, mock.Random} {
				if chunking != mock.PerEvent && (testing.Short() || sc.Name == "large-document" || sc.Name == "sixty-four-calls" || sc.Name == "stall") {
					continue
				}
				s := mock.New(mock.Config{Seed: 7, Chunking: chunking})
				srv := httptest.NewServer(s)
				run := s.Begin(sc)
				patience := time.Minute
				if sc.Name == "stall" {
					patience = 100 * time.Millisecond
				}
				x := ours(t, srv.URL+"/r/"+run, p.(wholecall.Echoer), max(1, sc.Conversations), patience)
				srv.CloseClientConnections()
				srv.Close()
				r := s.Record(run)
				if r.Problem != "" {
					continue // the protocol can't say it
				}
				played[name]++
				if v := mock.Judge(&r, x); v != mock.Kept && v != mock.FailedLoudly || v == mock.FailedLoudly && len(sc.Expect) == 0 {
					t.Errorf("%s, %s, %s: %s %v", sc.Name, name, chunking, v, r.Findings)
				}
			}
		}
	}
	for name := range paths {
		if played[name] < 20 {
			t.Errorf("%s: only %d scenarios were played", name, played[name])
		}
	}
}

// nameKeyed is a client of Chat that keys its calls by the tool's name.
func nameKeyed(base string) error {
	messages := []any{map[string]any{"role": "user", "content": "?"}}
	for range 3 {
		body, _ := json.Marshal(map[string]any{"stream": true, "messages": messages})
		resp, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			return err
		}
		args, ids, name := map[string]string{}, map[string]string{}, ""
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			var c struct {
				Choices []struct {
					Delta struct {
						ToolCalls []struct {
							ID       string
							Function struct{ Name, Arguments string }
						} `json:"tool_calls"`
					}
				}
			}
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || json.Unmarshal([]byte(data), &c) != nil {
				continue
			}
			for _, ch := range c.Choices {
				for _, tc := range ch.Delta.ToolCalls {
					if tc.Function.Name != "" {
						name = tc.Function.Name
						ids[name] = tc.ID
					}
					args[name] += tc.Function.Arguments
				}
			}
		}
		resp.Body.Close()
		if len(ids) == 0 {
			return nil
		}
		var calls, results []any
		for name, id := range ids {
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": args[name]}})
			results = append(results, map[string]any{"role": "tool", "tool_call_id": id, "content": "one"})
		}
		messages = append(append(messages, map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}), results...)
	}
	return nil
}

func TestANameKeyedClientIsCaught(t *testing.T) {
	for _, sc := range scenarios(t) {
		want := map[string]mock.Verdict{"two-calls-back-to-back": mock.MergedCalls, "two-calls-interleaved": mock.AlteredCall, "one-call": mock.Kept, "no-call": mock.Kept}[sc.Name]
		if want == "" {
			continue
		}
		s := mock.New(mock.Config{})
		srv := httptest.NewServer(s)
		run := s.Begin(sc)
		err := nameKeyed(srv.URL + "/r/" + run)
		srv.Close()
		r := s.Record(run)
		if v := mock.Judge(&r, mock.Exit{}); err != nil || v != want {
			t.Errorf("%s: %s, want %s; %v %v", sc.Name, v, want, err, r.Findings)
		}
	}
}

// TestTheSameSeedPlaysTheSame: what is random hangs on the seed.
func TestTheSameSeedPlaysTheSame(t *testing.T) {
	get := func(seed uint64) string {
		s := mock.New(mock.Config{Seed: seed})
		s.Play(mock.Scenario{Name: "x", Turns: []mock.Turn{{Say: []mock.Say{{Call: "f", Arguments: "{}"}}}}})
		srv := httptest.NewServer(s)
		defer srv.Close()
		resp, err := http.Post(srv.URL+"/v1/messages", "application/json", strings.NewReader(`{"stream":true,"messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(err, resp.Status)
		}
		return string(b)
	}
	if again := get(1); get(1) != again || again == get(2) {
		t.Error("the seed does not decide")
	}
}

// TestWithoutAStream: a request that asks for no stream gets the same turn whole.
func TestWithoutAStream(t *testing.T) {
	for name, path := range map[string]string{"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses",
		"gemini": "/v1beta/models/m:generateContent", "bedrock": "/model/m/converse", "cohere": "/v2/chat", "mistral": "/mistral/v1/chat/completions", "ollama": "/api/chat"} {
		s := mock.New(mock.Config{})
		s.Play(mock.Scenario{Name: "x", Turns: []mock.Turn{{Say: []mock.Say{{Text: "I look."}, {Call: "search_orders", Arguments: `{"customer":"Ada"}`}}}}})
		srv := httptest.NewServer(s)
		resp, err := http.Post(srv.URL+path, "application/json", strings.NewReader(`{"stream":false,"messages":[],"contents":[],"input":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		srv.Close()
		if !json.Valid(b) || !strings.Contains(string(b), "search_orders") || !strings.Contains(string(b), "Ada") {
			t.Errorf("%s: %s", name, b)
		}
	}
}

func TestErrors(t *testing.T) {
	s := mock.New(mock.Config{})
	srv := httptest.NewServer(s)
	defer srv.Close()
	for path, want := range map[string]int{"/v1/messages": 404, "/r/9/v1/messages": 404} {
		resp, err := http.Post(srv.URL+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	for name, bad := range map[string]string{
		"no name": `{"turns":[{}]}`, "no turns": `{"name":"x"}`, "no JSON": `{`,
		"pieces": `{"name":"x","turns":[{"say":[{"call":"f","arguments":"{}","pieces":["{"]}]}]}`,
		"fault":  `{"name":"x","turns":[{"say":[{"call":"f"}],"fault":{"kind":"drop","call":1}}]}`,
		"stop":   `{"name":"x","turns":[{"say":[],"stop":"never"}]}`,
	} {
		if _, err := mock.Parse([]byte(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
