// Package peers reads response bodies with wholecall and with what else there is, each through its own
// decoder and accumulator: from a reader to finished calls, in memory.
//
// Every peer is used as its own documentation does, and gathers the text as well. None is given a
// setting that slows it down.
package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
)

// Call is a finished call. Its arguments are text or JSON, as the peer hands them out: nobody pays for a
// copy that only the benchmark needs.
type Call struct {
	ID, Name string
	Text     string
	JSON     []byte
}

// Arguments are the arguments, wherever they are.
func (c Call) Arguments() string {
	if c.JSON != nil {
		return string(c.JSON)
	}
	return c.Text
}

// Turn is what a peer made of a body.
type Turn struct {
	Text  string
	Calls []Call
}

// Peer is an implementation, for one protocol.
type Peer struct {
	Name     string
	Protocol string
	Module   string // where its version is looked up; "" for the standard library
	Kind     Kind
	Read     func(io.Reader) (*Turn, error)
	// Rewrites says that the peer hands out arguments that it wrote anew, so that only their values
	// can be compared.
	Rewrites bool
	// Note says how it is used, where that is not plain.
	Note string
}

// Kind is what a peer is compared as.
type Kind uint8

// The kinds of peer.
const (
	Ours Kind = iota
	Official
	ByHand
	Other
	Bound // no peer, but the lower bound
)

// For returns the peers of a protocol, ours first.
func For(protocol string) []Peer {
	var list []Peer
	for _, p := range all() {
		if p.Protocol == protocol {
			list = append(list, p)
		}
	}
	return list
}

// Find returns the peer of a kind.
func Find(protocol string, k Kind) Peer {
	for _, p := range For(protocol) {
		if p.Kind == k {
			return p
		}
	}
	panic("peers: none of that kind for " + protocol)
}

func all() []Peer {
	return []Peer{
		ours("anthropic"), ours("openai-chat"), ours("openai-responses"),
		anthropicSDK(), openaiChat(), openaiResponses(),
		handAnthropic(), handChat(), handResponses(),
		goOpenAI(), eino(), langchainAnthropic(), langchainOpenAI(),
	}
}

// Same says how two turns differ, or returns "".
func Same(want, got *Turn, rewrites bool) string {
	if len(want.Calls) != len(got.Calls) {
		return fmt.Sprintf("%d calls instead of %d", len(got.Calls), len(want.Calls))
	}
	for i, w := range want.Calls {
		g := got.Calls[i]
		wantArgs, gotArgs := w.Arguments(), g.Arguments()
		switch {
		case w.ID != g.ID:
			return fmt.Sprintf("call %d has another id", i)
		case w.Name != g.Name:
			return fmt.Sprintf("call %d has another name", i)
		case wantArgs == gotArgs:
		case !rewrites || !sameJSON(wantArgs, gotArgs):
			return fmt.Sprintf("call %d has other arguments", i)
		}
	}
	if want.Text != got.Text {
		return "the text differs"
	}
	return ""
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// response is what an HTTP client would hand over, without a socket.
func response(r io.Reader) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(r),
	}
}

// transport answers every request with the body, so that a client that insists on HTTP can be fed.
type transport struct{ body io.Reader }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res := response(t.body)
	res.Request = r
	return res, nil
}

func client(body io.Reader) *http.Client { return &http.Client{Transport: transport{body}} }

// Floor is the least that any reader does: it reads the bytes and finds the line ends.
func Floor(protocol string) Peer {
	return Peer{Name: "lower bound", Protocol: protocol, Kind: Bound, Read: func(r io.Reader) (*Turn, error) {
		buf := make([]byte, 64<<10)
		for {
			n, err := r.Read(buf)
			for b := buf[:n]; ; {
				i := bytes.IndexByte(b, '\n')
				if i < 0 {
					break
				}
				b = b[i+1:]
			}
			if err == io.EOF {
				return &Turn{}, nil
			}
			if err != nil {
				return nil, err
			}
		}
	}}
}

// ReadBytes reads a body that is in memory.
func (p Peer) ReadBytes(body []byte) (*Turn, error) { return p.Read(bytes.NewReader(body)) }
