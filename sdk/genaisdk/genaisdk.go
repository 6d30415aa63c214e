// Package genaisdk puts wholecall under google.golang.org/genai: whole calls out of its streams, and the loop
// on its client and its own types.
//
// The SDK hands out decoded chunks, so that a call's arguments are the same JSON value as on the wire, and
// not the same bytes. Streamed arguments (partialArgs) and thought signatures come through. Numbers are floats
// by then: a whole number from 2⁵³ on may be another than the one that was sent, and ends the turn with a
// *NumberError. Whoever has such ids asks for them as strings, or reads the response without the SDK.
//
// The SDK goes on by itself where a stream with a continuation token is cut, and may repeat what it handed
// out already. A call without an id that is repeated can't be told from a second one, so that a Conversation
// turns that off, unless Config.AutomaticContinuation says otherwise.
package genaisdk

import (
	"context"
	"encoding/json"
	"errors"
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
// once the turn is not read any more, and may be called beside a turn that reads. An error of the API inside
// the stream is the turn's *wholecall.ProviderError. What ends a read that waits is the context of the request.
func Turn(s iter.Seq2[*genai.GenerateContentResponse, error], opts ...wholecall.Option) (*wholecall.Turn, func()) {
	r := newResponses(s, nil)
	return turn(r, opts), func() { r.close() }
}

func turn(r *responses, opts []wholecall.Option) *wholecall.Turn {
	var failed error
	read := func() ([]byte, error) {
		if failed != nil {
			return nil, failed
		}
		chunk, err := r.read()
		var e genai.APIError
		switch {
		case errors.As(err, &e):
			failed = err
			return json.Marshal(map[string]any{"error": e})
		case err != nil:
			return nil, err
		}
		return payload(chunk)
	}
	opts = append([]wholecall.Option{wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) })}, opts...)
	return wholecall.NewTurn(ndjson.PayloadStream(read, r.close), protocol.GenerateContent, opts...)
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
	// Options are those of each turn: limits, the dialect of a server that departs from its protocol,
	// wholecall.WithProgress.
	Options []wholecall.Option
}

var _ loop.Conversation = Conversation{}

// Open implements loop.Conversation.
func (c Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	config := genai.GenerateContentConfig{}
	if c.Request.Config != nil {
		config = *c.Request.Config
	}
	if config.AutomaticContinuation == nil {
		config.AutomaticContinuation = genai.Ptr(false)
	}
	request, cancel := context.WithCancel(ctx)
	r := newResponses(c.Client.Models.GenerateContentStream(request, c.Request.Model, c.Request.Contents, &config), cancel)
	if err := r.peek(); err != nil {
		// There is no stream: the request was refused.
		return nil, errors.Join(err, r.close())
	}
	return &loop.Stream{Turn: turn(r, c.options(ctx)), Close: r.close}, nil
}

func (c Conversation) options(ctx context.Context) []wholecall.Option {
	return append([]wholecall.Option{wholecall.WithContext(ctx)}, c.Options...)
}

// Add implements loop.Conversation. Where the SDK's types can't hold what has to go back, the error is a
// *LossError, and the request stays as it was. A result with a number that no float is goes back as a text,
// since the SDK would change it.
func (c Conversation) Add(e wholecall.Echo) error {
	var contents []*genai.Content
	for _, raw := range e.Messages {
		m, err := content(raw)
		if err != nil {
			return err
		}
		contents = append(contents, m)
	}
	c.Request.Contents = append(c.Request.Contents, contents...)
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
func RunTurn(ctx context.Context, c *genai.Client, r *Request, d *dispatch.Dispatcher, each func(wholecall.Part) error, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.RunTurn(ctx, Conversation{c, r, opts}, d, each)
}

// Loop runs turns until the model has no more calls: see loop.Loop.
func Loop(ctx context.Context, c *genai.Client, r *Request, d *dispatch.Dispatcher, o loop.Options, opts ...wholecall.Option) (*loop.Turn, error) {
	return loop.Loop(ctx, Conversation{c, r, opts}, d, o)
}
