package openai

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: input items, those of the turn first, and behind them an output for
// each call. A reasoning item goes back where it has encrypted content, as it stands: without that the API
// knows it by nothing but its id, if it stored it. Calls that the API ran go back where they came as
// whole items.
//
// Where the API stores the response, previous_response_id and the outputs alone are enough: they are the
// last elements, one a call.
func (responses) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "input"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	custom := map[string]bool{}
	outputs := map[string]string{}
	for _, p := range parts {
		item := responsesItemOf(p, custom, outputs)
		if item != nil {
			echo.Messages = append(echo.Messages, item)
		}
	}
	for _, a := range results {
		var m strictjson.Object
		m.String("type", outputType(a, custom, outputs))
		m.String("call_id", a.ID)
		m.String("output", a.Content)
		echo.Messages = append(echo.Messages, m.Bytes())
	}
	return echo, nil
}

func outputType(a wholecall.Answer, custom map[string]bool, outputs map[string]string) string {
	switch {
	case custom[a.ID]:
		return "custom_tool_call_output"
	case outputs[a.ID] != "":
		return outputs[a.ID] + "_output"
	}
	return "function_call_output"
}

func responsesItemOf(p wholecall.Part, custom map[string]bool, outputs map[string]string) json.RawMessage {
	switch p := p.(type) {
	case *wholecall.Text:
		return responsesMessage(p)
	case wholecall.Data:
		return p.JSON
	case wholecall.Call:
		if p.Form() == wholecall.TextArguments {
			custom[p.ID()] = true
			return responsesCall("custom_tool_call", "input", p.ID(), p.Name(), string(p.Arguments()), p.Extra())
		}
		if typ := typeIn(p.Extra()); typ != "" && typ != "function_call" {
			outputs[p.ID()] = typ
			return responsesOther(typ, p)
		}
		return responsesCall("function_call", "arguments", p.ID(), p.Name(), string(p.Arguments()), p.Extra())
	case wholecall.FailedCall:
		if p.Runner() == wholecall.ClientRuns {
			return responsesCall("function_call", "arguments", p.ID(), p.Name(), "{}", nil)
		}
	}
	return nil
}

// responsesMessage writes a text as a message of its own: where two parts stood in one message, two say
// the same.
func responsesMessage(p *wholecall.Text) json.RawMessage {
	if len(p.Delta) == 0 || p.Kind() != wholecall.TextPart && p.Kind() != wholecall.RefusalPart {
		return nil
	}
	var part, m strictjson.Object
	if p.Kind() == wholecall.RefusalPart {
		part.String("type", "refusal")
		part.String("refusal", string(p.Delta))
	} else {
		part.String("type", "output_text")
		part.String("text", string(p.Delta))
		part.Raw("annotations", strictjson.AppendArray(nil, p.Annotations))
	}
	m.String("type", "message")
	m.String("role", "assistant")
	m.Raw("content", strictjson.AppendArray(nil, [][]byte{part.Bytes()}))
	return m.Bytes()
}

func responsesCall(typ, member, id, name, args string, extra []byte) json.RawMessage {
	var m strictjson.Object
	m.String("type", typ)
	m.String("call_id", id)
	m.String("name", name)
	m.String(member, args)
	m.Members(extra, func(name string) bool { return name == "caller" || name == "namespace" })
	return m.Bytes()
}

// responsesOther writes a call whose arguments stand as an object in its item: a shell call, a patch, a
// computer call.
func responsesOther(typ string, c wholecall.Call) json.RawMessage {
	member := "action"
	switch typ {
	case "apply_patch_call":
		member = "operation"
	case "tool_search_call":
		member = "arguments"
	}
	var m strictjson.Object
	m.String("type", typ)
	m.String("call_id", c.ID())
	m.Raw(member, c.Arguments())
	m.Members(c.Extra(), func(name string) bool { return name != "type" && name != "item_id" })
	return m.Bytes()
}

func typeIn(extra []byte) string {
	var c strictjson.Cursor
	c.Reset(memberIn(extra, "type"))
	typ, _ := c.Text()
	return string(typ)
}

// Tools implements wholecall.Echoer, with parallel_tool_calls against parallel calls.
func (responses) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	var list [][]byte
	for _, t := range tools {
		var o strictjson.Object
		o.String("type", "function")
		o.String("name", t.Name)
		o.String("description", t.Description)
		o.Raw("parameters", t.Schema)
		// Strict mode takes a part of JSON Schema only, which a caller's schema need not keep to.
		o.Raw("strict", []byte("false"))
		list = append(list, o.Bytes())
	}
	m := map[string]json.RawMessage{"tools": strictjson.AppendArray(nil, list)}
	if !parallel {
		m["parallel_tool_calls"] = json.RawMessage("false")
	}
	return m, nil
}
