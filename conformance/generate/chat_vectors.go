package main

// chatVectors returns the vectors of Chat Completions.
func chatVectors() *set {
	s := &set{provider: "openai-chat"}
	chatStories(s)
	chatChoices(s)
	chatOtherCalls(s)
	chatInvariants(s)
	chatDocuments(s)
	chatFinishes(s)
	chatNoise(s)
	chatErrors(s)
	chatTruncated(s)
	chatFrames(s)
	chatTransport(s)
	chatIdentity(s)
	chatBeyond(s)
	return s
}

func chatStories(s *set) {
	a, b := fragments(docA), fragments(docB)
	s.add("one-call", "One call, its arguments in three fragments.", specChat,
		&newChat().start().call(0, callA, bus, a...).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("text-then-call", "Text, then a call.", specChat,
		&newChat().start().say("I will ").say("look that up.").call(0, callA, bus, a...).finish("tool_calls").stream,
		complete("tool_calls", text(prosaic), whole("0", callA, bus, docA)))
	s.add("text-only", "Text and no call.", specChat,
		&newChat().start().say(prosaic).finish("stop").stream,
		complete("stop", text(prosaic)))
	s.add("text-between-fragments", "Text stands between the fragments of a call. The call goes on behind it.", "I9",
		&newChat().start().open(0, callA, bus).piece(0, a[0]).say(prosaic).piece(0, a[1]).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), text(prosaic)))
	s.add("text-call-text-call", "Text and calls alternate. Each run of text is a part.", "I9",
		&newChat().start().say(prosaic).call(0, callA, bus, docA).say(after).call(1, callB, bus, docB).finish("tool_calls").stream,
		complete("tool_calls", text(prosaic), whole("0", callA, bus, docA), text(after), whole("1", callB, bus, docB)))
	s.add("two-calls-of-one-tool", "Two calls of one tool, one after the other. Keyed by the tool's name they would become one.", specChat,
		&newChat().start().call(0, callA, bus, a...).call(1, callB, bus, b...).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("two-calls-with-the-same-arguments", "Two calls of one tool with the same arguments. They are two calls all the same.", "I8",
		&newChat().start().call(0, callA, bus, docA).call(1, callB, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docA)))
	s.add("two-calls-of-two-tools", "Two calls of two tools.", specChat,
		&newChat().start().call(0, callA, bus, a...).call(1, callB, paint, fragments(docC)...).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, paint, docC)))
	s.add("interleaved-calls", "The fragments of two calls of one tool alternate. A later index is not an end of the earlier one.", specChat,
		&newChat().start().open(0, callA, bus).open(1, callB, bus).piece(0, a[0]).piece(1, b[0]).piece(0, a[1]).piece(1, b[1]).piece(1, b[2]).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("back-to-the-first-call", "The first call goes on behind the whole of the second.", specChat,
		&newChat().start().open(0, callA, bus).piece(0, a[0]).call(1, callB, bus, docB).piece(0, a[1]).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("several-entries-in-one-chunk", "One chunk announces two calls, and each later one has a fragment of both.", specChat,
		&newChat().start().calls(opens(0, callA, bus, ""), opens(1, callB, bus, "")).calls(adds(0, a[0]), adds(1, b[0])).
			calls(adds(1, b[1]), adds(0, a[1])).calls(adds(0, a[2]), adds(1, b[2])).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("one-index-twice-in-one-chunk", "Two entries of one chunk have the same index: the announcement and a fragment, in their order.", specChat,
		&newChat().start().calls(opens(0, callA, bus, a[0]), adds(0, a[1]+a[2])).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("two-fragments-in-one-chunk", "One chunk has two fragments of one call. They are appended in their order.", specChat,
		&newChat().start().open(0, callA, bus).calls(adds(0, a[0]), adds(0, a[1])).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("arguments-begin-in-the-announcement", "The first fragment stands in the announcement.", specChat,
		&newChat().start().calls(opens(0, callA, bus, a[0])).piece(0, a[1]).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("whole-calls-in-one-chunk", "Two whole calls stand in one chunk.", specChat,
		&newChat().start().calls(opens(0, callA, bus, docA), opens(1, callB, bus, docB)).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("whole-call-in-the-finish-chunk", "The whole call stands in the chunk with the finish reason. It is read before the finish.", specChat,
		&newChat().start().chunk(choiceOf(0, entriesOf(opens(0, callA, bus, docA)), "tool_calls"), "").done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("last-fragment-in-the-finish-chunk", "The last fragment stands in the chunk with the finish reason.", specChat,
		&newChat().start().call(0, callA, bus, a[0], a[1]).chunk(choiceOf(0, entriesOf(adds(0, a[2])), "tool_calls"), "").done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("whole-turn-in-one-chunk", "Role, text, call and finish reason stand in one chunk.", specChat,
		&newChat().chunk(choiceOf(0, `{"role":"assistant","content":`+quote(prosaic)+`,"tool_calls":[`+opens(0, callA, bus, docA)+`]}`, "tool_calls"), "").done().stream,
		complete("tool_calls", text(prosaic), whole("0", callA, bus, docA)))
	s.add("announcement-without-arguments", "The announcement has no arguments member, and the fragments follow.", specChat,
		&newChat().start().calls(`{"index":0,"id":"call_example_A","type":"function","function":{"name":"bus_times"}}`).piece(0, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("entry-without-function", "A later entry has an index and nothing else. It says nothing.", specChat,
		&newChat().start().open(0, callA, bus).piece(0, a[0]).calls(`{"index":0}`).piece(0, a[1]).piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("identity-null-on-fragments", "Later entries have an id, a type and a name that are null. Null says nothing.", specChat,
		&newChat().start().open(0, callA, bus).calls(`{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":`+quote(docA)+`}}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("type-repeated-on-fragments", "Later entries repeat the type, which is no part of a call's identity.", specChat,
		&newChat().start().open(0, callA, bus).calls(`{"index":0,"type":"function","function":{"arguments":`+quote(docA)+`}}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("index-with-gap", "The indexes don't begin at 0 and leave some out. They are compared and not counted with.", specChat,
		&newChat().start().call(1, callA, bus, docA).call(4, callB, bus, docB).finish("tool_calls").stream,
		complete("tool_calls", whole("1", callA, bus, docA), whole("4", callB, bus, docB)))
	s.add("index-descending", "The second call has a lower index than the first. The order is that in which they began.", "I9",
		&newChat().start().call(3, callA, bus, docA).call(0, callB, bus, docB).finish("tool_calls").stream,
		complete("tool_calls", whole("3", callA, bus, docA), whole("0", callB, bus, docB)))
	s.add("empty-fragments", "Empty fragments stand between the others, and say nothing.", specChat,
		&newChat().start().open(0, callA, bus).piece(0, "").piece(0, a[0]).piece(0, "").piece(0, a[1]).piece(0, a[2]).piece(0, "").finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("zero-arguments", "A call without arguments: the model wrote {}.", specChat,
		&newChat().start().call(0, callA, bus, `{}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, `{}`)))
	s.add("conversation-one", "One of two streams that are alike in all but their values: same indexes, same tool. Read both at once, a byte of each in turn.", "I7",
		&newChat().start().call(0, callA, bus, a...).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("conversation-two", "The other of two streams that are alike in all but their values.", "I7",
		&newChat().start().call(0, callB, bus, b...).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callB, bus, docB)))
}

func chatChoices(s *set) {
	a, b := fragments(docA), fragments(docB)
	s.add("two-choices-one-id", "Two choices alternate, and both use the same index, the same tool and the same id. An id is unique in its choice.", "I3",
		&newChat().of(0, entriesOf(opens(0, callA, bus, ""))).of(1, entriesOf(opens(0, callA, bus, ""))).
			of(0, entriesOf(adds(0, a[0]))).of(1, entriesOf(adds(0, b[0]))).of(1, entriesOf(adds(0, b[1]))).of(0, entriesOf(adds(0, a[1]))).
			of(0, entriesOf(adds(0, a[2]))).of(1, entriesOf(adds(0, b[2]))).stopOf(0, "tool_calls").stopOf(1, "tool_calls").done().stream,
		complete("tool_calls", whole("0.0", callA, bus, docA), whole("1.0", callA, bus, docB)))
	s.add("two-choices-in-one-chunk", "Each chunk has a piece of both choices.", specChat,
		&newChat().chunk(choiceOf(0, entriesOf(opens(0, callA, bus, docA)), "null")+","+choiceOf(1, entriesOf(opens(0, callB, bus, docB)), "null"), "").
			chunk(choiceOf(1, `{}`, "tool_calls")+","+choiceOf(0, `{}`, "tool_calls"), "").done().stream,
		complete("tool_calls", whole("0.0", callA, bus, docA), whole("1.0", callB, bus, docB)))
	s.add("two-choices-text-and-call", "One choice answers in text, the other with a call.", specChat,
		&newChat().of(0, `{"content":`+quote(prosaic)+`}`).of(1, entriesOf(opens(0, callA, bus, docA))).stopOf(0, "stop").stopOf(1, "tool_calls").done().stream,
		complete("stop", text(prosaic), whole("1.0", callA, bus, docA)))
	s.add("two-choices-one-at-its-limit", "One choice reaches the token limit inside its call, the other completes.", "I4",
		&newChat().of(0, entriesOf(opens(0, callA, bus, docA))).of(1, entriesOf(opens(0, callB, bus, b[0]))).stopOf(0, "tool_calls").stopOf(1, "length").done().stream,
		incomplete("calls-failed", "tool_calls", whole("0.0", callA, bus, docA), lost("1.0", callB, bus, "token-limit")))
	s.add("two-choices-one-never-finishes", "One choice finishes, the other does not. [DONE] does not finish it.", "I4",
		&newChat().of(0, entriesOf(opens(0, callA, bus, docA))).of(1, entriesOf(opens(0, callB, bus, docB))).stopOf(0, "tool_calls").done().stream,
		cut("tool_calls", whole("0.0", callA, bus, docA), lost("1.0", callB, bus, "truncated")))
	s.add("finish-ends-its-own-choice-only", "The finish of one choice is no end for the other, whose call goes on behind it.", specChat,
		&newChat().of(0, entriesOf(opens(0, callA, bus, docA))).of(1, entriesOf(opens(0, callB, bus, b[0]))).stopOf(0, "tool_calls").
			of(1, entriesOf(adds(0, b[1]))).of(1, entriesOf(adds(0, b[2]))).stopOf(1, "tool_calls").done().stream,
		complete("tool_calls", whole("0.0", callA, bus, docA), whole("1.0", callB, bus, docB)))
}

func chatOtherCalls(s *set) {
	s.add("legacy-function-call", "The function_call of the time before tools. It has no id: its name is what the result is returned against, and stands in its place.", specChat,
		&newChat().start().delta(`{"function_call":{"name":"bus_times","arguments":""}}`).
			delta(`{"function_call":{"arguments":"{\"stop\":"}}`).delta(`{"function_call":{"arguments":"\"Mill Lane\"}"}}`).finish("function_call").stream,
		complete("function_call", whole("0", bus, bus, docA)))
	s.add("legacy-function-call-at-the-token-limit", "The function_call of the time before tools is cut.", "I4",
		&newChat().start().delta(`{"function_call":{"name":"bus_times","arguments":"{\"stop\":"}}`).finish("length").stream,
		incomplete("calls-failed", "length", lost("0", bus, bus, "token-limit")))
	const patch = "*** Begin\n{\"not\": json\n*** End\n"
	s.add("custom-tool", "A custom tool carries free text, which is never parsed.", specChat,
		&newChat().start().calls(`{"index":0,"id":"call_example_A","type":"custom","custom":{"name":"edit_file","input":""}}`).
			calls(`{"index":0,"custom":{"input":"*** Begin\n{\"not\": "}}`).calls(`{"index":0,"custom":{"input":"json\n*** End\n"}}`).finish("tool_calls").stream,
		complete("tool_calls", freeText("0", callA, "edit_file", patch)))
	s.add("custom-tool-empty", "A custom tool gets an empty text, which is a text.", specChat,
		&newChat().start().calls(`{"index":0,"id":"call_example_A","type":"custom","custom":{"name":"edit_file","input":""}}`).finish("tool_calls").stream,
		complete("tool_calls", freeText("0", callA, "edit_file", "")))
	s.add("custom-empty-beside-function", "A function's entry has an empty custom object beside it, which says nothing.", specChat,
		&newChat().start().calls(`{"index":0,"id":"call_example_A","type":"function","function":{"name":"bus_times","arguments":`+quote(docA)+`},"custom":{}}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("custom-tool-beside-a-function", "A custom tool and a function are called in one turn.", specChat,
		&newChat().start().call(0, callA, bus, docA).calls(`{"index":1,"id":"call_example_B","type":"custom","custom":{"name":"edit_file","input":"{ab"}}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA), freeText("1", callB, "edit_file", "{ab")))
	s.add("refusal", "The model refuses, in a member of its own.", specChat,
		&newChat().start().delta(`{"refusal":"I can't "}`).delta(`{"refusal":"do that."}`).finish("stop").stream,
		complete("stop", prose("refusal", "I can't do that.")))
	s.add("refusal-behind-a-call", "The model calls, and refuses behind it.", "I9",
		&newChat().start().call(0, callA, bus, docA).delta(`{"refusal":"No more."}`).finish("stop").stream,
		complete("stop", whole("0", callA, bus, docA), prose("refusal", "No more.")))
}

func chatInvariants(s *set) {
	a, b := fragments(docA), fragments(docB)
	s.add("announced-twice", "Another call is announced at an index that has one. Whether the old call was finished can't be known.", "I1",
		&newChat().start().call(0, callA, bus, docA).call(0, callB, bus, docB).finish("tool_calls").stream,
		broken("duplicate-announcement", "", lost("0", callA, bus, "protocol-error")))
	replay := newChat().start().say(prosaic).call(0, callA, bus, docA)
	replay.again(2)
	s.add("replayed-call", "A reconnect sends a whole call again. It is an error and not a second call.", "I1",
		&replay.finish("tool_calls").stream,
		broken("duplicate-announcement", "", text(prosaic), lost("0", callA, bus, "protocol-error")))
	s.add("announced-again-behind-the-finish", "An index is announced again behind the finish of its choice. The first call was whole, and stays so.", "I1",
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").call(0, callB, bus, docB).done().stream,
		broken("duplicate-announcement", "tool_calls", whole("0", callA, bus, docA)))
	s.add("announcement-missing", "The announcement was lost. The fragments have no owner.", "I2",
		&newChat().start().say(prosaic).piece(0, docA).finish("tool_calls").stream,
		broken("unannounced", "", text(prosaic)))
	s.add("announcement-missing-beside-a-call", "The announcement of the second call was lost. Its fragments don't belong to the first.", "I2",
		&newChat().start().open(0, callA, bus).piece(0, a[0]).piece(1, b[0]).finish("tool_calls").stream,
		broken("unannounced", "", lost("0", callA, bus, "protocol-error")))
	s.add("late-fragment", "A fragment comes behind the finish of its choice.", "I2",
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").piece(0, docA).done().stream,
		broken("late", "tool_calls", whole("0", callA, bus, docA)))
	s.add("late-announcement", "A call is announced behind the finish of its choice.", "I2",
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").call(1, callB, bus, docB).done().stream,
		broken("late", "tool_calls", whole("0", callA, bus, docA)))
	s.add("announced-behind-the-end", "A call is announced behind the end of the stream.", "I4",
		&newChat().start().call(0, callA, bus, docA).finish("tool_calls").call(1, callB, bus, docB).stream,
		broken("late", "tool_calls", whole("0", callA, bus, docA)))
	s.add("id-used-twice", "Two calls of one choice have one id, so that a result could not be told which it is for.", "I3",
		&newChat().start().call(0, callA, bus, docA).call(1, callA, bus, docB).finish("tool_calls").stream,
		broken("duplicate-id", "", lost("0", callA, bus, "protocol-error")))
	s.add("each-fate-once", "Of three calls one completes, one has bad arguments, and one is cut: all three are accounted for.", "I5",
		&newChat().start().call(0, callA, bus, docA).call(1, callB, bus, `{"stop":}`).call(2, callC, paint, `{"hue":`).finish("length").stream,
		incomplete("calls-failed", "length", whole("0", callA, bus, docA), lost("1", callB, bus, "token-limit"), lost("2", callC, paint, "token-limit")))
	s.add("siblings-go-on", "The arguments of the first call are bad. The second call is not touched by that.", "I6",
		&newChat().start().call(0, callA, bus, docA+docB).call(1, callB, bus, docB).finish("tool_calls").stream,
		incomplete("calls-failed", "tool_calls", wrong("0", callA, bus, "trailing-data"), whole("1", callB, bus, docB)))
	s.add("second-done", "The stream says [DONE] twice. The call is handed out once.", "I8",
		&newChat().start().call(0, callA, bus, docA).finish("tool_calls").done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
}

func chatDocuments(s *set) {
	s.add("arguments-empty", "The call ended without a byte of arguments. OpenAI documents that the model writes a document, so that this one was lost.", "I6",
		&newChat().start().call(0, callA, bus).finish("tool_calls").stream,
		incomplete("calls-failed", "tool_calls", wrong("0", callA, bus, "empty-document")))
	for _, d := range documents() {
		want := complete("tool_calls", whole("0", callA, bus, d.text))
		if d.kind != "" {
			want = incomplete("calls-failed", "tool_calls", wrong("0", callA, bus, d.kind))
		}
		s.add("arguments-"+d.name, d.about, "I6", &newChat().start().call(0, callA, bus, fragments(d.text)...).finish("tool_calls").stream, want)
	}
	for _, d := range splits() {
		s.add("arguments-"+d.name, d.about, "I6", &chatInner(d).finish("tool_calls").stream,
			complete("tool_calls", whole("0", callA, bus, d.text)))
	}
	for _, d := range lone() {
		s.add("arguments-"+d.name, d.about, "I6", &chatInner(d).finish("tool_calls").stream,
			incomplete("calls-failed", "tool_calls", wrong("0", callA, bus, "lone-surrogate")))
	}
}

func chatInner(d split) *chat {
	c := newChat().start().open(0, callA, bus)
	for _, p := range d.inner {
		c.calls(`{"index":0,"function":{"arguments":"` + p + `"}}`)
	}
	return c
}

func chatFinishes(s *set) {
	for _, c := range []struct{ finish, name, reason string }{
		{"length", "length", "token-limit"},
		{"content_filter", "content-filter", "content-filter"},
	} {
		s.add("finish-"+c.name+"-cut-call", "The finish reason is "+c.finish+", and the document ends in the middle.", "I4",
			&newChat().start().call(0, callA, bus, docA).call(1, callB, bus, `{"stop":"Old`).finish(c.finish).stream,
			incomplete("calls-failed", c.finish, whole("0", callA, bus, docA), lost("1", callB, bus, c.reason)))
		s.add("finish-"+c.name+"-whole-call", "The finish reason is "+c.finish+", and the document is whole: any finish ends the calls of its choice.", specChat,
			&newChat().start().call(0, callA, bus, docA).finish(c.finish).stream,
			complete(c.finish, whole("0", callA, bus, docA)))
		s.add("finish-"+c.name+"-empty-call", "The finish reason is "+c.finish+", and the call has no byte.", "I4",
			&newChat().start().call(0, callA, bus).finish(c.finish).stream,
			incomplete("calls-failed", c.finish, lost("0", callA, bus, c.reason)))
		s.add("finish-"+c.name+"-text-only", "The finish reason is "+c.finish+", and there is no call that it could concern.", specChat,
			&newChat().start().say(prosaic).finish(c.finish).stream,
			complete(c.finish, text(prosaic)))
	}
	s.add("finish-stop-with-call", "The finish reason is stop, and there is a call, as with a forced tool. The reason is no test for calls.", specChat,
		&newChat().start().call(0, callA, bus, docA).finish("stop").stream,
		complete("stop", whole("0", callA, bus, docA)))
	s.add("finish-function-call-with-call", "The finish reason is function_call, and there is a call in tool_calls.", specChat,
		&newChat().start().call(0, callA, bus, docA).finish("function_call").stream,
		complete("function_call", whole("0", callA, bus, docA)))
	s.add("finish-unknown-with-call", "The finish reason is one that nobody knows. It ends the calls of its choice like any other.", specChat,
		&newChat().start().call(0, callA, bus, docA).finish("a_reason_to_come").stream,
		complete("a_reason_to_come", whole("0", callA, bus, docA)))
	s.add("finish-tool-calls-cut-call", "The finish reason says that all is well, and the document ends in the middle.", "I6",
		&newChat().start().call(0, callA, bus, `{"stop":"Mill`).finish("tool_calls").stream,
		incomplete("calls-failed", "tool_calls", wrong("0", callA, bus, "incomplete-json")))
	s.add("finish-tool-calls-without-call", "The finish reason promises a call, and there is none: it was lost.", specChat,
		&newChat().start().say(prosaic).finish("tool_calls").stream,
		broken("calls-promised", "tool_calls", text(prosaic)))
	s.add("finish-function-call-without-call", "The finish reason promises a function call, and there is none: it was lost.", specChat,
		&newChat().start().say(prosaic).finish("function_call").stream,
		broken("calls-promised", "function_call", text(prosaic)))
	s.add("finish-error", "The finish reason is error.", specChat,
		&newChat().start().call(0, callA, bus, docA).finish("error").stream,
		broken("provider-error", "", lost("0", callA, bus, "provider-error")))
	s.add("done-missing", "The stream ends behind the finish reason, without [DONE]. The finish reason is enough.", specChat,
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("done-without-finish", "The stream says [DONE], and no finish reason came. [DONE] is not enough.", "I4",
		&newChat().start().call(0, callA, bus, docA).done().stream,
		cut("", lost("0", callA, bus, "truncated")))
	s.add("done-with-blanks", "Blanks stand around [DONE].", specChat,
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").payload(" [DONE] ").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
}

func chatNoise(s *set) {
	a := fragments(docA)
	s.add("usage-chunk", "A chunk with token counts and no choice comes behind the finish.", specChat,
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").usage().done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("usage-null-on-each-chunk", "Each chunk has usage, and it is null until the last.", specChat,
		&newChat().chunk(choiceOf(0, entriesOf(opens(0, callA, bus, docA)), "null"), `"usage":null`).
			chunk(choiceOf(0, `{}`, "tool_calls"), `"usage":null`).usage().done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("first-chunk-without-choice", "The first chunk has no choice, and what a filter says of the prompt.", specChat,
		&newChat().chunk("", `"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]`).start().call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("filter-chunk-behind-the-finish", "A chunk of an asynchronous filter comes behind the finish. Its choice has no delta.", specChat,
		&newChat().start().call(0, callA, bus, docA).stop("tool_calls").
			chunk(`{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":{"check_offset":0}}`, "").done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("delta-null", "A choice has a delta that is null.", specChat,
		&newChat().start().chunk(choiceOf(0, `null`, "null"), "").call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("tool-calls-null", "A delta has tool_calls that are null.", specChat,
		&newChat().delta(`{"role":"assistant","content":"","tool_calls":null}`).call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("tool-calls-empty", "A delta has tool_calls without an entry.", specChat,
		&newChat().delta(`{"role":"assistant","content":"","tool_calls":[]}`).call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("function-call-null", "A delta has a function_call that is null.", specChat,
		&newChat().delta(`{"role":"assistant","content":"","function_call":null}`).call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("content-empty-on-fragments", "Each delta has an empty content beside its fragment, which opens no part.", specChat,
		&newChat().start().open(0, callA, bus).delta(`{"content":"","tool_calls":[`+adds(0, docA)+`]}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("obfuscation", "Random padding stands beside the choices.", specChat,
		&newChat().start().open(0, callA, bus).chunk(choiceOf(0, entriesOf(adds(0, a[0])), "null"), `"obfuscation":"Zr4"`).
			chunk(choiceOf(0, entriesOf(adds(0, a[1])), "null"), `"obfuscation":"q"`).chunk(choiceOf(0, entriesOf(adds(0, a[2])), "null"), `"obfuscation":"Lw0yP1"`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("chunk-id-varies", "The chunk's id changes in the middle of the stream. It is no identity of the stream.", specChat,
		&newChat().start().open(0, callA, bus).piece(0, a[0]).with("chatcmpl-example-1", "chatcmpl-example-2").
			piece(0, a[1]).with("chatcmpl-example-1", "chatcmpl-example-3").piece(0, a[2]).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("role-on-each-chunk", "Each delta says again whose turn it is.", specChat,
		&newChat().start().open(0, callA, bus).delta(`{"role":"assistant","tool_calls":[`+adds(0, docA)+`]}`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("logprobs-look-like-a-call", "Probabilities that stand beside the delta hold what looks like a call.", specChat,
		&newChat().start().chunk(`{"index":0,"logprobs":{"content":[{"tool_calls":[{"index":0,"id":"x"}],"index":1}]},"delta":{"content":`+quote(prosaic)+`},"finish_reason":null}`, "").finish("stop").stream,
		complete("stop", text(prosaic)))
	s.add("unknown-chunk", "A chunk of an object that nobody knows, without choices, is passed over.", specChat,
		&newChat().start().payload(`{"id":"chatcmpl-example-1","object":"chat.completion.note","note":"hello"}`).call(0, callA, bus, docA).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
	s.add("error-null", "A chunk has an error that is null, which is none.", specChat,
		&newChat().chunk(choiceOf(0, entriesOf(opens(0, callA, bus, docA)), "null"), `"error":null`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
}

func chatErrors(s *set) {
	begun := func() *chat {
		return newChat().start().say(prosaic).open(0, callA, bus).piece(0, `{"stop":`)
	}
	want := broken("provider-error", "", text(prosaic), lost("0", callA, bus, "provider-error"))
	s.add("provider-error", "The provider reports an error while a call is open.", "I4",
		&begun().payload(`{"error":{"message":"try later","type":"server_error","code":null,"param":null}}`).stream, want)
	s.add("provider-error-code-is-a-number", "The code of the provider's error is a number.", specChat,
		&begun().payload(`{"error":{"message":"try later","code":503}}`).stream, want)
	s.add("provider-error-is-text", "The provider's error is a string.", specChat,
		&begun().payload(`{"error":"try later"}`).stream, want)
	s.add("provider-error-empty", "The provider's error says nothing of itself.", specChat,
		&begun().payload(`{"error":{}}`).stream, want)
	s.add("provider-error-beside-choices", "The provider's error stands beside the choices of a chunk.", specChat,
		&begun().chunk(choiceOf(0, `{"content":""}`, "null"), `"error":{"code":502,"message":"upstream"}`).done().stream, want)
	s.add("provider-error-as-object", "The provider's error is an object of its own, with its message at the top.", specChat,
		&begun().payload(`{"object":"error","message":"try later","type":"BadRequest","code":400}`).done().stream, want)
	named := begun()
	named.raw("event: error\ndata: {\"message\":\"try later\"}\n\n")
	s.add("provider-error-by-event-name", "The provider's error is named by its event line.", specChat, &named.stream, want)
	s.add("provider-error-then-done", "[DONE] follows the provider's error, and makes nothing good.", specChat,
		&begun().payload(`{"error":{"message":"try later","type":"server_error"}}`).done().stream, want)
	s.add("provider-error-open-call-parses", "The provider reports an error, and the open document happens to parse.", "I4",
		&newChat().start().call(0, callA, bus, docA).payload(`{"error":{"message":"try later","type":"server_error"}}`).stream,
		broken("provider-error", "", lost("0", callA, bus, "provider-error")))
	s.add("provider-error-first", "The provider reports an error before anything else.", specChat,
		&newChat().payload(`{"error":{"message":"try later","type":"server_error"}}`).stream,
		broken("provider-error", ""))
}

func chatTruncated(s *set) {
	sound := func() *chat { return newChat().start().say(prosaic) }
	s.add("truncated-after-a-fragment", "The stream ends behind a fragment.", "I4",
		&sound().call(0, callA, bus, `{"stop":"Mill`).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-open-call-parses", "The stream ends behind a fragment with which the document happens to parse. Nothing authorises it.", "I4",
		&sound().call(0, callA, bus, docA).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-after-the-announcement", "The stream ends behind the announcement.", "I4",
		&sound().open(0, callA, bus).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-in-the-second-call", "The stream ends inside the second call. Its announcement was no end of the first.", "I4",
		&sound().call(0, callA, bus, docA).call(1, callB, bus, `{"stop":`).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated"), lost("1", callB, bus, "truncated")))
	s.add("truncated-inside-a-frame", "The stream ends inside the frame of a fragment.", "I4",
		&sound().call(0, callA, bus, `{"stop":`, `"Mill Lane"}`).bytesCut(50).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-inside-the-finish", "The stream ends inside the chunk with the finish reason.", "I4",
		&sound().call(0, callA, bus, docA).stop("tool_calls").bytesCut(6).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-before-the-blank-line", "The chunk with the finish reason lacks nothing but its blank line. The standard discards it.", specSSE,
		&sound().call(0, callA, bus, docA).stop("tool_calls").bytesCut(1).stream,
		cut("", text(prosaic), lost("0", callA, bus, "truncated")))
	s.add("truncated-inside-done", "The stream ends inside [DONE]. The finish reason before it is enough.", specChat,
		&sound().call(0, callA, bus, docA).finish("tool_calls").bytesCut(4).stream,
		complete("tool_calls", text(prosaic), whole("0", callA, bus, docA)))
	s.add("truncated-empty", "The stream has no byte.", specChat, &newChat().stream, cut(""))
	s.add("truncated-done-only", "The stream is [DONE] and nothing else.", specChat, &newChat().done().stream, cut(""))
	s.add("truncated-comments-only", "The stream has comments and no frame.", specSSE,
		&newChat().behind(": waiting\n\n: waiting\n\n").stream, cut(""))
	s.add("no-stream-html", "The body is an HTML page.", specSSE,
		&newChat().behind("<!DOCTYPE html>\n<html>\n<body>502 Bad Gateway</body>\n</html>\n").stream,
		broken("not-a-stream", ""))
}

func chatFrames(s *set) {
	begun := func() *chat { return newChat().start().open(0, callA, bus).piece(0, `{"stop":`) }
	bad := func(name, about, spec, payload string) {
		s.add(name, about, spec, &begun().payload(payload).finish("tool_calls").stream,
			broken("malformed-frame", "", lost("0", callA, bus, "protocol-error")))
	}
	wrap := func(choice string) string {
		return `{"id":"chatcmpl-example-1","object":"chat.completion.chunk","choices":[` + choice + `]}`
	}
	delta := func(d string) string { return wrap(choiceOf(0, d, "null")) }
	bad("frame-json-cut", "The JSON of a chunk ends in the middle.", specJSON, `{"id":"chatcmpl-example-1","choices":[{"index":0,"delta":{"tool`)
	bad("frame-json-trailing", "Something stands behind the JSON of a chunk.", specJSON, delta(`{}`)+"}")
	bad("frame-is-an-array", "The JSON of a chunk is an array.", specChat, "["+delta(`{}`)+"]")
	bad("frame-is-text", "The data of a chunk is no JSON.", specChat, `upstream went away`)
	bad("frame-empty", "The data of a chunk is empty.", specChat, ``)
	bad("frame-invalid-utf8", "A fragment holds a byte that is not UTF-8. A replacement character would be silent damage.", specJSON, delta(entriesOf(adds(0, "caf\xe9"))))
	bad("frame-glued", "Two chunks stand in one frame, without anything between them.", specChat, delta(`{}`)+delta(`{}`))
	bad("frame-duplicate-index", "An entry has its index twice. Whose fragment it is would be a guess.", specChat, delta(`{"tool_calls":[{"index":0,"index":1,"function":{"arguments":""}}]}`))
	bad("frame-duplicate-arguments", "An entry has its arguments twice.", specChat, delta(`{"tool_calls":[{"index":0,"function":{"arguments":"a","arguments":"b"}}]}`))
	bad("frame-duplicate-arguments-escaped", "An entry has its arguments twice, once spelled with an escape.", specChat, delta(`{"tool_calls":[{"index":0,"function":{"arguments":"a","argument\u0073":"b"}}]}`))
	bad("frame-duplicate-function", "An entry has its function twice.", specChat, delta(`{"tool_calls":[{"index":0,"function":{"arguments":"a"},"function":{"arguments":"b"}}]}`))
	bad("frame-duplicate-tool-calls", "A delta has its tool_calls twice.", specChat, delta(`{"tool_calls":[`+adds(0, "a")+`],"tool_calls":[`+adds(0, "b")+`]}`))
	bad("frame-duplicate-delta", "A choice has its delta twice.", specChat, wrap(`{"index":0,"delta":`+entriesOf(adds(0, "a"))+`,"delta":`+entriesOf(adds(0, "b"))+`,"finish_reason":null}`))
	bad("frame-duplicate-choices", "A chunk has its choices twice.", specChat, `{"id":"chatcmpl-example-1","choices":[],"choices":[`+choiceOf(0, `{}`, "null")+`]}`)
	bad("frame-duplicate-finish-reason", "A choice has its finish reason twice.", specChat, wrap(`{"index":0,"delta":{},"finish_reason":"length","finish_reason":"tool_calls"}`))
	bad("frame-index-is-text", "The index of an entry is a string.", specChat, delta(`{"tool_calls":[{"index":"0","function":{"arguments":""}}]}`))
	bad("frame-index-is-a-fraction", "The index of an entry is no whole number.", specChat, delta(`{"tool_calls":[{"index":0.5,"function":{"arguments":""}}]}`))
	bad("frame-choice-index-is-text", "The index of a choice is a string.", specChat, wrap(`{"index":"0","delta":{},"finish_reason":null}`))
	bad("frame-choices-is-an-object", "The choices of a chunk are an object.", specChat, `{"id":"chatcmpl-example-1","choices":{"0":`+choiceOf(0, `{}`, "null")+`}}`)
	bad("frame-tool-calls-is-an-object", "The tool_calls of a delta are an object.", specChat, delta(`{"tool_calls":{"0":`+adds(0, "a")+`}}`))
	bad("frame-function-is-text", "The function of an entry is a string.", specChat, delta(`{"tool_calls":[{"index":0,"function":"bus_times"}]}`))
	bad("frame-name-is-a-number", "The name of an entry is a number.", specChat, delta(`{"tool_calls":[{"index":0,"function":{"name":7,"arguments":""}}]}`))
	bad("frame-finish-reason-is-a-number", "The finish reason of a choice is a number.", specChat, wrap(`{"index":0,"delta":{},"finish_reason":1}`))
	bad("frame-content-is-an-object", "The content of a delta is an object.", specChat, delta(`{"content":{"text":"hello"}}`))
	s.add("names-escaped", "The members and values of a chunk are spelled with escapes. They mean the same.", specJSON,
		&newChat().start().payload(wrap(`{"\u0069ndex":0,"d\u0065lta":{"tool\u005fcalls":[{"ind\u0065x":0,"\u0069d":"call_example\u005fA","type":"functi\u006fn","functi\u006fn":{"n\u0061me":"bus\u005ftimes","argument\u0073":"\u007b\"stop\":\"Mill\u0020Lane\"}"}}]},"finish\u005freason":"tool\u005fcalls"}`)).done().stream,
		complete("tool_calls", whole("0", callA, bus, docA)))
}

func chatTransport(s *set) {
	want := complete("tool_calls", text(prosaic), whole("0", callA, bus, docA), whole("1", callB, bus, docB))
	sound := func(c *chat) *stream {
		return &c.start().say(prosaic).call(0, callA, bus, fragments(docA)...).call(1, callB, bus, fragments(docB)...).finish("tool_calls").stream
	}
	transport(s, "", func() *stream { return sound(newChat()) }, want)
	lines := newChat()
	lines.framing = "ndjson"
	s.add("payload-per-line", "A capture with one payload a line, without the framing of the wire.", specNDJSON, sound(lines), want)
}
