package openai_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// responsesCase is a stream and what it must give.
type responsesCase struct {
	name   string
	allow  string // switches, with blanks between
	stream string // one event a line, in short: see sseOf
	want   string // parts as they are handed out, one a line
	err    wholecall.Kind
	hint   string // the switch that the error names
	devs   string // deviations that must be counted, with blanks between
}

func (c *responsesCase) dialect() wholecall.Dialect {
	return wholecall.Dialect{Name: "test", Allows: strings.Fields(c.allow)}
}

// sseOf writes a stream out: one event a line, as JSON or in short, as shorthand has it.
func sseOf(stream string) string {
	var b strings.Builder
	for line := range strings.Lines(stream) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		fmt.Fprintf(&b, "data: %s\n\n", shorthand(line))
	}
	return b.String()
}

// shorthand writes out the events that most streams have:
//
//	created · progress · completed · completed ITEM… · incomplete REASON
//	added N ITEM · done N ITEM
//	frag N TEXT · args N TEXT            a fragment, and the copy behind the last
//
// An ITEM is JSON, or a function call as ID:STATUS:ARGUMENTS. TEXT is the inside of a JSON string.
func shorthand(line string) string {
	verb, rest, _ := strings.Cut(line, " ")
	n, rest2, _ := strings.Cut(rest, " ")
	switch verb {
	case "created", "progress":
		typ := map[string]string{"created": "response.created", "progress": "response.in_progress"}[verb]
		return fmt.Sprintf(`{"type":%q,"response":{"id":"resp_1","model":"m","output":[]}}`, typ)
	case "completed":
		var items []string
		for _, it := range strings.Fields(rest) {
			items = append(items, itemOf(it))
		}
		return fmt.Sprintf(`{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[%s]}}`, strings.Join(items, ","))
	case "incomplete":
		return fmt.Sprintf(`{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":%q}}}`, rest)
	case "added", "done":
		return fmt.Sprintf(`{"type":"response.output_item.%s","output_index":%s,"item":%s}`, verb, n, itemOf(rest2))
	case "frag":
		return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","output_index":%s,"delta":"%s"}`, n, rest2)
	case "args":
		return fmt.Sprintf(`{"type":"response.function_call_arguments.done","output_index":%s,"arguments":"%s"}`, n, rest2)
	}
	return line
}

func itemOf(s string) string {
	if strings.HasPrefix(s, "{") {
		return s
	}
	f := strings.SplitN(s, ":", 3)
	status := ""
	if f[1] != "" {
		status = `,"status":"` + f[1] + `"`
	}
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":"call_%s","name":"tide"%s,"arguments":"%s"}`, f[0], f[0], status, f[2])
}

func TestResponses(t *testing.T) {
	for _, c := range responsesCases {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c *responsesCase) run(t *testing.T) {
	turn := wholecall.NewTurn(strings.NewReader(sseOf(c.stream)), openai.Responses, wholecall.WithDialect(c.dialect()))
	got := wholecalltest.Drain(turn)
	var want []string
	for line := range strings.Lines(c.want) {
		if line = strings.TrimSpace(line); line != "" {
			want = append(want, line)
		}
	}
	if g, w := strings.Join(got.Handed, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("handed out\n%s\nwant\n%s\n(%v)", g, w, turn.Err())
	}
	if got.Kind != c.err {
		t.Errorf("the error is %v, want kind %q", turn.Err(), c.err)
	}
	if hint := switchOf(turn.Err()); hint != c.hint {
		t.Errorf("the error names the switch %q, want %q", hint, c.hint)
	}
	if got.Distinct != len(got.Calls)+len(got.Failed) {
		t.Errorf("%d announced, %d completed, %d failed", got.Distinct, len(got.Calls), len(got.Failed))
	}
	var devs []string
	for _, d := range turn.Deviations() {
		devs = append(devs, d.Name)
	}
	if g := strings.Join(devs, " "); g != c.devs {
		t.Errorf("deviations %q, want %q", g, c.devs)
	}
}

// switchOf is the switch that an error names, its own or that of a call that failed.
func switchOf(err error) string {
	var pe *wholecall.ProtocolError
	var ie *wholecall.IncompleteError
	var ae *wholecall.ArgumentError
	switch {
	case errors.As(err, &pe):
		return pe.Switch
	case errors.As(err, &ie) && ie.Switch != "":
		return ie.Switch
	case errors.As(err, &ae):
		return ae.Switch
	}
	return ""
}

func TestResponsesFacts(t *testing.T) {
	for _, d := range openai.Responses.Dialects() {
		if err := wholecall.CheckDialect(openai.Responses, d); err != nil {
			t.Error(err)
		}
		if d.Evidence == "" {
			t.Errorf("dialect %s: no evidence", d)
		}
	}
}

// TestResponsesTurnFacts: what a turn says of itself.
func TestResponsesTurnFacts(t *testing.T) {
	turn := wholecall.NewTurn(strings.NewReader(sseOf(`
		created
		{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":17}}}
	`)), openai.Responses)
	wholecalltest.Drain(turn)
	u, raw := turn.Usage()
	want := wholecall.Usage{Input: 10, Output: 7, CacheRead: 4, Reasoning: 3}
	if u != want || len(raw) == 0 || turn.ID() != "resp_1" || turn.Model() != "m" || turn.StopReason() != "completed" {
		t.Errorf("usage %+v %s, id %q, model %q, stop %q", u, raw, turn.ID(), turn.Model(), turn.StopReason())
	}
	if turn.Outcome() != wholecall.Complete {
		t.Errorf("outcome %s: %v", turn.Outcome(), turn.Err())
	}
}

// TestResponsesExtra: what an echo must give back of a call.
func TestResponsesExtra(t *testing.T) {
	turn := wholecall.NewTurn(strings.NewReader(sseOf(`
		created
		added 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","namespace":"sea","caller":{"type":"program","caller_id":"call_p"},"status":"in_progress","arguments":""}
		frag 0 {}
		done 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","namespace":"sea","caller":{"type":"program","caller_id":"call_p"},"status":"in_progress","arguments":"{}"}
		added 1 {"type":"mcp_call","id":"mcp_1","name":"find","server_label":"srv","arguments":""}
		{"type":"response.mcp_call_arguments.delta","output_index":1,"delta":"{}"}
		done 1 {"type":"mcp_call","id":"mcp_1","name":"find","server_label":"srv","arguments":"{}"}
		completed
	`)), openai.Responses)
	got := wholecalltest.Drain(turn)
	if len(got.Calls) != 1 || len(got.Server) != 1 {
		t.Fatal(got, turn.Err())
	}
	if x := string(turn.Completed()[0].Extra()); x != `{"item_id":"fc_1","caller":{"type":"program","caller_id":"call_p"},"namespace":"sea"}` {
		t.Errorf("a function call's Extra is %s", x)
	}
	if x := string(turn.ServerCalls()[0].Extra()); x != `{"type":"mcp_call","server_label":"srv"}` {
		t.Errorf("an MCP call's Extra is %s", x)
	}
}

// TestResponsesDeltaAllocs: a delta and a fragment cost no allocation.
func TestResponsesDeltaAllocs(t *testing.T) {
	dec := openai.Responses.NewDecoder(wholecall.Dialect{})
	var events []wholecall.Event
	step := func(line string) {
		f := frameOf(shorthand(line))
		var err error
		if events, err = dec.Decode(f, events[:0]); err != nil {
			t.Fatal(err)
		}
	}
	step("created")
	step("added 0 1:in_progress:")
	step(`added 1 {"type":"message","id":"msg_1","role":"assistant","content":[]}`)
	text := frameOf(`{"type":"response.output_text.delta","output_index":1,"content_index":0,"item_id":"msg_1","delta":"so \"it\" is","logprobs":[]}`)
	frag := frameOf(`{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":"{\"a\":","obfuscation":"x"}`)
	dec.Decode(text, events[:0])
	allocs := testing.AllocsPerRun(200, func() {
		events, _ = dec.Decode(text, events[:0])
		events, _ = dec.Decode(frag, events[:0])
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestResponsesTurns: a capture of two responses is two turns, each with numbers of its own.
func TestResponsesTurns(t *testing.T) {
	one := sseOf(`
		{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
		added 0 1::
		frag 0 {}
		done 0 1::{}
		{"type":"response.completed","sequence_number":1,"response":{"id":"resp_1","output":[]}}
		[DONE]`)
	n := 0
	for turn := range wholecall.Turns(strings.NewReader(one+one), openai.Responses) {
		got := wholecalltest.Drain(turn)
		if got.Outcome != wholecall.Complete || len(got.Calls) != 1 {
			t.Errorf("turn %d: %s%v", n, got, turn.Err())
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d turns", n)
	}
}

func TestResponsesRecognises(t *testing.T) {
	for data, least := range map[string]int{
		`{"type":"response.created","response":{}}`:            100,
		`{"type":"error","sequence_number":2,"error":{}}`:      50,
		`{"type":"keepalive","sequence_number":2}`:             1,
		`{"type":"message_start","message":{}}`:                0,
		`{"object":"chat.completion.chunk","choices":[]}`:      0,
		`{"type":"error","error":{"type":"overloaded_error"}}`: 1,
		`[DONE]`: 0,
		`<html>`: 0,
	} {
		if n := openai.Responses.Recognises(frameOf(data)); n < least || least == 0 && n > 0 {
			t.Errorf("%s is recognised with %d, want %d", data, n, least)
		}
	}
}

// TestResponsesEventName: the name of an SSE event and the type in its data must agree.
func TestResponsesEventName(t *testing.T) {
	f := frameOf(`{"type":"response.created","response":{}}`)
	f.Event = []byte("response.completed")
	_, err := openai.Responses.NewDecoder(wholecall.Dialect{}).Decode(f, nil)
	if !errors.Is(err, wholecall.MalformedFrame) {
		t.Error(err)
	}
}
