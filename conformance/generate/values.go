package main

// What the calls of the vectors are made of. All of it is made up.
const (
	model = "example-model"

	bus   = "bus_times"
	paint = "mix_paint"

	docA = `{"stop":"Mill Lane"}`
	docB = `{"stop":"Old Dock"}`
	docC = `{"hue":"teal","litres":2}`

	prosaic = "I will look that up."
	after   = "Anything else?"
)

// The rules that a vector can name in spec, beside the invariants I1 to I9.
const (
	specMessages = "Anthropic, Streaming Messages"
	specStops    = "Anthropic, Handling stop reasons"
	specPrograms = "Anthropic, Programmatic tool calling"
	specChat     = "OpenAI, Chat Completions streaming"
	specResp     = "OpenAI, Responses streaming events"
	specSSE      = "WHATWG HTML, Server-sent events"
	specNDJSON   = "NDJSON 1.0"
	specJSON     = "RFC 8259"
	specDialect  = "a named deviation"
)
