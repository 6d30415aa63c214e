package eventstream

import (
	"bytes"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/wholecall/wholecall/frame"
)

// Append appends the message that f is read from: its ID, Event and Data say what New describes, and its
// other fields don't count. An event and an exception get the content type application/json. Where ID is
// empty, the message has no message type. The error says what the framing can't express, such as a
// header of 32 KiB; dst is returned as it was.
func Append(dst []byte, f *frame.Frame) ([]byte, error) {
	what, payload := ":event-type", f.Data
	var hs eventstream.Headers
	if len(f.ID) > 0 {
		hs.Set(":message-type", eventstream.StringValue(f.ID))
	}
	switch string(f.ID) {
	case Exception:
		what = ":exception-type"
	case Failure:
		what, payload = ":error-code", nil
		hs.Set(":error-message", eventstream.StringValue(f.Data))
	}
	hs.Set(what, eventstream.StringValue(f.Event))
	if string(f.ID) != Failure {
		hs.Set(":content-type", eventstream.StringValue("application/json"))
	}
	b := bytes.NewBuffer(dst)
	if err := eventstream.NewEncoder().Encode(b, eventstream.Message{Headers: hs, Payload: payload}); err != nil {
		return dst, fmt.Errorf("eventstream: %w", err)
	}
	return b.Bytes(), nil
}
