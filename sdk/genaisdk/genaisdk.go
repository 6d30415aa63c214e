// Package genaisdk puts wholecall under google.golang.org/genai: whole calls out of its streams, and the loop
// on its client and its own types.
//
// The SDK hands out decoded chunks, so that a call's arguments are the same JSON value as on the wire, and
// not the same bytes. Streamed arguments (partialArgs) and thought signatures come through.
package genaisdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"google.golang.org/genai"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/gemini"
)

// Turn returns the turn that a stream of the SDK holds, and what gives the stream back: it must be called
// once the turn is not read any more. An error of the API inside the stream is the turn's
// *wholecall.ProviderError.
func Turn(s iter.Seq2[*genai.GenerateContentResponse, error], opts ...wholecall.Option) (*wholecall.Turn, func()) {
	next, stop := iter.Pull2(s)
	return turn(next, opts), stop
}

func turn(next func() (*genai.GenerateContentResponse, error, bool), opts []wholecall.Option) *wholecall.Turn {
	var failed error
	read := func() ([]byte, error) {
		if failed != nil {
			return nil, failed
		}
		chunk, err, ok := next()
		var e genai.APIError
		switch {
		case !ok:
			return nil, io.EOF
		case errors.As(err, &e):
			failed = err
			return json.Marshal(map[string]any{"error": e})
		case err != nil:
			return nil, err
		}
		return json.Marshal(chunk)
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.Payloads(read), protocol.GenerateContent, opts...)
}

// Request is what the SDK's GenerateContentStream takes.
type Request struct {
	Model    string
	Contents []*genai.Content
	Config   *genai.GenerateContentConfig
}

// Conversation is a loop.Conversation on the SDK's client. The contents of Request grow with each turn.
type Conversation struct {
	Client  *genai.Client
	Request *Request
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	next, stop := iter.Pull2(c.Client.Models.GenerateContentStream(ctx, c.Request.Model, c.Request.Contents, c.Request.Config))
	first, err, ok := next()
	if err != nil {
		// There is no stream: the request was refused.
		stop()
		return nil, err
	}
	again := func() (*genai.GenerateContentResponse, error, bool) {
		if first != nil && ok {
			r := first
			first = nil
			return r, nil, true
		}
		return next()
	}
	return &loop.Stream{Turn: turn(again, []wholecall.Option{wholecall.WithContext(ctx)}), Close: func() error { stop(); return nil }}, nil
}

// Add implements loop.Conversation.
func (c Conversation) Add(e wholecall.Echo) error {
	for _, raw := range e.Messages {
		var m genai.Content
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		c.Request.Contents = append(c.Request.Contents, &m)
	}
	return nil
}

// UseTools puts the dispatcher's tools into the request. The API has no switch against parallel calls.
func UseTools(r *Request, d *dispatch.Dispatcher) error {
	if r.Config == nil {
		r.Config = &genai.GenerateContentConfig{}
	}
	tool := &genai.Tool{}
	for _, t := range loop.Specs(d) {
		f := &genai.FunctionDeclaration{Name: t.Name, Description: t.Description}
		if t.Schema != nil {
			f.ParametersJsonSchema = t.Schema
		}
		tool.FunctionDeclarations = append(tool.FunctionDeclarations, f)
	}
	r.Config.Tools = append(r.Config.Tools, tool)
	return nil
}

// RunTurn runs one turn: see loop.RunTurn.
func RunTurn(ctx context.Context, c *genai.Client, r *Request, d *dispatch.Dispatcher, each func(wholecall.Part) error) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, r}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *genai.Client, r *Request, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, r}, d, o)
}
