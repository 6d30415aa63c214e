package mistral

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with its tool_calls, and a message of the role
// tool for each call, with the tool's name. Thinking goes back as a chunk of the content, as it came.
func (chat) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	var text []byte
	var chunks, calls [][]byte
	thought := false
	for _, p := range parts {
		switch p := p.(type) {
		case *wholecall.Text:
			thought = thought || p.Kind() == wholecall.ReasoningPart
			text = append(text, p.Delta...)
			chunks = append(chunks, echoChunk(p))
		case wholecall.Call:
			calls = append(calls, echoCall(p.ID(), p.Name(), p.Arguments()))
		case wholecall.FailedCall:
			if p.Runner() == wholecall.ClientRuns {
				calls = append(calls, echoCall(p.ID(), p.Name(), []byte("{}")))
			}
		}
	}
	if len(chunks)+len(calls) > 0 {
		var m strictjson.Object
		m.String("role", "assistant")
		if thought {
			m.Raw("content", strictjson.AppendArray(nil, chunks))
		} else {
			m.String("content", string(text))
		}
		if len(calls) > 0 {
			m.Raw("tool_calls", strictjson.AppendArray(nil, calls))
		}
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	for _, a := range results {
		var m strictjson.Object
		m.String("role", "tool")
		m.String("tool_call_id", a.ID)
		m.String("name", a.Name)
		m.String("content", a.Content)
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	return echo, nil
}

func echoChunk(p *wholecall.Text) []byte {
	var t strictjson.Object
	t.String("type", "text")
	t.String("text", string(p.Delta))
	if p.Kind() != wholecall.ReasoningPart {
		return t.Bytes()
	}
	var b strictjson.Object
	b.String("type", "thinking")
	b.Raw("thinking", strictjson.AppendArray(nil, [][]byte{t.Bytes()}))
	return b.Bytes()
}

func echoCall(id, name string, args []byte) []byte {
	var f, b strictjson.Object
	f.String("name", name)
	f.String("arguments", string(args))
	b.String("id", id)
	b.String("type", "function")
	b.Raw("function", f.Bytes())
	return b.Bytes()
}

// Tools implements wholecall.Echoer, with parallel_tool_calls against parallel calls.
func (chat) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	var list [][]byte
	for _, t := range tools {
		var f, o strictjson.Object
		f.String("name", t.Name)
		f.String("description", t.Description)
		f.Raw("parameters", t.Schema)
		o.String("type", "function")
		o.Raw("function", f.Bytes())
		list = append(list, o.Bytes())
	}
	m := map[string]json.RawMessage{"tools": strictjson.AppendArray(nil, list)}
	if !parallel {
		m["parallel_tool_calls"] = json.RawMessage("false")
	}
	return m, nil
}
