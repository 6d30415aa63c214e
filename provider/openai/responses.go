package openai

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Responses is the wire protocol of POST /v1/responses with "stream": true.
//
// A call's key is its item's output_index, and nothing else: an item's own id may change from event to
// event. Its id and name stand in response.output_item.added, and output_item.done ends it. The whole
// document stands up to three times more on the wire; the copies are held against the fragments, or
// taken where no fragment came.
//
// Items that say how the model's own calls went, such as web_search_call, are calls that the provider
// runs. A custom_tool_call is the client's: a server that reports its own searches as such says nothing
// on the wire that would tell them apart. Shell, patch and computer calls carry their arguments as an
// object, action or operation, which is their document as it stands in output_item.done.
//
// A message item is as many parts as it has content parts, and a reasoning item as many as it has
// summaries and texts; one that has encrypted content gives one more part, a Data of the type
// "reasoning" with the whole item, which an echo must give back. Any other item is a Data when it is
// done.
//
// Source: the published types of openai-python, src/openai/types/responses, as of 2026-08.
var Responses wholecall.Echoer = responses{}

type responses struct{}

func (responses) Facts() wholecall.Facts {
	return wholecall.Facts{
		Name:       "openai-responses",
		Title:      "OpenAI Responses",
		Framing:    "sse",
		Source:     "openai-python, src/openai/types/responses, 2026-08",
		Key:        "output_index",
		ID:         "item.call_id in response.output_item.added",
		ToolName:   "item.name in response.output_item.added",
		Fragment:   "delta of response.function_call_arguments.delta, a string",
		CallEnd:    "response.output_item.done",
		StreamEnd:  "response.completed, response.incomplete",
		ErrorEvent: "error, response.failed",
		Parallel:   "parallel_tool_calls",
		Resume:     "a background response, with starting_after, behind a sequence_number",
		OneSpace:   true,
		OwnEnd:     true,
		Stops: wholecall.Stops{Done: "completed", Calls: "completed", TokenLimit: "max_output_tokens",
			ContentFilter: "content_filter"},
	}
}

func (responses) NewFramer(limit int) frame.Framer { return sse.New(limit) }

func (responses) NewDecoder(d wholecall.Dialect) wholecall.Decoder { return newResponsesDecoder(d) }

func (responses) NewEncoder() wholecall.Encoder { return &responsesEncoder{} }

func (responses) Recognises(f *frame.Frame) int {
	var c strictjson.Cursor
	var w responsesWire
	if w.parse(&c, f.Data) != nil {
		return 0
	}
	switch typ := string(w.typ); {
	case len(typ) > 9 && typ[:9] == "response.":
		return 100
	case typ == "keepalive" && w.seen&rSequence != 0:
		return 40
	case typ == "error" && w.seen&rSequence != 0:
		return 80
	case typ == "error":
		return 10
	}
	return 0
}

// The deviations that a dialect may allow.
const (
	rEmptyArguments  = "empty-arguments"
	rRepeatedStart   = "repeated-start"
	rResumedStream   = "resumed-stream"
	rSequenceGap     = "sequence-gap"
	rReplayedEvents  = "replayed-events"
	rNoItemDone      = "no-item-done"
	rOnlyInCompleted = "arguments-only-in-completed"
	rObfuscated      = "obfuscated-deltas"
	rOnlyInDone      = "item-only-in-done"
	rCumulative      = "cumulative-arguments"
)

// The oddities that are counted and need no dialect: what they leave out or vary is not what a call is
// known by.
const (
	rMissingStart  = "missing-start"
	rSparseIndex   = "sparse-index"
	rItemID        = "item-id-varies"
	rMissingItemID = "missing-item-id"
	rResponseID    = "response-id-varies"
	rEmptyIdentity = "empty-copy-identity"
	rEmptyOutput   = "empty-final-output"
	rMissingInCopy = "call-missing-in-output"
	rServerOnly    = "server-call-only-in-output"
	rLateNote      = "late-annotation"
)

// responsesSwitches is a dialect, taken apart once for the decoder.
type responsesSwitches struct {
	emptyArguments, repeatedStart, resumedStream, sequenceGap bool
	replayedEvents, noItemDone, onlyInCompleted, obfuscated   bool
	onlyInDone, cumulative                                    bool
}

func newResponsesSwitches(d wholecall.Dialect) responsesSwitches {
	return responsesSwitches{
		emptyArguments: d.Has(rEmptyArguments), repeatedStart: d.Has(rRepeatedStart),
		resumedStream: d.Has(rResumedStream), sequenceGap: d.Has(rSequenceGap),
		replayedEvents: d.Has(rReplayedEvents), noItemDone: d.Has(rNoItemDone),
		onlyInCompleted: d.Has(rOnlyInCompleted), obfuscated: d.Has(rObfuscated), onlyInDone: d.Has(rOnlyInDone),
		cumulative: d.Has(rCumulative),
	}
}

func (responses) Switches() []wholecall.Switch {
	return []wholecall.Switch{
		{
			Name:    rEmptyArguments,
			Allows:  "A function call that ended as completed without a byte of arguments, in a turn that was not cut, has the arguments {}.",
			Servers: "gateways in front of models that write nothing for a tool without parameters",
		},
		{
			Name:    rRepeatedStart,
			Allows:  "The same response.created again, with the same id, before anything but response.queued and response.in_progress. Another id, or a start behind the first item, is still a restart.",
			Servers: "proxies that retry",
		},
		{
			Name:    rResumedStream,
			Allows:  "A first sequence_number that is neither 0 nor 1. What belongs to an item announced before it still fails.",
			Servers: "OpenAI, for a background response that was taken up with starting_after (openai/openai-dotnet records it)",
		},
		{
			Name:    rSequenceGap,
			Allows:  "Sequence numbers that leave some out. Fragments lost that way still fail their call where a copy of the document shows it.",
			Servers: "captures and gateways that thin out text deltas (vercel/ai has such a recording)",
		},
		{
			Name:    rReplayedEvents,
			Allows:  "An event with a sequence number that was seen, and with the same bytes, is dropped. With other bytes it fails.",
			Servers: "proxies that reconnect and send again what was sent",
		},
		{
			Name:    rNoItemDone,
			Allows:  "The end of a call without output_item.done: where response.completed lists it and does not call it incomplete, and its fragments begin that document, or where its arguments.done came. Fragments alone are not enough.",
			Servers: "compatible servers and gateways (anomalyco/opencode#37159, openai/openai-python#3615, open-webui/open-webui#29630)",
		},
		{
			Name:    rOnlyInCompleted,
			Allows:  "A call that stands only in the output of response.completed, at a position that no item has. A second copy of an announced call is no new call.",
			Servers: "upstreams with batched output (diegosouzapw/OmniRoute#7613)",
		},
		{
			Name:    rOnlyInDone,
			Allows:  "A whole item in output_item.done at a position that no item was added at.",
			Servers: "compatible servers, llama.cpp (anomalyco/opencode#45081, ggml-org/llama.cpp#24882)",
		},
		{
			Name:    rObfuscated,
			Allows:  "Deltas of a function call that are cipher text: they are passed over, and the document is what arguments.done or output_item.done says. Without such a copy the call fails.",
			Servers: "GitHub Copilot, for some clients (lidge-jun/opencodex#995)",
		},
		{
			Name: rCumulative,
			Allows: "Every delta of a function call begins with the one before it: the last one is the document, and an arguments.done without a copy says so. " +
				"One that is no extension is joined to what was there, which fails the call.",
			Servers:  "an upstream that sends snapshots as deltas (SaladDay/cc-switch-cli#217)",
			Excludes: []string{rObfuscated, rNoItemDone},
		},
	}
}

func (responses) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{
		{
			Name:     "openai-resumed",
			Allows:   []string{rResumedStream},
			Evidence: "a recording of openai/openai-dotnet that begins with sequence_number 2; openai/openai-node#1983",
		},
		{
			Name:     "responses-thinned",
			Allows:   []string{rSequenceGap},
			Evidence: "a recording of vercel/ai, gpt-5.3-codex, whose text deltas were thinned out",
		},
		{
			Name:     "responses-reconnect",
			Allows:   []string{rReplayedEvents, rRepeatedStart},
			Evidence: "public reports of proxies that reconnect or retry into one stream: Azure/azure-sdk-for-net#62430, usecompiler/compiler#77",
		},
		{
			Name:     "responses-gateway",
			Allows:   []string{rNoItemDone, rOnlyInCompleted, rOnlyInDone},
			Evidence: "public reports of gateways that convert to Responses: anomalyco/opencode#37159, diegosouzapw/OmniRoute#7613",
		},
		{
			Name:     "copilot-obfuscated",
			Allows:   []string{rObfuscated},
			Evidence: "public report: lidge-jun/opencodex#995",
		},
		{
			Name:      "responses-snapshots",
			Allows:    []string{rCumulative},
			OnlyNamed: true,
			Evidence:  "public report: SaladDay/cc-switch-cli#217",
		},
	}
}
