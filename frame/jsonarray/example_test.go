package jsonarray_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
)

func Example() {
	body := strings.NewReader("[{\n  \"a\": [1, \"]\"]\n}\n,\r\n{\"b\":2}\n]")
	f := jsonarray.New(0)
	var fr frame.Frame
	for {
		ok, err := f.Next(&fr)
		if err != nil {
			fmt.Println(err)
			return
		}
		if ok {
			fmt.Printf("%d line %d %q\n", fr.Number, fr.Line, fr.Data)
			continue
		}
		n, err := body.Read(f.Buffer())
		f.Fed(n)
		if err == io.EOF {
			break
		}
	}
	fmt.Println(f.Close(&fr))
	// Output:
	// 1 line 1 "{\n  \"a\": [1, \"]\"]\n}"
	// 2 line 5 "{\"b\":2}"
	// <nil>
}
