package gemini_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/wholecalltest"
)

// encodeScript encodes the events of a script, and returns the first error.
func encodeScript(p wholecall.Protocol, script string) (string, error) {
	enc := p.NewEncoder()
	var b []byte
	var err error
	for _, ev := range wholecalltest.Parse(script) {
		if b, err = enc.Append(b, &ev); err != nil {
			return string(b), err
		}
	}
	return string(b), nil
}

func TestWhatCannotBeExpressed(t *testing.T) {
	for _, c := range []struct {
		p            wholecall.Protocol
		script, want string
	}{
		{gemini.GenerateContent, "refusal 0/1", "a part of kind refusal"},
		{gemini.GenerateContent, "announce 0 a1 tide free", "free text"},
		{gemini.GenerateContent, "announce 0 a1 tide · frag 0 {\"a\" · end 0", "not a whole object"},
		{gemini.GenerateContent, "announce 0 a1 tide · frag 0 [1] · end 0", "not a whole object"},
		{gemini.GenerateContent, "announce 0 a1 tide · frag 0 \"{\\ud83d\" · end 0", "not a whole object"},
		{gemini.GenerateContent, "announce 0 a1 tide · end 0", "not a whole object"},
		{gemini.GenerateContent, "announce 0 a1 tide · end 0 token-limit", "a call that was cut (token-limit)"},
		{gemini.GenerateContent, "announce 0 a1 tide · stop STOP", "a call that never ended"},
		{gemini.GenerateContent, "announce 0 a1 tide · terminal", "a call that never ended"},
		{gemini.GenerateContent, "announce 0 a1 tide · say 0 x", "event kind 3 for a call"},
		{gemini.GenerateContent, "say 0 x", "a part that never began"},
		{gemini.GenerateContent, "announce 0 a1 tide · text 0/1 · close 0/1 · say 0/1 x", "a part that has ended"},
		{gemini.GenerateContent, "data 0/1 inlineData {} · say 0/1 x", "a part of kind data"},
		{gemini.Interactions, "refusal 0", "a part of kind refusal"},
		{gemini.Interactions, "text 0/1", "a text inside a step"},
		{gemini.Interactions, "announce 1.0 a1 tide", "a second choice"},
		{gemini.Interactions, "announce 0 a1 tide free", "free text"},
		{gemini.Interactions, "announce 0 a1 tide server · frag 0 [1] · end 0", "not a whole object"},
		{gemini.Interactions, "text 0 · sign 0 x", "can't be expressed"},
		{gemini.Interactions, "frag 0 x", "a piece of a part that never began"},
		{gemini.Interactions, "end 0", "the end of a part that never began"},
	} {
		if _, err := encodeScript(c.p, c.script); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.script, err, c.want)
		}
	}
	for _, p := range []wholecall.Protocol{gemini.GenerateContent, gemini.Interactions} {
		if _, err := p.NewEncoder().Append(nil, &wholecall.Event{}); err == nil {
			t.Error("an event of no kind is expressed")
		}
	}
	ev := wholecall.Event{Kind: wholecall.Annotate, Key: wholecall.Key{Sub: 1}}
	for _, data := range []string{`[1]`, `{"url_citation":1}`} {
		enc := gemini.GenerateContent.NewEncoder()
		enc.Append(nil, &wholecall.Event{Kind: wholecall.OpenPart, Part: wholecall.TextPart, Key: ev.Key})
		ev.Data = []byte(data)
		if _, err := enc.Append(nil, &ev); err == nil {
			t.Errorf("annotation %s is expressed", data)
		}
	}
}

// TestEncodersWriteWhatDecodersRead: turns with what random ones don't have come out as they went in, their
// extras and notes included.
func TestEncodersWriteWhatDecodersRead(t *testing.T) {
	for _, c := range []struct {
		p      wholecall.Protocol
		stream string
	}{
		{gemini.GenerateContent, sse(parts(`{"functionCall":{"name":"tide","args":{}},"thoughtSignature":"a\/b"},`+tide+`,{"executableCode":{"language":"PYTHON","code":"1\n"},"thoughtSignature":"x"},{"codeExecutionResult":{"output":"1"}}`),
			parts(`{"text":"a"}`), `{"candidates":[{"groundingMetadata":{"x":1}}]}`, parts(`{"text":"","thoughtSignature":"c2ln"},{"toolCall":{"id":"s1","toolType":"FILE_SEARCH"}}`), stop)},
		{gemini.GenerateContent, sse(parts(tide), `{"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL","finishMessage":"why"}],"responseId":"r1"}`)},
		{gemini.GenerateContent, sse(parts(tide), `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`)},
		{gemini.Interactions, steps(started(0, pay), piece(0, paying), stopped(0),
			started(1, `{"type":"google_search_call","id":"s1","arguments":{},"search_type":"web","signature":"c2ln"}`), piece(1, `{"type":"google_search_call","arguments":{"q":1}}`), stopped(1),
			started(2, `{"type":"model_output"}`), piece(2, `{"type":"text","text":"b"}`), piece(2, `{"type":"text_annotation_delta","annotations":[{"x":1}]}`), piece(2, `{"type":"image","data":"aGk="}`), stopped(2),
			started(3, `{"type":"google_search_result","call_id":"s1"}`), stopped(3))},
		{gemini.Interactions, interactionEvents(creation, ended("failed", ""))},
		{gemini.Interactions, interactionEvents(creation, `{"event_type":"error","error":{"code":"x","message":"busy"}}`)},
	} {
		again := reencode(t, c.p, []byte(c.stream))
		if g, w := describe(c.p, again), describe(c.p, []byte(c.stream)); g != w {
			t.Errorf("got\n%s\nwant\n%s\nstream:\n%s", g, w, again)
		}
	}
}

func reencode(t *testing.T, p wholecall.Protocol, stream []byte) []byte {
	t.Helper()
	enc := p.NewEncoder()
	var b []byte
	for _, ev := range wholecalltest.Decode(t, p, stream) {
		var err error
		if b, err = enc.Append(b, &ev); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func describe(p wholecall.Protocol, stream []byte) string {
	turn := wholecall.NewTurn(bytes.NewReader(stream), p)
	s := wholecalltest.Drain(turn).String() + turn.ID() + " " + turn.Model()
	for _, c := range turn.Completed() {
		s += "\n" + c.String() + string(c.Extra())
	}
	for _, c := range turn.ServerCalls() {
		s += "\n" + c.ID() + string(c.Extra())
	}
	_, usage := turn.Usage()
	s += "\n" + string(usage)
	if pe, ok := turn.Err().(*wholecall.ProviderError); ok {
		s += "\n" + pe.Code + " " + pe.Type + " " + pe.Message
	}
	return s
}

// TestTheServersLineEnds: the server ends its lines with CRLF, and so does the encoder.
func TestTheServersLineEnds(t *testing.T) {
	got, err := encodeScript(gemini.GenerateContent, "begin r1 m · announce 0 a1 tide · frag 0 {\"port\": · frag 0 \"Ost\"} · end 0 · stop STOP · terminal")
	want := "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"id\":\"a1\",\"name\":\"tide\",\"args\":{\"port\":\"Ost\"}}}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"m\",\"responseId\":\"r1\"}\r\n\r\n" +
		"data: {\"candidates\":[{\"content\":{\"parts\":[],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],\"modelVersion\":\"m\",\"responseId\":\"r1\"}\r\n\r\n"
	if err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestChoicesThatEndTheirCalls: where a turn's calls have no end of their own, its stop ends them.
func TestChoicesThatEndTheirCalls(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"begin r1 m · text 0/1 · say 0/1 hm · announce 0 a1 tide · frag 0 {\"port\":\"Ost\"} · stop STOP ends · terminal",
			"outcome complete stop STOP\ntext \"hm\"\ncall a1 tide {\"port\":\"Ost\"}\n"},
		{"begin r1 m · announce 0 a1 tide · copy 0 {\"port\":\"Ost\"} · end 0 · final 0 {\"port\":\"Ost\"} · stop STOP · terminal",
			"outcome complete stop STOP\ncall a1 tide {\"port\":\"Ost\"}\n"},
		{"begin r1 m · announce 0 a1 tide empty · announce 1 b2 moon · frag 1 {} · end 1 · end 0 · stop STOP · terminal",
			"outcome complete stop STOP\ncall a1 tide {}\ncall b2 moon {}\n"},
		{"begin r1 m · stop TOO_MANY_TOOL_CALLS · terminal", "outcome failed provider-error stop TOO_MANY_TOOL_CALLS\n"},
	} {
		stream, err := encodeScript(gemini.GenerateContent, c.script)
		got := wholecalltest.Read(strings.NewReader(stream), gemini.GenerateContent).String()
		if err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%s\nstream:\n%s", c.script, err, got, stream)
		}
	}
}

// TestCountsWithoutTheirJSON: token counts of another protocol are written in this one's words, wherever
// they come.
func TestCountsWithoutTheirJSON(t *testing.T) {
	want := wholecall.Usage{Input: 5, Output: 7, CacheRead: 1, Reasoning: 4}
	for p, word := range map[wholecall.Protocol]string{gemini.GenerateContent: "STOP", gemini.Interactions: "completed"} {
		for _, late := range []bool{false, true} {
			enc := p.NewEncoder()
			events := []wholecall.Event{{Kind: wholecall.Begin}, {Kind: wholecall.UsageReport, Usage: want}, {Kind: wholecall.Stop, Name: []byte(word)}, {Kind: wholecall.Terminal}}
			if late {
				events[1], events[2] = events[2], events[1]
			}
			var b []byte
			for i := range events {
				b, _ = enc.Append(b, &events[i])
			}
			turn := wholecall.NewTurn(bytes.NewReader(b), p)
			wholecalltest.Drain(turn)
			if u, _ := turn.Usage(); u != want || turn.Outcome() != wholecall.Complete {
				t.Errorf("%s: got %+v, %v\nstream:\n%s", p.Facts().Name, u, turn.Err(), b)
			}
		}
	}
}
