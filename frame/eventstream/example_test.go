package eventstream_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
)

func Example() {
	var stream []byte
	for _, f := range []frame.Frame{
		{ID: []byte("event"), Event: []byte("messageStop"), Data: []byte(`{"stopReason":"end_turn"}`)},
		{ID: []byte("exception"), Event: []byte("throttlingException"), Data: []byte(`{"message":"slow down"}`)},
	} {
		stream, _ = eventstream.Append(stream, &f)
	}

	body := bytes.NewReader(stream[:len(stream)-1])
	f := eventstream.New(0)
	var fr frame.Frame
	for {
		ok, err := f.Next(&fr)
		if err != nil {
			fmt.Println(err)
			return
		}
		if ok {
			fmt.Printf("%d %s %s %s\n", fr.Number, fr.ID, fr.Event, fr.Data)
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
	// 1 event messageStop {"stopReason":"end_turn"}
	// the stream ended inside frame 2, which begins at byte 122
}
