package streams

import (
	"fmt"
	"math/rand/v2"
)

// anthropic writes Messages events. Its servers put blanks before the last brace of half of them.
type anthropic struct {
	r     *rand.Rand
	first int // the index of the first call's block
}

// close ends an event.
func (a *anthropic) close(dst []byte) []byte {
	if a.r.IntN(2) == 0 {
		for range 1 + a.r.IntN(15) {
			dst = append(dst, ' ')
		}
	}
	return append(dst, "}\n\n"...)
}

func (a *anthropic) begin(dst []byte) []byte {
	dst = append(dst, `event: message_start
data: {"type":"message_start","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":2060,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}`...)
	return a.close(dst)
}

func (a *anthropic) startText(dst []byte) []byte {
	dst = append(dst, "event: content_block_start\ndata: "...)
	dst = append(dst, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}`...)
	dst = a.close(dst)
	return append(dst, "event: ping\ndata: {\"type\": \"ping\"}\n\n"...)
}

func (a *anthropic) text(dst, piece []byte) []byte {
	dst = append(dst, "event: content_block_delta\ndata: "...)
	dst = append(dst, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`...)
	dst = append(quote(dst, piece), `"}`...)
	return a.close(dst)
}

func (a *anthropic) endText(dst, _ []byte) []byte { return a.endBlock(dst, 0) }

func (a *anthropic) endBlock(dst []byte, index int) []byte {
	dst = fmt.Appendf(dst, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":%d", index)
	return a.close(dst)
}

func (a *anthropic) startCall(dst []byte, n int, c *Call) []byte {
	dst = append(dst, "event: content_block_start\ndata: "...)
	dst = fmt.Appendf(dst, `{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"%s","name":"%s","input":{}}`, n+a.first, c.ID, c.Name)
	dst = a.close(dst)
	return a.fragment(dst, n, nil) // the servers begin with an empty one
}

func (a *anthropic) fragment(dst []byte, n int, piece []byte) []byte {
	dst = append(dst, "event: content_block_delta\ndata: "...)
	dst = fmt.Appendf(dst, `{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":"`, n+a.first)
	dst = append(quote(dst, piece), `"}`...)
	return a.close(dst)
}

func (a *anthropic) endCall(dst []byte, n int, _ *Call) []byte { return a.endBlock(dst, n+a.first) }

func (a *anthropic) end(dst []byte, s *Story) []byte {
	reason := "end_turn"
	if len(s.Calls) > 0 {
		reason = "tool_use"
	}
	dst = append(dst, "event: message_delta\ndata: "...)
	dst = fmt.Appendf(dst, `{"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null},"usage":{"input_tokens":2060,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1043}`, reason)
	dst = a.close(dst)
	dst = append(dst, "event: message_stop\ndata: "...)
	return a.close(append(dst, `{"type":"message_stop"`...))
}
