package openaisdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/openai"
)

// ResponsesTurn returns the turn that a stream of response events holds. Each event is read as the bytes
// that came. Closing the stream is the caller's business.
func ResponsesTurn(s *ssestream.Stream[responses.ResponseStreamEventUnion], opts ...wholecall.Option) *wholecall.Turn {
	return turn(protocol.Responses, func() (string, bool) { ok := s.Next(); return s.Current().RawJSON(), ok }, s, opts)
}

// Responses is a loop.Conversation over Responses. The input of Params grows with each turn; one that is a
// string becomes the message of a user.
type Responses struct {
	Client *openai.Client
	Params *responses.ResponseNewParams
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Responses{}

// Open implements loop.Conversation.
func (c Responses) Open(ctx context.Context) (*loop.Stream, error) {
	s := c.Client.Responses.NewStreaming(ctx, *c.Params)
	if err := s.Err(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &loop.Stream{Turn: ResponsesTurn(s, c.options(ctx)...), Close: s.Close}, nil
}

func (c Responses) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. The items go out as they are: what the SDK has no field for, too.
func (c Responses) Add(e wholecall.Echo) error {
	in := &c.Params.Input
	if in.OfString.Valid() {
		in.OfInputItemList = responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(in.OfString.Value, responses.EasyInputMessageRoleUser)}
		in.OfString = param.Opt[string]{}
	}
	for _, m := range e.Messages {
		p := param.Override[responses.ResponseFunctionToolCallParam](m)
		in.OfInputItemList = append(in.OfInputItemList, responses.ResponseInputItemUnionParam{OfFunctionCall: &p})
	}
	return nil
}

// UseResponsesTools puts the dispatcher's tools into the parameters. Where parallel is false, the model is
// asked to make one call a turn.
func UseResponsesTools(p *responses.ResponseNewParams, d *dispatch.Dispatcher, parallel bool) error {
	for _, t := range loop.Specs(d) {
		raw, err := json.Marshal(map[string]any{"type": "function", "name": t.Name, "description": t.Description,
			"parameters": t.Schema, "strict": false})
		if err != nil {
			return err
		}
		f := param.Override[responses.FunctionToolParam](json.RawMessage(raw))
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &f})
	}
	if !parallel {
		p.ParallelToolCalls = openai.Bool(false)
	}
	return nil
}

// RunResponsesTurn runs one turn: see loop.RunTurn.
func RunResponsesTurn(ctx context.Context, c *openai.Client, p *responses.ResponseNewParams, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Responses{c, p, opts}, d, each)
}

// ResponsesLoop runs turns until the model has no more calls: see loop.Loop.
func ResponsesLoop(ctx context.Context, c *openai.Client, p *responses.ResponseNewParams, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Responses{c, p, opts}, d, o)
}
