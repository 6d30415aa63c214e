package genaisdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"google.golang.org/genai"
)

// NumberError says that the SDK's float may be another number than the one in the arguments of a call.
type NumberError struct{ Name string }

func (e *NumberError) Error() string {
	return fmt.Sprintf("genaisdk: the arguments of %q hold a whole number that the SDK's float may have changed", e.Name)
}

// LossError says that the SDK's types have no place for all of a content that has to go back.
type LossError struct{ Content json.RawMessage }

func (e *LossError) Error() string {
	return "genaisdk: the SDK's types have no place for all of a content of the turn"
}

// payload writes a response as it stands on the wire.
func payload(r *genai.GenerateContentResponse) ([]byte, error) {
	for _, c := range r.Candidates {
		if c == nil || c.Content == nil {
			continue
		}
		for _, p := range c.Content.Parts {
			if p != nil && p.FunctionCall != nil && !exactCall(p.FunctionCall) {
				return nil, &NumberError{p.FunctionCall.Name}
			}
		}
	}
	// Without the type's own MarshalJSON, which spells < as an escape. The headers are no part of the wire.
	type response genai.GenerateContentResponse
	wire := response(*r)
	wire.SDKHTTPResponse = nil
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(&wire)
	return b.Bytes(), err
}

// exactCall does as exact, for the arguments of a call, whole or streamed.
func exactCall(f *genai.FunctionCall) bool {
	for _, a := range f.PartialArgs {
		if a != nil && a.NumberValue != nil && !exact(*a.NumberValue) {
			return false
		}
	}
	return exact(f.Args)
}

// exact reports whether each whole number in a value must be the one that was sent.
func exact(v any) bool {
	switch v := v.(type) {
	case float64:
		return v != math.Trunc(v) || math.Abs(v) < 1<<53
	case map[string]any:
		for _, m := range v {
			if !exact(m) {
				return false
			}
		}
	case []any:
		for _, m := range v {
			if !exact(m) {
				return false
			}
		}
	}
	return true
}

// content returns a content as one of the SDK's, with nothing lost.
func content(raw json.RawMessage) (*genai.Content, error) {
	var c genai.Content
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&c) != nil {
		return nil, &LossError{raw}
	}
	var exactly struct {
		Parts []struct {
			FunctionResponse struct{ Response json.RawMessage }
		}
	}
	if json.Unmarshal(raw, &exactly) != nil || len(exactly.Parts) != len(c.Parts) {
		return nil, &LossError{raw}
	}
	for i, p := range c.Parts {
		switch {
		case p.FunctionCall != nil && !exact(p.FunctionCall.Args):
			return nil, &LossError{raw}
		case p.FunctionResponse != nil && !exact(p.FunctionResponse.Response):
			p.FunctionResponse.Response = map[string]any{"output": string(exactly.Parts[i].FunctionResponse.Response)}
		}
	}
	return &c, nil
}
