package genaisdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/genai"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/sdk/genaisdk"
)

// play answers each request with the next of the chunks of a stream, one event a chunk, and keeps the bodies.
func play(t *testing.T, streams ...[]string) (*genai.Client, *[]string) {
	t.Helper()
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		if len(bodies) > len(streams) {
			http.Error(w, "no more", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, chunk := range streams[len(bodies)-1] {
			fmt.Fprintf(w, "data: %s\n\n", chunk)
		}
	}))
	t.Cleanup(srv.Close)
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "k", Backend: genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: srv.URL}})
	if err != nil {
		t.Fatal(err)
	}
	return c, &bodies
}

// chunk is one response with parts, and more members of its candidate.
func chunk(parts, more string) string {
	return `{"responseId":"r","candidates":[{"index":0,"content":{"role":"model","parts":[` + parts + `]}` + more + `}]}`
}

func counting(t *testing.T, run func(c wholecall.Call) (any, error)) *dispatch.Dispatcher {
	t.Helper()
	d, err := dispatch.New(dispatch.Config{Policy: dispatch.Eager}, dispatch.Tool{Name: "f",
		Run: func(_ context.Context, c wholecall.Call) (any, error) { return run(c) }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const stop = `,"finishReason":"STOP"`

// TestNumbers: no tool runs with a number that the SDK may have changed.
func TestNumbers(t *testing.T) {
	for number, sound := range map[string]bool{"9007199254740993": false, "9007199254740991": true, "-0.1": true} {
		client, _ := play(t, []string{chunk(`{"functionCall":{"name":"f","args":{"a":[`+number+`]}}}`, stop)}, []string{chunk(`{"text":"x"}`, stop)})
		var got []string
		_, err := genaisdk.Loop(t.Context(), client, &genaisdk.Request{Model: "m", Contents: genai.Text("?")},
			counting(t, func(c wholecall.Call) (any, error) { got = append(got, string(c.Arguments())); return "", nil }), loop.Options{})
		if (err == nil) != sound || sound && (len(got) != 1 || !strings.Contains(got[0], number)) || !sound && len(got) != 0 {
			t.Errorf("%s: %v, ran with %q", number, err, got)
		}
	}
}

// TestResultNumbers: a tool's result reaches the model with the digits that it has.
func TestResultNumbers(t *testing.T) {
	client, bodies := play(t, []string{chunk(`{"functionCall":{"name":"f","args":{}}}`, stop)}, []string{chunk(`{"text":"x"}`, stop)})
	_, err := genaisdk.Loop(t.Context(), client, &genaisdk.Request{Model: "m", Contents: genai.Text("?")},
		counting(t, func(wholecall.Call) (any, error) { return json.RawMessage(`{"order":9007199254740993}`), nil }), loop.Options{})
	if err != nil || !strings.Contains((*bodies)[1], "9007199254740993") {
		t.Error(err, (*bodies)[1])
	}
}

// TestContinuation: a stream that is cut behind a checkpoint is not gone on with by the SDK, which would
// repeat a call that has run.
func TestContinuation(t *testing.T) {
	call := chunk(`{"functionCall":{"name":"f","args":{}}}`, "")
	client, _ := play(t, []string{chunk(`{"text":"a"}`, `,"continuationToken":"dG9r"`), call}, []string{call, chunk("", stop)})
	runs := 0
	loop.RunTurn(t.Context(), genaisdk.Conversation{Client: client, Request: &genaisdk.Request{Model: "m", Contents: genai.Text("?")}},
		counting(t, func(wholecall.Call) (any, error) { runs++; return "", nil }), nil)
	if runs > 1 {
		t.Errorf("one call of the model ran %d times", runs)
	}
}
