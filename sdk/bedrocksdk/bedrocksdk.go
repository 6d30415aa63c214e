// Package bedrocksdk puts wholecall under github.com/aws/aws-sdk-go-v2/service/bedrockruntime: whole calls out
// of the streams of ConverseStream, and the loop on its client and its own input.
//
// The SDK hands out decoded events; a call's fragments are strings there, so that its arguments are the
// bytes that the model wrote.
package bedrocksdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/bedrock"
)

// Turn returns the turn that an event stream of the SDK holds. An exception inside the stream is the turn's
// *wholecall.ProviderError. Closing the stream is the caller's business.
func Turn(s *bedrockruntime.ConverseStreamEventStream, opts ...wholecall.Option) *wholecall.Turn {
	events := s.Events()
	reported := false
	next := func() ([]byte, error) {
		for ev := range events {
			b, err := payload(ev)
			if err != nil || b != nil {
				return b, err
			}
		}
		err := s.Err()
		var e smithy.APIError
		switch {
		case err == nil:
			return nil, io.EOF
		case errors.As(err, &e) && !reported:
			reported = true
			return exception(e)
		}
		return nil, err
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.Payloads(next), protocol.ConverseStream, opts...)
}

// Conversation is a loop.Conversation on the SDK's client and input. Input grows with each turn.
type Conversation struct {
	Client *bedrockruntime.Client
	Input  *bedrockruntime.ConverseStreamInput
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	out, err := c.Client.ConverseStream(ctx, c.Input)
	if err != nil {
		return nil, err
	}
	s := out.GetStream()
	return &loop.Stream{Turn: Turn(s, wholecall.WithContext(ctx)), Close: s.Close}, nil
}

// Add implements loop.Conversation.
func (c Conversation) Add(e wholecall.Echo) error {
	for _, raw := range e.Messages {
		m, err := message(raw)
		if err != nil {
			return err
		}
		c.Input.Messages = append(c.Input.Messages, m)
	}
	return nil
}

// UseTools puts the dispatcher's tools into the input. The API has no switch against parallel calls.
func UseTools(in *bedrockruntime.ConverseStreamInput, d *dispatch.Dispatcher) error {
	if in.ToolConfig == nil {
		in.ToolConfig = &types.ToolConfiguration{}
	}
	for _, t := range loop.Specs(d) {
		var schema any = map[string]any{"type": "object"}
		if t.Schema != nil {
			if err := json.Unmarshal(t.Schema, &schema); err != nil {
				return err
			}
		}
		in.ToolConfig.Tools = append(in.ToolConfig.Tools, &types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name: aws.String(t.Name), Description: aws.String(t.Description),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)}}})
	}
	return nil
}

// RunTurn runs one turn: see loop.RunTurn.
func RunTurn(ctx context.Context, c *bedrockruntime.Client, in *bedrockruntime.ConverseStreamInput, d *dispatch.Dispatcher, each func(wholecall.Part) error) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, in}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *bedrockruntime.Client, in *bedrockruntime.ConverseStreamInput, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, in}, d, o)
}
