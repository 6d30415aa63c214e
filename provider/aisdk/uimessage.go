// Package aisdk reads and writes the UI message stream of the Vercel AI SDK, version 1: what its server
// side sends to a browser, downstream of a model.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, aisdk.UIMessage)
//
// A call is known on the wire by its toolCallId alone, on every event. Its key is the place in which it
// was announced among the parts of the turn, and an id that was never announced is an error, as is a
// second announcement of one: the SDK's own client then silently starts the text over. What
// tool-input-start announces, tool-input-delta continues and tool-input-available ends, with a copy of
// the whole input. The copy must be the same JSON value as the deltas; where no delta brought a byte, it
// is the document. A tool-input-available without a start is a whole call. A tool-input-error ends a call
// as failed, since the server could not make sense of its input.
//
// Some things that the stream doesn't say:
//
//   - A tool that the server runs itself, in its own code, looks like one of the client's: the only sign is
//     a tool-output-available that follows. Only providerExecuted marks a call that nobody here must run.
//   - What a call carries beside its id and name is taken from the event that announces it. A later
//     providerMetadata is counted, and not kept.
//
// One stream is one turn, also where it has several steps. Results of calls, sources, files, approvals,
// metadata and custom data are Data parts, with the event as it stood. The model's name is the member
// model of start's messageMetadata, where the application sends it so, as the documentation shows.
//
// Source: the chunk schema and the client of vercel/ai (packages/ai/src/ui-message-stream,
// packages/ai/src/ui/process-ui-message-stream.ts), as of 2026-08. No recorded stream was seen.
package aisdk

import (
	"bytes"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// UIMessage is the protocol of a response with the header x-vercel-ai-ui-message-stream: v1.
var UIMessage wholecall.Protocol = uiMessage{}

type uiMessage struct{}

func (uiMessage) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "aisdk",
		Title:      "Vercel AI SDK UI message stream v1",
		Framing:    "sse",
		Source:     "vercel/ai, packages/ai/src/ui-message-stream/ui-message-chunks.ts, 2026-08; types only",
		Key:        "toolCallId, as the order in which it is announced among the parts",
		ID:         "toolCallId, on every event",
		ToolName:   "toolName in tool-input-start or tool-input-available",
		Fragment:   "inputTextDelta of tool-input-delta, a string",
		CallEnd:    "tool-input-available, tool-input-error",
		StreamEnd:  "[DONE], or the end of the body behind finish",
		ErrorEvent: "error",
		Parallel:   "none: it is downstream of a model",
		Resume:     "the whole stream, from the application's own store",
		OneSpace:   true,
		OwnEnd:     true,
		Stops: wholecall.Stops{Done: "stop", Calls: "tool-calls", TokenLimit: "length",
			ContentFilter: "content-filter"},
	}
}

func (uiMessage) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (uiMessage) NewDecoder(d wholecall.Dialect) wholecall.Decoder { return newDecoder(d) }

func (uiMessage) NewEncoder() wholecall.Encoder { return &encoder{} }

func (uiMessage) Recognises(f *frame.Frame) int {
	var w wire
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch typ := string(w.typ); typ {
	case "tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error", "tool-output-available":
		if w.seen&hasCallID != 0 {
			return 100
		}
	case "start-step", "finish-step":
		return 100
	case "text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end":
		if w.seen&hasID != 0 {
			return 90
		}
	case "start", "finish", "abort":
		return 60
	case "error":
		if w.seen&hasErrorText != 0 {
			return 80
		}
	default:
		if isData(w.typ) {
			return 50
		}
	}
	return 0
}

// revisedInput is the one deviation that a dialect may allow.
const revisedInput = "revised-input"

// The oddities that are counted and need no dialect.
const (
	missingStart   = "missing-start"
	missingReason  = "missing-finish-reason"
	emptyCopy      = "empty-copy"
	lateMetadata   = "late-provider-metadata"
	dataTypePrefix = "data-"
)

func (uiMessage) Switches() []wholecall.Switch {
	return []wholecall.Switch{{
		Name: revisedInput,
		Allows: "The input of tool-input-available is the document, whatever the deltas made: they are passed over. " +
			"A call without a tool-input-available still fails.",
		Servers: "servers whose tool schema adds defaults or strips members, that refine or repair the input, or whose tools take " +
			"free text (vercel/ai, parse-tool-call.ts; vercel/ai#13021)",
	}}
}

func (uiMessage) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{{
		Name:      "aisdk-revised",
		Allows:    []string{revisedInput},
		Evidence:  "vercel/ai: the input that it sends is what the tool's schema made of the model's text (parse-tool-call.ts); vercel/ai#13021",
		OnlyNamed: true,
	}}
}

// isData reports whether an event of the type is a part of its own, known to be no call and no text.
func isData(typ []byte) bool {
	switch string(typ) {
	case "tool-output-available", "tool-output-error", "tool-output-denied",
		"tool-approval-request", "tool-approval-response",
		"source-url", "source-document", "file", "reasoning-file", "custom", "message-metadata":
		return true
	}
	return bytes.HasPrefix(typ, []byte(dataTypePrefix))
}
