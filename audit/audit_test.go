package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/provider"
	"github.com/wholecall/wholecall/wholecalltest"
)

func said(t *testing.T, capture string) audit.Said {
	t.Helper()
	body, err := os.ReadFile("../testdata/captures/" + capture)
	if err != nil {
		t.Fatal(err)
	}
	g, err := provider.Detect(body, provider.Guess{})
	if err != nil {
		t.Fatal(err)
	}
	return audit.Read(wholecall.NewTurn(bytes.NewReader(body), g.Protocol))
}

func compare(t *testing.T, s audit.Said, protocol, request string) string {
	t.Helper()
	h, err := audit.Parse(protocol, []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range audit.Compare(s, h) {
		line := string(f.Kind) + " " + f.ID
		if f.Other != "" {
			line += "+" + f.Other
		}
		out = append(out, line+f.Path)
		if f.Kind.Advice() == "" || strings.Contains(f.String(), "Ada") {
			t.Errorf("%s", f)
		}
	}
	return strings.Join(out, ", ")
}

const (
	ada   = "toolu_01KaQ7mWb2TzN5xYcV8dRs3P"
	grace = "toolu_01KbF4hJk9LpG6wZuX2tEq7M"
)

// messages writes a request of Messages with one assistant's turn.
func messages(blocks, results string) string {
	return `{"messages":[{"role":"user","content":"?"},{"role":"assistant","content":[` + blocks + `]},{"role":"user","content":[` + results + `]}]}`
}

func use(id, input string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"search_orders","input":%s}`, id, input)
}

func result(id string, more ...string) string {
	return fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"one"%s}`, id, strings.Join(more, ""))
}

const (
	adaArgs   = `{"customer":"Ada","status":"open"}`
	graceArgs = `{"status":"late","customer":"Grace"}`
	spoken    = `{"type":"text","text":"I will look up both customers."}`
)

func TestFindings(t *testing.T) {
	s := said(t, "two-calls.sse")
	good := use(ada, adaArgs) + "," + use(grace, graceArgs)
	both := result(ada) + "," + result(grace)
	for _, c := range []struct{ name, request, want string }{
		{"as it was, with other spacing and order", messages(spoken+","+good, both), ""},
		{"in another order", messages(use(grace, graceArgs)+","+use(ada, adaArgs), result(grace)+","+result(ada)), ""},
		{"the first is gone", messages(use(grace, graceArgs), result(grace)), "lost " + ada},
		{"the second is gone", messages(use(ada, adaArgs), result(ada)), "lost " + grace},
		{"one overlaid by the other", messages(use(ada, graceArgs), result(ada)), "merged " + ada + "+" + grace},
		{"one laid over the other, with what it lacks", messages(use(ada, `{"customer":"Grace","status":"late"}`), result(ada)), "merged " + ada + "+" + grace},
		{"joined", messages(use(ada, `"{\"customer\": \"Ada\", \"status\": \"open\"}{\"customer\": \"Grace\", \"status\": \"late\"}"`), result(ada)), "merged " + ada + "+" + grace},
		{"all calls are gone, and the text is there", messages(spoken, `{"type":"text","text":"and?"}`), "lost " + ada + ", lost " + grace},
		{"a value", messages(use(ada, `{"customer":"Adb","status":"open"}`)+","+use(grace, graceArgs), both), "altered " + ada + "/customer"},
		{"another member", messages(use(ada, `{"customer":"Ada","status":"open","page":1}`)+","+use(grace, graceArgs), both), "altered " + ada + "/page"},
		{"empty", messages(use(ada, `{}`)+","+use(grace, graceArgs), both), "altered " + ada + "/customer"},
		{"another name", messages(strings.Replace(good, "search_orders", "lookup", 1), both), "altered " + ada},
		{"no result", messages(good, result(ada)), "unanswered " + grace},
		{"two results", messages(good, both+","+result(ada)), "doubled " + ada},
		{"twice", messages(good+","+use(ada, adaArgs), both), "doubled " + ada},
		{"another call", messages(good+","+use("toolu_x", "{}"), both+","+result("toolu_x")), "invented toolu_x"},
		{"a result of another", messages(good, both+","+result("toolu_x")), "invented toolu_x"},
		{"another conversation", messages(use("toolu_x", "{}"), result("toolu_x")), ""},
		{"the turn was dropped", `{"messages":[{"role":"user","content":"?"},{"role":"user","content":"again"}]}`, ""},
		{"nothing", `{}`, ""},
	} {
		if got := compare(t, s, "anthropic", c.request); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTurnByTurn: ids that begin anew each turn are those of their own turn.
func TestTurnByTurn(t *testing.T) {
	s := said(t, "two-calls.sse")
	older := `{"role":"assistant","content":[` + use(ada, `{"customer":"Linus"}`) + `]},{"role":"user","content":[` + result(ada) + `]}`
	newer := `{"role":"assistant","content":[` + use(ada, adaArgs) + `,` + use(grace, graceArgs) + `]},{"role":"user","content":[` + result(ada) + `,` + result(grace) + `]}`
	if got := compare(t, s, "anthropic", `{"messages":[`+older+`,`+newer+`]}`); got != "" {
		t.Error(got)
	}
}

func TestFailedCallsMayBeAnsweredWithAnError(t *testing.T) {
	s := said(t, "cut-short.sse")
	if !s.Failed {
		t.Error("the turn was cut")
	}
	for _, c := range []struct{ name, results, want string }{
		{"with an error", result(ada) + "," + result(grace, `,"is_error":true`), ""},
		{"with a text that says so", result(ada) + "," + strings.Replace(result(grace), "one", "Error: cut", 1), ""},
		{"as if it ran", result(ada) + "," + result(grace), "ran-on-a-failed-turn " + grace},
		{"not at all", result(ada), ""},
	} {
		if got := compare(t, s, "anthropic", messages(use(ada, adaArgs)+","+use(grace, `{}`), c.results)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	chat := said(t, "interleaved.sse")
	a, b := chat.Calls[0].ID, chat.Calls[1].ID
	call := func(id, args string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"search_orders","arguments":%q}}`, id, args)
	}
	request := func(calls, results string) string {
		return `{"messages":[{"role":"assistant","content":null,"tool_calls":[` + calls + `]}` + results + `]}`
	}
	tool := func(id string) string {
		return fmt.Sprintf(`,{"role":"tool","tool_call_id":%q,"content":"one"}`, id)
	}
	x, y := `{"customer":"Ada"}`, `{"customer":"Grace"}`
	for _, c := range []struct{ name, request, want string }{
		{"good", request(call(a, x)+","+call(b, y), tool(a)+tool(b)), ""},
		{"joined", request(call(a, x+y), tool(a)), "merged " + a + "+" + b},
		{"the other way round", request(call(b, y+x), tool(b)), "merged " + b + "+" + a},
		{"cut", request(call(a, `{"customer":"Ad`)+","+call(b, y), tool(a)+tool(b)), "altered " + a},
	} {
		if got := compare(t, chat, "openai-chat", c.request); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	resp := said(t, "responses.sse")
	var items, outs []string
	for _, c := range resp.Calls {
		items = append(items, fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%q}`, c.ID, c.Name, c.Arguments))
		outs = append(outs, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"one"}`, c.ID))
	}
	i, j := resp.Calls[0].ID, resp.Calls[1].ID
	join := func(items ...string) string { return strings.Join(items, ",") }
	for _, c := range []struct{ name, request, want string }{
		{"whole", `{"input":[{"role":"user","content":"?"},` + join(items[0], items[1], outs[0], outs[1]) + `]}`, ""},
		{"in pairs", `{"input":[{"role":"user","content":"?"},` + join(items[0], outs[0], items[1], outs[1]) + `]}`, ""},
		{"one is gone", `{"input":[{"role":"user","content":"?"},` + join(items[1], outs[1]) + `]}`, "lost " + i},
		{"from the id", fmt.Sprintf(`{"previous_response_id":%q,"input":[%s]}`, resp.Turn, join(outs...)), ""},
		{"from the id, one is gone", fmt.Sprintf(`{"previous_response_id":%q,"input":[%s]}`, resp.Turn, outs[0]), "lost " + j},
		{"from the id, without them", fmt.Sprintf(`{"previous_response_id":%q,"input":[{"role":"user","content":"and?"}]}`, resp.Turn), "lost " + i + ", lost " + j},
		{"from the id, as text", fmt.Sprintf(`{"previous_response_id":%q,"input":"and?"}`, resp.Turn), "lost " + i + ", lost " + j},
		{"from another", `{"previous_response_id":"resp_other","input":[]}`, ""},
	} {
		if got := compare(t, resp, "openai-responses", c.request); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if _, err := audit.Parse("ag-ui", []byte("{}")); !errors.Is(err, audit.ErrFormat) {
		t.Error(err)
	}
	if _, err := audit.Parse("anthropic", []byte("[")); err == nil {
		t.Error("no error")
	}
}

// echoers are the protocols that can write a next request.
func echoers() (list []wholecall.Echoer) {
	for _, p := range provider.All() {
		if e, ok := p.(wholecall.Echoer); ok {
			list = append(list, e)
		}
	}
	return list
}

// faithful is a turn of a vector and the request of a client that lost nothing.
func faithful(t *testing.T, p wholecall.Echoer, file string) (audit.Said, []byte, bool) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reply wholecall.Reply
	turn := wholecall.NewTurn(bytes.NewReader(body), p)
	for {
		part, err := turn.Next()
		if err != nil {
			break
		}
		reply.Keep(part)
	}
	s := audit.Of(turn)
	var answers []wholecall.Answer
	for _, c := range s.Calls {
		a := wholecall.Answer{ID: c.ID, Content: "one"}
		if c.Failed != "" {
			a.Content, a.Failed = "error: it is not whole", true
		}
		answers = append(answers, a)
	}
	echo, err := p.Echo(&reply, answers)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return s, nil, false
	}
	request, err := json.Marshal(map[string]any{echo.Member: echo.Messages})
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return s, nil, false
	}
	return s, request, len(s.Calls) > 0
}

// TestNoFalseAlarm: a client that lost nothing gives no finding, on any vector. Where the echo can't hold
// arguments that are no object, it does not count.
func TestNoFalseAlarm(t *testing.T) {
	n := 0
	for _, p := range echoers() {
		files := vectorsOf(t, p)
		for _, file := range files {
			s, request, calls := faithful(t, p, file)
			if !calls || slices.ContainsFunc(s.Calls, func(c audit.SaidCall) bool {
				return c.Failed == "" && c.Form == wholecall.JSONArguments && !bytes.HasPrefix(bytes.TrimSpace(c.Arguments), []byte("{"))
			}) {
				continue
			}
			n++
			if got := compare(t, s, p.Facts().Name, string(request)); got != "" {
				t.Errorf("%s: %s\n%s", file, got, request)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d turns", n)
	}
}

func vectorsOf(t *testing.T, p wholecall.Protocol) []string {
	t.Helper()
	const dir = "../conformance/vectors"
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		t.Skip("the conformance vectors are a module of their own, and are not beside this one")
	}
	entries, err := os.ReadDir(dir + "/" + p.Facts().Name)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "."+p.Facts().Framing) {
			files = append(files, dir+"/"+p.Facts().Name+"/"+e.Name())
		}
	}
	return files
}

// TestEachMutationIsFound: what a client does to one call of a turn is found, and named as what it is.
func TestEachMutationIsFound(t *testing.T) {
	r := wholecalltest.Rand(t)
	mutations := map[string]struct {
		do   func(h *audit.HeardTurn, i int)
		want audit.Kind
	}{
		"drops it": {func(h *audit.HeardTurn, i int) {
			h.Calls = slices.Delete(h.Calls, i, i+1)
			h.Results = slices.Delete(h.Results, i, i+1)
		}, audit.Lost},
		"alters it": {func(h *audit.HeardTurn, i int) { h.Calls[i].Arguments = []byte(`{"altered":true}`) }, audit.Altered},
		"has no result": {func(h *audit.HeardTurn, i int) {
			h.Results = slices.Delete(h.Results, i, i+1)
		}, audit.Unanswered},
		"runs it twice": {func(h *audit.HeardTurn, i int) { h.Results = append(h.Results, h.Results[i]) }, audit.Doubled},
		"has it twice":  {func(h *audit.HeardTurn, i int) { h.Calls = append(h.Calls, h.Calls[i]) }, audit.Doubled},
		"makes one up": {func(h *audit.HeardTurn, i int) {
			h.Calls = append(h.Calls, audit.HeardCall{ID: "made-up", Name: "x", Arguments: []byte("{}")})
		}, audit.Invented},
		"joins it to the next": {func(h *audit.HeardTurn, i int) {
			j := (i + 1) % len(h.Calls)
			h.Calls[i].Arguments = slices.Concat(h.Calls[i].Arguments, h.Calls[j].Arguments)
			h.Calls = slices.Delete(h.Calls, j, j+1)
			h.Results = slices.Delete(h.Results, j, j+1)
		}, audit.Merged},
	}
	for name, m := range mutations {
		for range 200 {
			s, h := random(r)
			i := r.IntN(len(h.Calls))
			id := h.Calls[i].ID
			m.do(&h, i)
			found := audit.Compare(s, audit.Heard{Turns: []audit.HeardTurn{h}})
			if len(found) != 1 || found[0].Kind != m.want || found[0].ID != id && m.want != audit.Invented {
				t.Errorf("a client that %s: %v", name, found)
			}
		}
	}
}

// random is a turn of some calls, and its echo. No two calls have arguments that could pass for each
// other's.
func random(r *rand.Rand) (audit.Said, audit.HeardTurn) {
	s := audit.Said{Turn: "t"}
	var h audit.HeardTurn
	for i := range 2 + r.IntN(4) {
		id, name := fmt.Sprint("call_", i), fmt.Sprint("tool_", r.IntN(2))
		args := fmt.Appendf(nil, `{"n":%d,"s":"%x"}`, i, r.Uint64())
		s.Calls = append(s.Calls, audit.SaidCall{ID: id, Name: name, Arguments: args})
		h.Calls = append(h.Calls, audit.HeardCall{ID: id, Name: name, Arguments: args})
		h.Results = append(h.Results, audit.HeardResult{ID: id})
	}
	return s, h
}

func FuzzParse(f *testing.F) {
	for _, p := range echoers() {
		f.Add(p.Facts().Name, []byte(messages(use("a", "{}"), result("a"))))
		f.Add(p.Facts().Name, []byte(`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"x"}}]}],"input":[{"type":"function_call","call_id":"a"}]}`))
	}
	s := audit.Said{Turn: "t", Text: "hello", Calls: []audit.SaidCall{{ID: "a", Name: "x", Arguments: []byte("{}")}, {ID: "b", Name: "x", MadeUp: true, Arguments: []byte("{}")}}}
	f.Fuzz(func(t *testing.T, protocol string, body []byte) {
		h, err := audit.Parse(protocol, body)
		if err != nil {
			return
		}
		for _, found := range audit.Compare(s, h) {
			if found.Kind.Advice() == "" {
				t.Error(found)
			}
		}
	})
}
