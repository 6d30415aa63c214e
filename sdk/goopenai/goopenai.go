// Package goopenai puts wholecall under github.com/sashabaranov/go-openai: whole calls out of its streams, and
// the loop on its client and its own request.
package goopenai

import (
	"context"
	"encoding/json"
	"errors"

	openai "github.com/sashabaranov/go-openai"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/openai"
)

// Turn returns the turn that a stream of the SDK holds. Each chunk is read as the bytes that came. An error
// of the API inside the stream is the turn's *wholecall.ProviderError. Closing the stream is the caller's
// business.
func Turn(s *openai.ChatCompletionStream, opts ...wholecall.Option) *wholecall.Turn {
	reported := false
	next := func() ([]byte, error) {
		raw, err := s.RecvRaw()
		var e *openai.APIError
		if errors.As(err, &e) && !reported {
			// The SDK takes the error out of the stream; it is put back.
			reported = true
			return json.Marshal(map[string]any{"error": e})
		}
		return raw, err
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.Payloads(next), protocol.Chat, opts...)
}

// Conversation is a loop.Conversation on the SDK's client and request. Request grows with each turn.
type Conversation struct {
	Client  *openai.Client
	Request *openai.ChatCompletionRequest
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	s, err := c.Client.CreateChatCompletionStream(ctx, *c.Request)
	if err != nil {
		return nil, err
	}
	return &loop.Stream{Turn: Turn(s, wholecall.WithContext(ctx)), Close: s.Close}, nil
}

// Add implements loop.Conversation. What the SDK has no field for is left out.
func (c Conversation) Add(e wholecall.Echo) error {
	for _, raw := range e.Messages {
		var m openai.ChatCompletionMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		c.Request.Messages = append(c.Request.Messages, m)
	}
	return nil
}

// UseTools puts the dispatcher's tools into the request. Where parallel is false, the model is asked to make
// one call a turn.
func UseTools(r *openai.ChatCompletionRequest, d *dispatch.Dispatcher, parallel bool) error {
	for _, t := range loop.Specs(d) {
		r.Tools = append(r.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	if !parallel {
		r.ParallelToolCalls = false
	}
	return nil
}

// RunTurn runs one turn: see loop.RunTurn.
func RunTurn(ctx context.Context, c *openai.Client, r *openai.ChatCompletionRequest, d *dispatch.Dispatcher, each func(wholecall.Part) error) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, r}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *openai.Client, r *openai.ChatCompletionRequest, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, r}, d, o)
}
