package bedrocksdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/schemas"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/eventstream"
	"github.com/aws/smithy-go/transport/http/protocol/restjson1"
)

// newProtocol returns the SDK's own way to write its types and to read them. It has a coder that one stream
// at a time may use.
func newProtocol() *restjson1.Protocol { return restjson1.New(schemas.AmazonBedrockFrontendService) }

// payload is an event as it stands on the wire, in the name of its type, written by the SDK's own
// serialisation.
func payload(p *restjson1.Protocol, ev types.ConverseStreamOutput) ([]byte, error) {
	var variant *smithy.Schema
	var v smithy.Serializable
	switch ev := ev.(type) {
	case *types.ConverseStreamOutputMemberMessageStart:
		variant, v = schemas.ConverseStreamOutput_messageStart, &ev.Value
	case *types.ConverseStreamOutputMemberContentBlockStart:
		variant, v = schemas.ConverseStreamOutput_contentBlockStart, &ev.Value
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		variant, v = schemas.ConverseStreamOutput_contentBlockDelta, &ev.Value
	case *types.ConverseStreamOutputMemberContentBlockStop:
		variant, v = schemas.ConverseStreamOutput_contentBlockStop, &ev.Value
	case *types.ConverseStreamOutputMemberMessageStop:
		variant, v = schemas.ConverseStreamOutput_messageStop, &ev.Value
	case *types.ConverseStreamOutputMemberMetadata:
		variant, v = schemas.ConverseStreamOutput_metadata, &ev.Value
	case *types.UnknownUnionMember:
		return named(ev.Tag, ev.Value) // the whole message, as it came
	default:
		return nil, fmt.Errorf("bedrocksdk: an event of the type %T", ev)
	}
	var message bytes.Buffer
	if err := p.SerializeEventMessage(schemas.ConverseStreamOutput, variant, v, &message); err != nil {
		return nil, err
	}
	return named(variant.MemberName(), message.Bytes())
}

// named takes the payload out of a message of the event stream, and puts it in the name of its event.
func named(name string, message []byte) ([]byte, error) {
	m, err := eventstream.NewDecoder().Decode(bytes.NewReader(message), nil)
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	data := m.Payload
	if len(data) == 0 {
		data = []byte("{}")
	}
	return append(append(append(append([]byte{'{'}, key...), ':'), data...), '}'), nil
}

// exception is an error inside the stream as it stands on the wire.
func exception(e smithy.APIError) ([]byte, error) {
	code := strings.TrimPrefix(e.ErrorCode(), "com.amazonaws.bedrockruntime#")
	if !strings.HasSuffix(code, "Exception") {
		code += "Exception" // what the name of an exception is known by
	}
	r, n := utf8.DecodeRuneInString(code)
	data := map[string]any{"message": e.ErrorMessage()}
	var model *types.ModelStreamErrorException
	if errors.As(e, &model) {
		if model.OriginalStatusCode != nil {
			data["originalStatusCode"] = *model.OriginalStatusCode
		}
		if model.OriginalMessage != nil {
			data["originalMessage"] = *model.OriginalMessage
		}
	}
	return json.Marshal(map[string]any{string(unicode.ToLower(r)) + code[n:]: data})
}
