package openai

import "github.com/wholecall/wholecall"

// The deviations that a dialect may allow.
const (
	missingIndex    = "missing-index"
	reusedIndex     = "reused-index"
	emptyIdentity   = "empty-identity-on-fragments"
	repeatedID      = "repeated-id"
	repeatedName    = "repeated-name"
	changingID      = "changing-id"
	nullArguments   = "null-arguments"
	objectArguments = "object-arguments"
	emptyArguments  = "empty-arguments"
	emptyFinish     = "empty-finish"
	repeatedFinish  = "repeated-finish"
	noFinish        = "no-finish"
)

// The oddities that are counted and need no dialect.
const (
	chunkIDVaries     = "chunk-id-varies"
	sparseIndex       = "sparse-index"
	messageInChunk    = "message-beside-delta"
	finishStopOnCalls = "finish-stop-with-calls"
)

// chatSwitches is a dialect, taken apart once for the decoder.
type chatSwitches struct {
	missingIndex, reusedIndex, emptyIdentity, repeatedID, repeatedName, changingID bool
	nullArguments, objectArguments, emptyArguments                                 bool
	emptyFinish, repeatedFinish, noFinish                                          bool
}

func newChatSwitches(d wholecall.Dialect) chatSwitches {
	return chatSwitches{
		missingIndex: d.Has(missingIndex), reusedIndex: d.Has(reusedIndex),
		emptyIdentity: d.Has(emptyIdentity), repeatedID: d.Has(repeatedID),
		repeatedName: d.Has(repeatedName), changingID: d.Has(changingID),
		nullArguments: d.Has(nullArguments), objectArguments: d.Has(objectArguments),
		emptyArguments: d.Has(emptyArguments), emptyFinish: d.Has(emptyFinish),
		repeatedFinish: d.Has(repeatedFinish), noFinish: d.Has(noFinish),
	}
}

func (chat) Switches() []wholecall.Switch {
	return []wholecall.Switch{
		{
			Name:    missingIndex,
			Allows:  "An entry without index: with an id that is known it belongs to that call; with an id and a name that are new it is a call of its own, provided each call before it is whole; with neither it continues the one call that is open. Anything else fails.",
			Servers: "older Mistral, Gemini's and Ollama's compatible endpoints, many gateways (openai/openai-python#2806, ollama/ollama#7881)",
		},
		{
			Name:    reusedIndex,
			Allows:  "An entry at a used index with another id and a name is a new call, provided the document before it is whole; the old call is closed for ever. A new id without a name is not.",
			Servers: "Ollama /v1, Groq, Grok on OCI, Gemini gateways (ollama/ollama#15457, BerriAI/litellm#7621)",
		},
		{
			Name:    emptyIdentity,
			Allows:  `An id or a name that is "" on a fragment says nothing.`,
			Servers: "DashScope, DeepSeek upstreams, GLM (symfony/ai#2220, Wei-Shaw/sub2api#6080)",
		},
		{
			Name:    repeatedID,
			Allows:  "The id again on a fragment, byte for byte what the call was announced with.",
			Servers: "text-generation-inference, Writer, vLLM parsers",
		},
		{
			Name:    repeatedName,
			Allows:  "The name again on a fragment, byte for byte what the call was announced with.",
			Servers: "MiniMax on NIM, Fireworks",
		},
		{
			Name:    changingID,
			Allows:  "Another id, without a name, on a fragment at a used index: the same call, which keeps its first id.",
			Servers: "Kimi's coding endpoint, LM Studio, Poolside (NousResearch/hermes-agent#45164)",
		},
		{
			Name:    nullArguments,
			Allows:  "Arguments, or the function itself, that are null add nothing.",
			Servers: "Writer, OpenRouter, Fireworks",
		},
		{
			Name:    objectArguments,
			Allows:  "Arguments that are an object, once for a call and never mixed with text: the document is the object's bytes.",
			Servers: "MiniMax, LiteLLM over Ollama (two reports)",
		},
		{
			Name:    emptyArguments,
			Allows:  "A call that ended for a good reason without one byte of arguments means {}. A cut answer is never read so.",
			Servers: "Databricks and other Claude endpoints behind Chat. Never for vLLM or SGLang, which lose arguments",
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
			Name:    noFinish,
			Allows:  "[DONE] ends a choice that gave no finish reason.",
			Servers: "Snowflake, Evolink, which never give one. Some gateways write [DONE] whatever happened: never for those",
		},
	}
}

func (chat) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{
		{Name: "openrouter", Allows: []string{repeatedFinish}, Evidence: "recorded streams: the finish reason again with the usage"},
		{Name: "databricks", Allows: []string{emptyArguments}, Evidence: "recorded streams: Claude's zero-argument calls have an empty fragment only"},
		{Name: "dashscope", Allows: []string{emptyIdentity}, Evidence: "recorded streams; symfony/ai#2220"},
		{Name: "tgi", Allows: []string{repeatedID}, Evidence: "recorded streams: id on every fragment"},
		{Name: "writer", Allows: []string{nullArguments}, Evidence: "recorded streams: null in the announcement"},
		{Name: "ollama-v1", Allows: []string{missingIndex, reusedIndex}, Evidence: "recorded streams; ollama/ollama#7881, #15457"},
		{Name: "snowflake", Allows: []string{noFinish}, Evidence: "recorded streams: usage, then [DONE]"},
	}
}
