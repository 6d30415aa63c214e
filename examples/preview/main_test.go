package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPreview(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`send_mail     whole: {"to":"ada@example.com","subject":"Your order","body":"It left today.","copies":2}`,
		`close_ticket  whole: {"ticket":1234,"solved":true}`, "/body"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not shown in\n%s", want, out.String())
		}
	}
}
