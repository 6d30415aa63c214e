package transport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/audit/transport"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
)

func capture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../testdata/captures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// provider answers each request with the next body, again from the first one behind the last.
func provider(t *testing.T, header http.Header, bodies ...string) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		mu.Lock()
		body := bodies[n%len(bodies)]
		n++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		for k, v := range header {
			w.Header()[k] = v
		}
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// listener is a Transport that remembers what it found.
type listener struct {
	*transport.Transport
	found []string
}

func listen(t *testing.T, c transport.Config) *listener {
	t.Helper()
	l := &listener{}
	c.Found = func(f audit.Finding) { l.found = append(l.found, string(f.Kind)+" "+f.ID) }
	l.Transport = transport.New(c)
	t.Cleanup(func() { l.Close() })
	return l
}

func (l *listener) post(t *testing.T, url, body string) {
	t.Helper()
	resp, err := (&http.Client{Transport: l}).Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
}

func (l *listener) want(t *testing.T, what string, want ...string) {
	t.Helper()
	l.Flush()
	if got := strings.Join(l.found, ", "); got != strings.Join(want, ", ") {
		t.Errorf("%s: found %q, want %q; %+v", what, got, want, l.Stats())
	}
	l.found = nil
}

const (
	ada   = "toolu_01KaQ7mWb2TzN5xYcV8dRs3P"
	grace = "toolu_01KbF4hJk9LpG6wZuX2tEq7M"
	user  = `{"role":"user","content":"Ada and Grace?"}`
)

func use(id, customer, status string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"search_orders","input":{"customer":%q,"status":%q}}`, id, customer, status)
}

func second(blocks string, ids ...string) string {
	var results []string
	for _, id := range ids {
		results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"one"}`, id))
	}
	return `{"messages":[` + user + `,{"role":"assistant","content":[` + blocks + `]},{"role":"user","content":[` + strings.Join(results, ",") + `]}]}`
}

func TestAGoodClientGivesNoFinding(t *testing.T) {
	turn := provider(t, nil, capture(t, "two-calls.sse"), capture(t, "turn-1.sse"))
	l := listen(t, transport.Config{})
	l.post(t, turn.URL+"/v1/messages", `{"messages":[`+user+`]}`)
	l.post(t, turn.URL+"/v1/messages", second(use(ada, "Ada", "open")+","+use(grace, "Grace", "late"), ada, grace))
	l.want(t, "good")
	if s := l.Stats(); s.Turns != 2 || s.Echoed != 1 {
		t.Errorf("%+v", s)
	}
}

func TestBadClientsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, second string
		want         []string
	}{
		{"keyed by name, the last wins", second(use(grace, "Grace", "late"), grace), []string{"lost " + ada}},
		{"keyed by name, one over the other", second(use(ada, "Grace", "late"), ada), []string{"merged " + ada}},
		{"no call at all", `{"messages":[` + user + `,{"role":"assistant","content":"I will look up both customers."},{"role":"user","content":"and?"}]}`,
			[]string{"lost " + ada, "lost " + grace}},
		{"ids of its own", second(use("c1", "Ada", "open")+","+use("c2", "Grace", "late"), "c1", "c2"),
			[]string{"lost " + ada, "lost " + grace, "invented c1", "invented c2"}},
	} {
		srv := provider(t, nil, capture(t, "two-calls.sse"), capture(t, "turn-2.sse"))
		l := listen(t, transport.Config{})
		l.post(t, srv.URL+"/v1/messages", `{"messages":[`+user+`]}`)
		l.post(t, srv.URL+"/v1/messages", c.second)
		l.want(t, c.name, c.want...)
		// What was said is not said again with each further request of the conversation.
		l.post(t, srv.URL+"/v1/messages", c.second)
		l.want(t, c.name+", again")
	}
}

func TestNoFalseAlarms(t *testing.T) {
	srv := provider(t, nil, capture(t, "two-calls.sse"))
	l := listen(t, transport.Config{})
	l.post(t, srv.URL+"/v1/messages", `{"messages":[`+user+`]}`)
	for name, request := range map[string]string{
		"the turn was dropped":                `{"messages":[` + user + `,{"role":"user","content":"never mind"}]}`,
		"another conversation":                `{"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"I will look up both customers."},{"role":"user","content":"and?"}]}`,
		"another answer to the same question": `{"messages":[` + user + `,{"role":"assistant","content":"I can't."},{"role":"user","content":"why?"}]}`,
		"another answer, with a call": `{"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"lookup","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"one"}]}]}`,
		"no JSON": `{`,
	} {
		l.post(t, srv.URL+"/v1/messages", request)
		l.want(t, name)
	}
}

// TestIDsThatAreNotUnique: two conversations have the same ids, and each its own arguments.
func TestIDsThatAreNotUnique(t *testing.T) {
	stream := func(customer string) string {
		return fmt.Sprintf(`data: {"id":"c%s","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"functions.search:0","type":"function","function":{"name":"search","arguments":"{\"customer\":\"%s\"}"}}]},"finish_reason":null}]}`+
			"\n\n"+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n", customer, customer)
	}
	srv := provider(t, nil, stream("Ada"), stream("Grace"), "data: [DONE]\n\n")
	l := listen(t, transport.Config{})
	ask := func(customer string) string { return `{"role":"user","content":"` + customer + `?"}` }
	echo := func(customer, args string) string {
		return `{"messages":[` + ask(customer) + `,{"role":"assistant","tool_calls":[{"id":"functions.search:0","type":"function","function":{"name":"search","arguments":"{\"customer\":\"` + args + `\"}"}}]},` +
			`{"role":"tool","tool_call_id":"functions.search:0","content":"one"}]}`
	}
	l.post(t, srv.URL+"/chat/completions", `{"messages":[`+ask("Ada")+`]}`)
	l.post(t, srv.URL+"/chat/completions", `{"messages":[`+ask("Grace")+`]}`)
	l.post(t, srv.URL+"/chat/completions", echo("Grace", "Grace"))
	l.want(t, "the second")
	l.post(t, srv.URL+"/chat/completions", echo("Ada", "Grace"))
	l.want(t, "the first, with the arguments of the second", "altered functions.search:0")
}

func TestResponses(t *testing.T) {
	srv := provider(t, nil, capture(t, "responses.sse"))
	l := listen(t, transport.Config{})
	l.post(t, srv.URL+"/v1/responses", `{"input":"?"}`)
	s := audit.Read(wholecall.NewTurn(strings.NewReader(capture(t, "responses.sse")), openai.Responses))
	l.post(t, srv.URL+"/v1/responses", fmt.Sprintf(`{"previous_response_id":%q,"input":[{"type":"function_call_output","call_id":%q,"output":"one"}]}`, s.Turn, s.Calls[0].ID))
	l.want(t, "one output of two", "lost "+s.Calls[1].ID)
}

func TestBodiesThatAreNoStream(t *testing.T) {
	for name, c := range map[string]struct{ path, response, second string }{
		"messages": {"/v1/messages", `{"id":"m","model":"x","content":[{"type":"tool_use","id":"call_abcdefgh","name":"f","input":{"n":1}}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"call_abcdefgh","name":"f","input":{"n":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_abcdefgh"}]}]}`},
		"chat": {"/v1/chat/completions", `{"id":"m","choices":[{"message":{"tool_calls":[{"id":"call_abcdefgh","function":{"name":"f","arguments":"{\"n\":1}"}}]}}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"call_abcdefgh","function":{"name":"f","arguments":"{\"n\":2}"}}]},{"role":"tool","tool_call_id":"call_abcdefgh","content":""}]}`},
		"responses": {"/v1/responses", `{"id":"m","output":[{"type":"function_call","call_id":"call_abcdefgh","name":"f","arguments":"{\"n\":1}"}]}`,
			`{"input":[{"type":"function_call","call_id":"call_abcdefgh","name":"f","arguments":"{\"n\":2}"},{"type":"function_call_output","call_id":"call_abcdefgh","output":""}]}`},
	} {
		srv := provider(t, http.Header{"Content-Type": {"application/json"}}, c.response)
		l := listen(t, transport.Config{})
		l.post(t, srv.URL+c.path, "{}")
		l.post(t, srv.URL+c.path, c.second)
		l.want(t, name, "altered call_abcdefgh")
	}
}

// TestNothingIsAltered: what passes is what was sent, packed or not, and the client's request is left as
// it was.
func TestNothingIsAltered(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, capture(t, "two-calls.sse"))
	z.Close()
	srv := provider(t, http.Header{"Content-Encoding": {"gzip"}}, packed.String())
	l := listen(t, transport.Config{})
	req, _ := http.NewRequest(http.MethodPost, srv.URL+"/v1/messages", io.NopCloser(strings.NewReader(`{"messages":[`+user+`]}`)))
	req.Header.Set("Accept-Encoding", "gzip")
	body := req.Body
	resp, err := l.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !bytes.Equal(got, packed.Bytes()) || req.Body != body {
		t.Error("the body was altered", err)
	}
	l.post(t, srv.URL+"/v1/messages", second(use(grace, "Grace", "late"), grace))
	l.want(t, "packed", "lost "+ada)
}

// broken is a protocol with a fault.
type broken struct{ wholecall.Protocol }

func (broken) Facts() wholecall.Facts { panic("broken") }

func TestWhatGoesWrongReachesNobody(t *testing.T) {
	srv := provider(t, nil, capture(t, "two-calls.sse"))
	l := listen(t, transport.Config{Body: 100})
	l.post(t, srv.URL+"/v1/messages", `{"messages":[`+user+`]}`)
	l.Flush()
	if s := l.Stats(); s.Unread != 1 {
		t.Errorf("%+v", s)
	}
	l = listen(t, transport.Config{Protocol: func(*http.Request) wholecall.Protocol { return broken{anthropic.Messages} }})
	l.post(t, srv.URL+"/anything", `{"messages":[`+user+`]}`)
	l.Flush()
	if s := l.Stats(); s.Panics != 2 {
		t.Errorf("%+v", s)
	}
	failing := errors.New("no route")
	l = listen(t, transport.Config{Base: roundTripper(func(*http.Request) (*http.Response, error) { return nil, failing })})
	if _, err := (&http.Client{Transport: l}).Post("http://host/v1/messages", "application/json", strings.NewReader("{}")); !errors.Is(err, failing) {
		t.Error(err)
	}
	l.Close()
	l.Close()
	l.Flush()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBounds(t *testing.T) {
	now := time.Unix(0, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	srv := provider(t, nil, capture(t, "two-calls.sse"))
	l := listen(t, transport.Config{Turns: 1, Age: time.Minute, Now: clock})
	bad := second(use(grace, "Grace", "late"), grace)
	l.post(t, srv.URL+"/v1/messages", `{"messages":[`+user+`]}`)
	l.Flush()
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	l.post(t, srv.URL+"/v1/messages", bad)
	l.want(t, "too old")
	for range 5 {
		l.post(t, srv.URL+"/v1/messages", `{"messages":[{"role":"user","content":"another"}]}`)
	}
	l.post(t, srv.URL+"/v1/messages", bad)
	l.want(t, "the newest, by its ids", "lost "+ada)
}

// TestLoopThroughTheTransport: this project's own client gives no finding, also where a call fails.
func TestLoopThroughTheTransport(t *testing.T) {
	srv := provider(t, nil, capture(t, "two-documents.sse"), capture(t, "two-calls.sse"), capture(t, "turn-2.sse"))
	var log bytes.Buffer
	l := listen(t, transport.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	tool := dispatch.Tool{Name: "search_orders", Run: func(context.Context, wholecall.Call) (any, error) { return "one", nil }}
	mail := dispatch.Tool{Name: "send_mail", Run: func(context.Context, wholecall.Call) (any, error) { return "sent", nil }}
	d, err := dispatch.New(dispatch.Config{}, tool, mail)
	if err != nil {
		t.Fatal(err)
	}
	c := &httpturn.Conversation{Client: &http.Client{Transport: l}, URL: srv.URL + "/v1/messages", Protocol: anthropic.Messages,
		Body: map[string]json.RawMessage{"messages": json.RawMessage(`[` + user + `]`)}}
	if _, err := loop.Loop(t.Context(), c, d, loop.Options{MaxTurns: 4}); err != nil && !errors.Is(err, loop.ErrTurnLimit) {
		t.Fatal(err)
	}
	l.want(t, "our own loop")
	if s := l.Stats(); s.Echoed != 3 || log.Len() > 0 {
		t.Errorf("%+v %s", s, log.String())
	}
}

// TestManyAtOnce: conversations that run at once do not get into each other's way.
func TestManyAtOnce(t *testing.T) {
	srv := provider(t, nil, capture(t, "two-calls.sse"))
	l := listen(t, transport.Config{})
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			first := fmt.Sprintf(`{"role":"user","content":"%d"}`, n)
			l.post(t, srv.URL+"/v1/messages", `{"messages":[`+first+`]}`)
			l.post(t, srv.URL+"/v1/messages", strings.Replace(second(use(ada, "Ada", "open")+","+use(grace, "Grace", "late"), ada, grace), user, first, 1))
		})
	}
	wg.Wait()
	l.want(t, "many")
}

func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body, _ := os.ReadFile("../../testdata/captures/two-calls.sse")
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(body)
	}))
	defer srv.Close()
	t := transport.New(transport.Config{Found: func(f audit.Finding) { fmt.Println(f) }})
	client := &http.Client{Transport: t}
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"?"}]}`,
		// The client kept one buffer a tool's name.
		`{"messages":[{"role":"user","content":"?"},
			{"role":"assistant","content":[{"type":"tool_use","id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","name":"search_orders","input":{"customer":"Grace","status":"late"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","content":"none"}]}]}`,
	} {
		resp, err := client.Post(srv.URL+"/v1/messages", "application/json", strings.NewReader(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	t.Close()
	// Output:
	// lost: call toolu_01KaQ7mWb2TzN5xYcV8dRs3P of search_orders: the echo of its turn has neither the call nor a result for it
}
