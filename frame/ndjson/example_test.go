package ndjson_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/ndjson"
)

func Example() {
	body := strings.NewReader("{\"a\":1}\r\n\n{\"done\":true}")
	f := ndjson.New(0)
	var fr frame.Frame
	for {
		ok, err := f.Next(&fr)
		if err != nil {
			fmt.Println(err)
			return
		}
		if ok {
			fmt.Printf("%d %s\n", fr.Number, fr.Data)
			continue
		}
		n, err := body.Read(f.Buffer())
		f.Fed(n)
		if err == io.EOF {
			break
		}
	}
	err := f.Close(&fr)
	if err != nil {
		fmt.Printf("%v; it holds %s\n", err, fr.Data)
	} else if fr.Data != nil {
		fmt.Printf("%d %s\n", fr.Number, fr.Data)
	}
	// Output:
	// 1 {"a":1}
	// 2 {"done":true}
}
