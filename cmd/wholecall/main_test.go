package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts and the golden files expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wholecall": main, "good-client": goodClient, "name-keyed": nameKeyed, "module-scope": moduleScope, "quiet-client": quiet,
	})
}

// TestScript runs the scripts in testdata/script. Each finds the captures of testdata/captures in its
// folder. The command "exits N wholecall …" demands an exit status.
func TestScript(t *testing.T) {
	captures, err := filepath.Abs("testdata/captures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "100")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a run is over when it is over
			return os.CopyFS(e.WorkDir, os.DirFS(captures))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// execute runs the command in this process.
func execute(ctx context.Context, stdin string, args ...string) (status int, out, err string) {
	var o, e bytes.Buffer
	env := func(name string) string { return map[string]string{"COLUMNS": "100"}[name] }
	status = run(ctx, args, strings.NewReader(stdin), &o, &e, env)
	return status, o.String(), e.String()
}

func capture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/captures", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInterruptEndsPolitely(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, out, msg := execute(ctx, "", "check", "testdata/captures/two-calls.sse")
	if status != statusFailed || out != "" || msg != "error: interrupted after 0 of 1 capture\n" {
		t.Errorf("status %d, out %q, err %q", status, out, msg)
	}
}

func TestStandardInputBeyondMemory(t *testing.T) {
	padding := strings.Repeat(": nothing happens\n\n", spoolMemory/16)
	status, out, msg := execute(t.Context(), padding+capture(t, "two-calls.sse"), "check", "--json", "-")
	if status != statusClean || msg != "" || !strings.Contains(out, `"completed":2`) {
		t.Errorf("status %d, out %s, err %q", status, out, msg)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestUnwritableOutputIsAnError(t *testing.T) {
	for _, flags := range [][]string{{"--json"}, nil} {
		var msg bytes.Buffer
		args := append([]string{"check", "testdata/captures/two-calls.sse"}, flags...)
		status := run(t.Context(), args, nil, brokenWriter{}, &msg, func(string) string { return "" })
		if status != statusFailed || !strings.Contains(msg.String(), "no space left") {
			t.Errorf("%v: status %d, err %q", flags, status, msg.String())
		}
	}
}
