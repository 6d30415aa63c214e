package mistral_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/mistral"
	"github.com/wholecall/wholecall/wholecalltest"
)

var chatShape = wholecalltest.Shape{
	Choices: 3, Reasoning: true, Signatures: true,
	Good: "tool_calls", Done: "stop",
}

func TestChatLaws(t *testing.T) { wholecalltest.Laws(t, mistral.Chat, chatShape) }

func FuzzChat(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := chatShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, mistral.Chat, events)))
	}
	f.Add([]byte(stream(calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":{"m2":40}}},{"id":"f5G6h7J8k","function":{"name":"mow","arguments":"{}"}}`, "tool_calls"))))
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, mistral.Chat, stream) })
}

const done = "[DONE]"

// stream makes server-sent events of payloads, with [DONE] behind them.
func stream(payloads ...string) string {
	return "data: " + strings.Join(append(payloads, done), "\n\ndata: ") + "\n\n"
}

// delta is a chunk with a delta. An empty finish is null.
func delta(d, finish string) string {
	f := "null"
	if finish != "" {
		f = fmt.Sprintf("%q", finish)
	}
	return `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + d + `,"finish_reason":` + f + `}],"p":"abc"}`
}

func say(content string) string { return delta(`{"content":`+content+`}`, "") }

func calls(entries, finish string) string { return delta(`{"tool_calls":[`+entries+`]}`, finish) }

func TestChatOddities(t *testing.T) {
	const whole = `{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":"{\"m2\":40}"}}`
	for _, c := range []struct {
		name     string
		payloads []string
		want     string
	}{
		{"a whole call in the chunk that finishes", []string{say(`""`), calls(whole, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow {\"m2\":40}\n"},
		{"no index: the order of arrival, in one chunk", []string{calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}"}},{"id":"f5G6h7J8k","function":{"name":"mow","arguments":"{\"m2\":9}"}}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow {}\ncall f5G6h7J8k mow {\"m2\":9}\n"},
		{"no index: the order of arrival, over chunks", []string{calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}"}}`, ""), calls(`{"id":"f5G6h7J8k","index":null,"function":{"name":"mow","arguments":"{\"m2\":9}"}}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow {}\ncall f5G6h7J8k mow {\"m2\":9}\n"},
		{"no index and no identity has no owner", []string{calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{"}}`, ""), calls(`{"function":{"name":"","arguments":"}"}}`, "tool_calls")},
			"outcome failed missing-index\nfailed a1B2c3D4e mow protocol-error\n"},
		{"no index, where an index has the place", []string{calls(`{"id":"a1B2c3D4e","index":1,"function":{"name":"mow","arguments":"{}"}},{"id":"f5G6h7J8k","function":{"name":"mow","arguments":"{}"}}`, "tool_calls")},
			"outcome failed duplicate-announcement\nfailed a1B2c3D4e mow protocol-error\n"},
		{"the same id without an index", []string{calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}"}},{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}"}}`, "tool_calls")},
			"outcome failed duplicate-id\nfailed a1B2c3D4e mow protocol-error\n"},
		{"arguments that are an object, byte for byte", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":{ "m2" : 4.0 }}}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow { \"m2\" : 4.0 }\n"},
		{"an object behind an empty string", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":""}}`, ""), calls(`{"index":0,"function":{"name":"","arguments":{}}}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow {}\n"},
		{"an object behind text", []string{calls(whole, ""), calls(`{"index":0,"function":{"name":"","arguments":{}}}`, "tool_calls")},
			"outcome failed deviation-refused\nfailed a1B2c3D4e mow protocol-error\n"},
		{"two objects", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":{}}}`, ""), calls(`{"index":0,"function":{"arguments":{}}}`, "tool_calls")},
			"outcome failed deviation-refused\nfailed a1B2c3D4e mow protocol-error\n"},
		{"arguments that are a list", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":[]}}`, "tool_calls")},
			"outcome failed malformed-frame\n"},
		{"pieces with an empty name", []string{calls(`{"id":"long-tool-id-1","index":0,"function":{"name":"mow","arguments":""}}`, ""), calls(`{"index":0,"function":{"name":"","arguments":"{\"m2\":"}}`, ""), calls(`{"index":0,"id":"","function":{"name":"","arguments":"1}"}}`, ""), delta(`{"content":""}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall long-tool-id-1 mow {\"m2\":1}\n"},
		{"half a document at the token limit", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":"{\"m2\":4"}}`, "length")},
			"outcome incomplete calls-failed stop length\nfailed a1B2c3D4e mow token-limit incomplete-json\n"},
		{"nothing at the token limit", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":""}}`, "length")},
			"outcome incomplete calls-failed stop length\nfailed a1B2c3D4e mow token-limit empty-document\n"},
		{"nothing at the model's limit", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":""}}`, "model_length")},
			"outcome incomplete calls-failed stop model_length\nfailed a1B2c3D4e mow token-limit empty-document\n"},
		{"nothing at a good end is not {}", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":""}}`, "tool_calls")},
			"outcome incomplete calls-failed stop tool_calls\nfailed a1B2c3D4e mow argument-error empty-document\n"},
		{"the error finish", []string{calls(whole, ""), delta(`{"content":""}`, "error")},
			"outcome failed provider-error\nfailed a1B2c3D4e mow provider-error\n"},
		{"an error object", []string{say(`"a"`), `{"object":"error","message":"no","type":"server_error","code":3000}`},
			"outcome failed provider-error\ntext \"a\"\n"},
		{"an error inside error", []string{say(`"a"`), `{"error":{"message":"no"}}`},
			"outcome failed provider-error\ntext \"a\"\n"},
		{"thinking, then text", []string{say(`[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]`), say(`[{"thinking":[{"text":"m","type":"text"}],"closed":true,"signature":"c2ln","type":"thinking"},{"type":"text","text":"ye"}]`), say(`"s"`), delta(`{"content":""}`, "stop")},
			"outcome complete stop stop\nreasoning \"hm\" signed \"c2ln\"\ntext \"yes\"\n"},
		{"a reference inside thinking", []string{say(`[{"type":"thinking","thinking":[{"type":"reference","reference_ids":[1]}]}]`), delta(`{}`, "stop")},
			"outcome complete stop stop\nreasoning \"\" note {\"type\":\"reference\",\"reference_ids\":[1]}\n"},
		{"a part of another type", []string{say(`"a"`), say(`[{"type":"image_url","image_url":"x"}]`), say(`"b"`), delta(`{}`, "stop")},
			"outcome complete stop stop\ntext \"a\"\ndata image_url {\"type\":\"image_url\",\"image_url\":\"x\"}\ntext \"b\"\n"},
		{"a call ends a run of text", []string{say(`"a"`), calls(whole, ""), say(`"b"`), delta(`{}`, "tool_calls")},
			"outcome complete stop tool_calls\ntext \"a\"\ncall a1B2c3D4e mow {\"m2\":40}\ntext \"b\"\n"},
		{"a call announced twice", []string{calls(whole, ""), calls(whole, "tool_calls")},
			"outcome failed duplicate-announcement\nfailed a1B2c3D4e mow protocol-error\n"},
		{"another name", []string{calls(whole, ""), calls(`{"index":0,"function":{"name":"sow","arguments":"{}"}}`, "")},
			"outcome failed conflicting-identity\nfailed a1B2c3D4e mow protocol-error\n"},
		{"another id", []string{calls(whole, ""), calls(`{"index":0,"id":"f5G6h7J8k","function":{"arguments":"{}"}}`, "")},
			"outcome failed conflicting-identity\nfailed a1B2c3D4e mow protocol-error\n"},
		{"the id again", []string{calls(`{"id":"a1B2c3D4e","index":0,"function":{"name":"mow","arguments":"{"}}`, ""), calls(`{"index":0,"id":"a1B2c3D4e","function":{"name":"","arguments":"}"}}`, "tool_calls")},
			"outcome complete stop tool_calls\ncall a1B2c3D4e mow {}\n"},
		{"a call without an id", []string{calls(`{"index":0,"function":{"name":"mow","arguments":"{}"}}`, "tool_calls")},
			"outcome failed incomplete-identity\n"},
		{"a call of another type", []string{calls(`{"index":0,"id":"a1B2c3D4e","type":"custom","function":{"name":"mow"}}`, "tool_calls")},
			"outcome failed unknown-delta\n"},
		{"a piece without a function", []string{calls(whole, ""), calls(`{"index":0,"custom":{"input":"x"}}`, "tool_calls")},
			"outcome failed unknown-delta\nfailed a1B2c3D4e mow protocol-error\n"},
		{"a call behind the finish", []string{delta(`{}`, "stop"), calls(whole, "")}, "outcome failed late stop stop\n"},
		{"two finishes", []string{delta(`{}`, "stop"), delta(`{}`, "stop")}, "outcome failed repeated-finish stop stop\n"},
		{"an empty finish", []string{`{"choices":[{"index":0,"delta":{},"finish_reason":""}]}`}, "outcome failed malformed-frame\n"},
		{"no finish", []string{calls(whole, "")}, "outcome incomplete truncated\nfailed a1B2c3D4e mow truncated\n"},
		{"calls promised", []string{delta(`{}`, "tool_calls")}, "outcome failed calls-promised stop tool_calls\n"},
		{"a choice without an index", []string{`{"choices":[{"delta":{"content":"a"}}]}`}, "outcome failed malformed-frame\n"},
		{"arguments twice", []string{calls(`{"index":0,"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}","arguments":"{}"}}`, "")},
			"outcome failed malformed-frame\n"},
	} {
		in := stream(c.payloads...)
		got := wholecalltest.Read(strings.NewReader(in), mistral.Chat)
		if got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, mistral.Chat, []byte(in), wholecalltest.Rand(t))
	}
}

// A finish reason is enough: the sentinel behind it may be missing.
func TestChatWithoutSentinel(t *testing.T) {
	in := strings.TrimSuffix(stream(say(`"a"`), delta(`{}`, "stop")), "data: [DONE]\n\n")
	if got := wholecalltest.Read(strings.NewReader(in), mistral.Chat); got.Outcome != wholecall.Complete {
		t.Errorf("got %s", got)
	}
}

func TestChatDeviationsAndUsage(t *testing.T) {
	in := stream(calls(`{"id":"a1B2c3D4e","index":2,"function":{"name":"mow","arguments":"{"}}`, ""),
		strings.Replace(calls(`{"index":2,"function":{"name":"","arguments":"}"}}`, "tool_calls"), `"id":"c1"`, `"id":"c2","usage":{"prompt_tokens":5,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2}}`, 1))
	turn := wholecall.NewTurn(strings.NewReader(in), mistral.Chat)
	for _, err := range turn.Parts() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(turn.Deviations()); got != "[{sparse-index 1} {chunk-id-varies 1} {empty-identity-on-fragments 1}]" {
		t.Errorf("deviations %s", got)
	}
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 5, Output: 4, CacheRead: 2}) {
		t.Errorf("usage %+v", u)
	}
}

func TestChatRecognises(t *testing.T) {
	for _, c := range []struct {
		data string
		want int
	}{
		{calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":"{}"}}`, "tool_calls"), 100},
		{`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"a1B2c3D4e"}]}}]}`, 100},
		{`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1234"}]}}]}`, 50},
		{`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}}]}`, 100},
		{`{"choices":[{"index":0,"delta":{"content":"a"}}]}`, 50},
		{done, 10},
		{`{"type":"ping"}`, 0},
		{`{`, 0},
	} {
		if got := mistral.Chat.Recognises(&frame.Frame{Data: []byte(c.data)}); got != c.want {
			t.Errorf("%s: got %d, want %d", c.data, got, c.want)
		}
	}
}

// Whatever of it the decoder understands, the encoder writes so that the same comes out again.
func TestChatDecodedCanBeEncoded(t *testing.T) {
	for _, payloads := range [][]string{
		{say(`[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"reference","reference_ids":[1]}],"signature":"c2ln"}]`), calls(`{"id":"a1B2c3D4e","function":{"name":"mow","arguments":{"a":1}}}`, "tool_calls")},
		{say(`"a"`), say(`[{"type":"image_url","image_url":"x"}]`), delta(`{}`, "stop")},
		{calls(`{"id":"a1B2c3D4e","index":3,"function":{"name":"mow","arguments":"{\"m2\":4"}}`, "model_length")},
		{say(`"a"`), `{"object":"error","message":"no","type":"server_error","code":3000}`},
	} {
		in := []byte(stream(payloads...))
		out := wholecalltest.Join(wholecalltest.Encode(t, mistral.Chat, wholecalltest.Decode(t, mistral.Chat, in)))
		want, got := wholecalltest.Read(bytes.NewReader(in), mistral.Chat), wholecalltest.Read(bytes.NewReader(out), mistral.Chat)
		if got.String() != want.String() {
			t.Errorf("got %swant %sstream:\n%s", got, want, out)
		}
	}
}

func TestEncodersRefuse(t *testing.T) {
	for _, c := range []struct {
		p       wholecall.Protocol
		scripts []string
	}{
		{mistral.Chat, []string{"announce 0 a1 mow free", "announce 0 a1 mow server", "refusal 0", "text 0 · sign 0 x", "say 0 x", "frag 0 x", "stop error", "stop x refusal"}},
		{mistral.Conversations, []string{"announce 0 a1 mow free", "announce 1.0 a1 mow", "refusal 0", "text 0 · sign 0 x", "say 0 x", "frag 0 x", "end 0", "announce 0 a1 mow · end 0 token-limit", "stop length token-limit"}},
	} {
		for _, script := range c.scripts {
			enc := c.p.NewEncoder()
			var err error
			for _, ev := range wholecalltest.Parse(script) {
				_, err = enc.Append(nil, &ev)
			}
			if err == nil {
				t.Errorf("%s: %s: no error", c.p.Facts().Name, script)
			}
		}
	}
}

// A turn of another provider: no bytes are no arguments there, which has to be written here.
func TestEncodersWriteWhatAnotherProtocolDecoded(t *testing.T) {
	events := wholecalltest.Parse(`begin m1 model · text 0 · say 0 hm · close 0
		announce 1 a1 mow · copy 1 {"a":1} · end 1 · announce 2 b2 mow empty · end 2 · stop tool_use promises · terminal`)
	for _, p := range []wholecall.Protocol{mistral.Chat, mistral.Conversations} {
		got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, p, events))), p)
		want := "text \"hm\"\ncall a1 mow {\"a\":1}\ncall b2 mow {}"
		if got.Outcome != wholecall.Complete || strings.Join(got.Handed, "\n") != want {
			t.Errorf("%s: got %swant %s", p.Facts().Name, got, want)
		}
	}
}
