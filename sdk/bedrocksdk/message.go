package bedrocksdk

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

// block is a content block of an echo.
type block struct {
	Text      *string `json:"text"`
	Reasoning *struct {
		Text *struct {
			Text      string  `json:"text"`
			Signature *string `json:"signature"`
		} `json:"reasoningText"`
		Redacted []byte `json:"redactedContent"`
	} `json:"reasoningContent"`
	ToolUse *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
		Type  string          `json:"type"`
	} `json:"toolUse"`
	ToolResult *struct {
		ID      string  `json:"toolUseId"`
		Status  string  `json:"status"`
		Content []block `json:"content"`
	} `json:"toolResult"`
}

// message makes the SDK's message of one that is JSON. The error says what the SDK has no type for.
func message(raw json.RawMessage) (types.Message, error) {
	var m struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return types.Message{}, err
	}
	out := types.Message{Role: types.ConversationRole(m.Role)}
	for _, c := range m.Content {
		var b block
		if err := json.Unmarshal(c, &b); err != nil {
			return out, err
		}
		cb, err := b.content()
		if err != nil {
			return out, err
		}
		out.Content = append(out.Content, cb)
	}
	return out, nil
}

func (b *block) content() (types.ContentBlock, error) {
	switch {
	case b.Text != nil:
		return &types.ContentBlockMemberText{Value: *b.Text}, nil
	case b.Reasoning != nil && b.Reasoning.Text != nil:
		return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberReasoningText{
			Value: types.ReasoningTextBlock{Text: aws.String(b.Reasoning.Text.Text), Signature: b.Reasoning.Text.Signature}}}, nil
	case b.Reasoning != nil:
		return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberRedactedContent{Value: b.Reasoning.Redacted}}, nil
	case b.ToolUse != nil:
		var input any
		if err := json.Unmarshal(b.ToolUse.Input, &input); err != nil {
			return nil, err
		}
		return &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{ToolUseId: aws.String(b.ToolUse.ID), Name: aws.String(b.ToolUse.Name),
			Type: types.ToolUseType(b.ToolUse.Type), Input: document.NewLazyDocument(input)}}, nil
	case b.ToolResult != nil:
		r := types.ToolResultBlock{ToolUseId: aws.String(b.ToolResult.ID), Status: types.ToolResultStatus(b.ToolResult.Status)}
		for _, c := range b.ToolResult.Content {
			r.Content = append(r.Content, &types.ToolResultContentBlockMemberText{Value: aws.ToString(c.Text)})
		}
		return &types.ContentBlockMemberToolResult{Value: r}, nil
	}
	return nil, fmt.Errorf("bedrocksdk: a content block that the SDK has no type for")
}
