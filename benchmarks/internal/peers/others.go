package peers

import (
	"context"
	"io"
	"strings"

	einoopenai "github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/schema"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	lcanthropic "github.com/tmc/langchaingo/llms/anthropic"
	lcopenai "github.com/tmc/langchaingo/llms/openai"
)

func goOpenAI() Peer {
	return Peer{
		Name: "go-openai", Protocol: "openai-chat", Kind: Other,
		Module: "github.com/sashabaranov/go-openai", Note: "with the usual loop, a map by index",
		Read: func(r io.Reader) (*Turn, error) {
			config := goopenai.DefaultConfig("none")
			config.HTTPClient = client(r)
			stream, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(
				context.Background(), goopenai.ChatCompletionRequest{Model: "gpt-5.1"})
			if err != nil {
				return nil, err
			}
			defer stream.Close()
			return readGoOpenAI(stream)
		},
	}
}

func readGoOpenAI(stream *goopenai.ChatCompletionStream) (*Turn, error) {
	var text strings.Builder
	var calls []*pending
	open := map[int]*pending{}
	for {
		chunk, err := stream.Recv()
		if err == io.EOF {
			return finished(calls, text.String()), nil
		}
		if err != nil {
			return nil, err
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		text.WriteString(chunk.Choices[0].Delta.Content)
		for _, t := range chunk.Choices[0].Delta.ToolCalls {
			c := open[*t.Index]
			if c == nil {
				c = &pending{id: t.ID, name: t.Function.Name}
				open[*t.Index] = c
				calls = append(calls, c)
			}
			c.args.WriteString(t.Function.Arguments)
		}
	}
}

func eino() Peer {
	return Peer{
		Name: "eino", Protocol: "openai-chat", Kind: Other,
		Module: "github.com/cloudwego/eino-ext/components/model/openai", Note: "schema.ConcatMessageStream",
		Read: func(r io.Reader) (*Turn, error) {
			ctx := context.Background()
			model, err := einoopenai.NewChatModel(ctx, &einoopenai.ChatModelConfig{
				APIKey: "none", Model: "gpt-5.1", HTTPClient: client(r)})
			if err != nil {
				return nil, err
			}
			stream, err := model.Stream(ctx, []*schema.Message{schema.UserMessage("go")})
			if err != nil {
				return nil, err
			}
			m, err := schema.ConcatMessageStream(stream)
			if err != nil {
				return nil, err
			}
			t := &Turn{Text: m.Content}
			for _, c := range m.ToolCalls {
				t.Calls = append(t.Calls, Call{ID: c.ID, Name: c.Function.Name, Text: c.Function.Arguments})
			}
			return t, nil
		},
	}
}

func langchainAnthropic() Peer {
	return Peer{
		Name: "langchaingo", Protocol: "anthropic", Kind: Other, Module: "github.com/tmc/langchaingo",
		Rewrites: true,
		Note:     "GenerateContent with a streaming function; it parses the arguments and writes them anew",
		Read: func(r io.Reader) (*Turn, error) {
			model, err := lcanthropic.New(lcanthropic.WithToken("none"), lcanthropic.WithHTTPClient(client(r)))
			if err != nil {
				return nil, err
			}
			return generate(model)
		},
	}
}

func langchainOpenAI() Peer {
	return Peer{
		Name: "langchaingo", Protocol: "openai-chat", Kind: Other, Module: "github.com/tmc/langchaingo",
		Note: "GenerateContent with a streaming function",
		Read: func(r io.Reader) (*Turn, error) {
			model, err := lcopenai.New(lcopenai.WithToken("none"), lcopenai.WithModel("gpt-5.1"),
				lcopenai.WithHTTPClient(client(r)))
			if err != nil {
				return nil, err
			}
			return generate(model)
		},
	}
}

func generate(model llms.Model) (*Turn, error) {
	question := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "go")}
	// Without a function that takes the pieces it does not read a stream at all.
	res, err := model.GenerateContent(context.Background(), question,
		llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	if err != nil {
		return nil, err
	}
	t := &Turn{}
	for _, c := range res.Choices {
		t.Text += c.Content
		for _, call := range c.ToolCalls {
			t.Calls = append(t.Calls, Call{ID: call.ID, Name: call.FunctionCall.Name, Text: call.FunctionCall.Arguments})
		}
	}
	return t, nil
}
