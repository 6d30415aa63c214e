package aisdk_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
	"github.com/wholecall/wholecall/provider/aisdk"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, Reasoning: true, Server: true,
	Good: "tool-calls", Done: "stop",
}

func TestLaws(t *testing.T) { wholecalltest.Laws(t, aisdk.UIMessage, shape) }

// TestCopyShowsWhatIsLost: the copy of the input shows every fragment that is dropped, doubled or swapped,
// but for white space between tokens.
func TestCopyShowsWhatIsLost(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 60 {
		events, calls := shape.Turn(r)
		docs := map[string]string{}
		for _, c := range calls {
			docs[c.ID] = c.Arguments
		}
		frames := wholecalltest.Encode(t, aisdk.UIMessage, events)
		for i := range frames {
			j := r.IntN(len(frames))
			swapped := slices.Clone(frames)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			for _, m := range [][]wholecalltest.Frame{
				slices.Delete(slices.Clone(frames), i, i+1), slices.Insert(slices.Clone(frames), i, frames[i]), swapped,
			} {
				for _, c := range wholecalltest.Read(bytes.NewReader(wholecalltest.Join(m)), aisdk.UIMessage).Calls {
					if !strictjson.Equal([]byte(c.Arguments), []byte(docs[c.ID])) {
						t.Fatalf("frame %d, %d: call %s has another document\n%s", i, j, c.ID, wholecalltest.Join(m))
					}
				}
			}
		}
	}
}

func FuzzUIMessage(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, aisdk.UIMessage, events)), false)
	}
	for _, c := range cases {
		f.Add([]byte(stream(c.payloads...)), c.dialect != "")
	}
	revised, _ := wholecall.DialectNamed(aisdk.UIMessage, "aisdk-revised")
	f.Fuzz(func(t *testing.T, stream []byte, lax bool) {
		var d wholecall.Dialect
		if lax {
			d = revised
		}
		wholecalltest.NeverLoses(t, aisdk.UIMessage, stream, wholecall.WithDialect(d))
	})
}

// The pieces of a stream, each the data of one event.
const (
	start  = `{"type":"start","messageId":"u1"}`
	step   = `{"type":"start-step"}`
	stepUp = `{"type":"finish-step"}`
	pinned = `{"type":"tool-output-available","toolCallId":"t1","output":{"ok":true}}`
)

func begin(id string) string {
	return fmt.Sprintf(`{"type":"tool-input-start","toolCallId":%q,"toolName":"pin"}`, id)
}

func delta(id, s string) string {
	return fmt.Sprintf(`{"type":"tool-input-delta","toolCallId":%q,"inputTextDelta":%q}`, id, s)
}

func whole(id, input string) string {
	return fmt.Sprintf(`{"type":"tool-input-available","toolCallId":%q,"toolName":"pin","input":%s}`, id, input)
}

func bad(id, input string) string {
	return fmt.Sprintf(`{"type":"tool-input-error","toolCallId":%q,"toolName":"pin","input":%s,"errorText":"no"}`, id, input)
}

func text(what, id string) string { return fmt.Sprintf(`{"type":%q,"id":%q}`, what, id) }

func say(what, id, s string) string {
	return fmt.Sprintf(`{"type":"%s-delta","id":%q,"delta":%q}`, what, id, s)
}

func finish(reason string) string {
	return fmt.Sprintf(`{"type":"finish","finishReason":%q}`, reason)
}

// with adds members to an event.
func with(event, members string) string { return strings.TrimSuffix(event, "}") + "," + members + "}" }

// stream makes server-sent events of payloads, with [DONE] behind them.
func stream(payloads ...string) string {
	var b strings.Builder
	for _, p := range append(payloads, "[DONE]") {
		fmt.Fprintf(&b, "data: %s\n\n", p)
	}
	return b.String()
}

var cases = []struct {
	name     string
	payloads []string
	dialect  string
	devs     string
	want     string
}{
	{name: "two calls of one tool, interleaved",
		payloads: []string{start, step, begin("t1"), begin("t2"), delta("t1", `{"x":`), delta("t2", `{"x":2}`), whole("t2", `{"x":2}`), delta("t1", `1}`), whole("t1", `{"x":1}`), stepUp, finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin {\"x\":1}\ncall t2 pin {\"x\":2}\n"},
	{name: "a whole call, and its result",
		payloads: []string{start, step, whole("t1", `{"x": 1}`), pinned, stepUp, step, text("text-start", "0"), say("text", "0", "done"), text("text-end", "0"), stepUp, finish("stop")},
		want:     "outcome complete stop stop\ncall t1 pin {\"x\": 1}\ndata tool-output-available " + pinned + "\ntext \"done\"\n"},
	{name: "a start and no delta: the input is the document",
		payloads: []string{start, begin("t1"), whole("t1", `{}`), finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin {}\n"},
	{name: "an empty delta brings nothing",
		payloads: []string{start, begin("t1"), delta("t1", ""), whole("t1", `{}`), finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin {}\n"},
	{name: "the copy differs as text and is one value",
		payloads: []string{start, begin("t1"), delta("t1", `{ "x":1.0}`), whole("t1", `{"x":1}`), finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin { \"x\":1.0}\n"},
	{name: "the copy is another value",
		payloads: []string{start, begin("t1"), delta("t1", `{"x":1}`), begin("t2"), whole("t1", `{"x":1,"y":0}`), whole("t2", `{}`), finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin argument-error document-mismatch\ncall t2 pin {}\n"},
	{name: "the copy is another value, allowed", dialect: "aisdk-revised", devs: "[{revised-input 1}]",
		payloads: []string{start, begin("t1"), delta("t1", `{"x":1}`), whole("t1", `{"x":1,"y":0}`), finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin {\"x\":1,\"y\":0}\n"},
	{name: "deltas alone are no call, even so", dialect: "aisdk-revised", devs: "[{revised-input 1}]",
		payloads: []string{start, begin("t1"), delta("t1", `{"x":1}`), finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin unfinished\n"},
	{name: "no copy where the deltas are the document", devs: "[{empty-copy 1}]",
		payloads: []string{start, begin("t1"), delta("t1", `{}`), `{"type":"tool-input-available","toolCallId":"t1","toolName":"pin"}`, finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin {}\n"},
	{name: "no input at all",
		payloads: []string{start, `{"type":"tool-input-available","toolCallId":"t1","toolName":"pin"}`, finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin argument-error empty-document\n"},
	{name: "an input that is null is a value",
		payloads: []string{start, whole("t1", `null`), finish("tool-calls")},
		want:     "outcome complete stop tool-calls\ncall t1 pin null\n"},
	{name: "an input with a member twice",
		payloads: []string{start, whole("t1", `{"a":1,"a":2}`), finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin argument-error duplicate-member\n"},
	{name: "the server could not read the input",
		payloads: []string{start, begin("t1"), delta("t1", `{"x":`), bad("t1", `"{\"x\":"`), `{"type":"tool-output-error","toolCallId":"t1","errorText":"no"}`, finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin argument-error\ndata tool-output-error {\"type\":\"tool-output-error\",\"toolCallId\":\"t1\",\"errorText\":\"no\"}\n"},
	{name: "the server does not know the tool of a whole call",
		payloads: []string{start, bad("t1", `{"x":1}`), finish("tool-calls")},
		want:     "outcome incomplete calls-failed stop tool-calls\nfailed t1 pin argument-error\n"},
	{name: "a call that the provider runs",
		payloads: []string{start, with(begin("t1"), `"providerExecuted":true`), delta("t1", `{}`), whole("t1", `{}`), finish("stop")},
		want:     "outcome complete stop stop\nserver_call t1 pin {}\n"},
	{name: "two answers to who runs the call",
		payloads: []string{start, begin("t1"), with(whole("t1", `{}`), `"providerExecuted":true`)},
		want:     "outcome failed conflicting-identity\nfailed t1 pin protocol-error\n"},
	{name: "another name at the end",
		payloads: []string{start, begin("t1"), strings.Replace(whole("t1", `{}`), "pin", "pan", 1)},
		want:     "outcome failed conflicting-identity\nfailed t1 pin protocol-error\n"},
	{name: "a second start of one id",
		payloads: []string{start, begin("t1"), delta("t1", "{"), begin("t1"), delta("t1", "{}"), whole("t1", "{}"), finish("tool-calls")},
		want:     "outcome failed duplicate-announcement\nfailed t1 pin protocol-error\n"},
	{name: "a start of an id that has ended",
		payloads: []string{start, whole("t1", "{}"), begin("t1")},
		want:     "outcome failed duplicate-announcement\ncall t1 pin {}\n"},
	{name: "a second end",
		payloads: []string{start, whole("t1", "{}"), whole("t1", "{}")},
		want:     "outcome failed late\ncall t1 pin {}\n"},
	{name: "a delta behind the end",
		payloads: []string{start, whole("t1", "{}"), delta("t1", " ")},
		want:     "outcome failed late\ncall t1 pin {}\n"},
	{name: "a delta of nothing",
		payloads: []string{start, delta("t1", "{}")}, want: "outcome failed unannounced\n"},
	{name: "a delta without an id",
		payloads: []string{start, begin("t1"), `{"type":"tool-input-delta","inputTextDelta":"{}"}`},
		want:     "outcome failed missing-index\nfailed t1 pin protocol-error\n"},
	{name: "a delta without its text",
		payloads: []string{start, begin("t1"), `{"type":"tool-input-delta","toolCallId":"t1","delta":"{}"}`},
		want:     "outcome failed unknown-delta\nfailed t1 pin protocol-error\n"},
	{name: "an event about a call's input that is not known",
		payloads: []string{start, begin("t1"), `{"type":"tool-input-patch","toolCallId":"t1"}`},
		want:     "outcome failed unknown-delta\nfailed t1 pin protocol-error\n"},
	{name: "a call without a name",
		payloads: []string{start, `{"type":"tool-input-start","toolCallId":"t1"}`}, want: "outcome failed incomplete-identity\n"},
	{name: "the token limit in mid-call",
		payloads: []string{start, whole("t1", "{}"), begin("t2"), delta("t2", "{"), finish("length")},
		want:     "outcome incomplete calls-failed stop length\ncall t1 pin {}\nfailed t2 pin token-limit\n"},
	{name: "the content filter",
		payloads: []string{start, begin("t1"), finish("content-filter")},
		want:     "outcome incomplete calls-failed stop content-filter\nfailed t1 pin content-filter\n"},
	{name: "aborted",
		payloads: []string{start, begin("t1"), delta("t1", "{}"), `{"type":"abort","reason":"user"}`},
		want:     "outcome incomplete calls-failed stop abort\nfailed t1 pin cancelled\n"},
	{name: "an error",
		payloads: []string{start, begin("t1"), `{"type":"error","errorText":"no"}`},
		want:     "outcome failed provider-error\nfailed t1 pin provider-error\n"},
	{name: "a finish that says error",
		payloads: []string{start, begin("t1"), finish("error")},
		want:     "outcome failed provider-error\nfailed t1 pin provider-error\n"},
	{name: "a finish without a reason", devs: "[{missing-finish-reason 1}]",
		payloads: []string{start, whole("t1", "{}"), begin("t2"), `{"type":"finish"}`},
		want:     "outcome incomplete calls-failed stop finish\ncall t1 pin {}\nfailed t2 pin unfinished\n"},
	{name: "a finish of no known reason",
		payloads: []string{start, whole("t1", "{}"), finish("other")}, want: "outcome complete stop other\ncall t1 pin {}\n"},
	{name: "calls promised", payloads: []string{start, finish("tool-calls")}, want: "outcome failed calls-promised stop tool-calls\n"},
	{name: "two finishes that agree", payloads: []string{start, whole("t1", "{}"), finish("stop"), finish("stop")}, want: "outcome complete stop stop\ncall t1 pin {}\n"},
	{name: "two finishes that do not", payloads: []string{start, finish("stop"), finish("length")}, want: "outcome failed repeated-finish stop stop\n"},
	{name: "only the sentinel", payloads: []string{start, whole("t1", "{}"), begin("t2")},
		want: "outcome incomplete no-stop-reason\ncall t1 pin {}\nfailed t2 pin unfinished\n"},
	{name: "data behind the finish", payloads: []string{start, finish("stop"), `{"type":"data-cost","data":3}`},
		want: "outcome complete stop stop\ndata data-cost {\"type\":\"data-cost\",\"data\":3}\n"},
	{name: "data before the start", payloads: []string{`{"type":"data-note","data":1,"transient":true}`, start, finish("stop")},
		want: "outcome complete stop stop\ndata data-note {\"type\":\"data-note\",\"data\":1,\"transient\":true}\n"},
	{name: "no start", devs: "[{missing-start 1}]", payloads: []string{whole("t1", "{}"), finish("stop")},
		want: "outcome complete stop stop\ncall t1 pin {}\n"},
	{name: "a second start", payloads: []string{start, start}, want: "outcome failed restarted\n"},
	{name: "a start behind a call", devs: "[{missing-start 1}]", payloads: []string{whole("t1", "{}"), start}, want: "outcome failed restarted\ncall t1 pin {}\n"},
	{name: "a step taken back before it began", payloads: []string{start, step, `{"type":"reset-step"}`, whole("t1", "{}"), finish("stop")},
		want: "outcome complete stop stop\ncall t1 pin {}\n"},
	{name: "a step taken back", payloads: []string{start, step, whole("t1", "{}"), `{"type":"reset-step"}`},
		want: "outcome failed restarted\ncall t1 pin {}\n"},
	{name: "texts alternate, and a step ends them",
		payloads: []string{start, text("reasoning-start", "0"), text("text-start", "0"), say("reasoning", "0", "hm"), say("text", "0", "a"), say("text", "0", "b"), stepUp, text("text-start", "0"), text("text-end", "0"), finish("stop")},
		want:     "outcome complete stop stop\nreasoning \"hm\"\ntext \"ab\"\ntext \"\"\n"},
	{name: "what the model's provider says of a text",
		payloads: []string{start, with(text("reasoning-start", "0"), `"providerMetadata":{"p":{"a":1}}`), with(text("reasoning-end", "0"), `"providerMetadata":{"p":{"sig":"s"}}`), finish("stop")},
		want:     "outcome complete stop stop\nreasoning \"\" note {\"p\":{\"a\":1}} note {\"p\":{\"sig\":\"s\"}}\n"},
	{name: "what it says of a call too late", devs: "[{late-provider-metadata 1}]",
		payloads: []string{start, begin("t1"), with(whole("t1", "{}"), `"providerMetadata":{"p":{"a":1}}`), finish("stop")},
		want:     "outcome complete stop stop\ncall t1 pin {}\n"},
	{name: "a text that is open begins", payloads: []string{start, text("text-start", "0"), text("text-start", "0")},
		want: "outcome failed duplicate-announcement\ntext \"\"\n"},
	{name: "a text that never began", payloads: []string{start, say("text", "0", "a")}, want: "outcome failed unannounced\n"},
	{name: "a text behind its end", payloads: []string{start, text("text-start", "0"), text("text-end", "0"), say("text", "0", "a")},
		want: "outcome failed late\ntext \"\"\n"},
	{name: "a text delta without text", payloads: []string{start, text("text-start", "0"), text("text-delta", "0")},
		want: "outcome failed malformed-frame\ntext \"\"\n"},
	{name: "a text without an id", payloads: []string{start, `{"type":"text-start"}`}, want: "outcome failed malformed-frame\n"},
	{name: "an event that is not known", payloads: []string{start, `{"type":"weather","delta":[1],"id":2}`, finish("stop")}, want: "outcome complete stop stop\n"},
	{name: "a member twice", payloads: []string{start, `{"type":"tool-input-start","toolCallId":"t1","toolCallId":"t2","toolName":"pin"}`}, want: "outcome failed malformed-frame\n"},
	{name: "no type", payloads: []string{start, `{"id":"0"}`}, want: "outcome failed malformed-frame\n"},
	{name: "no JSON", payloads: []string{start, `{"type":`}, want: "outcome failed malformed-frame\n"},
	{name: "behind the end", payloads: []string{start, finish("stop"), "[DONE]", whole("t1", "{}")}, want: "outcome failed late stop stop\n"},
}

func TestOddities(t *testing.T) {
	r := wholecalltest.Rand(t)
	for _, c := range cases {
		var d wholecall.Dialect
		if c.dialect != "" {
			d, _ = wholecall.DialectNamed(aisdk.UIMessage, c.dialect)
		}
		turn := wholecall.NewTurn(strings.NewReader(stream(c.payloads...)), aisdk.UIMessage, wholecall.WithDialect(d))
		if got := wholecalltest.Drain(turn); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		if got := fmt.Sprint(turn.Deviations()); got != c.devs && got+c.devs != "[]" {
			t.Errorf("%s: deviations %s, want %s", c.name, got, c.devs)
		}
		wholecalltest.SameForAnyChunking(t, aisdk.UIMessage, []byte(stream(c.payloads...)), r, wholecall.WithDialect(d))
	}
}

// What the decoder makes of a stream, the encoder writes so that the same comes out again.
func TestWhatIsDecodedCanBeEncoded(t *testing.T) {
	for _, c := range cases {
		in := []byte(stream(c.payloads...))
		want := wholecalltest.Read(bytes.NewReader(in), aisdk.UIMessage)
		if want.Outcome == wholecall.Failed || strings.Contains(c.want, "mismatch") || strings.Contains(c.want, "-document") || strings.Contains(c.want, "-member") {
			continue // an event that fails the turn has no encoding, and a document that is none is one that the server could not read
		}
		events := wholecalltest.Decode(t, aisdk.UIMessage, in)
		out := wholecalltest.Join(wholecalltest.Encode(t, aisdk.UIMessage, events))
		if got := wholecalltest.Read(bytes.NewReader(out), aisdk.UIMessage); got.String() != want.String() {
			t.Errorf("%s:\ngot  %swant %sstream:\n%s", c.name, got, want, out)
		}
	}
}

// The announcing event's other members, and the model's name, come out and go in again.
func TestWhatElseIsSaid(t *testing.T) {
	const extra = `"dynamic":true,"title":"A \u00e9","toolMetadata":{"m":1},"providerMetadata":{"p":{"sig":"s"}}`
	in := stream(`{"type":"start","messageMetadata":{"model":"m\u00e9"}}`, with(whole("t1", "{}"), extra), finish("stop"))
	for range 2 {
		turn := wholecall.NewTurn(strings.NewReader(in), aisdk.UIMessage)
		wholecalltest.Drain(turn)
		calls := turn.Completed()
		if len(calls) != 1 || string(calls[0].Extra()) != "{"+extra+"}" || turn.Model() != "mé" {
			t.Fatalf("extra %s of %d calls, model %q", calls[0].Extra(), len(calls), turn.Model())
		}
		in = string(wholecalltest.Join(wholecalltest.Encode(t, aisdk.UIMessage, wholecalltest.Decode(t, aisdk.UIMessage, []byte(in)))))
	}
}

// A finish is enough, and a body that is cut before it completes nothing that was open.
func TestWithoutTheSentinel(t *testing.T) {
	all := stream(start, whole("t1", "{}"), begin("t2"), delta("t2", "{}"), whole("t2", "{}"), finish("tool-calls"))
	cut := strings.TrimSuffix(all, "data: [DONE]\n\n")
	if got := wholecalltest.Read(strings.NewReader(cut), aisdk.UIMessage); got.Outcome != wholecall.Complete || len(got.Calls) != 2 {
		t.Errorf("got %s", got)
	}
	got := wholecalltest.Read(strings.NewReader(cut[:strings.LastIndex(cut, `data: {"type":"tool-input-available"`)]), aisdk.UIMessage)
	want := "outcome incomplete truncated\ncall t1 pin {}\nfailed t2 pin truncated\n"
	if got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// A capture may hold several messages, each with its own sentinel.
func TestTurns(t *testing.T) {
	in := stream(start, whole("t1", "{}"), finish("stop")) + stream(start, whole("t1", "{}"), finish("stop"))
	n := 0
	for turn := range wholecall.Turns(strings.NewReader(in), aisdk.UIMessage) {
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
		announce 1 a1 tint empty · copy 1 {"a":1} · end 1 · announce 2 b2 tint · frag 2 {"a · end 2 token-limit
		stop max_tokens token-limit · terminal`: "outcome incomplete calls-failed stop length\ntext \"hm\"\ndata data-redacted {\"type\":\"data-redacted\",\"data\":{\"x\":1}}\ncall a1 tint {\"a\":1}\nfailed b2 tint token-limit\n",
		`begin m1 model · announce 0 a1 tint empty · end 0 · stop tool_use promises · terminal`:                                     "outcome complete stop tool-calls\ncall a1 tint {}\n",
		`begin m1 model · announce 0 a1 tint empty · end 0 · stop max_tokens token-limit · terminal`:                                "outcome incomplete calls-failed stop length\nfailed a1 tint token-limit\n",
		`begin m1 model · text 0/1 · say 0/1 a · announce 0 a1 tint · frag 0 {} · announce 1 b2 tint · stop end ends · terminal`:    "outcome incomplete calls-failed stop stop\ntext \"a\"\ncall a1 tint {}\nfailed b2 tint argument-error\n",
		`begin m1 model · announce 0 a1 tint · frag 0 {} · announce 1 b2 tint · frag 1 { · stop length token-limit ends · terminal`: "outcome incomplete calls-failed stop length\ncall a1 tint {}\nfailed b2 tint token-limit\n",
		`begin m1 model · announce 0 a1 tint · fail E1 busy`:                                                                        "outcome failed provider-error\nfailed a1 tint provider-error\n",
	} {
		b := wholecalltest.Join(wholecalltest.Encode(t, aisdk.UIMessage, wholecalltest.Parse(script)))
		if got := wholecalltest.Read(bytes.NewReader(b), aisdk.UIMessage); got.String() != want {
			t.Errorf("%s\ngot  %swant %s%s", script, got, want, b)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 tint free", "refusal 0", "announce 1.0 a1 tint", "text 0 · sign 0 x", "say 0 x", "frag 0 x", "end 0",
		"stop x refusal", "stop x paused", "stop x truncated", "data 0 x {", "data 0 x {} · say 0 x",
	} {
		enc := aisdk.UIMessage.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			_, err = enc.Append(nil, &ev)
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
	enc := aisdk.UIMessage.NewEncoder()
	for _, ev := range []wholecall.Event{{Kind: wholecall.UsageReport}, {Kind: 99}} {
		if _, err := enc.Append(nil, &ev); err == nil {
			t.Errorf("kind %d: no error", ev.Kind)
		}
	}
}

func TestRecognises(t *testing.T) {
	for data, least := range map[string]int{
		begin("t1"): 100, step: 100, say("text", "0", "a"): 90, start: 60, finish("stop"): 60, pinned: 100,
		`{"type":"error","errorText":"x"}`: 80, `{"type":"data-x","data":1}`: 50,
		`{"type":"text-delta","text":"a"}`: 0, `{"type":"content_block_start"}`: 0, `[DONE]`: 0, `{"type":"error","error":{}}`: 0,
	} {
		if got := aisdk.UIMessage.Recognises(&frame.Frame{Data: []byte(data)}); got != least {
			t.Errorf("%s: %d, want %d", data, got, least)
		}
	}
}
