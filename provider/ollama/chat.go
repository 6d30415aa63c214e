// Package ollama reads and writes the streams of Ollama's own chat API.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, ollama.Chat)
//
// A line is a JSON object. Calls come whole, as a rule one a line, also in the line that says done; their
// arguments are an object, and the document is the object's bytes. A call is complete with its line: what
// comes behind it changes nothing.
//
// A call's key is its place in the order of arrival. The wire has function.index, but it identifies
// nothing: old servers send none, and several of the server's parsers send 0 for every call. An index
// that comes again, or leaves a gap, is counted. So is a call without an id, as old servers send them: it
// gets one of the form wholecall_N and says so in its Extra; its result goes back by the tool's name and
// by order. Only one thing can't be told from a replay: a call without an id that is the same as an
// earlier one, name, arguments and index. It is an error.
//
// What the server could not read as a call arrives as content, and stays text.
//
// Source: ollama v0.17.4, api/types.go, server/routes.go and model/parsers, read in 2026-12, and the
// repository's docs/api/errors.mdx and docs/capabilities/tool-calling.mdx, as of 2026-08.
package ollama

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Chat is the wire protocol of POST /api/chat, which streams unless told otherwise. The compatible
// endpoint /v1/chat/completions speaks OpenAI's protocol.
var Chat wholecall.Echoer = chat{}

type chat struct{}

func (chat) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "ollama",
		Title:      "Ollama Chat",
		Framing:    "ndjson",
		Source:     "ollama v0.17.4, api/types.go, server/routes.go and model/parsers, 2026-12",
		Key:        "the order of arrival; function.index is counted, and keys nothing",
		ID:         "message.tool_calls[].id; old servers send none",
		ToolName:   "function.name in the same entry",
		Fragment:   "function.arguments, a whole object",
		CallEnd:    "the entry itself",
		StreamEnd:  "a line with done: true; done_reason says why",
		ErrorEvent: `a line {"error":"…"}`,
		Parallel:   "none documented",
		Resume:     "nothing",
		OwnEnd:     true,
		WholeCalls: true,
		Stops:      wholecall.Stops{Done: "stop", Calls: "stop", TokenLimit: "length"},
	}
}

func (chat) NewFramer(limit int) frame.Framer { return ndjson.New(limit) }

func (chat) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &decoder{} }

func (chat) NewEncoder() wholecall.Encoder { return &encoder{} }

// Switches lists none: what servers of different age do is the protocol here.
func (chat) Switches() []wholecall.Switch { return nil }

func (chat) Dialects() []wholecall.Dialect { return nil }

func (chat) Recognises(f *frame.Frame) int {
	var w line
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch {
	case w.seen&(hasMessage|hasDone) == hasMessage|hasDone:
		return 100
	case w.seen&hasFault != 0 && w.seen&hasMessage == 0:
		return 10
	}
	return 0
}

// The oddities that are counted and need no dialect.
const (
	generatedID = "generated-id"
	reusedIndex = "reused-index"
	sparseIndex = "sparse-index"
)
