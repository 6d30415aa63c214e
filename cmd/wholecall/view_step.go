package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"
)

// stepping shows the turn event by event, on the whole screen of a terminal. However it ends, the terminal
// is put back as it was.
func (v *viewer) stepping(s *scene) (err error) {
	out := terminal(v.out)
	if out == nil {
		return errors.New("view -i needs a terminal: without -i the view can be piped")
	}
	if len(s.rec.Marks) == 0 {
		return v.print(s)
	}
	in, done, err := v.keyboard()
	if err != nil {
		return err
	}
	defer done()
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("the terminal can't be read key by key: %w", err)
	}
	io.WriteString(out, "\x1b[?1049h\x1b[?25l")
	defer func() {
		io.WriteString(out, "\x1b[?25h\x1b[?1049l")
		if e := term.Restore(int(in.Fd()), old); err == nil {
			err = e
		}
	}()
	st := &stepper{s: s, colour: v.colour(v.out)}
	st.rest()
	return v.loop(st, in, out)
}

// keyboard returns where keys come from: standard input, or the terminal itself where that is the capture.
func (v *viewer) keyboard() (*os.File, func(), error) {
	if f, ok := v.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f, func() {}, nil
	}
	f, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nil, fmt.Errorf("there is no terminal to read keys from: %w", err)
	}
	return f, func() { f.Close() }, nil
}

// loop draws and reads keys until it is told to end. The size of the terminal is looked at now and then,
// since not every system says when it changes.
func (v *viewer) loop(st *stepper, in *os.File, out io.Writer) error {
	keys := make(chan string)
	quit := make(chan struct{})
	defer close(quit)
	go readKeys(in, keys, quit)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	drawn := ""
	for {
		w, h, err := term.GetSize(int(terminal(v.out).Fd()))
		if err != nil || w <= 0 || h <= 0 {
			w, h = 80, 24
		}
		if screen := strings.Join(st.screen(w, h), "\r\n"); screen != drawn {
			if _, err := io.WriteString(out, "\x1b[H\x1b[2J"+screen); err != nil {
				return err
			}
			drawn = screen
		}
		select {
		case <-v.tool.ctx.Done():
			return nil
		case <-signals:
			return nil
		case <-tick.C:
		case key, ok := <-keys:
			if !ok || !st.press(key) {
				return nil
			}
		}
	}
}

// readKeys hands out keys. A sequence of an arrow or the like comes in one read, as terminals write it.
func readKeys(in io.Reader, keys chan<- string, quit <-chan struct{}) {
	defer close(keys)
	buf := make([]byte, 64)
	for {
		n, err := in.Read(buf)
		for _, key := range splitKeys(string(buf[:n])) {
			select {
			case keys <- key:
			case <-quit:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// splitKeys cuts what was read into keys: "\x1b[C", "q".
func splitKeys(s string) []string {
	var keys []string
	for s != "" {
		n := 1
		if s[0] == '\x1b' && len(s) > 2 && (s[1] == '[' || s[1] == 'O') {
			n = 3
			for n < len(s) && s[n-1] >= '0' && s[n-1] <= '9' {
				n++
			}
		}
		keys, s = append(keys, s[:n]), s[n:]
	}
	return keys
}

// stepper is where somebody is in a turn.
type stepper struct {
	s      *scene
	at     int // the mark
	colour bool
}

// rest goes to where the view starts: the fault, or what there is to see.
func (st *stepper) rest() {
	st.at = st.s.restMark()
	st.fault()
}

func (st *stepper) fault() {
	f := st.s.faultFrame()
	for i, m := range st.s.rec.Marks {
		if f >= 0 && int(m.Frame) <= f {
			st.at = i
		}
	}
}

// press does what a key means, and reports whether to go on.
func (st *stepper) press(key string) bool {
	last := len(st.s.rec.Marks) - 1
	switch key {
	case "q", "\x03", "\x04", "\x1b":
		return false
	case "\x1b[C", "\x1bOC", "l", "n", " ":
		st.at++
	case "\x1b[D", "\x1bOD", "h", "p", "\x7f":
		st.at--
	case "\x1b[6~":
		st.at += max(10, last/32)
	case "\x1b[5~":
		st.at -= max(10, last/32)
	case "\x1b[H", "\x1bOH", "\x1b[1~", "g":
		st.at = 0
	case "\x1b[F", "\x1bOF", "\x1b[4~", "G":
		st.at = last
	case "\x1b[B", "\x1bOB", "j":
		st.inLane(1)
	case "\x1b[A", "\x1bOA", "k":
		st.inLane(-1)
	case "f":
		st.fault()
	}
	st.at = min(max(st.at, 0), last)
	return true
}

// inLane goes to the next event of the same lane, or the one before.
func (st *stepper) inLane(step int) {
	marks := st.s.rec.Marks
	for i := st.at + step; i >= 0 && i < len(marks); i += step {
		if marks[i].Lane == marks[st.at].Lane {
			st.at = i
			return
		}
	}
}
