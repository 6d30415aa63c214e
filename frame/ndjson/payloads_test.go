package ndjson_test

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/wholecall/wholecall/frame/ndjson"
)

func TestPayloads(t *testing.T) {
	broken := errors.New("broken")
	for _, end := range []error{io.EOF, broken} {
		list := []string{`{"a":1}`, "{\n \"b\": 2}\r\n", `[]`}
		asked := 0
		r := ndjson.Payloads(func() ([]byte, error) {
			if asked == len(list) {
				return nil, end
			}
			asked++
			return []byte(list[asked-1]), nil
		})
		one := make([]byte, 1)
		if n, err := r.Read(one); n != 1 || err != nil || asked != 1 {
			t.Errorf("%d bytes, %v, %d payloads asked for", n, err, asked)
		}
		got, err := io.ReadAll(iotest.OneByteReader(r))
		if want := "\"a\":1}\n{  \"b\": 2}  \n[]\n"; string(got) != want || end == io.EOF && err != nil || end == broken && !errors.Is(err, broken) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

// TestPayloadStreamClosed: the end that comes of closing a stream is no good end.
func TestPayloadStreamClosed(t *testing.T) {
	end := make(chan bool)
	r := ndjson.PayloadStream(func() ([]byte, error) {
		<-end
		return nil, io.EOF
	}, func() error { close(end); return nil })
	go r.Close()
	if n, err := r.Read(make([]byte, 8)); n != 0 || err == nil || err == io.EOF {
		t.Error(n, err)
	}
}
