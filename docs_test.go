package wholecall_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
)

// TestErrorsDocument: docs/errors.md is generated from the list of kinds.
func TestErrorsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Errors\n\nGenerated from the list of kinds in `kinds.go`: `go test . -run TestErrorsDocument -update`.\n\n" +
		"One word names an error everywhere: the Go constant, `error.kind` of `wholecall check --json`, and the\n" +
		"expectation of a conformance vector. `errors.Is(err, wholecall.Kind(\"late\"))` works on every error.\n")
	for _, scope := range []struct {
		scope wholecall.Scope
		title string
	}{
		{wholecall.TurnScope, "What fails a turn\n\nA `*ProtocolError`, or a `*ProviderError` for `provider-error`. No call that was open completes; calls that\nhad ended stay completed, since they may be running. `outcome` is `failed`."},
		{wholecall.CallScope, "What fails one call\n\nAn `*ArgumentError`. The call's siblings go on. `outcome` is `incomplete`."},
		{wholecall.StreamScope, "What leaves a turn incomplete\n\nAn `*IncompleteError`. Nothing on the wire was wrong. `outcome` is `incomplete`."},
	} {
		title, text, _ := strings.Cut(scope.title, "\n\n")
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| kind | what happened | what to do |\n| --- | --- | --- |\n", title, text)
		for _, k := range wholecall.Kinds() {
			if k.Scope == scope.scope {
				fmt.Fprintf(&b, "| <a id=\"%[1]s\"></a>`%[1]s` | %s | %s |\n", k.Kind, k.Means, k.Advice)
			}
		}
	}
	b.WriteString("\n## Why a call failed\n\nThe `reason` of a failed call, in one word:\n`truncated` · `token-limit` · `content-filter` · `refusal` · `paused` · `provider-error` · `cancelled` ·\n`timed-out` · `argument-error` · `protocol-error` · `unfinished`.\n")
	golden(t, "docs/errors.md", b.String())
}

// golden holds text against a file, or rewrites the file with -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != text {
		t.Errorf("%s is not up to date: run go test . -update", file)
	}
}

// TestKindsAreListed: every kind has a meaning and advice, once.
func TestKindsAreListed(t *testing.T) {
	seen := map[wholecall.Kind]bool{}
	for _, k := range wholecall.Kinds() {
		if k.Means == "" || k.Advice == "" || k.Scope == "" || seen[k.Kind] {
			t.Errorf("kind %s: incomplete, or listed twice", k.Kind)
		}
		seen[k.Kind] = true
	}
}
