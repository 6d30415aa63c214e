package anthropic

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with the blocks of the turn, and a user message
// with a tool_result for each call. Every result of a parallel turn must stand in one message, in front of
// anything else: "Parallel tool use", platform.claude.com, as of 2026-08.
//
// An empty text is left out, since the API refuses one. Arguments that are no object are written as {},
// for the same reason.
func (messages) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, calls, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	var blocks, results [][]byte
	for _, p := range parts {
		if b := echoBlock(p); b != nil {
			blocks = append(blocks, b)
		}
	}
	for _, a := range calls {
		results = append(results, resultBlock(a))
	}
	echo.Messages = appendMessage(echo.Messages, "assistant", blocks)
	echo.Messages = appendMessage(echo.Messages, "user", results)
	return echo, nil
}

func appendMessage(dst []json.RawMessage, role string, blocks [][]byte) []json.RawMessage {
	if len(blocks) == 0 {
		return dst
	}
	var m strictjson.Object
	m.String("role", role)
	m.Raw("content", strictjson.AppendArray(nil, blocks))
	return append(dst, m.Bytes())
}

func echoBlock(p wholecall.Part) []byte {
	switch p := p.(type) {
	case *wholecall.Text:
		return echoText(p)
	case wholecall.Data:
		return p.JSON
	case wholecall.Call:
		return useOf("tool_use", p.ID(), p.Name(), p.Arguments(), p.Extra())
	case wholecall.ServerCall:
		return useOf("server_tool_use", p.ID(), p.Name(), p.Arguments(), p.Extra())
	case wholecall.FailedCall:
		if p.Runner() == wholecall.ClientRuns {
			return useOf("tool_use", p.ID(), p.Name(), nil, nil)
		}
	}
	return nil
}

func echoText(p *wholecall.Text) []byte {
	var b strictjson.Object
	if p.Kind() == wholecall.ReasoningPart {
		if len(p.Signature) == 0 {
			return nil // a thought that was cut: the API refuses one without its signature
		}
		b.String("type", "thinking")
		b.String("thinking", string(p.Delta))
		b.String("signature", string(p.Signature))
		return b.Bytes()
	}
	if len(p.Delta) == 0 {
		return nil
	}
	b.String("type", "text")
	b.String("text", string(p.Delta))
	if len(p.Annotations) > 0 {
		b.Raw("citations", strictjson.AppendArray(nil, p.Annotations))
	}
	return b.Bytes()
}

func useOf(typ, id, name string, input, extra []byte) []byte {
	var c strictjson.Cursor
	c.Reset(extra)
	for ok := c.Object(); ok; {
		var member []byte
		if member, ok = c.Member(); !ok {
			break
		}
		if string(member) == "type" {
			if s, ok := c.Text(); ok {
				typ = string(s)
			}
			continue
		}
		c.Skip()
	}
	if !strictjson.IsObject(input) {
		input = []byte("{}")
	}
	var b strictjson.Object
	b.String("type", typ)
	b.String("id", id)
	b.String("name", name)
	b.Raw("input", input)
	b.Members(extra, func(name string) bool { return name != "type" })
	return b.Bytes()
}

func resultBlock(a wholecall.Answer) []byte {
	var b strictjson.Object
	b.String("type", "tool_result")
	b.String("tool_use_id", a.ID)
	b.String("content", a.Content)
	if a.Failed {
		b.Raw("is_error", []byte("true"))
	}
	return b.Bytes()
}

// Tools implements wholecall.Echoer, with disable_parallel_tool_use against parallel calls.
func (messages) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	var list [][]byte
	for _, t := range tools {
		var o strictjson.Object
		o.String("name", t.Name)
		o.String("description", t.Description)
		o.Raw("input_schema", t.Schema)
		list = append(list, o.Bytes())
	}
	m := map[string]json.RawMessage{"tools": strictjson.AppendArray(nil, list)}
	if !parallel {
		m["tool_choice"] = json.RawMessage(`{"type":"auto","disable_parallel_tool_use":true}`)
	}
	return m, nil
}
