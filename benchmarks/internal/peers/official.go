package peers

import (
	"errors"
	"io"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	antstream "github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"
	"github.com/openai/openai-go/v3"
	oaistream "github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
)

func anthropicSDK() Peer {
	return Peer{
		Name: "anthropic-sdk-go", Protocol: "anthropic", Kind: Official,
		Module: "github.com/anthropics/anthropic-sdk-go/v2", Note: "Message.Accumulate",
		Read: func(r io.Reader) (*Turn, error) {
			stream := antstream.NewStream[anthropic.MessageStreamEventUnion](antstream.NewDecoder(response(r)), nil)
			var m anthropic.Message
			for stream.Next() {
				if err := m.Accumulate(stream.Current()); err != nil {
					return nil, err
				}
			}
			return fromMessage(&m), stream.Err()
		},
	}
}

func fromMessage(m *anthropic.Message) *Turn {
	t := &Turn{}
	for i := range m.Content {
		switch b := &m.Content[i]; b.Type {
		case "text":
			t.Text += b.Text
		case "tool_use":
			t.Calls = append(t.Calls, Call{ID: b.ID, Name: b.Name, JSON: b.Input})
		}
	}
	return t
}

var errRefused = errors.New("the accumulator refused a chunk")

func openaiChat() Peer {
	return Peer{
		Name: "openai-go", Protocol: "openai-chat", Kind: Official,
		Module: "github.com/openai/openai-go/v3", Note: "ChatCompletionAccumulator",
		Read: func(r io.Reader) (*Turn, error) {
			stream := oaistream.NewStream[openai.ChatCompletionChunk](oaistream.NewDecoder(response(r)), nil)
			var acc openai.ChatCompletionAccumulator
			for stream.Next() {
				if !acc.AddChunk(stream.Current()) {
					return nil, errRefused
				}
			}
			t := &Turn{}
			if len(acc.Choices) > 0 {
				m := &acc.Choices[0].Message
				t.Text = m.Content
				for _, c := range m.ToolCalls {
					t.Calls = append(t.Calls, Call{ID: c.ID, Name: c.Function.Name, Text: c.Function.Arguments})
				}
			}
			return t, stream.Err()
		},
	}
}

func openaiResponses() Peer {
	return Peer{
		Name: "openai-go", Protocol: "openai-responses", Kind: Official,
		Module: "github.com/openai/openai-go/v3",
		Note:   "its event union in the usual loop: its accumulator takes the events of a WebSocket alone",
		Read: func(r io.Reader) (*Turn, error) {
			stream := oaistream.NewStream[responses.ResponseStreamEventUnion](oaistream.NewDecoder(response(r)), nil)
			var text strings.Builder
			var calls []*pending
			open := map[int64]*pending{}
			for stream.Next() {
				switch e := stream.Current(); e.Type {
				case "response.output_item.added":
					if e.Item.Type == "function_call" {
						c := &pending{id: e.Item.CallID, name: e.Item.Name}
						open[e.OutputIndex] = c
						calls = append(calls, c)
					}
				case "response.output_text.delta":
					text.WriteString(e.Delta)
				case "response.function_call_arguments.delta":
					if c := open[e.OutputIndex]; c != nil {
						c.args.WriteString(e.Delta)
					}
				}
			}
			return finished(calls, text.String()), stream.Err()
		},
	}
}
