package anthropic_test

import (
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/wholecalltest"
)

var shape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, EmptyIsObject: true, Reasoning: true, Signatures: true, Server: true,
	Good: "tool_use", Done: "end_turn",
}

func TestLaws(t *testing.T) { wholecalltest.Laws(t, anthropic.Messages, shape) }

func FuzzMessages(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, anthropic.Messages, events)))
	}
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, anthropic.Messages, stream) })
}

// frames writes Messages events, each with its type as the event's name.
func frames(t *testing.T, events ...string) string {
	t.Helper()
	var b strings.Builder
	for _, data := range events {
		typ, _, ok := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
		if !ok {
			t.Fatal(data)
		}
		b.WriteString("event: " + typ + "\ndata: " + data + "\n\n")
	}
	return b.String()
}

// TestOddities: what is odd about Messages streams, and what becomes of it.
func TestOddities(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"id":"msg_1","model":"m","content":[],"stop_reason":null}}`
		tool  = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"weigh","input":{}}}`
		other = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t2","name":"weigh","input":{}}}`
		frag  = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"kg\":2}"}}`
		half  = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"kg\""}}`
		stop  = `{"type":"content_block_stop","index":0}`
		use   = `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}`
		limit = `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":1}}`
		end   = `{"type":"message_stop"}`
	)
	reused := wholecall.Dialect{Allows: []string{"reused-block-index"}}
	inStart := wholecall.Dialect{Allows: []string{"input-in-block-start"}}
	const whole = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"weigh","input":{"kg":2}}}`
	tests := []struct {
		name    string
		events  []string
		dialect wholecall.Dialect
		want    string
	}{
		{"half a document at the token limit", []string{start, tool, half, stop, limit, end}, wholecall.Dialect{},
			"outcome incomplete calls-failed stop max_tokens\nfailed t1 weigh token-limit incomplete-json\n"},
		{"half a document at a good stop", []string{start, tool, half, stop, use, end}, wholecall.Dialect{},
			"outcome incomplete calls-failed stop tool_use\nfailed t1 weigh argument-error incomplete-json\n"},
		{"half a document and a cut", []string{start, tool, half, stop}, wholecall.Dialect{},
			"outcome incomplete truncated\nfailed t1 weigh argument-error incomplete-json\n"},
		{"no argument at the token limit", []string{start, tool, stop, limit, end}, wholecall.Dialect{},
			"outcome incomplete calls-failed stop max_tokens\nfailed t1 weigh token-limit\n"},
		{"a block never stopped", []string{start, tool, half, limit, end}, wholecall.Dialect{},
			"outcome incomplete calls-failed stop max_tokens\nfailed t1 weigh token-limit\n"},
		{"an index used again", []string{start, tool, frag, stop, other, frag, stop, use, end}, reused,
			"outcome complete stop tool_use\ncall t1 weigh {\"kg\":2}\ncall t2 weigh {\"kg\":2}\n"},
		{"an index used again, strictly", []string{start, tool, frag, stop, other}, wholecall.Dialect{},
			"outcome failed duplicate-announcement\ncall t1 weigh {\"kg\":2}\n"},
		{"an index used again while open", []string{start, tool, frag, other}, reused,
			"outcome failed duplicate-announcement\nfailed t1 weigh protocol-error\n"},
		{"the same call again is a replay in any dialect", []string{start, tool, frag, stop, tool}, reused,
			"outcome failed duplicate-id\ncall t1 weigh {\"kg\":2}\n"},
		{"the input in the start", []string{start, whole, stop, use, end}, inStart,
			"outcome complete stop tool_use\ncall t1 weigh {\"kg\":2}\n"},
		{"the input in the start, and fragments", []string{start, whole, frag, stop, use, end}, inStart,
			"outcome failed ambiguous-document\nfailed t1 weigh protocol-error\n"},
		{"the input in the start of a program's call", []string{start,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"weigh","input":{"kg":2},"caller":{"type":"code_execution_20250825","tool_id":"s1"}}}`,
			stop, use, end}, wholecall.Dialect{},
			"outcome complete stop tool_use\ncall t1 weigh {\"kg\":2}\n"},
		{"a call that stands whole in message_start", []string{
			`{"type":"message_start","message":{"id":"msg_1","model":"m","content":[{"type":"tool_use","id":"t1","name":"weigh","input":{"kg":2}}],"stop_reason":"tool_use"}}`, end},
			wholecall.Dialect{}, "outcome complete stop tool_use\ncall t1 weigh {\"kg\":2}\n"},
		{"calls promised", []string{start, use, end}, wholecall.Dialect{}, "outcome failed calls-promised stop tool_use\n"},
		{"an unknown delta on a call", []string{start, tool,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_cbor_delta","cbor":"oWA="}}`}, wholecall.Dialect{},
			"outcome failed unknown-delta\nfailed t1 weigh protocol-error\n"},
		{"an unknown event", []string{start, `{"type":"weather_report","sun":true}`, tool, frag, stop, use, end}, wholecall.Dialect{},
			"outcome complete stop tool_use\ncall t1 weigh {\"kg\":2}\n"},
		{"a member twice", []string{start, tool,
			`{"type":"content_block_delta","index":0,"index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`}, wholecall.Dialect{},
			"outcome failed malformed-frame\nfailed t1 weigh protocol-error\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := wholecalltest.Read(strings.NewReader(frames(t, tt.events...)), anthropic.Messages, wholecall.WithDialect(tt.dialect))
			if got.String() != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}
