package main

import (
	"fmt"
	"strings"
)

const (
	itemA = "fc_example_A"
	itemB = "fc_example_B"
)

// responses builds a stream of Responses. Events are numbered as they are added.
type responses struct {
	stream
	next int  // the next sequence number
	bare bool // events have no number
}

func newResponses() *responses { return &responses{stream: stream{named: true}} }

// typed adds an event whose type is also its name.
func (r *responses) typed(typ, rest string) *responses {
	number := fmt.Sprintf(`,"sequence_number":%d`, r.next)
	r.next++
	if r.bare {
		number = ""
	}
	if rest != "" {
		rest = "," + rest
	}
	r.event(typ, `{"type":`+quote(typ)+number+rest+`}`)
	return r
}

func response(status, rest string) string {
	return fmt.Sprintf(`"response":{"id":"resp_example_1","object":"response","status":%s,"model":%s%s}`, quote(status), quote(model), rest)
}

func (r *responses) start() *responses {
	return r.typed("response.created", response("in_progress", `,"output":[]`)).
		typed("response.in_progress", response("in_progress", `,"output":[]`))
}

// call is an item of a function call.
func callItem(item, id, name, args, status string) string {
	return fmt.Sprintf(`{"id":%s,"type":"function_call","status":%s,"call_id":%s,"name":%s,"arguments":%s}`,
		quote(item), quote(status), quote(id), quote(name), quote(args))
}

func (r *responses) added(index int, item string) *responses {
	return r.typed("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, index, item))
}

func (r *responses) done(index int, item string) *responses {
	return r.typed("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, index, item))
}

func itemOf(index int) string { return fmt.Sprintf("fc_example_%c", 'A'+index) }

// open announces a call.
func (r *responses) open(index int, id, name string) *responses {
	return r.added(index, callItem(itemOf(index), id, name, "", "in_progress"))
}

func (r *responses) piece(index int, s string) *responses { return r.inner(index, quote(s)) }

// inner adds a fragment that is given as it stands, as a JSON string.
func (r *responses) inner(index int, s string) *responses {
	return r.typed("response.function_call_arguments.delta", fmt.Sprintf(`"item_id":%s,"output_index":%d,"delta":%s`, quote(itemOf(index)), index, s))
}

func (r *responses) argumentsDone(index int, args string) *responses {
	return r.typed("response.function_call_arguments.done", fmt.Sprintf(`"item_id":%s,"output_index":%d,"arguments":%s`, quote(itemOf(index)), index, quote(args)))
}

// close ends a call, with both copies of its arguments.
func (r *responses) close(index int, id, name, args string) *responses {
	return r.argumentsDone(index, args).done(index, callItem(itemOf(index), id, name, args, "completed"))
}

// call adds a whole call.
func (r *responses) call(index int, id, name string, pieces ...string) *responses {
	r.open(index, id, name)
	for _, p := range pieces {
		r.piece(index, p)
	}
	return r.close(index, id, name, strings.Join(pieces, ""))
}

func messageItem(text, status string) string {
	content := ""
	if status == "completed" {
		content = `{"type":"output_text","text":` + quote(text) + `,"annotations":[]}`
	}
	return `{"id":"msg_example_1","type":"message","role":"assistant","status":` + quote(status) + `,"content":[` + content + `]}`
}

// text adds a message of one text.
func (r *responses) text(index int, pieces ...string) *responses {
	at := fmt.Sprintf(`"item_id":"msg_example_1","output_index":%d,"content_index":0`, index)
	r.added(index, messageItem("", "in_progress"))
	r.typed("response.content_part.added", at+`,"part":{"type":"output_text","text":"","annotations":[]}`)
	for _, p := range pieces {
		r.typed("response.output_text.delta", at+`,"delta":`+quote(p)+`,"logprobs":[]`)
	}
	s := strings.Join(pieces, "")
	r.typed("response.output_text.done", at+`,"text":`+quote(s)+`,"logprobs":[]`)
	r.typed("response.content_part.done", at+`,"part":{"type":"output_text","text":`+quote(s)+`,"annotations":[]}`)
	return r.done(index, messageItem(s, "completed"))
}

// completed ends the turn. output is the list of items that it repeats.
func (r *responses) completed(output ...string) *responses {
	return r.typed("response.completed", response("completed", `,"output":[`+strings.Join(output, ",")+`],"usage":{"input_tokens":31,"output_tokens":40,"total_tokens":71}`))
}

// cutOff ends a turn that was cut.
func (r *responses) cutOff(reason string, output ...string) *responses {
	return r.typed("response.incomplete", response("incomplete", `,"incomplete_details":{"reason":`+quote(reason)+`},"output":[`+strings.Join(output, ",")+`]`))
}

// whole is the item of a completed call, as the final output repeats it.
func wholeItem(index int, id, name, args string) string {
	return callItem(itemOf(index), id, name, args, "completed")
}

func (r *responses) with(old, new string) *responses {
	r.replace(old, new)
	return r
}

func (r *responses) bytesCut(n int) *responses {
	r.cutBytes(n)
	return r
}

func (r *responses) behind(b string) *responses {
	r.raw(b)
	return r
}

// skip leaves n numbers out.
func (r *responses) skip(n int) *responses {
	r.next += n
	return r
}
