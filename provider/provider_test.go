package provider_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/provider"
	"github.com/wholecall/wholecall/provider/agui"
	"github.com/wholecall/wholecall/provider/aisdk"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/provider/openai"
)

const (
	messagesStart = `{"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-example","content":[]}}`
	chatChunk     = `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}`
	created       = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}`
	ping          = `{"type":"ping"}`

	geminiChunk        = `{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"modelVersion":"m"}`
	interactionCreated = `{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}`
)

func sse(payloads ...string) string { return "data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n" }

// message makes a binary message of AWS' event stream.
func message(name, payload string) string {
	b, err := eventstream.Append(nil, &frame.Frame{ID: []byte("event"), Event: []byte(name), Data: []byte(payload)})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// chunk makes a message of InvokeModel.
func chunk(payload string) string { return message("chunk", bytesOf(payload)) }

func bytesOf(payload string) string {
	return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(payload)) + `","p":"ab"}`
}

func lines(payloads ...string) string { return strings.Join(payloads, "\n") + "\n" }

func TestNamesAreUniqueAndFound(t *testing.T) {
	names := provider.Names()
	for _, p := range provider.All() {
		name := p.Facts().Name
		got, ok := provider.Named(name)
		if !ok || got != p || !slices.Contains(names, name) {
			t.Errorf("%s is not found by its name", name)
		}
		if _, ok := provider.Framing(p.Facts().Framing); !ok {
			t.Errorf("%s: its framing %q has no name", name, p.Facts().Framing)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(provider.All()) {
		t.Errorf("a name stands twice in %v", names)
	}
	if _, ok := provider.Named("nobody"); ok {
		t.Error("nobody is a protocol")
	}
	if _, ok := provider.Framing("nothing"); ok {
		t.Error("nothing is a framing")
	}
	for _, name := range provider.Framings() {
		newFramer, ok := provider.Framing(name)
		if !ok || newFramer(0) == nil {
			t.Errorf("framing %s can't be made", name)
		}
	}
}

func TestDetect(t *testing.T) {
	invoke, _ := provider.Named("bedrock-invoke")
	b, err := eventstream.Append(nil, &frame.Frame{ID: []byte("exception"), Event: []byte("throttlingException"), Data: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	exception := string(b)
	for _, c := range []struct {
		name, sample string
		protocol     wholecall.Protocol
		framing      string
	}{
		{"messages", sse(messagesStart), anthropic.Messages, "sse"},
		{"messages, a line each", lines(messagesStart, ping), anthropic.Messages, "ndjson"},
		{"messages behind pings and comments", ": hello\n\n" + sse(ping, ping, messagesStart), anthropic.Messages, "sse"},
		{"chat", sse(chatChunk, "[DONE]"), openai.Chat, "sse"},
		{"chat, a line each", lines(chatChunk, chatChunk), openai.Chat, "ndjson"},
		{"responses", sse(created), openai.Responses, "sse"},
		{"responses, a line each", lines(created), openai.Responses, "ndjson"},
		{"gemini", sse(geminiChunk), gemini.GenerateContent, "sse"},
		{"gemini, a line each", lines(geminiChunk, geminiChunk), gemini.GenerateContent, "ndjson"},
		{"gemini, an array", "[" + geminiChunk + "\n,\r\n" + geminiChunk + "\n]", gemini.GenerateContent, "jsonarray"},
		{"gemini, the beginning of an array", "[{\n" + geminiChunk[1:] + "\n,\r\n{\"cand", gemini.GenerateContent, "jsonarray"},
		{"gemini, the prompt was blocked", sse(`{"promptFeedback":{"blockReason":"OTHER"}}`), gemini.GenerateContent, "sse"},
		{"interactions", sse(interactionCreated), gemini.Interactions, "sse"},
		{"realtime", lines(`{"type":"response.created","event_id":"e","response":{"id":"r","status":"in_progress"}}`), openai.Realtime, "ndjson"},
		{"realtime behind its session", lines(`{"type":"session.created","event_id":"e","session":{}}`), openai.Realtime, "ndjson"},
		{"the UI messages of the AI SDK", sse(`{"type":"start"}`, `{"type":"start-step"}`), aisdk.UIMessage, "sse"},
		{"ag-ui", sse(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`), agui.Events, "sse"},
		{"bedrock", message("messageStart", `{"role":"assistant"}`), bedrock.ConverseStream, "eventstream"},
		{"bedrock in the middle", message("contentBlockStop", `{"contentBlockIndex":3}`), bedrock.ConverseStream, "eventstream"},
		{"bedrock, cut inside its second message", message("messageStart", `{}`) + message("messageStop", `{}`)[:20], bedrock.ConverseStream, "eventstream"},
		{"bedrock, an exception and nothing else", exception, bedrock.ConverseStream, "eventstream"},
		{"bedrock, a line each", lines(`{"messageStart":{"role":"assistant"}}`, `{"messageStop":{"stopReason":"end_turn"}}`), bedrock.ConverseStream, "ndjson"},
		{"invoke", chunk(messagesStart), invoke, "eventstream"},
		{"invoke behind a ping", chunk(ping) + chunk(messagesStart), invoke, "eventstream"},
		{"invoke, a line each", lines(bytesOf(messagesStart), bytesOf(ping)), invoke, "ndjson"},
		{"invoke, a named line each", lines(`{"chunk":` + bytesOf(messagesStart) + `}`), invoke, "ndjson"},
		{"the last line end is lost", strings.TrimRight(sse(messagesStart), "\n"), anthropic.Messages, "sse"},
		{"the last line end is lost, a line each", messagesStart, anthropic.Messages, "ndjson"},
		{"the sample ends inside a frame", sse(chatChunk, chatChunk)[:160], openai.Chat, "sse"},
		{"carriage returns", strings.ReplaceAll(sse(chatChunk), "\n", "\r\n"), openai.Chat, "sse"},
	} {
		got, err := provider.Detect([]byte(c.sample), provider.Guess{})
		if err != nil || got.Protocol != c.protocol || got.Framing != c.framing || got.NewFramer == nil {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}

func TestWhatIsKnownIsNotGuessed(t *testing.T) {
	newSSE, _ := provider.Framing("sse")
	for _, c := range []struct {
		name, sample string
		known        provider.Guess
		protocol     wholecall.Protocol
		framing      string
	}{
		{"another protocol's", sse(messagesStart), provider.Guess{Protocol: openai.Chat}, openai.Chat, "sse"},
		{"the framing is found", lines(messagesStart), provider.Guess{Protocol: anthropic.Messages}, anthropic.Messages, "ndjson"},
		{"both", lines(messagesStart), provider.Guess{Protocol: openai.Chat, Framing: "sse", NewFramer: newSSE}, openai.Chat, "sse"},
		{"the binary framing is found", chunk(messagesStart), provider.Guess{Protocol: bedrock.ConverseStream}, bedrock.ConverseStream, "eventstream"},
		{"nothing there, of a binary framing", "", provider.Guess{Protocol: bedrock.ConverseStream}, bedrock.ConverseStream, "eventstream"},
		{"nothing there", "", provider.Guess{Protocol: openai.Chat}, openai.Chat, "sse"},
		{"the protocol is found", sse(chatChunk), provider.Guess{Framing: "sse"}, openai.Chat, "sse"},
	} {
		got, err := provider.Detect([]byte(c.sample), c.known)
		if err != nil || got.Protocol != c.protocol || got.Framing != c.framing || got.NewFramer == nil {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}

func TestDetectErrorSaysWhatItLooksLike(t *testing.T) {
	for _, c := range []struct {
		sample string
		kind   wholecall.Kind
		looks  string
	}{
		{"", wholecall.NotAStream, "it is empty"},
		{" \r\n", wholecall.NotAStream, "it is empty"},
		{"\n<!DOCTYPE html><html>", wholecall.NotAStream, "it looks like an HTML page"},
		{"<?xml version=\"1.0\"?><Error/>", wholecall.NotAStream, "it looks like an XML document"},
		{"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", wholecall.NotAStream, "it looks like an HTTP response with its headers"},
		{`{"error":{"message":"no"}}`, wholecall.NotAStream, "it looks like a JSON error body"},
		{"{\n  \"error\": {\"message\": \"no\"}\n}\n", wholecall.NotAStream, "it looks like a JSON error body"},
		{"{\n  \"id\": \"secret\",\n  \"text\": 1\n}", wholecall.NotAStream, "it looks like one JSON body (members id, text)"},
		{`[{"items":[]}]`, wholecall.NotAStream, "it looks like a JSON array"},
		{"\x1f\x8b\x08\x00", wholecall.NotAStream, "it looks like compressed bytes"},
		{"\x00\x00\x00\x52\x00\x00\x00\x43\x01\x02\x03\x04\x0b:event-type\x07\x00\x05chunk", wholecall.NotAStream, "it looks like AWS event-stream messages, and the first is cut or damaged"},
		{message("messageStop", `{"stopReason":"end_turn"}`)[:60], wholecall.NotAStream, "it looks like AWS event-stream messages, and the first is cut or damaged"},
		{message("chunk", `{"bytes":"e30=","p":"secret"}`), provider.UnknownProtocol, "it looks like AWS event-stream messages of a protocol that is not known (members bytes, p)"},
		{message("initial-response", ``), provider.UnknownProtocol, "it looks like AWS event-stream messages of a protocol that is not known"},
		{"\x7fELF\x00\x01", wholecall.NotAStream, "it looks like binary data"},
		{"hello there", wholecall.NotAStream, "it looks like text"},
		{sse(`{"items":[{}],"flavour":"secret"}`), provider.UnknownProtocol, "it looks like server-sent events of a protocol that is not known (members items, flavour)"},
		{sse(`{"kind":"x"}`, "[DONE]"), provider.UnknownProtocol, "it looks like server-sent events of a protocol that is not known (members kind)"},
		{lines(`{"done":false}`, `{"done":true}`), provider.UnknownProtocol, "it looks like JSON lines of a protocol that is not known (members done)"},
	} {
		_, err := provider.Detect([]byte(c.sample), provider.Guess{})
		var e *provider.DetectError
		if !errors.As(err, &e) || e.Kind != c.kind || e.Looks != c.looks || !errors.Is(err, c.kind) {
			t.Errorf("%q: got %v", c.sample, err)
			continue
		}
		if e.Advice == "" || !strings.Contains(err.Error(), "openai-chat") || strings.Contains(err.Error()+e.Advice, "secret") {
			t.Errorf("%q: got %v; %s", c.sample, err, e.Advice)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(sse(messagesStart)))
	f.Add([]byte(lines(chatChunk)))
	f.Add([]byte(chunk(messagesStart)))
	f.Add([]byte("\x00\x00\x00\x52\x00\x00\x00\x43\x01\x02\x03\x04\x0b:event-type"))
	f.Fuzz(func(t *testing.T, sample []byte) {
		got, err := provider.Detect(sample, provider.Guess{})
		if (err == nil) != (got.Protocol != nil && got.NewFramer != nil && got.Framing != "") {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}
