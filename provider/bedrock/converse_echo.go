package bedrock

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with the blocks of the turn, and a user message
// with a toolResult for each call.
func (converse) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	var blocks, answered [][]byte
	for _, p := range parts {
		if b := echoBlock(p); b != nil {
			blocks = append(blocks, b)
		}
	}
	for _, a := range results {
		answered = append(answered, wrapped("toolResult", resultOf(a)))
	}
	echo.Messages = appendMessage(echo.Messages, "assistant", blocks)
	echo.Messages = appendMessage(echo.Messages, "user", answered)
	return echo, nil
}

// Echo implements wholecall.Echoer where the inner protocol does.
func (p invoke) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	e, ok := p.inner.(wholecall.Echoer)
	if !ok {
		return wholecall.Echo{}, &noEchoError{p.inner.Facts().Name}
	}
	return e.Echo(r, answers)
}

type noEchoError struct{ protocol string }

func (e *noEchoError) Error() string { return e.protocol + " can't write a next request" }

func appendMessage(dst []json.RawMessage, role string, blocks [][]byte) []json.RawMessage {
	if len(blocks) == 0 {
		return dst
	}
	var m strictjson.Object
	m.String("role", role)
	m.Raw("content", strictjson.AppendArray(nil, blocks))
	return append(dst, m.Bytes())
}

func wrapped(name string, value []byte) []byte {
	var b strictjson.Object
	b.Raw(name, value)
	return b.Bytes()
}

func echoBlock(p wholecall.Part) []byte {
	switch p := p.(type) {
	case *wholecall.Text:
		if p.Kind() == wholecall.ReasoningPart {
			var t strictjson.Object
			t.String("text", string(p.Delta))
			if len(p.Signature) > 0 {
				t.String("signature", string(p.Signature))
			}
			return wrapped("reasoningContent", wrapped("reasoningText", t.Bytes()))
		}
		if len(p.Delta) == 0 {
			return nil
		}
		var t strictjson.Object
		t.String("text", string(p.Delta))
		return t.Bytes()
	case wholecall.Data:
		return p.JSON
	case wholecall.Call:
		return useBlock(p.ID(), p.Name(), p.Arguments(), "")
	case wholecall.ServerCall:
		return useBlock(p.ID(), p.Name(), p.Arguments(), "server_tool_use")
	case wholecall.FailedCall:
		if p.Runner() == wholecall.ClientRuns {
			return useBlock(p.ID(), p.Name(), nil, "")
		}
	}
	return nil
}

func useBlock(id, name string, input []byte, typ string) []byte {
	if !strictjson.IsObject(input) {
		input = []byte("{}")
	}
	var u strictjson.Object
	u.String("toolUseId", id)
	u.String("name", name)
	u.Raw("input", input)
	if typ != "" {
		u.String("type", typ)
	}
	return wrapped("toolUse", u.Bytes())
}

func resultOf(a wholecall.Answer) []byte {
	var text, t strictjson.Object
	text.String("text", a.Content)
	t.String("toolUseId", a.ID)
	t.Raw("content", strictjson.AppendArray(nil, [][]byte{text.Bytes()}))
	if a.Failed {
		t.String("status", "error")
	}
	return t.Bytes()
}

// Tools implements wholecall.Echoer. The protocol itself has no switch against parallel calls.
func (converse) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	if !parallel {
		return nil, wholecall.ErrParallel
	}
	var list [][]byte
	for _, t := range tools {
		var o strictjson.Object
		o.String("name", t.Name)
		o.String("description", t.Description)
		o.Raw("inputSchema", wrapped("json", t.Schema))
		list = append(list, wrapped("toolSpec", o.Bytes()))
	}
	return map[string]json.RawMessage{"toolConfig": wrapped("tools", strictjson.AppendArray(nil, list))}, nil
}

// Tools implements wholecall.Echoer where the inner protocol does.
func (p invoke) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	e, ok := p.inner.(wholecall.Echoer)
	if !ok {
		return nil, &noEchoError{p.inner.Facts().Name}
	}
	return e.Tools(tools, parallel)
}
