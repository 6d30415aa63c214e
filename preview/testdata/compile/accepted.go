// This program must compile: it is the other one without what is wrong with it.
package main

import (
	"encoding/json"
	"fmt"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
)

func dispatch(call wholecall.Call) error { return call.Decode(new(struct{})) }

func run(arguments json.RawMessage) {}

func raw(arguments []byte) {}

func show(string) {}

func main() {
	var doc preview.Document
	var shows preview.Calls
	for part := range new(wholecall.Turn).Parts() {
		switch p := part.(type) {
		case *wholecall.Progress:
			for change := range shows.Add(p).Changes() {
				show(change.Text)
			}
			doc.Add(p.Delta)
			show(fmt.Sprint(doc.Value()))
		case wholecall.Call:
			_ = dispatch(p)
			run(p.Arguments())
			raw(p.Arguments())
		}
	}
}
