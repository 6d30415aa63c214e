package streams

import (
	"fmt"
	"math/rand/v2"
)

// responses writes Responses events. What was streamed stands once more in the events that end a part,
// an item and the response.
type responses struct {
	r     *rand.Rand
	first int // the output_index of the first call
	seq   int
}

const responseHead = `{"id":"resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9","object":"response","created_at":1767225600,"status":"%s","background":false,"error":null,"incomplete_details":null,"instructions":"You edit code.","max_output_tokens":null,"max_tool_calls":null,"model":"gpt-5.1-2025-11-13","output":[`

const responseTail = `],"parallel_tool_calls":true,"previous_response_id":null,"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":"none","summary":null},"safety_identifier":null,"service_tier":"default","store":true,"temperature":1.0,"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[{"type":"function","description":"Edit a file","name":"edit_file","parameters":{"type":"object","properties":{"path":{"type":"string"},"replace_all":{"type":"boolean"},"new_string":{"type":"string"}},"required":["path","replace_all","new_string"],"additionalProperties":false},"strict":true}],"top_logprobs":0,"top_p":1.0,"truncation":"disabled","usage":%s,"user":null,"metadata":{}}`

const messageID = "msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b"

// open begins an event.
func (w *responses) open(dst []byte, typ string) []byte {
	dst = fmt.Appendf(dst, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d,", typ, typ, w.seq)
	w.seq++
	return dst
}

func (w *responses) pad(dst []byte, size int) []byte {
	dst = append(dst, `,"obfuscation":"`...)
	return append(random(dst, w.r, 16-size%16), '"')
}

func closeEvent(dst []byte) []byte { return append(dst, "}\n\n"...) }

func (w *responses) begin(dst []byte) []byte {
	for _, typ := range []string{"response.created", "response.in_progress"} {
		dst = append(w.open(dst, typ), `"response":`...)
		dst = fmt.Appendf(dst, responseHead, "in_progress")
		dst = closeEvent(fmt.Appendf(dst, responseTail, "null"))
	}
	return dst
}

func (w *responses) startText(dst []byte) []byte {
	dst = append(w.open(dst, "response.output_item.added"), `"output_index":0,"item":`...)
	dst = closeEvent(fmt.Appendf(dst, `{"id":"%s","type":"message","status":"in_progress","content":[],"role":"assistant"}`, messageID))
	dst = w.open(dst, "response.content_part.added")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":0,"content_index":0,"part":`, messageID)
	return closeEvent(textPart(dst, nil))
}

func textPart(dst, text []byte) []byte {
	dst = append(dst, `{"type":"output_text","annotations":[],"logprobs":[],"text":"`...)
	return append(quote(dst, text), `"}`...)
}

func (w *responses) text(dst, piece []byte) []byte {
	dst = w.open(dst, "response.output_text.delta")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":0,"content_index":0,"delta":"`, messageID)
	dst = append(quote(dst, piece), `","logprobs":[]`...)
	return closeEvent(w.pad(dst, len(piece)))
}

func (w *responses) endText(dst, whole []byte) []byte {
	dst = w.open(dst, "response.output_text.done")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":0,"content_index":0,"text":"`, messageID)
	dst = closeEvent(append(quote(dst, whole), `","logprobs":[]`...))
	dst = w.open(dst, "response.content_part.done")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":0,"content_index":0,"part":`, messageID)
	dst = closeEvent(textPart(dst, whole))
	dst = append(w.open(dst, "response.output_item.done"), `"output_index":0,"item":`...)
	return closeEvent(message(dst, whole))
}

func message(dst, whole []byte) []byte {
	dst = fmt.Appendf(dst, `{"id":"%s","type":"message","status":"completed","content":[`, messageID)
	return append(textPart(dst, whole), `],"role":"assistant"}`...)
}

// item is the item id of a call, which is not the id that its result is returned against.
func item(n int) string { return fmt.Sprintf("fc_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f6%04d", n) }

func (w *responses) startCall(dst []byte, n int, c *Call) []byte {
	dst = w.open(dst, "response.output_item.added")
	dst = fmt.Appendf(dst, `"output_index":%d,"item":`, n+w.first)
	return closeEvent(functionCall(dst, n, c, "in_progress", nil))
}

func functionCall(dst []byte, n int, c *Call, status string, document []byte) []byte {
	dst = fmt.Appendf(dst, `{"id":"%s","type":"function_call","status":"%s","arguments":"`, item(n), status)
	dst = quote(dst, document)
	return fmt.Appendf(dst, `","call_id":"%s","name":"%s"}`, c.ID, c.Name)
}

func (w *responses) fragment(dst []byte, n int, piece []byte) []byte {
	dst = w.open(dst, "response.function_call_arguments.delta")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":%d,"delta":"`, item(n), n+w.first)
	dst = append(quote(dst, piece), '"')
	return closeEvent(w.pad(dst, len(piece)))
}

func (w *responses) endCall(dst []byte, n int, c *Call) []byte {
	dst = w.open(dst, "response.function_call_arguments.done")
	dst = fmt.Appendf(dst, `"item_id":"%s","output_index":%d,"arguments":"`, item(n), n+w.first)
	dst = closeEvent(append(quote(dst, c.Document), '"'))
	dst = w.open(dst, "response.output_item.done")
	dst = fmt.Appendf(dst, `"output_index":%d,"item":`, n+w.first)
	return closeEvent(functionCall(dst, n, c, "completed", c.Document))
}

func (w *responses) end(dst []byte, s *Story) []byte {
	dst = append(w.open(dst, "response.completed"), `"response":`...)
	dst = fmt.Appendf(dst, responseHead, "completed")
	if len(s.Text) > 0 {
		dst = append(message(dst, s.Text), ',')
	}
	for n := range s.Calls {
		dst = append(functionCall(dst, n, &s.Calls[n], "completed", s.Calls[n].Document), ',')
	}
	dst = dst[:len(dst)-1]
	return closeEvent(fmt.Appendf(dst, responseTail, `{"input_tokens":2060,"input_tokens_details":{"cached_tokens":0},"output_tokens":1043,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":3103}`))
}
