package mistral

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Conversations is the wire protocol of POST /v1/conversations with "stream": true, and of the agents
// that answer there. It is read as the owner's types say; no stream of it was seen.
var Conversations wholecall.Protocol = conversations{}

type conversations struct{}

func (conversations) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:         "mistral-conversations",
		Title:        "Mistral Conversations",
		Framing:      "sse",
		Source:       "mistralai 3.7.0 for Python, client/models/conversationevents.py, 2026-12; types only",
		Key:          "output_index; 0 where it is absent, as the types say",
		ID:           "tool_call_id, on every function.call.delta",
		ToolName:     "name, on every function.call.delta",
		Fragment:     "arguments of function.call.delta, a string",
		CallEnd:      "conversation.response.done",
		StreamEnd:    "conversation.response.done",
		ErrorEvent:   "event: conversation.response.error",
		Parallel:     "none documented",
		Resume:       "nothing",
		OneSpace:     true,
		TerminalEnds: true,
		Stops:        wholecall.Stops{Done: "conversation.response.done", Calls: "conversation.response.done"},
	}
}

func (conversations) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (conversations) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &convDecoder{} }

func (conversations) NewEncoder() wholecall.Encoder { return &convEncoder{} }

// Switches lists none.
func (conversations) Switches() []wholecall.Switch { return nil }

func (conversations) Dialects() []wholecall.Dialect { return nil }

func (conversations) Recognises(f *frame.Frame) int {
	var w convEvent
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch string(w.typ) {
	case respStarted, respDone, respError, callDelta, messageDelta, toolStarted, toolDelta, toolDone, handoffStarted, handoffDone:
		return 100
	}
	return 0
}

// The types of event.
const (
	respStarted    = "conversation.response.started"
	respDone       = "conversation.response.done"
	respError      = "conversation.response.error"
	messageDelta   = "message.output.delta"
	callDelta      = "function.call.delta"
	toolStarted    = "tool.execution.started"
	toolDelta      = "tool.execution.delta"
	toolDone       = "tool.execution.done"
	handoffStarted = "agent.handoff.started"
	handoffDone    = "agent.handoff.done"
)
