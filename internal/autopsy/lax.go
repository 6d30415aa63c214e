package autopsy

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
)

// Lax reads a frame as code does that checks nothing: where a decoder refuses a frame, such a client goes on
// with what it finds in it. It knows where the three most spoken protocols keep their calls; of any other
// frame it makes nothing.
func Lax(data []byte) []wholecall.Event {
	var f laxFrame
	if json.Unmarshal(data, &f) != nil {
		return nil
	}
	switch f.Type {
	case "content_block_start":
		if f.Block.Type == "tool_use" {
			return announced(f.Index, 0, f.Block.ID, f.Block.Name, "")
		}
	case "content_block_delta":
		if f.delta().Type == "input_json_delta" {
			return written(f.Index, 0, f.delta().PartialJSON)
		}
	case "response.output_item.added":
		if f.Item.Type == "function_call" {
			return announced(f.OutputIndex, 0, f.Item.CallID, f.Item.Name, f.Item.Arguments)
		}
	case "response.function_call_arguments.delta":
		var text string
		if json.Unmarshal(f.Delta, &text) == nil {
			return written(f.OutputIndex, 0, text)
		}
	case "":
		return f.chat()
	}
	return nil
}

type laxFrame struct {
	Type        string          `json:"type"`
	Index       int32           `json:"index"`
	OutputIndex int32           `json:"output_index"`
	Delta       json.RawMessage `json:"delta"`
	Block       struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"content_block"`
	Item struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"item"`
	Choices []struct {
		Index int32 `json:"index"`
		Delta struct {
			Calls []struct {
				Index    int32  `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

type laxDelta struct {
	Type        string `json:"type"`
	PartialJSON string `json:"partial_json"`
}

func (f *laxFrame) delta() (d laxDelta) {
	json.Unmarshal(f.Delta, &d)
	return d
}

func (f *laxFrame) chat() []wholecall.Event {
	var events []wholecall.Event
	for _, c := range f.Choices {
		for _, t := range c.Delta.Calls {
			if t.ID != "" || t.Function.Name != "" {
				events = append(events, announced(t.Index, c.Index, t.ID, t.Function.Name, t.Function.Arguments)...)
				continue
			}
			events = append(events, written(t.Index, c.Index, t.Function.Arguments)...)
		}
	}
	return events
}

func announced(index, choice int32, id, name, arguments string) []wholecall.Event {
	events := []wholecall.Event{{Kind: wholecall.Announce, Key: wholecall.Key{Choice: choice, Index: index}, ID: []byte(id), Name: []byte(name)}}
	if arguments == "" {
		return events
	}
	return append(events, written(index, choice, arguments)...)
}

func written(index, choice int32, text string) []wholecall.Event {
	return []wholecall.Event{{Kind: wholecall.Fragment, Key: wholecall.Key{Choice: choice, Index: index}, Data: []byte(text)}}
}
