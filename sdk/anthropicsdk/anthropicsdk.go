// Package anthropicsdk puts wholecall under github.com/anthropics/anthropic-sdk-go: whole calls out of its
// streams, and the loop on its client and its own parameters.
//
//	params := &anthropic.MessageNewParams{Model: …, MaxTokens: …, Messages: …}
//	err := anthropicsdk.UseTools(params, d, true)
//	turn, err := anthropicsdk.Loop(ctx, &client, params, d, loop.Options{})
package anthropicsdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/anthropic"
)

// Turn returns the turn that a stream of the SDK holds. Each event is read as the bytes that came. An error
// of the API inside the stream is the turn's *wholecall.ProviderError. Closing the stream is the caller's
// business.
func Turn(s *ssestream.Stream[anthropic.MessageStreamEventUnion], opts ...wholecall.Option) *wholecall.Turn {
	reported := false
	next := func() ([]byte, error) {
		if s.Next() {
			return []byte(s.Current().RawJSON()), nil
		}
		var e *anthropic.Error
		switch err := s.Err(); {
		case err == nil:
			return nil, io.EOF
		case errors.As(err, &e) && !reported && e.RawJSON() != "":
			// The SDK takes the error event out of the stream; it is put back.
			reported = true
			return errorEvent(e.RawJSON()), nil
		default:
			return nil, err
		}
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.PayloadStream(next, s.Close), protocol.Messages, opts...)
}

// errorEvent is the event that an error was read from.
func errorEvent(raw string) []byte {
	var m struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal([]byte(raw), &m) == nil && m.Type == "error" {
		return []byte(raw)
	}
	b, err := json.Marshal(map[string]any{"type": "error", "error": json.RawMessage(raw)})
	if err != nil {
		return []byte(`{"type":"error","error":{"type":"api_error","message":"the API reported an error"}}`)
	}
	return b
}

// Conversation is a loop.Conversation on the SDK's client and parameters. Params grows with each turn.
type Conversation struct {
	Client *anthropic.Client
	Params *anthropic.MessageNewParams
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	s := c.Client.Messages.NewStreaming(ctx, *c.Params)
	if err := s.Err(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &loop.Stream{Turn: Turn(s, c.options(ctx)...), Close: s.Close}, nil
}

func (c Conversation) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. The messages go out as they are: what the SDK has no field for, too.
func (c Conversation) Add(e wholecall.Echo) error {
	for _, m := range e.Messages {
		c.Params.Messages = append(c.Params.Messages, param.Override[anthropic.MessageParam](m))
	}
	return nil
}

// UseTools puts the dispatcher's tools into the parameters. Where parallel is false, the model is asked to
// make one call a turn.
func UseTools(p *anthropic.MessageNewParams, d *dispatch.Dispatcher, parallel bool) error {
	for _, t := range loop.Specs(d) {
		raw, err := json.Marshal(map[string]any{"name": t.Name, "description": t.Description, "input_schema": t.Schema})
		if err != nil {
			return err
		}
		tool := param.Override[anthropic.ToolParam](json.RawMessage(raw))
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &tool})
	}
	if !parallel {
		p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAuto: &anthropic.ToolChoiceAutoParam{DisableParallelToolUse: anthropic.Bool(true)}}
	}
	return nil
}

// RunTurn runs one turn: see loop.RunTurn.
func RunTurn(ctx context.Context, c *anthropic.Client, p *anthropic.MessageNewParams, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, p, opts}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *anthropic.Client, p *anthropic.MessageNewParams, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, p, opts}, d, o)
}
