package ollama

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with its tool_calls, and a message of the role
// tool for each call, which names the tool: that, and the order, is how a server without ids tells the
// results apart. One that has ids gets them back.
func (chat) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	made := map[string]bool{}
	var text, thinking []byte
	var calls [][]byte
	for _, p := range parts {
		switch p := p.(type) {
		case *wholecall.Text:
			if p.Kind() == wholecall.ReasoningPart {
				thinking = append(thinking, p.Delta...)
			} else {
				text = append(text, p.Delta...)
			}
		case wholecall.Call:
			made[p.ID()] = generated(p.Extra())
			calls = append(calls, echoCall(p.ID(), p.Name(), p.Arguments(), made[p.ID()]))
		case wholecall.FailedCall:
			if p.Runner() == wholecall.ClientRuns {
				calls = append(calls, echoCall(p.ID(), p.Name(), nil, false))
			}
		}
	}
	if len(text)+len(thinking)+len(calls) > 0 {
		var m strictjson.Object
		m.String("role", "assistant")
		m.String("content", string(text))
		if len(thinking) > 0 {
			m.String("thinking", string(thinking))
		}
		if len(calls) > 0 {
			m.Raw("tool_calls", strictjson.AppendArray(nil, calls))
		}
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	for _, a := range results {
		var m strictjson.Object
		m.String("role", "tool")
		m.String("content", a.Content)
		m.String("tool_name", a.Name)
		if !made[a.ID] {
			m.String("tool_call_id", a.ID)
		}
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	return echo, nil
}

func echoCall(id, name string, args []byte, made bool) []byte {
	var f, b strictjson.Object
	f.String("name", name)
	if !strictjson.IsObject(args) {
		args = []byte("{}")
	}
	f.Raw("arguments", args)
	if !made {
		b.String("id", id)
	}
	b.Raw("function", f.Bytes())
	return b.Bytes()
}

// Tools implements wholecall.Echoer. The protocol has no switch against parallel calls.
func (chat) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	if !parallel {
		return nil, wholecall.ErrParallel
	}
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
	return map[string]json.RawMessage{"tools": strictjson.AppendArray(nil, list)}, nil
}
