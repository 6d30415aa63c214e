package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestInATerminal: in a real terminal, keys move, q ends it, and the terminal is as it was before.
func TestInATerminal(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no script(1) to make a terminal")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "-qfec", "stty cols 100 rows 30; "+self+" view -i testdata/captures/two-calls.sse; echo status $?; stty -a", "/dev/null")
	cmd.Env = append(os.Environ(), viewInTerminal+"=yes", "TERM=xterm")
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var screen locked
	cmd.Stdout, cmd.Stderr = &screen, &screen
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for _, step := range []struct{ key, want string }{
		{"", "event "}, {"\x1b[H", "event 1 of"}, {"\x1b[C", "event 2 of"}, {"\x1b[D", "event 1 of"}, {"q", "status 0"},
	} {
		screen.forget()
		io.WriteString(keys, step.key)
		for end := time.Now().Add(10 * time.Second); !strings.Contains(screen.String(), step.want); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("after %q it shows %q, and not %q", step.key, screen.String(), step.want)
			}
		}
	}
	keys.Close()
	cmd.Wait()
	left := screen.String()
	for _, want := range []string{"\x1b[?25h\x1b[?1049l", "\nisig icanon ", " echo "} {
		if !strings.Contains(left, want) {
			t.Errorf("the terminal is left without %q: %q", want, left)
		}
	}
}

// viewInTerminal makes the test's binary the command itself.
const viewInTerminal = "WHOLECALL_TEST_VIEW"

func init() {
	if os.Getenv(viewInTerminal) != "" {
		main()
	}
}

// locked is a buffer that two goroutines use.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *locked) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}
