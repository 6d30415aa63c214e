package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// sceneOf is what view shows of a capture.
func sceneOf(t *testing.T, capture string, args ...string) *scene {
	t.Helper()
	v := &viewer{tool: &tool{ctx: t.Context(), out: io.Discard, err: io.Discard, in: strings.NewReader("")}}
	v.examiner.ctx = t.Context()
	if _, _, ok := v.flags(append(args, capture)); !ok {
		t.Fatal("the flags are wrong")
	}
	in, err := v.input(capture)
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.scene(in)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryCaptureInEveryWay: whatever the capture, each view of it comes to an end and keeps to the width.
func TestEveryCaptureInEveryWay(t *testing.T) {
	for _, folder := range []string{"testdata/captures", "../../testdata/captures"} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			path := folder + "/" + f.Name()
			for _, way := range []string{"", "--html", "--json", "--frames", "--full"} {
				args := []string{"view", path}
				if way != "" {
					args = append(args, way)
				}
				status, out, msg := execute(t.Context(), "", args...)
				if f.Name() == "cut.sse.gz" && status == statusFailed { // it can't be unpacked
					continue
				}
				if status == statusFailed || out == "" {
					t.Errorf("%s %s: status %d, %s", path, way, status, msg)
				}
				for line := range strings.Lines(out) {
					exact := strings.Contains(line, "in Go: ") || strings.Contains(line, "--> ") || strings.Contains(line, "mismatch: ") // to be pasted, as check has it
					if way == "" && !exact && columns(strings.TrimSuffix(line, "\n")) > 120 {
						t.Errorf("%s: a line of %d columns: %s", path, columns(line), line)
					}
				}
				if strings.ContainsAny(out, "\x1b\x07") {
					t.Errorf("%s %s: what is piped holds a control", path, way)
				}
			}
		}
	}
}

// TestSharedWithAnother: one user's call is run with what another user asked for.
func TestSharedWithAnother(t *testing.T) {
	_, out, _ := execute(t.Context(), "", "view", "--beside", "../../testdata/captures/conversation-grace.sse", "../../testdata/captures/conversation-ada.sse")
	for _, want := range []string{"other stream 0–21 | call 0 21–40\n", `valid, and wrong: {"customer": "Grace"}`} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q, but\n%s", want, out)
		}
	}
}

// TestStepping: forwards and back over every event, on small and on large screens.
func TestStepping(t *testing.T) {
	for _, capture := range []string{"two-calls.sse", "interleaved.sse", "lost-announcement.sse", "cut-short.sse"} {
		s := sceneOf(t, "../../testdata/captures/"+capture)
		st := &stepper{s: s}
		for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 60}} {
			st.press("\x1b[H")
			var there []string
			for range s.rec.Marks {
				screen := st.screen(size[0], size[1])
				if len(screen) != size[1] {
					t.Fatalf("%d lines of %d", len(screen), size[1])
				}
				for _, l := range screen {
					if columns(l) > size[0] {
						t.Errorf("%s: %d columns of %d: %s", capture, columns(l), size[0], l)
					}
				}
				there = append(there, strings.Join(screen, "\n"))
				st.press("\x1b[C")
			}
			for i := len(there) - 1; i >= 0; i-- {
				if got := strings.Join(st.screen(size[0], size[1]), "\n"); got != there[i] {
					t.Fatalf("%s: event %d is another one on the way back", capture, i+1)
				}
				st.press("\x1b[D")
			}
		}
		if st.press("q") {
			t.Error("q does not end it")
		}
	}
}

func TestStepStartsAtTheFault(t *testing.T) {
	s := sceneOf(t, "../../testdata/captures/lost-announcement.sse")
	st := &stepper{s: s}
	st.rest()
	if top := st.screen(120, 40)[0]; !strings.Contains(top, "frame 11, byte 1383") {
		t.Errorf("it starts at %s", top)
	}
}

func TestSplitKeys(t *testing.T) {
	got := fmt.Sprintf("%q", splitKeys("q\x1b[C\x1b[5~\x1bOHx\x1b"))
	if want := `["q" "\x1b[C" "\x1b[5~" "\x1bOH" "x" "\x1b"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// slowly is a reader that hands out a piece at a time, and then waits until it is closed.
func slowly(t *testing.T, text string) (io.Reader, func()) {
	r, w := io.Pipe()
	go func() {
		for len(text) > 0 {
			n := min(len(text), 97)
			w.Write([]byte(text[:n]))
			text = text[n:]
		}
	}()
	return r, func() { w.Close() }
}

// TestFollow: an event is shown when it has arrived, and not when the stream has ended.
func TestFollow(t *testing.T) {
	b, err := os.ReadFile("../../testdata/captures/cut-short.sse")
	if err != nil {
		t.Fatal(err)
	}
	in, end := slowly(t, string(b))
	out := &heard{lines: make(chan string, 1000)}
	done := make(chan int)
	go func() {
		done <- run(t.Context(), []string{"view", "--follow", "-"}, in, out, io.Discard, func(string) string { return "" })
	}()
	wait := time.After(10 * time.Second)
	for seen := ""; !strings.Contains(seen, `call 2 search_orders +22`); {
		select {
		case l := <-out.lines:
			seen += l
		case <-wait:
			t.Fatalf("nothing of call 2 was shown: %s", seen)
		}
	}
	end()
	if status := <-done; status != statusFindings {
		t.Errorf("status %d", status)
	}
}

// TestFollowInterrupted: what came is shown all the same.
func TestFollowInterrupted(t *testing.T) {
	in, _ := slowly(t, capture(t, "two-calls.sse"))
	ctx, cancel := context.WithCancel(t.Context())
	out := &heard{lines: make(chan string, 1000)}
	done := make(chan int)
	go func() {
		done <- run(ctx, []string{"view", "--follow", "-"}, in, out, io.Discard, func(string) string { return "" })
	}()
	for l := range out.lines {
		if strings.Contains(l, "the stream's own end") {
			break
		}
	}
	cancel()
	if status := <-done; status != statusClean {
		t.Errorf("status %d", status)
	}
}

type heard struct{ lines chan string }

func (h *heard) Write(b []byte) (int, error) {
	h.lines <- string(b)
	return len(b), nil
}

// TestServedToNobodyElse: the page is handed out under its address alone.
func TestServedToNobodyElse(t *testing.T) {
	h := pageHandler("127.0.0.1:8000", "/secret/", []byte("page"))
	for _, c := range []struct {
		host, path string
		status     int
	}{{"127.0.0.1:8000", "/secret/", 200}, {"127.0.0.1:8000", "/", 404}, {"rebound.example", "/secret/", 404}} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s%s: %d", c.host, c.path, w.Code)
		}
	}
}

// twoDocuments is a capture of two calls of one tool, each with a document of 64 bytes.
func twoDocuments() string {
	var b strings.Builder
	b.WriteString(`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}` + "\n\n")
	for i, customer := range []string{"Ada", "Eve"} {
		doc := `{"customer":"` + customer + `","note":"` + strings.Repeat("x", 36) + `"}`
		fmt.Fprintf(&b, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"search","arguments":%q}}]},"finish_reason":null}]}`+"\n\n", i, i, doc)
	}
	b.WriteString(`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
	return b.String()
}

// TestColumn65: two documents of 64 bytes end to end: in every view a strict parser objects at column 65.
func TestColumn65(t *testing.T) {
	for way, wants := range map[string][]string{
		"--frames": {"objects at column 65: trailing-data (byte 64)", "json.loads: Extra data: line 1 column 65 (char 64)"},
		"--html":   {"objects at column 65: trailing-data (byte 64)", "runs call 1 with the arguments of call 0"},
		"--json":   {`"offset":64,"line":1,"column":65,"python":"Extra data: line 1 column 65 (char 64)"`, `"held":null,"strict":"refused"`},
	} {
		status, out, msg := execute(t.Context(), twoDocuments(), "view", way, "-")
		if status != statusClean {
			t.Fatalf("%s: status %d, %s", way, status, msg)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q, but\n%s", way, want, out)
			}
		}
	}
}

// TestLargeTurn: 20 MB are shown at once, in no more lines than a small turn.
func TestLargeTurn(t *testing.T) {
	start, end, _ := strings.Cut(twoDocuments(), `"finish_reason":"tool_calls"`)
	start, last := start[:strings.LastIndex(start, "data: ")], start[strings.LastIndex(start, "data: "):]
	var b strings.Builder
	b.WriteString(start)
	for i := 0; b.Len() < 20<<20; i++ {
		fmt.Fprintf(&b, `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":" "}}]},"finish_reason":null}]}`+"\n\n", i%2)
	}
	b.WriteString(last + `"finish_reason":"tool_calls"` + end)
	began := time.Now()
	status, out, msg := execute(t.Context(), b.String(), "view", "-")
	if status != statusClean {
		t.Fatalf("status %d: %s", status, msg)
	}
	if n := strings.Count(out, "\n"); n > 150 {
		t.Errorf("%d lines", n)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
	status, page, msg := execute(t.Context(), b.String(), "view", "--html", "-")
	if status != statusClean || len(page) > 8<<20 {
		t.Errorf("the page has %d bytes, status %d: %s", len(page), status, msg)
	}
}
