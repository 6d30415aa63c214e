package openai_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// TestResponsesEncodes: turns as other protocols tell them come out as the same parts and calls.
func TestResponsesEncodes(t *testing.T) {
	for name, script := range map[string]string{
		"calls that the stop ends": `
			begin r m
			text 0/1 · say 0/1 one · close 0/1
			announce 0 call_1 tide · frag 0 {"p":1}
			text 0/2 · say 0/2 two
			announce 1 call_2 sql free · frag 1 SELECT
			announce 2 call_3 tide · frag 2 {"p":
			stop tool_calls ends · terminal`,
		"calls that the stop cuts": `
			begin r m
			announce 0 call_1 tide · frag 0 {"p":1}
			announce 1 call_2 tide · frag 1 {"p":
			announce 2 call_3 tide empty
			stop length token-limit ends · terminal`,
		"calls without a byte": `
			begin r m
			announce 0 call_1 tide empty · end 0
			announce 1 call_2 tide · end 1
			announce 2 call_3 tide free · end 2
			stop tool_use · terminal`,
		"calls without a byte, ended by the stop": `
			begin r m
			announce 0 call_1 tide empty
			stop tool_calls ends · terminal`,
		"calls without a byte, cut": `
			begin r m
			announce 0 call_1 tide empty · end 0
			stop max_tokens token-limit · terminal`,
		"a call that its end cuts, one that has none, and one that the provider ran": `
			begin r m
			announce 0 call_1 tide · frag 0 {} · end 0 truncated
			announce 1 call_2 tide · frag 1 {}
			announce 2 srv_1 search server · frag 2 {"q":1} · end 2
			stop refusal refusal · terminal`,
		"a document that is only a copy": `
			begin r m
			announce 0 call_1 tide · copy 0 {"p":1} · copy 0 {"p":1} · end 0 · final 0 {"p":1}
			stop completed · terminal`,
		"copies that disagree": `
			begin r m
			announce 0 call_1 tide · frag 0 {"p":1} · copy 0 {"p":2} · copy 0 {"p":1} · end 0
			stop completed · terminal`,
		"data of another protocol": `
			begin r m
			data 0 redacted_thinking {"type":"redacted_thinking","data":"x"} · close 0
			text 1 · say 1 "a\n😀\ud83d" · say 1 "\ude00" · close 1
			stop end_turn · terminal`,
		"a failure": `
			begin r m
			announce 0 call_1 tide · frag 0 {} · end 0
			announce 1 call_2 tide · frag 1 {
			fail overloaded try later`,
		"cut": `
			begin r m
			reasoning 0 · say 0 hm · close 0
			announce 1 call_1 tide · frag 1 {}`,
	} {
		t.Run(name, func(t *testing.T) {
			events := wholecalltest.Parse(script)
			want := wholecalltest.Apply(events, wholecall.Limits{})
			stream := wholecalltest.Join(wholecalltest.Encode(t, openai.Responses, events))
			got := wholecalltest.Read(bytes.NewReader(stream), openai.Responses)
			if !slices.Equal(withoutWhy(got.Handed), withoutWhy(want.Handed)) || got.Kind != want.Kind || got.Outcome != want.Outcome {
				t.Errorf("got\n%s\nwant\n%s\nstream:\n%s", got, want, stream)
			}
		})
	}
}

// withoutWhy leaves out why a call failed: other protocols have other words for it.
func withoutWhy(handed []string) []string {
	out := slices.Clone(handed)
	for i, h := range out {
		if f := strings.Fields(h); f[0] == "failed" {
			out[i] = strings.Join(f[:3], " ")
		}
	}
	return out
}

// TestResponsesTranscript: a transcript, a remark on a text, and an event of no known type.
func TestResponsesTranscript(t *testing.T) {
	k, v := wholecall.Key{Index: 0, Sub: 1}, wholecall.Key{Index: -1, Sub: 1}
	events := []wholecall.Event{
		{Kind: wholecall.Begin, ID: []byte("r"), Name: []byte("m")},
		{Kind: wholecall.OpenPart, Part: wholecall.TranscriptPart, Key: v},
		{Kind: wholecall.Delta, Key: v, Data: []byte("la")},
		{Kind: wholecall.OpenPart, Part: wholecall.TextPart, Key: k},
		{Kind: wholecall.Annotate, Key: k, Data: []byte("{\"a\":\n\"b\"}")},
		{Kind: wholecall.Pass, Name: []byte("response.novel")},
		{Kind: wholecall.ClosePart, Key: v},
		{Kind: wholecall.Delta, Key: k, Data: []byte("x")},
		{Kind: wholecall.UsageReport, Usage: wholecall.Usage{Input: 3, Output: 4, CacheRead: 1, Reasoning: 2}, Data: []byte(`{"prompt_tokens":3}`)},
		{Kind: wholecall.Stop, Name: []byte("stop"), Ends: true},
		{Kind: wholecall.Terminal},
	}
	want := wholecalltest.Apply(events, wholecall.Limits{})
	turn := wholecall.NewTurn(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, openai.Responses, events))), openai.Responses)
	got := wholecalltest.Drain(turn)
	if !slices.Equal(got.Handed, want.Handed) || got.Outcome != wholecall.Complete {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if u, _ := turn.Usage(); u != events[8].Usage {
		t.Errorf("usage %+v", u)
	}
	if p := turn.Passed(); len(p) != 1 || p[0].Name != "response.novel" {
		t.Errorf("passed %v", p)
	}
}

// TestResponsesCantExpress: what the protocol has no words for is an error, and leaves the stream as it
// was, so that who can do without it may go on.
func TestResponsesCantExpress(t *testing.T) {
	enc := openai.Responses.NewEncoder()
	var stream []byte
	var refused int
	for _, ev := range wholecalltest.Parse(`
		begin r m
		text 1.0/1
		announce 1.0 call_9 tide
		reasoning 0 · say 0 hm · sign 0 c2ln · close 0 · say 0 late
		data 1 fallback {"type":"fallback"} · say 1 x · close 1
		data 2 broken {"type":
		data 3 function_call {"type":"function_call"}
		announce 4 srv_1 shell server free
		announce 5 call_1 tide · frag 5 {} · end 5 · frag 5 }
		frag 6 {}
		terminal
		stop end_turn · terminal`) {
		b, err := enc.Append(stream, &ev)
		if err != nil {
			refused++
			if len(b) != len(stream) {
				t.Errorf("event kind %d: %v, and %d bytes", ev.Kind, err, len(b)-len(stream))
			}
		}
		stream = b
	}
	if refused != 11 {
		t.Errorf("%d events were refused", refused)
	}
	got := wholecalltest.Read(bytes.NewReader(stream), openai.Responses)
	want := []string{`reasoning "hm"`, `data fallback {"type":"fallback"}`, `call call_1 tide {}`}
	if got.Outcome != wholecall.Complete || !slices.Equal(got.Handed, want) {
		t.Errorf("got\n%s\nstream:\n%s", got, stream)
	}
}
