package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// members returns the names of an object's members in their order.
func members(t *testing.T, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
	}
	return names
}

// TestRecordChangesOnlyByAddition guards the shape that others depend on: the members, their order, and
// that no array is null.
func TestRecordChangesOnlyByAddition(t *testing.T) {
	contract := []string{"file", "provider", "framing", "dialect", "model", "stop_reason", "outcome", "announced",
		"completed", "failed", "parts", "calls", "failed_calls", "deviations", "error"}
	files, err := filepath.Glob("testdata/captures/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		_, out, _ := execute(t.Context(), "", "check", "--json", f)
		for line := range strings.Lines(out) {
			if got := members(t, []byte(line)); !slices.Equal(got[:len(contract)], contract) {
				t.Errorf("%s: members %v", f, got)
			}
			var m map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"parts", "calls", "failed_calls", "deviations", "server_calls", "passed"} {
				if m[name][0] != '[' {
					t.Errorf("%s: %s is %s", f, name, m[name])
				}
			}
			if e := m["error"]; string(e) != "null" {
				if got := members(t, e)[:5]; !slices.Equal(got, []string{"kind", "frame", "offset", "key", "message"}) {
					t.Errorf("%s: members of error: %v", f, got)
				}
			}
		}
	}
}

// TestRecordHoldsTheExactArguments holds the arguments against those that the library gives.
func TestRecordHoldsTheExactArguments(t *testing.T) {
	_, out, _ := execute(t.Context(), "", "check", "--json", "testdata/captures/controls.sse")
	var rec struct {
		Calls []struct{ Arguments string }
	}
	if err := json.Unmarshal([]byte(out), &rec); err != nil {
		t.Fatal(err)
	}
	want := "{\"command\":\"echo \x7f \u202e\u009b31m done\"}"
	if len(rec.Calls) != 1 || rec.Calls[0].Arguments != want {
		t.Errorf("got %+q, want %+q", rec.Calls, want)
	}
	if i := strings.IndexFunc(strings.TrimSuffix(out, "\n"), func(r rune) bool { return r < ' ' || hidden(r) }); i >= 0 {
		t.Errorf("a control stands at %d of the line", i)
	}
}

// TestEveryCaptureLooksTheSame compares what check prints for people with the golden file.
func TestEveryCaptureLooksTheSame(t *testing.T) {
	files, err := filepath.Glob("testdata/captures/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range files {
		if filepath.Ext(f) == ".gitattributes" || strings.Contains(f, "cut.sse.gz") {
			continue
		}
		for _, flags := range [][]string{nil, {"--quiet"}, {"--full"}} {
			_, out, msg := execute(t.Context(), "", append([]string{"check", f}, flags...)...)
			if msg != "" {
				t.Errorf("%s: standard error has %q", f, msg)
			}
			got.WriteString("$ wholecall check " + strings.Join(append(flags, f), " ") + "\n" + out)
		}
	}
	const golden = "testdata/human.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the output changed; look at it with -update and a diff")
	}
}

// TestColourChangesNothingElse takes the colours out again.
func TestColourChangesNothingElse(t *testing.T) {
	for _, name := range []string{"two-calls.sse", "duplicate.sse", "bad-arguments.sse", "truncated.sse", "input-in-start.sse"} {
		x := &examiner{ctx: t.Context(), keep: 1 << 10}
		results, err := x.examine(file(filepath.Join("testdata/captures", name)))
		if err != nil {
			t.Fatal(err)
		}
		var plain, colour bytes.Buffer
		for _, h := range []*human{newHuman(&plain, false, 100, false), newHuman(&colour, true, 100, false)} {
			h.turn(results[0])
			h.line(results[0])
			h.w.Flush()
		}
		if plain.String() == colour.String() {
			t.Errorf("%s: there is no colour", name)
		}
		if got := uncolour(colour.String()); got != plain.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, plain.String())
		}
	}
}

func uncolour(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

// reading makes a result of a capture's text, as a dialect of the name would have given it.
func reading(t *testing.T, text, dialect string, switches ...string) *result {
	t.Helper()
	guess, err := provider.Detect([]byte(text), provider.Guess{})
	if err != nil {
		t.Fatal(err)
	}
	r := take(wholecall.NewTurn(strings.NewReader(text), guess.Protocol), 0)
	r.guess, r.dialect = guess, wholecall.Dialect{Name: dialect, Allows: switches}
	return r
}

func TestDialectsThatDisagreeExplainNothing(t *testing.T) {
	strict := reading(t, capture(t, "input-in-start.sse"), "")
	a := reading(t, capture(t, "two-calls.sse"), "a", "x")
	b := reading(t, strings.Replace(capture(t, "two-calls.sse"), "late", "lost", 1), "b", "x")
	got := choose(strict, []*result{a, b})
	if got != strict || !slices.Equal(got.torn, []string{"a", "b"}) || got.clean() {
		t.Errorf("got dialect %q, torn %q", got.dialect, got.torn)
	}
	rec := recordOf(func() *result { got.in = file("x"); return got }())
	if rec.Message == "" || !slices.Equal(rec.Dialects, got.torn) {
		t.Errorf("the record says %q, %q", rec.Dialects, rec.Message)
	}
}

func TestSmallestDialectThatExplainsIsChosen(t *testing.T) {
	strict := reading(t, capture(t, "input-in-start.sse"), "")
	two := reading(t, capture(t, "two-calls.sse"), "two", "x", "y")
	one := reading(t, capture(t, "two-calls.sse"), "one", "x")
	cut := reading(t, capture(t, "truncated.sse"), "cut")
	if got := choose(strict, []*result{two, cut, one}); got != one || got.strict != strict {
		t.Errorf("got dialect %q", got.dialect)
	}
	if got := choose(strict, []*result{strict}); got != strict {
		t.Errorf("got dialect %q where none explains", got.dialect)
	}
}

// FuzzCheck feeds check anything: it must come to an end, print nothing that a terminal acts on, and
// print the same verdict for people and for programs.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/captures/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, capture string) {
		status, out, msg := execute(t.Context(), capture, "check", "-")
		again, lines, _ := execute(t.Context(), capture, "check", "--json", "-")
		if status != again {
			t.Errorf("status %d, and %d with --json", status, again)
		}
		for _, text := range []string{out, msg, lines} {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || hidden(r) }); i >= 0 {
				t.Errorf("a control stands at %d of %q", i, text)
			}
		}
		for line := range strings.Lines(lines) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %s", line)
			}
		}
	})
}
