package cohere

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with its tool_calls, the plan that came before
// them as tool_plan, and a message of the role tool for each call.
func (chat) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	var text, plan []byte
	var calls [][]byte
	for _, p := range parts {
		switch p := p.(type) {
		case *wholecall.Text:
			if p.Kind() == wholecall.TextPart {
				text = append(text, p.Delta...)
			} else {
				plan = append(plan, p.Delta...)
			}
		case wholecall.Call:
			calls = append(calls, echoCall(p.ID(), p.Name(), p.Arguments()))
		case wholecall.FailedCall:
			if p.Runner() == wholecall.ClientRuns {
				calls = append(calls, echoCall(p.ID(), p.Name(), []byte("{}")))
			}
		}
	}
	if len(text)+len(plan)+len(calls) > 0 {
		var m strictjson.Object
		m.String("role", "assistant")
		switch {
		case len(calls) > 0:
			if len(text) > 0 {
				m.String("content", string(text))
			}
			if len(plan) > 0 {
				m.String("tool_plan", string(plan))
			}
			m.Raw("tool_calls", strictjson.AppendArray(nil, calls))
		default:
			m.String("content", string(text))
		}
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	for _, a := range results {
		var m strictjson.Object
		m.String("role", "tool")
		m.String("tool_call_id", a.ID)
		m.String("content", a.Content)
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	return echo, nil
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
