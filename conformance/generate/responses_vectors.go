package main

import "fmt"

// responsesVectors returns the vectors of Responses.
func responsesVectors() *set {
	s := &set{provider: "openai-responses"}
	responsesStories(s)
	responsesOtherItems(s)
	responsesInvariants(s)
	responsesDocuments(s)
	responsesCopies(s)
	responsesStops(s)
	responsesNumbers(s)
	responsesErrors(s)
	responsesTruncated(s)
	responsesFrames(s)
	responsesTransport(s)
	responsesDialects(s)
	return s
}

func responsesStories(s *set) {
	a, b := fragments(docA), fragments(docB)
	one := complete("completed", whole("0", callA, bus, docA))
	two := complete("completed", whole("0", callA, bus, docA), whole("1", callB, bus, docB))
	final := wholeItem(0, callA, bus, docA)
	s.add("one-call", "One call, its arguments in three fragments. They stand three times more on the wire, and count once.", specResp,
		&newResponses().start().call(0, callA, bus, a...).completed(final).stream, one)
	s.add("text-then-call", "Text, then a call.", specResp,
		&newResponses().start().text(0, "I will ", "look that up.").call(1, callA, bus, docA).completed(messageItem(prosaic, "completed"), wholeItem(1, callA, bus, docA)).stream,
		complete("completed", text(prosaic), whole("1", callA, bus, docA)))
	s.add("text-only", "Text and no call.", specResp,
		&newResponses().start().text(0, prosaic).completed(messageItem(prosaic, "completed")).stream,
		complete("completed", text(prosaic)))
	s.add("empty-turn", "A turn without an item.", specResp, &newResponses().start().completed().stream, complete("completed"))
	s.add("reasoning-text-call-text", "A summary of the reasoning, text, a call, and text behind it.", "I9",
		&newResponses().start().
			added(0, `{"id":"rs_example_1","type":"reasoning","summary":[]}`).
			typed("response.reasoning_summary_part.added", `"item_id":"rs_example_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`).
			typed("response.reasoning_summary_text.delta", `"item_id":"rs_example_1","output_index":0,"summary_index":0,"delta":"Which stop?"`).
			typed("response.reasoning_summary_text.done", `"item_id":"rs_example_1","output_index":0,"summary_index":0,"text":"Which stop?"`).
			typed("response.reasoning_summary_part.done", `"item_id":"rs_example_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Which stop?"}`).
			done(0, `{"id":"rs_example_1","type":"reasoning","summary":[{"type":"summary_text","text":"Which stop?"}]}`).
			text(1, prosaic).call(2, callA, bus, docA).text(3, after).completed().stream,
		complete("completed", prose("reasoning_summary", "Which stop?"), text(prosaic), whole("2", callA, bus, docA), text(after)))
	s.add("two-calls-of-one-tool", "Two calls of one tool, one after the other. Keyed by the tool's name they would become one.", specResp,
		&newResponses().start().call(0, callA, bus, a...).call(1, callB, bus, b...).completed(final, wholeItem(1, callB, bus, docB)).stream, two)
	s.add("two-calls-with-the-same-arguments", "Two calls of one tool with the same arguments. They are two calls all the same.", "I8",
		&newResponses().start().call(0, callA, bus, docA).call(1, callB, bus, docA).completed(final, wholeItem(1, callB, bus, docA)).stream,
		complete("completed", whole("0", callA, bus, docA), whole("1", callB, bus, docA)))
	s.add("two-calls-of-two-tools", "Two calls of two tools.", specResp,
		&newResponses().start().call(0, callA, bus, docA).call(1, callB, paint, docC).completed(final, wholeItem(1, callB, paint, docC)).stream,
		complete("completed", whole("0", callA, bus, docA), whole("1", callB, paint, docC)))
	s.add("interleaved-calls", "The fragments of two calls of one tool alternate. Each belongs to the call that its output_index names.", specResp,
		&newResponses().start().open(0, callA, bus).open(1, callB, bus).piece(0, a[0]).piece(1, b[0]).piece(1, b[1]).piece(0, a[1]).
			piece(0, a[2]).piece(1, b[2]).close(0, callA, bus, docA).close(1, callB, bus, docB).completed(final, wholeItem(1, callB, bus, docB)).stream, two)
	s.add("interleaved-calls-second-ends-first", "Two calls overlap, and the second ends first. The parts keep the order in which they began.", "I9",
		&newResponses().start().open(0, callA, bus).piece(0, a[0]).call(1, callB, bus, docB).piece(0, a[1]).piece(0, a[2]).close(0, callA, bus, docA).
			completed(final, wholeItem(1, callB, bus, docB)).stream, two)
	s.add("output-index-with-gap", "The positions leave some out. They are compared and not counted with.", specResp,
		&newResponses().start().call(2, callA, bus, docA).call(5, callB, bus, docB).completed().stream,
		complete("completed", whole("2", callA, bus, docA), whole("5", callB, bus, docB)))
	s.add("zero-arguments", "A call without arguments: the model wrote {}.", specResp,
		&newResponses().start().call(0, callA, bus, `{}`).completed(wholeItem(0, callA, bus, `{}`)).stream,
		complete("completed", whole("0", callA, bus, `{}`)))
	s.add("empty-fragments", "Empty fragments stand between the others, and say nothing.", specResp,
		&newResponses().start().open(0, callA, bus).piece(0, "").piece(0, a[0]).piece(0, "").piece(0, a[1]).piece(0, a[2]).close(0, callA, bus, docA).completed(final).stream, one)
	varies := newResponses().start().open(0, callA, bus)
	for i, p := range a {
		varies.piece(0, p).with(itemA, fmt.Sprintf("fc_example_%d", i))
	}
	s.add("item-id-varies", "Each event calls the item by another id. The position is the key.", specResp,
		&varies.argumentsDone(0, docA).with(itemA, "fc_example_8").done(0, callItem("fc_example_9", callA, bus, docA, "completed")).completed(callItem("fc_example_7", callA, bus, docA, "completed")).stream, one)
	s.add("item-id-missing", "The events about the arguments carry no item_id. The position is the key.", specResp,
		&newResponses().start().open(0, callA, bus).
			typed("response.function_call_arguments.delta", `"output_index":0,"delta":`+quote(docA)).
			typed("response.function_call_arguments.done", `"output_index":0,"arguments":`+quote(docA)).
			done(0, final).completed(final).stream, one)
	s.add("item-id-of-another-item", "A fragment's item_id is that of the other call, and its position is not. The position is the key.", specResp,
		&newResponses().start().open(0, callA, bus).open(1, callB, bus).piece(0, docA).with(itemA, itemB).piece(1, docB).
			close(0, callA, bus, docA).close(1, callB, bus, docB).completed().stream, two)
	s.add("obfuscation", "Random padding stands beside the fragments.", specResp,
		&newResponses().start().open(0, callA, bus).
			typed("response.function_call_arguments.delta", `"item_id":"fc_example_A","output_index":0,"delta":`+quote(a[0])+`,"obfuscation":"Zr4"`).
			typed("response.function_call_arguments.delta", `"item_id":"fc_example_A","output_index":0,"delta":`+quote(a[1])+`,"obfuscation":"q0"`).
			typed("response.function_call_arguments.delta", `"item_id":"fc_example_A","output_index":0,"delta":`+quote(a[2])+`,"obfuscation":"Lw7yP1"`).
			close(0, callA, bus, docA).completed(final).stream, one)
	s.add("keepalive", "Keep-alives with a number stand between the events.", specResp,
		&newResponses().start().typed("keepalive", "").open(0, callA, bus).piece(0, docA).typed("keepalive", "").close(0, callA, bus, docA).completed(final).stream, one)
	s.add("conversation-one", "One of two streams that are alike in all but their values: same positions, same tool. Read both at once, a byte of each in turn.", "I7",
		&newResponses().start().call(0, callA, bus, a...).completed(final).stream, one)
	s.add("conversation-two", "The other of two streams that are alike in all but their values.", "I7",
		&newResponses().start().call(0, callB, bus, b...).completed(wholeItem(0, callB, bus, docB)).stream,
		complete("completed", whole("0", callB, bus, docB)))
	caller := `,"caller":{"type":"program","caller_id":"call_example_P"}}`
	programmed := func(status string) string {
		return fmt.Sprintf(`{"id":"fc_example_A","type":"function_call","status":%s,"call_id":"call_example_A","name":"bus_times","arguments":`, quote(status))
	}
	s.add("program-call", "A program makes the call. Its item stays in progress until its result is there, and the call is whole.", specResp,
		&newResponses().start().added(0, programmed("in_progress")+`""`+caller).piece(0, docA).argumentsDone(0, docA).done(0, programmed("in_progress")+quote(docA)+caller).completed().stream, one)
	s.add("namespace", "The call names the namespace of its tool, which is no part of its name.", specResp,
		&newResponses().start().open(0, callA, bus).with(`"name":"bus_times"`, `"name":"bus_times","namespace":"city"`).piece(0, docA).
			argumentsDone(0, docA).done(0, final).with(`"name":"bus_times"`, `"name":"bus_times","namespace":"city"`).completed().stream, one)
}

func responsesOtherItems(s *set) {
	const patch = "*** Begin\n{\"not\": json\n*** End\n"
	custom := func(input, status string) string {
		return `{"id":"fc_example_A","type":"custom_tool_call","status":` + quote(status) + `,"call_id":"call_example_A","name":"edit_file","input":` + quote(input) + `}`
	}
	at := `"item_id":"fc_example_A","output_index":0,`
	s.add("custom-tool", "A custom tool carries free text, which is never parsed.", specResp,
		&newResponses().start().added(0, custom("", "in_progress")).
			typed("response.custom_tool_call_input.delta", at+`"delta":`+quote(patch[:12])).typed("response.custom_tool_call_input.delta", at+`"delta":`+quote(patch[12:])).
			typed("response.custom_tool_call_input.done", at+`"input":`+quote(patch)).done(0, custom(patch, "completed")).completed().stream,
		complete("completed", freeText("0", callA, "edit_file", patch)))
	s.add("custom-tool-copies-disagree", "The copy of a custom tool's text differs by a blank. Free text has to be the same, byte for byte.", "I6",
		&newResponses().start().added(0, custom("", "in_progress")).typed("response.custom_tool_call_input.delta", at+`"delta":"a b"`).
			typed("response.custom_tool_call_input.done", at+`"input":"a  b"`).done(0, custom("a  b", "completed")).completed().stream,
		incomplete("calls-failed", "completed", wrong("0", callA, "edit_file", "document-mismatch")))
	s.add("custom-tool-beside-a-function", "A custom tool and a function are called in one turn.", specResp,
		&newResponses().start().added(0, custom("", "in_progress")).typed("response.custom_tool_call_input.delta", at+`"delta":"{ab"`).
			typed("response.custom_tool_call_input.done", at+`"input":"{ab"`).done(0, custom("{ab", "completed")).call(1, callB, bus, docB).completed().stream,
		complete("completed", freeText("0", callA, "edit_file", "{ab"), whole("1", callB, bus, docB)))
	s.add("server-call", "The provider calls an MCP server itself. The call is followed, kept in the order, and not handed out to be run.", specResp,
		&newResponses().start().added(0, `{"id":"mcp_example_1","type":"mcp_call","status":"in_progress","server_label":"city","name":"route","arguments":""}`).
			typed("response.mcp_call.in_progress", `"item_id":"mcp_example_1","output_index":0`).
			typed("response.mcp_call_arguments.delta", `"item_id":"mcp_example_1","output_index":0,"delta":`+quote(docA)).
			typed("response.mcp_call_arguments.done", `"item_id":"mcp_example_1","output_index":0,"arguments":`+quote(docA)).
			typed("response.mcp_call.completed", `"item_id":"mcp_example_1","output_index":0`).
			done(0, `{"id":"mcp_example_1","type":"mcp_call","status":"completed","server_label":"city","name":"route","arguments":`+quote(docA)+`,"output":"7 minutes"}`).
			text(1, prosaic).completed().stream,
		complete("completed", whole("0", "mcp_example_1", "route", docA).server(), text(prosaic)))
	s.add("server-search", "The provider searches the web itself.", specResp,
		&newResponses().start().added(0, `{"id":"ws_example_1","type":"web_search_call","status":"in_progress"}`).
			typed("response.web_search_call.searching", `"item_id":"ws_example_1","output_index":0`).
			typed("response.web_search_call.completed", `"item_id":"ws_example_1","output_index":0`).
			done(0, `{"id":"ws_example_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"bus strike"}}`).
			call(1, callA, bus, docA).completed().stream,
		complete("completed", whole("0", "ws_example_1", "web_search_call", `{"type":"search","query":"bus strike"}`).server(), whole("1", callA, bus, docA)))
	s.add("server-calls-overlap", "A call of the provider's is open while the client's call streams.", "I9",
		&newResponses().start().added(0, `{"id":"ws_example_1","type":"web_search_call","status":"in_progress"}`).
			call(1, callA, bus, docA).
			done(0, `{"id":"ws_example_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"bus strike"}}`).completed().stream,
		complete("completed", whole("0", "ws_example_1", "web_search_call", `{"type":"search","query":"bus strike"}`).server(), whole("1", callA, bus, docA)))
	refusal := `"item_id":"msg_example_1","output_index":0,"content_index":0`
	s.add("refusal", "The model refuses, in a part of its own.", specResp,
		&newResponses().start().added(0, messageItem("", "in_progress")).
			typed("response.content_part.added", refusal+`,"part":{"type":"refusal","refusal":""}`).
			typed("response.refusal.delta", refusal+`,"delta":"I can't "`).typed("response.refusal.delta", refusal+`,"delta":"do that."`).
			typed("response.refusal.done", refusal+`,"refusal":"I can't do that."`).
			typed("response.content_part.done", refusal+`,"part":{"type":"refusal","refusal":"I can't do that."}`).
			done(0, `{"id":"msg_example_1","type":"message","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I can't do that."}]}`).completed().stream,
		complete("completed", prose("refusal", "I can't do that.")))
	s.add("unknown-item", "An item is of an unknown type. It is kept as it stands.", specResp,
		&newResponses().start().added(0, `{"id":"ho_example_1","type":"hologram"}`).done(0, `{"id":"ho_example_1","type":"hologram","url":"example"}`).call(1, callA, bus, docA).completed().stream,
		complete("completed", data("hologram"), whole("1", callA, bus, docA)))
}

func responsesInvariants(s *set) {
	a := fragments(docA)
	open := lost("0", callA, bus, "protocol-error")
	s.add("announced-twice", "A position is announced again while its call is open.", "I1",
		&newResponses().start().open(0, callA, bus).piece(0, a[0]).open(0, callB, bus).piece(0, docB).close(0, callB, bus, docB).completed().stream,
		broken("duplicate-announcement", "", open))
	s.add("announced-again-after-its-end", "A position is announced again after its call has ended. The first call was whole, and stays so.", "I1",
		&newResponses().start().call(0, callA, bus, docA).call(0, callB, bus, docB).completed().stream,
		broken("duplicate-announcement", "", whole("0", callA, bus, docA)))
	unnumbered := newResponses()
	unnumbered.bare = true
	unnumbered.start().text(0, prosaic).call(1, callA, bus, docA)
	unnumbered.again(4)
	s.add("replayed-item", "A reconnect sends a whole item again, in a stream without numbers. It is an error and not a second call.", "I1",
		&unnumbered.completed().stream,
		broken("duplicate-announcement", "", text(prosaic), whole("1", callA, bus, docA)))
	s.add("announcement-missing", "The announcement was lost, and the events are numbered as if it had never been. The fragments have no owner.", "I2",
		&newResponses().start().text(0, prosaic).piece(1, docA).close(1, callA, bus, docA).completed().stream,
		broken("unannounced", "", text(prosaic)))
	s.add("announcement-missing-beside-a-call", "The announcement of the second call was lost. Its fragments don't belong to the first.", "I2",
		&newResponses().start().open(0, callA, bus).piece(0, a[0]).piece(1, docB).completed().stream,
		broken("unannounced", "", open))
	s.add("end-without-announcement", "An item is done that was never added.", "I2",
		&newResponses().start().call(0, callA, bus, docA).done(1, wholeItem(1, callB, bus, docB)).completed().stream,
		broken("unannounced", "", whole("0", callA, bus, docA)))
	s.add("late-fragment", "A fragment comes behind the end of its item.", "I2",
		&newResponses().start().call(0, callA, bus, docA).piece(0, docA).completed().stream,
		broken("late", "", whole("0", callA, bus, docA)))
	s.add("late-copy", "The copy of the arguments comes behind the end of its item.", "I2",
		&newResponses().start().call(0, callA, bus, docA).argumentsDone(0, docA).completed().stream,
		broken("late", "", whole("0", callA, bus, docA)))
	s.add("late-end", "An item is done twice.", "I2",
		&newResponses().start().call(0, callA, bus, docA).done(0, wholeItem(0, callA, bus, docA)).completed().stream,
		broken("late", "", whole("0", callA, bus, docA)))
	s.add("fragment-for-text", "A fragment of arguments has the position of a message.", "I2",
		&newResponses().start().added(0, messageItem("", "in_progress")).piece(0, docA).completed().stream,
		broken("mismatched-part", ""))
	s.add("text-for-a-call", "A piece of text has the position of a call.", "I2",
		&newResponses().start().open(0, callA, bus).typed("response.output_text.delta", `"item_id":"msg_example_1","output_index":0,"content_index":0,"delta":"hello"`).completed().stream,
		broken("mismatched-part", "", open))
	s.add("custom-input-for-a-function", "A piece of a custom tool's text has the position of a function call.", "I2",
		&newResponses().start().open(0, callA, bus).typed("response.custom_tool_call_input.delta", `"item_id":"fc_example_A","output_index":0,"delta":"hello"`).completed().stream,
		broken("mismatched-part", "", open))
	s.add("id-used-twice", "Two calls have one id, so that a result could not be told which it is for.", "I3",
		&newResponses().start().open(0, callA, bus).open(1, callA, bus).completed().stream,
		broken("duplicate-id", "", open))
	s.add("id-used-again-after-its-end", "The id of a call that has ended is used again.", "I3",
		&newResponses().start().call(0, callA, bus, docA).call(1, callA, paint, docC).completed().stream,
		broken("duplicate-id", "", whole("0", callA, bus, docA)))
	s.add("open-at-the-end", "The turn ends, and an item was never done. Its document happens to parse, and no copy of it came.", "I4",
		&newResponses().start().open(0, callA, bus).piece(0, docA).completed().stream,
		incomplete("calls-failed", "completed", lost("0", callA, bus, "unfinished")))
	s.add("each-fate-once", "Of three calls one completes, one has bad arguments, and one is cut: all three are accounted for.", "I5",
		&newResponses().start().call(0, callA, bus, docA).call(1, callB, bus, docB+docB).open(2, callC, paint).piece(2, `{"hue":`).cutOff("max_output_tokens").stream,
		incomplete("calls-failed", "max_output_tokens", whole("0", callA, bus, docA), wrong("1", callB, bus, "trailing-data"), lost("2", callC, paint, "token-limit")))
	s.add("siblings-go-on", "The arguments of the first call are bad. The second call is not touched by that.", "I6",
		&newResponses().start().call(0, callA, bus, docA+docB).call(1, callB, bus, docB).completed().stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "trailing-data"), whole("1", callB, bus, docB)))
	s.add("second-end-of-the-stream", "The stream ends twice, and both ends repeat the call. It is handed out once.", "I8",
		&newResponses().start().call(0, callA, bus, docA).completed(wholeItem(0, callA, bus, docA)).completed(wholeItem(0, callA, bus, docA)).stream,
		broken("late", "completed", whole("0", callA, bus, docA)))
	s.add("announced-behind-the-end", "An item is added behind the end of the stream.", "I4",
		&newResponses().start().call(0, callA, bus, docA).completed(wholeItem(0, callA, bus, docA)).call(1, callB, bus, docB).stream,
		broken("late", "completed", whole("0", callA, bus, docA)))
	for _, c := range []struct{ name, about, old, new string }{
		{"id-missing", "A call is announced without a call_id. The item's own id is no address for a result.", `"call_id":"call_example_A",`, ``},
		{"id-empty", "A call is announced with an empty call_id.", `"call_id":"call_example_A"`, `"call_id":""`},
		{"name-missing", "A call is announced without a name.", `"name":"bus_times",`, ``},
		{"name-empty", "A call is announced with an empty name.", `"name":"bus_times"`, `"name":""`},
	} {
		s.add(c.name, c.about, specResp,
			&newResponses().start().open(0, callA, bus).with(c.old, c.new).piece(0, docA).close(0, callA, bus, docA).completed().stream,
			broken("incomplete-identity", ""))
	}
}

func responsesDocuments(s *set) {
	s.add("arguments-empty", "The call ended without a byte of arguments. OpenAI documents that the model writes a document, so that this one was lost.", "I6",
		&newResponses().start().call(0, callA, bus).completed(wholeItem(0, callA, bus, "")).stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "empty-document")))
	for _, d := range documents() {
		want := complete("completed", whole("0", callA, bus, d.text))
		if d.kind != "" {
			want = incomplete("calls-failed", "completed", wrong("0", callA, bus, d.kind))
		}
		s.add("arguments-"+d.name, d.about, "I6",
			&newResponses().start().call(0, callA, bus, fragments(d.text)...).completed(wholeItem(0, callA, bus, d.text)).stream, want)
	}
	for _, d := range splits() {
		s.add("arguments-"+d.name, d.about, "I6",
			&responsesInner(d).close(0, callA, bus, d.text).completed(wholeItem(0, callA, bus, d.text)).stream,
			complete("completed", whole("0", callA, bus, d.text)))
	}
	for _, d := range lone() {
		s.add("arguments-"+d.name, d.about, "I6",
			&responsesInner(d).done(0, `{"id":"fc_example_A","type":"function_call","status":"completed","call_id":"call_example_A","name":"bus_times"}`).completed().stream,
			incomplete("calls-failed", "completed", wrong("0", callA, bus, "lone-surrogate")))
	}
}

func responsesInner(d split) *responses {
	r := newResponses().start().open(0, callA, bus)
	for _, p := range d.inner {
		r.inner(0, `"`+p+`"`)
	}
	return r
}

func responsesCopies(s *set) {
	a := fragments(docA)
	one := complete("completed", whole("0", callA, bus, docA))
	final := wholeItem(0, callA, bus, docA)
	streamed := func() *responses {
		return newResponses().start().open(0, callA, bus).piece(0, a[0]).piece(0, a[1]).piece(0, a[2])
	}
	mismatch := incomplete("calls-failed", "completed", wrong("0", callA, bus, "document-mismatch"))
	s.add("copies-written-differently", "The copies are the same document, written with other blanks, in another order, and with other forms of its numbers. The fragments are what counts.", specResp,
		&newResponses().start().open(0, callA, paint).piece(0, docC).argumentsDone(0, `{ "litres": 2.0, "hue": "te\u0061l" }`).
			done(0, wholeItem(0, callA, paint, `{"litres":2,"hue":"teal"}`)).completed(wholeItem(0, callA, paint, `{"hue":"teal","litres":2e0}`)).stream,
		complete("completed", whole("0", callA, paint, docC)))
	s.add("copy-in-arguments-done-disagrees", "The copy in arguments.done is another document than the fragments make.", specResp,
		&streamed().argumentsDone(0, docB).done(0, final).completed(final).stream, mismatch)
	s.add("copy-in-item-done-disagrees", "The copy in output_item.done is another document than the fragments make.", specResp,
		&streamed().argumentsDone(0, docA).done(0, wholeItem(0, callA, bus, docB)).completed(wholeItem(0, callA, bus, docB)).stream, mismatch)
	s.add("copy-in-completed-disagrees", "The copy in response.completed is another document than the call completed with. The call was handed out; the turn fails.", specResp,
		&streamed().close(0, callA, bus, docA).completed(wholeItem(0, callA, bus, docB)).stream,
		broken("copy-mismatch", "", whole("0", callA, bus, docA)))
	s.add("copy-shows-a-lost-fragment", "A fragment was lost, in a stream without numbers. The document happens to parse, and the copy shows it.", specResp,
		&bareResponses().start().open(0, callA, bus).piece(0, `{"line":1`).piece(0, `}`).argumentsDone(0, `{"line":12}`).
			done(0, wholeItem(0, callA, bus, `{"line":12}`)).completed().stream, mismatch)
	s.add("copy-shows-a-doubled-fragment", "A fragment came twice inside a string, in a stream without numbers. The document is valid, and the copy shows it.", specResp,
		&bareResponses().start().open(0, callA, bus).piece(0, `{"stop":"Mill`).piece(0, ` Lane`).piece(0, ` Lane`).piece(0, `"}`).close(0, callA, bus, docA).completed().stream, mismatch)
	s.add("copy-in-arguments-done-only", "No fragment came, and the arguments stand in arguments.done and output_item.done.", specResp,
		&newResponses().start().open(0, callA, bus).close(0, callA, bus, docA).completed(final).stream, one)
	s.add("copy-in-item-done-only", "No fragment and no arguments.done came, and the arguments stand in output_item.done.", specResp,
		&newResponses().start().open(0, callA, bus).done(0, final).completed(final).stream, one)
	s.add("arguments-done-missing", "The fragments end with output_item.done alone.", specResp,
		&streamed().done(0, final).completed(final).stream, one)
	s.add("item-done-without-arguments", "The item of output_item.done has no arguments. What is absent contradicts nothing.", specResp,
		&streamed().argumentsDone(0, docA).done(0, `{"id":"fc_example_A","type":"function_call","status":"completed","call_id":"call_example_A","name":"bus_times"}`).completed().stream, one)
	s.add("completed-output-empty", "The output of response.completed is empty, although a call was streamed.", specResp,
		&streamed().close(0, callA, bus, docA).completed().stream, one)
	s.add("completed-output-missing", "response.completed has no output.", specResp,
		&streamed().close(0, callA, bus, docA).typed("response.completed", response("completed", "")).stream, one)
	s.add("completed-output-lacks-a-call", "The output of response.completed lists one of two calls.", specResp,
		&newResponses().start().call(0, callA, bus, docA).call(1, callB, bus, docB).completed(final).stream,
		complete("completed", whole("0", callA, bus, docA), whole("1", callB, bus, docB)))
	s.add("call-in-completed-only", "A call stands in the output of response.completed and nowhere else. It was never announced.", specResp,
		&newResponses().start().text(0, prosaic).completed(messageItem(prosaic, "completed"), wholeItem(1, callA, bus, docA)).stream,
		broken("unannounced", "", text(prosaic)))
	s.add("item-done-with-another-call-id", "output_item.done gives the call another call_id. Which one a result is for can't be known.", specResp,
		&streamed().argumentsDone(0, docA).done(0, callItem(itemA, callB, bus, docA, "completed")).completed().stream,
		broken("conflicting-identity", "", lost("0", callA, bus, "protocol-error")))
	s.add("item-done-with-another-name", "output_item.done gives the call another name.", specResp,
		&streamed().argumentsDone(0, docA).done(0, callItem(itemA, callA, paint, docA, "completed")).completed().stream,
		broken("conflicting-identity", "", lost("0", callA, bus, "protocol-error")))
	s.add("item-done-with-another-type", "output_item.done says that the call is a message.", specResp,
		&streamed().argumentsDone(0, docA).done(0, messageItem(prosaic, "completed")).completed().stream,
		broken("conflicting-identity", "", lost("0", callA, bus, "protocol-error")))
}

func bareResponses() *responses {
	r := newResponses()
	r.bare = true
	return r
}

func responsesStops(s *set) {
	half := `{"stop":"Mill`
	for _, c := range []struct{ stop, name, reason string }{
		{"max_output_tokens", "token-limit", "token-limit"},
		{"content_filter", "content-filter", "content-filter"},
	} {
		s.add("stop-"+c.name+"-cut-call", "The response is incomplete for "+c.stop+". The cut document has every polite end: arguments.done, and output_item.done as incomplete.", "I4",
			&newResponses().start().open(0, callA, bus).piece(0, half).argumentsDone(0, half).done(0, callItem(itemA, callA, bus, half, "incomplete")).
				cutOff(c.stop, callItem(itemA, callA, bus, half, "incomplete")).stream,
			incomplete("calls-failed", c.stop, lost("0", callA, bus, c.reason)))
		s.add("stop-"+c.name+"-cut-call-parses", "The response is incomplete for "+c.stop+", and the item says that it is, although the document happens to parse.", "I4",
			&newResponses().start().open(0, callA, bus).piece(0, docA).argumentsDone(0, docA).done(0, callItem(itemA, callA, bus, docA, "incomplete")).
				cutOff(c.stop, callItem(itemA, callA, bus, docA, "incomplete")).stream,
			incomplete("calls-failed", c.stop, lost("0", callA, bus, c.reason)))
		s.add("stop-"+c.name+"-open-call", "The response is incomplete for "+c.stop+", and an item was never done.", "I4",
			&newResponses().start().call(0, callA, bus, docA).open(1, callB, bus).piece(1, half).cutOff(c.stop, wholeItem(0, callA, bus, docA)).stream,
			incomplete("calls-failed", c.stop, whole("0", callA, bus, docA), lost("1", callB, bus, c.reason)))
		s.add("stop-"+c.name+"-whole-call", "The response is incomplete for "+c.stop+", and the call had been done before, whole.", "I4",
			&newResponses().start().call(0, callA, bus, docA).text(1, after).cutOff(c.stop, wholeItem(0, callA, bus, docA)).stream,
			complete(c.stop, whole("0", callA, bus, docA), text(after)))
		s.add("stop-"+c.name+"-text-only", "The response is incomplete for "+c.stop+", and there is no call that it could concern.", specResp,
			&newResponses().start().text(0, prosaic).cutOff(c.stop).stream,
			complete(c.stop, text(prosaic)))
	}
	s.add("stop-completed-says-incomplete", "The event is response.completed, and the response in it says that it was cut at the token limit.", "I4",
		&newResponses().start().open(0, callA, bus).piece(0, half).typed("response.completed", response("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"},"output":[]`)).stream,
		incomplete("calls-failed", "max_output_tokens", lost("0", callA, bus, "token-limit")))
	s.add("item-in-progress-when-done", "The item of output_item.done is still in progress, and no program made the call.", "I4",
		&newResponses().start().open(0, callA, bus).piece(0, docA).argumentsDone(0, docA).done(0, callItem(itemA, callA, bus, docA, "in_progress")).completed().stream,
		incomplete("calls-failed", "completed", lost("0", callA, bus, "unfinished")))
	s.add("item-without-status", "The item of output_item.done has no status.", specResp,
		&newResponses().start().open(0, callA, bus).piece(0, docA).argumentsDone(0, docA).done(0, `{"id":"fc_example_A","type":"function_call","call_id":"call_example_A","name":"bus_times","arguments":`+quote(docA)+`}`).completed().stream,
		complete("completed", whole("0", callA, bus, docA)))
	s.add("done-sentinel", "The stream says [DONE] behind its end, as compatible servers do.", specResp,
		&newResponses().start().call(0, callA, bus, docA).completed(wholeItem(0, callA, bus, docA)).behind("data: [DONE]\n\n").stream,
		complete("completed", whole("0", callA, bus, docA)))
	s.add("done-sentinel-only", "The stream says [DONE] without an end of its own. That is no end.", specResp,
		&newResponses().start().call(0, callA, bus, docA).behind("data: [DONE]\n\n").stream,
		cut("", whole("0", callA, bus, docA)))
}

func responsesNumbers(s *set) {
	a := fragments(docA)
	final := wholeItem(0, callA, bus, docA)
	one := complete("completed", whole("0", callA, bus, docA))
	s.add("numbers-missing", "No event has a number.", specResp, &bareResponses().start().call(0, callA, bus, a...).completed(final).stream, one)
	s.add("numbers-from-one", "The numbers begin at 1.", specResp, &newResponses().skip(1).start().call(0, callA, bus, a...).completed(final).stream, one)
	s.add("number-left-out", "A fragment was lost inside a string. The document is valid, and the numbers show it.", specResp,
		&newResponses().start().open(0, callA, bus).piece(0, `{"stop":"Mill`).skip(1).piece(0, ` Lane"}`).completed().stream,
		broken("sequence-gap", "", lost("0", callA, bus, "protocol-error")))
	replay := newResponses().start().open(0, callA, bus).piece(0, `{"stop":"Mill`).piece(0, ` Lane`)
	replay.again(1)
	s.add("number-again", "A fragment came twice inside a string. The document is valid, and the numbers show it.", specResp,
		&replay.piece(0, `"}`).completed().stream,
		broken("sequence-replay", "", lost("0", callA, bus, "protocol-error")))
	s.add("number-goes-back", "An event has a lower number than the one before it.", specResp,
		&newResponses().start().open(0, callA, bus).skip(-1).piece(0, docA).completed().stream,
		broken("sequence-replay", "", lost("0", callA, bus, "protocol-error")))
	s.add("numbers-from-the-middle", "The first event has the number 5: the beginning of the stream is not there.", specResp,
		&newResponses().skip(5).start().call(0, callA, bus, docA).completed(final).stream,
		broken("sequence-gap", ""))
}

func responsesErrors(s *set) {
	begun := func() *responses {
		return newResponses().start().call(0, callA, bus, docA).open(1, callB, bus).piece(1, `{"stop":`)
	}
	want := broken("provider-error", "", whole("0", callA, bus, docA), lost("1", callB, bus, "provider-error"))
	s.add("provider-error-flat", "The provider reports an error in its published shape.", specResp,
		&begun().typed("error", `"code":"server_error","message":"try later","param":null`).stream, want)
	s.add("provider-error-nested", "The provider reports an error in an object.", specResp,
		&begun().typed("error", `"error":{"type":"server_error","code":"overloaded","message":"try later","param":null}`).stream, want)
	s.add("provider-error-then-failed", "response.failed follows the provider's error.", specResp,
		&begun().typed("error", `"code":"server_error","message":"try later","param":null`).
			typed("response.failed", response("failed", `,"error":{"code":"server_error","message":"try later"},"output":[]`)).stream, want)
	s.add("provider-failed", "The response fails.", specResp,
		&begun().typed("response.failed", response("failed", `,"error":{"code":"server_error","message":"try later"},"output":[]`)).stream, want)
	s.add("provider-failed-without-error", "The response fails, and says nothing of why.", specResp,
		&begun().typed("response.failed", response("failed", `,"error":null,"output":[]`)).stream, want)
	s.add("provider-failed-open-call-parses", "The response fails, and the open document happens to parse.", "I4",
		&newResponses().start().open(0, callA, bus).piece(0, docA).argumentsDone(0, docA).typed("response.failed", response("failed", `,"error":{"code":"server_error","message":"try later"},"output":[]`)).stream,
		broken("provider-error", "", lost("0", callA, bus, "provider-error")))
	s.add("provider-error-first", "The provider reports an error before anything else.", specResp,
		&newResponses().typed("error", `"error":{"type":"invalid_request_error","code":null,"message":"no such model","param":"model"}`).stream,
		broken("provider-error", ""))
	s.add("provider-error-untyped", "The provider's error has the shape of its other endpoint: no type, only an error.", specResp,
		&begun().behind("data: {\"error\":{\"message\":\"try later\",\"type\":\"server_error\"}}\n\n").stream, want)
	s.add("restarted", "A proxy that retries has spliced a second answer into the first.", specResp,
		&bareResponses().start().open(0, callA, bus).piece(0, `{"stop":`).start().call(0, callB, bus, docB).completed().stream,
		broken("restarted", "", lost("0", callA, bus, "protocol-error")))
	s.add("restarted-behind-a-whole-call", "A second answer begins behind a call that was done. That one stays whole.", specResp,
		&bareResponses().start().call(0, callA, bus, docA).start().call(0, callB, bus, docB).completed().stream,
		broken("restarted", "", whole("0", callA, bus, docA)))
}

func responsesTruncated(s *set) {
	sound := func() *responses { return newResponses().start().text(0, prosaic) }
	open := cut("", text(prosaic), lost("1", callA, bus, "truncated"))
	s.add("truncated-after-a-fragment", "The stream ends behind a fragment.", "I4",
		&sound().open(1, callA, bus).piece(1, `{"stop":"Mill`).stream, open)
	s.add("truncated-open-call-parses", "The stream ends behind a fragment with which the document happens to parse. Nothing authorises it.", "I4",
		&sound().open(1, callA, bus).piece(1, docA).stream, open)
	s.add("truncated-after-the-announcement", "The stream ends behind the announcement.", "I4", &sound().open(1, callA, bus).stream, open)
	s.add("truncated-after-arguments-done", "The stream ends behind arguments.done, which also comes for a cut document. The item was never done.", "I4",
		&sound().open(1, callA, bus).piece(1, docA).argumentsDone(1, docA).stream, open)
	s.add("truncated-after-item-done", "The stream ends behind the end of a call. That call is whole, and the turn is not.", "I4",
		&sound().call(1, callA, bus, docA).stream, cut("", text(prosaic), whole("1", callA, bus, docA)))
	s.add("truncated-inside-a-frame", "The stream ends inside the frame of a fragment.", "I4",
		&sound().open(1, callA, bus).piece(1, `{"stop":`).piece(1, `"Mill Lane"}`).bytesCut(12).stream, open)
	s.add("truncated-inside-the-end-of-an-item", "The stream ends inside the frame that would have ended the call.", "I4",
		&sound().call(1, callA, bus, docA).bytesCut(8).stream, open)
	s.add("truncated-before-the-blank-line", "The last frame lacks nothing but its blank line. The standard discards it.", specSSE,
		&sound().call(1, callA, bus, docA).completed().bytesCut(1).stream, cut("", text(prosaic), whole("1", callA, bus, docA)))
	s.add("truncated-after-the-start", "The stream ends behind its beginning.", specResp, &newResponses().start().stream, cut(""))
	s.add("truncated-empty", "The stream has no byte.", specResp, &newResponses().stream, cut(""))
	s.add("no-stream-json", "The body is a JSON error and no stream.", specSSE,
		&newResponses().behind(`{"error":{"message":"no key","type":"invalid_request_error"}}`).stream, broken("not-a-stream", ""))
}

func responsesFrames(s *set) {
	a := fragments(docA)
	final := wholeItem(0, callA, bus, docA)
	begun := func() *responses { return newResponses().start().open(0, callA, bus).piece(0, a[0]) }
	open := lost("0", callA, bus, "protocol-error")
	const name = "response.function_call_arguments.delta"
	const head = `{"type":"response.function_call_arguments.delta","sequence_number":4,"item_id":"fc_example_A"`
	bad := func(vector, about, spec, payload string) {
		r := begun()
		r.event(name, payload)
		s.add(vector, about, spec, &r.skip(1).close(0, callA, bus, docA).completed(final).stream, broken("malformed-frame", "", open))
	}
	bad("frame-json-cut", "The JSON of an event ends in the middle.", specJSON, head+`,"output_index":0,"delta":"Mill`)
	bad("frame-json-trailing", "Something stands behind the JSON of an event.", specJSON, head+`,"output_index":0,"delta":""}}`)
	bad("frame-is-an-array", "The JSON of an event is an array.", specResp, `[`+head+`,"output_index":0,"delta":""}]`)
	bad("frame-is-text", "The data of an event is no JSON.", specResp, `upstream went away`)
	bad("frame-invalid-utf8", "A fragment holds a byte that is not UTF-8. A replacement character would be silent damage.", specJSON, head+",\"output_index\":0,\"delta\":\"caf\xe9\"}")
	bad("frame-duplicate-output-index", "An event has its position twice. Whose fragment it is would be a guess.", specResp, head+`,"output_index":0,"output_index":1,"delta":""}`)
	bad("frame-duplicate-fragment", "An event has its fragment twice.", specResp, head+`,"output_index":0,"delta":"a","delta":"b"}`)
	bad("frame-duplicate-fragment-escaped", "An event has its fragment twice, once spelled with an escape.", specResp, head+`,"output_index":0,"delta":"a","d\u0065lta":"b"}`)
	bad("frame-duplicate-type", "An event has its type twice.", specResp, head+`,"type":"keepalive","output_index":0,"delta":"a"}`)
	bad("frame-fragment-missing", "An event announces a fragment and has none.", specResp, head+`,"output_index":0}`)
	bad("frame-fragment-is-an-object", "The fragment of an event is an object.", specResp, head+`,"output_index":0,"delta":{"stop":"Mill Lane"}}`)
	bad("frame-output-index-is-text", "The position of an event is a string.", specResp, head+`,"output_index":"0","delta":""}`)
	bad("frame-output-index-is-a-fraction", "The position of an event is no whole number.", specResp, head+`,"output_index":0.5,"delta":""}`)
	bad("frame-number-is-text", "The number of an event is a string.", specResp, `{"type":"response.function_call_arguments.delta","sequence_number":"4","output_index":0,"delta":""}`)
	bad("frame-type-missing", "An event has no type.", specResp, `{"sequence_number":4,"output_index":0,"delta":""}`)
	bad("event-name-is-not-the-type", "The event is named as a fragment, and its data says keepalive. Which of the two is read would decide about a fragment.", specResp, `{"type":"keepalive","sequence_number":4}`)
	s.add("frame-item-missing", "An item is added, and the event has none.", specResp,
		&newResponses().start().typed("response.output_item.added", `"output_index":0`).completed().stream, broken("malformed-frame", ""))
	s.add("frame-item-is-an-array", "The item of an event is an array.", specResp, &newResponses().start().added(0, `[]`).completed().stream, broken("malformed-frame", ""))
	s.add("frame-item-duplicate-call-id", "The item of an event has its call_id twice.", specResp,
		&newResponses().start().open(0, callA, bus).with(`"call_id":"call_example_A"`, `"call_id":"call_example_A","call_id":"call_example_B"`).completed().stream,
		broken("malformed-frame", ""))
	s.add("frame-item-arguments-are-an-object", "The arguments of a function call's item are an object.", specResp,
		&begun().argumentsDone(0, docA).done(0, `{"id":"fc_example_A","type":"function_call","status":"completed","call_id":"call_example_A","name":"bus_times","arguments":`+docA+`}`).completed().stream,
		broken("malformed-frame", "", open))
	s.add("output-index-missing", "A fragment has no position. Absent is not 0.", specResp,
		&begun().typed(name, `"item_id":"fc_example_A","delta":"x"`).completed().stream, broken("missing-index", "", open))
	s.add("output-index-null", "The position of a fragment is null. Null is not 0.", specResp,
		&begun().typed(name, `"item_id":"fc_example_A","output_index":null,"delta":"x"`).completed().stream, broken("missing-index", "", open))
	s.add("output-index-missing-at-the-announcement", "An item is added without a position. Absent is not 0.", specResp,
		&newResponses().start().typed("response.output_item.added", `"item":`+callItem(itemA, callA, bus, "", "in_progress")).completed().stream, broken("missing-index", ""))
	s.add("unknown-delta-on-a-call", "A call gets a delta of an unknown type. A piece of its arguments could be in it.", specResp,
		&begun().typed("response.function_call_patch.delta", `"item_id":"fc_example_A","output_index":0,"delta":"x"`).close(0, callA, bus, docA).completed().stream,
		broken("unknown-delta", "", open))
	s.add("unknown-event", "An event is of an unknown type, and it is passed over.", specResp,
		&begun().typed("response.weather", `"forecast":"rain"`).piece(0, a[1]).piece(0, a[2]).close(0, callA, bus, docA).completed(final).stream,
		complete("completed", whole("0", callA, bus, docA)))
	s.add("unknown-members", "Events have members that nobody knows, and their own in another order.", specResp,
		&newResponses().start().
			typed("response.output_item.added", `"item":{"arguments":"","note":[{"output_index":9}],"name":"bus_times","call_id":"call_example_A","type":"function_call","id":"fc_example_A"},"extra":null,"output_index":0`).
			typed(name, `"delta":`+quote(docA)+`,"extra":{"delta":"x"},"output_index":0,"item_id":"fc_example_A"`).
			close(0, callA, bus, docA).completed(final).stream,
		complete("completed", whole("0", callA, bus, docA)))
	s.add("names-escaped", "The members and values of the events are spelled with escapes. They mean the same.", specJSON,
		&newResponses().start().
			typed("response.output_item.added", `"output\u005findex":0,"it\u0065m":{"id":"fc_example_A","type":"function\u005fcall","call\u005fid":"call_example\u005fA","n\u0061me":"bus\u005ftimes","arguments":""}`).
			typed(name, `"output\u005findex":0,"d\u0065lta":"\u007b\"stop\":\"Mill\u0020Lane\"}"`).
			close(0, callA, bus, docA).completed(final).stream,
		complete("completed", whole("0", callA, bus, docA)))
}

func responsesTransport(s *set) {
	want := complete("completed", text(prosaic), whole("1", callA, bus, docA), whole("2", callB, bus, docB))
	sound := func(r *responses) *stream {
		return &r.start().text(0, prosaic).call(1, callA, bus, fragments(docA)...).call(2, callB, bus, fragments(docB)...).completed().stream
	}
	transport(s, "", func() *stream { return sound(newResponses()) }, want)
	lines := newResponses()
	lines.framing = "ndjson"
	s.add("payload-per-line", "A capture with one payload a line, without the framing of the wire.", specNDJSON, sound(lines), want)
	unnamed := newResponses()
	unnamed.named = false
	s.add("no-event-lines", "The events have no name. Their type says what they are.", specResp, sound(unnamed), want)
}

func responsesDialects(s *set) {
	a := fragments(docA)
	final := wholeItem(0, callA, bus, docA)
	one := complete("completed", whole("0", callA, bus, docA))
	open := func(reason string) part { return lost("0", callA, bus, reason) }
	s.deviation("empty-arguments", "A call ended without a byte of arguments.",
		&newResponses().start().call(0, callA, bus).completed().stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "empty-document")),
		complete("completed", whole("0", callA, bus, `{}`)), "empty-arguments")
	s.beyond("empty-arguments-cut", "No byte of arguments in a cut answer: they were lost, in every dialect.",
		&newResponses().start().open(0, callA, bus).argumentsDone(0, "").done(0, callItem(itemA, callA, bus, "", "incomplete")).cutOff("max_output_tokens").stream,
		incomplete("calls-failed", "max_output_tokens", open("token-limit")), "empty-arguments")
	s.deviation("repeated-start", "The same response.created comes twice, before anything else.",
		&bareResponses().typed("response.created", response("in_progress", `,"output":[]`)).start().call(0, callA, bus, docA).completed(final).stream,
		broken("restarted", ""), one, "repeated-start")
	s.beyond("repeated-start-another-id", "Another response.created is another turn.",
		&bareResponses().typed("response.created", response("in_progress", `,"output":[]`)).with("resp_example_1", "resp_example_2").start().call(0, callA, bus, docA).completed(final).stream,
		broken("restarted", ""), "repeated-start")
	s.deviation("resumed-stream", "The first event has the number 5, and a call is announced behind it.",
		&newResponses().skip(5).start().call(0, callA, bus, docA).completed(final).stream,
		broken("sequence-gap", ""), one, "resumed-stream")
	s.beyond("resumed-stream-inside-a-call", "A stream that was taken up behind an announcement has fragments without an owner.",
		&newResponses().skip(5).piece(0, a[2]).close(0, callA, bus, docA).completed(final).stream,
		broken("unannounced", ""), "resumed-stream")
	s.deviation("sequence-gap", "Numbers are left out between items.",
		&newResponses().start().skip(3).call(0, callA, bus, docA).completed(final).stream,
		broken("sequence-gap", ""), one, "sequence-gap")
	s.beyond("sequence-gap-in-a-call", "A fragment was lost, and the copy of the arguments shows it.",
		&newResponses().start().open(0, callA, bus).piece(0, `{"stop":"Mill`).skip(1).piece(0, `"}`).close(0, callA, bus, docA).completed().stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "document-mismatch")), "sequence-gap")
	replayed := func() *responses {
		r := newResponses().start().open(0, callA, bus).piece(0, a[0]).piece(0, a[1])
		r.again(2)
		return r
	}
	s.deviation("replayed-events", "Two events come again, byte for byte.",
		&replayed().piece(0, a[2]).close(0, callA, bus, docA).completed(final).stream,
		broken("sequence-replay", "", open("protocol-error")), one, "replayed-events")
	s.beyond("replayed-events-with-other-bytes", "An event comes again with other bytes.",
		&newResponses().start().open(0, callA, bus).piece(0, a[0]).skip(-1).piece(0, a[1]).piece(0, a[2]).completed().stream,
		broken("sequence-replay", "", open("protocol-error")), "replayed-events")
	s.deviation("no-item-done", "output_item.done never comes, and response.completed repeats the call.",
		&newResponses().start().open(0, callA, bus).piece(0, a[0]).piece(0, a[1]).piece(0, a[2]).argumentsDone(0, docA).completed(final).stream,
		incomplete("calls-failed", "completed", open("unfinished")), one, "no-item-done")
	s.beyond("no-item-done-fragments-alone", "Fragments without any copy of the document are not enough.",
		&newResponses().start().open(0, callA, bus).piece(0, docA).completed().stream,
		incomplete("calls-failed", "completed", open("unfinished")), "no-item-done")
	s.beyond("no-item-done-copy-is-incomplete", "The copy in the final output says that the call was cut.",
		&newResponses().start().open(0, callA, bus).piece(0, docA).completed(callItem(itemA, callA, bus, docA, "incomplete")).stream,
		incomplete("calls-failed", "completed", open("unfinished")), "no-item-done")
	s.deviation("arguments-only-in-completed", "The call stands in the output of response.completed and nowhere else.",
		&newResponses().start().text(0, prosaic).completed(messageItem(prosaic, "completed"), wholeItem(1, callA, bus, docA)).stream,
		broken("unannounced", "", text(prosaic)), complete("completed", text(prosaic), whole("1", callA, bus, docA)), "arguments-only-in-completed")
	s.beyond("arguments-only-in-completed-place-taken", "The call in the final output stands where another item is.",
		&newResponses().start().call(0, callA, bus, docA).completed(wholeItem(1, callB, bus, docB), final).stream,
		broken("unannounced", "", whole("0", callA, bus, docA)), "arguments-only-in-completed")
	s.deviation("obfuscated-deltas", "The deltas are cipher text, and the copies are not.",
		&newResponses().start().open(0, callA, bus).piece(0, "c2VjcmV0").piece(0, "LWJ5dGVz").close(0, callA, bus, docA).completed(final).stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "document-mismatch")), one, "obfuscated-deltas")
	s.beyond("obfuscated-deltas-without-a-copy", "The deltas are cipher text, and no copy came.",
		&newResponses().start().open(0, callA, bus).piece(0, "c2VjcmV0").
			done(0, `{"id":"fc_example_A","type":"function_call","status":"completed","call_id":"call_example_A","name":"bus_times"}`).completed().stream,
		incomplete("calls-failed", "completed", wrong("0", callA, bus, "empty-document")), "obfuscated-deltas")
}
