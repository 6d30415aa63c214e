package bedrocksdk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/sdk/bedrocksdk"
)

type event struct{ kind, name, data string }

// play answers each request with the next stream, and keeps the bodies.
func play(t *testing.T, streams ...[]event) (string, *[]string) {
	t.Helper()
	var bodies []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		// The SDK (smithy-go v1.28.9, transport/http/client.go) closes the request's body once the response
		// has begun, and net/http drops the connection where it was just looking for that body's end.
		time.Sleep(2 * time.Millisecond)
		bodies = append(bodies, string(b))
		if len(bodies) > len(streams) {
			http.Error(w, "{}", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		for _, e := range streams[len(bodies)-1] {
			m, err := eventstream.Append(nil, &frame.Frame{ID: []byte(e.kind), Event: []byte(e.name), Data: []byte(e.data)})
			if err != nil {
				t.Error(err)
			}
			w.Write(m)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, &bodies
}

func said(deltas ...string) []event {
	evs := []event{{eventstream.Event, "messageStart", `{"role":"assistant"}`}}
	for _, d := range deltas {
		evs = append(evs, event{eventstream.Event, "contentBlockDelta", `{"contentBlockIndex":0,"delta":` + d + `}`})
	}
	return append(evs, event{eventstream.Event, "contentBlockStop", `{"contentBlockIndex":0}`},
		event{eventstream.Event, "messageStop", `{"stopReason":"end_turn"}`})
}

func called(input string) []event {
	return []event{{eventstream.Event, "messageStart", `{"role":"assistant"}`},
		{eventstream.Event, "contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"f"}}}`},
		{eventstream.Event, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":` + input + `}}}`},
		{eventstream.Event, "contentBlockStop", `{"contentBlockIndex":0}`},
		{eventstream.Event, "messageStop", `{"stopReason":"tool_use"}`}}
}

func one(t *testing.T) *dispatch.Dispatcher {
	t.Helper()
	d, err := dispatch.New(dispatch.Config{}, dispatch.Tool{Name: "f", Run: func(context.Context, wholecall.Call) (any, error) { return "x", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestNumbers: arguments go back with the digits that they came with.
func TestNumbers(t *testing.T) {
	url, bodies := play(t, called(`"{\"order\":12345678901234567890,\"price\":1.0}"`), said(`{"text":"x"}`))
	if _, err := bedrocksdk.Loop(t.Context(), newClient(url, http.DefaultClient), ask("?"), one(t), loop.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains((*bodies)[1], "12345678901234567890") || !strings.Contains((*bodies)[1], `1.0`) {
		t.Error((*bodies)[1])
	}
}

// TestDeltas: a citation is a part of a turn like any other.
func TestDeltas(t *testing.T) {
	url, _ := play(t, said(`{"text":"x"}`, `{"citation":{"title":"t","sourceContent":[{"text":"s"}]}}`))
	turn, err := loop.RunTurn(t.Context(), bedrocksdk.Conversation{Client: newClient(url, http.DefaultClient), Input: ask("?")}, one(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, p := range turn.Reply.Parts {
		if x, ok := p.(*wholecall.Text); ok && len(x.Annotations) == 1 && strings.Contains(string(x.Annotations[0]), `"s"`) {
			found = true
		}
	}
	if !found {
		t.Errorf("the citation is lost: %+v", turn.Reply.Parts)
	}
}

// TestUnknownEvents: an event that the SDK does not know is passed over, and counted.
func TestUnknownEvents(t *testing.T) {
	evs := append(said(`{"text":"x"}`), event{})
	copy(evs[2:], evs[1:])
	evs[1] = event{eventstream.Event, "eventOfTomorrow", `{"x":1}`}
	url, _ := play(t, evs)
	turn, err := loop.RunTurn(t.Context(), bedrocksdk.Conversation{Client: newClient(url, http.DefaultClient), Input: ask("?")}, one(t), nil)
	if err != nil || len(turn.Passed()) != 1 {
		t.Error(err, turn.Passed())
	}
}

// TestExceptions: the status that a model's own error came with is the error's code.
func TestExceptions(t *testing.T) {
	url, _ := play(t, []event{said()[0], {eventstream.Exception, "modelStreamErrorException", `{"message":"m","originalStatusCode":424,"originalMessage":"o"}`}})
	_, err := loop.RunTurn(t.Context(), bedrocksdk.Conversation{Client: newClient(url, http.DefaultClient), Input: ask("?")}, one(t), nil)
	var pe *wholecall.ProviderError
	if !errors.As(err, &pe) || pe.Type != "modelStreamErrorException" || pe.Code != "424" || pe.Message != "m" {
		t.Errorf("%v", err)
	}
}

// TestIdle: a stream that says nothing for too long is given up.
func TestIdle(t *testing.T) {
	hang := make(chan bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		time.Sleep(2 * time.Millisecond)
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		w.(http.Flusher).Flush()
		<-hang
	}))
	defer srv.Close()
	defer close(hang)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	out, err := newClient(srv.URL, http.DefaultClient).ConverseStream(ctx, ask("?"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.GetStream().Close()
	start := time.Now()
	turn := bedrocksdk.Turn(out.GetStream(), wholecall.WithLimits(wholecall.Limits{Idle: 50 * time.Millisecond}))
	if _, err := turn.Next(); !errors.Is(err, wholecall.TimedOut) || time.Since(start) > 3*time.Second {
		t.Errorf("%v, after %v", err, time.Since(start))
	}
}
