package main

import "strings"

// messagesVectors returns the vectors of Anthropic Messages.
func messagesVectors() *set {
	s := &set{provider: "anthropic"}
	messagesStories(s)
	messagesInvariants(s)
	messagesDocuments(s)
	messagesStops(s)
	messagesServer(s)
	messagesPrograms(s)
	messagesErrors(s)
	messagesTruncated(s)
	messagesFrames(s)
	messagesTransport(s)
	messagesDialects(s)
	return s
}

func messagesStories(s *set) {
	s.add("one-call", "One call, its arguments in three fragments.", specMessages,
		&newMessages().start().call(0, useA, bus, fragments(docA)...).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("text-then-call", "Text, then a call.", specMessages,
		&newMessages().start().text(0, "I will ", "look that up.").call(1, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", text(prosaic), whole("1", useA, bus, docA)))
	s.add("text-only", "Text and no call.", specMessages,
		&newMessages().start().text(0, prosaic).finish("end_turn").stream,
		complete("end_turn", text(prosaic)))
	s.add("empty-turn", "A turn without a block.", specMessages,
		&newMessages().start().finish("end_turn").stream,
		complete("end_turn"))
	s.add("reasoning-text-call-text", "Reasoning with its signature, text, a call, and text behind it.", "I9",
		&newMessages().start().
			block(0, `{"type":"thinking","thinking":"","signature":""}`).
			delta(0, `{"type":"thinking_delta","thinking":"Which stop?"}`).
			delta(0, `{"type":"signature_delta","signature":"c2lnbmVk"}`).stop(0).
			text(1, prosaic).call(2, useA, bus, fragments(docA)...).text(3, after).finish("tool_use").stream,
		complete("tool_use", prose("reasoning", "Which stop?"), text(prosaic), whole("2", useA, bus, docA), text(after)))
	s.add("text-between-calls", "Two calls with text between them.", "I9",
		&newMessages().start().call(0, useA, bus, docA).text(1, "And the paint.").call(2, useB, paint, docC).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), text("And the paint."), whole("2", useB, paint, docC)))
	s.add("two-calls-of-one-tool", "Two calls of one tool, one after the other. Keyed by the tool's name they would become one.", specMessages,
		&newMessages().start().call(0, useA, bus, fragments(docA)...).call(1, useB, bus, fragments(docB)...).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, docB)))
	s.add("two-calls-with-the-same-arguments", "Two calls of one tool with the same arguments. They are two calls all the same.", "I8",
		&newMessages().start().call(0, useA, bus, docA).call(1, useB, bus, docA).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, docA)))
	s.add("two-calls-of-two-tools", "Two calls of two tools.", specMessages,
		&newMessages().start().call(0, useA, bus, fragments(docA)...).call(1, useB, paint, fragments(docC)...).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, paint, docC)))
	a, b := fragments(docA), fragments(docB)
	s.add("interleaved-calls", "The fragments of two calls of one tool alternate. Each belongs to the call that its index names.", specMessages,
		&newMessages().start().open(0, useA, bus).open(1, useB, bus).piece(0, a[0]).piece(1, b[0]).piece(0, a[1]).piece(1, b[1]).
			piece(1, b[2]).piece(0, a[2]).stop(0).stop(1).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, docB)))
	s.add("interleaved-calls-second-ends-first", "Two calls overlap, and the second ends first. The parts keep the order in which they began.", "I9",
		&newMessages().start().open(0, useA, bus).piece(0, a[0]).open(1, useB, bus).piece(1, docB).stop(1).
			piece(0, a[1]).piece(0, a[2]).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, docB)))
	s.add("text-while-a-call-is-open", "A block of text stands inside an open call.", "I9",
		&newMessages().start().open(0, useA, bus).piece(0, a[0]).text(1, prosaic).piece(0, a[1]).piece(0, a[2]).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA), text(prosaic)))
	s.add("index-with-gap", "The indexes leave some out. They are compared and not counted with.", specMessages,
		&newMessages().start().text(0, prosaic).call(3, useA, bus, docA).call(7, useB, bus, docB).finish("tool_use").stream,
		complete("tool_use", text(prosaic), whole("3", useA, bus, docA), whole("7", useB, bus, docB)))
	s.add("index-descending", "The second call has a lower index than the first. The order is that in which they began.", "I9",
		&newMessages().start().call(5, useA, bus, docA).call(2, useB, bus, docB).finish("tool_use").stream,
		complete("tool_use", whole("5", useA, bus, docA), whole("2", useB, bus, docB)))
	s.add("empty-fragments", "Empty fragments stand between the others, and say nothing.", specMessages,
		&newMessages().start().open(0, useA, bus).piece(0, "").piece(0, a[0]).piece(0, "").piece(0, a[1]).piece(0, a[2]).piece(0, "").stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("zero-arguments", "A call without arguments has one empty fragment, which means {}.", specMessages,
		&newMessages().start().call(0, useA, bus).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, `{}`)))
	s.add("zero-arguments-no-fragment", "A call without arguments has no fragment at all, which means {}.", specMessages,
		&newMessages().start().open(0, useA, bus).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, `{}`)))
	s.add("zero-arguments-twice", "Two calls of one tool, both without arguments.", specMessages,
		&newMessages().start().call(0, useA, bus).call(1, useB, bus).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, `{}`), whole("1", useB, bus, `{}`)))
	s.add("redacted-thinking", "A block of redacted thinking stands whole in its start.", specMessages,
		&newMessages().start().block(0, `{"type":"redacted_thinking","data":"c2VhbGVk"}`).stop(0).call(1, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", data("redacted_thinking"), whole("1", useA, bus, docA)))
	s.add("citations", "Citations are added to a block of text.", specMessages,
		&newMessages().start().openText(0).
			delta(0, `{"type":"citations_delta","citation":{"type":"char_location","cited_text":"Mill Lane","document_index":0,"start_char_index":0,"end_char_index":9}}`).
			say(0, prosaic).stop(0).call(1, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", text(prosaic), whole("1", useA, bus, docA)))
	s.add("pings", "Pings stand everywhere, also inside a call.", specMessages,
		&newMessages().ping().start().ping().open(0, useA, bus).ping().piece(0, a[0]).ping().piece(0, a[1]).piece(0, a[2]).ping().stop(0).ping().
			reason("tool_use").ping().end().stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("caller-direct", "The call says that the model itself made it, and is like any other.", specPrograms,
		&newMessages().start().block(0, `{"type":"tool_use","id":"toolu_example_A","name":"bus_times","input":{},"caller":{"type":"direct"}}`).
			piece(0, docA).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("conversation-one", "One of two streams that are alike in all but their values: same indexes, same tool. Read both at once, a byte of each in turn.", "I7",
		&newMessages().startWith("msg_example_1", "[]", "null").call(0, useA, bus, fragments(docA)...).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("conversation-two", "The other of two streams that are alike in all but their values.", "I7",
		&newMessages().startWith("msg_example_2", "[]", "null").call(0, useB, bus, fragments(docB)...).finish("tool_use").stream,
		complete("tool_use", whole("0", useB, bus, docB)))
}

func messagesInvariants(s *set) {
	a := fragments(docA)
	s.add("announced-twice", "An index is announced again while its call is open.", "I1",
		&newMessages().start().open(0, useA, bus).piece(0, a[0]).open(0, useB, bus).piece(0, docB).stop(0).finish("tool_use").stream,
		broken("duplicate-announcement", "", lost("0", useA, bus, "protocol-error")))
	s.add("announced-again-after-its-end", "An index is announced again after its call has ended. The first call was whole, and stays so.", "I1",
		&newMessages().start().call(0, useA, bus, docA).call(0, useB, bus, docB).finish("tool_use").stream,
		broken("duplicate-announcement", "", whole("0", useA, bus, docA)))
	replay := newMessages().start().text(0, prosaic).call(1, useA, bus, docA)
	replay.again(4)
	s.add("replayed-block", "A reconnect sends a whole block again. It is an error and not a second call.", "I1",
		&replay.finish("tool_use").stream,
		broken("duplicate-announcement", "", text(prosaic), whole("1", useA, bus, docA)))
	s.add("text-at-the-index-of-a-call", "A block of text starts at the index of a call.", "I1",
		&newMessages().start().call(0, useA, bus, docA).text(0, prosaic).finish("tool_use").stream,
		broken("duplicate-announcement", "", whole("0", useA, bus, docA)))
	s.add("announcement-missing", "The start of a block was lost. Its fragments have no owner.", "I2",
		&newMessages().start().text(0, prosaic).piece(1, docA).stop(1).finish("tool_use").stream,
		broken("unannounced", "", text(prosaic)))
	s.add("announcement-missing-beside-a-call", "The start of the second block was lost. Its fragments don't belong to the first.", "I2",
		&newMessages().start().open(0, useA, bus).piece(0, a[0]).piece(1, docB).stop(1).stop(0).finish("tool_use").stream,
		broken("unannounced", "", lost("0", useA, bus, "protocol-error")))
	s.add("end-without-announcement", "A block stops that never started.", "I2",
		&newMessages().start().call(0, useA, bus, docA).stop(1).finish("tool_use").stream,
		broken("unannounced", "", whole("0", useA, bus, docA)))
	s.add("late-fragment", "A fragment comes behind the end of its call.", "I2",
		&newMessages().start().call(0, useA, bus, docA).piece(0, docA).finish("tool_use").stream,
		broken("late", "", whole("0", useA, bus, docA)))
	s.add("late-empty-fragment", "An empty fragment comes behind the end of its call. It would add nothing, and it is a sign all the same.", "I2",
		&newMessages().start().call(0, useA, bus, docA).piece(0, "").finish("tool_use").stream,
		broken("late", "", whole("0", useA, bus, docA)))
	s.add("late-end", "A call ends twice.", "I2",
		&newMessages().start().call(0, useA, bus, docA).stop(0).finish("tool_use").stream,
		broken("late", "", whole("0", useA, bus, docA)))
	s.add("fragment-for-text", "A fragment of arguments has the index of a block of text.", "I2",
		&newMessages().start().openText(0).piece(0, docA).stop(0).finish("end_turn").stream,
		broken("mismatched-part", "", text("")))
	s.add("text-for-a-call", "A piece of text has the index of a call.", "I2",
		&newMessages().start().open(0, useA, bus).say(0, prosaic).stop(0).finish("tool_use").stream,
		broken("mismatched-part", "", lost("0", useA, bus, "protocol-error")))
	s.add("id-used-twice", "Two calls have one id, so that a result could not be told which it is for.", "I3",
		&newMessages().start().open(0, useA, bus).open(1, useA, bus).finish("tool_use").stream,
		broken("duplicate-id", "", lost("0", useA, bus, "protocol-error")))
	s.add("id-used-again-after-its-end", "The id of a call that has ended is used again.", "I3",
		&newMessages().start().call(0, useA, bus, docA).call(1, useA, paint, docC).finish("tool_use").stream,
		broken("duplicate-id", "", whole("0", useA, bus, docA)))
	s.add("id-of-a-server-call-used-again", "A call that the client must run has the id of one that the provider runs.", "I3",
		&newMessages().start().block(0, useBlock("server_tool_use", useA, "web_search")).piece(0, docC).stop(0).call(1, useA, bus, docA).finish("tool_use").stream,
		broken("duplicate-id", "", whole("0", useA, "web_search", docC).server()))
	s.add("open-at-the-end", "The turn ends for a good reason, and a block never stopped. Its document happens to parse.", "I4",
		&newMessages().start().open(0, useA, bus).piece(0, docA).finish("tool_use").stream,
		incomplete("calls-failed", "tool_use", lost("0", useA, bus, "unfinished")))
	s.add("each-fate-once", "Of three calls one completes, one has bad arguments, and one never ends: all three are accounted for.", "I5",
		&newMessages().start().call(0, useA, bus, docA).call(1, useB, bus, `{"stop":}`).open(2, useC, paint).piece(2, `{"hue":`).finish("max_tokens").stream,
		incomplete("calls-failed", "max_tokens", whole("0", useA, bus, docA), wrong("1", useB, bus, "invalid-json"), lost("2", useC, paint, "token-limit")))
	s.add("siblings-go-on", "The arguments of the first call are bad. The second call is not touched by that.", "I6",
		&newMessages().start().call(0, useA, bus, docA+docB).call(1, useB, bus, docB).finish("tool_use").stream,
		incomplete("calls-failed", "tool_use", wrong("0", useA, bus, "trailing-data"), whole("1", useB, bus, docB)))
	s.add("second-end-of-the-stream", "The stream ends twice. The call is handed out once.", "I8",
		&newMessages().start().call(0, useA, bus, docA).finish("tool_use").end().stream,
		broken("late", "tool_use", whole("0", useA, bus, docA)))
	s.add("announced-behind-the-end", "A block starts behind the end of the stream.", "I4",
		&newMessages().start().call(0, useA, bus, docA).finish("tool_use").call(1, useB, bus, docB).stream,
		broken("late", "tool_use", whole("0", useA, bus, docA)))
	for _, c := range []struct{ name, about, old, new string }{
		{"id-empty", "A call is announced with an empty id.", `"id":"toolu_example_A"`, `"id":""`},
		{"id-missing", "A call is announced without an id.", `"id":"toolu_example_A",`, ``},
		{"id-null", "A call is announced with an id that is null.", `"id":"toolu_example_A"`, `"id":null`},
		{"name-empty", "A call is announced with an empty name.", `"name":"bus_times"`, `"name":""`},
		{"name-missing", "A call is announced without a name.", `"name":"bus_times",`, ``},
	} {
		s.add(c.name, c.about, specMessages,
			&newMessages().start().open(0, useA, bus).with(c.old, c.new).piece(0, docA).stop(0).finish("tool_use").stream,
			broken("incomplete-identity", ""))
	}
}

func messagesDocuments(s *set) {
	for _, d := range documents() {
		p := whole("0", useA, bus, d.text)
		want := complete("tool_use", p)
		if d.kind != "" {
			want = incomplete("calls-failed", "tool_use", wrong("0", useA, bus, d.kind))
		}
		s.add("arguments-"+d.name, d.about, "I6", &newMessages().start().call(0, useA, bus, fragments(d.text)...).finish("tool_use").stream, want)
	}
	for _, d := range splits() {
		s.add("arguments-"+d.name, d.about, "I6", &messagesInner(d).stop(0).finish("tool_use").stream,
			complete("tool_use", whole("0", useA, bus, d.text)))
	}
	for _, d := range lone() {
		s.add("arguments-"+d.name, d.about, "I6", &messagesInner(d).stop(0).finish("tool_use").stream,
			incomplete("calls-failed", "tool_use", wrong("0", useA, bus, "lone-surrogate")))
	}
}

func messagesInner(d split) *messages {
	m := newMessages().start().open(0, useA, bus)
	for _, p := range d.inner {
		m.inner(0, p)
	}
	return m
}

// messagesReasons are the stop reasons that say that the answer was cut, with what becomes of a call
// that has no end of its own.
var messagesReasons = []struct{ stop, name, reason string }{
	{"max_tokens", "token-limit", "token-limit"},
	{"model_context_window_exceeded", "context-window", "token-limit"},
	{"refusal", "refusal", "refusal"},
	{"pause_turn", "pause", "paused"},
}

func messagesStops(s *set) {
	for _, c := range messagesReasons {
		s.add("stop-"+c.name+"-text-only", "The stop reason is "+c.stop+", and there is no call that it could concern.", specStops,
			&newMessages().start().text(0, prosaic).finish(c.stop).stream,
			complete(c.stop, text(prosaic)))
		s.add("stop-"+c.name+"-open-call", "The stop reason is "+c.stop+", and a block never stopped.", "I4",
			&newMessages().start().text(0, prosaic).open(1, useA, bus).piece(1, `{"stop":"Mill`).finish(c.stop).stream,
			incomplete("calls-failed", c.stop, text(prosaic), lost("1", useA, bus, c.reason)))
		s.add("stop-"+c.name+"-open-call-parses", "The stop reason is "+c.stop+", and a block never stopped, although its document happens to parse.", "I4",
			&newMessages().start().open(0, useA, bus).piece(0, docA).finish(c.stop).stream,
			incomplete("calls-failed", c.stop, lost("0", useA, bus, c.reason)))
		s.add("stop-"+c.name+"-whole-call", "The stop reason is "+c.stop+", and the call had ended before, whole.", "I4",
			&newMessages().start().call(0, useA, bus, docA).text(1, after).finish(c.stop).stream,
			complete(c.stop, whole("0", useA, bus, docA), text(after)))
		s.add("stop-"+c.name+"-empty-call", "The stop reason is "+c.stop+", and the call ended without a byte. A cut answer is not read as {}.", "I4",
			&newMessages().start().call(0, useA, bus).finish(c.stop).stream,
			incomplete("calls-failed", c.stop, lost("0", useA, bus, c.reason)))
	}
	for _, stop := range []string{"end_turn", "stop_sequence", "a_reason_to_come"} {
		name := strings.ReplaceAll(stop, "_", "-")
		s.add("stop-"+name+"-with-call", "The stop reason is "+stop+", and there is a call. The reason is no test for calls.", specStops,
			&newMessages().start().call(0, useA, bus, docA).finish(stop).stream,
			complete(stop, whole("0", useA, bus, docA)))
	}
	s.add("stop-tool-use-without-call", "The stop reason promises a call, and there is none: it was lost.", specStops,
		&newMessages().start().text(0, prosaic).finish("tool_use").stream,
		broken("calls-promised", "tool_use", text(prosaic)))
	s.add("stop-missing", "The stream ends without a stop reason. The call that had ended is whole.", specStops,
		&newMessages().start().call(0, useA, bus, docA).end().stream,
		incomplete("no-stop-reason", "", whole("0", useA, bus, docA)))
	s.add("stop-missing-empty-call", "The stream ends without a stop reason, and the call had no byte. That it means {} would be a guess.", specStops,
		&newMessages().start().call(0, useA, bus).end().stream,
		incomplete("no-stop-reason", "", lost("0", useA, bus, "unfinished")))
	s.add("stop-null", "The stop reason is null.", specStops,
		&newMessages().start().call(0, useA, bus, docA).reason("tool_use").with(`"tool_use"`, `null`).end().stream,
		incomplete("no-stop-reason", "", whole("0", useA, bus, docA)))
	s.add("stop-twice-the-same", "Two message_delta give the same stop reason, as the document allows.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).reason("tool_use").finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("stop-twice-another", "Two message_delta give two stop reasons. Which one counts would be a guess.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).reason("tool_use").finish("max_tokens").stream,
		broken("repeated-finish", "tool_use", whole("0", useA, bus, docA)))
	s.add("stop-usage-only", "A second message_delta brings token counts and no stop reason.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).reason("tool_use").
			typed("message_delta", `"delta":{"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens":44}`).end().stream,
		complete("tool_use", whole("0", useA, bus, docA)))
}

func messagesServer(s *set) {
	search := `{"terms":"bus strike"}`
	result := `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_example_A","content":[]}`
	s.add("server-call", "The provider runs a call itself. It is followed, kept in the order, and not handed out to be run.", specMessages,
		&newMessages().start().block(0, useBlock("server_tool_use", serveA, "web_search")).piece(0, search).stop(0).
			block(1, result).stop(1).text(2, prosaic).finish("end_turn").stream,
		complete("end_turn", whole("0", serveA, "web_search", search).server(), data("web_search_tool_result"), text(prosaic)))
	s.add("server-call-beside-a-call", "The provider runs one call, and the client has to run the other.", specMessages,
		&newMessages().start().block(0, useBlock("server_tool_use", serveA, "web_search")).piece(0, search).stop(0).
			block(1, result).stop(1).call(2, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", whole("0", serveA, "web_search", search).server(), data("web_search_tool_result"), whole("2", useA, bus, docA)))
	s.add("server-call-whole-in-its-start", "The input of a call that the provider runs stands whole in its start.", specMessages,
		&newMessages().start().block(0, useBlock("server_tool_use", serveA, "web_search")).with(`"input":{}`, `"input":`+search).stop(0).
			block(1, result).stop(1).text(2, prosaic).finish("end_turn").stream,
		complete("end_turn", whole("0", serveA, "web_search", search).server(), data("web_search_tool_result"), text(prosaic)))
	s.add("server-call-paused", "The provider pauses a long turn behind its own call.", specStops,
		&newMessages().start().block(0, useBlock("server_tool_use", serveA, "web_search")).piece(0, search).stop(0).finish("pause_turn").stream,
		complete("pause_turn", whole("0", serveA, "web_search", search).server()))
	s.add("server-call-satisfies-tool-use", "The stop reason is tool_use, and the only call is the provider's: its result comes in the next response.", specStops,
		&newMessages().start().block(0, useBlock("server_tool_use", serveA, "web_search")).piece(0, search).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", serveA, "web_search", search).server()))
	s.add("mcp-call", "The provider calls an MCP server itself.", specMessages,
		&newMessages().start().block(0, useBlock("mcp_tool_use", mcpA, "route")).with(`"input":{}`, `"server_name":"city","input":{}`).piece(0, docA).stop(0).
			block(1, `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_example_A","is_error":false,"content":[]}`).stop(1).
			text(2, prosaic).finish("end_turn").stream,
		complete("end_turn", whole("0", mcpA, "route", docA).server(), data("mcp_tool_result"), text(prosaic)))
	s.add("server-result-of-an-earlier-turn", "The result of a provider's call comes first, for a call of the turn before.", specMessages,
		&newMessages().start().block(0, result).stop(0).call(1, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", data("web_search_tool_result"), whole("1", useA, bus, docA)))
}

func messagesPrograms(s *set) {
	const caller = `"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_example_A"}`
	use := func(id, input string) string {
		return `{"type":"tool_use","id":` + quote(id) + `,"name":"bus_times","input":` + input + `,` + caller + `}`
	}
	s.add("program-call-in-block-start", "A program makes the call. Its input stands whole in the start, and no delta comes.", specPrograms,
		&newMessages().start().block(0, use(useA, docA)).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("program-call-without-arguments", "A program makes the call, without arguments.", specPrograms,
		&newMessages().start().block(0, use(useA, `{}`)).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, `{}`)))
	s.add("program-call-in-message-start", "A program that goes on makes the next call: it stands in message_start, and no block follows.", specPrograms,
		&newMessages().startWith("msg_example_1", "["+use(useA, docA)+"]", `"tool_use"`).end().stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("program-calls-in-message-start", "A program that goes on makes two calls of one tool: both stand in message_start.", specPrograms,
		&newMessages().startWith("msg_example_1", "["+use(useA, docA)+","+use(useB, docB)+"]", `"tool_use"`).end().stream,
		complete("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, docB)))
	s.add("program-call-spacing", "The input is an object in the frame. Its bytes are the document, spacing and number forms included.", specPrograms,
		&newMessages().start().block(0, use(useA, `{ "line" : 4.0, "stop":"caf\u00e9" }`)).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, `{ "line" : 4.0, "stop":"caf\u00e9" }`)))
	s.add("program-call-duplicate-member", "The input that stands whole in the start has a member twice.", "I6",
		&newMessages().start().block(0, use(useA, `{"line":4,"line":7}`)).stop(0).finish("tool_use").stream,
		incomplete("calls-failed", "tool_use", wrong("0", useA, bus, "duplicate-member")))
	s.add("program-call-with-fragments", "The whole input stands in the start, and a fragment follows. Both can't be meant.", specPrograms,
		&newMessages().start().block(0, use(useA, docA)).piece(0, docB).stop(0).finish("tool_use").stream,
		broken("ambiguous-document", "", lost("0", useA, bus, "protocol-error")))
	s.add("program-call-with-empty-fragment", "The whole input stands in the start, and an empty fragment follows. It says nothing against it.", specPrograms,
		&newMessages().start().block(0, use(useA, docA)).piece(0, "").stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("program-call-truncated", "The stream ends behind the start that held the whole input. The block had no end.", "I4",
		&newMessages().start().block(0, use(useA, docA)).stream,
		cut("", lost("0", useA, bus, "truncated")))
}

func messagesErrors(s *set) {
	s.add("provider-error-inside-a-call", "The provider reports an error while a call is open. The call that had ended stays whole.", "I4",
		&newMessages().start().call(0, useA, bus, docA).open(1, useB, bus).piece(1, `{"stop":`).fault("overloaded_error", "try later").stream,
		broken("provider-error", "", whole("0", useA, bus, docA), lost("1", useB, bus, "provider-error")))
	s.add("provider-error-first", "The provider reports an error before anything else.", specMessages,
		&newMessages().fault("overloaded_error", "try later").stream,
		broken("provider-error", ""))
	s.add("provider-error-open-call-parses", "The provider reports an error, and the open document happens to parse.", "I4",
		&newMessages().start().open(0, useA, bus).piece(0, docA).fault("api_error", "internal").stream,
		broken("provider-error", "", lost("0", useA, bus, "provider-error")))
	s.add("provider-error-without-details", "The provider's error says nothing of itself.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).typed("error", "").stream,
		broken("provider-error", "", whole("0", useA, bus, docA)))
	s.add("provider-error-details-null", "The provider's error has null in the place of its details.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).typed("error", `"error":null`).stream,
		broken("provider-error", "", whole("0", useA, bus, docA)))
	s.add("provider-error-more-details", "The provider's error has members that nobody knows.", specMessages,
		&newMessages().start().typed("error", `"error":{"type":"rate_limit_error","message":"slower","details":{"a":[1]}},"request_id":"req_example"`).stream,
		broken("provider-error", ""))
	s.add("restarted", "A proxy that retries has spliced a second answer into the first.", specMessages,
		&newMessages().start().open(0, useA, bus).piece(0, `{"stop":`).startWith("msg_example_2", "[]", "null").call(0, useB, bus, docB).finish("tool_use").stream,
		broken("restarted", "", lost("0", useA, bus, "protocol-error")))
	s.add("restarted-behind-a-whole-call", "A second answer begins behind a call that had ended. That one stays whole.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).startWith("msg_example_2", "[]", "null").call(0, useB, bus, docB).finish("tool_use").stream,
		broken("restarted", "", whole("0", useA, bus, docA)))
	s.add("start-repeated", "The same message_start comes twice in a row. Only a dialect may take it for one.", specMessages,
		&newMessages().start().start().call(0, useA, bus, docA).finish("tool_use").stream,
		broken("restarted", ""))
}

func messagesTruncated(s *set) {
	sound := func() *messages { return newMessages().start().text(0, prosaic) }
	s.add("truncated-after-a-fragment", "The stream ends behind a fragment.", "I4",
		&sound().open(1, useA, bus).piece(1, `{"stop":"Mill`).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-open-call-parses", "The stream ends behind a fragment with which the document happens to parse. Nothing authorises it.", "I4",
		&sound().open(1, useA, bus).piece(1, docA).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-after-the-announcement", "The stream ends behind the announcement. No byte came, and that does not mean {}.", "I4",
		&sound().open(1, useA, bus).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-after-an-empty-call", "The stream ends behind the end of a call without a byte, before any stop reason.", "I4",
		&sound().call(1, useA, bus).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-after-a-block", "The stream ends behind the end of a call. That call is whole, and the turn is not.", "I4",
		&sound().call(1, useA, bus, docA).stream,
		cut("", text(prosaic), whole("1", useA, bus, docA)))
	s.add("truncated-before-the-second-call-ends", "The stream ends inside the second call. The first is whole.", "I4",
		&newMessages().start().call(0, useA, bus, docA).open(1, useB, bus).piece(1, docB).stream,
		cut("", whole("0", useA, bus, docA), lost("1", useB, bus, "truncated")))
	s.add("truncated-after-the-stop-reason", "The stream ends behind the stop reason, without its own end.", specMessages,
		&sound().call(1, useA, bus, docA).reason("tool_use").stream,
		cut("tool_use", text(prosaic), whole("1", useA, bus, docA)))
	s.add("truncated-inside-a-frame", "The stream ends inside the frame of a fragment.", "I4",
		&sound().open(1, useA, bus).piece(1, `{"stop":`).piece(1, `"Mill Lane"}`).bytesCut(12).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-inside-the-end-of-a-block", "The stream ends inside the frame that would have ended the call.", "I4",
		&sound().call(1, useA, bus, docA).bytesCut(8).stream,
		cut("", text(prosaic), lost("1", useA, bus, "truncated")))
	s.add("truncated-before-the-blank-line", "The last frame lacks nothing but its blank line. The standard discards it.", specSSE,
		&sound().call(1, useA, bus, docA).finish("tool_use").bytesCut(1).stream,
		cut("tool_use", text(prosaic), whole("1", useA, bus, docA)))
	s.add("truncated-before-any-line-end", "The last frame lacks its line end and its blank line.", specSSE,
		&sound().call(1, useA, bus, docA).finish("tool_use").bytesCut(2).stream,
		cut("tool_use", text(prosaic), whole("1", useA, bus, docA)))
	s.add("truncated-after-the-start", "The stream ends behind its beginning.", specMessages,
		&newMessages().start().stream, cut(""))
	s.add("truncated-empty", "The stream has no byte.", specMessages, &newMessages().stream, cut(""))
	s.add("truncated-comments-only", "The stream has comments and no frame.", specSSE,
		&newMessages().behind(": waiting\n\n: waiting\n\n").stream, cut(""))
	s.add("no-stream-html", "The body is an HTML page.", specSSE,
		&newMessages().behind("<!DOCTYPE html>\n<html>\n<body>502 Bad Gateway</body>\n</html>\n").stream,
		broken("not-a-stream", ""))
	s.add("no-stream-json", "The body is a JSON error and no stream.", specSSE,
		&newMessages().behind(`{"type":"error","error":{"type":"authentication_error","message":"no key"}}`).stream,
		broken("not-a-stream", ""))
}

func messagesFrames(s *set) {
	a := fragments(docA)
	bad := func(name, about, spec string, in *messages) {
		s.add(name, about, spec, &in.stop(0).finish("tool_use").stream,
			broken("malformed-frame", "", lost("0", useA, bus, "protocol-error")))
	}
	begun := func() *messages { return newMessages().start().open(0, useA, bus).piece(0, a[0]) }
	fragment := func(payload string) *messages {
		m := begun()
		m.event("content_block_delta", payload)
		return m
	}
	bad("frame-json-cut", "The JSON of a frame ends in the middle.", specJSON,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"Mill`))
	bad("frame-json-trailing", "Something stands behind the JSON of a frame.", specJSON,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}}`))
	bad("frame-is-an-array", "The JSON of a frame is an array.", specMessages,
		fragment(`[{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}]`))
	bad("frame-is-text", "The data of a frame is no JSON.", specMessages, fragment(`upstream went away`))
	bad("frame-invalid-utf8", "A fragment holds a byte that is not UTF-8. A replacement character would be silent damage.", specJSON,
		fragment("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"caf\xe9\"}}"))
	bad("frame-raw-line-end-in-string", "A tab stands raw inside a string of a frame.", specJSON,
		fragment("{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"a\tb\"}}"))
	bad("frame-duplicate-index", "A frame has its index twice. Whose fragment it is would be a guess.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"index":1,"delta":{"type":"input_json_delta","partial_json":""}}`))
	bad("frame-duplicate-fragment", "A frame has its fragment twice.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"a","partial_json":"b"}}`))
	bad("frame-duplicate-delta", "A frame has its delta twice.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"a"},"delta":{"type":"input_json_delta","partial_json":"b"}}`))
	bad("frame-duplicate-type-escaped", "A frame has its type twice, once spelled with an escape.", specMessages,
		fragment(`{"type":"content_block_delta","t\u0079pe":"ping","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`))
	bad("frame-fragment-missing", "A frame announces a fragment and has none.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta"}}`))
	bad("frame-fragment-null", "The fragment of a frame is null.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":null}}`))
	bad("frame-fragment-is-an-object", "The fragment of a frame is an object.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":{"stop":"Mill Lane"}}}`))
	bad("frame-index-is-text", "The index of a frame is a string.", specMessages,
		fragment(`{"type":"content_block_delta","index":"0","delta":{"type":"input_json_delta","partial_json":""}}`))
	bad("frame-index-is-a-fraction", "The index of a frame is no whole number.", specMessages,
		fragment(`{"type":"content_block_delta","index":0.5,"delta":{"type":"input_json_delta","partial_json":""}}`))
	bad("frame-type-missing", "A frame has no type.", specMessages,
		fragment(`{"index":0,"delta":{"type":"input_json_delta","partial_json":""}}`))
	bad("frame-delta-missing", "A frame that must have a delta has none.", specMessages,
		fragment(`{"type":"content_block_delta","index":0}`))
	bad("frame-delta-without-type", "A delta has no type.", specMessages,
		fragment(`{"type":"content_block_delta","index":0,"delta":{"partial_json":""}}`))
	named := begun()
	named.event("ping", `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`)
	bad("event-name-is-not-the-type", "The event is named ping, and its data says content_block_delta. Which of the two is read would decide about a fragment.", specMessages, named)
	s.add("index-missing", "A fragment has no index. Absent is not 0.", specMessages,
		&fragment(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":""}}`).stop(0).finish("tool_use").stream,
		broken("missing-index", "", lost("0", useA, bus, "protocol-error")))
	s.add("index-null", "The index of a fragment is null. Null is not 0.", specMessages,
		&fragment(`{"type":"content_block_delta","index":null,"delta":{"type":"input_json_delta","partial_json":""}}`).stop(0).finish("tool_use").stream,
		broken("missing-index", "", lost("0", useA, bus, "protocol-error")))
	s.add("unknown-delta-on-a-call", "A call gets a delta of an unknown type. A piece of its arguments could be in it.", specMessages,
		&begun().delta(0, `{"type":"input_patch_delta","patch":"Mill Lane"}`).stop(0).finish("tool_use").stream,
		broken("unknown-delta", "", lost("0", useA, bus, "protocol-error")))
	s.add("unknown-delta-on-text", "A block of text gets a delta of an unknown type, and it is passed over.", specMessages,
		&newMessages().start().openText(0).say(0, prosaic).delta(0, `{"type":"emphasis_delta","from":0}`).stop(0).finish("end_turn").stream,
		complete("end_turn", text(prosaic)))
	s.add("unknown-event", "An event is of an unknown type, and it is passed over.", specMessages,
		&begun().typed("message_weather", `"index":0,"delta":{"type":"input_json_delta","partial_json":"rain"}`).piece(0, a[1]).piece(0, a[2]).stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("unknown-block", "A block is of an unknown type. It is kept as it stands.", specMessages,
		&newMessages().start().block(0, `{"type":"hologram","url":"example"}`).stop(0).call(1, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", data("hologram"), whole("1", useA, bus, docA)))
	s.add("unknown-members", "Frames have members that nobody knows, and their own in another order.", specMessages,
		&newMessages().start().
			typed("content_block_start", `"padding":[{"type":"tool_use","index":9}],"content_block":{"input":{},"note":null,"name":"bus_times","id":"toolu_example_A","type":"tool_use"},"index":0`).
			typed("content_block_delta", `"delta":{"partial_json":"{\"stop\":\"Mill Lane\"}","type":"input_json_delta","p":"abc"},"index":0`).
			stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	padded := newMessages().start().open(0, useA, bus)
	padded.event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"stop\":\"Mill Lane\"}"}           }`)
	s.add("frame-padding", "Blanks stand before the last brace of a frame.", specMessages,
		&padded.stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
	s.add("names-escaped", "The members and values of the frames are spelled with escapes. They mean the same.", specJSON,
		&newMessages().start().
			typed("content_block_start", `"ind\u0065x":0,"content_block":{"type":"tool\u005fuse","\u0069d":"toolu_example\u005fA","name":"bus\u005ftimes","input":{}}`).
			typed("content_block_delta", `"index":0,"delta":{"type":"input_json\u005fdelta","partial\u005fjson":"\u007b\"stop\":\"Mill\u0020Lane\"}"}`).
			stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)))
}

func messagesTransport(s *set) {
	want := complete("tool_use", text(prosaic), whole("1", useA, bus, docA), whole("2", useB, bus, docB))
	sound := func(m *messages) *stream {
		return &m.start().text(0, prosaic).call(1, useA, bus, fragments(docA)...).call(2, useB, bus, fragments(docB)...).finish("tool_use").stream
	}
	transport(s, "", func() *stream { return sound(newMessages()) }, want)
	lines := newMessages()
	lines.framing = "ndjson"
	s.add("payload-per-line", "A capture with one payload a line, without the framing of the wire.", specNDJSON, sound(lines), want)
	bare := newMessages()
	bare.named = false
	s.add("no-event-lines", "The events have no name. Their type says what they are.", specMessages, sound(bare), want)
}

// transport adds vectors whose bytes mean the same, and look different on the wire.
func transport(s *set, prefix string, in func() *stream, want expectation) {
	rewrite := func(name, about string, f func(string) string) {
		st := in()
		out := &stream{}
		out.raw(f(string(st.bytes())))
		s.add(prefix+name, about, specSSE, out, want)
	}
	all := func(old, new string) func(string) string {
		return func(b string) string { return strings.ReplaceAll(b, old, new) }
	}
	rewrite("line-ends-crlf", "The lines end in CR LF.", all("\n", "\r\n"))
	rewrite("line-ends-cr", "The lines end in CR.", all("\n", "\r"))
	rewrite("no-space-behind-colon", "No space stands behind the colons of the fields.", func(b string) string {
		return strings.NewReplacer("data: ", "data:", "event: ", "event:").Replace(b)
	})
	rewrite("comments-between", "Comments stand between the frames, and between the lines of a frame.", func(b string) string {
		return ": hello\n\n" + strings.ReplaceAll(b, "data: ", ": still here\ndata: ")
	})
	rewrite("byte-order-mark", "The stream begins with a byte order mark.", func(b string) string { return "\ufeff" + b })
	rewrite("several-data-lines", "The payloads are spread over several data lines, between their tokens.", func(b string) string {
		return strings.NewReplacer("data: {\"", "data: {\ndata: \"", "}\n\n", "\ndata: }\n\n").Replace(b)
	})
	rewrite("ids-and-retry", "The frames have ids and a retry time.", func(b string) string {
		return "retry: 3000\n" + strings.ReplaceAll(b, "data: ", "id: 7\ndata: ")
	})
	rewrite("other-fields", "The frames have fields that the standard does not know.", all("data: ", "channel: one\ndata: "))
	rewrite("blank-lines", "More than one blank line stands between the frames.", all("\n\n", "\n\n\n\n"))
}

func messagesDialects(s *set) {
	withInput := func() *messages {
		return newMessages().start().open(0, useA, bus).with(`"input":{}`, `"input":`+docA)
	}
	s.add("input-in-block-start-refused", "The whole input of a call of the model's own stands in its start, and no dialect allows that.", specMessages,
		&withInput().stop(0).finish("tool_use").stream,
		broken("deviation-refused", "", lost("0", useA, bus, "protocol-error")))
	s.allow("input-in-block-start", "The whole input stands in the start, and the dialect allows it.", specDialect,
		&withInput().stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)), "input-in-block-start")
	s.allow("input-in-block-start-empty-fragment", "The whole input stands in the start, and an empty fragment says nothing against it.", specDialect,
		&withInput().piece(0, "").stop(0).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)), "input-in-block-start")
	s.allow("input-in-block-start-cut", "The whole input stands in the start, and the block never stops.", specDialect,
		&withInput().finish("max_tokens").stream,
		incomplete("calls-failed", "max_tokens", lost("0", useA, bus, "token-limit")), "input-in-block-start")
	s.add("no-message-stop-refused", "The stream ends behind the stop reason, and no dialect allows that.", specMessages,
		&newMessages().start().call(0, useA, bus, docA).call(1, useB, bus).reason("tool_use").stream,
		cut("tool_use", whole("0", useA, bus, docA), whole("1", useB, bus, `{}`)))
	s.allow("no-message-stop", "The stream ends behind the stop reason, and the dialect allows it.", specDialect,
		&newMessages().start().call(0, useA, bus, docA).reason("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)), "no-message-stop")
	s.allow("no-message-stop-open-block", "The stream ends behind the stop reason, and a block is open. The dialect does not reach so far.", specDialect,
		&newMessages().start().open(0, useA, bus).piece(0, docA).reason("tool_use").stream,
		cut("tool_use", lost("0", useA, bus, "truncated")), "no-message-stop")
	s.allow("no-message-stop-no-reason", "The stream ends without a stop reason. The dialect does not reach so far.", specDialect,
		&newMessages().start().call(0, useA, bus, docA).stream,
		cut("", whole("0", useA, bus, docA)), "no-message-stop")
	s.allow("repeated-start", "The same message_start comes twice in a row, and the dialect allows it.", specDialect,
		&newMessages().start().start().call(0, useA, bus, docA).finish("tool_use").stream,
		complete("tool_use", whole("0", useA, bus, docA)), "repeated-start")
	s.allow("repeated-start-another-id", "Another message_start comes. The dialect does not reach so far.", specDialect,
		&newMessages().start().startWith("msg_example_2", "[]", "null").call(0, useA, bus, docA).finish("tool_use").stream,
		broken("restarted", ""), "repeated-start")
	s.allow("repeated-start-behind-a-block", "The same message_start comes behind a block. The dialect does not reach so far.", specDialect,
		&newMessages().start().call(0, useA, bus, docA).start().call(0, useA, bus, docA).finish("tool_use").stream,
		broken("restarted", "", whole("0", useA, bus, docA)), "repeated-start")
	s.allow("unterminated-event", "The last frame lacks nothing but its blank line, and the dialect allows it.", specDialect,
		&newMessages().start().call(0, useA, bus, docA).finish("tool_use").bytesCut(1).stream,
		complete("tool_use", whole("0", useA, bus, docA)), "unterminated-event")
	s.allow("unterminated-event-cut-json", "The last frame is cut inside its JSON. The dialect does not reach so far.", specDialect,
		&newMessages().start().call(0, useA, bus, docA).finish("tool_use").bytesCut(3).stream,
		cut("tool_use", whole("0", useA, bus, docA)), "unterminated-event")
}
