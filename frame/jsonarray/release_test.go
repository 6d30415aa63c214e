package jsonarray

import (
	"testing"

	"github.com/wholecall/wholecall/frame"
)

// TestRelease: a framer that gave its buffer back finds nothing more, and can still be called.
func TestRelease(t *testing.T) {
	f := New(0)
	f.Fed(copy(f.Buffer(), "data: {}\n\n[{}]\n"))
	f.Release()
	f.Release()
	var fr frame.Frame
	if ok, _ := f.Next(&fr); ok {
		t.Errorf("a frame %q", fr.Data)
	}
	f.Fed(copy(f.Buffer(), "data: {}\n\n"))
	if ok, _ := f.Next(&fr); ok {
		t.Errorf("a frame %q", fr.Data)
	}
}
