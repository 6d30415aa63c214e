// Package cohere reads and writes the streams of the Cohere v2 chat API.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, cohere.Chat)
//
// A call's key is the index of its tool-call events, which count in a space of their own: content 0 and
// call 0 stand in one stream. Its id and name stand in tool-call-start alone, its fragments are
// tool-call-delta, and tool-call-end ends it. A call without a delta has no arguments, which is {},
// where the model stopped for a good reason.
//
// Other parts have the key's Sub: content i has (0, i+1), the n-th run of the tool plan (1, n), and a
// citation that belongs to no open content (2, n). The plan is what the model thinks before it calls, and
// is a reasoning part like thinking content.
//
// Source: docs.cohere.com/docs/tool-use-streaming and the types of cohere-python
// (src/cohere/v2/types/v2chat_stream_response.py), as of 2026-08, and those of cohere-go v2.15.3 (v_2.go).
package cohere

import (
	"bytes"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Chat is the wire protocol of POST /v2/chat with "stream": true.
var Chat wholecall.Echoer = chat{}

type chat struct{}

func (chat) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "cohere",
		Title:      "Cohere v2 Chat",
		Framing:    "sse",
		Source:     "cohere-python, src/cohere/v2/types/v2chat_stream_response.py, 2026-08; cohere-go v2.15.3, v_2.go",
		Key:        "index of the tool-call events, in a space of its own",
		ID:         "delta.message.tool_calls.id in tool-call-start",
		ToolName:   "delta.message.tool_calls.function.name in tool-call-start",
		Fragment:   "delta.message.tool_calls.function.arguments, a string",
		CallEnd:    "tool-call-end",
		StreamEnd:  "message-end; data: [DONE] behind it",
		ErrorEvent: "message-end with finish_reason ERROR or TIMEOUT, or with error",
		Parallel:   "none documented",
		Resume:     "nothing",
		OwnEnd:     true,
		Stops:      wholecall.Stops{Done: "COMPLETE", Calls: "TOOL_CALL", TokenLimit: "MAX_TOKENS"},
	}
}

func (chat) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (chat) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &decoder{} }

func (chat) NewEncoder() wholecall.Encoder { return &encoder{} }

// Switches lists none: no server is known that departs from the protocol in a way that has one meaning.
func (chat) Switches() []wholecall.Switch { return nil }

func (chat) Dialects() []wholecall.Dialect { return nil }

func (chat) Recognises(f *frame.Frame) int {
	if done(f.Data) {
		return 10
	}
	var w wire
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch string(w.typ) {
	case "tool-plan-delta", "content-delta", "tool-call-start", "tool-call-delta", "citation-start":
		if w.seen&hasMessage != 0 {
			return 100
		}
	case "message-start", "content-start":
		if w.seen&hasMessage != 0 {
			return 90
		}
	case "message-end":
		if w.seen&hasDelta != 0 {
			return 80
		}
	case "content-end", "tool-call-end", "citation-end":
		return 60
	}
	return 0
}

// The oddities that are counted and need no dialect: they break the protocol, and not the keys.
const (
	missingStart = "missing-start"
	sparseIndex  = "sparse-index"
	repeatedID   = "repeated-id"
	repeatedName = "repeated-name"
)

// done reports whether the payload is the sentinel.
func done(data []byte) bool { return bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) }
