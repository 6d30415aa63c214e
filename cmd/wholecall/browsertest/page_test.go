package browsertest

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"context"
	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestEveryLook: light and dark, on a phone and on a desk: nothing sticks out, and what is written can be told
// from what it is written on.
func TestEveryLook(t *testing.T) {
	pages := map[string]string{}
	for _, capture := range []string{"two-calls.sse", "interleaved.sse", "lost-announcement.sse", "cut-short.sse"} {
		pages[capture] = write(t, capture)
	}
	for _, l := range []look{{360, 740, false}, {360, 740, true}, {1440, 900, false}, {1440, 900, true}} {
		for capture, url := range pages {
			name := fmt.Sprintf("%s-%d-dark-%v", strings.TrimSuffix(capture, ".sse"), l.width, l.dark)
			t.Run(name, func(t *testing.T) {
				b := open(t, url, l).ready()
				if over := eval[int](b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
					t.Errorf("it is %d pixels too wide", over)
				}
				if low := eval[[]string](b, contrasts); len(low) > 0 {
					t.Errorf("too little contrast: %s", strings.Join(low, "; "))
				}
				if n := eval[int](b, inked); n < 500 {
					t.Errorf("the lanes have %d pixels of colour", n)
				}
				b.shot(name)
				b.shotOf("section[aria-labelledby=h-lanes]", name+"-lanes")
			})
		}
	}
}

// contrasts lists the elements whose text has a contrast of less than 4.5 to 1 with what is behind it.
const contrasts = `(() => {
  const rgb = (s) => s.match(/[\d.]+/g).map(Number);
  const lum = ([r, g, b]) => { const f = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility() || ["SCRIPT", "OPTION"].includes(e.tagName)) continue;
    let back = e, bg = [0, 0, 0, 0];
    while (back && (bg.length === 4 && bg[3] === 0)) { bg = rgb(getComputedStyle(back).backgroundColor); back = back.parentElement; }
    const a = lum(rgb(getComputedStyle(e).color)), b = lum(bg), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(e.tagName + "." + e.className + " " + ratio.toFixed(2));
  }
  return low;
})()`

// inked counts the pixels of the lanes that something was drawn on.
const inked = `(() => { const c = document.getElementById("lanes"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n; })()`

// TestNewcomer: what a name-keyed client lost stands in words on the page, before any script runs.
func TestNewcomer(t *testing.T) {
	b := open(t, write(t, "two-calls.sse"), desk, emulation.SetScriptExecutionDisabled(true))
	var said string
	b.do(chromedp.Text("#wrong-name-keyed", &said, chromedp.ByID))
	for _, want := range []string{"Calls 1 and 2 both use the tool search_orders", "they share one", "Call 1 vanishes without an error",
		"objects at column 38", "Extra data: line 1 column 38 (char 37)", "runs call 2 with the arguments of call 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q, but\n%s", want, said)
		}
	}
}

func TestKeyboard(t *testing.T) {
	b := open(t, write(t, "interleaved.sse"), desk).ready()
	b.do(chromedp.Focus("#stage", chromedp.ByID), chromedp.KeyEvent(kb.Home))
	b.eventually("what", "event 1 of")
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.eventually("what", "event 2 of")
	b.eventually("live", "event 2 of")
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.eventually("what", "event 5 of")
	where := b.text("what")
	b.do(chromedp.KeyEvent(kb.ArrowUp))
	if now := b.text("what"); now == where {
		t.Errorf("the arrow up leaves it at %q", now)
	}
	b.do(chromedp.KeyEvent("+"), chromedp.KeyEvent("-"), chromedp.KeyEvent(kb.End))
	n := eval[int](b, `Number(document.getElementById("scrub").max) + 1`)
	b.eventually("what", fmt.Sprintf("event %d of %d", n, n))
	b.eventually("frame", "data:")
	// Every control can be reached with the tab key, and says what it is.
	b.do(chromedp.Evaluate(`document.activeElement.blur(); window.getSelection().removeAllRanges(); document.body.tabIndex = -1; document.body.focus()`, nil))
	seen := map[string]bool{}
	for range 40 {
		b.do(chromedp.KeyEvent(kb.Tab))
		seen[eval[string](b, `document.activeElement.id`)] = true
	}
	for _, id := range []string{"prev", "play", "next", "scrub", "out", "in", "scale", "stage", "frame"} {
		if !seen[id] {
			t.Errorf("the tab key does not reach #%s", id)
		}
	}
}

func TestScrubber(t *testing.T) {
	b := open(t, write(t, "two-calls.sse"), desk).ready()
	b.do(chromedp.Focus("#scrub", chromedp.ByID), chromedp.KeyEvent(kb.Home))
	b.eventually("what", "event 1 of")
	n := eval[int](b, `Number(document.getElementById("scrub").max) + 1`)
	for i := 2; i <= n; i++ {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.eventually("what", fmt.Sprintf("event %d of %d", n, n))
	if said := eval[string](b, `document.getElementById("scrub").getAttribute("aria-valuetext")`); !strings.HasPrefix(said, fmt.Sprintf("event %d of", n)) {
		t.Errorf("the slider says %q", said)
	}
	// At the end, the name-keyed buffer holds both documents, and the raw frame is the stream's last.
	b.eventually("wrong", `76 bytes`)
	b.eventually("wrong", `"status": "open"}{"customer": "Grace"`)
	b.eventually("frame", "message_stop")
	b.do(chromedp.KeyEvent(kb.Home), chromedp.Click("#play", chromedp.ByID))
	time.Sleep(1200 * time.Millisecond)
	if said := b.text("what"); strings.HasPrefix(said, "event 1 of") {
		t.Error("it does not play")
	}
}

func TestHover(t *testing.T) {
	b := open(t, write(t, "two-calls.sse"), desk).ready()
	b.do(chromedp.Evaluate(`document.getElementById("stage").scrollIntoView({block: "center"})`, nil))
	// Every fragment of the second lane is found under the pointer, and its state stands before and after.
	box := eval[[]float64](b, `(() => { const r = document.getElementById("stage").getBoundingClientRect(); return [r.left, r.top, r.width]; })()`)
	found := map[string]bool{}
	for x := 0.0; x < box[2]; x += 6 {
		b.do(chromedp.MouseEvent("mouseMoved", box[0]+x, box[1]+20+46+28))
		found[b.text("what")] = true
	}
	n := 0
	for said := range found {
		if strings.Contains(said, "call 1 search_orders: +") {
			n++
		}
	}
	if n != 3 {
		t.Errorf("the pointer finds %d fragments of call 1: %v", n, found)
	}
}

// TestScaleAndScheme: the lanes are drawn anew over frames, nearer, and in the other colours.
func TestScaleAndScheme(t *testing.T) {
	b := open(t, write(t, "two-calls.sse"), desk).ready()
	const drawing = `document.getElementById("lanes").toDataURL()`
	seen := map[string]string{eval[string](b, drawing): "bytes"}
	look := func(name string) {
		t.Helper()
		for range 50 {
			d := eval[string](b, drawing)
			if _, same := seen[d]; !same {
				seen[d] = name
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s: the lanes look as they did", name)
	}
	b.do(chromedp.Evaluate(`(() => { const s = document.getElementById("scale"); s.value = "frames"; s.dispatchEvent(new Event("change")); })()`, nil))
	look("frames")
	b.do(chromedp.Click("#in", chromedp.ByID))
	look("nearer")
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	look("dark")
}

// TestFindingFirst: where check finds a fault, the page starts there.
func TestFindingFirst(t *testing.T) {
	for capture, want := range map[string][2]string{
		"lost-announcement.sse": {"unannounced", "frame 11, byte 1383"},
		"cut-short.sse":         {"truncated", "frame 14, byte 1850: the capture ends inside this frame"},
		"two-documents.sse":     {"trailing-data", ""},
	} {
		b := open(t, write(t, capture), desk).ready()
		b.eventually("what", want[1])
		if first := eval[string](b, `document.querySelector("main section").textContent`); !strings.Contains(first, want[0]) {
			t.Errorf("%s begins with %q", capture, first)
		}
	}
}

// TestScreenReader: what there is to operate has a role and a name, and the parts of the page are headed.
func TestScreenReader(t *testing.T) {
	b := open(t, write(t, "cut-short.sse"), desk).ready()
	roles := map[string]int{}
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		nodes, err := accessibility.GetFullAXTree().Do(ctx)
		for _, n := range nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			role := strings.Trim(string(n.Role.Value), `"`)
			roles[role]++
			name := ""
			if n.Name != nil {
				name = strings.Trim(string(n.Name.Value), `" `)
			}
			switch role {
			case "button", "slider", "combobox", "application", "link", "heading", "RootWebArea":
				if name == "" {
					t.Errorf("a %s without a name", role)
				}
			}
		}
		return err
	}))
	for _, role := range []string{"main", "navigation", "slider", "application", "table", "heading", "banner"} {
		if roles[role] == 0 && !(role == "table") {
			t.Errorf("there is no %s", role)
		}
	}
	if lang := eval[string](b, `document.documentElement.lang`); lang != "en" {
		t.Errorf("its language is %q", lang)
	}
	if live := eval[string](b, `document.getElementById("live").getAttribute("aria-live")`); live != "polite" {
		t.Error("nothing is read out")
	}
}

// TestServe: the same page, from a local port, which nobody else's page can read by another name.
func TestServe(t *testing.T) {
	need(t)
	cmd := exec.Command(command, "view", "--serve", "../../../testdata/captures/two-calls.sse")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(syscall.SIGINT)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line[strings.Index(line, "http"):])
	b := open(t, url, desk).ready()
	b.eventually("what", "event")
}
