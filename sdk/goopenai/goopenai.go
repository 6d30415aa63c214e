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
	"github.com/wholecall/wholecall/internal/sdk"
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
	return wholecall.NewTurn(ndjson.PayloadStream(next, s.Close), protocol.Chat, opts...)
}

// Conversation is a loop.Conversation on the SDK's client and request. Request grows with each turn.
type Conversation struct {
	Client  *openai.Client
	Request *openai.ChatCompletionRequest
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	s, err := c.Client.CreateChatCompletionStream(ctx, *c.Request)
	if err != nil {
		return nil, err
	}
	return &loop.Stream{Turn: Turn(s, c.options(ctx)...), Close: s.Close}, nil
}

// LossError says that the SDK's types have no place for all of a message that has to go back: a custom tool's
// call, or the thought signature that Gemini hangs on a call.
type LossError struct{ Message json.RawMessage }

func (e *LossError) Error() string {
	return "goopenai: the SDK's types have no place for all of a message of the turn"
}

func (c Conversation) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. Where the SDK's types can't hold what has to go back, the error is a
// *LossError, and the request stays as it was. The SDK leaves an empty text out, and the API wants one in a
// result: an empty result goes back as "(empty)".
func (c Conversation) Add(e wholecall.Echo) error {
	var messages []openai.ChatCompletionMessage
	for _, raw := range e.Messages {
		var m openai.ChatCompletionMessage
		fits := sdk.Fits(raw, &m)
		if m.Role == openai.ChatMessageRoleTool && m.Content == "" {
			m.Content, fits = "(empty)", true
		}
		if !fits {
			return &LossError{raw}
		}
		messages = append(messages, m)
	}
	c.Request.Messages = append(c.Request.Messages, messages...)
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
func RunTurn(ctx context.Context, c *openai.Client, r *openai.ChatCompletionRequest, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, r, opts}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *openai.Client, r *openai.ChatCompletionRequest, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, r, opts}, d, o)
}
