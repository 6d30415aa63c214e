package sdk

import (
	"encoding/json"
	"testing"
)

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, true},
		{`{"a":1,"b":null}`, `{"a":1}`, true},
		{`{"a":{"b":null}}`, `{"a":{}}`, false},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567000}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1`, `{"a":1}`, false},
	} {
		if Same([]byte(c.a), []byte(c.b)) != c.same {
			t.Errorf("%s and %s", c.a, c.b)
		}
	}
}

func TestFits(t *testing.T) {
	var v struct {
		A any `json:"a"`
	}
	if !Fits(json.RawMessage(`{"a":"x"}`), &v) || v.A != "x" {
		t.Error("a document that fits")
	}
	if Fits(json.RawMessage(`{"a":"x","b":1}`), &v) || Fits(json.RawMessage(`{"a":12345678901234567890}`), &v) || Fits(json.RawMessage(`[]`), &v) {
		t.Error("a document that does not fit")
	}
}
