package bedrocksdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/schemas"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/wholecall/wholecall/internal/sdk"
)

// converse is the operation whose response holds a message, and whose request holds messages.
var converse = smithy.NewOperationSchema(schemas.Converse, schemas.ConverseRequest, schemas.ConverseResponse)

// LossError says that the SDK's types have no place for all of a message that has to go back.
type LossError struct{ Message json.RawMessage }

func (e *LossError) Error() string {
	return "bedrocksdk: the SDK's types have no place for all of a message of the turn"
}

// message makes the SDK's message of one that is JSON, with the SDK's own deserialisation and nothing lost.
func message(ctx context.Context, raw json.RawMessage) (types.Message, error) {
	body := slices.Concat([]byte(`{"output":{"message":`), raw, []byte(`}}`))
	resp := &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusOK, Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(body))}}
	var out bedrockruntime.ConverseOutput
	if err := newProtocol().DeserializeResponse(ctx, converse, bedrockruntime.TypeRegistry, resp, &out); err != nil {
		return types.Message{}, err
	}
	m, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return types.Message{}, &LossError{raw}
	}
	back, err := written(ctx, m.Value)
	if err != nil {
		return types.Message{}, err
	}
	if !sdk.Same(raw, back) {
		return types.Message{}, &LossError{raw}
	}
	return m.Value, nil
}

// written returns a message as the SDK will write it.
func written(ctx context.Context, m types.Message) (json.RawMessage, error) {
	req, ok := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	if !ok {
		return nil, errors.New("bedrocksdk: the SDK makes other requests than its own")
	}
	in := &bedrockruntime.ConverseInput{ModelId: aws.String("m"), Messages: []types.Message{m}}
	if err := newProtocol().SerializeRequest(ctx, converse, in, req); err != nil {
		return nil, err
	}
	var body struct{ Messages []json.RawMessage }
	if err := json.NewDecoder(req.GetStream()).Decode(&body); err != nil {
		return nil, err
	}
	if len(body.Messages) != 1 {
		return nil, errors.New("bedrocksdk: the SDK writes no message")
	}
	return body.Messages[0], nil
}
