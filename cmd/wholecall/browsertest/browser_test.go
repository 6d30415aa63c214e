// Package browsertest drives the page that wholecall view writes in a real browser. It is a module of its
// own, since what drives the browser is no business of the command's.
package browsertest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is where a browser is, or "".
func browser() string {
	names := []string{os.Getenv("WHOLECALL_BROWSER"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

var (
	command string // the binary under test
	shots   string // where screenshots go
)

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "wholecall-browser-")
	if err != nil {
		panic(err)
	}
	command = filepath.Join(dir, "wholecall")
	if shots = os.Getenv("WHOLECALL_SHOTS"); shots == "" {
		shots = dir
	}
	if why() == "" {
		build := exec.Command("go", "build", "-o", command, ".")
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// why says why there is nothing to test with, or nothing.
func why() string {
	switch {
	case testing.Short():
		return "a browser takes its time"
	case browser() == "":
		return "no browser is found: install chromium, or name one in WHOLECALL_BROWSER"
	}
	return ""
}

func need(t *testing.T) {
	t.Helper()
	if reason := why(); reason != "" {
		t.Skip(reason)
	}
}

// write makes the page of a capture and returns its address.
func write(t *testing.T, capture string, flags ...string) string {
	t.Helper()
	need(t)
	if !filepath.IsAbs(capture) {
		capture = filepath.Join("../../../testdata/captures", capture)
	}
	var page, msg bytes.Buffer
	cmd := exec.Command(command, append([]string{"view", "--html", capture}, flags...)...)
	cmd.Stdout, cmd.Stderr = &page, &msg
	if cmd.Run(); page.Len() == 0 { // the status says whether there is a finding
		t.Fatalf("no page: %s", msg.String())
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// tab is one page in the browser, and what it complained of and asked for.
type tab struct {
	*testing.T
	ctx      context.Context
	mu       sync.Mutex
	trouble  []string
	requests []string
}

type look struct {
	width, height int64
	dark          bool
}

var desk = look{1440, 900, false}

func open(t *testing.T, url string, l look, before ...chromedp.Action) *tab {
	t.Helper()
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 60*time.Second)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.hear)
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	actions := []chromedp.Action{network.Enable(), runtime.Enable(), log.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.EmulateViewport(l.width, l.height)}
	b.do(append(actions, before...)...)
	b.do(chromedp.Navigate(url))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, said := range b.trouble {
			t.Errorf("the browser complains: %s", said)
		}
		for _, r := range b.requests {
			if r != url && !strings.HasPrefix(r, "data:") {
				t.Errorf("the page asks for %s", r)
			}
		}
	})
	return b
}

func (b *tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.trouble = append(b.trouble, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		b.trouble = append(b.trouble, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.trouble = append(b.trouble, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// ready waits until the script has drawn.
func (b *tab) ready() *tab {
	b.Helper()
	b.do(chromedp.WaitReady(`html[data-ready]`, chromedp.ByQuery))
	return b
}

// eval returns the value of an expression.
func eval[T any](b *tab, js string) (v T) {
	b.Helper()
	b.do(chromedp.Evaluate(js, &v))
	return v
}

// text returns what an element says.
func (b *tab) text(id string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// eventually waits until an element says something.
func (b *tab) eventually(id, want string) {
	b.Helper()
	var got string
	for range 100 {
		if got = b.text(id); strings.Contains(got, want) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.Errorf("#%s says %q, and not %q", id, got, want)
}

func (b *tab) shot(name string) {
	b.Helper()
	var png []byte
	b.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(shots, name+".png"), png, 0o666); err != nil {
		b.Fatal(err)
	}
}

// shotOf takes a picture of one element.
func (b *tab) shotOf(selector, name string) {
	b.Helper()
	var png []byte
	b.do(chromedp.Screenshot(selector, &png, chromedp.ByQuery))
	if err := os.WriteFile(filepath.Join(shots, name+".png"), png, 0o666); err != nil {
		b.Fatal(err)
	}
}

// focusAndEnd goes to the last event.
func focusAndEnd() []chromedp.Action {
	return []chromedp.Action{chromedp.Focus("#stage", chromedp.ByID), chromedp.KeyEvent(kb.End)}
}
