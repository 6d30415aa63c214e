package main

import "strings"

// document is a document of arguments, and what must become of a call that has it.
type document struct {
	name, about string
	text        string
	kind        string // of the failure, "" where the call completes
}

const deepest = 512

// documents are the ways in which arguments can be right and wrong. Each protocol has a vector for
// each; text is cut into fragments at places that mean nothing.
func documents() []document {
	return []document{
		{"blanks-only", "The arguments are blanks and no value.", " \n", "empty-document"},
		{"cut", "The arguments end in the middle of an object.", `{"stop":"Mill Lane","line":`, "incomplete-json"},
		{"cut-in-string", "The arguments end inside a string.", `{"stop":"Mill La`, "incomplete-json"},
		{"cut-in-escape", "The arguments end behind a backslash.", `{"stop":"Mill\`, "incomplete-json"},
		{"cut-in-unicode-escape", "The arguments end inside a unicode escape.", `{"stop":"\u00e`, "incomplete-json"},
		{"cut-in-number", "The arguments end behind a number that could go on, inside an object.", `{"line":1`, "incomplete-json"},
		{"cut-in-literal", "The arguments end inside a literal.", `{"low":tru`, "incomplete-json"},
		{"cut-before-last-brace", "Only the last brace is missing. A parser that mends documents would call it whole.", `{"stop":"Mill Lane","lines":[4,7]`, "incomplete-json"},

		{"two-documents", "Two whole documents stand in one call. How many calls were meant can't be known.", docA + docB, "trailing-data"},
		{"same-document-twice", "The same document stands there twice, as after a replay.", docA + docA, "trailing-data"},
		{"trailing-garbage", "Something that is no JSON stands behind the document.", docA + "]", "trailing-data"},
		{"trailing-text", "A word stands behind the document.", docA + " done", "trailing-data"},

		{"duplicate-member", "A member stands twice at the top.", `{"stop":"Mill Lane","stop":"Old Dock"}`, "duplicate-member"},
		{"duplicate-member-same-value", "A member stands twice, with the same value.", `{"line":4,"line":4}`, "duplicate-member"},
		{"duplicate-member-deep", "A member stands twice in an object inside an array.", `{"stops":[{"name":"Mill Lane"},{"name":"Old Dock","zone":1,"name":"East Gate"}]}`, "duplicate-member"},
		{"duplicate-member-escaped", "A member stands twice, once spelled with an escape.", `{"line":4,"l\u0069ne":7}`, "duplicate-member"},
		{"same-member-in-two-objects", "Two objects have a member of one name, which is no duplicate.", `{"from":{"name":"Mill Lane"},"to":{"name":"Old Dock"}}`, ""},

		{"invalid-escape", "A string has an escape that JSON does not know.", `{"stop":"Mill\qLane"}`, "invalid-json"},
		{"invalid-unicode-escape", "A unicode escape has a letter that is no hexadecimal digit.", `{"stop":"\u00g9"}`, "invalid-json"},
		{"lone-high-surrogate", "A unicode escape is the first half of a pair, and the second is missing.", `{"sign":"\ud83d!"}`, "lone-surrogate"},
		{"lone-low-surrogate", "A unicode escape is the second half of a pair, and the first is missing.", `{"sign":"\ude8c"}`, "lone-surrogate"},
		{"swapped-surrogates", "The halves of a surrogate pair stand in the wrong order.", `{"sign":"\ude8c\ud83d"}`, "lone-surrogate"},
		{"raw-line-end-in-string", "A line end stands raw inside a string.", "{\"stop\":\"Mill\nLane\"}", "invalid-json"},
		{"raw-tab-in-string", "A tab stands raw inside a string.", "{\"stop\":\"Mill\tLane\"}", "invalid-json"},
		{"raw-nul-in-string", "A NUL stands raw inside a string.", "{\"stop\":\"Mill\x00Lane\"}", "invalid-json"},

		{"too-deep", "The arguments are nested one deeper than the bound of 512.", nested(deepest + 1), "too-deep"},
		{"just-deep-enough", "The arguments are nested as deep as the bound of 512 allows.", nested(deepest), ""},

		{"number-leading-zero", "A number has a leading zero.", `{"line":04}`, "invalid-json"},
		{"number-plus", "A number has a plus sign.", `{"line":+4}`, "invalid-json"},
		{"number-bare-point", "A number ends in its point.", `{"line":4.}`, "invalid-json"},
		{"number-no-integer", "A number begins with its point.", `{"line":.5}`, "invalid-json"},
		{"number-hexadecimal", "A number is hexadecimal.", `{"line":0x4}`, "invalid-json"},
		{"number-nan", "A value is NaN.", `{"line":NaN}`, "invalid-json"},
		{"number-infinity", "A value is minus infinity.", `{"line":-Infinity}`, "invalid-json"},
		{"number-empty-exponent", "A number has an exponent without digits.", `{"line":1e}`, "invalid-json"},
		{"number-large", "A number is larger than a double can hold. It is handed on as it stands.", `{"line":1e999,"id":123456789012345678901234567890}`, ""},
		{"number-minus-zero", "A number is minus zero. It is handed on as it stands.", `{"line":-0,"zone":-0.0E-0}`, ""},

		{"single-quotes", "The strings stand in single quotes.", `{'stop':'Mill Lane'}`, "invalid-json"},
		{"unquoted-name", "A member's name has no quotes.", `{stop:"Mill Lane"}`, "invalid-json"},
		{"comment", "A comment stands between the members.", `{"line":4,/* the fast one */"zone":1}`, "invalid-json"},
		{"comma-behind-last-member", "A comma stands behind the last member.", `{"line":4,}`, "invalid-json"},
		{"comma-missing", "No comma stands between two members.", `{"line":4 "zone":1}`, "invalid-json"},
		{"colon-missing", "No colon stands between a name and its value.", `{"line" 4}`, "invalid-json"},
		{"value-missing", "A member has no value.", `{"line":,"zone":1}`, "invalid-json"},
		{"wrong-closing-bracket", "An object is closed by the bracket of an array.", `{"line":4]`, "invalid-json"},
		{"literal-in-capitals", "A literal is written in capitals, as in Python.", `{"low":True}`, "invalid-json"},
		{"undefined", "A value is undefined, as in JavaScript.", `{"low":undefined}`, "invalid-json"},
		{"code-fence", "The document stands inside a code fence.", "```json\n" + docA + "\n```", "invalid-json"},
		{"byte-order-mark-before", "A byte order mark stands before the document.", "\ufeff" + docA, "invalid-json"},
		{"byte-order-mark-between", "A byte order mark stands between two members.", "{\"line\":4,\ufeff\"zone\":1}", "invalid-json"},
		{"byte-order-mark-in-string", "A byte order mark stands inside a string, where it is a character like any other.", "{\"stop\":\"Mill\ufeffLane\"}", ""},
		{"no-break-space", "A no-break space stands between two members, where only JSON's own blanks may.", "{\"line\":4,\u00a0\"zone\":1}", "invalid-json"},

		{"object-empty", "The arguments are an empty object, written out.", `{}`, ""},
		{"null", "The arguments are null: one JSON value. Whether a tool takes it is the tool's business.", `null`, ""},
		{"true", "The arguments are a literal: one JSON value.", `true`, ""},
		{"number", "The arguments are a number: one JSON value.", `42`, ""},
		{"string", "The arguments are a string: one JSON value. What it holds is not parsed again.", `"{\"line\":4}"`, ""},
		{"array", "The arguments are an array: one JSON value.", `[4,7]`, ""},
		{"blanks-around", "Blanks stand around the document, and stay part of its bytes.", " \n\t" + docA + "\r\n ", ""},
		{"blanks-inside", "The document is spread over lines.", "{\n  \"hue\": \"teal\",\n  \"litres\": 2\n}", ""},
		{"escapes", "A string has every short escape. The bytes stay as the model wrote them.", `{"text":"\"\\\/\b\f\n\r\t"}`, ""},
		{"escaped-nul", "A string holds an escaped NUL.", `{"text":"a\u0000b"}`, ""},
		{"surrogate-pair", "A character stands as a surrogate pair of escapes. The bytes stay as the model wrote them.", `{"sign":"\ud83d\ude8c"}`, ""},
		{"non-ascii", "Characters of two, three and four bytes stand unescaped.", `{"stop":"Gärtnerplatz","sign":"駅🚌"}`, ""},
		{"line-separator", "A line separator stands raw inside a string, which JSON allows.", "{\"text\":\"a\u2028b\"}", ""},
		{"noncharacter", "A noncharacter stands inside a string. It is valid UTF-8.", "{\"text\":\"a\uffffb\"}", ""},
		{"empty-name", "A member's name is empty.", `{"":4}`, ""},
		{"looks-like-a-call", "A string holds what looks like a call and a terminal.", `{"text":"[DONE] {\"tool_calls\":[{\"index\":0}]} message_stop"}`, ""},
	}
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// fragments cuts a document into three, at places that mean nothing but split no character.
func fragments(doc string) []string {
	r := []rune(doc)
	a, b := len(r)/3, 2*len(r)/3
	return []string{string(r[:a]), string(r[a:b]), string(r[b:])}
}

// split is a document, cut where a decoder could stumble. The fragments are given as they stand inside
// the JSON string of a frame.
type split struct {
	name, about string
	inner       []string
	text        string
}

func splits() []split {
	return []split{
		{"split-string", "A fragment ends inside a string.",
			[]string{`{\"stop\":\"Mil`, `l Lane\"}`}, docA},
		{"split-escape", "A fragment ends between a backslash and what it escapes.",
			[]string{`{\"stop\":\"a \\`, `\"quoted\\\" stop\"}`}, `{"stop":"a \"quoted\" stop"}`},
		{"split-unicode-escape", "A fragment ends inside a unicode escape of the document.",
			[]string{`{\"stop\":\"caf\\u0`, `0e9\"}`}, `{"stop":"caf\u00e9"}`},
		{"split-surrogate-escapes", "A fragment ends between the two escapes of a surrogate pair that the document spells out.",
			[]string{`{\"sign\":\"\\ud83d`, `\\ude8c\"}`}, `{"sign":"\ud83d\ude8c"}`},
		{"split-surrogate-pair", "The two halves of a character stand in two frames, each escaped in its own frame's JSON. They are joined.",
			[]string{`{\"sign\":\"\ud83d`, `\ude8c\"}`}, `{"sign":"🚌"}`},
		{"split-surrogate-pair-empty-between", "A fragment without a byte stands between the two halves of a character. They are joined.",
			[]string{`{\"sign\":\"\ud83d`, ``, `\ude8c\"}`}, `{"sign":"🚌"}`},
		{"split-nested-object", "A fragment ends inside an object inside the object.",
			[]string{`{\"trip\":{\"from\":\"Mill Lane\",`, `\"to\":\"Old Dock\"},\"zone\":1}`}, `{"trip":{"from":"Mill Lane","to":"Old Dock"},"zone":1}`},
		{"split-key-and-colon", "A fragment ends between a member's name and its colon.",
			[]string{`{\"stop\"`, `:\"Mill Lane\"}`}, docA},
		{"split-number", "A fragment ends inside a number.",
			[]string{`{\"line\":1`, `2}`}, `{"line":12}`},
		{"split-literal", "A fragment ends inside a literal.",
			[]string{`{\"low\":tr`, `ue}`}, `{"low":true}`},
		{"split-before-last-brace", "The last fragment is the closing brace alone.",
			[]string{`{\"stop\":\"Mill Lane\"`, `}`}, docA},
		{"split-each-character", "Each fragment is one character.",
			[]string{`{`, `\"`, `n`, `\"`, `:`, `\"`, `\u00e9`, `\\`, `\"`, `\"`, `}`}, `{"n":"é\""}`},
	}
}

// lone are fragments with half a character whose other half never comes.
func lone() []split {
	return []split{
		{"half-a-character-then-the-end", "Half a character stands escaped in a frame, and the string ends in the next.",
			[]string{`{\"sign\":\"\ud83d`, `\"}`}, ""},
		{"half-a-character-then-another", "Half a character stands escaped in a frame, and another character follows in the next.",
			[]string{`{\"sign\":\"\ud83d`, `a\"}`}, ""},
		{"second-half-without-first", "The second half of a character stands escaped in a frame, and the first never came.",
			[]string{`{\"sign\":\"`, `\ude8c\"}`}, ""},
	}
}
