// Package sdk holds what the adapters to vendors' SDKs share: the check that nothing is lost when a message
// becomes one of an SDK's types.
package sdk

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Same reports whether two JSON documents say the same. Numbers are compared as they are spelled: one that
// went through a float is another. Members of the document itself that are null count as absent.
func Same(a, b []byte) bool {
	x, xerr := decode(a)
	y, yerr := decode(b)
	return xerr == nil && yerr == nil && reflect.DeepEqual(x, y)
}

func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if m, ok := v.(map[string]any); ok {
		for name, member := range m {
			if member == nil {
				delete(m, name)
			}
		}
	}
	return v, err
}

// Fits puts a document into a value of an SDK's type, and reports whether the value says all of it.
func Fits(document json.RawMessage, v any) bool {
	if json.Unmarshal(document, v) != nil {
		return false
	}
	// Marshalling the element finds the methods of both the value and the pointer.
	back, err := json.Marshal(reflect.ValueOf(v).Elem().Interface())
	return err == nil && Same(document, back)
}
