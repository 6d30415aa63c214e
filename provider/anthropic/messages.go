// Package anthropic reads and writes the streams of the Anthropic Messages API.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, anthropic.Messages)
//
// A call's key is its content block's index. Its id and name stand in content_block_start alone, its
// fragments are input_json_delta, and content_block_stop ends it. A block that is still open at
// message_stop is a failed call with the turn's stop reason: the provider itself leaves a block open at
// the token limit. A call without a byte of arguments is {} where the model stopped for a good reason.
//
// Source: the Messages streaming documentation (platform.claude.com, "Streaming Messages", "Handling
// stop reasons", "Programmatic tool calling") and the event types of anthropic-sdk-typescript, both as
// of 2026-08.
package anthropic

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Messages is the wire protocol of POST /v1/messages with "stream": true.
var Messages wholecall.Echoer = messages{}

type messages struct{}

func (messages) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "anthropic",
		Title:      "Anthropic Messages",
		Framing:    "sse",
		Source:     "platform.claude.com, Streaming Messages; anthropic-sdk-typescript, src/resources/messages, 2026-08",
		Key:        "index",
		ID:         "content_block.id in content_block_start",
		ToolName:   "content_block.name in content_block_start",
		Fragment:   "delta.partial_json, a string",
		CallEnd:    "content_block_stop",
		StreamEnd:  "message_stop",
		ErrorEvent: "event: error",
		Parallel:   "tool_choice.disable_parallel_tool_use",
		Resume:     "nothing",
		OneSpace:   true,
		OwnEnd:     true,
		Stops: wholecall.Stops{Done: "end_turn", Calls: "tool_use", TokenLimit: "max_tokens",
			Refusal: "refusal", Paused: "pause_turn"},
	}
}

func (messages) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (messages) NewDecoder(d wholecall.Dialect) wholecall.Decoder { return newDecoder(d) }

func (messages) NewEncoder() wholecall.Encoder { return &encoder{} }

func (messages) Recognises(f *frame.Frame) int {
	var w wire
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch string(w.typ) {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop":
		return 100
	case "message_delta", "message_stop":
		return 80
	case "error":
		if w.fault != nil && w.seen&hasIndex == 0 {
			return 30
		}
	case "ping":
		return 20
	}
	return 0
}

// The deviations that a dialect may allow.
const (
	repeatedStart     = "repeated-start"
	inputInBlockStart = "input-in-block-start"
	noMessageStop     = "no-message-stop"
	reusedBlockIndex  = "reused-block-index"
)

// The oddities that are counted and need no dialect: they break the protocol, and not the keys.
const (
	overlappingBlocks = "overlapping-blocks"
	sparseIndex       = "sparse-index"
	missingStart      = "missing-start"
)

func (messages) Switches() []wholecall.Switch {
	return []wholecall.Switch{
		{
			Name:    repeatedStart,
			Allows:  "The same message_start again before anything else happened. Another id, or a start behind the first block, is still a restart.",
			Servers: "proxies that retry (reported for several gateways)",
		},
		{
			Name:    inputInBlockStart,
			Allows:  "The whole input in content_block_start of a call that no program made, where no fragment brings a byte. With fragments it is ambiguous, and the call fails.",
			Servers: "compatible servers and gateways (anomalyco/opencode#38733, inflaborg/ccrelay#119)",
		},
		{
			Name:    reusedBlockIndex,
			Allows:  "A block that starts at an index whose block has stopped, while no block is open. A start while one is open still fails.",
			Servers: "converting gateways; Anthropic itself for a while, for server tools (reports of 2026)",
		},
		{
			Name:    noMessageStop,
			Allows:  "The end of the body behind a stop reason, without message_stop. The blocks must have had their own ends.",
			Servers: "gateways that drop the last event",
		},
	}
}

func (messages) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{
		{
			Name:     "anthropic-gateway",
			Allows:   []string{inputInBlockStart, repeatedStart, noMessageStop, reusedBlockIndex},
			Evidence: "public reports of gateways that convert to Messages: anomalyco/opencode#38733, inflaborg/ccrelay#119",
		},
	}
}
