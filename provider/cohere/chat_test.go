package cohere_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/cohere"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	CallEnds: true, EmptyIsObject: true, Reasoning: true,
	Good: "TOOL_CALL", Done: "COMPLETE",
}

// named is the protocol with the model's name, which it does not have on the wire, inside the id: the
// laws compare all that a beginning says.
type named struct{ wholecall.Protocol }

func (p named) NewEncoder() wholecall.Encoder { return namedEncoder{p.Protocol.NewEncoder()} }

func (p named) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return namedDecoder{p.Protocol.NewDecoder(d)}
}

type namedEncoder struct{ wholecall.Encoder }

func (e namedEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Begin {
		ev = &wholecall.Event{Kind: wholecall.Begin, ID: slices.Concat(ev.ID, []byte(" "), ev.Name)}
	}
	return e.Encoder.Append(dst, ev)
}

type namedDecoder struct{ wholecall.Decoder }

func (d namedDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		if events[i].Kind == wholecall.Begin {
			events[i].ID, events[i].Name, _ = bytes.Cut(events[i].ID, []byte(" "))
		}
	}
	return events, err
}

func TestLaws(t *testing.T) { wholecalltest.Laws(t, named{cohere.Chat}, shape) }

func FuzzChat(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, cohere.Chat, events)))
	}
	f.Add([]byte(stream(start, plan("a"), callStart(0, "a1", "tint"), callEnd(0), cite(`{"type":"PLAN"}`), end("TOOL_CALL"))))
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, cohere.Chat, stream) })
}

// The pieces of a stream, each the data of one event.
const (
	start = `{"type":"message-start","id":"m1","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`
	text  = `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}`
	think = `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"thinking","thinking":""}}}}`
	done  = "[DONE]"
)

func say(index int, member, s string) string {
	return fmt.Sprintf(`{"type":"content-delta","index":%d,"delta":{"message":{"content":{%q:%q}}}}`, index, member, s)
}

func plan(s string) string {
	return fmt.Sprintf(`{"type":"tool-plan-delta","delta":{"message":{"tool_plan":%q}}}`, s)
}

func callStart(index int, id, name string) string {
	return fmt.Sprintf(`{"type":"tool-call-start","index":%d,"delta":{"message":{"tool_calls":{"id":%q,"type":"function","function":{"name":%q,"arguments":""}}}}}`, index, id, name)
}

func frag(index int, s string) string {
	return fmt.Sprintf(`{"type":"tool-call-delta","index":%d,"delta":{"message":{"tool_calls":{"function":{"arguments":%q}}}}}`, index, s)
}

func callEnd(index int) string { return fmt.Sprintf(`{"type":"tool-call-end","index":%d}`, index) }

func textEnd(index int) string { return fmt.Sprintf(`{"type":"content-end","index":%d}`, index) }

func cite(raw string) string {
	return `{"type":"citation-start","index":0,"delta":{"message":{"citations":` + raw + `}}}`
}

func end(finish string) string {
	return fmt.Sprintf(`{"type":"message-end","delta":{"finish_reason":%q}}`, finish)
}

// stream makes server-sent events of payloads, with [DONE] behind them.
func stream(payloads ...string) string {
	var b strings.Builder
	for _, p := range append(payloads, done) {
		fmt.Fprintf(&b, "data: %s\n\n", p)
	}
	return b.String()
}

func TestOddities(t *testing.T) {
	for _, c := range []struct {
		name     string
		payloads []string
		want     string
	}{
		{"no delta between start and end is no arguments", []string{start, callStart(0, "a1", "tint"), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\ncall a1 tint {}\n"},
		{"no delta and a token limit is a lost call", []string{start, callStart(0, "a1", "tint"), callEnd(0), end("MAX_TOKENS")},
			"outcome incomplete calls-failed stop MAX_TOKENS\nfailed a1 tint token-limit\n"},
		{"no end and a token limit", []string{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), end("MAX_TOKENS")},
			"outcome incomplete calls-failed stop MAX_TOKENS\nfailed a1 tint token-limit\n"},
		{"an end of half a document and a token limit", []string{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), callEnd(0), end("MAX_TOKENS")},
			"outcome incomplete calls-failed stop MAX_TOKENS\nfailed a1 tint token-limit incomplete-json\n"},
		{"no end and a good reason", []string{start, callStart(0, "a1", "tint"), frag(0, `{}`), end("TOOL_CALL")},
			"outcome incomplete calls-failed stop TOOL_CALL\nfailed a1 tint unfinished\n"},
		{"content 0 and call 0 stand in one stream", []string{start, text, say(0, "text", "hm"), callStart(0, "a1", "tint"), textEnd(0), frag(0, `{}`), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\ntext \"hm\"\ncall a1 tint {}\n"},
		{"calls alternate", []string{start, callStart(0, "a1", "tint"), callStart(1, "b2", "tint"), frag(1, `{"n":`), frag(0, `{"n":1}`), frag(1, `2}`), callEnd(1), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\ncall a1 tint {\"n\":1}\ncall b2 tint {\"n\":2}\n"},
		{"the plan is reasoning, and a call ends its run", []string{start, plan("I "), plan("will"), callStart(0, "a1", "tint"), callEnd(0), plan("more"), callStart(1, "b2", "tint"), callEnd(1), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\nreasoning \"I will\"\ncall a1 tint {}\nreasoning \"more\"\ncall b2 tint {}\n"},
		{"thinking, then text", []string{start, think, say(0, "thinking", "hm"), textEnd(0), strings.Replace(text, `"index":0`, `"index":1`, 1), say(1, "text", "yes"), textEnd(1), end("COMPLETE")},
			"outcome complete stop COMPLETE\nreasoning \"hm\"\ntext \"yes\"\n"},
		{"a citation of the open content", []string{start, text, say(0, "text", "-3."), cite(`{"start":0,"end":3}`), `{"type":"citation-end","index":0}`, textEnd(0), end("COMPLETE")},
			"outcome complete stop COMPLETE\ntext \"-3.\" note {\"start\":0,\"end\":3}\n"},
		{"a citation names its content", []string{start, think, strings.Replace(text, `"index":0`, `"index":1`, 1), cite(`{"content_index":1}`), textEnd(0), textEnd(1), end("COMPLETE")},
			"outcome complete stop COMPLETE\nreasoning \"\"\ntext \"\" note {\"content_index\":1}\n"},
		{"a citation of the plan", []string{start, plan("a"), cite(`{"type":"PLAN"}`), callStart(0, "a1", "tint"), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\nreasoning \"a\" note {\"type\":\"PLAN\"}\ncall a1 tint {}\n"},
		{"a citation of nothing that is open", []string{start, text, textEnd(0), cite(`{"start":0}`), end("COMPLETE")},
			"outcome complete stop COMPLETE\ntext \"\"\ndata citation {\"start\":0}\n"},
		{"content of a type that is not known", []string{start, `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"image","x":1}}}}`, textEnd(0), end("COMPLETE")},
			"outcome complete stop COMPLETE\ndata image {\"type\":\"image\",\"x\":1}\n"},
		{"an event of a type that is not known", []string{start, `{"type":"weather","index":0}`, `{"type":"debug","prompt":"x"}`, end("COMPLETE")},
			"outcome complete stop COMPLETE\n"},
		{"arguments begin in the start", []string{start, strings.Replace(callStart(0, "a1", "tint"), `"arguments":""`, `"arguments":"{\"a\""`, 1), frag(0, ":1}"), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\ncall a1 tint {\"a\":1}\n"},
		{"the error finish", []string{start, callStart(0, "a1", "tint"), `{"type":"message-end","delta":{"error":"too busy","finish_reason":"ERROR"}}`},
			"outcome failed provider-error\nfailed a1 tint provider-error\n"},
		{"an error beside a good finish", []string{start, `{"type":"message-end","delta":{"error":"too busy","finish_reason":"COMPLETE"}}`},
			"outcome failed provider-error\n"},
		{"a time-out", []string{start, end("TIMEOUT")}, "outcome failed provider-error\n"},
		{"no finish reason", []string{start, callStart(0, "a1", "tint"), callEnd(0), `{"type":"message-end","delta":{}}`},
			"outcome incomplete no-stop-reason\nfailed a1 tint unfinished\n"},
		{"calls promised", []string{start, end("TOOL_CALL")}, "outcome failed calls-promised stop TOOL_CALL\n"},
		{"only the sentinel", []string{start, callStart(0, "a1", "tint"), callEnd(0)},
			"outcome incomplete truncated\nfailed a1 tint truncated\n"},
		{"a second start", []string{start, start}, "outcome failed restarted\n"},
		{"something behind the end", []string{start, end("COMPLETE"), text}, "outcome failed late stop COMPLETE\n"},
		{"a second end", []string{start, end("COMPLETE"), end("COMPLETE")}, "outcome failed late stop COMPLETE\n"},
		{"a call announced twice", []string{start, callStart(0, "a1", "tint"), callStart(0, "b2", "tint")},
			"outcome failed duplicate-announcement\nfailed a1 tint protocol-error\n"},
		{"an id used twice", []string{start, callStart(0, "a1", "tint"), callEnd(0), callStart(1, "a1", "tint")},
			"outcome failed duplicate-id\nfailed a1 tint protocol-error\n"},
		{"a fragment of nothing", []string{start, frag(0, "{}")}, "outcome failed unannounced\n"},
		{"a fragment behind the end", []string{start, callStart(0, "a1", "tint"), frag(0, "{}"), callEnd(0), frag(0, " ")},
			"outcome failed late\ncall a1 tint {}\n"},
		{"a fragment without an index", []string{start, callStart(0, "a1", "tint"), strings.Replace(frag(0, "{}"), `"index":0,`, "", 1)},
			"outcome failed missing-index\nfailed a1 tint protocol-error\n"},
		{"a fragment with another id", []string{start, callStart(0, "a1", "tint"), strings.Replace(frag(0, "{}"), `{"function"`, `{"id":"x","function"`, 1)},
			"outcome failed conflicting-identity\nfailed a1 tint protocol-error\n"},
		{"the id again", []string{start, callStart(0, "a1", "tint"), strings.Replace(frag(0, "{}"), `{"function"`, `{"id":"a1","function"`, 1), callEnd(0), end("TOOL_CALL")},
			"outcome complete stop TOOL_CALL\ncall a1 tint {}\n"},
		{"a delta of a call that says something else", []string{start, callStart(0, "a1", "tint"), `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"patch":"x"}}}}}`},
			"outcome failed unknown-delta\nfailed a1 tint protocol-error\n"},
		{"a call without an id", []string{start, callStart(0, "", "tint")}, "outcome failed incomplete-identity\n"},
		{"calls as a list", []string{start, `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":[{"id":"a1"}]}}}`},
			"outcome failed malformed-frame\n"},
		{"text for thinking", []string{start, think, say(0, "text", "hm")}, "outcome failed mismatched-part\nreasoning \"\"\n"},
		{"a member twice", []string{start, `{"type":"tool-call-end","index":0,"index":1}`}, "outcome failed malformed-frame\n"},
		{"no type", []string{start, `{"index":0}`}, "outcome failed malformed-frame\n"},
		{"a negative index", []string{start, callStart(-1, "a1", "tint")}, "outcome failed malformed-frame\n"},
		{"an index that is too large", []string{start, callStart(1<<31-1, "a1", "tint")}, "outcome failed malformed-frame\n"},
	} {
		got := wholecalltest.Read(strings.NewReader(stream(c.payloads...)), cohere.Chat)
		if got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, cohere.Chat, []byte(stream(c.payloads...)), wholecalltest.Rand(t))
	}
}

func TestTheNameOfTheEventMustAgree(t *testing.T) {
	bad := "event: content-end\ndata: " + start + "\n\n"
	if got := wholecalltest.Read(strings.NewReader(bad), cohere.Chat); got.Kind != wholecall.MalformedFrame {
		t.Errorf("got %s", got)
	}
}

func TestUsageAndOddities(t *testing.T) {
	in := stream(callStart(3, "a1", "tint"), callEnd(3),
		`{"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"billed_units":{"input_tokens":5},"tokens":{"input_tokens":15.0,"output_tokens":4,"reasoning_tokens":2},"cached_tokens":9}}}`)
	turn := wholecall.NewTurn(strings.NewReader(in), cohere.Chat)
	for _, err := range turn.Parts() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 15, Output: 4, CacheRead: 9, Reasoning: 2}) {
		t.Errorf("usage %+v", u)
	}
	if got := fmt.Sprint(turn.Deviations()); got != "[{missing-start 1} {sparse-index 1}]" {
		t.Errorf("deviations %s", got)
	}
}

// Whatever of it the decoder understands, the encoder writes so that the same comes out again.
func TestWhatIsDecodedCanBeEncoded(t *testing.T) {
	for _, payloads := range [][]string{
		{start, plan("I will"), callStart(1, "a1", "tint"), callEnd(1), plan("more"), callStart(0, "b2", "tint"), frag(0, "{}"), callEnd(0), end("TOOL_CALL")},
		{start, strings.Replace(text, `"index":0`, `"index":4`, 1), say(4, "text", "-3."), cite(`{"start":0,"end":3}`), textEnd(4), cite(`{"start":0}`), end("COMPLETE")},
		{start, `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"image","x":1}}}}`, textEnd(0), end("NEW_REASON")},
		{start, callStart(0, "a1", "tint"), frag(0, `{"a`), end("MAX_TOKENS")},
		{start, `{"type":"message-end","delta":{"error":"too busy","finish_reason":"ERROR"}}`},
	} {
		in := []byte(stream(payloads...))
		events := wholecalltest.Decode(t, cohere.Chat, in)
		out := wholecalltest.Join(wholecalltest.Encode(t, cohere.Chat, events))
		want, got := wholecalltest.Read(bytes.NewReader(in), cohere.Chat), wholecalltest.Read(bytes.NewReader(out), cohere.Chat)
		if got.String() != want.String() {
			t.Errorf("got %swant %sstream:\n%s", got, want, out)
		}
		again := wholecalltest.Decode(t, cohere.Chat, out)
		if keys(again) != keys(events) {
			t.Errorf("got %s\nwant %s", keys(again), keys(events))
		}
	}
}

// keys writes down the kinds and keys of events.
func keys(events []wholecall.Event) string {
	var b strings.Builder
	for _, ev := range events {
		if ev.Kind != wholecall.Deviate && (ev.Kind != wholecall.Delta || len(ev.Data) > 0) {
			fmt.Fprintf(&b, "%d %+v\n", ev.Kind, ev.Key)
		}
	}
	return b.String()
}

func TestEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 tint free", "announce 0 a1 tint server", "refusal 0", "announce 1.0 a1 tint",
		"text 0 · sign 0 x", "say 0 x", "frag 0 x", "end 0", "stop x refusal", "stop ERROR",
	} {
		enc := cohere.Chat.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			_, err = enc.Append(nil, &ev)
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
}

// A turn of another provider, whose texts and calls share their positions, can be written too.
func TestEncodesWhatAnotherProtocolDecoded(t *testing.T) {
	events := wholecalltest.Parse(`begin m1 model · text 0 · say 0 hm · close 0
		announce 1 a1 tint · copy 1 {"a":1} · end 1 · announce 2 b2 tint · end 2 token-limit
		stop length token-limit · terminal`)
	got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, cohere.Chat, events))), cohere.Chat)
	want := "outcome incomplete calls-failed stop MAX_TOKENS\ntext \"hm\"\ncall a1 tint {\"a\":1}\nfailed b2 tint token-limit\n"
	if got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// A protocol whose calls have no end of their own: its stop ends them, and no bytes are no arguments only
// where it says so.
func TestStopEndsCalls(t *testing.T) {
	events := wholecalltest.Parse(`begin m1 model · announce 0 a1 tint · frag 0 {"a":
		announce 1 b2 tint · frag 0 1} · stop stop ends · terminal`)
	got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, cohere.Chat, events))), cohere.Chat)
	want := "outcome incomplete calls-failed stop stop\ncall a1 tint {\"a\":1}\nfailed b2 tint unfinished\n"
	if got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestLineEndsBetweenTokens(t *testing.T) {
	in := "data: " + start + "\n\ndata: " + strings.Replace(cite("{\ndata: \"start\":0}"), "}}}", "}}\ndata: }", 1) + "\n\ndata: " + end("COMPLETE") + "\n\n"
	events := wholecalltest.Decode(t, cohere.Chat, []byte(in))
	got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, cohere.Chat, events))), cohere.Chat)
	if got.Outcome != wholecall.Complete || fmt.Sprint(got.Handed) != `[data citation { "start":0}]` {
		t.Errorf("got %s", got)
	}
}
