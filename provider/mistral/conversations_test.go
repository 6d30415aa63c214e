package mistral_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/mistral"
	"github.com/wholecall/wholecall/wholecalltest"
)

var convShape = wholecalltest.Shape{Reasoning: true, Signatures: true, Server: true, Good: "calls", Done: "none"}

// told is the protocol with what it does not have on the wire, and the laws compare: the model's name,
// inside the id; a stop reason, from whether there are calls; and positions that count calls alone.
type told struct{ wholecall.Protocol }

func (p told) NewEncoder() wholecall.Encoder { return toldEncoder{p.Protocol.NewEncoder()} }

func (p told) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &toldDecoder{Decoder: p.Protocol.NewDecoder(d)}
}

type toldEncoder struct{ wholecall.Encoder }

func (e toldEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Begin {
		ev = &wholecall.Event{Kind: wholecall.Begin, ID: slices.Concat(ev.ID, []byte(" "), ev.Name)}
	}
	return e.Encoder.Append(dst, ev)
}

type toldDecoder struct {
	wholecall.Decoder
	calls []int32
}

func (d *toldDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		ev := &events[i]
		switch ev.Kind {
		case wholecall.Begin:
			ev.ID, ev.Name, _ = bytes.Cut(ev.ID, []byte(" "))
		case wholecall.Stop:
			ev.Name, ev.Promises = []byte(convShape.Done), false
			if len(d.calls) > 0 {
				ev.Name, ev.Promises = []byte(convShape.Good), true
			}
		case wholecall.Announce:
			if !slices.Contains(d.calls, ev.Key.Index) {
				d.calls = append(d.calls, ev.Key.Index)
			}
			ev.Key.Index = d.nth(ev.Key.Index)
		case wholecall.Fragment, wholecall.End:
			ev.Key.Index = d.nth(ev.Key.Index)
		}
	}
	return events, err
}

// nth is the place of a call among the calls. One that was never announced keeps away from the others.
func (d *toldDecoder) nth(index int32) int32 {
	if n := slices.Index(d.calls, index); n >= 0 {
		return int32(n)
	}
	return 1000 + index
}

func TestConversationsLaws(t *testing.T) {
	wholecalltest.Laws(t, told{mistral.Conversations}, convShape)
}

func FuzzConversations(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := convShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, mistral.Conversations, events)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, mistral.Conversations, stream) })
}

const (
	convStart = `{"type":"conversation.response.started","conversation_id":"conv_1"}`
	convEnd   = `{"type":"conversation.response.done","usage":{"prompt_tokens":5,"completion_tokens":4,"total_tokens":9}}`
)

func mow(index int, callID, name, args string) string {
	return fmt.Sprintf(`{"type":"function.call.delta","output_index":%d,"id":"fc_%d","name":%q,"tool_call_id":%q,"arguments":%q}`, index, index, name, callID, args)
}

func tool(verb string, index int, args string) string {
	return fmt.Sprintf(`{"type":"tool.execution.%s","output_index":%d,"id":"te_1","name":"web_search"%s}`, verb, index, args)
}

func TestConversationsOddities(t *testing.T) {
	for _, c := range []struct {
		name     string
		payloads []string
		want     string
	}{
		{"two calls whose pieces alternate", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{"m2":`), mow(1, "f5G6h7J8k", "mow", ``), mow(0, "a1B2c3D4e", "mow", `1}`), mow(1, "f5G6h7J8k", "mow", `{}`), convEnd},
			"outcome complete stop conversation.response.done\ncall a1B2c3D4e mow {\"m2\":1}\ncall f5G6h7J8k mow {}\n"},
		{"no end", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{}`)},
			"outcome incomplete truncated\nfailed a1B2c3D4e mow truncated\n"},
		{"an error", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{}`), `{"type":"conversation.response.error","message":"no","code":500}`},
			"outcome failed provider-error\nfailed a1B2c3D4e mow provider-error\n"},
		{"an empty document is not {}", []string{convStart, mow(0, "a1B2c3D4e", "mow", ``), convEnd},
			"outcome incomplete calls-failed stop conversation.response.done\nfailed a1B2c3D4e mow argument-error empty-document\n"},
		{"another call at a used position", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{}`), mow(0, "f5G6h7J8k", "mow", `{}`)},
			"outcome failed duplicate-announcement\nfailed a1B2c3D4e mow protocol-error\n"},
		{"another name", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{`), mow(0, "a1B2c3D4e", "sow", `}`)},
			"outcome failed conflicting-identity\nfailed a1B2c3D4e mow protocol-error\n"},
		{"one call at two positions", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{`), mow(1, "a1B2c3D4e", "mow", `}`)},
			"outcome failed duplicate-id\nfailed a1B2c3D4e mow protocol-error\n"},
		{"no position is position 0, as the types say", []string{convStart, strings.Replace(mow(0, "a1B2c3D4e", "mow", `{`), `"output_index":0,`, "", 1), mow(0, "a1B2c3D4e", "mow", `}`), convEnd},
			"outcome complete stop conversation.response.done\ncall a1B2c3D4e mow {}\n"},
		{"a tool that the provider runs", []string{convStart, tool("started", 0, `,"arguments":""`), tool("delta", 0, `,"arguments":"{\"q\":1}"`), tool("done", 0, ""), `{"type":"message.output.delta","output_index":1,"content":"found","role":"assistant"}`, convEnd},
			"outcome complete stop conversation.response.done\nserver_call te_1 web_search {\"q\":1}\ntext \"found\"\n"},
		{"a tool that the provider runs, whole", []string{convStart, tool("started", 0, `,"arguments":"{}"`), tool("done", 0, `,"info":{"x":1}`), convEnd},
			"outcome complete stop conversation.response.done\nserver_call te_1 web_search {}\n"},
		{"a piece of a tool that never started", []string{convStart, tool("delta", 0, `,"arguments":"{}"`)}, "outcome failed unannounced\n"},
		{"a call where the provider's tool is", []string{convStart, tool("started", 0, `,"arguments":"{}"`), mow(0, "a1B2c3D4e", "mow", `{}`)},
			"outcome failed mismatched-part\nfailed te_1 web_search protocol-error\n"},
		{"a tool of the provider's where a call is", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{}`), tool("done", 0, "")},
			"outcome failed mismatched-part\nfailed a1B2c3D4e mow protocol-error\n"},
		{"content of one part, and of another place", []string{convStart,
			`{"type":"message.output.delta","output_index":0,"content_index":0,"content":{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}}`,
			`{"type":"message.output.delta","output_index":0,"content_index":1,"content":"ye"}`,
			`{"type":"message.output.delta","output_index":0,"content_index":1,"content":{"type":"text","text":"s"}}`,
			`{"type":"message.output.delta","output_index":1,"content":"more"}`, convEnd},
			"outcome complete stop conversation.response.done\nreasoning \"hm\"\ntext \"yes\"\ntext \"more\"\n"},
		{"a handoff", []string{convStart, `{"type":"agent.handoff.started","id":"h1","previous_agent_id":"x"}`, convEnd},
			"outcome complete stop conversation.response.done\ndata agent.handoff.started {\"type\":\"agent.handoff.started\",\"id\":\"h1\",\"previous_agent_id\":\"x\"}\n"},
		{"an event of a type that is not known", []string{convStart, `{"type":"tool.execution.paused","output_index":0}`, convEnd},
			"outcome complete stop conversation.response.done\n"},
		{"a second start", []string{convStart, convStart}, "outcome failed restarted\n"},
		{"something behind the end", []string{convStart, convEnd, mow(0, "a1B2c3D4e", "mow", `{}`)}, "outcome failed late stop conversation.response.done\n"},
		{"a piece without arguments", []string{convStart, `{"type":"function.call.delta","output_index":0,"name":"mow","tool_call_id":"a1B2c3D4e"}`},
			"outcome failed unknown-delta\nfailed a1B2c3D4e mow protocol-error\n"},
		{"a call without an id", []string{convStart, `{"type":"function.call.delta","output_index":0,"name":"mow","arguments":"{}"}`},
			"outcome failed incomplete-identity\n"},
		{"a piece without an id", []string{convStart, mow(0, "a1B2c3D4e", "mow", `{`), `{"type":"function.call.delta","output_index":0,"name":"mow","arguments":"}"}`},
			"outcome failed conflicting-identity\nfailed a1B2c3D4e mow protocol-error\n"},
		{"no type", []string{`{"conversation_id":"x"}`}, "outcome failed malformed-frame\n"},
	} {
		in := "data: " + strings.Join(c.payloads, "\n\ndata: ") + "\n\n"
		got := wholecalltest.Read(strings.NewReader(in), mistral.Conversations)
		if got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, mistral.Conversations, []byte(in), wholecalltest.Rand(t))
	}
}

func TestConversationsConfirmation(t *testing.T) {
	in := "data: " + convStart + "\n\ndata: " + strings.Replace(mow(4, "a1B2c3D4e", "mow", `{}`), `"arguments"`, `"confirmation_status":"pending","arguments"`, 1) + "\n\ndata: " + convEnd + "\n\n"
	for range 2 {
		turn := wholecall.NewTurn(strings.NewReader(in), mistral.Conversations)
		for _, err := range turn.Parts() {
			if err != nil {
				t.Fatal(err)
			}
		}
		calls := turn.Completed()
		if len(calls) != 1 || string(calls[0].Extra()) != `{"confirmation_status":"pending"}` {
			t.Errorf("got %v, extra %s", calls, calls[0].Extra())
		}
		// What is encoded says the same.
		in = string(wholecalltest.Join(wholecalltest.Encode(t, mistral.Conversations, wholecalltest.Decode(t, mistral.Conversations, []byte(in)))))
	}
}

func TestConversationsDecodedCanBeEncoded(t *testing.T) {
	for _, payloads := range [][]string{
		{convStart, tool("started", 3, `,"arguments":"{}"`), tool("done", 3, ""), `{"type":"message.output.delta","output_index":1,"content":[{"type":"tool_reference","tool":"x"}]}`, convEnd},
		{convStart, `{"type":"agent.handoff.done","id":"h1"}`, `{"type":"conversation.response.error","message":"no","code":500}`},
	} {
		in := []byte("data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n")
		out := wholecalltest.Join(wholecalltest.Encode(t, mistral.Conversations, wholecalltest.Decode(t, mistral.Conversations, in)))
		want, got := wholecalltest.Read(bytes.NewReader(in), mistral.Conversations), wholecalltest.Read(bytes.NewReader(out), mistral.Conversations)
		if got.String() != want.String() {
			t.Errorf("got %swant %sstream:\n%s", got, want, out)
		}
	}
}
