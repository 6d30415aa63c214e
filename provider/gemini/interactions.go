package gemini

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Interactions is the wire protocol of POST interactions with "stream": true.
//
// A call's key is its step's index. Its id and name stand in step.start alone, its fragments are
// arguments_delta, and step.stop ends it. The {} that stands for the arguments in step.start is a
// placeholder: a call without a byte of them is {} where the interaction stopped for a good reason. What
// stands there instead is the whole of the arguments, as the owner's types say. The names of events that
// came before these (content.start, interaction.start) are passed over, and the turn is truncated.
var Interactions wholecall.Protocol = interactions{}

type interactions struct{}

func (interactions) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "gemini-interactions",
		Title:      "Gemini Interactions",
		Framing:    "sse",
		Source:     "google-genai 3.6.1 for Python, _gaos/types/interactions, 2026-12",
		Key:        "index",
		ID:         "step.id in step.start",
		ToolName:   "step.name in step.start",
		Fragment:   "delta.arguments, a string; an object for calls that the API runs",
		CallEnd:    "step.stop",
		StreamEnd:  "interaction.completed",
		ErrorEvent: "event: error",
		Parallel:   "none documented",
		Resume:     "GET interactions/{id}?stream=true&last_event_id=…",
		OneSpace:   true,
		OwnEnd:     true,
		Stops: wholecall.Stops{Done: "completed", Calls: "requires_action", TokenLimit: "incomplete",
			Paused: "requires_continuation"},
	}
}

func (interactions) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (interactions) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &stepDecoder{} }

func (interactions) NewEncoder() wholecall.Encoder { return &stepEncoder{} }

// Switches lists none.
func (interactions) Switches() []wholecall.Switch { return nil }

// Dialects lists none.
func (interactions) Dialects() []wholecall.Dialect { return nil }

func (interactions) Recognises(f *frame.Frame) int {
	var w stepEvent
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch string(w.typ) {
	case created, statusUpdate, completed, stepStart, stepPiece, stepStop:
		return 100
	case failed:
		return 60
	}
	return 0
}

// The types of event.
const (
	created      = "interaction.created"
	statusUpdate = "interaction.status_update"
	completed    = "interaction.completed"
	stepStart    = "step.start"
	stepPiece    = "step.delta"
	stepStop     = "step.stop"
	failed       = "error"
)

// The types of step that are looked at. Every other one is data.
const (
	outputStep  = "model_output"
	thoughtStep = "thought"
	callStep    = "function_call"
	mcpStep     = "mcp_server_tool_call"
)

// serverStep reports whether a step is a call that the API runs itself.
func serverStep(typ string) bool {
	switch typ {
	case mcpStep, "code_execution_call", "file_search_call", "google_maps_call", "google_search_call", "processing_call",
		"retrieval_call", "tool_search_call", "url_context_call":
		return true
	}
	return false
}

// The oddities that are counted and need no dialect.
const missingStart = "missing-start"

// reasonOfStatus says what the status of a completed interaction means for a call that is not whole.
func reasonOfStatus(status string) wholecall.Reason {
	switch status {
	case "completed", "requires_action":
		return ""
	case "incomplete", "budget_exceeded":
		return wholecall.ReasonTokenLimit
	case "requires_continuation", "in_progress", "queued", "idle":
		return wholecall.ReasonPaused
	case "cancelled":
		return wholecall.ReasonCancelled
	}
	return wholecall.ReasonProviderError
}

// endsBadly reports whether a status says that the interaction itself failed.
func endsBadly(status string) bool { return status == "failed" || status == "cancelled" }
