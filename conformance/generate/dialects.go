package main

import "fmt"

// deviating writes Chat chunks as servers write them that depart from the protocol.
type deviating struct{ stream }

// delta adds a chunk with one delta and no finish reason.
func (d *deviating) delta(json string) *deviating { return d.chunk(0, json, "null") }

// finish adds a chunk that finishes the choice, with a delta.
func (d *deviating) finish(reason, json string) *deviating {
	return d.chunk(0, json, quote(reason))
}

func (d *deviating) chunk(choice int, delta, finish string) *deviating {
	d.event("", fmt.Sprintf(`{"id":"chat_5","object":"chat.completion.chunk","created":1,"model":%s,"choices":[{"index":%d,"delta":%s,"finish_reason":%s}]}`,
		quote(model), choice, delta, finish))
	return d
}

// done adds the sentinel.
func (d *deviating) done() *deviating {
	d.event("", "[DONE]")
	return d
}

// end finishes the choice and adds the sentinel.
func (d *deviating) end(reason string) *stream { return &d.finish(reason, "{}").done().stream }

func deltas(jsons ...string) *deviating {
	d := &deviating{}
	for _, j := range jsons {
		d.delta(j)
	}
	return d
}

// entries writes a delta with entries of tool_calls.
func entries(list string) string { return `{"tool_calls":[` + list + `]}` }

// announcing writes an entry that announces a call, with a piece of its arguments.
func announcing(index int, id, name, args string) string {
	return fmt.Sprintf(`{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, index, quote(id), quote(name), quote(args))
}

// adding writes an entry that adds a piece to a call's arguments.
func adding(index int, args string) string {
	return fmt.Sprintf(`{"index":%d,"function":{"arguments":%s}}`, index, quote(args))
}

const (
	idA   = "call_bus"
	idB   = "call_tram"
	headA = `{"stop":`
	tailA = `"Mill Lane"}`
)

// deviation adds three kinds of vector of one deviation: what a strict reader makes of a stream, and
// what one does that allows it.
func (s *set) deviation(name, about string, in *stream, strict, allowed expectation, allows ...string) {
	s.allow("deviation-"+name+"-strict", about+" Without a dialect.", specDialect, in, strict)
	s.allow("deviation-"+name, about+" In a dialect that allows it.", specDialect, in, allowed, allows...)
}

// beyond adds a vector on the other side of a deviation's condition: it fails in the dialect too.
func (s *set) beyond(name, about string, in *stream, want expectation, allows ...string) {
	s.allow("deviation-"+name, about, specDialect, in, want, allows...)
}

// harmless adds a vector of what every reader must accept without a dialect.
func (s *set) harmless(name, about string, in *stream, want expectation) {
	s.add("deviation-"+name, about, specChat, in, want)
}

// deviations returns the vectors of what servers of Chat Completions do.
func deviations() *set {
	s := &set{provider: "openai-chat"}
	s.positions()
	s.identities()
	s.documents()
	s.snapshots()
	s.finishes()
	s.noise()
	return s
}

func refusedCall(kind string) expectation {
	return broken(kind, "", lost("0", idA, bus, "protocol-error"))
}

func oneCall(stop string) expectation { return complete(stop, whole("0", idA, bus, docA)) }

func (s *set) positions() {
	nameless := `{"function":{"arguments":%s}}`
	s.deviation("missing-index", "The entries of the only call have no index.",
		deltas(entries(`{"id":"call_bus","type":"function","function":{"name":"bus_times","arguments":"{\"stop\":"}}`),
			entries(fmt.Sprintf(nameless, quote(tailA)))).end("tool_calls"),
		broken("missing-index", ""), oneCall("tool_calls"), "missing-index")
	s.deviation("missing-index-two-calls", "Two whole calls, each in a chunk of its own, have no index.",
		deltas(entries(`{"id":"call_bus","type":"function","function":{"name":"bus_times","arguments":"{\"stop\":\"Mill Lane\"}"}}`),
			entries(`{"id":"call_tram","type":"function","function":{"name":"bus_times","arguments":"{\"stop\":\"Old Dock\"}"}}`)).end("tool_calls"),
		broken("missing-index", ""),
		complete("tool_calls", whole("0", idA, bus, docA), whole("1", idB, bus, docB)), "missing-index")
	s.deviation("missing-index-known-id", "Fragments carry the id of their call in place of its index.",
		deltas(entries(announcing(0, idA, bus, "")), entries(announcing(1, idB, bus, "")),
			entries(`{"id":"call_tram","function":{"arguments":"{\"stop\":\"Old Dock\"}"}}`),
			entries(`{"id":"call_bus","function":{"arguments":"{\"stop\":\"Mill Lane\"}"}}`)).end("tool_calls"),
		broken("missing-index", "", lost("0", idA, bus, "protocol-error"), lost("1", idB, bus, "protocol-error")),
		complete("tool_calls", whole("0", idA, bus, docA), whole("1", idB, bus, docB)), "missing-index")
	s.beyond("missing-index-two-open", "A fragment without index and id, while two calls are open, has no owner in any dialect.",
		deltas(entries(announcing(0, idA, bus, "")), entries(announcing(1, idB, bus, "")), entries(fmt.Sprintf(nameless, quote(docA)))).end("tool_calls"),
		broken("missing-index", "", lost("0", idA, bus, "protocol-error"), lost("1", idB, bus, "protocol-error")), "missing-index")

	s.deviation("reused-index", "Two whole calls of one tool, each with its own id, both at index 0.",
		deltas(entries(announcing(0, idA, bus, docA)), entries(announcing(0, idB, bus, docB))).end("tool_calls"),
		refusedCall("duplicate-announcement"),
		complete("tool_calls", whole("0", idA, bus, docA), whole("0#2", idB, bus, docB)), "reused-index")
	s.beyond("reused-index-half-document", "A second call at index 0 while the first one's document is not whole.",
		deltas(entries(announcing(0, idA, bus, headA)), entries(announcing(0, idB, bus, docB))).end("tool_calls"),
		refusedCall("duplicate-announcement"), "reused-index")
	s.beyond("reused-index-without-a-name", "Another id without a name at a used index does not show whether it is another call.",
		deltas(entries(announcing(0, idA, bus, docA)), entries(`{"index":0,"id":"call_tram","function":{"arguments":"{}"}}`)).end("tool_calls"),
		refusedCall("conflicting-identity"), "reused-index")
	s.harmless("sparse-index", "The first index is 1 and the next is 4: an index is a key, and nothing is counted with it.",
		deltas(entries(announcing(1, idA, bus, docA)), entries(announcing(4, idB, bus, docB))).end("tool_calls"),
		complete("tool_calls", whole("1", idA, bus, docA), whole("4", idB, bus, docB)))
	s.harmless("index-twice-in-a-chunk", "One chunk has two entries of one index: the announcement, and its first fragment.",
		deltas(entries(announcing(0, idA, bus, headA)+","+adding(0, tailA))).end("tool_calls"), oneCall("tool_calls"))
	s.deviation("drifting-index", "The last fragment of the only call stands under an index that was never announced.",
		deltas(entries(announcing(0, idA, bus, "")), entries(adding(0, headA)), entries(adding(1, tailA))).end("tool_calls"),
		refusedCall("unannounced"), oneCall("tool_calls"), "drifting-index")
	s.beyond("drifting-index-two-calls", "With two calls announced, a fragment under a third index has no owner.",
		deltas(entries(announcing(0, idA, bus, headA)), entries(announcing(1, idB, bus, docB)), entries(adding(2, tailA))).end("tool_calls"),
		broken("unannounced", "", lost("0", idA, bus, "protocol-error"), lost("1", idB, bus, "protocol-error")), "drifting-index")
}

func (s *set) identities() {
	piece := func(id, name string) string {
		return entries(`{"index":0` + id + `,"function":{` + name + `"arguments":"\"Mill Lane\"}"}}`)
	}
	begun := entries(announcing(0, idA, bus, headA))
	s.deviation("empty-id", `A fragment has an id that is "".`,
		deltas(begun, piece(`,"id":""`, "")).end("tool_calls"),
		refusedCall("deviation-refused"), oneCall("tool_calls"), "empty-identity-on-fragments")
	s.deviation("empty-name", `A fragment has a name that is "".`,
		deltas(begun, piece("", `"name":"",`)).end("tool_calls"),
		refusedCall("deviation-refused"), oneCall("tool_calls"), "empty-identity-on-fragments")
	s.harmless("null-identity", "A fragment has id, type and name that are null, which is like absent.",
		deltas(begun, piece(`,"id":null,"type":null`, `"name":null,`)).end("tool_calls"), oneCall("tool_calls"))
	s.deviation("repeated-id", "A fragment has the id of its call again.",
		deltas(begun, piece(`,"id":"call_bus"`, "")).end("tool_calls"),
		refusedCall("deviation-refused"), oneCall("tool_calls"), "repeated-id")
	s.deviation("repeated-name", "A fragment has the name of its call again.",
		deltas(begun, piece("", `"name":"bus_times",`)).end("tool_calls"),
		refusedCall("deviation-refused"), oneCall("tool_calls"), "repeated-name")
	s.deviation("repeated-id-and-name", "A fragment has the id and the name of its call again, which looks like a replay.",
		deltas(begun, piece(`,"id":"call_bus"`, `"name":"bus_times",`)).end("tool_calls"),
		refusedCall("duplicate-announcement"), oneCall("tool_calls"), "repeated-id", "repeated-name")
	s.beyond("repeated-name-other", "A fragment has another name than its call.",
		deltas(begun, piece("", `"name":"mix_paint",`)).end("tool_calls"),
		refusedCall("conflicting-identity"), "repeated-name")
	s.deviation("changing-id", "Each fragment has an id of its own, and no name: it is one call, which keeps its first id.",
		deltas(begun, piece(`,"id":"call_tram"`, "")).end("tool_calls"),
		refusedCall("conflicting-identity"), oneCall("tool_calls"), "changing-id")
	s.deviation("late-name", "The name comes behind the first fragment.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"arguments":"{\"stop\":"}}`), piece("", `"name":"bus_times",`)).end("tool_calls"),
		broken("incomplete-identity", ""), oneCall("tool_calls"), "late-name")
	s.beyond("late-name-never", "The name never comes.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"arguments":"{}"}}`)).end("tool_calls"),
		broken("incomplete-identity", ""), "late-name")
	s.deviation("late-id", "The id comes behind the name.",
		deltas(entries(`{"index":0,"function":{"name":"bus_times","arguments":"{\"stop\":"}}`), piece(`,"id":"call_bus"`, "")).end("tool_calls"),
		broken("incomplete-identity", ""), oneCall("tool_calls"), "late-id")
	s.deviation("split-name", "The name comes in two pieces, before the first byte of arguments.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"name":"bus_"}}`), entries(`{"index":0,"function":{"name":"times"}}`), entries(adding(0, docA))).end("tool_calls"),
		broken("conflicting-identity", "", lost("0", idA, "bus_", "protocol-error")), oneCall("tool_calls"), "split-name")
	s.add("deviation-missing-id-strict", "A call without an id: its result would have no address.", specDialect,
		deltas(entries(`{"index":0,"type":"function","function":{"name":"bus_times","arguments":"{}"}}`)).end("tool_calls"),
		broken("incomplete-identity", ""))
	s.beyond("missing-id-and-name", "A call that never gets a name fails in every dialect.",
		deltas(entries(`{"index":0,"id":"","type":"function"}`)).end("tool_calls"), broken("unannounced", ""), "missing-id")
}

func (s *set) documents() {
	begun := entries(announcing(0, idA, bus, ""))
	s.deviation("null-arguments", "The announcement has arguments that are null.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"name":"bus_times","arguments":null}}`), entries(adding(0, docA))).end("tool_calls"),
		refusedCall("deviation-refused"), oneCall("tool_calls"), "null-arguments")
	s.deviation("object-arguments", "Arguments are an object in place of a string: the document is its bytes.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"name":"bus_times","arguments":{ "stop": "Mill Lane" }}}`)).end("tool_calls"),
		refusedCall("deviation-refused"), complete("tool_calls", whole("0", idA, bus, `{ "stop": "Mill Lane" }`)), "object-arguments")
	s.beyond("object-arguments-twice", "A second object for one call could replace the first, or join it.",
		deltas(entries(`{"index":0,"id":"call_bus","function":{"name":"bus_times","arguments":{"a":1}}}`),
			entries(`{"index":0,"function":{"arguments":{"b":2}}}`)).end("tool_calls"),
		refusedCall("deviation-refused"), "object-arguments")
	s.deviation("empty-arguments", "No byte of arguments, and a good finish: in some dialects that means no arguments.",
		deltas(begun).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "empty-document")),
		complete("tool_calls", whole("0", idA, bus, "{}")), "empty-arguments")
	s.beyond("empty-arguments-cut", "No byte of arguments at the token limit: they were lost, in every dialect.",
		deltas(begun).end("length"), incomplete("calls-failed", "length", lost("0", idA, bus, "token-limit")), "empty-arguments")
	s.harmless("arguments-in-the-announcement", "The announcement has the first bytes of the arguments.",
		deltas(entries(announcing(0, idA, bus, headA)), entries(adding(0, tailA))).end("tool_calls"), oneCall("tool_calls"))
	s.deviation("raw-control-characters", "A line end stands raw inside a string of the arguments.",
		deltas(begun, entries(adding(0, "{\"stop\":\"Mill\nLane\"}"))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "invalid-json")),
		complete("tool_calls", whole("0", idA, bus, `{"stop":"Mill\nLane"}`)), "raw-control-characters")
	s.beyond("raw-control-characters-and-more", "With another fault beside it, the arguments stay wrong.",
		deltas(begun, entries(adding(0, "{\"stop\":\"Mill\nLane\",}"))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "invalid-json")), "raw-control-characters")
	s.deviation("double-encoded", "The arguments are a JSON string that holds an object.",
		deltas(begun, entries(adding(0, quote(docA)))).end("tool_calls"),
		complete("tool_calls", whole("0", idA, bus, quote(docA))), oneCall("tool_calls"), "double-encoded-arguments")
}

func (s *set) snapshots() {
	begun := entries(announcing(0, idA, bus, ""))
	joined := incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "trailing-data"))
	s.deviation("placeholder-arguments", "The announcement has {} as arguments, and the document follows.",
		deltas(entries(announcing(0, idA, bus, "{}")), entries(adding(0, headA)), entries(adding(0, tailA))).end("tool_calls"),
		joined, oneCall("tool_calls"), "placeholder-arguments")
	s.beyond("placeholder-arguments-alone", "Where nothing follows, {} is the document.",
		deltas(entries(announcing(0, idA, bus, "{}"))).end("tool_calls"),
		complete("tool_calls", whole("0", idA, bus, "{}")), "placeholder-arguments")
	s.deviation("final-snapshot", "The last fragment is the whole document, behind the beginning of it.",
		deltas(begun, entries(adding(0, headA)), entries(adding(0, docA))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "incomplete-json")), oneCall("tool_calls"), "final-snapshot")
	s.beyond("final-snapshot-of-another", "The last fragment is a whole document that does not begin as the fragments did.",
		deltas(begun, entries(adding(0, headA)), entries(adding(0, docC))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "incomplete-json")), "final-snapshot")
	s.deviation("repeated-document", "The whole document comes again, twice.",
		deltas(begun, entries(adding(0, docA)), entries(adding(0, docA)), entries(adding(0, docA))).end("tool_calls"),
		joined, oneCall("tool_calls"), "repeated-document")
	s.beyond("repeated-document-other", "Two different documents in one call: how many calls were meant can't be known.",
		deltas(begun, entries(adding(0, docA)), entries(adding(0, docB))).end("tool_calls"), joined, "repeated-document")
	s.beyond("several-documents-in-a-fragment", "Two documents in one fragment fail in every dialect.",
		deltas(begun, entries(adding(0, docA+docB))).end("tool_calls"), joined,
		"repeated-document", "final-snapshot", "cumulative-arguments", "placeholder-arguments")
	s.deviation("cumulative-arguments", "Each fragment is the document so far.",
		deltas(begun, entries(adding(0, headA)), entries(adding(0, headA+`"Mill`)), entries(adding(0, docA))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "invalid-json")), oneCall("tool_calls"), "cumulative-arguments")
	s.beyond("cumulative-arguments-broken", "One fragment does not begin with the one before it.",
		deltas(begun, entries(adding(0, headA)), entries(adding(0, `{"platform":`)), entries(adding(0, docA))).end("tool_calls"),
		incomplete("calls-failed", "tool_calls", wrong("0", idA, bus, "incomplete-json")), "cumulative-arguments")
}

func (s *set) finishes() {
	begun := entries(announcing(0, idA, bus, docA))
	s.harmless("finish-stop-with-calls", "A forced tool ends with stop: any finish but a cut ends the calls.", deltas(begun).end("stop"), oneCall("stop"))
	s.harmless("call-in-the-finish-chunk", "The whole call stands in the chunk that finishes its choice.",
		&(&deviating{}).finish("tool_calls", begun).done().stream, oneCall("tool_calls"))
	s.deviation("repeated-finish", "The finish reason comes again.",
		&deltas(begun).finish("tool_calls", "{}").finish("tool_calls", "{}").done().stream,
		broken("repeated-finish", "tool_calls", whole("0", idA, bus, docA)), oneCall("tool_calls"), "repeated-finish")
	s.beyond("repeated-finish-worse", "A finish reason that says cut, behind a good one, fails the turn.",
		&deltas(begun).finish("tool_calls", "{}").finish("length", "{}").done().stream,
		broken("repeated-finish", "tool_calls", whole("0", idA, bus, docA)), "repeated-finish")
	for _, none := range []string{"", "None"} {
		name := "empty-finish"
		if none != "" {
			name = "none-finish"
		}
		s.deviation(name, fmt.Sprintf("Chunks before the end have the finish reason %q.", none),
			&(&deviating{}).finish(none, begun).finish("tool_calls", "{}").done().stream,
			refusedCall("deviation-refused"), oneCall("tool_calls"), "empty-finish")
	}
	late := func() *deviating { return deltas(entries(announcing(0, idA, bus, headA))).finish("tool_calls", "{}") }
	s.deviation("late-deltas", "A fragment comes behind the finish reason.",
		&late().delta(entries(adding(0, tailA))).done().stream,
		broken("late", "tool_calls", wrong("0", idA, bus, "incomplete-json")), oneCall("tool_calls"), "late-deltas")
	s.beyond("late-deltas-without-an-end", "Without [DONE] nothing says that all of it came.",
		&late().delta(entries(adding(0, tailA))).stream,
		cut("", lost("0", idA, bus, "truncated")), "late-deltas")
	s.deviation("no-finish", "The stream ends with [DONE] and without a finish reason.",
		&deltas(begun).done().stream, cut("", lost("0", idA, bus, "truncated")), oneCall(""), "no-finish")
	s.beyond("no-finish-and-no-end", "Neither a finish reason nor [DONE]: nothing authorised the call.",
		&deltas(begun).stream, cut("", lost("0", idA, bus, "truncated")), "no-finish")
	s.harmless("no-sentinel", "A finish reason without [DONE] is an end.", &deltas(begun).finish("tool_calls", "{}").stream, oneCall("tool_calls"))
}

func (s *set) noise() {
	begun := entries(announcing(0, idA, bus, docA))
	with := func(payloads ...string) *deviating {
		d := deltas(begun)
		for _, p := range payloads {
			d.event("", p)
		}
		return d
	}
	s.harmless("chunks-without-a-choice", "Chunks with empty, absent or null choices have no effect on calls.",
		with(`{"id":"chat_5","choices":[]}`, `{"id":"chat_5"}`, `{"id":"chat_5","choices":null}`).end("tool_calls"), oneCall("tool_calls"))
	s.harmless("chunks-without-a-delta", "Choices with an absent or null delta have no effect on calls.",
		with(`{"id":"chat_5","choices":[{"index":0,"finish_reason":null}]}`, `{"id":"chat_5","choices":[{"index":0,"delta":null,"finish_reason":null}]}`).end("tool_calls"),
		oneCall("tool_calls"))
	s.harmless("null-tool-calls", "tool_calls that are null or empty have no effect on calls.",
		deltas(begun, `{"tool_calls":null}`, `{"tool_calls":[]}`).end("tool_calls"), oneCall("tool_calls"))
	s.harmless("varying-chunk-id", "Each chunk has another id, which is no identity.",
		with(`{"id":"chat_6","choices":[{"index":0,"delta":{},"finish_reason":null}]}`).end("tool_calls"), oneCall("tool_calls"))
	split := deltas().chunk(0, `{"content":"I will look that up."}`, `"tool_calls"`).chunk(1, begun, `"tool_calls"`)
	s.harmless("split-choices", "The text stands in one choice and the call in another.", &split.done().stream,
		complete("tool_calls", text(prosaic), whole("1.0", idA, bus, docA)))
	counting := deltas(entries(announcing(0, idA, bus, headA))).chunk(1, entries(adding(0, tailA)), "null").chunk(2, "{}", `"tool_calls"`)
	s.deviation("choice-index-varies", "The index of the only choice counts the chunks.", &counting.done().stream,
		broken("unannounced", "", lost("0", idA, bus, "protocol-error")), oneCall("tool_calls"), "choice-index-varies")
	s.deviation("keepalive-data", "A keep-alive is written as data.", with(": still here").end("tool_calls"),
		refusedCall("malformed-frame"), oneCall("tool_calls"), "keepalive-data")
	trimmed := deltas(begun).finish("tool_calls", "{}")
	trimmed.cutBytes(2)
	s.deviation("unterminated-event", "The last event lacks only its blank line.", &trimmed.stream,
		cut("", lost("0", idA, bus, "truncated")), oneCall("tool_calls"), "unterminated-event")
	half := deltas(begun).finish("tool_calls", "{}")
	half.cutBytes(4)
	s.beyond("unterminated-event-half", "The last event lacks a piece of its data.", &half.stream,
		cut("", lost("0", idA, bus, "truncated")), "unterminated-event")
}
