package browsertest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// large writes a capture of some 20 MB: eight calls of one tool whose fragments alternate.
func large(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.sse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	event := func(kind, rest string) {
		fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
	}
	event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"example-model","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`)
	const calls, rounds = 8, 17000
	for k := range calls {
		event("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":{"type":"tool_use","id":"toolu_%d","name":"write_file","input":{}}`, k, k))
	}
	piece := func(k int, text string) {
		event("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}`, k, text))
	}
	for k := range calls {
		piece(k, `{\"text\": \"`)
	}
	for i := range rounds {
		for k := range calls {
			piece(k, fmt.Sprintf("line %d of %d, ", i, k))
		}
	}
	for k := range calls {
		piece(k, `\"}`)
		event("content_block_stop", fmt.Sprintf(`,"index":%d`, k))
	}
	event("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}`)
	event("message_stop", "")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLarge: a turn of 20 MB opens, holds what is visible and no node for each fragment, and follows the
// scrubber without a pause that a person would notice. Nothing of the capture is left out.
func TestLarge(t *testing.T) {
	url := write(t, large(t))
	start := time.Now()
	b := open(t, url, desk).ready()
	opened := time.Since(start)
	n := eval[int](b, `Number(document.getElementById("scrub").max) + 1`)
	if n < 130_000 {
		t.Fatalf("it has %d events", n)
	}
	if nodes := eval[int](b, `document.querySelectorAll("*").length`); nodes > 2000 {
		t.Errorf("the page holds %d elements for %d events", nodes, n)
	}
	slowest := eval[float64](b, `(() => {
  const s = document.getElementById("scrub");
  let slowest = 0;
  for (let i = 0; i < 30; i++) {
    s.value = Math.floor((i * 7919 * 131) % Number(s.max));
    const t = performance.now();
    s.dispatchEvent(new Event("input"));
    slowest = Math.max(slowest, performance.now() - t);
  }
  return slowest;
})()`)
	t.Logf("opened in %v, the slowest step took %.0f ms", opened, slowest)
	if opened > 20*time.Second || slowest > 400 {
		t.Errorf("opened in %v, the slowest step took %.0f ms", opened, slowest)
	}
	b.do(focusAndEnd()...)
	b.eventually("what", fmt.Sprintf("event %d of %d", n, n))
	b.eventually("frame", "message_stop")
	b.shot("large")
	b.shotOf("section[aria-labelledby=h-lanes]", "large-lanes")
}
