package openai_test

import (
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
)

func frameOf(data string) *frame.Frame { return &frame.Frame{Number: 1, Data: []byte(data)} }

// responsesCases has a case for each rule of the decoder.
var responsesCases = slices.Concat(responsesCallCases, responsesTurnCases)

// responsesCallCases are about calls: their documents, their identity and their order.
var responsesCallCases = []responsesCase{
	// Calls.
	{
		name: "two calls of one tool, interleaved",
		stream: `
			created
			progress
			added 0 1:in_progress:
			added 1 2:in_progress:
			frag 0 {\"p\":
			frag 1 {\"p\":2
			frag 0 1}
			frag 1 }
			args 1 {\"p\":2}
			done 1 2:completed:{\"p\":2}
			args 0 {\"p\":1}
			done 0 1:completed:{\"p\":1}
			completed 1:completed:{\"p\":1} 2:completed:{\"p\":2}`,
		want: `
			call call_1 tide {"p":1}
			call call_2 tide {"p":2}`,
	},
	{
		name:   "no fragment: the copy is the document",
		stream: "created\nadded 0 1:in_progress:\nargs 0 {\\\"p\\\":1}\ndone 0 1:completed:{\\\"p\\\":1}\ncompleted",
		want:   `call call_1 tide {"p":1}`, devs: "arguments-only-in-done empty-final-output",
	},
	{
		name:   "only the item that is done has the document",
		stream: "created\nadded 0 1:in_progress:\ndone 0 1:completed:{}\ncompleted 1:completed:{}",
		want:   `call call_1 tide {}`, devs: "arguments-only-in-done",
	},
	{
		name:   "the document stands in the announcement",
		stream: "created\nadded 0 1:in_progress:{}\ndone 0 1:completed:{}\ncompleted 1:completed:{}",
		want:   `call call_1 tide {}`,
	},
	{
		name:   "the copies disagree",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {\\\"p\\\":1}\nargs 0 {\\\"p\\\":2}\ndone 0 1:completed:{\\\"p\\\":3}\ncompleted",
		want:   `failed call_1 tide argument-error document-mismatch`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "the copies differ as text and are one value",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {\\\"p\\\": 1}\nargs 0 {\\\"p\\\":1}\ndone 0 1:completed:{\\\"p\\\":1}\ncompleted 1::{\\\"p\\\":1.0}",
		want:   `call call_1 tide {"p": 1}`,
	},
	{
		name:   "the final copy disagrees",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {}\ndone 0 1:completed:{}\ncompleted 1:completed:{\\\"p\\\":1}",
		want:   `call call_1 tide {}`, err: wholecall.CopyMismatch,
	},
	{
		name:   "no arguments at all",
		stream: "created\nadded 0 1:in_progress:\nargs 0 \ndone 0 1:completed:\ncompleted 1:completed:",
		want:   `failed call_1 tide argument-error empty-document`, err: wholecall.CallsFailed, hint: "empty-arguments",
	},
	{
		name: "no arguments at all, allowed", allow: "empty-arguments",
		stream: "created\nadded 0 1:in_progress:\nargs 0 \ndone 0 1:completed:\ncompleted 1:completed:",
		want:   `call call_1 tide {}`, devs: "empty-arguments",
	},
	{
		name: "no arguments in a turn that was cut", allow: "empty-arguments",
		stream: "created\nadded 0 1:in_progress:\ndone 0 1:completed:\nincomplete max_output_tokens",
		want:   `failed call_1 tide token-limit`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "cut, though all its ends came",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {\\\"x\\\":48\nargs 0 {\\\"x\\\":48\ndone 0 1:incomplete:{\\\"x\\\":48\nincomplete max_output_tokens",
		want:   `failed call_1 tide token-limit`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "cut, though its document is whole",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {}\nargs 0 {}\ndone 0 1:incomplete:{}\nincomplete content_filter",
		want:   `failed call_1 tide content-filter`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "completed as an event, cut as a status",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {\n{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"status\":\"incomplete\",\"output\":[]}}",
		want:   `failed call_1 tide truncated`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "still in progress when done",
		stream: "created\nadded 0 1:in_progress:\nfrag 0 {}\ndone 0 1:in_progress:{}\ncompleted",
		want:   `failed call_1 tide unfinished`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name: "a program's call stays in progress",
		stream: `
			created
			added 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","caller":{"type":"program","caller_id":"call_p"},"status":"in_progress","arguments":""}
			frag 0 {}
			done 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","caller":{"type":"program","caller_id":"call_p"},"status":"in_progress","arguments":"{}"}
			completed`,
		want: `call call_1 tide {}`, devs: "empty-final-output",
	},
	{
		name: "one of a direct caller does not",
		stream: `
			created
			added 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","caller":{"type":"direct"},"arguments":""}
			frag 0 {}
			done 0 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"tide","caller":{"type":"direct"},"status":"in_progress","arguments":"{}"}
			completed`,
		want: `failed call_1 tide unfinished`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name: "free text",
		stream: `
			created
			added 0 {"type":"custom_tool_call","id":"ctc_1","call_id":"call_1","name":"sql","input":""}
			{"type":"response.custom_tool_call_input.delta","output_index":0,"item_id":"ctc_1","delta":"SELECT "}
			{"type":"response.custom_tool_call_input.delta","output_index":0,"item_id":"ctc_1","delta":"{"}
			{"type":"response.custom_tool_call_input.done","output_index":0,"item_id":"ctc_1","input":"SELECT {"}
			done 0 {"type":"custom_tool_call","id":"ctc_1","call_id":"call_1","name":"sql","input":"SELECT {","status":"completed"}
			completed`,
		want: `call call_1 sql SELECT {`, devs: "empty-final-output",
	},
	{
		name: "a surrogate pair cut between fragments",
		stream: `
			created
			added 0 1:in_progress:
			frag 0 {\"p\":\"\ud83d
			frag 0 \ude00\"}
			args 0 {\"p\":\"😀\"}
			done 0 1:completed:{\"p\":\"\ud83d\ude00\"}
			completed 1::{\"p\":\"😀\"}`,
		want: `call call_1 tide {"p":"😀"}`,
	},

	// Calls of the provider, and calls with an object for arguments.
	{
		name: "calls of the provider",
		stream: `
			created
			added 0 {"type":"web_search_call","id":"ws_1","status":"in_progress"}
			{"type":"response.web_search_call.searching","output_index":0,"item_id":"ws_1"}
			done 0 {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search", "query":"x"}}
			added 1 {"type":"image_generation_call","id":"ig_1","status":"in_progress"}
			{"type":"response.image_generation_call.partial_image","output_index":1,"partial_image_b64":"AA"}
			done 1 {"type":"image_generation_call","id":"ig_1","status":"generating","result":"AA"}
			added 2 {"type":"code_interpreter_call","id":"ci_1","status":"in_progress","code":"","container_id":"c"}
			{"type":"response.code_interpreter_call_code.delta","output_index":2,"delta":"print(1)"}
			{"type":"response.code_interpreter_call_code.done","output_index":2,"code":"print(1)"}
			done 2 {"type":"code_interpreter_call","id":"ci_1","status":"completed","code":"print(1)","container_id":"c"}
			added 3 {"type":"mcp_call","id":"mcp_1","name":"find","server_label":"s","arguments":""}
			{"type":"response.mcp_call_arguments.delta","output_index":3,"delta":"{}"}
			{"type":"response.mcp_call_arguments.done","output_index":3,"arguments":"{}"}
			done 3 {"type":"mcp_call","id":"mcp_1","name":"find","server_label":"s","arguments":"{}","status":"failed"}
			completed`,
		want: `
			server_call ws_1 web_search_call {"type":"search", "query":"x"}
			server_call ig_1 image_generation_call {}
			server_call ci_1 code_interpreter_call print(1)
			server_call mcp_1 find {}`,
		devs: "empty-final-output",
	},
	{
		name: "objects",
		stream: `
			created
			added 0 {"type":"shell_call","id":"sh_1","call_id":"call_1","status":"in_progress","action":{"commands":[]}}
			{"type":"response.shell_call_command.delta","output_index":0,"command_index":0,"delta":"ls"}
			done 0 {"type":"shell_call","id":"sh_1","call_id":"call_1","status":"completed","action":{"commands": ["ls"]}}
			added 1 {"type":"apply_patch_call","id":"apc_1","call_id":"call_2","status":"in_progress","operation":{"diff":""}}
			{"type":"response.apply_patch_call_operation_diff.delta","output_index":1,"item_id":"apc_1","delta":"+"}
			done 1 {"type":"apply_patch_call","id":"apc_1","call_id":"call_2","status":"completed","operation":{"diff":"+"}}
			added 2 {"type":"shell_call","id":"sh_2","call_id":"call_3","action":{},"environment":{"type":"container_reference","container_id":"c"}}
			done 2 {"type":"shell_call","id":"sh_2","call_id":"call_3","status":"completed","action":{"commands":["ls"]},"environment":{"type":"container_reference","container_id":"c"}}
			completed`,
		want: `
			call call_1 shell_call {"commands": ["ls"]}
			call call_2 apply_patch_call {"diff":"+"}
			server_call call_3 shell_call {"commands":["ls"]}`,
		devs: "empty-final-output",
	},
	{
		name: "an object that never came",
		stream: `
			created
			added 0 {"type":"local_shell_call","id":"lsh_1","call_id":"call_1","action":{"command":[]}}
			done 0 {"type":"local_shell_call","id":"lsh_1","call_id":"call_1","status":"completed"}
			completed`,
		want: `failed call_1 local_shell_call argument-error empty-document`, err: wholecall.CallsFailed,
		devs: "empty-final-output",
	},
	{
		name: "a tool search goes by its last id",
		stream: `
			created
			added 0 {"type":"tool_search_call","id":"tsc_1","call_id":"call_x","execution":"client","arguments":{}}
			done 0 {"type":"tool_search_call","id":"tsc_1","call_id":"call_1","execution":"client","status":"completed","arguments":{"goal":"w"}}
			added 1 {"type":"tool_search_call","id":"tsc_2","call_id":null,"execution":"server","arguments":{}}
			done 1 {"type":"tool_search_call","id":"tsc_2","call_id":null,"execution":"server","status":"completed","arguments":{"paths":[]}}
			completed {"type":"tool_search_call","id":"tsc_1","call_id":"call_1","execution":"client"}`,
		want: `
			call call_1 tool_search_call {"goal":"w"}
			server_call tsc_2 tool_search_call {"paths":[]}`,
	},
	{
		name: "a tool search that was never done",
		stream: `
			created
			added 0 {"type":"tool_search_call","id":"tsc_1","call_id":"call_x","execution":"client","arguments":{}}`,
		want: `failed call_x tool_search_call truncated`, err: wholecall.Truncated,
	},

	// Identity.
	{
		name:   "no call id",
		stream: `created` + "\n" + `added 0 {"type":"function_call","id":"fc_1","name":"tide","arguments":""}`,
		err:    wholecall.IncompleteIdentity,
	},
	{
		name:   "no name",
		stream: `created` + "\n" + `added 0 {"type":"function_call","id":"fc_1","call_id":"call_1","arguments":""}`,
		err:    wholecall.IncompleteIdentity,
	},
	{
		name:   "one index for two calls",
		stream: "created\nadded 0 1::\ndone 0 1::{}\nadded 0 2::",
		want:   `call call_1 tide {}`, err: wholecall.DuplicateAnnouncement, devs: "arguments-only-in-done",
	},
	{
		name:   "one index for a reasoning item and a call",
		stream: "created\nadded 0 {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}\ndone 0 {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}\nadded 0 1::",
		err:    wholecall.DuplicateAnnouncement,
	},
	{
		name:   "one id for two calls",
		stream: "created\nadded 0 1::\nadded 1 1::",
		want:   `failed call_1 tide protocol-error`, err: wholecall.DuplicateID,
	},
	{
		name:   "another call id when done",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 2::{}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.ConflictingIdentity,
	},
	{
		name:   "another type when done",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 {\"type\":\"custom_tool_call\",\"call_id\":\"call_1\",\"name\":\"tide\",\"input\":\"\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.ConflictingIdentity,
	},
	{
		name:   "another name with a fragment",
		stream: "created\nadded 0 1::\n{\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"name\":\"moon\",\"delta\":\"{}\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.ConflictingIdentity,
	},
	{
		name:   "a name that is empty in a copy",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 {\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"\",\"arguments\":\"{}\"}\ncompleted 1::{}",
		want:   `call call_1 tide {}`, devs: "empty-copy-identity",
	},
	{
		name: "item ids and response ids that vary",
		stream: `
			created
			added 0 1::
			{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"other","delta":"{}"}
			{"type":"response.in_progress","response":{"id":"resp_2"}}
			done 0 {"type":"function_call","id":"third","call_id":"call_1","name":"tide","arguments":"{}"}
			completed 1::{}`,
		want: `call call_1 tide {}`, devs: "item-id-varies response-id-varies",
	},
	{
		name:   "no item id",
		stream: "created\nadded 0 {\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"tide\",\"arguments\":\"\"}\nfrag 0 {}\ndone 0 1::{}\ncompleted 1::{}",
		want:   `call call_1 tide {}`, devs: "missing-item-id",
	},

	// Order.
	{name: "a fragment for no item", stream: "created\nfrag 0 {}", err: wholecall.Unannounced},
	{name: "an end for no item", stream: "created\ndone 0 1::{}", err: wholecall.Unannounced, hint: "item-only-in-done"},
	{
		name:   "a fragment for an item that is done",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 1::{}\nfrag 0 }",
		want:   `call call_1 tide {}`, err: wholecall.Late,
	},
	{
		name:   "an item that is done twice",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 1::{}\ndone 0 1::{}",
		want:   `call call_1 tide {}`, err: wholecall.Late,
	},
	{
		name:   "a fragment behind the whole document",
		stream: "created\nadded 0 1::\nargs 0 {}\nfrag 0 {}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.Late, devs: "arguments-only-in-done",
	},
	{
		name:   "a delta of another kind",
		stream: "created\nadded 0 1::\n{\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"x\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.MismatchedPart,
	},
	{
		name:   "a delta of a kind that is not known",
		stream: "created\nadded 0 1::\n{\"type\":\"response.function_call_patch.delta\",\"output_index\":0,\"delta\":\"x\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.UnknownDelta,
	},
	{
		name:   "no index",
		stream: "created\nadded 0 1::\n{\"type\":\"response.function_call_arguments.delta\",\"delta\":\"{}\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.MissingIndex,
	},
	{
		name:   "a fragment that is no string",
		stream: "created\nadded 0 1::\n{\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":{}}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.MalformedFrame,
	},
	{
		name:   "a member that stands there twice",
		stream: "created\nadded 0 1::\n{\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"{\",\"delta\":\"}\"}",
		want:   `failed call_1 tide protocol-error`, err: wholecall.MalformedFrame,
	},
	{
		name:   "indexes that leave some out",
		stream: "created\nadded 3 1::\nfrag 3 {}\ndone 3 1::{}\ncompleted 1::{}",
		want:   `call call_1 tide {}`, devs: "sparse-index",
	},
	{
		name:   "no beginning",
		stream: "added 0 1::\nfrag 0 {}\ndone 0 1::{}\ncompleted 1::{}",
		want:   `call call_1 tide {}`, devs: "missing-start",
	},
	{
		name:   "a second beginning",
		stream: "created\nadded 0 1::\nfrag 0 {}\ncreated",
		want:   `failed call_1 tide protocol-error`, err: wholecall.Restarted,
	},
	{name: "the same beginning again", stream: "created\nprogress\ncreated\ncompleted", err: wholecall.Restarted, hint: "repeated-start"},
	{name: "the same beginning again, allowed", allow: "repeated-start", stream: "created\nprogress\ncreated\ncompleted", devs: "repeated-start"},
	{name: "what is not known is passed over", stream: "created\n{\"type\":\"response.novel\",\"output_index\":7}\n[DONE]\ncompleted\n[DONE]"},
	{name: "an end that is only [DONE]", stream: "created\n[DONE]", err: wholecall.Truncated},
	{
		name:   "cut",
		stream: "created\nadded 0 1::\nfrag 0 {}\nargs 0 {}",
		want:   `failed call_1 tide truncated`, err: wholecall.Truncated,
	},
}
