package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
)

// messages makes a body of AWS' event stream out of names and payloads.
func messages(t *testing.T, kind string, pairs ...string) []byte {
	t.Helper()
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if b, err = eventstream.Append(b, &frame.Frame{ID: []byte(kind), Event: []byte(pairs[i]), Data: []byte(pairs[i+1])}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func chunkOf(payload string) string {
	return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(payload)) + `"}`
}

// TestBinaryCaptures: of a binary framing, names and payloads are shown, and no byte of the framing.
func TestBinaryCaptures(t *testing.T) {
	begin := []string{"messageStart", `{"role":"assistant"}`,
		"contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a1","name":"tint"}}}`}
	twice := messages(t, "event", append(begin, begin[2:]...)...)
	half := messages(t, "event", begin...)
	claude := []string{"chunk", chunkOf(`{"type":"message_start","message":{"id":"m1","model":"m","content":[]}}`),
		"chunk", chunkOf(`{"type":"content_block_stop","index":3}`)}
	damaged := bytes.Clone(twice)
	damaged[len(damaged)-1] ^= 1
	first := bytes.Clone(half)
	first[len(messages(t, "event", begin[:2]...))-1] ^= 1

	for _, c := range []struct {
		name   string
		body   []byte
		status int
		want   []string
		not    string
	}{
		{"whole", messages(t, "event", append(begin, "contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"tool_use"}`)...), statusClean,
			[]string{"bedrock · eventstream", "call   0  a1  tint", "complete: 1 call"}, "error"},
		{"twice", twice, statusFindings, []string{"duplicate-announcement", "(frame 3, byte ",
			"  1 | messageStart {\"role\":\"assistant\"}\n",
			"  3 | contentBlockStart {\"contentBlockIndex\":0,\"start\":{\"toolUse\"", "    |                    ^^^^^^^^^^^^^^^^^^^^^\n"}, ":content-type"},
		{"cut behind a message", half, statusFindings, []string{"truncated", "  1 | messageStart {", "  2 | ", "{\"contentBlockIndex\":0,", "the stream ends here"}, ":event-type"},
		{"cut inside a message", half[:len(half)-3], statusFindings, []string{"truncated", "(frame 2, byte ", "  1 | messageStart {", "the stream ends here"}, ":event-type"},
		{"damaged", damaged, statusFindings, []string{"malformed-frame", "(frame 3, byte ", "  2 | contentBlockStart {", "  3 | (a message that can't be read)"}, ":event-type"},
		{"the first is damaged", first, statusFindings, []string{"not recognised", "the first is cut or damaged"}, ":event-type"},
		{"an exception", append(bytes.Clone(half), messages(t, "exception", "throttlingException", `{"message":"slow"}`)...), statusFindings,
			[]string{"provider-error: slow", "  3 | throttlingException {\"message\":\"slow\"}"}, ":event-type"},
		{"of Claude", messages(t, "event", claude...), statusFindings,
			[]string{"bedrock-invoke · eventstream", "unannounced", "  2 | chunk {\"type\":\"content_block_stop\",\"index\":3}\n    |                                    ^^^^^^^^^\n"}, "bytes"},
		{"of no model that is known", messages(t, "event", "chunk", chunkOf(`{"generation":"a"}`)), statusFindings,
			[]string{"unknown-protocol", "(members bytes)", "bedrock.InvokeModel"}, "generation"},
	} {
		path := filepath.Join(t.TempDir(), "capture.eventstream")
		if err := os.WriteFile(path, c.body, 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, msg := execute(t.Context(), "", "check", path)
		if status != c.status || msg != "" {
			t.Errorf("%s: status %d, standard error %q", c.name, status, msg)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in\n%s", c.name, w, out)
			}
		}
		odd := func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == '\uFFFD' }
		if strings.Contains(out, c.not) || strings.ContainsFunc(out, odd) {
			t.Errorf("%s: bytes of the framing in\n%q", c.name, out)
		}
	}
}
