package autopsy

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// broken returns documents in which something is wrong, in every way that a wrong accumulator brings about.
func broken() []string {
	a, b := `{"customer": "Ada", "tags": ["é", 1.5e3, null], "n": {"x": true}}`, `{"q":"\u00e9\\ \"x\"","y":[{},[]]}`
	docs := []string{"", " ", a + b, a + " " + b, a + "x", "nul", "-", "01", "1.", "{]", `{"a" 1}`, `{"a":1 "b":2}`, `[1 2]`,
		`{"a":1,}`, `[1,]`, "{\"a\":\"\x01\"}", `{"a":"\x"}`, `{"a":"\u12"}`, `{"a":"\u12`, "{\n \"a\": 1,\n 2}", `{"a":}`, `["é" "é"]`}
	for i := range a {
		docs = append(docs, a[:i], a[:i]+b+a[i:])
	}
	for i := range b {
		docs = append(docs, b[:i])
	}
	return docs
}

// TestPythonsWords holds the messages against those of Python itself, where there is one.
func TestPythonsWords(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to ask")
	}
	const script = `
import json, sys
out = []
for d in json.load(sys.stdin):
    try: json.loads(d); out.append("")
    except json.JSONDecodeError as e: out.append(str(e))
json.dump({"says": out, "new": sys.version_info >= (3, 13)}, sys.stdout)`
	docs := broken()
	in, _ := json.Marshal(docs)
	cmd := exec.Command(python, "-c", script)
	cmd.Stdin = bytes.NewReader(in)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Says []string
		New  bool
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	for i, doc := range docs {
		if got.New && strings.HasPrefix(got.Says[i], "Illegal trailing comma") {
			continue // since 3.13
		}
		if mine := pythonSays([]byte(doc)); mine != got.Says[i] {
			t.Errorf("%q: %q, and Python says %q", doc, mine, got.Says[i])
		}
	}
}
