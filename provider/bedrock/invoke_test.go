package bedrock_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

var (
	claude = bedrock.InvokeModel(anthropic.Messages)
	nova   = bedrock.InvokeModel(bedrock.ConverseStream)
)

func TestInvokeLaws(t *testing.T) { wholecalltest.Laws(t, claude, shape) }

func TestInvokeNovaLaws(t *testing.T) {
	wholecalltest.Laws(t, named{nova, new(wholecall.Event)}, shape)
}

func FuzzInvokeModel(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, claude, events)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, claude, stream) })
}

// FuzzInvokeLines puts each line into a chunk, so that what the fuzzer changes gets through to the decoders.
func FuzzInvokeLines(f *testing.F) {
	f.Add(strings.Join([]string{claudeStart, claudeCall, claudeFrag, claudeStop, claudeUse, claudeEnd}, "\n"), "QUJD")
	f.Fuzz(func(t *testing.T, lines, raw string) {
		in := stream(event("chunk", `{"bytes":"`+raw+`"}`))
		for line := range strings.Lines(lines) {
			in = stream(chunk(line)) + in
		}
		wholecalltest.NeverLoses(t, claude, []byte(in))
		wholecalltest.NeverLoses(t, claude, []byte(lines), wholecall.WithFraming(newLines))
	})
}

// The payloads of a stream.
const (
	claudeStart = `{"type":"message_start","message":{"id":"msg_bdrk_1","type":"message","role":"assistant","model":"claude-example","content":[],"stop_reason":null}}`
	claudeCall  = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_bdrk_1","name":"tint","input":{}}}`
	claudeFrag  = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"rgb\":9}"}}`
	claudeHalf  = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"rgb\""}}`
	claudeStop  = `{"type":"content_block_stop","index":0}`
	claudeUse   = `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}`
	claudeLimit = `{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":7}}`
	claudeEnd   = `{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":9,"outputTokenCount":7,"invocationLatency":80,"firstByteLatency":30}}`
)

// chunk wraps one payload.
func chunk(payload string) message {
	return event("chunk", fmt.Sprintf(`{"bytes":%q,"p":"abcd"}`, base64.StdEncoding.EncodeToString([]byte(payload))))
}

func chunks(payloads ...string) []message {
	var all []message
	for _, p := range payloads {
		all = append(all, chunk(p))
	}
	return all
}

// bare makes lines of payloads, without the names of their events.
func bare(messages ...message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.payload + "\n")
	}
	return b.String()
}

var invokeOddities = []struct {
	name     string
	messages []message
	want     string
}{
	{"a call", chunks(claudeStart, claudeCall, claudeFrag, claudeStop, claudeUse, claudeEnd),
		"outcome complete stop tool_use\ncall toolu_bdrk_1 tint {\"rgb\":9}\n"},
	{"no argument", chunks(claudeStart, claudeCall, claudeStop, claudeUse, claudeEnd),
		"outcome complete stop tool_use\ncall toolu_bdrk_1 tint {}\n"},
	{"a block open at the token limit", chunks(claudeStart, claudeCall, claudeHalf, claudeLimit, claudeEnd),
		"outcome incomplete calls-failed stop max_tokens\nfailed toolu_bdrk_1 tint token-limit\n"},
	{"no end", chunks(claudeStart, claudeCall, claudeFrag, claudeStop, claudeUse),
		"outcome incomplete truncated stop tool_use\ncall toolu_bdrk_1 tint {\"rgb\":9}\n"},
	{"an exception in the middle", append(chunks(claudeStart, claudeCall, claudeHalf), exception("modelTimeoutException", `{"message":"slow"}`)),
		"outcome failed provider-error\nfailed toolu_bdrk_1 tint provider-error\n"},
	{"an error of the model's own", chunks(claudeStart, claudeCall, `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`),
		"outcome failed provider-error\nfailed toolu_bdrk_1 tint provider-error\n"},
	{"a fragment of nothing", chunks(claudeStart, claudeFrag), "outcome failed unannounced\n"},
	{"a block that starts again", chunks(claudeStart, claudeCall, claudeFrag, claudeStop, claudeCall),
		"outcome failed duplicate-announcement\ncall toolu_bdrk_1 tint {\"rgb\":9}\n"},
	{"an event of a kind that is not known", append([]message{event("weather", `{"sun":true}`)}, chunks(claudeStart, claudeUse)...),
		"outcome incomplete truncated stop tool_use\n"},
	{"no base64", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":"e30"}`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
	{"bytes that are no string", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":null}`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
	{"bytes twice", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":"eyJ0eXBlIjoicGluZyJ9","bytes":"eyJ0eXBlIjoicGluZyJ9"}`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
	{"a chunk inside a chunk", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":"eyJ0eXBlIjoicGluZyJ9","chunk":{"bytes":"e30="}}`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
	{"a payload that is no JSON", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":"e30="`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
	{"a chunk of nothing", append(chunks(claudeStart, claudeCall), event("chunk", `{"bytes":""}`)),
		"outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
}

// TestInvokeOddities reads each stream as it comes, and as the two kinds of bare payloads that a recorder
// may keep of it.
func TestInvokeOddities(t *testing.T) {
	for _, c := range invokeOddities {
		if got := wholecalltest.Read(strings.NewReader(stream(c.messages...)), claude); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		got := wholecalltest.Read(strings.NewReader(lines(c.messages...)), claude, wholecall.WithFraming(newLines))
		if got.String() != c.want {
			t.Errorf("%s, a line each:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, claude, []byte(stream(c.messages...)), wholecalltest.Rand(t))
		if c.messages[len(c.messages)-1].kind == eventstream.Exception || c.messages[0].name != "chunk" {
			continue // which event a bare payload is, its members must say
		}
		got = wholecalltest.Read(strings.NewReader(bare(c.messages...)), claude, wholecall.WithFraming(newLines))
		if got.String() != c.want {
			t.Errorf("%s, bare:\ngot  %swant %s", c.name, got, c.want)
		}
	}
}

func TestInvokeBytes(t *testing.T) {
	whole := stream(chunks(claudeStart, claudeCall, claudeFrag)...)
	slashes := stream(chunk(claudeStart), event("chunk", `{"bytes":`+strings.ReplaceAll(fmt.Sprintf("%q", base64.StdEncoding.EncodeToString([]byte(`{"type":"ping","x":"???"}`))), "/", `\/`)+`}`))
	if !strings.Contains(slashes, `\/`) {
		t.Fatal("no slash in the bytes of the test")
	}
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "outcome incomplete truncated\n"},
		{"cut inside a message", whole[:len(whole)-1], "outcome incomplete truncated\nfailed toolu_bdrk_1 tint truncated\n"},
		{"a checksum that does not hold", whole[:len(whole)-1] + "\x00", "outcome failed malformed-frame\nfailed toolu_bdrk_1 tint protocol-error\n"},
		{"base64 with escapes", slashes, "outcome incomplete truncated\n"},
		{"a chunk without bytes", stream(chunk(claudeStart), event("chunk", `{"p":"x"}`)), "outcome failed malformed-frame\n"},
		{"no message type", stream(message{"", "chunk", chunk(claudeStart).payload}), "outcome incomplete truncated\n"},
		{"an event without a name", stream(message{eventstream.Event, "", chunk(claudeStart).payload}), "outcome failed malformed-frame\n"},
		{"an error", whole + stream(message{eventstream.Failure, "InternalError", "no"}), "outcome failed provider-error\nfailed toolu_bdrk_1 tint provider-error\n"},
	} {
		if got := wholecalltest.Read(strings.NewReader(c.in), claude); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, claude, []byte(c.in), wholecalltest.Rand(t))
	}
}

// Whatever of it the decoder understands, the encoder writes so that the same comes out again.
func TestWhatIsInvokedCanBeEncoded(t *testing.T) {
	for _, c := range invokeOddities {
		in := []byte(stream(c.messages...))
		want := wholecalltest.Read(bytes.NewReader(in), claude)
		if want.Outcome == wholecall.Failed && want.Kind != wholecall.ProviderFailed {
			continue
		}
		out := wholecalltest.Join(wholecalltest.Encode(t, claude, wholecalltest.Decode(t, claude, in)))
		if got := wholecalltest.Read(bytes.NewReader(out), claude); got.String() != want.String() {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, want)
		}
	}
}

// A failure that ConverseStream says as an exception stays one, and is no payload of a chunk.
func TestFailuresOfEveryKindAreWritten(t *testing.T) {
	for _, p := range []wholecall.Protocol{claude, nova} {
		for _, name := range []string{"", "throttlingException", "overloaded_error"} {
			fail := wholecall.Event{Kind: wholecall.Failure, ID: []byte("503"), Name: []byte(name), Data: []byte("busy")}
			out := wholecalltest.Join(wholecalltest.Encode(t, p, []wholecall.Event{fail}))
			got := wholecalltest.Decode(t, p, out)
			if len(got) != 1 || got[0].Kind != wholecall.Failure || string(got[0].Name) != name || string(got[0].Data) != "busy" {
				t.Errorf("%s: %q: got %+v", p.Facts().Title, name, got)
			}
		}
	}
}

// The sentinel of Chat is of its own framing: in chunks there is none, and the end needs none.
func TestNoSentinelInChunks(t *testing.T) {
	chat := bedrock.InvokeModel(openai.Chat)
	events := wholecalltest.Parse(`begin c1 m · announce 0 a1 tint · frag 0 {"a":1} · stop tool_calls ends promises · terminal`)
	out := wholecalltest.Join(wholecalltest.Encode(t, chat, events))
	framer := chat.NewFramer(0)
	framer.Fed(copy(framer.Buffer(), out))
	var f frame.Frame
	for {
		ok, err := framer.Next(&f)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if chat.Recognises(&f) == 0 {
			t.Errorf("a chunk that is no event of Chat: %s", f.Data)
		}
	}
	got := wholecalltest.Read(bytes.NewReader(out), chat)
	if want := "outcome complete stop tool_calls\ncall a1 tint {\"a\":1}\n"; got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestInvokeRecognises(t *testing.T) {
	for _, c := range []struct {
		name string
		p    wholecall.Protocol
		f    frame.Frame
		sure int
	}{
		{"a start", claude, frameOf(chunk(claudeStart)), 100},
		{"a start, bare", claude, frame.Frame{Data: []byte(chunk(claudeStart).payload)}, 100},
		{"a start in its name", claude, frame.Frame{Data: []byte(strings.TrimSpace(lines(chunk(claudeStart))))}, 100},
		{"an exception", claude, frameOf(exception("throttlingException", "{}")), 25},
		{"another model", claude, frameOf(chunk(`{"generation":"a","stop_reason":null}`)), 0},
		{"Nova", nova, frameOf(chunk(`{"contentBlockStop":{"contentBlockIndex":0}}`)), 100},
		{"Nova, of Claude", claude, frameOf(chunk(`{"contentBlockStop":{"contentBlockIndex":0}}`)), 0},
		{"ConverseStream", claude, frameOf(blockStop(0)), 0},
		{"no chunk", claude, frameOf(event("chunk", `{}`)), 0},
		{"a payload without a chunk", claude, frame.Frame{Data: []byte(claudeStart)}, 0},
		{"nothing", claude, frame.Frame{Data: []byte{}}, 0},
	} {
		if got := c.p.Recognises(&c.f); got != c.sure {
			t.Errorf("%s: %d, want %d", c.name, got, c.sure)
		}
	}
}

// The switches and the dialects of the inner protocol are those of the whole.
func TestInvokeDialects(t *testing.T) {
	d, ok := wholecall.DialectNamed(claude, "anthropic-gateway")
	if !ok {
		t.Fatal("no dialect")
	}
	in := stream(chunks(claudeStart, claudeCall, claudeFrag, claudeStop, claudeUse)...)
	got := wholecalltest.Read(strings.NewReader(in), claude, wholecall.WithDialect(d))
	if got.Outcome != wholecall.Complete {
		t.Errorf("got %s", got)
	}
}

func TestInvokedTurnsBehindOneAnother(t *testing.T) {
	one := stream(chunks(claudeStart, claudeCall, claudeFrag, claudeStop, claudeUse, claudeEnd)...)
	n := 0
	for turn := range wholecall.Turns(strings.NewReader(one+one), claude) {
		n++
		if got := wholecalltest.Drain(turn); len(got.Calls) != 1 || got.Outcome != wholecall.Complete {
			t.Errorf("turn %d: %s", n, got)
		}
	}
	if n != 2 {
		t.Errorf("%d turns", n)
	}
}

func TestInvokeNoAllocations(t *testing.T) {
	frames := []frame.Frame{frameOf(chunk(claudeStart)), frameOf(chunk(claudeCall)), frameOf(chunk(claudeHalf)), frameOf(chunk(strings.Replace(claudeFrag, "9", "1", 1)))}
	if n := allocations(t, claude, frames...); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for i, f := range frames {
		frames[i] = frame.Frame{Data: f.Data}
	}
	if n := allocations(t, claude, frames...); n != 0 {
		t.Errorf("bare: %v allocations", n)
	}
}

func TestInvokeFraming(t *testing.T) {
	f := claude.Facts()
	if f.Framing != "eventstream" || f.Name != "bedrock-invoke" || f.Key != anthropic.Messages.Facts().Key {
		t.Errorf("got %+v", f)
	}
	if _, ok := claude.NewFramer(0).(*eventstream.Framer); !ok {
		t.Error("another framing")
	}
}
