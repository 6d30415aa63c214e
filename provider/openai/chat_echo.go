package openai

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: an assistant message with its tool_calls, and a message of the role
// tool for each call. Reasoning, which OpenAI itself does not send here, goes back as reasoning_content:
// the servers that send it want it with the calls of the turn, or pass over it.
//
// A call of the legacy function_call has its name for an id, and goes back as a tool call all the same.
func (chat) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "messages"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	if m := chatAssistant(parts); m != nil {
		echo.Messages = append(echo.Messages, m)
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

// chatAssistant writes the assistant's message, or nil where the turn holds nothing.
func chatAssistant(parts []wholecall.Part) json.RawMessage {
	var text, refusal, reasoning []byte
	var calls [][]byte
	for _, p := range parts {
		switch p := p.(type) {
		case *wholecall.Text:
			switch p.Kind() {
			case wholecall.RefusalPart:
				refusal = append(refusal, p.Delta...)
			case wholecall.ReasoningPart, wholecall.SummaryPart:
				reasoning = append(reasoning, p.Delta...)
			default:
				text = append(text, p.Delta...)
			}
		case wholecall.Call:
			calls = append(calls, chatCall(p))
		case wholecall.FailedCall:
			if p.Runner() == wholecall.ClientRuns {
				calls = append(calls, chatFunction(p.ID(), p.Name(), "{}", nil))
			}
		}
	}
	if len(text)+len(refusal)+len(reasoning)+len(calls) == 0 {
		return nil
	}
	var m strictjson.Object
	m.String("role", "assistant")
	if len(text) > 0 || len(calls) == 0 && len(refusal) == 0 {
		m.String("content", string(text))
	} else {
		m.Raw("content", []byte("null"))
	}
	if len(refusal) > 0 {
		m.String("refusal", string(refusal))
	}
	if len(reasoning) > 0 {
		m.String("reasoning_content", string(reasoning))
	}
	if len(calls) > 0 {
		m.Raw("tool_calls", strictjson.AppendArray(nil, calls))
	}
	return m.Bytes()
}

func chatCall(c wholecall.Call) []byte {
	if c.Form() != wholecall.TextArguments {
		return chatFunction(c.ID(), c.Name(), string(c.Arguments()), c.Extra())
	}
	var custom, b strictjson.Object
	custom.String("name", c.Name())
	custom.String("input", string(c.Arguments()))
	b.String("id", c.ID())
	b.String("type", "custom")
	b.Raw("custom", custom.Bytes())
	return b.Bytes()
}

func chatFunction(id, name, args string, extra []byte) []byte {
	var f, b strictjson.Object
	f.String("name", name)
	f.String("arguments", args)
	b.String("id", id)
	b.String("type", "function")
	b.Raw("function", f.Bytes())
	b.Members(extra, func(name string) bool { return name == "extra_content" })
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
