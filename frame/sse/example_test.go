package sse_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/sse"
)

func Example() {
	body := strings.NewReader("event: delta\ndata: {\"a\":1}\n\n: ping\n\ndata: [DONE]\n\ndata: {\"a")
	f := sse.New(0)
	var fr frame.Frame
	for {
		ok, err := f.Next(&fr)
		if err != nil {
			fmt.Println(err)
			return
		}
		if ok {
			fmt.Printf("%d %q %s\n", fr.Number, fr.Event, fr.Data)
			continue
		}
		n, err := body.Read(f.Buffer())
		f.Fed(n)
		if err == io.EOF {
			break
		}
	}
	if err := f.Close(&fr); err != nil {
		fmt.Printf("%v; it holds %s\n", err, fr.Data)
	}
	// Output:
	// 1 "delta" {"a":1}
	// 2 "" [DONE]
	// the stream ended inside frame 3, which begins at byte 50; it holds {"a
}
