// This program must not compile: each line with a comment must be an error that says that.
package main

import (
	"encoding/json"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
)

func dispatch(call wholecall.Call) error { return call.Decode(new(struct{})) }

func run(arguments json.RawMessage) {}

func raw(arguments []byte) {}

func main() {
	var doc preview.Document
	value := doc.Value()
	dispatch(value)                 // want: cannot use value (variable of struct type preview.Value) as wholecall.Call value
	dispatch(&doc)                  // want: cannot use &doc (value of type *preview.Document) as wholecall.Call value
	run(value)                      // want: cannot use value (variable of struct type preview.Value) as json.RawMessage value
	run(&doc)                       // want: cannot use &doc (value of type *preview.Document) as json.RawMessage value
	raw(value)                      // want: cannot use value (variable of struct type preview.Value) as []byte value
	_ = wholecall.Call(value)       // want: cannot convert value (variable of struct type preview.Value) to type wholecall.Call
	_ = json.RawMessage(value)      // want: cannot convert value (variable of struct type preview.Value) to type json.RawMessage
	_ = []byte(value)               // want: cannot convert value (variable of struct type preview.Value) to type []byte
	_ = string(value)               // want: cannot convert value (variable of struct type preview.Value) to type string
	_ = value.Decode(new(struct{})) // want: value.Decode undefined (type preview.Value has no field or method Decode)
	_ = value.Arguments()           // want: value.Arguments undefined (type preview.Value has no field or method Arguments)
	_ = wholecall.Part(value)       // want: preview.Value does not implement wholecall.Part

	for part := range new(wholecall.Turn).Parts() {
		p, ok := part.(*wholecall.Progress)
		if !ok {
			continue
		}
		dispatch(p)                 // want: cannot use p (variable of type *wholecall.Progress) as wholecall.Call value
		dispatch(*p)                // want: cannot use *p (variable of struct type wholecall.Progress) as wholecall.Call value
		run(p)                      // want: cannot use p (variable of type *wholecall.Progress) as json.RawMessage value
		_ = wholecall.Call(*p)      // want: cannot convert *p (variable of struct type wholecall.Progress) to type wholecall.Call
		_ = p.Decode(new(struct{})) // want: p.Decode undefined (type *wholecall.Progress has no field or method Decode)
		_ = p.Arguments()           // want: p.Arguments undefined (type *wholecall.Progress has no field or method Arguments)
	}
}
