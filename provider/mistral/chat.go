// Package mistral reads and writes the streams of the Mistral chat completions and conversations APIs.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, mistral.Chat)
//	turn := wholecall.NewTurn(resp.Body, mistral.Conversations)
//
// # Chat
//
// Chunks look like those of OpenAI Chat, and the rules are others. A call comes whole in one entry of
// tool_calls, as a rule in the chunk that carries the finish reason; arguments are a string or an object.
// A call's key is the pair (choices[].index, tool_calls[].index). Older servers send no index: an entry
// without one must announce a call, and its position is the order of arrival in its choice. A piece of a
// call that has neither an index nor an id and a name has no owner, and is an error. Models that Mistral
// hosts for others send their arguments in pieces, under an index, with an empty name on each.
//
// Nothing ends a call but the finish reason of its choice. Content is a string, or a list of parts, of
// which thinking is a reasoning part. Text and calls that alternate come out as several runs of text.
//
// The ids have nine letters and digits, and the API takes no others back.
//
// # Conversations
//
// A call's key is output_index; its id and name stand on every one of its function.call.delta events,
// and the first of them announces it. Calls end with conversation.response.done, the only end that there
// is. Tools that the provider runs (tool.execution.*) are followed and never handed out as calls; what
// they found is not kept, as the server keeps the conversation.
//
// Source: the types of the owner's Python client, mistralai 3.7.0 (client/models: toolcall, functioncall,
// deltamessage, thinkchunk, conversationevents and what they name), read in 2026-12, and recorded streams
// of Chat. No stream of Conversations was seen.
package mistral

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
		Name:       "mistral",
		Title:      "Mistral Chat Completions",
		Framing:    "sse",
		Source:     "mistralai 3.7.0 for Python, client/models, 2026-12",
		Key:        "choices[].index, tool_calls[].index; without one, the order of arrival of whole calls",
		ID:         "tool_calls[].id",
		ToolName:   "function.name in the same entry",
		Fragment:   "function.arguments, a string or an object, as a rule whole",
		CallEnd:    "the choice's finish_reason, as a rule in the same chunk",
		StreamEnd:  "data: [DONE]; a finish reason of each choice is enough",
		ErrorEvent: `finish_reason error; data: {"object":"error",…}`,
		Parallel:   "parallel_tool_calls",
		Resume:     "nothing",
		Stops:      wholecall.Stops{Done: "stop", Calls: "tool_calls", TokenLimit: "length"},
	}
}

func (chat) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (chat) NewDecoder(wholecall.Dialect) wholecall.Decoder { return &chatDecoder{} }

func (chat) NewEncoder() wholecall.Encoder { return &chatEncoder{} }

// Switches lists none: what is odd about Mistral's servers is their protocol here.
func (chat) Switches() []wholecall.Switch { return nil }

func (chat) Dialects() []wholecall.Dialect { return nil }

// Recognises is sure only of what no other server writes. Every other chunk may as well be one of
// OpenAI Chat, which many more servers speak.
func (chat) Recognises(f *frame.Frame) int {
	if done(f.Data) {
		return 10
	}
	var w chunk
	var c strictjson.Cursor
	switch {
	case w.parse(&c, f.Data) != nil, w.seen&hasChoices == 0:
		return 0
	case w.seen&hasPadding != 0 || w.ownID():
		return 100
	}
	for i := range w.pieces {
		if w.pieces[i].thought {
			return 100
		}
	}
	return 50
}

// ownID reports whether a call of the chunk has an id as Mistral makes them.
func (w *chunk) ownID() bool {
	const length = 9
	for i := range w.entries {
		id := w.entries[i].id
		if len(id) != length {
			continue
		}
		own := true
		for _, ch := range id {
			own = own && (ch >= '0' && ch <= '9' || ch|0x20 >= 'a' && ch|0x20 <= 'z')
		}
		if own {
			return true
		}
	}
	return false
}

// The oddities that are counted and need no dialect: they break the protocol, and not the keys.
const (
	chunkIDVaries = "chunk-id-varies"
	emptyIdentity = "empty-identity-on-fragments"
	repeatedID    = "repeated-id"
	sparseIndex   = "sparse-index"
	missingStart  = "missing-start"
)
