package wholecall

import (
	"errors"
	"testing"
)

// TestCountIsAsserted: announced = completed + failed can't be broken from outside, so that this test
// breaks it from inside (I5).
func TestCountIsAsserted(t *testing.T) {
	a := NewAccumulator(Limits{})
	if err := a.Apply(&Event{Kind: Announce, ID: []byte("a"), Name: []byte("f")}); err != nil {
		t.Fatal(err)
	}
	a.calls++
	a.End("", nil)
	if !errors.Is(a.Err(), Internal) || a.Outcome() != Failed {
		t.Errorf("outcome %s, error %v: want an internal error", a.Outcome(), a.Err())
	}
}
