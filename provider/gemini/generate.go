// Package gemini reads and writes the streams of the Gemini API: streamGenerateContent, of the Developer
// API and of Vertex AI, and Interactions.
//
// Use it by naming the protocol:
//
//	turn := wholecall.NewTurn(resp.Body, gemini.GenerateContent)
//
// Without "alt=sse" in its URL, the server sends one JSON array in place of events. That is the same
// protocol in another framing:
//
//	turn := wholecall.NewTurn(resp.Body, gemini.GenerateContent, wholecall.WithFraming(
//		func(limit int) frame.Framer { return jsonarray.New(limit) }))
//
// A part with a functionCall is a whole call. Nothing on the wire numbers calls, so that a call's key is
// its place among the calls of its candidate. Its id is optional: where there is none, the call gets one
// of the form wholecall_N and says so in its Extra; its result goes back without an id, in the order of
// the calls. Two equal parts without an id are two calls.
//
// Vertex AI can stream a call's arguments as patches, each a JSON path and a value. The document is
// built in their order and becomes the call's arguments at its end; one that contradicts itself fails the
// call. The key order and the spelling of such a document are those of the patches.
//
// There is no last event. A turn is complete at the end of its body, where every candidate has said why
// it stopped. Where the API says that it dropped a call of the model's (MALFORMED_FUNCTION_CALL,
// UNEXPECTED_TOOL_CALL, TOO_MANY_TOOL_CALLS), or that it blocked the prompt, the turn fails with the
// provider's error: nobody can run that call, and an empty answer would look like a good one.
//
// Source: ai.google.dev (generateContent, function calling, thought signatures), docs.cloud.google.com
// (streaming function call arguments), and the types of google-genai 3.6.1 for Python, as of 2026-12.
package gemini

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// GenerateContent is the wire protocol of POST models/{model}:streamGenerateContent.
var GenerateContent wholecall.Echoer = generateContent{}

type generateContent struct{}

func (generateContent) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "gemini",
		Title:      "Gemini streamGenerateContent",
		Framing:    "sse",
		Source:     "ai.google.dev, docs.cloud.google.com; google-genai 3.6.1 for Python, types.py, 2026-12",
		Key:        "none: the place among the calls of a candidate",
		ID:         "functionCall.id, optional",
		ToolName:   "functionCall.name",
		Fragment:   "functionCall.args, a whole object; Vertex AI: partialArgs, patches",
		CallEnd:    "the part's own end; Vertex AI: a functionCall without willContinue",
		StreamEnd:  "finishReason of every candidate, then the end of the body",
		ErrorEvent: "error, in data or in lines beside the events",
		Parallel:   "none documented",
		Resume:     "nothing",
		OwnEnd:     true,
		WholeCalls: true,
		EndOfBody:  true,
		Stops: wholecall.Stops{Done: "STOP", Calls: "STOP", TokenLimit: "MAX_TOKENS", ContentFilter: "SAFETY",
			Paused: "CONTINUATION"},
	}
}

func (generateContent) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (generateContent) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return newGenerateDecoder(d)
}

func (generateContent) NewEncoder() wholecall.Encoder { return &generateEncoder{} }

func (generateContent) Recognises(f *frame.Frame) int {
	var w chunk
	var c strictjson.Cursor
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	named := w.seen&(hasModelVersion|hasResponseID|hasUsage) != 0
	switch {
	case w.seen&hasCandidates != 0 && (named || w.spoken):
		return 100
	case w.seen&hasCandidates != 0, w.seen&hasFeedback != 0, w.seen&hasUsage != 0:
		return 60
	case w.seen&hasFault != 0 && len(failure(&c, w.fault).Name) > 0:
		return 30
	}
	return 0
}

// The finish reasons that say that the API dropped a call that the model made.
const (
	malformedCall  = "MALFORMED_FUNCTION_CALL"
	unexpectedCall = "UNEXPECTED_TOOL_CALL"
	tooManyCalls   = "TOO_MANY_TOOL_CALLS"
)

func droppedCall(finish string) bool {
	return finish == malformedCall || finish == unexpectedCall || finish == tooManyCalls
}

// reasonOf says what a finish reason means for a call that is not whole. The owner has one word for a
// model that was done; every other, also one that this version does not know, says that it was not.
func reasonOf(finish string) wholecall.Reason {
	switch finish {
	case "STOP":
		return ""
	case "MAX_TOKENS":
		return wholecall.ReasonTokenLimit
	case "CONTINUATION":
		return wholecall.ReasonPaused
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return wholecall.ReasonContentFilter
	}
	return wholecall.ReasonProviderError
}

// finishNumbers are the finish reasons as numbers, which the API sends where it is asked for
// enum-encoding=int. Behind OTHER the numbers of the Developer API and of Vertex AI differ.
var finishNumbers = []string{"FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"}

const unspecified = "FINISH_REASON_UNSPECIFIED"
