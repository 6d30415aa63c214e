package gemini_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/wholecalltest"
)

var stepShape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, EmptyIsObject: true, Reasoning: true, Signatures: true,
	Good: "requires_action", Done: "completed",
}

func TestInteractionsLaws(t *testing.T) { wholecalltest.Laws(t, gemini.Interactions, stepShape) }

// TestInteractionsServerCalls: calls that the API runs are written with their arguments in one piece, so
// that the laws that look at fragments can't be asked of them. The turn must be the same.
func TestInteractionsServerCalls(t *testing.T) {
	withServer := stepShape
	withServer.Server = true
	r := wholecalltest.Rand(t)
	for range 60 {
		events, _ := withServer.Turn(r)
		stream := wholecalltest.Join(wholecalltest.Encode(t, gemini.Interactions, events))
		want := wholecalltest.Apply(events, wholecall.Limits{})
		if got := wholecalltest.Read(bytes.NewReader(stream), gemini.Interactions); got.String() != want.String() {
			t.Fatalf("decoded:\n%s\nwant:\n%s\nstream:\n%s", got, want, stream)
		}
	}
}

func FuzzInteractions(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := stepShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, gemini.Interactions, events)))
	}
	f.Add([]byte(steps(started(0, `{"type":"mcp_server_tool_call","id":"s1","name":"find","server_name":"x","arguments":{"q":1}}`), stopped(0))))
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, gemini.Interactions, stream) })
}

// events are the events of a stream, each with its name, which is its event_type.
func interactionEvents(payloads ...string) string {
	var b strings.Builder
	for _, p := range payloads {
		_, typ, _ := strings.Cut(p, `"event_type":"`)
		typ, _, _ = strings.Cut(typ, `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", typ, p)
	}
	return b.String()
}

// steps is a stream of steps that ends with calls to run.
func steps(payloads ...string) string {
	return interactionEvents(append(append([]string{creation}, payloads...), ended("requires_action", ""))...)
}

const creation = `{"event_type":"interaction.created","interaction":{"id":"v1_a","model":"m","status":"in_progress"}}`

func ended(status, members string) string {
	return fmt.Sprintf(`{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":%q%s}}`, status, members)
}

func started(index int, step string) string {
	return fmt.Sprintf(`{"event_type":"step.start","index":%d,"step":%s}`, index, step)
}

func piece(index int, delta string) string {
	return fmt.Sprintf(`{"event_type":"step.delta","index":%d,"delta":%s}`, index, delta)
}

func stopped(index int) string { return fmt.Sprintf(`{"event_type":"step.stop","index":%d}`, index) }

const (
	pay    = `{"type":"function_call","id":"fc_1","name":"pay","arguments":{}}`
	paying = `{"type":"arguments_delta","arguments":"{\"eur\":5}"}`
)

func TestInteractions(t *testing.T) {
	const done, paid = "outcome complete stop requires_action", "\ncall fc_1 pay {\"eur\":5}"
	call := []string{started(0, pay), piece(0, paying), stopped(0)}
	with := func(status, members string) string {
		return interactionEvents(append(append([]string{creation}, call...), ended(status, members))...)
	}
	r := wholecalltest.Rand(t)
	for _, c := range []oddity{
		{"a call", steps(call...), done + paid},
		{"with the sentinel", steps(call...) + "event: done\ndata: [DONE]\n\n", done + paid},
		{"the sentinel alone is no end", interactionEvents(append([]string{creation}, call...)...) + "event: done\ndata: [DONE]\n\n", "outcome incomplete truncated" + paid},
		{"no arguments", steps(started(0, pay), stopped(0)), done + "\ncall fc_1 pay {}"},
		{"no arguments, cut", interactionEvents(creation, started(0, pay), stopped(0), ended("incomplete", "")),
			"outcome incomplete calls-failed stop incomplete\nfailed fc_1 pay token-limit"},
		{"the arguments in the start", steps(started(0, `{"type":"function_call","id":"fc_1","name":"pay","arguments":{"eur":5}}`), stopped(0)), done + paid},
		{"the arguments in the start and a piece", steps(started(0, `{"type":"function_call","id":"fc_1","name":"pay","arguments":{"eur":5}}`), piece(0, paying), stopped(0)),
			"outcome failed late\nfailed fc_1 pay protocol-error"},
		{"arguments that are no object", steps(started(0, `{"type":"function_call","id":"fc_1","name":"pay","arguments":[1]}`)), "outcome failed malformed-frame\nfailed fc_1 pay protocol-error"},
		{"a piece that is an object", steps(started(0, pay), piece(0, `{"type":"arguments_delta","arguments":{"eur":5}}`)), "outcome failed unknown-delta\nfailed fc_1 pay protocol-error"},
		{"a piece of a new kind", steps(started(0, pay), piece(0, `{"type":"novelty"}`)), "outcome failed unknown-delta\nfailed fc_1 pay protocol-error"},
		{"a piece without its text", steps(started(0, pay), piece(0, `{"type":"arguments_delta"}`), piece(0, paying), stopped(0)), done + paid},
		{"a step that never stops", steps(started(0, pay), piece(0, paying)), "outcome incomplete calls-failed stop requires_action\nfailed fc_1 pay unfinished"},
		{"an unknown step", steps(piece(7, paying)), "outcome failed unannounced"},
		{"a stopped step", steps(append(call, piece(0, paying))...), "outcome failed late" + paid},
		{"a step twice", steps(append(call, started(0, pay))...), "outcome failed duplicate-announcement" + paid},
		{"an id twice", steps(append(call, started(1, pay))...), "outcome failed duplicate-id" + paid},
		{"another beginning", steps(append(call, creation)...), "outcome failed restarted" + paid},
		{"no beginning", interactionEvents(append(call, ended("requires_action", ""))...), done + paid},
		{"calls promised", steps(), "outcome failed calls-promised stop requires_action"},
		{"the old names", interactionEvents(`{"event_type":"interaction.start"}`, `{"event_type":"content.start","index":0}`, `{"event_type":"interaction.complete"}`), "outcome incomplete truncated"},
		{"two names", "event: step.stop\ndata: " + creation + "\n\n", "outcome failed malformed-frame"},
		{"an error", interactionEvents(creation, `{"event_type":"error","error":{"code":"x","message":"busy"}}`), "outcome failed provider-error"},
		{"an error beside the events", interactionEvents(creation) + "{\"error\": {\"code\": 1}}\n\n", "outcome failed provider-error"},
		{"it failed", with("failed", ""), "outcome failed provider-error stop failed" + paid},
		{"it was cancelled", with("cancelled", ""), "outcome failed provider-error stop cancelled" + paid},
		{"no status", interactionEvents(creation, `{"event_type":"interaction.completed","interaction":{"id":"v1_a"}}`), "outcome failed malformed-frame"},

		{"the same call in the end", with("requires_action", `,"steps":[{"type":"user_input"},{"type":"function_call","id":"fc_1","name":"pay","arguments":{ "eur": 5 }}]`), done + paid},
		{"another document in the end", with("requires_action", `,"steps":[{"type":"function_call","id":"fc_1","name":"pay","arguments":{"eur":6}}]`), "outcome failed copy-mismatch" + paid},
		{"a call that was never streamed", with("requires_action", `,"steps":[{"type":"function_call","id":"fc_2","name":"pay","arguments":{}}]`), "outcome failed copy-mismatch" + paid},
		{"arguments that were never streamed", interactionEvents(creation, started(0, pay), stopped(0), ended("requires_action", `,"steps":[{"type":"function_call","id":"fc_1","name":"pay","arguments":{"eur":5}}]`)),
			"outcome failed copy-mismatch\nfailed fc_1 pay protocol-error"},
		{"nothing in the end", with("requires_action", `,"steps":[]`), done + paid},

		{"text, thoughts and notes", steps(append(call,
			started(1, `{"type":"thought","signature":"c2ln"}`), piece(1, `{"type":"thought_summary","content":{"type":"text","text":"hm"}}`), piece(1, `{"type":"thought_signature","signature":"Mg"}`), stopped(1),
			started(2, `{"type":"model_output","content":[{"type":"text","text":"a"}]}`), piece(2, `{"type":"text","text":"b"}`), piece(2, `{"type":"text_annotation_delta","annotations":[{"x":1},{"y":2}]}`),
			piece(2, `{"type":"image","data":"aGk="}`), stopped(2))...),
			done + paid + "\nreasoning \"hm\" signed \"c2lnMg\"\ntext \"ab\" note {\"x\":1} note {\"y\":2}\ndata image {\"type\":\"image\",\"data\":\"aGk=\"}"},
		{"a tool of a server", steps(append(call, started(1, `{"type":"mcp_server_tool_call","id":"s1","name":"find","server_name":"x","arguments":{}}`),
			piece(1, `{"type":"mcp_server_tool_call","name":"find","server_name":"x","arguments":{"q":1}}`), stopped(1),
			started(2, `{"type":"mcp_server_tool_result","call_id":"s1"}`), piece(2, `{"type":"mcp_server_tool_result","result":1}`), stopped(2))...),
			done + paid + "\nserver_call s1 find {\"q\":1}\ndata mcp_server_tool_result {\"type\":\"mcp_server_tool_result\",\"call_id\":\"s1\"}\ndata mcp_server_tool_result {\"type\":\"mcp_server_tool_result\",\"result\":1}"},
		{"a tool of the API's, said twice", steps(append(call, started(1, `{"type":"google_search_call","id":"s1","arguments":{"queries":["a"]}}`),
			piece(1, `{"type":"google_search_call","arguments":{"queries": ["a"]}}`), stopped(1))...), done + paid + "\nserver_call s1 google_search_call {\"queries\":[\"a\"]}"},
		{"a tool of the API's, said in two ways", steps(append(call, started(1, `{"type":"google_search_call","id":"s1","arguments":{"queries":["a"]}}`),
			piece(1, `{"type":"google_search_call","arguments":{"queries":["b"]}}`), stopped(1))...), done + paid + "\nfailed s1 google_search_call argument-error document-mismatch"},
		{"an output with an error", steps(append(call, started(1, `{"type":"model_output","error":{"code":13,"message":"no"}}`))...), "outcome failed provider-error" + paid + "\ntext \"\""},
	} {
		got := wholecalltest.Read(strings.NewReader(c.stream), gemini.Interactions).String()
		if got != c.want+"\n" {
			t.Errorf("%s: got\n%s want\n%s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, gemini.Interactions, []byte(c.stream), r)
	}
}

func TestInteractionsExtraAndCounts(t *testing.T) {
	stream := interactionEvents(creation, started(0, pay), stopped(0),
		started(1, `{"type":"google_search_call","id":"s1","arguments":{},"search_type":"web","signature":"c2ln"}`),
		piece(1, `{"type":"google_search_call","arguments":{"q":1},"signature":"late"}`), stopped(1),
		ended("requires_action", `,"usage":{"total_input_tokens":5,"total_tool_use_tokens":2,"total_output_tokens":3,"total_thought_tokens":4,"total_cached_tokens":1}`))
	turn := wholecall.NewTurn(strings.NewReader(stream), gemini.Interactions)
	wholecalltest.Drain(turn)
	if s := turn.ServerCalls(); len(s) != 1 || string(s[0].Extra()) != `{"type":"google_search_call","search_type":"web","signature":"c2ln"}` {
		t.Errorf("got %v", s)
	}
	if got := fmt.Sprint(turn.Deviations()); got != "[{late-signature 1}]" {
		t.Error(got)
	}
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 7, Output: 7, CacheRead: 1, Reasoning: 4}) {
		t.Errorf("got %+v", u)
	}
	if turn.ID() != "v1_a" || turn.Model() != "m" {
		t.Error(turn.ID(), turn.Model())
	}
}
