package main

import (
	"bytes"
	"testing"
)

// TestEverySDK: the dialogue ends with the results of both calls, whatever SDK it runs on.
func TestEverySDK(t *testing.T) {
	const want = `you:   Which orders of Ada are open, and which are late?
call:  search_orders {"customer":"Ada","status":"open"}
call:  search_orders {"customer":"Ada","status":"late"}
result: {"orders":[7,12],"status":"open"}
result: {"orders":[3],"status":"late"}
model: Orders 7 and 12 are open, and order 3 is late.
`
	for _, name := range names() {
		var out bytes.Buffer
		if err := run(t.Context(), &out, name, "", "mock-1"); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
	if err := run(t.Context(), &bytes.Buffer{}, "nothing", "", ""); err == nil {
		t.Error("no error")
	}
}
