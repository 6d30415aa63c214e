// Package openaisdk puts wholecall under github.com/openai/openai-go: whole calls out of its streams of Chat
// Completions and Responses, and the loop on its client and its own parameters.
package openaisdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/openai"
)

// ChatTurn returns the turn that a stream of chat completion chunks holds. Each chunk is read as the bytes
// that came. An error of the API inside the stream is the turn's *wholecall.ProviderError. Closing the
// stream is the caller's business.
func ChatTurn(s *ssestream.Stream[openai.ChatCompletionChunk], opts ...wholecall.Option) *wholecall.Turn {
	return turn(protocol.Chat, func() (string, bool) { ok := s.Next(); return s.Current().RawJSON(), ok }, s, opts)
}

// turn reads payloads. The sentinel, which the SDK takes out of the stream, is not missed: a finish reason
// is enough.
func turn(p wholecall.Protocol, next func() (string, bool), s interface {
	Err() error
	Close() error
}, opts []wholecall.Option) *wholecall.Turn {
	reported := false
	read := func() ([]byte, error) {
		if raw, ok := next(); ok {
			return []byte(raw), nil
		}
		err := s.Err()
		if err == nil {
			return nil, io.EOF
		}
		if b := errorPayload(p, err); b != nil && !reported {
			reported = true
			return b, nil
		}
		return nil, err
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.PayloadStream(read, s.Close), p, opts...)
}

// errorPayload is the payload that an error inside a stream was read from, or nil where it is another error.
func errorPayload(p wholecall.Protocol, err error) []byte {
	var se *ssestream.StreamError
	if !errors.As(err, &se) {
		return nil
	}
	text := strings.TrimPrefix(se.Message, "received error while streaming: ")
	e := json.RawMessage(text)
	if !json.Valid(e) || len(e) == 0 || e[0] != '{' {
		e, _ = json.Marshal(map[string]string{"message": text})
	}
	m := map[string]any{"error": e}
	if p == protocol.Responses {
		m["type"] = "error"
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return b
}

// Chat is a loop.Conversation over Chat Completions. Params grows with each turn.
type Chat struct {
	Client *openai.Client
	Params *openai.ChatCompletionNewParams
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Chat{}

// Open implements loop.Conversation.
func (c Chat) Open(ctx context.Context) (*loop.Stream, error) {
	s := c.Client.Chat.Completions.NewStreaming(ctx, *c.Params)
	if err := s.Err(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &loop.Stream{Turn: ChatTurn(s, c.options(ctx)...), Close: s.Close}, nil
}

func (c Chat) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. The messages go out as they are: what the SDK has no field for, too.
func (c Chat) Add(e wholecall.Echo) error {
	for _, m := range e.Messages {
		p := param.Override[openai.ChatCompletionAssistantMessageParam](m)
		c.Params.Messages = append(c.Params.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: &p})
	}
	return nil
}

// UseChatTools puts the dispatcher's tools into the parameters. Where parallel is false, the model is asked
// to make one call a turn.
func UseChatTools(p *openai.ChatCompletionNewParams, d *dispatch.Dispatcher, parallel bool) error {
	for _, t := range loop.Specs(d) {
		raw, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
			"name": t.Name, "description": t.Description, "parameters": t.Schema}})
		if err != nil {
			return err
		}
		f := param.Override[openai.ChatCompletionFunctionToolParam](json.RawMessage(raw))
		p.Tools = append(p.Tools, openai.ChatCompletionToolUnionParam{OfFunction: &f})
	}
	if !parallel {
		p.ParallelToolCalls = openai.Bool(false)
	}
	return nil
}

// RunChatTurn runs one turn: see loop.RunTurn.
func RunChatTurn(ctx context.Context, c *openai.Client, p *openai.ChatCompletionNewParams, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Chat{c, p, opts}, d, each)
}

// ChatLoop runs turns until the model has no more calls: see loop.Loop.
func ChatLoop(ctx context.Context, c *openai.Client, p *openai.ChatCompletionNewParams, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Chat{c, p, opts}, d, o)
}
