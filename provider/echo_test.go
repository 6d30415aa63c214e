package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// kept reads a vector to its end and keeps its parts.
func kept(t *testing.T, name, framing string) (wholecall.Echoer, *wholecall.Reply) {
	t.Helper()
	protocol, _, _ := strings.Cut(name, "/")
	p, ok := provider.Named(protocol)
	if !ok {
		t.Fatal(protocol)
	}
	e, ok := p.(wholecall.Echoer)
	if !ok {
		t.Fatalf("%s has no echo", protocol)
	}
	body, err := os.ReadFile("../conformance/vectors/" + name + "." + framing)
	if _, gone := os.Stat("../conformance/vectors"); gone != nil {
		t.Skip("the conformance vectors are a module of their own, and are not beside this one")
	}
	if err != nil {
		t.Fatal(err)
	}
	r := &wholecall.Reply{}
	turn := wholecall.NewTurn(bytes.NewReader(body), p, wholecall.WithFraming(vectorFraming(t, framing)))
	for {
		part, err := turn.Next()
		if err != nil {
			return e, r
		}
		r.Keep(part)
	}
}

// answers is an answer for each call of a reply.
func answers(r *wholecall.Reply) (as []wholecall.Answer) {
	for _, p := range r.Parts {
		switch p := p.(type) {
		case wholecall.Call:
			as = append(as, wholecall.Answer{ID: p.ID(), Name: p.Name(), Content: `{"at":"08:15"}`})
		case wholecall.FailedCall:
			as = append(as, wholecall.Answer{ID: p.ID(), Name: p.Name(), Content: "it did not arrive whole", Failed: true})
		}
	}
	return as
}

// TestEcho holds what each protocol sends back against the golden file, which a person has read.
func TestEcho(t *testing.T) {
	var out strings.Builder
	for _, v := range [][2]string{
		{"anthropic/reasoning-text-call-text", "sse"},
		{"anthropic/server-call-satisfies-tool-use", "sse"},
		{"anthropic/redacted-thinking", "sse"},
		{"anthropic/program-call-in-block-start", "sse"},
		{"anthropic/stop-token-limit-open-call", "sse"},
		{"anthropic/two-calls-of-one-tool", "sse"},
		{"openai-chat/two-calls-of-one-tool", "sse"},
		{"openai-chat/text-then-call", "sse"},
		{"openai-chat/shape-signatures", "sse"},
		{"openai-chat/custom-tool-beside-a-function", "sse"},
		{"openai-chat/finish-length-cut-call", "sse"},
		{"openai-responses/reasoning-text-call-text", "sse"},
		{"openai-responses/custom-tool", "sse"},
		{"openai-responses/stop-token-limit-cut-call", "sse"},
		{"gemini/two-calls-of-one-tool", "sse"},
		{"gemini/shape-signatures", "sse"},
		{"bedrock/reasoning-text-call-text", "eventstream"},
		{"bedrock/stop-max-tokens-half-document", "eventstream"},
		{"bedrock-invoke/text-then-call", "eventstream"},
		{"cohere/reasoning-text-call-text", "sse"},
		{"mistral/reasoning-text-call-text", "sse"},
		{"ollama/four-calls-of-one-tool", "ndjson"},
		{"ollama/call-without-an-id", "ndjson"},
	} {
		e, r := kept(t, v[0], v[1])
		echo, err := e.Echo(r, answers(r))
		if err != nil {
			t.Errorf("%s: %v", v[0], err)
		}
		fmt.Fprintf(&out, "%s: %s\n", v[0], echo.Member)
		for _, m := range echo.Messages {
			if !json.Valid(m) {
				t.Errorf("%s: no JSON: %s", v[0], m)
			}
			fmt.Fprintf(&out, "  %s\n", m)
		}
	}
	golden(t, "testdata/echo.golden", out.String())
}

// TestEchoOfEveryVector: every vector's turn can be sent back, each of its calls once, with one result.
func TestEchoOfEveryVector(t *testing.T) {
	for _, name := range vectorNames(t, os.DirFS("../conformance/vectors")) {
		protocol, _, _ := strings.Cut(name, "/")
		p, ok := provider.Named(protocol)
		if _, can := p.(wholecall.Echoer); !ok || !can {
			continue
		}
		framing := p.Facts().Framing
		if _, err := os.Stat("../conformance/vectors/" + name + "." + framing); err != nil {
			continue
		}
		e, r := kept(t, name, framing)
		if len(r.Parts) == 0 {
			continue
		}
		as := answers(r)
		echo, err := e.Echo(r, one(r, as))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, err := json.Marshal(echo.Messages)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, a := range one(r, as) {
			quoted, _ := json.Marshal(a.ID)
			if n := bytes.Count(all, quoted); n != 2 && !strings.HasPrefix(a.ID, "wholecall_") && a.ID != a.Name {
				t.Errorf("%s: the id %s stands there %d times\n%s", name, a.ID, n, all)
			}
		}
	}
}

// one is the answers of choice 0.
func one(r *wholecall.Reply, as []wholecall.Answer) (mine []wholecall.Answer) {
	i := 0
	for _, p := range r.Parts {
		var choice int32
		switch p := p.(type) {
		case wholecall.Call:
			choice = p.Key().Choice
		case wholecall.FailedCall:
			choice = p.Key().Choice
			if p.Runner() == wholecall.ProviderRuns {
				i++
				continue
			}
		default:
			continue
		}
		if choice == 0 {
			mine = append(mine, as[i])
		}
		i++
	}
	return mine
}

func TestEchoWantsAnAnswerForEachCall(t *testing.T) {
	e, r := kept(t, "anthropic/two-calls-of-one-tool", "sse")
	as := answers(r)
	for name, wrong := range map[string][]wholecall.Answer{
		"none":      nil,
		"one":       as[:1],
		"one twice": {as[0], as[1], as[0]},
		"another":   {as[0], as[1], {ID: "toolu_other"}},
	} {
		var ee *wholecall.EchoError
		if _, err := e.Echo(r, wrong); !errors.As(err, &ee) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Echo(r, []wholecall.Answer{as[1], as[0]}); err != nil {
		t.Errorf("in another order: %v", err)
	}
}
