package bedrock

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
)

// InvokeModel returns the wire protocol of POST /model/{id}/invoke-with-response-stream for models whose
// own protocol is inner: anthropic.Messages for Claude, ConverseStream for Nova. A message of the stream
// is a chunk, whose bytes are one payload of inner, without the framing that inner has elsewhere.
//
// What is said of keys, ids and ends is inner's, and so are its switches and dialects. Exceptions are the
// service's own, and fail the turn. What the service adds to a payload (the invocation metrics in the last
// one, what a guardrail did) is none of inner's members, and is passed over.
func InvokeModel(inner wholecall.Protocol) wholecall.Echoer { return invoke{inner} }

type invoke struct{ inner wholecall.Protocol }

func (p invoke) Facts() wholecall.Facts {
	f := p.inner.Facts()
	f.Name = "bedrock-invoke"
	f.Title = "Amazon Bedrock InvokeModelWithResponseStream: " + f.Title
	f.Framing = framing
	f.Source = "aws-sdk-go-v2, service/bedrockruntime v1.63.13, types, 2026-12; inside a chunk: " + f.Source
	f.ErrorEvent = "a message of type exception or error; in a chunk, " + f.ErrorEvent
	return f
}

func (p invoke) Switches() []wholecall.Switch { return p.inner.Switches() }

func (p invoke) Dialects() []wholecall.Dialect { return p.inner.Dialects() }

func (p invoke) NewFramer(limit int) frame.Framer { return eventstream.New(limit) }

func (p invoke) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &invokeDecoder{inner: p.inner.NewDecoder(d)}
}

func (p invoke) NewEncoder() wholecall.Encoder {
	return &invokeEncoder{inner: p.inner.NewEncoder(), framer: p.inner.NewFramer(0), binary: p.inner.Facts().Framing == framing}
}

func (p invoke) Recognises(f *frame.Frame) int {
	if failed(f) {
		return 25 // less than ConverseStream, the more common operation
	}
	var r chunkReader
	if what, err := r.read(f); err != nil || what != chunkEvent {
		return 0
	}
	return p.inner.Recognises(&r.frame)
}
