package openai

import (
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Realtime is what the server sends on a Realtime socket or data channel, one JSON event a line.
//
// A response is a turn. Responses that follow each other on one socket are turns that follow each other:
// read them with wholecall.Turns, which ends one where the next begins. Responses that overlap, which the
// protocol allows outside of the default conversation, are one turn: each is a choice of it, in the order
// in which they began, so that no position of one is taken for that of another. The turn ends where the
// last open one does; one that failed fails them all.
//
// A call's key is its response and its item's output_index. Its id and name stand in
// response.output_item.added; the call_id and item_id of every later event must be the same. The events
// that say that arguments or an item are done are also sent for an answer that was interrupted, so that
// they end nothing: they are copies, held against the fragments. What ends the calls of a response is its
// response.done: they are whole where its status is completed, and fail where it is cancelled or
// incomplete, also where their documents happen to be whole. A call that no copy in its item's end or in
// response.done confirms is unfinished.
//
// An error event mostly leaves the session alive. It is counted, and fails the turn only where nothing of
// a response follows it. What the server says of the session, of the conversation and of audio buffers is
// no part of a turn, and the bytes of audio are no text: its transcript is.
//
// Source: the published types of openai-python, src/openai/types/realtime, as of 2026-08; the older names
// of text and transcript events are read as well. No recorded stream was seen.
var Realtime wholecall.Protocol = realtime{}

type realtime struct{}

func (realtime) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:         "openai-realtime",
		Title:        "OpenAI Realtime",
		Framing:      "ndjson",
		Source:       "openai-python, src/openai/types/realtime, 2026-08; types only",
		Key:          "output_index, in the response that response_id names",
		ID:           "item.call_id in response.output_item.added; call_id on every later event",
		ToolName:     "item.name in response.output_item.added",
		Fragment:     "delta of response.function_call_arguments.delta, a string",
		CallEnd:      "response.done with the status completed",
		StreamEnd:    "response.done",
		ErrorEvent:   "response.done with the status failed; error, where nothing follows",
		Parallel:     "parallel_tool_calls, for reasoning models",
		Resume:       "nothing",
		OneSpace:     true,
		TerminalEnds: true,
		Stops: wholecall.Stops{Done: statusCompleted, Calls: statusCompleted, TokenLimit: "max_output_tokens",
			ContentFilter: "content_filter"},
	}
}

func (realtime) NewFramer(limit int) frame.Framer { return ndjson.New(limit) }

func (realtime) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &realtimeDecoder{emptyArguments: d.Has(rEmptyArguments)}
}

func (realtime) NewEncoder() wholecall.Encoder { return &realtimeEncoder{} }

// Recognises looks for event_id, which every event of a server has, and no event of Responses: those are
// numbered.
func (realtime) Recognises(f *frame.Frame) int {
	var c strictjson.Cursor
	var w realtimeWire
	if w.parse(&c, f.Data) != nil || w.seen&(rtEventID|rtSequence) != rtEventID {
		return 0
	}
	switch typ := string(w.typ); {
	case strings.HasPrefix(typ, "response."):
		if w.seen&(rtResponseID|rtResponse) != 0 {
			return 100
		}
		return 80
	case aside(typ):
		return 100
	case typ == "error" && w.fault != nil:
		return 60
	}
	return 0
}

func (realtime) Switches() []wholecall.Switch {
	return []wholecall.Switch{{
		Name:    rEmptyArguments,
		Allows:  "A function call without a byte of arguments, in a response that completed, has the arguments {}.",
		Servers: "compatible servers in front of models that write nothing for a tool without parameters; none was recorded",
	}}
}

// Dialects lists none: no server is known to depart from the protocol in one way.
func (realtime) Dialects() []wholecall.Dialect { return nil }

// The status of a response, or of an item.
const (
	statusCompleted  = "completed"
	statusCancelled  = "cancelled"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
)

// The oddities that are counted and need no dialect, beside those of Responses.
const (
	rtErrorEvent    = "error-event"
	rtMissingCallID = "missing-call-id"
)

// aside reports whether an event of the type is about the session, and no part of a turn.
func aside(typ string) bool {
	for _, prefix := range []string{"session.", "conversation.", "input_audio_buffer.", "output_audio_buffer.",
		"transcription_session.", "rate_limits.", "mcp_list_tools."} {
		if strings.HasPrefix(typ, prefix) {
			return true
		}
	}
	return false
}

// progress reports whether an event of the type only tells how far something has come, or carries audio.
func progress(typ string) bool {
	switch typ {
	case "response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed",
		"response.output_audio.delta", "response.output_audio.done", "response.audio.delta", "response.audio.done":
		return true
	}
	return false
}
