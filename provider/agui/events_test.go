package agui_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/agui"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, Reasoning: true,
	Good: "calls", Done: "success",
}

// plain is the protocol with two things that random turns have and its wire does not: the model's name
// goes inside the id, and the stop reason tells whether there are calls.
type plain struct{ wholecall.Protocol }

func (p plain) NewEncoder() wholecall.Encoder { return plainEncoder{p.Protocol.NewEncoder()} }

func (p plain) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &plainDecoder{Decoder: p.Protocol.NewDecoder(d)}
}

type plainEncoder struct{ wholecall.Encoder }

func (e plainEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Begin {
		ev = &wholecall.Event{Kind: wholecall.Begin, ID: slices.Concat(ev.ID, []byte(" "), ev.Name)}
	}
	return e.Encoder.Append(dst, ev)
}

type plainDecoder struct {
	wholecall.Decoder
	calls bool
}

func (d *plainDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		switch ev := &events[i]; ev.Kind {
		case wholecall.Begin:
			ev.ID, ev.Name, _ = bytes.Cut(ev.ID, []byte(" "))
		case wholecall.Announce:
			d.calls = true
		case wholecall.Stop:
			if d.calls {
				ev.Name = []byte("calls")
			}
		}
	}
	return events, err
}

func TestLaws(t *testing.T) { wholecalltest.Laws(t, plain{agui.Events}, shape) }

func FuzzEvents(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, agui.Events, events)))
	}
	for _, c := range cases {
		f.Add([]byte(stream(c.payloads...)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, agui.Events, stream) })
}

// The pieces of a stream, each the data of one event.
const (
	start  = `{"type":"RUN_STARTED","threadId":"th","runId":"r1"}`
	finish = `{"type":"RUN_FINISHED","threadId":"th","runId":"r1"}`
	raw    = `{"type":"RAW","event":{"x":1}}`
	state  = `{"type":"STATE_DELTA","delta":[{"op":"add"}]}`
)

func begin(id string) string {
	return fmt.Sprintf(`{"type":"TOOL_CALL_START","toolCallId":%q,"toolCallName":"zoom"}`, id)
}

func args(id, s string) string {
	return fmt.Sprintf(`{"type":"TOOL_CALL_ARGS","toolCallId":%q,"delta":%q}`, id, s)
}

func end(id string) string { return fmt.Sprintf(`{"type":"TOOL_CALL_END","toolCallId":%q}`, id) }

func chunk(members string) string { return `{"type":"TOOL_CALL_CHUNK",` + members + `}` }

func first(id, s string) string {
	return chunk(fmt.Sprintf(`"toolCallId":%q,"toolCallName":"zoom","delta":%q`, id, s))
}

func more(s string) string { return chunk(fmt.Sprintf(`"delta":%q`, s)) }

func event(typ string, members ...string) string {
	return strings.Join(append([]string{`{"type":"` + typ + `"`}, members...), ",") + "}"
}

const m1, m2 = `"messageId":"m1"`, `"messageId":"m2"`

func say(s string) string { return fmt.Sprintf(`"delta":%q`, s) }

func messages(list string) string { return event("MESSAGES_SNAPSHOT", `"messages":`+list) }

// stream makes server-sent events of payloads.
func stream(payloads ...string) string {
	var b strings.Builder
	for _, p := range payloads {
		fmt.Fprintf(&b, "data: %s\n\n", p)
	}
	return b.String()
}

var cases = []struct {
	name     string
	payloads []string
	devs     string
	want     string
}{
	{name: "two calls of one tool, interleaved",
		payloads: []string{start, begin("c1"), begin("c2"), args("c1", `{"k":`), args("c2", `{"k":2}`), end("c2"), args("c1", `1}`), end("c1"), finish},
		want:     "outcome complete stop RUN_FINISHED\ncall c1 zoom {\"k\":1}\ncall c2 zoom {\"k\":2}\n"},
	{name: "a result, and state",
		payloads: []string{start, begin("c1"), args("c1", `{}`), end("c1"), event("TOOL_CALL_RESULT", `"toolCallId":"c1"`, m1, `"content":"ok"`), state, finish},
		want: "outcome complete stop RUN_FINISHED\ncall c1 zoom {}\ndata TOOL_CALL_RESULT {\"type\":\"TOOL_CALL_RESULT\",\"toolCallId\":\"c1\",\"messageId\":\"m1\",\"content\":\"ok\"}\n" +
			"data STATE_DELTA " + state + "\n"},
	{name: "state inside a call",
		payloads: []string{start, begin("c1"), args("c1", `{`), event("STEP_STARTED", `"stepName":"s"`), state, args("c1", `}`), end("c1"), finish},
		want:     "outcome complete stop RUN_FINISHED\ncall c1 zoom {}\ndata STATE_DELTA " + state + "\n"},
	{name: "a start of an id that has ended",
		payloads: []string{start, begin("c1"), args("c1", `{}`), end("c1"), begin("c1"), args("c1", `{}`), end("c1"), finish},
		want:     "outcome failed duplicate-announcement\ncall c1 zoom {}\n"},
	{name: "a start of an id that is open",
		payloads: []string{start, begin("c1"), begin("c1")}, want: "outcome failed duplicate-announcement\nfailed c1 zoom protocol-error\n"},
	{name: "no arguments: none, or left out",
		payloads: []string{start, begin("c1"), end("c1"), begin("c2"), args("c2", "{}"), end("c2"), finish},
		want:     "outcome incomplete calls-failed stop RUN_FINISHED\nfailed c1 zoom argument-error empty-document\ncall c2 zoom {}\n"},
	{name: "half a document", payloads: []string{start, begin("c1"), args("c1", `{"a`), end("c1"), finish},
		want: "outcome incomplete calls-failed stop RUN_FINISHED\nfailed c1 zoom argument-error incomplete-json\n"},
	{name: "arguments of nothing", payloads: []string{start, args("c1", "{}")}, want: "outcome failed unannounced\n"},
	{name: "an end of nothing", payloads: []string{start, end("c1")}, want: "outcome failed unannounced\n"},
	{name: "arguments behind the end", payloads: []string{start, begin("c1"), args("c1", "{}"), end("c1"), args("c1", " ")}, want: "outcome failed late\ncall c1 zoom {}\n"},
	{name: "a second end", payloads: []string{start, begin("c1"), args("c1", "{}"), end("c1"), end("c1")}, want: "outcome failed late\ncall c1 zoom {}\n"},
	{name: "arguments without an id", payloads: []string{start, begin("c1"), event("TOOL_CALL_ARGS", say("{}"))},
		want: "outcome failed missing-index\nfailed c1 zoom protocol-error\n"},
	{name: "arguments without a delta", payloads: []string{start, begin("c1"), event("TOOL_CALL_ARGS", `"toolCallId":"c1"`, `"args":"{}"`)},
		want: "outcome failed unknown-delta\nfailed c1 zoom protocol-error\n"},
	{name: "a delta for a call that is not known", payloads: []string{start, begin("c1"), event("TOOL_CALL_PATCH", `"toolCallId":"c1"`, say("x"))},
		want: "outcome failed unknown-delta\nfailed c1 zoom protocol-error\n"},
	{name: "a call without a name", payloads: []string{start, event("TOOL_CALL_START", `"toolCallId":"c1"`)}, want: "outcome failed incomplete-identity\n"},
	{name: "a run that ends with an open call", payloads: []string{start, begin("c1"), args("c1", "{}"), finish},
		want: "outcome incomplete calls-failed stop RUN_FINISHED\nfailed c1 zoom unfinished\n"},
	{name: "a body that is cut", payloads: []string{start, begin("c1"), args("c1", "{}")}, want: "outcome incomplete truncated\nfailed c1 zoom truncated\n"},

	{name: "chunks", payloads: []string{start, first("c1", `{"k"`), more(`:1`), first("c1", `}`), first("c2", ``), chunk(`"delta":"{}","toolCallId":null`), finish},
		want: "outcome complete stop RUN_FINISHED\ncall c1 zoom {\"k\":1}\ncall c2 zoom {}\n"},
	{name: "a chunk without a delta", payloads: []string{start, chunk(`"toolCallId":"c1","toolCallName":"zoom"`), chunk(`"parentMessageId":null`), more("{}"), finish},
		want: "outcome complete stop RUN_FINISHED\ncall c1 zoom {}\n"},
	{name: "what passes inside a call in chunks", payloads: []string{start, first("c1", `{`), raw, event("WEATHER"), more(`}`), finish},
		want: "outcome complete stop RUN_FINISHED\ncall c1 zoom {}\ndata RAW " + raw + "\n"},
	{name: "what ends a call in chunks", payloads: []string{start, first("c1", `{`), state, more(`}`), finish},
		want: "outcome failed unannounced\nfailed c1 zoom protocol-error\ndata STATE_DELTA " + state + "\n"},
	{name: "chunks of two calls that interleave", payloads: []string{start, first("c1", `{`), first("c2", `{}`), first("c1", `}`)},
		want: "outcome failed duplicate-announcement\nfailed c1 zoom protocol-error\nfailed c2 zoom protocol-error\n"},
	{name: "a chunk of a call that was announced otherwise", payloads: []string{start, begin("c1"), first("c1", `{`)},
		want: "outcome failed duplicate-announcement\nfailed c1 zoom protocol-error\n"},
	{name: "a chunk with another name", payloads: []string{start, first("c1", `{`), chunk(`"toolCallId":"c1","toolCallName":"zap","delta":"}"`)},
		want: "outcome failed conflicting-identity\nfailed c1 zoom protocol-error\n"},
	{name: "a first chunk without a name", payloads: []string{start, chunk(`"toolCallId":"c1","delta":"{}"`)}, want: "outcome failed incomplete-identity\n"},
	{name: "a first chunk without an id", payloads: []string{start, chunk(`"toolCallName":"zoom","delta":"{}"`)}, want: "outcome failed incomplete-identity\n"},
	{name: "an event that is no event ends no call", payloads: []string{start, first("c1", `{}`), end("c9")},
		want: "outcome failed unannounced\nfailed c1 zoom protocol-error\n"},
	{name: "an error ends no call", payloads: []string{start, first("c1", `{}`), event("RUN_ERROR", `"message":"no"`, `"code":"E1"`)},
		want: "outcome failed provider-error\nfailed c1 zoom provider-error\n"},
	{name: "a body that is cut ends no call", payloads: []string{start, first("c1", `{}`)}, want: "outcome incomplete truncated\nfailed c1 zoom truncated\n"},

	{name: "texts", payloads: []string{start, event("TEXT_MESSAGE_START", m1, `"role":"assistant"`), event("REASONING_START", m2), event("REASONING_MESSAGE_START", m2, `"role":"reasoning"`), event("TEXT_MESSAGE_CONTENT", m1, say("a")), event("REASONING_MESSAGE_CONTENT", m2, say("hm")), event("REASONING_MESSAGE_END", m2), event("REASONING_END", m2), event("TEXT_MESSAGE_END", m1), event("TEXT_MESSAGE_START", m1), event("TEXT_MESSAGE_END", m1), finish},
		want: "outcome complete stop RUN_FINISHED\ntext \"a\"\nreasoning \"hm\"\ntext \"\"\n"},
	{name: "texts in chunks", payloads: []string{start, event("TEXT_MESSAGE_CHUNK", m1, say("a")), event("TEXT_MESSAGE_CHUNK", say("b")), event("TEXT_MESSAGE_CHUNK", m2), event("REASONING_MESSAGE_CHUNK", m1, say("hm")), first("c1", "{}"), event("TEXT_MESSAGE_CHUNK", m1, say("c")), finish},
		want: "outcome complete stop RUN_FINISHED\ntext \"ab\"\ntext \"\"\nreasoning \"hm\"\ncall c1 zoom {}\ntext \"c\"\n"},
	{name: "thinking, the older form", payloads: []string{start, event("THINKING_START"), event("THINKING_TEXT_MESSAGE_START"), event("THINKING_TEXT_MESSAGE_CONTENT", say("hm")), event("THINKING_TEXT_MESSAGE_END"), event("THINKING_END"), finish},
		want: "outcome complete stop RUN_FINISHED\nreasoning \"hm\"\n"},
	{name: "a message of the user", payloads: []string{start, event("TEXT_MESSAGE_START", m1, `"role":"user"`), event("TEXT_MESSAGE_CONTENT", m1, say("a")), event("TEXT_MESSAGE_END", m1), finish},
		want: "outcome complete stop RUN_FINISHED\ndata TEXT_MESSAGE_START {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m1\",\"role\":\"user\"}\n"},
	{name: "a message that is open begins", payloads: []string{start, event("TEXT_MESSAGE_START", m1), event("TEXT_MESSAGE_START", m1)}, want: "outcome failed duplicate-announcement\ntext \"\"\n"},
	{name: "a chunk of a message that is open", payloads: []string{start, event("TEXT_MESSAGE_START", m1), event("TEXT_MESSAGE_CHUNK", m1)}, want: "outcome failed duplicate-announcement\ntext \"\"\n"},
	{name: "a message that never began", payloads: []string{start, event("TEXT_MESSAGE_CONTENT", m1, say("a"))}, want: "outcome failed unannounced\n"},
	{name: "a message behind its end", payloads: []string{start, event("TEXT_MESSAGE_START", m1), event("TEXT_MESSAGE_END", m1), event("TEXT_MESSAGE_END", m1)}, want: "outcome failed late\ntext \"\"\n"},
	{name: "content without text", payloads: []string{start, event("TEXT_MESSAGE_START", m1), event("TEXT_MESSAGE_CONTENT", m1)}, want: "outcome failed malformed-frame\ntext \"\"\n"},
	{name: "a message without an id", payloads: []string{start, event("TEXT_MESSAGE_START")}, want: "outcome failed malformed-frame\n"},
	{name: "a first chunk of a message without an id", payloads: []string{start, event("TEXT_MESSAGE_CHUNK", say("a"))}, want: "outcome failed malformed-frame\n"},

	{name: "a snapshot with the call",
		payloads: []string{start, begin("c1"), args("c1", `{"k": 1}`), end("c1"), messages(`[{"role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"zoom","arguments":"{\"k\":2}"}}]},{"role":"user","content":"again"},{"role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"zoom","arguments":"{\"k\":1}"}}]}]`), finish},
		want:     "outcome complete stop RUN_FINISHED\ncall c1 zoom {\"k\": 1}\ndata MESSAGES_SNAPSHOT " + messages(`[{"role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"zoom","arguments":"{\"k\":2}"}}]},{"role":"user","content":"again"},{"role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"zoom","arguments":"{\"k\":1}"}}]}]`) + "\n"},
	{name: "a snapshot that contradicts",
		payloads: []string{start, begin("c1"), args("c1", `{"k":1}`), end("c1"), messages(`[{"toolCalls":[{"id":"c1","function":{"arguments":"{}"}}]}]`)},
		want:     "outcome failed copy-mismatch\ncall c1 zoom {\"k\":1}\ndata MESSAGES_SNAPSHOT " + messages(`[{"toolCalls":[{"id":"c1","function":{"arguments":"{}"}}]}]`) + "\n"},
	{name: "a call that is only in a snapshot", devs: "[{call-only-in-snapshot 1}]",
		payloads: []string{start, messages(`[{"toolCalls":[{"id":"c0"}]},{"toolCalls":[{"id":"c1","function":{"arguments":"{}"}}]}]`), finish},
		want:     "outcome complete stop RUN_FINISHED\ndata MESSAGES_SNAPSHOT " + messages(`[{"toolCalls":[{"id":"c0"}]},{"toolCalls":[{"id":"c1","function":{"arguments":"{}"}}]}]`) + "\n"},
	{name: "a call of an earlier run in a snapshot",
		payloads: []string{start, messages(`[{"toolCalls":[{"id":"c0"}]},{"role":"tool","toolCallId":"c0"}]`), finish},
		want:     "outcome complete stop RUN_FINISHED\ndata MESSAGES_SNAPSHOT " + messages(`[{"toolCalls":[{"id":"c0"}]},{"role":"tool","toolCallId":"c0"}]`) + "\n"},
	{name: "a snapshot of no list", payloads: []string{start, event("MESSAGES_SNAPSHOT", `"messages":{}`), finish},
		want: "outcome complete stop RUN_FINISHED\ndata MESSAGES_SNAPSHOT " + event("MESSAGES_SNAPSHOT", `"messages":{}`) + "\n"},

	{name: "a success", payloads: []string{start, event("RUN_FINISHED", `"outcome":{"type":"success"}`)}, want: "outcome complete stop success\n"},
	{name: "an outcome that is null", payloads: []string{start, event("RUN_FINISHED", `"outcome":null`)}, want: "outcome complete stop RUN_FINISHED\n"},
	{name: "an interruption", payloads: []string{start, begin("c1"), args("c1", "{}"), end("c1"), begin("c2"), event("RUN_FINISHED", `"outcome":{"type":"interrupt","interrupts":[{"id":"i1"}]}`)},
		want: "outcome incomplete calls-failed stop interrupt\ncall c1 zoom {}\nfailed c2 zoom paused\ndata RUN_FINISHED " + event("RUN_FINISHED", `"outcome":{"type":"interrupt","interrupts":[{"id":"i1"}]}`) + "\n"},
	{name: "a result of the run", payloads: []string{start, event("RUN_FINISHED", `"result":{"x":1}`)}, want: "outcome complete stop RUN_FINISHED\ndata RUN_FINISHED " + event("RUN_FINISHED", `"result":{"x":1}`) + "\n"},
	{name: "no start", devs: "[{missing-start 1}]", payloads: []string{begin("c1"), args("c1", "{}"), end("c1"), finish}, want: "outcome complete stop RUN_FINISHED\ncall c1 zoom {}\n"},
	{name: "a second start", payloads: []string{start, start}, want: "outcome failed restarted\n"},
	{name: "behind the end", payloads: []string{start, finish, state}, want: "outcome failed late stop RUN_FINISHED\n"},
	{name: "an error behind the end", payloads: []string{start, finish, event("RUN_ERROR", `"message":"no"`)}, want: "outcome failed provider-error stop RUN_FINISHED\n"},
	{name: "a member twice", payloads: []string{start, event("TOOL_CALL_END", `"toolCallId":"c1"`, `"toolCallId":"c2"`)}, want: "outcome failed malformed-frame\n"},
	{name: "no type", payloads: []string{`{"runId":"r1"}`}, want: "outcome failed malformed-frame\n"},
	{name: "no JSON", payloads: []string{start, `{"type"`}, want: "outcome failed malformed-frame\n"},
	{name: "a usage that is no list of objects", payloads: []string{start, event("RUN_FINISHED", `"usage":[1]`)}, want: "outcome failed malformed-frame\n"},
}

func TestOddities(t *testing.T) {
	r := wholecalltest.Rand(t)
	for _, c := range cases {
		turn := wholecall.NewTurn(strings.NewReader(stream(c.payloads...)), agui.Events)
		if got := wholecalltest.Drain(turn); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		if got := fmt.Sprint(turn.Deviations()); got != c.devs && got+c.devs != "[]" {
			t.Errorf("%s: deviations %s, want %s", c.name, got, c.devs)
		}
		wholecalltest.SameForAnyChunking(t, agui.Events, []byte(stream(c.payloads...)), r)
	}
}

// What the decoder makes of a stream, the encoder writes so that the same comes out again.
func TestWhatIsDecodedCanBeEncoded(t *testing.T) {
	for _, c := range cases {
		in := []byte(stream(c.payloads...))
		want := wholecalltest.Read(bytes.NewReader(in), agui.Events)
		if want.Outcome == wholecall.Failed || want.Kind == wholecall.Truncated {
			continue
		}
		events := wholecalltest.Decode(t, agui.Events, in)
		out := wholecalltest.Join(wholecalltest.Encode(t, agui.Events, events))
		if got := wholecalltest.Read(bytes.NewReader(out), agui.Events); got.String() != want.String() {
			t.Errorf("%s:\ngot  %swant %sstream:\n%s", c.name, got, want, out)
		}
	}
}

// What the first event of a call says beside its id and name, and the token counts, come out and go in
// again.
func TestWhatElseIsSaid(t *testing.T) {
	in := stream(start, strings.TrimSuffix(first("c1", "{}"), "}")+`,"parentMessageId":"m1","metadata":{"a":1}}`,
		event("RUN_FINISHED", `"usage":[{"inputTokens":2,"outputTokens":3,"model":"a"},{"inputTokens":5,"reasoningTokens":1,"cachedInputTokens":4}]`))
	for range 2 {
		turn := wholecall.NewTurn(strings.NewReader(in), agui.Events)
		wholecalltest.Drain(turn)
		calls := turn.Completed()
		if len(calls) != 1 || string(calls[0].Extra()) != `{"parentMessageId":"m1","metadata":{"a":1}}` {
			t.Fatalf("calls %v", calls)
		}
		if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 7, Output: 3, Reasoning: 1, CacheRead: 4}) {
			t.Errorf("usage %+v", u)
		}
		in = string(wholecalltest.Join(wholecalltest.Encode(t, agui.Events, wholecalltest.Decode(t, agui.Events, []byte(in)))))
	}
}

// A stream may hold several runs, and each is a turn.
func TestTurns(t *testing.T) {
	run := []string{start, first("c1", "{}"), finish}
	n := 0
	for turn := range wholecall.Turns(strings.NewReader(stream(append(run, run...)...)), agui.Events) {
		if got := wholecalltest.Drain(turn); got.Outcome != wholecall.Complete || len(got.Calls) != 1 {
			t.Errorf("got %s", got)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d turns", n)
	}
}

// A turn of another provider can be written too.
func TestEncodesWhatAnotherProtocolDecoded(t *testing.T) {
	for script, want := range map[string]string{
		`begin m1 model · text 0/1 · say 0/1 hm · close 0/1 · data 3 redacted {"x":1} · close 3
		announce 1 a1 tint empty · copy 1 {"a":1} · copy 1 {"a": 1} · final 1 {} · end 1 · announce 2 b2 tint · frag 2 {"a · end 2 truncated
		stop end_turn · terminal`: "outcome incomplete calls-failed stop success\ntext \"hm\"\ndata CUSTOM {\"type\":\"CUSTOM\",\"name\":\"redacted\",\"value\":{\"x\":1}}\ncall a1 tint {\"a\":1}\nfailed b2 tint unfinished\n",
		`begin m1 model · announce 0 a1 tint empty · end 0 · stop tool_use promises · terminal`:                                  "outcome complete stop success\ncall a1 tint {}\n",
		`begin m1 model · text 0/1 · say 0/1 a · announce 0 a1 tint · frag 0 {} · announce 1 b2 tint · stop end ends · terminal`: "outcome incomplete calls-failed stop success\ntext \"a\"\ncall a1 tint {}\nfailed b2 tint argument-error empty-document\n",
		`begin m1 model · announce 0 a1 tint · fail E1 busy`:                                                                     "outcome failed provider-error\nfailed a1 tint provider-error\n",
	} {
		b := wholecalltest.Join(wholecalltest.Encode(t, agui.Events, wholecalltest.Parse(script)))
		if got := wholecalltest.Read(bytes.NewReader(b), agui.Events); got.String() != want {
			t.Errorf("%s\ngot  %swant %s%s", script, got, want, b)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 tint free", "announce 0 a1 tint server", "refusal 0", "announce 1.0 a1 tint", "text 0 · sign 0 x", "say 0 x",
		"frag 0 x", "end 0", "terminal", "stop x token-limit · terminal", "stop x refusal", "stop x paused", "stop x token-limit", "data 0 x {", "data 0 x {} · say 0 x",
		"announce 0 a1 tint · frag 0 {} · copy 0 []",
	} {
		enc := agui.Events.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			_, err = enc.Append(nil, &ev)
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
}

func TestEncodesUsageOfAnother(t *testing.T) {
	enc := agui.Events.NewEncoder()
	var b []byte
	for _, ev := range []wholecall.Event{{Kind: wholecall.Begin}, {Kind: wholecall.UsageReport, Usage: wholecall.Usage{Input: 3}, Data: []byte(`{"input_tokens":3}`)},
		{Kind: wholecall.Stop, Name: []byte("end")}, {Kind: wholecall.Terminal}} {
		var err error
		if b, err = enc.Append(b, &ev); err != nil {
			t.Fatal(err)
		}
	}
	turn := wholecall.NewTurn(bytes.NewReader(b), agui.Events)
	wholecalltest.Drain(turn)
	if u, _ := turn.Usage(); u.Input != 3 {
		t.Errorf("usage %+v of\n%s", u, b)
	}
	if _, err := enc.Append(nil, &wholecall.Event{Kind: 99}); err == nil {
		t.Error("an unknown event: no error")
	}
}

func TestRecognises(t *testing.T) {
	for data, want := range map[string]int{
		start: 100, begin("c1"): 100, more("x"): 100, event("RUN_ERROR"): 80, state: 80, raw: 50, `{"type":"start"}`: 0, `[DONE]`: 0,
	} {
		if got := agui.Events.Recognises(&frame.Frame{Data: []byte(data)}); got != want {
			t.Errorf("%s: %d, want %d", data, got, want)
		}
	}
}
