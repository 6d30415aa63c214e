package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	sashabaranov "github.com/sashabaranov/go-openai"
	"google.golang.org/genai"

	"github.com/wholecall/wholecall/dispatch"
	"github.com/wholecall/wholecall/httpturn"
	"github.com/wholecall/wholecall/loop"
	protocol "github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/sdk/anthropicsdk"
	"github.com/wholecall/wholecall/sdk/bedrocksdk"
	"github.com/wholecall/wholecall/sdk/genaisdk"
	"github.com/wholecall/wholecall/sdk/goopenai"
	"github.com/wholecall/wholecall/sdk/openaisdk"
)

// conversation asks the question and goes round until the model has no more calls.
type conversation func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error)

// clients are the SDKs, each in the ten lines that it takes.
func clients() map[string]conversation {
	return map[string]conversation{
		"anthropic": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			client := anthropic.NewClient(anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("none"))
			params := &anthropic.MessageNewParams{Model: anthropic.Model(model), MaxTokens: 1024,
				Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))}}
			if err := anthropicsdk.UseTools(params, d, true); err != nil {
				return nil, err
			}
			return anthropicsdk.Loop(ctx, &client, params, d, o)
		},
		"openai-chat": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"))
			params := &openai.ChatCompletionNewParams{Model: model,
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}}
			if err := openaisdk.UseChatTools(params, d, true); err != nil {
				return nil, err
			}
			return openaisdk.ChatLoop(ctx, &client, params, d, o)
		},
		"openai-responses": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"))
			params := &responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(question)}}
			if err := openaisdk.UseResponsesTools(params, d, true); err != nil {
				return nil, err
			}
			return openaisdk.ResponsesLoop(ctx, &client, params, d, o)
		},
		"genai": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: url}})
			if err != nil {
				return nil, err
			}
			request := &genaisdk.Request{Model: model, Contents: genai.Text(question)}
			if err := genaisdk.UseTools(request, d); err != nil {
				return nil, err
			}
			return genaisdk.Loop(ctx, client, request, d, o)
		},
		"bedrock": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			client := bedrockruntime.New(bedrockruntime.Options{Region: "us-east-1", BaseEndpoint: aws.String(url),
				Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
				})})
			in := &bedrockruntime.ConverseStreamInput{ModelId: aws.String(model), Messages: []types.Message{{Role: types.ConversationRoleUser,
				Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: question}}}}}
			if err := bedrocksdk.UseTools(in, d); err != nil {
				return nil, err
			}
			return bedrocksdk.Loop(ctx, client, in, d, o)
		},
		"go-openai": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			config := sashabaranov.DefaultConfig("none")
			config.BaseURL = url + "/v1"
			request := &sashabaranov.ChatCompletionRequest{Model: model, Messages: []sashabaranov.ChatCompletionMessage{{Role: "user", Content: question}}}
			if err := goopenai.UseTools(request, d, true); err != nil {
				return nil, err
			}
			return goopenai.Loop(ctx, sashabaranov.NewClientWithConfig(config), request, d, o)
		},
		"http": func(ctx context.Context, url, model string, d *dispatch.Dispatcher, o loop.Options) (*loop.Turn, error) {
			messages, err := json.Marshal([]any{map[string]string{"role": "user", "content": question}})
			if err != nil {
				return nil, err
			}
			c := &httpturn.Conversation{URL: url + "/v1/messages", Protocol: protocol.Messages,
				Header: http.Header{"X-Api-Key": {"none"}, "Anthropic-Version": {"2023-06-01"}},
				Body: map[string]json.RawMessage{"model": json.RawMessage(`"` + model + `"`), "max_tokens": json.RawMessage("1024"),
					"stream": json.RawMessage("true"), "messages": messages}}
			if err := c.UseTools(loop.Specs(d), true); err != nil {
				return nil, err
			}
			return loop.Loop(ctx, c, d, o)
		},
	}
}
