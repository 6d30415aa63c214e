package timeline

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
)

func record(t *testing.T, capture string) *Recording {
	t.Helper()
	b, err := os.ReadFile("../../../../testdata/captures/" + capture)
	if err != nil {
		t.Fatal(err)
	}
	return recordOf(t, string(b))
}

func recordOf(t *testing.T, capture string) *Recording {
	t.Helper()
	r := NewRecording()
	r.To = int64(len(capture))
	err := Steps(context.Background(), strings.NewReader(capture), How{Protocol: anthropic.Messages}, func(s *Step) bool {
		r.Frame(s)
		for i := range s.Events {
			r.Event(&s.Events[i])
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLanes(t *testing.T) {
	r := record(t, "two-calls.sse")
	if len(r.Lanes) != 3 || r.Fault != -1 {
		t.Fatalf("%d lanes, fault %d", len(r.Lanes), r.Fault)
	}
	if l := r.Lanes[2]; string(l.Text) != `{"customer": "Grace", "status": "late"}` || l.Fragments != 3 || l.End < 0 || l.Kind != wholecall.CallPart {
		t.Errorf("%+v", l)
	}
	// Each frame ends where the next begins, the last with the capture.
	for i := range r.Frames[:len(r.Frames)-1] {
		if r.FrameEnd(i) != r.Frames[i+1].Offset {
			t.Errorf("frame %d ends at %d", i, r.FrameEnd(i))
		}
	}
	if r.FrameEnd(len(r.Frames)-1) != r.To {
		t.Error("the last frame does not end with the capture")
	}
	sum := 0
	for _, m := range r.Marks {
		sum += int(m.Bytes)
	}
	if want := len(r.Lanes[0].Text) + len(r.Lanes[1].Text) + len(r.Lanes[2].Text); sum != want {
		t.Errorf("the marks add %d bytes, and the lanes hold %d", sum, want)
	}
}

// TestBehindAFault: the reading goes on where the turn has failed, and says at which frame it did.
func TestBehindAFault(t *testing.T) {
	r := record(t, "replayed-block.sse")
	if r.Fault < 0 || r.Frames[r.Fault].Number != 11 {
		t.Errorf("the fault is at %d", r.Fault)
	}
	if len(r.Frames) <= r.Fault+1 {
		t.Error("nothing is read behind it")
	}
}

// TestACutIsNoError: the steps of a capture that is cut are those of its whole frames.
func TestACutIsNoError(t *testing.T) {
	b, err := os.ReadFile("../../../../testdata/captures/two-calls.sse")
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(b); n += 37 {
		recordOf(t, string(b[:n]))
	}
}
