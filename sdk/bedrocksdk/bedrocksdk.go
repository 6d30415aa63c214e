// Package bedrocksdk puts wholecall under github.com/aws/aws-sdk-go-v2/service/bedrockruntime: whole calls out
// of the streams of ConverseStream, and the loop on its client and its own input.
//
// The SDK hands out decoded events; a call's fragments are strings there, so that its arguments are the
// bytes that the model wrote. The events are written back with the SDK's own serialisation. A connection that
// broke is the end of the body to the SDK: messageStop is what completes a turn.
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
	events, writer := s.Events(), newProtocol()
	reported := false
	next := func() ([]byte, error) {
		if ev, ok := <-events; ok {
			return payload(writer, ev)
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
	return wholecall.NewTurn(ndjson.PayloadStream(next, s.Close), protocol.ConverseStream, opts...)
}

// Conversation is a loop.Conversation on the SDK's client and input. Input grows with each turn.
type Conversation struct {
	Client *bedrockruntime.Client
	Input  *bedrockruntime.ConverseStreamInput
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	out, err := c.Client.ConverseStream(ctx, c.Input)
	if err != nil {
		return nil, err
	}
	s := out.GetStream()
	return &loop.Stream{Turn: Turn(s, c.options(ctx)...), Close: s.Close}, nil
}

func (c Conversation) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. Where the SDK's types can't hold what has to go back, the error is a
// *LossError, and the input stays as it was.
func (c Conversation) Add(e wholecall.Echo) error {
	var messages []types.Message
	for _, raw := range e.Messages {
		m, err := message(context.Background(), raw)
		if err != nil {
			return err
		}
		messages = append(messages, m)
	}
	c.Input.Messages = append(c.Input.Messages, messages...)
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
func RunTurn(ctx context.Context, c *bedrockruntime.Client, in *bedrockruntime.ConverseStreamInput, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, in, opts}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *bedrockruntime.Client, in *bedrockruntime.ConverseStreamInput, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, in, opts}, d, o)
}
