package main

// chatIdentity adds what an entry can lack, and what it must not say. Each departs from the protocol
// once, and no dialect is named. What a dialect would read stands with the deviations.
func chatIdentity(s *set) {
	begun := func() *chat { return newChat().start().open(0, callA, bus) }
	first := func(name, about, kind, e string) {
		s.add(name, about, specChat, &newChat().start().calls(e).finish("tool_calls").stream, broken(kind, ""))
	}
	first("index-null", "A call is announced with an index that is null. Null is not 0.", "missing-index",
		`{"index":null,"id":"call_example_A","type":"function","function":{"name":"bus_times","arguments":`+quote(docA)+`}}`)
	first("id-missing", "A call is announced without an id.", "incomplete-identity",
		`{"index":0,"type":"function","function":{"name":"bus_times","arguments":`+quote(docA)+`}}`)
	first("id-null", "A call is announced with an id that is null.", "incomplete-identity",
		`{"index":0,"id":null,"type":"function","function":{"name":"bus_times","arguments":`+quote(docA)+`}}`)
	first("id-empty", "A call is announced with an empty id.", "incomplete-identity", opens(0, "", bus, docA))
	first("name-missing", "A call is announced without a name.", "incomplete-identity",
		`{"index":0,"id":"call_example_A","type":"function","function":{"arguments":""}}`)
	first("name-empty", "A call is announced with an empty name.", "incomplete-identity", opens(0, callA, "", docA))
	s.add("arguments-are-an-array", "The arguments of the announcement are an array. The call is announced, and lost with the turn.", specChat,
		&newChat().start().calls(`{"index":0,"id":"call_example_A","type":"function","function":{"name":"bus_times","arguments":["Mill Lane"]}}`).finish("tool_calls").stream,
		broken("deviation-refused", "", lost("0", callA, bus, "protocol-error")))
	s.add("name-changes", "A fragment carries another name than its call was announced with.", specChat,
		&begun().calls(`{"index":0,"function":{"name":"mix_paint","arguments":`+quote(docA)+`}}`).finish("tool_calls").stream,
		broken("conflicting-identity", "", lost("0", callA, bus, "protocol-error")))
}

// chatBeyond adds what lies on the other side of a deviation's condition.
func chatBeyond(s *set) {
	a := fragments(docA)
	open := lost("0", callA, bus, "protocol-error")
	begun := func() *chat { return newChat().start().open(0, callA, bus) }
	s.beyond("missing-index-announced-while-open", "A call without an index begins while the one before it is unfinished.",
		&newChat().start().calls(`{"id":"call_example_A","function":{"name":"bus_times","arguments":`+quote(a[0])+`}}`).
			calls(`{"id":"call_example_B","function":{"name":"bus_times","arguments":`+quote(docB)+`}}`).finish("tool_calls").stream,
		broken("missing-index", "", open), "missing-index")
	s.beyond("reused-index-same-id", "The same call is announced again at its index.",
		&newChat().start().calls(opens(0, callA, bus, docA)).calls(opens(0, callA, bus, docA)).finish("tool_calls").stream,
		broken("duplicate-announcement", "", open), "reused-index")
	s.beyond("empty-id-at-the-announcement", "The announcement itself has an empty id.",
		&newChat().start().calls(opens(0, "", bus, docA)).finish("tool_calls").stream,
		broken("incomplete-identity", ""), "empty-identity-on-fragments")
	s.beyond("repeated-id-other", "A fragment has another id than its call.",
		&begun().calls(`{"index":0,"id":"call_example_B","function":{"arguments":`+quote(docA)+`}}`).finish("tool_calls").stream,
		broken("conflicting-identity", "", open), "repeated-id")
	s.beyond("changing-id-with-a-name", "Another id with a name is another call.",
		&begun().piece(0, docA).calls(opens(0, callB, bus, docB)).finish("tool_calls").stream,
		broken("duplicate-announcement", "", open), "changing-id")
	s.beyond("late-id-never", "The id never comes.",
		&newChat().start().calls(`{"index":0,"function":{"name":"bus_times","arguments":`+quote(docA)+`}}`).finish("tool_calls").stream,
		broken("incomplete-identity", ""), "late-id")
	s.beyond("split-name-behind-arguments", "The name goes on behind the first byte of arguments.",
		&newChat().start().calls(opens(0, callA, "bus_", "")).piece(0, a[0]).calls(`{"index":0,"function":{"name":"times","arguments":`+quote(a[1]+a[2])+`}}`).finish("tool_calls").stream,
		broken("conflicting-identity", "", lost("0", callA, "bus_", "protocol-error")), "split-name")
	s.beyond("object-arguments-then-text", "Arguments as text follow arguments that are an object.",
		&newChat().start().calls(`{"index":0,"id":"call_example_A","function":{"name":"bus_times","arguments":`+docA+`}}`).piece(0, docA).finish("tool_calls").stream,
		broken("deviation-refused", "", open), "object-arguments")
	s.beyond("object-arguments-array", "Arguments that are an array are no object.",
		&newChat().start().calls(`{"index":0,"id":"call_example_A","function":{"name":"bus_times","arguments":[1]}}`).finish("tool_calls").stream,
		broken("deviation-refused", "", open), "object-arguments")
	s.beyond("double-encoded-no-object", "A string that holds no object stays the string that it is.",
		&begun().piece(0, `"Mill Lane"`).finish("tool_calls").stream,
		complete("tool_calls", whole("0", callA, bus, `"Mill Lane"`)), "double-encoded-arguments")
	s.beyond("empty-finish-never-another", "An empty finish reason is the only one that comes.",
		&begun().piece(0, docA).chunk(choiceOf(0, `{}`, ""), "").done().stream,
		cut("", lost("0", callA, bus, "truncated")), "empty-finish")
}
