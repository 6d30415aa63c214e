package gemini

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Echo implements wholecall.Echoer: a content of the role model with the parts of the turn and their
// thought signatures, and one of the role user with a functionResponse for each call, in the order of the
// calls, which is what tells them apart where the API gave no ids. A result that is a JSON object goes
// back as it is; any other stands in it as "output", and an error as "error".
//
// A thought goes back too: the signatures of a turn hang on its parts.
func (generateContent) Echo(r *wholecall.Reply, answers []wholecall.Answer) (wholecall.Echo, error) {
	echo := wholecall.Echo{Member: "contents"}
	parts, results, err := r.Answered(answers)
	if err != nil {
		return echo, err
	}
	made := map[string]bool{}
	var said, responses [][]byte
	for _, p := range parts {
		if b := echoPart(p, made); b != nil {
			said = append(said, b)
		}
	}
	for _, a := range results {
		responses = append(responses, responsePart(a, made[a.ID]))
	}
	echo.Messages = appendContent(echo.Messages, "model", said)
	echo.Messages = appendContent(echo.Messages, "user", responses)
	return echo, nil
}

func appendContent(dst []json.RawMessage, role string, parts [][]byte) []json.RawMessage {
	if len(parts) == 0 {
		return dst
	}
	var m strictjson.Object
	m.String("role", role)
	m.Raw("parts", strictjson.AppendArray(nil, parts))
	return append(dst, m.Bytes())
}

// echoPart writes a part; made gets the ids that are ours and not the API's.
func echoPart(p wholecall.Part, made map[string]bool) []byte {
	var b strictjson.Object
	switch p := p.(type) {
	case *wholecall.Text:
		if len(p.Delta) == 0 && len(p.Signature) == 0 {
			return nil
		}
		if p.Kind() == wholecall.ReasoningPart || p.Kind() == wholecall.SummaryPart {
			b.Raw("thought", []byte("true"))
		}
		b.String("text", string(p.Delta))
		if len(p.Signature) > 0 {
			b.String("thoughtSignature", string(p.Signature))
		}
	case wholecall.Data:
		return p.JSON
	case wholecall.Call:
		x := parseExtra(p.Extra())
		made[p.ID()] = x.generated
		b.Raw("functionCall", functionCall(p.ID(), p.Name(), p.Arguments(), x.generated))
		b.Raw("thoughtSignature", x.signature)
	case wholecall.FailedCall:
		if p.Runner() != wholecall.ClientRuns {
			return nil
		}
		b.Raw("functionCall", functionCall(p.ID(), p.Name(), nil, false))
	default:
		return nil
	}
	return b.Bytes()
}

func functionCall(id, name string, args []byte, made bool) []byte {
	var f strictjson.Object
	if !made {
		f.String("id", id)
	}
	f.String("name", name)
	if !strictjson.IsObject(args) {
		args = []byte("{}")
	}
	f.Raw("args", args)
	return f.Bytes()
}

func responsePart(a wholecall.Answer, made bool) []byte {
	var b, f strictjson.Object
	if !made {
		f.String("id", a.ID)
	}
	f.String("name", a.Name)
	if content := []byte(a.Content); !a.Failed && strictjson.IsObject(content) && strictjson.Check(content, wholecall.DefaultDepth) == nil {
		f.Raw("response", content)
	} else {
		var o strictjson.Object
		member := "output"
		if a.Failed {
			member = "error"
		}
		o.String(member, a.Content)
		f.Raw("response", o.Bytes())
	}
	b.Raw("functionResponse", f.Bytes())
	return b.Bytes()
}

// Tools implements wholecall.Echoer. The protocol has no switch against parallel calls.
func (generateContent) Tools(tools []wholecall.ToolSpec, parallel bool) (map[string]json.RawMessage, error) {
	if !parallel {
		return nil, wholecall.ErrParallel
	}
	var list [][]byte
	for _, t := range tools {
		var o strictjson.Object
		o.String("name", t.Name)
		o.String("description", t.Description)
		o.Raw("parametersJsonSchema", t.Schema)
		list = append(list, o.Bytes())
	}
	var o strictjson.Object
	o.Raw("functionDeclarations", strictjson.AppendArray(nil, list))
	return map[string]json.RawMessage{"tools": strictjson.AppendArray(nil, [][]byte{o.Bytes()})}, nil
}
