// Package httpturn reads a turn from the response of a plain net/http client, and holds a conversation
// with nothing but such a client.
package httpturn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/loop"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/ollama"
)

// StatusError is a response that is no stream, since its status says that the request failed.
type StatusError struct {
	Code int
	// Body is the beginning of the body, at most 64 KiB: providers say there what is wrong.
	Body []byte
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the provider answered %d %s", e.Code, http.StatusText(e.Code))
}

// UnknownProtocolError says that nothing about a response tells its protocol.
type UnknownProtocolError struct{ ContentType, Path string }

func (e *UnknownProtocolError) Error() string {
	return fmt.Sprintf("the protocol of a response of type %q from %q is not known: name it", e.ContentType, e.Path)
}

// New returns the turn that a response holds. p is its protocol; where it is nil, Protocol says. A status
// other than 2xx is a *StatusError, and the body is closed then. Else the turn reads the body, and closing
// it is the caller's business; the turn does it as well when no byte comes for too long, or when the
// context of the response's request ends.
func New(resp *http.Response, p wholecall.Protocol, opts ...wholecall.Option) (*wholecall.Turn, error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return nil, &StatusError{resp.StatusCode, body}
	}
	if p == nil {
		var err error
		if p, err = Protocol(resp); err != nil {
			return nil, err
		}
	}
	if resp.Request != nil {
		opts = append([]wholecall.Option{wholecall.WithContext(resp.Request.Context())}, opts...)
	}
	return wholecall.NewTurn(resp.Body, p, opts...), nil
}

// streams are the content types of streams.
var streams = map[string]bool{"text/event-stream": true, "application/x-ndjson": true, "application/vnd.amazon.eventstream": true}

// Protocol says which protocol a response has, by its content type, and, since most have the same one, by
// the path of its request. A server that speaks another protocol than its path says must be named.
func Protocol(resp *http.Response) (wholecall.Protocol, error) {
	typ, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	path := ""
	if resp.Request != nil && resp.Request.URL != nil {
		path = resp.Request.URL.Path
	}
	p := ByPath(path)
	switch {
	case p != nil && streams[typ]:
		return p, nil
	case typ == "application/vnd.amazon.eventstream":
		return bedrock.ConverseStream, nil
	case typ == "application/x-ndjson" && path == "":
		return ollama.Chat, nil
	}
	return nil, &UnknownProtocolError{typ, path}
}

// Conversation is a loop.Conversation over plain HTTP. Its request's body is a JSON object, and it grows
// with each turn.
type Conversation struct {
	// Client sends the requests; nil means http.DefaultClient.
	Client *http.Client
	// URL is where they go to, and Header what they carry besides their content type: credentials, and
	// the version that a provider asks for.
	URL    string
	Header http.Header
	// Protocol is what the provider writes.
	Protocol wholecall.Echoer
	// Dialect is that of the server, where it departs from the protocol.
	Dialect wholecall.Dialect
	// Body holds the members of the request's body: the model, the beginning of the conversation,
	// "stream": true where the protocol wants it.
	Body map[string]json.RawMessage
}

var _ loop.Conversation = (*Conversation)(nil)

// UseTools puts the tools into the body. Where parallel is false the model is asked to make one call a
// turn; the error is wholecall.ErrParallel where the protocol has no switch for that.
func (c *Conversation) UseTools(tools []wholecall.ToolSpec, parallel bool) error {
	members, err := c.Protocol.Tools(tools, parallel)
	if err != nil {
		return err
	}
	if c.Body == nil {
		c.Body = map[string]json.RawMessage{}
	}
	maps.Copy(c.Body, members)
	return nil
}

// Open implements loop.Conversation.
func (c *Conversation) Open(ctx context.Context) (*loop.Stream, error) {
	body, err := json.Marshal(c.Body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	client := c.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	t, err := New(resp, c.Protocol, wholecall.WithDialect(c.Dialect))
	if err != nil {
		return nil, err
	}
	return &loop.Stream{Turn: t, Close: resp.Body.Close}, nil
}

// Add implements loop.Conversation.
func (c *Conversation) Add(e wholecall.Echo) error {
	var list []json.RawMessage
	if old, ok := c.Body[e.Member]; ok {
		if err := json.Unmarshal(old, &list); err != nil {
			return fmt.Errorf("the member %q of the request is no array: %w", e.Member, err)
		}
	}
	b, err := json.Marshal(append(list, e.Messages...))
	if err != nil {
		return err
	}
	if c.Body == nil {
		c.Body = map[string]json.RawMessage{}
	}
	c.Body[e.Member] = b
	return nil
}
