package openai_test

import "github.com/wholecall/wholecall"

// responsesTurnCases are about the turn: its numbers, its final output, its texts and its failures.
var responsesTurnCases = []responsesCase{
	// Sequence numbers.
	{
		name: "numbers from 1, on every type of event",
		stream: `
			{"type":"response.created","sequence_number":1,"response":{"id":"resp_1","model":"m"}}
			{"type":"keepalive","sequence_number":2}
			{"type":"response.novel","sequence_number":3}
			{"type":"response.completed","sequence_number":4,"response":{"id":"resp_1","output":[]}}`,
	},
	{
		name:   "taken up in the middle",
		stream: `{"type":"response.in_progress","sequence_number":2,"response":{"id":"resp_1","model":"m"}}`,
		err:    wholecall.SequenceGap, hint: "resumed-stream",
	},
	{
		name: "taken up in the middle, allowed", allow: "resumed-stream",
		stream: `
			{"type":"response.in_progress","sequence_number":2,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.completed","sequence_number":3,"response":{"id":"resp_1","output":[]}}`,
		devs: "resumed-stream missing-start",
	},
	{
		name: "a number is missing",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.novel","sequence_number":2}`,
		err: wholecall.SequenceGap, hint: "sequence-gap",
	},
	{
		name: "a number is missing, allowed; the call that lost a fragment fails", allow: "sequence-gap",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			added 0 1::
			{"type":"response.function_call_arguments.delta","sequence_number":1,"output_index":0,"delta":"{\"a\":\"x"}
			{"type":"response.function_call_arguments.delta","sequence_number":3,"output_index":0,"delta":"z\"}"}
			done 0 1::{\"a\":\"xyz\"}
			completed`,
		want: `failed call_1 tide argument-error document-mismatch`, err: wholecall.CallsFailed, devs: "sequence-gap empty-final-output",
	},
	{
		name: "an event again",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.novel","sequence_number":1}
			{"type":"response.novel","sequence_number":1}`,
		err: wholecall.SequenceReplay, hint: "replayed-events",
	},
	{
		name: "events again, allowed", allow: "replayed-events",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			added 0 1::
			{"type":"response.function_call_arguments.delta","sequence_number":1,"output_index":0,"delta":"{"}
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.function_call_arguments.delta","sequence_number":1,"output_index":0,"delta":"{"}
			{"type":"response.function_call_arguments.delta","sequence_number":2,"output_index":0,"delta":"}"}
			done 0 1::{}
			completed 1::{}`,
		want: `call call_1 tide {}`, devs: "replayed-events",
	},
	{
		name: "another event with a number that was used", allow: "replayed-events",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.novel","sequence_number":1}
			{"type":"response.novel","sequence_number":1,"x":1}`,
		err: wholecall.SequenceReplay,
	},

	// The final output.
	{
		name:   "a call that the final output leaves out",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 1::{}\nadded 1 2::\nfrag 1 {}\ndone 1 2::{}\ncompleted 2::{}",
		want:   "call call_1 tide {}\ncall call_2 tide {}", devs: "call-missing-in-output",
	},
	{
		name:   "a call without its item's end",
		stream: "created\nadded 0 1::\nfrag 0 {\\\"p\\\":\ncompleted 1:completed:{\\\"p\\\":1}",
		want:   `failed call_1 tide unfinished`, err: wholecall.CallsFailed, hint: "no-item-done",
	},
	{
		name: "a call without its item's end, completed by the final output", allow: "no-item-done",
		stream: "created\nadded 0 1::\nfrag 0 {\\\"p\\\":\ncompleted 1:completed:{\\\"p\\\":1}",
		want:   `call call_1 tide {"p":1}`, devs: "no-item-done",
	},
	{
		name: "a call without its item's end, contradicted by the final output", allow: "no-item-done",
		stream: "created\nadded 0 1::\nfrag 0 {\\\"q\\\":\ncompleted 1:completed:{\\\"p\\\":1}",
		want:   `failed call_1 tide argument-error document-mismatch`, err: wholecall.CallsFailed, devs: "no-item-done",
	},
	{
		name: "a call without its item's end, with its own copy", allow: "no-item-done",
		stream: "created\nadded 0 1::\nfrag 0 {}\nargs 0 {}\ncompleted",
		want:   `call call_1 tide {}`, devs: "no-item-done empty-final-output",
	},
	{
		name: "fragments alone are not enough", allow: "no-item-done",
		stream: "created\nadded 0 1::\nfrag 0 {}\ncompleted",
		want:   `failed call_1 tide unfinished`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name: "nor is anything in a turn that was cut", allow: "no-item-done",
		stream: "created\nadded 0 1::\nfrag 0 {}\nargs 0 {}\nincomplete max_output_tokens",
		want:   `failed call_1 tide token-limit`, err: wholecall.CallsFailed, devs: "empty-final-output",
	},
	{
		name:   "a call only in the final output",
		stream: "created\ncompleted 1:completed:{}", err: wholecall.Unannounced, hint: "arguments-only-in-completed",
	},
	{
		name: "a call only in the final output, allowed", allow: "arguments-only-in-completed",
		stream: "created\ncompleted 1:completed:{} 2::{}",
		want:   "call call_1 tide {}\ncall call_2 tide {}", devs: "arguments-only-in-completed",
	},
	{
		name: "a call only in the final output, at a position that is taken", allow: "arguments-only-in-completed",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 1::{}\ncompleted 2::{}",
		want:   `call call_1 tide {}`, err: wholecall.Unannounced,
	},
	{
		name: "deltas that are cipher text", allow: "obfuscated-deltas",
		stream: "created\nadded 0 1::\nfrag 0 9fQ2+w==\nargs 0 {}\ndone 0 1::{}\ncompleted 1::{}",
		want:   `call call_1 tide {}`, devs: "obfuscated-deltas arguments-only-in-done",
	},

	// Texts.
	{
		name: "texts",
		stream: `
			created
			added 0 {"type":"reasoning","id":"rs_1","summary":[]}
			{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}
			{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"so"}
			{"type":"response.reasoning_summary_text.done","output_index":0,"summary_index":0,"text":"so"}
			{"type":"response.reasoning_summary_part.done","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"so"}}
			{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}
			done 0 {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"so"}],"encrypted_content":"gAAA"}
			added 1 {"type":"message","id":"msg_1","role":"assistant","content":[]}
			{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}
			{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"a\n"}
			{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"b"}
			{"type":"response.output_text.annotation.added","output_index":1,"content_index":0,"annotation":{"type":"url_citation"}}
			{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"a\nb"}
			{"type":"response.content_part.done","output_index":1,"content_index":0,"part":{"type":"output_text","text":"a\nb","annotations":[{"type":"url_citation"}]}}
			{"type":"response.refusal.delta","output_index":1,"content_index":1,"delta":"no"}
			{"type":"response.refusal.done","output_index":1,"content_index":1,"refusal":"no"}
			done 1 {"type":"message","id":"msg_1","content":[{"type":"output_text","text":"a\nb"},{"type":"refusal","refusal":"no"}]}
			{"type":"response.audio.transcript.delta","delta":"la"}
			{"type":"response.audio.transcript.done"}
			completed`,
		want: `
			reasoning_summary "so"
			reasoning "hm"
			data reasoning {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"so"}],"encrypted_content":"gAAA"}
			text "a\nb" note {"type":"url_citation"}
			refusal "no"
			transcript "la"`,
	},
	{
		name: "texts that only copies bring",
		stream: `
			created
			added 0 {"type":"message","id":"msg_1","content":[]}
			{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"one"}
			done 0 {"type":"message","id":"msg_1","content":[{"type":"output_text","text":"one"},{"type":"output_text","text":"two"},{"type":"novel","x":1}]}
			completed`,
		want: `
			text "one"
			text "two"
			data novel {"type":"novel","x":1}`,
	},
	{
		name: "a server that counts its parts from elsewhere in its events",
		stream: `
			created
			added 0 {"type":"message","id":"msg_1","content":[]}
			{"type":"response.output_text.delta","output_index":0,"content_index":1,"delta":"one"}
			done 0 {"type":"message","id":"msg_1","content":[{"type":"output_text","text":"one"}]}
			completed`,
		want: `text "one"`,
	},
	{
		name: "a delta behind the end of its part",
		stream: `
			created
			added 0 {"type":"message","id":"msg_1","content":[]}
			{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"one"}
			{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"more"}`,
		want: `text "one"`, err: wholecall.Late,
	},
	{
		name: "an item of a type that is not known",
		stream: `
			created
			added 0 {"type":"novel_output","id":"n_1"}
			done 0 {"type":"novel_output","id":"n_1","x":[1]}
			completed`,
		want: `data novel_output {"type":"novel_output","id":"n_1","x":[1]}`,
	},

	// Failures.
	{name: "failed", stream: `created` + "\n" + `{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"m"}}}`, err: wholecall.ProviderFailed},
	{name: "cancelled", stream: `created` + "\n" + `{"type":"response.cancelled","response":{"id":"resp_1","status":"cancelled"}}`, err: wholecall.ProviderFailed},
	{name: "an error, flat", stream: `created` + "\n" + `{"type":"error","code":"rate_limit_exceeded","message":"m","param":null}`, err: wholecall.ProviderFailed},
	{name: "an error, nested", stream: `created` + "\n" + `{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"m"}}`, err: wholecall.ProviderFailed},
	{
		name: "an error whose number is out of order",
		stream: `
			{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m"}}
			{"type":"response.novel","sequence_number":1}
			{"type":"error","sequence_number":0,"code":"x","message":"m"}`,
		err: wholecall.ProviderFailed,
	},
	{name: "an error without a type", stream: `{"error":{"code":500,"message":"m"}}`, err: wholecall.ProviderFailed},
	{
		name:   "a failure takes the open call along",
		stream: "created\nadded 0 1::\nfrag 0 {}\ndone 0 1::{}\nadded 1 2::\nfrag 1 {}\n{\"type\":\"error\",\"code\":\"x\",\"message\":\"m\"}",
		want:   "call call_1 tide {}\nfailed call_2 tide provider-error", err: wholecall.ProviderFailed,
	},
}
