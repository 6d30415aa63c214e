// Package openai reads and writes the streams of the OpenAI Chat Completions and Responses APIs, and
// of the many servers that speak them with an accent.
//
// Use it by naming the protocol, and the dialect of a server that departs from it:
//
//	turn := wholecall.NewTurn(resp.Body, openai.Chat)
//	turn := wholecall.NewTurn(resp.Body, openai.Responses)
//
// # Chat Completions
//
// A call's key is the pair (choices[].index, tool_calls[].index). Its id and name stand in the first
// entry of that index, its fragments are function.arguments, and nothing ends it but the finish reason
// of its choice, whatever that reason is: a forced tool ends with "stop". The call then completes if
// its document is whole. Text and calls that alternate come out as several runs of text.
//
// Custom tools carry free text in custom.input. The legacy function_call has no id: the function's
// name is what its result is returned against, so the name stands in for the id.
//
// Source: the published types of openai-python, src/openai/types/chat/chat_completion_chunk.py, as of
// 2026-08.
package openai

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Chat is the wire protocol of POST /v1/chat/completions with "stream": true.
var Chat wholecall.Echoer = chat{}

type chat struct{}

func (chat) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "openai-chat",
		Title:      "OpenAI Chat Completions",
		Framing:    "sse",
		Source:     "openai-python, src/openai/types/chat/chat_completion_chunk.py, 2026-08",
		Key:        "choices[].index, tool_calls[].index",
		ID:         "tool_calls[].id in the first entry of an index",
		ToolName:   "function.name in the same entry",
		Fragment:   "function.arguments, a string",
		CallEnd:    "the choice's finish_reason",
		StreamEnd:  "data: [DONE]; a finish reason of each choice is enough",
		ErrorEvent: `data: {"error":{…}}`,
		Parallel:   "parallel_tool_calls",
		Resume:     "nothing",
		Stops: wholecall.Stops{Done: "stop", Calls: "tool_calls", TokenLimit: "length",
			ContentFilter: "content_filter"},
	}
}

func (chat) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (chat) NewDecoder(d wholecall.Dialect) wholecall.Decoder { return newChatDecoder(d) }

func (chat) NewEncoder() wholecall.Encoder { return &chatEncoder{} }

func (chat) Recognises(f *frame.Frame) int {
	var c strictjson.Cursor
	var w chunk
	if string(f.Data) == "[DONE]" {
		return 10
	}
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch {
	case string(w.object) == "chat.completion.chunk":
		return 90 // others send it too
	case w.seen&hasChoices != 0:
		return 60
	case w.seen&hasFault != 0 && w.seen&hasType == 0:
		return 20
	}
	return 0
}
