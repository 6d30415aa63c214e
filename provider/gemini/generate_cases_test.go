package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/wholecalltest"
)

const (
	tide   = `{"functionCall":{"id":"a1","name":"tide","args":{"port": "Ost"}}}`
	moon   = `{"functionCall":{"id":"b2","name":"moon","args":{"day":3}}}`
	noID   = `{"functionCall":{"name":"tide","args":{"port":"Ost"}}}`
	begins = `{"functionCall":{"name":"plan","willContinue":true}}`
	ends   = `{"functionCall":{}}`
)

// patches is a part that brings patches to the open call.
func patches(more bool, list ...string) string {
	return fmt.Sprintf(`{"functionCall":{"partialArgs":[%s],"willContinue":%v}}`, strings.Join(list, ","), more)
}

func str(path, value string, more bool) string {
	return fmt.Sprintf(`{"jsonPath":"%s","stringValue":"%s","willContinue":%v}`, path, value, more)
}

func num(path, value string) string {
	return fmt.Sprintf(`{"jsonPath":"%s","numberValue":%s}`, path, value)
}

type oddity struct {
	name   string
	stream string
	want   string
}

func check(t *testing.T, all []oddity, opts ...wholecall.Option) {
	t.Helper()
	r := wholecalltest.Rand(t)
	for _, c := range all {
		got := wholecalltest.Read(strings.NewReader(c.stream), gemini.GenerateContent, opts...).String()
		if got != c.want+"\n" {
			t.Errorf("%s: got\n%s want\n%s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, gemini.GenerateContent, []byte(c.stream), r, opts...)
	}
}

func TestWholeCalls(t *testing.T) {
	const one, two = "\ncall a1 tide {\"port\": \"Ost\"}", "\ncall b2 moon {\"day\":3}"
	check(t, []oddity{
		{"each in a chunk of its own", sse(parts(tide), parts(moon), stop), "outcome complete stop STOP" + one + two},
		{"several in a chunk", sse(parts(tide+","+moon), stop), "outcome complete stop STOP" + one + two},
		{"in the chunk that finishes", sse(strings.Replace(stop, `{"text":""}`, tide, 1)), "outcome complete stop STOP" + one},
		{"two equal parts without an id are two calls", sse(parts(noID), parts(noID), stop),
			"outcome complete stop STOP\ncall wholecall_1 tide {\"port\":\"Ost\"}\ncall wholecall_2 tide {\"port\":\"Ost\"}"},
		{"an id again", sse(parts(tide), parts(tide), stop), "outcome failed duplicate-id" + one},
		{"an empty id is none", sse(parts(`{"functionCall":{"id":"","name":"tide","args":{}}}`), stop),
			"outcome complete stop STOP\ncall wholecall_1 tide {}"},
		{"no args", sse(parts(`{"functionCall":{"name":"tide"}}`), stop), "outcome complete stop STOP\ncall wholecall_1 tide {}"},
		{"no args, cut", sse(parts(`{"functionCall":{"name":"tide"}}`), finish(`"MAX_TOKENS"`)),
			"outcome incomplete calls-failed stop MAX_TOKENS\nfailed wholecall_1 tide token-limit"},
		{"args that are null are none", sse(parts(`{"functionCall":{"name":"tide","args":null}}`), stop), "outcome complete stop STOP\ncall wholecall_1 tide {}"},
		{"args that are text", sse(parts(`{"functionCall":{"name":"tide","args":"{}"}}`), stop), "outcome failed malformed-frame"},
		{"args with a member twice", sse(parts(`{"functionCall":{"id":"a1","name":"tide","args":{"a":1,"a":2}}}`), parts(moon), stop),
			"outcome incomplete calls-failed stop STOP\nfailed a1 tide argument-error duplicate-member" + two},
		{"a name twice", sse(parts(`{"functionCall":{"name":"tide","name":"moon"}}`), stop), "outcome failed malformed-frame"},
		{"two things in a part", sse(parts(`{"text":"x","functionCall":{"name":"tide"}}`), stop), "outcome failed malformed-frame"},
		{"a new member beside a call", sse(parts(`{"functionCall":{"id":"a1","name":"tide","args":{"port": "Ost"}},"novelty":{}}`), stop), "outcome complete stop STOP" + one},
		{"a call behind the finish", sse(parts(tide), stop, parts(moon), stop), "outcome complete stop STOP" + one + two},
		{"no finish", sse(parts(tide)), "outcome incomplete truncated" + one},
		{"one of two candidates finishes", sse(parts(tide), `{"candidates":[{"index":1,"content":{"parts":[`+tide+`]}}]}`, stop), "outcome incomplete truncated stop STOP" + one + one},
		{"two candidates with one id", sse(`{"candidates":[{"content":{"parts":[` + tide + `]},"finishReason":"STOP"},{"index":1,"content":{"parts":[` + tide + `]},"finishReason":"STOP"}]}`),
			"outcome complete stop STOP" + one + one},
		{"another response", sse(parts(tide), strings.Replace(parts(moon), "r1", "r2", 1), stop), "outcome failed restarted" + one},
		{"a sentinel", sse(parts(tide), stop, "[DONE]"), "outcome complete stop STOP" + one},
		{"no JSON", sse(parts(tide), "{", stop), "outcome failed malformed-frame" + one},
		{"null where nothing is", sse(`{"candidates":[{"content":null,"finishReason":null},{"index":1,"content":{"parts":null}}]}`, parts(`{"text":null}`), stop, strings.Replace(stop, `}]}`, `,"index":1}]}`, 1)),
			"outcome complete stop STOP"},
	})
}

func TestFinishReasons(t *testing.T) {
	blocked := `{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[]}}`
	check(t, []oddity{
		{"twice", sse(parts(`{"text":"a"}`), stop, parts(`{"text":"b"}`), stop), "outcome complete stop STOP\ntext \"a\"\ntext \"b\""},
		{"another one", sse(parts(`{"text":"a"}`), stop, finish(`"RECITATION"`)), "outcome failed repeated-finish stop STOP\ntext \"a\""},
		{"not yet", sse(`{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}`, `{"candidates":[{"finishReason":""}]}`, stop), "outcome complete stop STOP"},
		{"as a number", sse(parts(tide), finish("1")), "outcome complete stop STOP\ncall a1 tide {\"port\": \"Ost\"}"},
		{"a cut as a number", sse(parts(`{"functionCall":{"name":"tide"}}`), finish("2")),
			"outcome incomplete calls-failed stop MAX_TOKENS\nfailed wholecall_1 tide token-limit"},
		{"a number with two meanings", sse(parts(tide), finish("9")), "outcome failed malformed-frame\ncall a1 tide {\"port\": \"Ost\"}"},
		{"filtered", sse(parts(`{"functionCall":{"name":"tide"}}`), finish(`"SPII"`)),
			"outcome incomplete calls-failed stop SPII\nfailed wholecall_1 tide content-filter"},
		{"not known", sse(parts(`{"functionCall":{"name":"tide"}}`), finish(`"NOVELTY"`)),
			"outcome incomplete calls-failed stop NOVELTY\nfailed wholecall_1 tide provider-error"},
		{"to be continued", sse(parts(`{"functionCall":{"name":"tide"}}`), finish(`"CONTINUATION"`)),
			"outcome incomplete calls-failed stop CONTINUATION\nfailed wholecall_1 tide paused"},
		{"a dropped call", sse(finish(`"MALFORMED_FUNCTION_CALL"`)), "outcome failed provider-error stop MALFORMED_FUNCTION_CALL"},
		{"a dropped call beside a good one", sse(parts(tide), finish(`"UNEXPECTED_TOOL_CALL"`)),
			"outcome failed provider-error stop UNEXPECTED_TOOL_CALL\ncall a1 tide {\"port\": \"Ost\"}"},
		{"a prompt that was blocked", sse(blocked), "outcome failed provider-error"},
		{"a prompt that was rated", sse(`{"promptFeedback":{"safetyRatings":[]}}`, stop), "outcome complete stop STOP"},
		{"an error as data", sse(parts(tide), `{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}`),
			"outcome failed provider-error\ncall a1 tide {\"port\": \"Ost\"}"},
		{"an error beside the events", sse(parts(tide)) + "{\n  \"error\": {\n    \"code\": 499,\n    \"status\": \"CANCELLED\"\n  }\n}\n\n" + sse(stop),
			"outcome failed provider-error\ncall a1 tide {\"port\": \"Ost\"}"},
		{"an error beside the events that can't be read", sse(parts(tide)) + "{\n  \"error\": {\n\n" + sse(stop),
			"outcome failed provider-error\ncall a1 tide {\"port\": \"Ost\"}"},
		{"other lines beside the events", sse(parts(tide)) + "hello\n\n" + sse(stop), "outcome complete stop STOP\ncall a1 tide {\"port\": \"Ost\"}"},
	})
}

func TestProviderErrorSaysWhatTheAPISaid(t *testing.T) {
	for _, c := range []struct{ stream, want string }{
		{sse(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"no such thing"}]}`),
			"provider-error: MALFORMED_FUNCTION_CALL: no such thing (frame 1, byte 0)"},
		{sse(`{"promptFeedback":{"blockReason":"OTHER","blockReasonMessage":"why"}}`), "provider-error: OTHER: why (frame 1, byte 0)"},
		{sse(`{"promptFeedback":{"blockReason":3}}`), "provider-error: 3: the prompt was blocked (frame 1, byte 0)"},
		{"{\n  \"error\": {\n    \"code\": 499,\n    \"message\": \"gone\",\n    \"status\": \"CANCELLED\"\n  }\n}\n\n", "provider-error: CANCELLED: 499: gone (frame 1, byte 0)"},
	} {
		turn := wholecall.NewTurn(strings.NewReader(c.stream), gemini.GenerateContent)
		wholecalltest.Drain(turn)
		if err := turn.Err(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestStreamedArguments(t *testing.T) {
	call := func(doc string) string { return "outcome complete stop STOP\ncall wholecall_1 plan " + doc }
	failed := func(kind string) string {
		return "outcome incomplete calls-failed stop STOP\nfailed wholecall_1 plan argument-error " + kind
	}
	streamed := func(all ...string) string {
		chunks := []string{parts(begins)}
		for _, p := range all {
			chunks = append(chunks, parts(p))
		}
		return sse(append(chunks, stop)...)
	}
	check(t, []oddity{
		{"a string in pieces", streamed(patches(true, str("$.port", "O", true)), patches(true, str("$.port", "st", true)), patches(true, str("$.port", "", false)), ends), call(`{"port":"Ost"}`)},
		{"the last piece closes", streamed(patches(true, str("$.port", "O", true)), patches(false, str("$.port", "st", false))), call(`{"port":"Ost"}`)},
		{"every kind of value", streamed(patches(false, num("$.a", "-0.50"), `{"jsonPath":"$.b","boolValue":false}`, `{"jsonPath":"$.c","nullValue":null}`, `{"jsonPath":"$.d","nullValue":"NULL_VALUE"}`, str("$.e", "", false))),
			call(`{"a":-0.50,"b":false,"c":null,"d":null,"e":""}`)},
		{"nested", streamed(patches(true, str("$.stops[0].city", "Linz", false), num("$.stops[0].nights", "2")), `{"functionCall":{"willContinue":true}}`, patches(true, str("$.stops[1].city", "Graz", false), num("$.stops[0].beds", "1")), ends),
			call(`{"stops":[{"city":"Linz","nights":2,"beds":1},{"city":"Graz"}]}`)},
		{"quoted names", streamed(patches(false, num("$['a.b']['it\\\\'s'][\\\"c\\\"]", "1"), num("$['\\\\u00e9']", "2"))), call(`{"a.b":{"it's":{"c":1}},"é":2}`)},
		{"escapes stay", streamed(patches(true, str("$.a", `\ud83d`, true)), patches(false, str("$.a", `\ude00\n`, false))), call(`{"a":"\ud83d\ude00\n"}`)},
		{"no patch at all", streamed(ends), call("{}")},
		{"name and patches in one part", sse(parts(`{"functionCall":{"name":"plan","partialArgs":[`+num("$.a", "1")+`]}}`), stop), call(`{"a":1}`)},
		{"text between", streamed(patches(true, num("$.a", "1")), `{"text":"hm"}`, ends), call("{\"a\":1}\ntext \"hm\"")},

		{"a closed string again", streamed(patches(true, str("$.a", "x", false)), patches(false, str("$.a", "y", false))), failed("incomplete-json")},
		{"a string goes on as a number", streamed(patches(true, str("$.a", "x", true)), patches(false, num("$.a", "1"))), failed("incomplete-json")},
		{"a number again", streamed(patches(false, num("$.a", "1"), num("$.a", "1"))), failed("incomplete-json")},
		{"a number that goes on", streamed(patches(false, `{"jsonPath":"$.a","numberValue":1,"willContinue":true}`)), failed("incomplete-json")},
		{"a member of a number", streamed(patches(false, num("$.a", "1"), num("$.a.b", "1"))), failed("incomplete-json")},
		{"a value in place of an object", streamed(patches(false, num("$.a.b", "1"), num("$.a", "1"))), failed("incomplete-json")},
		{"an element of an object", streamed(patches(false, num("$.a.b", "1"), num("$.a[0]", "1"))), failed("incomplete-json")},
		{"a gap in an array", streamed(patches(false, num("$.a[1]", "1"))), failed("incomplete-json")},
		{"arguments that are an array", streamed(patches(false, num("$[0]", "1"))), failed("incomplete-json")},
		{"a string without its end", streamed(patches(true, str("$.a", "x", true)), ends), failed("incomplete-json")},
		{"half a character", streamed(patches(false, str("$.a", `\ud83d`, false))), failed("lone-surrogate")},
		{"the root", streamed(patches(false, num("$", "1"))), failed("incomplete-json")},
		{"no path", streamed(patches(false, `{"numberValue":1}`)), failed("incomplete-json")},
		{"a sibling goes on", streamed(patches(false, num("$.a[1]", "1")), moon), failed("incomplete-json") + "\ncall b2 moon {\"day\":3}"},

		{"never ended", streamed(patches(true, num("$.a", "1"))), "outcome incomplete calls-failed stop STOP\nfailed wholecall_1 plan unfinished"},
		{"cut", sse(parts(begins), parts(patches(true, num("$.a", "1")))), "outcome incomplete truncated\nfailed wholecall_1 plan truncated"},
		{"another call while one is open", streamed(patches(true, num("$.a", "1")), moon), "outcome failed conflicting-identity\nfailed wholecall_1 plan protocol-error"},
		{"the name again", streamed(`{"functionCall":{"name":"plan","partialArgs":[` + num("$.a", "1") + `]}}`), "outcome failed conflicting-identity\nfailed wholecall_1 plan protocol-error"},
		{"another id", streamed(`{"functionCall":{"id":"z9"}}`), "outcome failed conflicting-identity\nfailed wholecall_1 plan protocol-error"},
		{"args for patches", streamed(`{"functionCall":{"args":{"a":1}}}`), "outcome failed mismatched-part\nfailed wholecall_1 plan protocol-error"},
		{"args and patches", sse(parts(`{"functionCall":{"name":"plan","args":{"a":1},"willContinue":true}}`), stop), "outcome failed mismatched-part\nfailed wholecall_1 plan protocol-error"},
		{"a value of a new kind", streamed(patches(false, `{"jsonPath":"$.a","structValue":{}}`)), "outcome failed unknown-delta\nfailed wholecall_1 plan protocol-error"},
		{"two values", streamed(patches(false, `{"jsonPath":"$.a","numberValue":1,"stringValue":"1"}`)), "outcome failed malformed-frame\nfailed wholecall_1 plan protocol-error"},
		{"patches for nobody", sse(parts(patches(false, num("$.a", "1"))), stop), "outcome failed unannounced"},
		{"an end for nobody", sse(parts(tide), parts(ends), stop), "outcome failed unannounced\ncall a1 tide {\"port\": \"Ost\"}"},
		{"patches of two candidates", sse(
			`{"candidates":[{"content":{"parts":[`+begins+`]}},{"index":1,"content":{"parts":[`+begins+`]}}]}`,
			`{"candidates":[{"content":{"parts":[`+patches(false, num("$.a", "1"))+`]}},{"index":1,"content":{"parts":[`+patches(false, num("$.a", "2"))+`]}}]}`,
			`{"candidates":[{"finishReason":"STOP"},{"index":1,"finishReason":"STOP"}]}`),
			"outcome complete stop STOP\ncall wholecall_1 plan {\"a\":1}\ncall wholecall_2 plan {\"a\":2}"},
	})
}

func TestNamelessContinuation(t *testing.T) {
	const named, args, empty = `{"functionCall":{"name":"tide","args":{ }}}`, `{"functionCall":{"args":{"port":"Ost"}}}`, `{"functionCall":{"args":{}}}`
	check(t, []oddity{
		{"the arguments in a second part", sse(parts(named), parts(args), parts(moon), stop), "outcome complete stop STOP\ncall wholecall_1 tide {\"port\":\"Ost\"}\ncall b2 moon {\"day\":3}"},
		{"none in either", sse(parts(named), parts(empty), parts(named), parts(empty), stop), "outcome complete stop STOP\ncall wholecall_1 tide {}\ncall wholecall_2 tide {}"},
		{"none", sse(parts(named), parts(moon), stop), "outcome complete stop STOP\ncall wholecall_1 tide { }\ncall b2 moon {\"day\":3}"},
		{"none, and no finish", sse(parts(named)), "outcome incomplete truncated\nfailed wholecall_1 tide truncated"},
		{"a third part", sse(parts(named), parts(args), parts(args), stop), "outcome failed unannounced\ncall wholecall_1 tide {\"port\":\"Ost\"}"},
		{"text between", sse(parts(named), parts(`{"text":"x"}`), parts(args), stop), "outcome failed unannounced\ncall wholecall_1 tide { }\ntext \"x\""},
		{"a finish between", sse(parts(named), stop, parts(args)), "outcome failed unannounced stop STOP\ncall wholecall_1 tide { }"},
		{"behind a call with arguments", sse(parts(moon), parts(args), stop), "outcome failed unannounced\ncall b2 moon {\"day\":3}"},
	}, gateway)
	for stream, want := range map[string]string{
		sse(parts(named), parts(args), stop):                        "nameless-continuation",
		sse(parts(moon), parts(args), stop):                         "",
		sse(parts(named), parts(ends), stop):                        "",
		sse(parts(named), parts(`{"text":"x"}`), parts(args), stop): "",
	} {
		turn := wholecall.NewTurn(strings.NewReader(stream), gemini.GenerateContent)
		wholecalltest.Drain(turn)
		pe, ok := turn.Err().(*wholecall.ProtocolError)
		if !ok || pe.Kind != wholecall.Unannounced || pe.Switch != want {
			t.Errorf("%s: got %v, want the switch %q", stream, turn.Err(), want)
		}
	}
}

func TestParts(t *testing.T) {
	check(t, []oddity{
		{"text and thoughts", sse(parts(`{"text":"a","thought":true}`), parts(`{"thought":true,"text":"b"},{"text":"c"}`), parts(`{"text":"d"},`+tide+`,{"text":"e"}`), stop),
			"outcome complete stop STOP\nreasoning \"ab\"\ntext \"cd\"\ncall a1 tide {\"port\": \"Ost\"}\ntext \"e\""},
		{"a signature in a piece of its own", sse(parts(`{"text":"a"}`), parts(`{"text":"","thoughtSignature":"c2ln"}`), parts(`{"text":"b"}`), stop),
			"outcome complete stop STOP\ntext \"a\" signed \"c2ln\"\ntext \"b\""},
		{"a signature with text", sse(parts(`{"text":"a"},{"text":"b","thoughtSignature":"c2ln"},{"text":"c"}`), stop),
			"outcome complete stop STOP\ntext \"a\"\ntext \"b\" signed \"c2ln\"\ntext \"c\""},
		{"a signature alone", sse(parts(`{"thoughtSignature":"c2ln"}`), stop), "outcome complete stop STOP\ntext \"\" signed \"c2ln\""},
		{"a signature of another kind", sse(parts(`{"text":"a","thought":true},{"text":"","thoughtSignature":"c2ln"}`), stop),
			"outcome complete stop STOP\nreasoning \"a\"\ntext \"\" signed \"c2ln\""},
		{"code", sse(parts(`{"executableCode":{"language":"PYTHON","code":"print(\"x\")\n"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"x"}}`), stop),
			"outcome complete stop STOP\nserver_call wholecall_1 executableCode print(\"x\")\n\ndata codeExecutionResult {\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"x\"}}"},
		{"a tool of the API's", sse(parts(`{"toolCall":{"toolType":"FILE_SEARCH","id":"s1","args":{"q":1}}},{"toolResponse":{"id":"s1"}}`), stop),
			"outcome complete stop STOP\nserver_call s1 FILE_SEARCH {\"q\":1}\ndata toolResponse {\"toolResponse\":{\"id\":\"s1\"}}"},
		{"data and what is not known", sse(parts(`{"inlineData":{"data":"aGk="},"thoughtSignature":"c2ln"},{"novelty":[1]},{}`), stop),
			"outcome complete stop STOP\ndata inlineData {\"inlineData\":{\"data\":\"aGk=\"},\"thoughtSignature\":\"c2ln\"}\ndata novelty {\"novelty\":[1]}"},
		{"where a text is from", sse(parts(`{"text":"a"}`), `{"candidates":[{"groundingMetadata":{"x":1},"citationMetadata":{}}]}`, stop),
			"outcome complete stop STOP\ntext \"a\" note {\"citationMetadata\":{}} note {\"groundingMetadata\":{\"x\":1}}"},
		{"where nothing is from", sse(`{"candidates":[{"groundingMetadata":{"x":1},"finishReason":"STOP"}]}`), "outcome complete stop STOP"},
	})
}

func TestExtraAndCounts(t *testing.T) {
	stream := sse(
		parts(`{"functionCall":{"name":"tide","args":{}},"thoughtSignature":"a\/b"},`+tide+`,{"executableCode":{"id":"x1","language":"PYTHON","code":"1"}}`),
		parts(begins), parts(`{"functionCall":{},"thoughtSignature":"late"}`),
		`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"toolUsePromptTokenCount":2,"candidatesTokenCount":3,"thoughtsTokenCount":4,"cachedContentTokenCount":1}}`)
	turn := wholecall.NewTurn(strings.NewReader(stream), gemini.GenerateContent)
	wholecalltest.Drain(turn)
	calls := turn.Completed()
	if len(calls) != 3 || string(calls[0].Extra()) != `{"thoughtSignature":"a\/b","generated_id":true}` || calls[1].Extra() != nil ||
		string(calls[2].Extra()) != `{"generated_id":true}` || calls[2].Key() != (wholecall.Key{Index: 3}) {
		t.Errorf("got %v", calls)
	}
	if s := turn.ServerCalls(); len(s) != 1 || string(s[0].Extra()) != `{"type":"executableCode","language":"PYTHON"}` || s[0].Form() != wholecall.TextArguments {
		t.Errorf("got %v", s)
	}
	if got := fmt.Sprint(turn.Deviations()); got != "[{generated-id 2} {late-signature 1}]" {
		t.Error(got)
	}
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 7, Output: 7, CacheRead: 1, Reasoning: 4}) {
		t.Errorf("got %+v", u)
	}
	if turn.ID() != "r1" || turn.Model() != "m" {
		t.Error(turn.ID(), turn.Model())
	}
}

// TestArray: the JSON array is the same protocol. Without its last bracket it is cut.
func TestArray(t *testing.T) {
	for _, c := range []oddity{
		{"whole", "[" + parts(tide) + "\n,\r\n" + stop + "\n]", "outcome complete stop STOP\ncall a1 tide {\"port\": \"Ost\"}"},
		{"cut before the finish", "[" + parts(tide) + ",\n{\"candidates\":", "outcome incomplete truncated\ncall a1 tide {\"port\": \"Ost\"}"},
		{"an error", `[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]`, "outcome failed provider-error"},
		{"no array", parts(tide), "outcome failed malformed-frame"},
	} {
		got := wholecalltest.Read(strings.NewReader(c.stream), gemini.GenerateContent, asArray).String()
		if got != c.want+"\n" {
			t.Errorf("%s: got\n%s want\n%s", c.name, got, c.want)
		}
	}
}

// TestTheEndOfTheBodyIsNotTheEndOfAFrame: nothing but the end of the body ends a turn here, so that a body
// that ends inside a frame, or inside its array, must not pass for one that ended well.
func TestTheEndOfTheBodyIsNotTheEndOfAFrame(t *testing.T) {
	const one = "\ncall a1 tide {\"port\": \"Ost\"}"
	whole := sse(parts(tide), stop)
	check(t, []oddity{
		{"inside a frame behind the finish", whole + "data: {\"usageMeta", "outcome incomplete truncated stop STOP" + one},
		{"before the blank line of the finish", strings.TrimRight(whole, "\r\n"), "outcome incomplete truncated" + one},
	})
	array := wholecall.WithFraming(func(limit int) frame.Framer { return jsonarray.New(limit) })
	check(t, []oddity{
		{"an array", "[" + parts(tide) + ",\n" + stop + "]", "outcome complete stop STOP" + one},
		{"an array without its end", "[" + parts(tide) + ",\n" + stop, "outcome incomplete truncated stop STOP" + one},
		{"an array that goes on", "[" + parts(tide) + ",\n" + stop + ",\n{\"usageMeta", "outcome incomplete truncated stop STOP" + one},
	}, array)
}
