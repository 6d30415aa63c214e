package bedrocksdk

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
)

// object is a JSON object.
type object = map[string]any

// payload is an event as it stands on the wire, in the name of its type. An event that the SDK does not know
// is nil: it has no bytes any more.
func payload(ev types.ConverseStreamOutput) ([]byte, error) {
	switch ev := ev.(type) {
	case *types.ConverseStreamOutputMemberMessageStart:
		return json.Marshal(object{"messageStart": object{"role": ev.Value.Role}})
	case *types.ConverseStreamOutputMemberContentBlockStart:
		return json.Marshal(object{"contentBlockStart": object{"contentBlockIndex": aws.ToInt32(ev.Value.ContentBlockIndex), "start": start(ev.Value.Start)}})
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		return json.Marshal(object{"contentBlockDelta": object{"contentBlockIndex": aws.ToInt32(ev.Value.ContentBlockIndex), "delta": delta(ev.Value.Delta)}})
	case *types.ConverseStreamOutputMemberContentBlockStop:
		return json.Marshal(object{"contentBlockStop": object{"contentBlockIndex": aws.ToInt32(ev.Value.ContentBlockIndex)}})
	case *types.ConverseStreamOutputMemberMessageStop:
		return json.Marshal(object{"messageStop": object{"stopReason": ev.Value.StopReason}})
	case *types.ConverseStreamOutputMemberMetadata:
		m := object{}
		if u := ev.Value.Usage; u != nil {
			usage := object{"inputTokens": aws.ToInt32(u.InputTokens), "outputTokens": aws.ToInt32(u.OutputTokens), "totalTokens": aws.ToInt32(u.TotalTokens)}
			if u.CacheReadInputTokens != nil {
				usage["cacheReadInputTokens"] = *u.CacheReadInputTokens
			}
			if u.CacheWriteInputTokens != nil {
				usage["cacheWriteInputTokens"] = *u.CacheWriteInputTokens
			}
			m["usage"] = usage
		}
		return json.Marshal(object{"metadata": m})
	}
	return nil, nil
}

func start(s types.ContentBlockStart) object {
	switch s := s.(type) {
	case *types.ContentBlockStartMemberToolUse:
		u := object{"toolUseId": aws.ToString(s.Value.ToolUseId), "name": aws.ToString(s.Value.Name)}
		if s.Value.Type != "" {
			u["type"] = s.Value.Type
		}
		return object{"toolUse": u}
	case *types.ContentBlockStartMemberToolResult:
		r := object{"toolUseId": aws.ToString(s.Value.ToolUseId)}
		if s.Value.Status != "" {
			r["status"] = s.Value.Status
		}
		if s.Value.Type != nil {
			r["type"] = *s.Value.Type
		}
		return object{"toolResult": r}
	}
	return object{}
}

func delta(d types.ContentBlockDelta) object {
	switch d := d.(type) {
	case *types.ContentBlockDeltaMemberText:
		return object{"text": d.Value}
	case *types.ContentBlockDeltaMemberToolUse:
		return object{"toolUse": object{"input": aws.ToString(d.Value.Input)}}
	case *types.ContentBlockDeltaMemberReasoningContent:
		switch r := d.Value.(type) {
		case *types.ReasoningContentBlockDeltaMemberText:
			return object{"reasoningContent": object{"text": r.Value}}
		case *types.ReasoningContentBlockDeltaMemberSignature:
			return object{"reasoningContent": object{"signature": r.Value}}
		case *types.ReasoningContentBlockDeltaMemberRedactedContent:
			return object{"reasoningContent": object{"redactedContent": r.Value}}
		}
	}
	return object{}
}

// exception is an error inside the stream as it stands on the wire.
func exception(e smithy.APIError) ([]byte, error) {
	code := strings.TrimPrefix(e.ErrorCode(), "com.amazonaws.bedrockruntime#")
	if !strings.HasSuffix(code, "Exception") {
		code += "Exception" // what the name of an exception is known by
	}
	r, n := utf8.DecodeRuneInString(code)
	return json.Marshal(object{string(unicode.ToLower(r)) + code[n:]: object{"message": e.ErrorMessage()}})
}
