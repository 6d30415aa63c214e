package streams

import (
	"fmt"
	"math/rand/v2"
)

// chat writes Chat Completions chunks, with usage asked for and with the padding that hides the length
// of a token.
type chat struct {
	r     *rand.Rand
	spoke bool // the role was said
}

const chunkHead = `data: {"id":"chatcmpl-CwXb3q7rTn0yPzL5sKd9VfHgJ2mAe","object":"chat.completion.chunk","created":1767225600,"model":"gpt-5.1-2025-11-13","service_tier":"default","system_fingerprint":"fp_a1b2c3d4e5","choices":[`

// chunk writes a chunk around a delta.
func (c *chat) chunk(dst []byte, delta func([]byte) []byte, finish string, size int) []byte {
	dst = append(dst, chunkHead...)
	dst = delta(append(dst, `{"index":0,"delta":{`...))
	dst = append(append(append(dst, `},"logprobs":null,"finish_reason":`...), finish...), `}],"usage":null,"obfuscation":"`...)
	dst = random(dst, c.r, 16-size%16)
	return append(dst, "\"}\n\n"...)
}

func (c *chat) begin(dst []byte) []byte { return dst }

func (c *chat) startText(dst []byte) []byte {
	c.spoke = true
	return c.chunk(dst, func(b []byte) []byte {
		return append(b, `"role":"assistant","content":"","refusal":null`...)
	}, "null", 0)
}

func (c *chat) text(dst, piece []byte) []byte {
	return c.chunk(dst, func(b []byte) []byte {
		return append(quote(append(b, `"content":"`...), piece), '"')
	}, "null", len(piece))
}

func (c *chat) endText(dst, _ []byte) []byte { return dst }

func (c *chat) startCall(dst []byte, n int, call *Call) []byte {
	role := ""
	if !c.spoke {
		role = `"role":"assistant","content":null,"refusal":null,`
	}
	c.spoke = true
	return c.chunk(dst, func(b []byte) []byte {
		b = append(b, role...)
		return fmt.Appendf(b, `"tool_calls":[{"index":%d,"id":"%s","type":"function","function":{"name":"%s","arguments":""}}]`, n, call.ID, call.Name)
	}, "null", 0)
}

func (c *chat) fragment(dst []byte, n int, piece []byte) []byte {
	return c.chunk(dst, func(b []byte) []byte {
		b = fmt.Appendf(b, `"tool_calls":[{"index":%d,"function":{"arguments":"`, n)
		return append(quote(b, piece), `"}}]`...)
	}, "null", len(piece))
}

func (c *chat) endCall(dst []byte, _ int, _ *Call) []byte { return dst }

func (c *chat) end(dst []byte, s *Story) []byte {
	finish := `"stop"`
	if len(s.Calls) > 0 {
		finish = `"tool_calls"`
	}
	dst = c.chunk(dst, func(b []byte) []byte { return b }, finish, 0)
	dst = append(dst, chunkHead...)
	dst = append(dst, `],"usage":{"prompt_tokens":2060,"completion_tokens":1043,"total_tokens":3103,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"obfuscation":"`...)
	dst = random(dst, c.r, 9)
	return append(dst, "\"}\n\ndata: [DONE]\n\n"...)
}
