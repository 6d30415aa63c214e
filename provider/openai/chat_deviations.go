package openai

import "github.com/wholecall/wholecall"

// The deviations that a dialect may allow.
const (
	missingIndex         = "missing-index"
	reusedIndex          = "reused-index"
	driftingIndex        = "drifting-index"
	emptyIdentity        = "empty-identity-on-fragments"
	missingID            = "missing-id"
	lateID               = "late-id"
	changingID           = "changing-id"
	repeatedID           = "repeated-id"
	lateName             = "late-name"
	repeatedName         = "repeated-name"
	splitName            = "split-name"
	nullArguments        = "null-arguments"
	objectArguments      = "object-arguments"
	emptyArguments       = "empty-arguments"
	placeholderArguments = "placeholder-arguments"
	finalSnapshot        = "final-snapshot"
	repeatedDocument     = "repeated-document"
	cumulativeArguments  = "cumulative-arguments"
	emptyFinish          = "empty-finish"
	repeatedFinish       = "repeated-finish"
	lateDeltas           = "late-deltas"
	noFinish             = "no-finish"
	choiceIndexVaries    = "choice-index-varies"
)

// The oddities that are counted and need no dialect.
const (
	chunkIDVaries  = "chunk-id-varies"
	sparseIndex    = "sparse-index"
	messageInChunk = "message-beside-delta"
	// A chunk with one choice can mean only that one.
	missingChoiceIndex = "missing-choice-index"
	finishStopOnCalls  = "finish-stop-with-calls"
)

// chatSwitches is a dialect, taken apart once for the decoder.
type chatSwitches struct {
	missingIndex, reusedIndex, driftingIndex              bool
	emptyIdentity, missingID, lateID, changingID          bool
	repeatedID, lateName, repeatedName, splitName         bool
	nullArguments, objectArguments, emptyArguments        bool
	placeholderArguments, finalSnapshot, repeatedDocument bool
	cumulativeArguments, choiceIndexVaries                bool
	emptyFinish, repeatedFinish, lateDeltas, noFinish     bool

	// hold says that a document can only be told from its fragments when all of them are there.
	hold bool
	// keep says that the decoder has to know the documents so far.
	keep bool
}

func newChatSwitches(d wholecall.Dialect) chatSwitches {
	on := chatSwitches{
		missingIndex: d.Has(missingIndex), reusedIndex: d.Has(reusedIndex), driftingIndex: d.Has(driftingIndex),
		emptyIdentity: d.Has(emptyIdentity), missingID: d.Has(missingID), lateID: d.Has(lateID),
		changingID: d.Has(changingID), repeatedID: d.Has(repeatedID), lateName: d.Has(lateName),
		repeatedName: d.Has(repeatedName), splitName: d.Has(splitName),
		nullArguments: d.Has(nullArguments), objectArguments: d.Has(objectArguments), emptyArguments: d.Has(emptyArguments),
		placeholderArguments: d.Has(placeholderArguments), finalSnapshot: d.Has(finalSnapshot),
		repeatedDocument: d.Has(repeatedDocument), cumulativeArguments: d.Has(cumulativeArguments),
		emptyFinish: d.Has(emptyFinish), repeatedFinish: d.Has(repeatedFinish), lateDeltas: d.Has(lateDeltas),
		noFinish: d.Has(noFinish), choiceIndexVaries: d.Has(choiceIndexVaries),
	}
	on.hold = on.placeholderArguments || on.finalSnapshot || on.repeatedDocument || on.cumulativeArguments
	on.keep = on.hold || on.missingIndex || on.reusedIndex || on.lateName || on.lateID || on.splitName
	return on
}

func (chat) Switches() []wholecall.Switch {
	return []wholecall.Switch{
		{
			Name:    missingIndex,
			Allows:  "An entry without index: with an id that is known it belongs to that call; with a name it is a call of its own, provided each call before it is whole; with neither it continues the one call that is open. Anything else fails.",
			Servers: "older Mistral, Gemini's and Ollama's compatible endpoints, many gateways (openai/openai-python#2806, ollama/ollama#7881)",
		},
		{
			Name:    reusedIndex,
			Allows:  "An entry at a used index with another id and a name is a new call, provided the document before it is whole; the old call is closed for ever. A new id without a name is not.",
			Servers: "Ollama /v1, Groq, Grok on OCI, Gemini gateways (ollama/ollama#15457, BerriAI/litellm#7621)",
		},
		{
			Name:     driftingIndex,
			Allows:   "A fragment without id and name at an index that was never announced continues the one call that is open, where exactly one was announced and the index is not announced later.",
			Servers:  "Nebius (pipecat-ai/pipecat#4688)",
			Excludes: []string{lateName, lateID},
		},
		{
			Name:    emptyIdentity,
			Allows:  `An id or a name that is "" on a fragment says nothing.`,
			Servers: "DashScope, DeepSeek upstreams, GLM (symfony/ai#2220, Wei-Shaw/sub2api#6080)",
		},
		{
			Name:    missingID,
			Allows:  "A call with a name and without an id gets one that is generated, is marked as such in Extra, and must be used in the echo.",
			Servers: "Gemini's compatible endpoint, SiliconFlow, vLLM (langchain-ai/langchain#38676, vllm-project/vllm#18412)",
		},
		{
			Name:    lateID,
			Allows:  "The announcement waits for its id. A call that ends without one fails the turn.",
			Servers: "servers that send the name first (langchain-ai/langchain#38676)",
		},
		{
			Name:    changingID,
			Allows:  "Another id, without a name, on a fragment at a used index: the same call, which keeps its first id.",
			Servers: "Kimi's coding endpoint, LM Studio, Poolside (NousResearch/hermes-agent#45164, poolsideai/pool#9)",
		},
		{
			Name:    repeatedID,
			Allows:  "The id again on a fragment, byte for byte what the call was announced with.",
			Servers: "text-generation-inference, Writer, vLLM parsers",
		},
		{
			Name:    lateName,
			Allows:  "The announcement waits for a name that is not empty. A call that ends without one fails the turn.",
			Servers: "vLLM and MLX parsers, DeepSeek upstreams (vercel/ai#5885)",
		},
		{
			Name:    repeatedName,
			Allows:  "The name again on a fragment, byte for byte what the call was announced with.",
			Servers: "MiniMax on NIM, Fireworks (NousResearch/hermes-agent#8259)",
		},
		{
			Name:     splitName,
			Allows:   "The name comes in pieces, all of them before the first byte of arguments.",
			Servers:  "Gemini's compatible endpoint and managed Kimi K3, as reported",
			Excludes: []string{repeatedName},
		},
		{
			Name:    nullArguments,
			Allows:  "Arguments, or the function itself, that are null add nothing.",
			Servers: "Writer, OpenRouter, Fireworks",
		},
		{
			Name:    objectArguments,
			Allows:  "Arguments that are an object, once for a call and never mixed with text: the document is the object's bytes.",
			Servers: "MiniMax, LiteLLM over Ollama, as reported",
		},
		{
			Name:    emptyArguments,
			Allows:  "A call that ended for a good reason without one byte of arguments means {}. A cut answer is never read so.",
			Servers: "Databricks and other Claude endpoints behind Chat. Never for vLLM or SGLang, which lose arguments",
		},
		{
			Name:    placeholderArguments,
			Allows:  "An announcement whose arguments are exactly {}, followed by a fragment without id and name that begins with {: the placeholder is dropped.",
			Servers: "Bedrock behind Chat gateways (openai/openai-agents-js#712, microsoft/autogen#6843)",
		},
		{
			Name:    finalSnapshot,
			Allows:  "The last fragment, without id and name, is by itself one JSON object and begins with everything that came before: it is the document.",
			Servers: "vLLM parsers (vllm-project/vllm#42167, #51697)",
		},
		{
			Name:    repeatedDocument,
			Allows:  "What came is a whole document, and each later fragment is the same JSON value again: it is dropped. Another value fails the call.",
			Servers: "proxies from Responses to Chat (lidge-jun/opencodex#361, Soju06/codex-lb#284)",
		},
		{
			Name:    cumulativeArguments,
			Allows:  "Every fragment begins with the one before it, and the last is a whole document: that one. A fragment that is no extension fails the call.",
			Servers: "DeepSeek on Qianfan, an older MiniMax parser of vLLM (NousResearch/hermes-agent#35592, vllm-project/vllm#22015)",
		},
		{
			Name:    emptyFinish,
			Allows:  `A finish_reason that is "" or "None" is no reason.`,
			Servers: "TensorRT-LLM, Dynamo, MLX servers",
		},
		{
			Name:    repeatedFinish,
			Allows:  "A finish reason that comes again changes nothing, unless it says that the answer was cut or filtered after a good one: then the turn fails.",
			Servers: "OpenRouter, Avian, Doubleword",
		},
		{
			Name:    lateDeltas,
			Allows:  "Fragments and announcements behind the finish reason: the calls end at [DONE]. Without it they fail as truncated.",
			Servers: "NVIDIA NIM, SenseNova, MLX servers, as reported",
		},
		{
			Name:    noFinish,
			Allows:  "[DONE] ends a choice that gave no finish reason.",
			Servers: "Snowflake, Evolink, which never give one. Some gateways write [DONE] whatever happened: never for those",
		},
		{
			Name:    choiceIndexVaries,
			Allows:  "The choice's index is ignored. Safe only where the request asked for one choice.",
			Servers: "Foundry Local (microsoft/foundry-local#144)",
		},
	}
}

func (chat) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{
		{Name: "openrouter", Allows: []string{repeatedFinish}, Evidence: "recorded streams: the finish reason again with the usage (also Avian, Doubleword)"},
		{Name: "databricks", Allows: []string{emptyArguments}, IDs: "toolu_", Evidence: "recorded streams: the zero-argument calls of Claude have an empty fragment only"},
		{Name: "dashscope", Allows: []string{emptyIdentity}, Evidence: "recorded streams; symfony/ai#2220"},
		{Name: "tgi", Allows: []string{repeatedID}, Evidence: "recorded streams: the id on every fragment"},
		{Name: "writer", Allows: []string{nullArguments}, Evidence: "recorded streams: null in the announcement"},
		{Name: "snowflake", Allows: []string{noFinish}, OnlyNamed: true, Evidence: "recorded streams: usage, then [DONE]"},
		{Name: "gemini-openai", Allows: []string{missingIndex, missingID}, Evidence: "recorded streams: no index, an empty id; openai/openai-python#2806"},
		{Name: "gemini-gateway", Allows: []string{reusedIndex, placeholderArguments}, Evidence: "su-kaka/gcli2api#406, microsoft/autogen#6843: every call at index 0, {} before the document"},
		{Name: "ollama-v1", Allows: []string{missingIndex, reusedIndex}, Evidence: "recorded streams; ollama/ollama#7881, #15457"},
		{Name: "groq", Allows: []string{reusedIndex}, Evidence: "BerriAI/litellm#7621: whole calls, all at index 0"},
		{Name: "lmstudio", Allows: []string{emptyIdentity, changingID}, Evidence: "NousResearch/hermes-agent#106943: another id and an empty name on each fragment"},
		{Name: "kimi-coding", Allows: []string{changingID}, Evidence: "NousResearch/hermes-agent#45164: another id on each fragment"},
		{Name: "minimax-nim", Allows: []string{repeatedName, objectArguments}, Evidence: "NousResearch/hermes-agent#8259: the name on each fragment"},
		{Name: "fireworks", Allows: []string{repeatedName, nullArguments}, Evidence: "reports of repeated names and null arguments"},
		{Name: "vllm", Allows: []string{lateName, emptyIdentity, finalSnapshot}, Evidence: "vllm-project/vllm#42167, #51697: the document again at the end; names behind the first fragment. Not empty-arguments: its parsers lose arguments"},
		{Name: "sglang", Allows: []string{missingIndex, reusedIndex, emptyIdentity}, Evidence: "sgl-project/sglang#5661, #6310, #38198: no index, or the tool's place in the request"},
		{Name: "nebius", Allows: []string{driftingIndex}, Evidence: "pipecat-ai/pipecat#4688: the last fragment under the next index"},
		{Name: "foundry-local", Allows: []string{choiceIndexVaries}, OnlyNamed: true, Evidence: "microsoft/foundry-local#144: the choice's index counts chunks"},
		{Name: "qianfan", Allows: []string{cumulativeArguments}, Evidence: "NousResearch/hermes-agent#35592: each fragment is the document so far"},
		{Name: "responses-proxy", Allows: []string{repeatedDocument}, Evidence: "lidge-jun/opencodex#361, Soju06/codex-lb#284: fragments, copy and item all forwarded"},
		{Name: "bedrock-gateway", Allows: []string{placeholderArguments, emptyArguments}, IDs: "toolu", Evidence: "openai/openai-agents-js#712: {} in the announcement"},
		{Name: "tensorrt-llm", Allows: []string{emptyFinish}, Evidence: `reports of "" or "None" as finish reason on each chunk`},
		{Name: "nim", Allows: []string{lateDeltas, repeatedName}, Evidence: "reports of fragments behind the finish reason"},
	}
}
