package bedrock_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, EmptyIsObject: true, Reasoning: true, Signatures: true, Server: true,
	Good: "tool_use", Done: "end_turn",
}

// named is the protocol with the response's id and the model's name, which it does not have on the wire:
// the laws compare all that a beginning says.
type named struct {
	wholecall.Protocol
	begin *wholecall.Event
}

func (p named) NewEncoder() wholecall.Encoder { return namedEncoder{p.Protocol.NewEncoder(), p.begin} }

func (p named) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return namedDecoder{p.Protocol.NewDecoder(d), p.begin}
}

type namedEncoder struct {
	wholecall.Encoder
	begin *wholecall.Event
}

func (e namedEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Begin {
		*e.begin = *ev
	}
	return e.Encoder.Append(dst, ev)
}

type namedDecoder struct {
	wholecall.Decoder
	begin *wholecall.Event
}

func (d namedDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		if events[i].Kind == wholecall.Begin {
			events[i].ID, events[i].Name = d.begin.ID, d.begin.Name
		}
	}
	return events, err
}

func TestLaws(t *testing.T) {
	wholecalltest.Laws(t, named{bedrock.ConverseStream, new(wholecall.Event)}, shape)
}

func FuzzConverseStream(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, bedrock.ConverseStream, events)))
	}
	f.Add([]byte(stream(start, callStart(0, "a1", "tint"), exception("throttlingException", `{"message":"slow"}`))))
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, bedrock.ConverseStream, stream) })
}

// FuzzConverseLines reads bare payloads, a line each: without checksums, what the fuzzer changes gets
// through to the decoder.
func FuzzConverseLines(f *testing.F) {
	for _, c := range oddities {
		f.Add([]byte(lines(c.messages...)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		wholecalltest.NeverLoses(t, bedrock.ConverseStream, stream, wholecall.WithFraming(newLines))
	})
}

func newLines(limit int) frame.Framer { return ndjson.New(limit) }

// message is a message of a stream: its type, the name of what it is, and its payload.
type message struct{ kind, name, payload string }

func event(name, payload string) message { return message{eventstream.Event, name, payload} }

func exception(name, payload string) message { return message{eventstream.Exception, name, payload} }

// The pieces of a stream.
var start = event("messageStart", `{"role":"assistant","p":"abc"}`)

func say(index int, s string) message {
	return event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"text":%q},"p":"ab"}`, index, s))
}

func think(index int, member, s string) message {
	return event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"reasoningContent":{%q:%q}}}`, index, member, s))
}

func delta(index int, raw string) message {
	return event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":%s}`, index, raw))
}

func blockStart(index int, raw string) message {
	return event("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":%s}`, index, raw))
}

func callStart(index int, id, name string) message {
	return blockStart(index, fmt.Sprintf(`{"toolUse":{"toolUseId":%q,"name":%q}}`, id, name))
}

func frag(index int, s string) message {
	return event("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{"toolUse":{"input":%q}},"p":"abcdefg"}`, index, s))
}

func blockStop(index int) message {
	return event("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d,"p":"a"}`, index))
}

func end(reason string) message {
	return event("messageStop", fmt.Sprintf(`{"stopReason":%q}`, reason))
}

var usage = event("metadata", `{"usage":{"inputTokens":9,"outputTokens":6,"totalTokens":15,"cacheReadInputTokens":4,"cacheWriteInputTokens":2},"metrics":{"latencyMs":80}}`)

// stream makes binary messages.
func stream(messages ...message) string {
	var b []byte
	for _, m := range messages {
		var err error
		if b, err = eventstream.Append(b, &frame.Frame{ID: []byte(m.kind), Event: []byte(m.name), Data: []byte(m.payload)}); err != nil {
			panic(err)
		}
	}
	return string(b)
}

// lines makes lines of payloads, each in the name of its event.
func lines(messages ...message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "{%q:%s}\n", m.name, m.payload)
	}
	return b.String()
}

var oddities = []struct {
	name     string
	messages []message
	want     string
}{
	{"a call", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), frag(0, `1}`), blockStop(0), end("tool_use"), usage},
		"outcome complete stop tool_use\ncall a1 tint {\"a\":1}\n"},
	{"no argument", []message{start, callStart(0, "a1", "tint"), blockStop(0), end("tool_use")},
		"outcome complete stop tool_use\ncall a1 tint {}\n"},
	{"no argument, as an empty string", []message{start, callStart(0, "a1", "tint"), frag(0, ""), blockStop(0), end("tool_use")},
		"outcome complete stop tool_use\ncall a1 tint {}\n"},
	{"no argument at the token limit", []message{start, callStart(0, "a1", "tint"), blockStop(0), end("max_tokens")},
		"outcome incomplete calls-failed stop max_tokens\nfailed a1 tint token-limit\n"},
	{"no argument in a full window", []message{start, callStart(0, "a1", "tint"), blockStop(0), end("model_context_window_exceeded")},
		"outcome incomplete calls-failed stop model_context_window_exceeded\nfailed a1 tint token-limit\n"},
	{"a block open at the token limit", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), end("max_tokens")},
		"outcome incomplete calls-failed stop max_tokens\nfailed a1 tint token-limit\n"},
	{"half a document at the token limit", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), blockStop(0), end("max_tokens")},
		"outcome incomplete calls-failed stop max_tokens\nfailed a1 tint token-limit incomplete-json\n"},
	{"a block open at a good stop", []message{start, callStart(0, "a1", "tint"), frag(0, `{}`), end("tool_use")},
		"outcome incomplete calls-failed stop tool_use\nfailed a1 tint unfinished\n"},
	{"a guardrail cuts a call", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), end("guardrail_intervened")},
		"outcome incomplete calls-failed stop guardrail_intervened\nfailed a1 tint content-filter\n"},
	{"text has no start", []message{start, say(0, "I "), say(0, "look."), blockStop(0), callStart(1, "a1", "tint"), frag(1, "{}"), blockStop(1), end("tool_use")},
		"outcome complete stop tool_use\ntext \"I look.\"\ncall a1 tint {}\n"},
	{"text that nothing ends", []message{start, say(0, "I look."), callStart(1, "a1", "tint"), frag(1, "{}"), blockStop(1), end("tool_use")},
		"outcome complete stop tool_use\ntext \"I look.\"\ncall a1 tint {}\n"},
	{"reasoning and its signature", []message{start, think(0, "text", "hm"), think(0, "signature", "c2ln"), blockStop(0), say(1, "yes"), blockStop(1), end("end_turn")},
		"outcome complete stop end_turn\nreasoning \"hm\" signed \"c2ln\"\ntext \"yes\"\n"},
	{"reasoning that is hidden", []message{start, think(0, "redactedContent", "eA=="), blockStop(0), end("end_turn")},
		"outcome complete stop end_turn\ndata redactedContent {\"redactedContent\":\"eA==\"}\n"},
	{"reasoning of which a piece is hidden", []message{start, think(0, "text", "hm"), think(0, "redactedContent", "eA=="), blockStop(0), end("end_turn")},
		"outcome complete stop end_turn\nreasoning \"hm\" note {\"redactedContent\":\"eA==\"}\n"},
	{"a citation", []message{start, say(0, "so"), delta(0, `{"citation":{"title":"t"}}`), blockStop(0), end("end_turn")},
		"outcome complete stop end_turn\ntext \"so\" note {\"title\":\"t\"}\n"},
	{"a start that says nothing", []message{start, blockStart(0, "{}"), say(0, "I look."), blockStop(0), blockStart(1, "{}"), blockStop(1), end("end_turn")},
		"outcome complete stop end_turn\ntext \"I look.\"\n"},
	{"arguments behind a start that says nothing", []message{start, blockStart(0, "{}"), frag(0, "{}"), blockStop(0), end("tool_use")},
		"outcome failed unannounced\n"},
	{"calls alternate", []message{start, callStart(0, "a1", "tint"), callStart(1, "b2", "tint"), frag(1, `{"n":`), frag(0, `{"n":1}`), frag(1, `2}`), blockStop(1), blockStop(0), end("tool_use")},
		"outcome complete stop tool_use\ncall a1 tint {\"n\":1}\ncall b2 tint {\"n\":2}\n"},
	{"a call that the service runs", []message{start, blockStart(0, `{"toolUse":{"toolUseId":"s1","name":"search","type":"server_tool_use"}}`), frag(0, `{"q":1}`), blockStop(0),
		blockStart(1, `{"toolResult":{"toolUseId":"s1","type":"search"}}`), delta(1, `{"toolResult":[{"json":{"n":1}}]}`), blockStop(1), say(2, "so"), blockStop(2), end("end_turn")},
		"outcome complete stop end_turn\nserver_call s1 search {\"q\":1}\ndata toolResult {\"toolUseId\":\"s1\",\"type\":\"search\"}\ntext \"so\"\n"},
	{"a call that nobody is named to run", []message{start, blockStart(0, `{"toolUse":{"toolUseId":"s1","name":"search","type":"peer_tool_use"}}`)},
		"outcome failed malformed-frame\n"},
	{"a start of a kind that is not known", []message{start, blockStart(0, `{"video":{"x":1}}`), delta(0, `{"video":{"y":2}}`), blockStop(0), end("end_turn")},
		"outcome complete stop end_turn\ndata video {\"x\":1}\n"},
	{"an event of a kind that is not known", []message{start, event("weather", `{"sun":true}`), end("end_turn")},
		"outcome complete stop end_turn\n"},
	{"metadata before the end", []message{start, say(0, "x"), blockStop(0), usage, end("end_turn")},
		"outcome complete stop end_turn\ntext \"x\"\n"},
	{"metadata behind the end", []message{start, say(0, "x"), blockStop(0), end("end_turn"), usage},
		"outcome complete stop end_turn\ntext \"x\"\n"},
	{"a malformed call", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), blockStop(0), end("malformed_tool_use")},
		"outcome failed provider-error\nfailed a1 tint provider-error\n"},
	{"a malformed output", []message{start, say(0, "x"), end("malformed_model_output")},
		"outcome failed provider-error\ntext \"x\"\n"},
	{"calls promised", []message{start, end("tool_use")}, "outcome failed calls-promised stop tool_use\n"},
	{"no stop reason", []message{start, say(0, "x"), blockStop(0), event("messageStop", `{}`)},
		"outcome incomplete no-stop-reason\ntext \"x\"\n"},
	{"no end", []message{start, callStart(0, "a1", "tint"), frag(0, "{}"), blockStop(0)},
		"outcome incomplete truncated\ncall a1 tint {}\n"},
	{"an exception in the middle", []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":`), exception("throttlingException", `{"message":"slow"}`)},
		"outcome failed provider-error\nfailed a1 tint provider-error\n"},
	{"an exception whose payload can't be read", []message{start, exception("internalServerException", `"x"`)},
		"outcome failed provider-error\n"},
	{"an exception behind the end", []message{start, say(0, "x"), blockStop(0), end("end_turn"), exception("throttlingException", `{}`)},
		"outcome failed provider-error stop end_turn\ntext \"x\"\n"},
	{"a fragment of nothing", []message{start, frag(0, "{}")}, "outcome failed unannounced\n"},
	{"an end of nothing", []message{start, blockStop(0)}, "outcome failed unannounced\n"},
	{"a block that starts again", []message{start, callStart(0, "a1", "tint"), frag(0, "{}"), blockStop(0), callStart(0, "a1", "tint")},
		"outcome failed duplicate-announcement\ncall a1 tint {}\n"},
	{"a block that starts again while open", []message{start, callStart(0, "a1", "tint"), callStart(0, "a1", "tint")},
		"outcome failed duplicate-announcement\nfailed a1 tint protocol-error\n"},
	{"an id used twice", []message{start, callStart(0, "a1", "tint"), frag(0, "{}"), blockStop(0), callStart(1, "a1", "tint")},
		"outcome failed duplicate-id\ncall a1 tint {}\n"},
	{"a fragment behind its end", []message{start, callStart(0, "a1", "tint"), frag(0, "{}"), blockStop(0), frag(0, " ")},
		"outcome failed late\ncall a1 tint {}\n"},
	{"a second start", []message{start, start}, "outcome failed restarted\n"},
	{"a second end", []message{start, say(0, "x"), blockStop(0), end("end_turn"), end("end_turn")}, "outcome failed late stop end_turn\ntext \"x\"\n"},
	{"text behind the end", []message{start, end("end_turn"), say(0, "x")}, "outcome failed late stop end_turn\n"},
	{"text for a call", []message{start, callStart(0, "a1", "tint"), say(0, "x")}, "outcome failed mismatched-part\nfailed a1 tint protocol-error\n"},
	{"arguments for text", []message{start, say(0, "x"), frag(0, "{}")}, "outcome failed mismatched-part\ntext \"x\"\n"},
	{"a call without an id", []message{start, callStart(0, "", "tint")}, "outcome failed incomplete-identity\n"},
	{"a call without a name", []message{start, blockStart(0, `{"toolUse":{"toolUseId":"a1"}}`)}, "outcome failed incomplete-identity\n"},
	{"a delta of a call that says something else", []message{start, callStart(0, "a1", "tint"), delta(0, `{"toolUse":{"patch":"x"}}`)},
		"outcome failed unknown-delta\nfailed a1 tint protocol-error\n"},
	{"a delta of a call of a kind that is not known", []message{start, callStart(0, "a1", "tint"), delta(0, `{"cbor":"oWA="}`)},
		"outcome failed unknown-delta\nfailed a1 tint protocol-error\n"},
	{"a delta that is two things", []message{start, delta(0, `{"text":"a","toolUse":{"input":"b"}}`)}, "outcome failed malformed-frame\n"},
	{"a delta that says nothing", []message{start, delta(0, `{}`)}, "outcome failed malformed-frame\n"},
	{"a fragment without an index", []message{start, callStart(0, "a1", "tint"), event("contentBlockDelta", `{"delta":{"toolUse":{"input":"{}"}}}`)},
		"outcome failed malformed-frame\nfailed a1 tint protocol-error\n"},
	{"an index twice", []message{start, event("contentBlockStop", `{"contentBlockIndex":0,"contentBlockIndex":0}`)}, "outcome failed malformed-frame\n"},
	{"a negative index", []message{start, callStart(-1, "a1", "tint")}, "outcome failed malformed-frame\n"},
	{"an index that is too large", []message{start, event("contentBlockStop", `{"contentBlockIndex":2147483648}`)}, "outcome failed malformed-frame\n"},
	{"the stream starts in the middle", []message{callStart(2, "a1", "tint"), frag(2, "{}"), blockStop(2), end("tool_use")},
		"outcome complete stop tool_use\ncall a1 tint {}\n"},
}

// TestOddities reads each stream as it comes, and as the bare payloads that a recorder may keep of it.
func TestOddities(t *testing.T) {
	for _, c := range oddities {
		if got := wholecalltest.Read(strings.NewReader(stream(c.messages...)), bedrock.ConverseStream); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		got := wholecalltest.Read(strings.NewReader(lines(c.messages...)), bedrock.ConverseStream, wholecall.WithFraming(newLines))
		if got.String() != c.want {
			t.Errorf("%s, a line each:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, bedrock.ConverseStream, []byte(stream(c.messages...)), wholecalltest.Rand(t))
	}
}

// TestBytes: what is wrong with the bytes, and what becomes of it.
func TestBytes(t *testing.T) {
	call := []message{start, callStart(0, "a1", "tint"), frag(0, `{"a":1}`), blockStop(0)}
	whole := stream(call...)
	failure := stream(message{eventstream.Failure, "InternalError", "no"})
	untyped := stream(message{"", "messageStart", "{}"}, message{"", "messageStop", `{"stopReason":"end_turn"}`})
	damaged := []byte(whole + stream(end("tool_use")))
	damaged[len(whole)-6] ^= 1
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "outcome incomplete truncated\n"},
		{"a checksum that does not hold", string(damaged), "outcome failed malformed-frame\nfailed a1 tint protocol-error\n"},
		{"cut inside a message", whole[:len(whole)-1], "outcome incomplete truncated\nfailed a1 tint truncated\n"},
		{"cut in a length", whole + "\x00\x00", "outcome incomplete truncated\ncall a1 tint {\"a\":1}\n"},
		{"cut behind the end", stream(append(call, end("tool_use"))...) + "\x00\x00", "outcome complete stop tool_use\ncall a1 tint {\"a\":1}\n"},
		{"an error", whole + failure, "outcome failed provider-error\ncall a1 tint {\"a\":1}\n"},
		{"messages without a type", untyped, "outcome complete stop end_turn\n"},
		{"an event without a name", stream(message{eventstream.Event, "", "{}"}), "outcome failed malformed-frame\n"},
		{"a message of another type", stream(message{"odd", "messageStart", "{}"}), "outcome failed malformed-frame\n"},
		{"server-sent events", "data: {\"messageStop\":{}}\n\n", "outcome failed malformed-frame\n"},
	} {
		if got := wholecalltest.Read(strings.NewReader(c.in), bedrock.ConverseStream); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, bedrock.ConverseStream, []byte(c.in), wholecalltest.Rand(t))
	}
}

// TestFailures: what an exception says is handed on.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		message message
		want    string
	}{
		{exception("throttlingException", `{"message":"slow down"}`), `code "" type "throttlingException" message "slow down"`},
		{exception("modelStreamErrorException", `{"message":"","originalStatusCode":424,"originalMessage":"busy"}`), `code "424" type "modelStreamErrorException" message "busy"`},
		{message{eventstream.Failure, "InternalError", "no"}, `code "InternalError" type "" message "no"`},
		{end("malformed_tool_use"), `code "" type "malformed_tool_use" message ""`},
	} {
		events := wholecalltest.Decode(t, bedrock.ConverseStream, []byte(stream(c.message)))
		again := wholecalltest.Decode(t, bedrock.ConverseStream, wholecalltest.Join(wholecalltest.Encode(t, bedrock.ConverseStream, events)))
		for _, got := range [][]wholecall.Event{events, again} {
			ev := got[len(got)-1]
			if s := fmt.Sprintf("code %q type %q message %q", ev.ID, ev.Name, ev.Data); ev.Kind != wholecall.Failure || s != c.want {
				t.Errorf("got kind %d %s, want %s", ev.Kind, s, c.want)
			}
		}
	}
}

func TestUsageAndOddities(t *testing.T) {
	in := stream(message{"", "contentBlockStart", callStart(3, "a1", "tint").payload}, blockStart(1, "{}"), blockStop(3), blockStop(1), end("tool_use"), usage)
	turn := wholecall.NewTurn(strings.NewReader(in), bedrock.ConverseStream)
	for _, err := range turn.Parts() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if u, raw := turn.Usage(); u != (wholecall.Usage{Input: 9, Output: 6, CacheRead: 4, CacheWrite: 2}) || !bytes.Contains(raw, []byte(`"totalTokens":15`)) {
		t.Errorf("usage %+v %s", u, raw)
	}
	const want = "[{missing-message-type 1} {missing-start 1} {sparse-index 1} {overlapping-blocks 1} {empty-start 1}]"
	if got := fmt.Sprint(turn.Deviations()); got != want {
		t.Errorf("deviations %s, want %s", got, want)
	}
}

// Whatever of it the decoder understands, the encoder writes so that the same comes out again.
func TestWhatIsDecodedCanBeEncoded(t *testing.T) {
	for _, c := range oddities {
		in := []byte(stream(c.messages...))
		want := wholecalltest.Read(bytes.NewReader(in), bedrock.ConverseStream)
		if want.Outcome == wholecall.Failed && want.Kind != wholecall.ProviderFailed {
			continue
		}
		events := wholecalltest.Decode(t, bedrock.ConverseStream, in)
		out := wholecalltest.Join(wholecalltest.Encode(t, bedrock.ConverseStream, events))
		if got := wholecalltest.Read(bytes.NewReader(out), bedrock.ConverseStream); got.String() != want.String() {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, want)
		}
		again := wholecalltest.Decode(t, bedrock.ConverseStream, out)
		if got, want := written(again), written(events); got != want {
			t.Errorf("%s:\ngot\n%swant\n%s", c.name, got, want)
		}
	}
}

// written writes down events, but for what only counts, and for the place of the token counts.
func written(events []wholecall.Event) string {
	var b, counts strings.Builder
	for _, ev := range events {
		switch ev.Kind {
		case wholecall.Deviate, wholecall.Pass:
		case wholecall.UsageReport:
			fmt.Fprintf(&counts, "%+v %s\n", ev.Usage, ev.Data)
		default:
			fmt.Fprintf(&b, "%d %+v part %d runner %d reason %q id %q name %q data %q\n", ev.Kind, ev.Key, ev.Part, ev.Runner, ev.Reason, ev.ID, ev.Name, ev.Data)
		}
	}
	return b.String() + counts.String()
}

func TestEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 tint free", "refusal 0", "announce 1.0 a1 tint", "text 0 · sign 0 x", "say 0 x", "close 0", "sign 0 x",
		"announce 0 a1 tint · say 0 x", "announce 0 a1 tint · close 0", "text 0 · frag 0 x", "text 0 · end 0", "frag 0 x", "end 0",
		"data 0 toolUse {}", "data 0 image null", "data 0 redactedContent {}", "data 0 video {} · say 0 x",
		"stop x refusal", "stop malformed_tool_use",
	} {
		enc := bedrock.ConverseStream.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			_, err = enc.Append(nil, &ev)
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
}

// A turn of another provider, whose texts and calls have positions of their own, can be written too; and
// what failed there does not complete here.
func TestEncodesWhatAnotherProtocolDecoded(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`begin m1 model · text 0/1 · say 0/1 hm · close 0/1 · announce 0 a1 tint · copy 0 {"a":1} · end 0
		announce 1 b2 tint · end 1 token-limit · stop length token-limit · terminal`,
			"outcome incomplete calls-failed stop max_tokens\ntext \"hm\"\ncall a1 tint {\"a\":1}\nfailed b2 tint token-limit\n"},
		{`begin m1 model · announce 0 a1 tint · frag 0 {"a": · announce 1 b2 tint · announce 2 c3 tint empty · frag 0 1} · stop tool_calls ends · terminal`,
			"outcome incomplete calls-failed stop tool_calls\ncall a1 tint {\"a\":1}\nfailed b2 tint unfinished\ncall c3 tint {}\n"},
		{"begin m1 model · text 0 · text 1 · close 1 · say 0 a · close 0 · stop stop · terminal",
			"outcome complete stop stop\ntext \"a\"\ntext \"\"\n"},
		{"begin m1 model · reasoning 0 · close 0 · text 1 · stop x content-filter · terminal",
			"outcome complete stop content_filtered\nreasoning \"\"\ntext \"\"\n"},
		{"begin m1 model · announce 0 a1 tint empty · stop max_tokens refusal · terminal",
			"outcome incomplete calls-failed stop max_tokens\nfailed a1 tint token-limit\n"},
	} {
		events := wholecalltest.Parse(c.script)
		got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, bedrock.ConverseStream, events))), bedrock.ConverseStream)
		if got.String() != c.want {
			t.Errorf("%s\ngot  %swant %s", c.script, got, c.want)
		}
	}
}

// Reasoning whose first piece is hidden still begins as reasoning: the piece alone would be data.
func TestReasoningBeginsBeforeItsHiddenPiece(t *testing.T) {
	events := wholecalltest.Parse("begin m1 model · reasoning 0 · close 0 · stop end_turn · terminal")
	note := wholecall.Event{Kind: wholecall.Annotate, Data: []byte(`{"redactedContent":"eA=="}`)}
	events = slices.Insert(events, 2, note)
	got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, bedrock.ConverseStream, events))), bedrock.ConverseStream)
	want := "outcome complete stop end_turn\nreasoning \"\" note {\"redactedContent\":\"eA==\"}\n"
	if got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// Token counts stand behind the end, and those of another protocol are written in the words of this one.
func TestUsageIsWrittenBehindTheEnd(t *testing.T) {
	want := wholecall.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}
	script := wholecalltest.Parse("begin m1 model · stop end_turn · terminal")
	report := wholecall.Event{Kind: wholecall.UsageReport, Usage: want, Data: []byte(`{"prompt_tokens":1}`)}
	for place := range len(script) + 1 {
		events := slices.Insert(slices.Clone(script), place, report)
		got := wholecalltest.Decode(t, bedrock.ConverseStream, wholecalltest.Join(wholecalltest.Encode(t, bedrock.ConverseStream, events)))
		last := got[len(got)-1]
		if last.Kind != wholecall.UsageReport || last.Usage != want || !bytes.Contains(last.Data, []byte(`"totalTokens":3`)) {
			t.Errorf("at %d: got %d %+v %s", place, last.Kind, last.Usage, last.Data)
		}
	}
}

func TestRecognises(t *testing.T) {
	for _, c := range []struct {
		name     string
		messages []message
		sure     int
	}{
		{"a start", []message{start}, 90},
		{"a block", []message{callStart(0, "a1", "tint"), frag(0, "{}"), say(1, "x"), blockStop(0), end("end_turn")}, 100},
		{"usage", []message{usage}, 80},
		{"an exception", []message{exception("throttlingException", "{}")}, 30},
		{"something else", []message{event("chunk", `{"bytes":"e30="}`), event("initial-response", `{}`), event("contentBlockStop", `{}`), event("messageStop", `[]`)}, 0},
	} {
		for _, m := range c.messages {
			f := frame.Frame{ID: []byte(m.kind), Event: []byte(m.name), Data: []byte(m.payload)}
			if got := bedrock.ConverseStream.Recognises(&f); got != c.sure {
				t.Errorf("%s: %s: %d, want %d", c.name, m.name, got, c.sure)
			}
			bare := frame.Frame{Data: []byte(strings.TrimSuffix(lines(m), "\n"))}
			if got := bedrock.ConverseStream.Recognises(&bare); got != c.sure && m.kind == eventstream.Event {
				t.Errorf("%s: %s, bare: %d, want %d", c.name, m.name, got, c.sure)
			}
		}
	}
	for _, bare := range []string{"", "[DONE]", "{}", `{"type":"message_start"}`, `{"messageStop":{"stopReason":"x"},"messageStart":{}}`} {
		if got := bedrock.ConverseStream.Recognises(&frame.Frame{Data: []byte(bare)}); got != 0 {
			t.Errorf("%q: %d", bare, got)
		}
	}
}

// TestTurnsBehindOneAnother: token counts behind an end still belong to it.
func TestTurnsBehindOneAnother(t *testing.T) {
	in := stream(start, say(0, "a"), blockStop(0), end("end_turn"), usage, start, say(0, "b"), blockStop(0), end("end_turn"))
	var got []string
	for turn := range wholecall.Turns(strings.NewReader(in), bedrock.ConverseStream) {
		got = append(got, wholecalltest.Drain(turn).String())
		if u, _ := turn.Usage(); (u.Input == 9) != (len(got) == 1) {
			t.Errorf("turn %d: usage %+v", len(got), u)
		}
	}
	want := []string{"outcome complete stop end_turn\ntext \"a\"\n", "outcome complete stop end_turn\ntext \"b\"\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// allocations counts what one more frame of a stream costs. Its last two frames are read again and again.
func allocations(t *testing.T, p wholecall.Protocol, frames ...frame.Frame) float64 {
	t.Helper()
	d := p.NewDecoder(wholecall.Dialect{})
	var events []wholecall.Event
	next := 0
	step := func() {
		var err error
		if events, err = d.Decode(&frames[next], events[:0]); err != nil {
			t.Fatal(err)
		}
		if next++; next == len(frames) {
			next = len(frames) - 2
		}
	}
	for range len(frames) + 4 {
		step()
	}
	return testing.AllocsPerRun(100, step)
}

func frameOf(m message) frame.Frame {
	return frame.Frame{ID: []byte(m.kind), Event: []byte(m.name), Data: []byte(m.payload)}
}

func TestNoAllocations(t *testing.T) {
	call := []frame.Frame{frameOf(start), frameOf(callStart(0, "a1", "tint")), frameOf(frag(0, `{"a`)), frameOf(frag(0, `\n": 1}`))}
	prose := []frame.Frame{frameOf(start), frameOf(say(0, "some")), frameOf(say(0, " more\n"))}
	for i, frames := range [][]frame.Frame{call, prose} {
		if n := allocations(t, bedrock.ConverseStream, frames...); n != 0 {
			t.Errorf("stream %d: %v allocations", i, n)
		}
	}
}
