package openai_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// What the decoder makes of a stream, the encoder writes so that the same comes out again.
func TestRealtimeRoundTrip(t *testing.T) {
	for _, c := range realtimeCases {
		in := []byte(c.stream())
		want := wholecalltest.Read(bytes.NewReader(in), openai.Realtime)
		switch {
		case want.Outcome == wholecall.Failed, want.Kind == wholecall.Truncated, want.Kind == wholecall.NoStopReason:
			continue
		case c.name == "incomplete, without a reason", c.name == "done and in progress", strings.Contains(c.name, "item has the text"):
			continue // for these there is no word, or no item
		}
		events := wholecalltest.Decode(t, openai.Realtime, in)
		out := wholecalltest.Join(wholecalltest.Encode(t, openai.Realtime, events))
		got := wholecalltest.Read(bytes.NewReader(out), openai.Realtime)
		if strings.ReplaceAll(got.String(), "stop client_cancelled", "stop cancelled") != strings.ReplaceAll(want.String(), "stop client_cancelled", "stop cancelled") {
			t.Errorf("%s:\ngot  %swant %sstream:\n%s", c.name, got, want, out)
		}
	}
}

// A message of several parts keeps their places, and what else is said of a call comes out again.
func TestRealtimeKeysAndExtra(t *testing.T) {
	in := strings.Join([]string{rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.delta", "A", 0, 0, `"delta":"a"`),
		rtText("output_audio_transcript.delta", "A", 0, 1, `"delta":"c"`), rtAdded("A", 1), rtFrag("A", 1, "{}"),
		rtItemDone("A", 1, "completed", "{}"), rtItem("added", "A", 2, strings.ReplaceAll(rtMCPItem("{}"), "item_0", "item_2")),
		strings.Replace(rtDone("A", "completed", "", rtCall(1, "completed", "{}"), strings.ReplaceAll(rtMCPItem("{}"), "item_0", "item_2")), `"output":`,
			`"usage":{"input_tokens":5,"output_tokens":3,"input_token_details":{"cached_tokens":2}},"output":`, 1)}, "\n") + "\n"
	for range 2 {
		turn := wholecall.NewTurn(strings.NewReader(in), openai.Realtime)
		wholecalltest.Drain(turn)
		if turn.Err() != nil {
			t.Fatalf("%v\n%s", turn.Err(), in)
		}
		calls, server, parts := turn.Completed(), turn.ServerCalls(), turn.Outline()
		if string(calls[0].Extra()) != `{"item_id":"item_1"}` || string(server[0].Extra()) != `{"type":"mcp_call","server_label":"s"}` {
			t.Errorf("extra %s and %s", calls[0].Extra(), server[0].Extra())
		}
		if parts[0].Key != (wholecall.Key{Sub: 1}) || parts[1].Key != (wholecall.Key{Sub: 2}) || parts[2].Key != (wholecall.Key{Index: 1}) {
			t.Errorf("parts %v", parts)
		}
		if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 5, Output: 3, CacheRead: 2}) {
			t.Errorf("usage %+v", u)
		}
		in = string(wholecalltest.Join(wholecalltest.Encode(t, openai.Realtime, wholecalltest.Decode(t, openai.Realtime, []byte(in)))))
	}
}

// Responses that follow each other on one socket are turns that follow each other; what the server says
// between them belongs to the one before.
func TestRealtimeTurns(t *testing.T) {
	c := realtimeCase{lines: lines(rtSession, rtCreated("A"), rtWhole("A", 0, "{}"), rtDone("A", "completed", "", rtCall(0, "completed", "{}")),
		`{"type":"rate_limits.updated"}`, rtError(`"message":"no"`), rtCreated("B"), rtCreated("C"), rtWhole("C", 0, "{}"), rtDone("B", "completed", ""),
		rtDone("C", "completed", "", rtCall(0, "completed", "{}")), rtCreated("D"), rtWhole("D", 0, "{}"))}
	var got []string
	for turn := range wholecall.Turns(strings.NewReader(c.stream()), openai.Realtime) {
		res := wholecalltest.Drain(turn)
		got = append(got, turn.ID()+" "+strings.ReplaceAll(res.String(), "\n", "; "))
	}
	want := "resp_A outcome complete stop completed; call call_0 dial {}; \n" +
		"resp_B outcome complete stop completed; call call_0 dial {}; \n" +
		"resp_D outcome incomplete truncated; failed call_0 dial truncated; "
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// Token counts of another protocol are written in this one's words, and a line end in a value is none on
// the wire.
func TestRealtimeEncodesValuesOfAnother(t *testing.T) {
	enc := openai.Realtime.NewEncoder()
	var b []byte
	for _, ev := range []wholecall.Event{
		{Kind: wholecall.OpenPart, Part: wholecall.DataPart, Name: []byte("x"), Data: []byte("{\"type\":\"x\",\n\"a\":1}")},
		{Kind: wholecall.UsageReport, Usage: wholecall.Usage{Input: 3, Output: 4, CacheRead: 2}, Data: []byte(`{"prompt_tokens":3}`)},
		{Kind: wholecall.Stop, Name: []byte("end_turn")}, {Kind: wholecall.Stop, Name: []byte("end_turn")}, {Kind: wholecall.Terminal},
	} {
		var err error
		if b, err = enc.Append(b, &ev); err != nil {
			t.Fatal(err)
		}
	}
	turn := wholecall.NewTurn(bytes.NewReader(b), openai.Realtime)
	got := wholecalltest.Drain(turn)
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 3, Output: 4, CacheRead: 2}) || got.String() != "outcome complete stop completed\ndata x {\"type\":\"x\", \"a\":1}\n" {
		t.Errorf("usage %+v, %s of\n%s", u, got, b)
	}
}

// A response that was cut has no whole call. That is said; where another call was cut, the fate of each is
// written all the same.
func TestRealtimeWholeCallInACutResponse(t *testing.T) {
	for script, want := range map[string]string{
		`begin r m · announce 0 a1 tint · frag 0 {} · end 0 · announce 1 b2 tint · frag 1 {"a · stop length token-limit · terminal`: "outcome incomplete calls-failed stop completed\ncall a1 tint {}\nfailed b2 tint unfinished\n",
		`begin r m · announce 0 a1 tint · frag 0 {} · announce 1 b2 tint · stop length token-limit ends · terminal`:                 "outcome incomplete calls-failed stop completed\ncall a1 tint {}\nfailed b2 tint unfinished\n",
		`begin r m · announce 0 a1 tint · frag 0 {} · end 0 · stop length token-limit · terminal`:                                   "outcome incomplete truncated\nfailed a1 tint truncated\n",
	} {
		enc := openai.Realtime.NewEncoder()
		var b []byte
		refused := 0
		for _, ev := range wholecalltest.Parse(script) {
			if next, err := enc.Append(b, &ev); err != nil {
				refused++
			} else {
				b = next
			}
		}
		if got := wholecalltest.Read(bytes.NewReader(b), openai.Realtime); got.String() != want || refused == 0 {
			t.Errorf("%s: %d refused\ngot  %swant %s%s", script, refused, got, want, b)
		}
	}
}

// The message of a failure stands in an error event before it.
func TestRealtimeFailure(t *testing.T) {
	events := wholecalltest.Parse("begin r m · announce 0 a1 tint · fail E1 busy now")
	b := wholecalltest.Join(wholecalltest.Encode(t, openai.Realtime, events))
	turn := wholecall.NewTurn(bytes.NewReader(b), openai.Realtime)
	wholecalltest.Drain(turn)
	e, ok := turn.Err().(*wholecall.ProviderError)
	if !ok || e.Code != "E1" || e.Message != "busy now" {
		t.Errorf("got %v of\n%s", turn.Err(), b)
	}
}

// A turn of another provider can be written too.
func TestRealtimeEncodesWhatAnotherProtocolDecoded(t *testing.T) {
	for script, want := range map[string]string{
		`begin m1 model · text 0/1 · say 0/1 hm · close 0/1 · announce 1 a1 tint empty · copy 1 {"a":1} · end 1 · announce 2 b2 tint empty · end 2
		stop tool_use promises · terminal`: "outcome complete stop completed\ntext \"hm\"\ncall a1 tint {\"a\":1}\ncall b2 tint {}\n",
		`begin m1 model · announce 0 a1 tint empty · end 0 · announce 1 b2 tint · frag 1 {"a · stop max_tokens token-limit · terminal`:                 "outcome incomplete calls-failed stop max_output_tokens\nfailed a1 tint token-limit\nfailed b2 tint token-limit\n",
		`begin m1 model · text 0/1 · say 0/1 a · announce 0 a1 tint · frag 0 {} · announce 1 b2 tint · stop end ends · terminal`:                       "outcome incomplete calls-failed stop completed\ntext \"a\"\ncall a1 tint {}\nfailed b2 tint argument-error empty-document\n",
		`begin m1 model · announce 0 a1 tint · frag 0 {} · stop end · terminal`:                                                                        "outcome incomplete calls-failed stop completed\nfailed a1 tint unfinished\n",
		`begin m1 model · announce 0 a1 tint · frag 0 {"a":1} · copy 0 {"a":2} · end 0 · stop end · terminal`:                                          "outcome incomplete calls-failed stop completed\nfailed a1 tint argument-error document-mismatch\n",
		`begin m1 model · announce 0.0 a1 tint · announce 1.0 a1 tint · frag 1.0 {} · stop end ends choice 1 · frag 0.0 {} · stop end ends · terminal`: "outcome complete stop completed\ncall a1 tint {}\ncall a1 tint {}\n",
	} {
		b := wholecalltest.Join(wholecalltest.Encode(t, openai.Realtime, wholecalltest.Parse(script)))
		if got := wholecalltest.Read(bytes.NewReader(b), openai.Realtime); got.String() != want {
			t.Errorf("%s\ngot  %swant %s%s", script, got, want, b)
		}
	}
}

func TestRealtimeEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 tint free", "refusal 0", "reasoning 0", "text 0 · sign 0 x", "say 0 x", "frag 0 x", "end 0", "terminal", "begin r m · terminal",
		"stop x refusal", "stop x paused", "stop x truncated", "data 0 x {", `data 0 x {"type":"y"}`, `data 0 message {"type":"message"}`,
		"announce 0 a1 tint · frag 0 {} · end 0 · stop x token-limit", "announce 0 a1 tint · frag 0 {} · stop x token-limit ends",
	} {
		enc := openai.Realtime.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			_, err = enc.Append(nil, &ev)
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
	if _, err := openai.Realtime.NewEncoder().Append(nil, &wholecall.Event{Kind: 99}); err == nil {
		t.Error("an unknown event: no error")
	}
}

func TestRealtimeRecognises(t *testing.T) {
	for data, want := range map[string]int{
		rtSession: 100, rtCreated("A"): 100, rtFrag("A", 0, "x"): 100, `{"type":"response.mcp_call.completed","event_id":"e"}`: 80,
		rtError(`"message":"x"`): 60, `{"type":"weather","event_id":"e"}`: 0, `{"type"`: 0,
		`{"type":"response.created","sequence_number":0,"response":{}}`: 0,
	} {
		if got := openai.Realtime.Recognises(&frame.Frame{Data: []byte(data)}); got != want {
			t.Errorf("%s: %d, want %d", data, got, want)
		}
	}
}
