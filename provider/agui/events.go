// Package agui reads and writes the events of AG-UI, the agent–user interaction protocol, as server-sent
// events: what an agent's back end sends to a front end.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, agui.Events)
//
// A call is known on the wire by its toolCallId alone, on every event. Its key is the place in which it
// was announced among the parts of the run. TOOL_CALL_START announces it, TOOL_CALL_ARGS continues it and
// TOOL_CALL_END ends it; calls may interleave. A TOOL_CALL_CHUNK does all three: the first one announces,
// and the call ends where another id or an event of another kind comes, but for RAW, ACTIVITY_* and
// REASONING_ENCRYPTED_VALUE, as in the owner's client. Unlike there, a RUN_ERROR ends no call: it was cut.
//
// Where this differs from the owner's verifier: that one lets an id that was ended start again. Here an id
// is announced once in a run, since its result could not be returned against one of two calls: a second
// start is an error, and so is a chunk of a call that another one has displaced.
//
// A call that ended without a byte of arguments fails: one that has none and one whose arguments were left
// out, which adapters are known to do (ag-ui-protocol/ag-ui#2463), look the same.
//
// Some things that the stream doesn't say:
//
//   - A tool that the agent runs itself looks like one of the front end's: the only sign is a
//     TOOL_CALL_RESULT that follows.
//   - A call that stands only in a MESSAGES_SNAPSHOT may be of this run or of an earlier one. It is not
//     announced; where it stands in the last message, that is counted. Calls that were streamed are held
//     against their copies there.
//
// One run is one turn, and a stream may hold several: see wholecall.Turns. Steps and the brackets around
// reasoning say nothing here. Results, state, activities, snapshots, custom and raw events are Data parts,
// with the event as it stood, and so is a message of another role than the assistant's.
//
// The other framing that the protocol has, protocol buffers with their length before them, is not read.
//
// Source: the event schemas, the chunk transformer and the verifier of ag-ui-protocol/ag-ui
// (sdks/typescript/packages/core/src/events.ts, client/src/chunks, client/src/verify), as of 2026-08. No
// recorded stream was seen.
package agui

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Events is the protocol of a run with the content type text/event-stream.
var Events wholecall.Protocol = protocol{}

type protocol struct{}

func (protocol) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "ag-ui",
		Title:      "AG-UI",
		Framing:    "sse",
		Source:     "ag-ui-protocol/ag-ui, sdks/typescript/packages/core/src/events.ts and client/src/verify, 2026-08; types only",
		Key:        "toolCallId, as the order in which it is announced among the parts",
		ID:         "toolCallId, on every event",
		ToolName:   "toolCallName in TOOL_CALL_START, or in the first TOOL_CALL_CHUNK",
		Fragment:   "delta of TOOL_CALL_ARGS or TOOL_CALL_CHUNK, a string",
		CallEnd:    "TOOL_CALL_END; behind a TOOL_CALL_CHUNK, what follows it",
		StreamEnd:  "RUN_FINISHED",
		ErrorEvent: "RUN_ERROR",
		Parallel:   "none: it is downstream of a model",
		Resume:     "nothing in the protocol",
		OneSpace:   true,
		OwnEnd:     true,
		Stops:      wholecall.Stops{Done: success, Calls: success},
	}
}

func (protocol) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (protocol) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &decoder{chunk: -1} }

func (protocol) NewEncoder() wholecall.Encoder { return &encoder{} }

// Switches lists none.
func (protocol) Switches() []wholecall.Switch { return nil }

// Dialects lists none.
func (protocol) Dialects() []wholecall.Dialect { return nil }

func (protocol) Recognises(f *frame.Frame) int {
	var w wire
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch typ := string(w.typ); typ {
	case runStarted, runFinished, callStart, callArgs, callEnd, callChunk, textStart, textContent, textEnd, textChunk:
		return 100
	case runError, "STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "STEP_STARTED", "STEP_FINISHED":
		return 80
	default:
		if isData(w.typ) {
			return 50
		}
	}
	return 0
}

// The types of event that more than one place names.
const (
	runStarted  = "RUN_STARTED"
	runFinished = "RUN_FINISHED"
	runError    = "RUN_ERROR"

	callStart = "TOOL_CALL_START"
	callArgs  = "TOOL_CALL_ARGS"
	callEnd   = "TOOL_CALL_END"
	callChunk = "TOOL_CALL_CHUNK"

	textStart   = "TEXT_MESSAGE_START"
	textContent = "TEXT_MESSAGE_CONTENT"
	textEnd     = "TEXT_MESSAGE_END"
	textChunk   = "TEXT_MESSAGE_CHUNK"

	thoughtStart   = "REASONING_MESSAGE_START"
	thoughtContent = "REASONING_MESSAGE_CONTENT"
	thoughtEnd     = "REASONING_MESSAGE_END"
	thoughtChunk   = "REASONING_MESSAGE_CHUNK"

	snapshot = "MESSAGES_SNAPSHOT"
)

// The outcomes of a run that finished.
const (
	success   = "success"
	interrupt = "interrupt"
)

// The oddities that are counted and need no dialect.
const (
	missingStart   = "missing-start"
	onlyInSnapshot = "call-only-in-snapshot"
)

// isData reports whether an event of the type is a part of its own, known to be no call and no text.
func isData(typ []byte) bool {
	switch string(typ) {
	case "TOOL_CALL_RESULT", "STATE_SNAPSHOT", "STATE_DELTA", snapshot, "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA",
		"RAW", "CUSTOM", "REASONING_ENCRYPTED_VALUE":
		return true
	}
	return false
}

// endsChunk reports whether an event of the type ends a call or a text that came in chunks.
func endsChunk(typ string) bool {
	switch typ {
	case callStart, callArgs, callEnd, "TOOL_CALL_RESULT", textStart, textContent, textEnd,
		"STATE_SNAPSHOT", "STATE_DELTA", snapshot, "CUSTOM", runStarted, runFinished, "STEP_STARTED", "STEP_FINISHED",
		"THINKING_START", "THINKING_END",
		"THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT", "THINKING_TEXT_MESSAGE_END",
		"REASONING_START", "REASONING_END", thoughtStart, thoughtContent, thoughtEnd:
		return true
	}
	return false
}
