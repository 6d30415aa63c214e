// Package bedrock reads and writes the streams of the Amazon Bedrock runtime.
//
// Use it by naming the operation that was called:
//
//	turn := wholecall.NewTurn(resp.Body, bedrock.ConverseStream)
//	turn := wholecall.NewTurn(resp.Body, bedrock.InvokeModel(anthropic.Messages))
//
// InvokeModel takes the model's own protocol: that of Claude is Anthropic Messages, that of Nova is in the
// shape of ConverseStream.
//
// The body is AWS' binary event stream. A capture of bare payloads, one a line, each in the name of its
// event ({"messageStop":{…}}, {"chunk":{"bytes":"…"}}), is read with wholecall.WithFraming and ndjson; the shape tells.
//
// In ConverseStream, a call's key is its contentBlockIndex. Its id and name stand in contentBlockStart
// alone, its fragments are delta.toolUse.input, and contentBlockStop ends it. Text and reasoning have no
// start: they begin with their first delta. messageStop ends the turn; metadata comes behind it as a
// rule, and is not waited for. A stop reason that says that the model's output or its call was malformed
// fails the turn, as exceptions do.
//
// A call without a byte of arguments is {} where the model stopped for a good reason. The types name the
// input a JSON value and say nothing of an empty one; models that have no arguments to write send none,
// or the empty string (spring-projects/spring-ai#1878, microsoft/autogen#6661), and the block has an end
// of its own, so that nothing else can be meant.
//
// Calls of type server_tool_use are run by the service; their results come as blocks of type toolResult
// and are parts of the turn.
//
// Source: service/bedrockruntime v1.63.13 of aws-sdk-go-v2, types, read in 2026-12, and the Amazon
// Bedrock Runtime API reference, ConverseStream and InvokeModelWithResponseStream, as of 2026-08.
package bedrock

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// ConverseStream is the wire protocol of POST /model/{id}/converse-stream.
var ConverseStream wholecall.Echoer = converse{}

type converse struct{}

func (converse) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "bedrock",
		Title:      "Amazon Bedrock ConverseStream",
		Framing:    framing,
		Source:     "aws-sdk-go-v2, service/bedrockruntime v1.63.13, types, 2026-12",
		Key:        "contentBlockIndex",
		ID:         "start.toolUse.toolUseId in contentBlockStart",
		ToolName:   "start.toolUse.name in contentBlockStart",
		Fragment:   "delta.toolUse.input of contentBlockDelta, a string",
		CallEnd:    "contentBlockStop",
		StreamEnd:  "messageStop; metadata behind it",
		ErrorEvent: "a message of type exception or error; stopReason malformed_model_output, malformed_tool_use",
		Parallel:   "none; for Claude, tool_choice.disable_parallel_tool_use in additionalModelRequestFields",
		Resume:     "nothing",
		OneSpace:   true,
		OwnEnd:     true,
		Stops: wholecall.Stops{Done: "end_turn", Calls: "tool_use", TokenLimit: "max_tokens",
			ContentFilter: "content_filtered"},
	}
}

func (converse) NewFramer(limit int) frame.Framer { return eventstream.New(limit) }

func (converse) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &decoder{} }

func (converse) NewEncoder() wholecall.Encoder { return &encoder{} }

// Switches lists none: there is one server, and no departure of it from its own types is known.
func (converse) Switches() []wholecall.Switch { return nil }

func (converse) Dialects() []wholecall.Dialect { return nil }

func (converse) Recognises(f *frame.Frame) int {
	var c strictjson.Cursor
	if failed(f) {
		return 30 // any operation may fail so
	}
	name, payload, err := named(&c, f)
	var w wire
	if err != nil || w.parse(&c, payload) != nil {
		return 0
	}
	switch string(name) {
	case "contentBlockStart", "contentBlockDelta", "contentBlockStop":
		if w.seen&hasIndex != 0 {
			return 100
		}
	case "messageStop":
		if w.seen&hasStop != 0 {
			return 100
		}
	case "messageStart":
		return 90
	case "metadata":
		if w.seen&hasUsage != 0 {
			return 80
		}
	}
	return 0
}

// The oddities that are counted and need no dialect: they break the protocol, and not the keys.
const (
	overlappingBlocks = "overlapping-blocks"
	sparseIndex       = "sparse-index"
	missingStart      = "missing-start"
	emptyStart        = "empty-start"
)
