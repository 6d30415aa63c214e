package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/cmd/wholecall/internal/timeline"
	"github.com/wholecall/wholecall/provider"
)

// live shows a stream as it arrives, a line for each event, and at its end the whole view. What comes from a
// pipe is kept in a file meanwhile, so that it can be read again.
func (v *viewer) live(name string) int {
	src, in, err := v.source(name)
	if err != nil {
		return v.unreadable(name, err)
	}
	defer src.Close()
	f := &follower{h: newHuman(v.out, v.colour(v.out), v.width(v.out), v.full), v: v, file: name != "-"}
	done := make(chan error, 1)
	go func() { done <- f.run(src) }()
	select {
	case err = <-done:
	case <-v.tool.ctx.Done(): // a read may block for as long as it likes
		f.over.Store(true)
		f.busy.Lock() // a line that is being printed is printed
		defer f.busy.Unlock()
	}
	if err != nil {
		return v.unreadable(name, err)
	}
	// What came is shown also where somebody has seen enough.
	last := *v
	plain := *v.tool
	plain.ctx = context.WithoutCancel(v.tool.ctx)
	last.tool, last.examiner.ctx = &plain, plain.ctx
	return last.show(in)
}

// source opens what is followed, and returns the input that it can be read from again.
func (v *viewer) source(name string) (io.ReadCloser, *input, error) {
	if name != "-" {
		in := file(name)
		r, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		return &tail{r, v.tool.ctx}, in, nil
	}
	kept, err := os.CreateTemp("", "wholecall-")
	if err != nil {
		return nil, nil, err
	}
	v.spools = append(v.spools, func() { kept.Close(); os.Remove(kept.Name()) })
	in := &input{"-", func() (io.ReadCloser, error) { return os.Open(kept.Name()) }}
	return io.NopCloser(io.TeeReader(v.in, kept)), in, nil
}

// tail reads a file that grows: at its end it waits for more, until the context ends.
type tail struct {
	*os.File
	ctx context.Context
}

func (t *tail) Read(b []byte) (int, error) {
	const pause = 100 * time.Millisecond
	for {
		n, err := t.File.Read(b)
		if n > 0 || err != io.EOF {
			return n, err
		}
		select {
		case <-t.ctx.Done():
			return 0, io.EOF
		case <-time.After(pause):
		}
	}
}

// follower prints a turn while it arrives.
type follower struct {
	h     *human
	v     *viewer
	file  bool // nothing but the turn's own end ends it
	over  atomic.Bool
	busy  sync.Mutex
	scene *scene
	turn  int
}

// run finds out what the stream is, as soon as enough of it is there, and follows it.
func (f *follower) run(src io.Reader) error {
	guess, start, err := f.detect(src)
	if err != nil || guess.Protocol == nil {
		return err // the view at the end says what it looks like
	}
	d, err := f.v.named(guess.Protocol)
	if err != nil {
		return err
	}
	how := timeline.How{Protocol: guess.Protocol, NewFramer: guess.NewFramer, Dialect: d}
	return timeline.Steps(f.v.tool.ctx, io.MultiReader(strings.NewReader(start), src), how, f.step)
}

// detect reads no more than it takes.
func (f *follower) detect(src io.Reader) (provider.Guess, string, error) {
	var sample []byte
	buf := make([]byte, 16<<10)
	for len(sample) < lastSample {
		n, err := src.Read(buf)
		sample = append(sample, buf[:n]...)
		if n > 0 {
			if guess, err := provider.Detect(sample, f.v.known); err == nil {
				return guess, string(sample), nil
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return provider.Guess{}, "", err
		}
	}
	return provider.Guess{}, "", nil
}

func (f *follower) step(step *timeline.Step) bool {
	f.busy.Lock()
	defer f.busy.Unlock()
	if f.over.Load() {
		return false
	}
	if step.Turn != f.turn {
		f.turn = step.Turn
		f.scene = &scene{r: &result{choices: 1}, rec: timeline.NewRecording(), provider: map[wholecall.Key]bool{}}
	}
	s := f.scene
	from := len(s.rec.Marks)
	ended := step.Frame == nil
	s.step(step)
	for i := from; i < len(s.rec.Marks); i++ {
		f.line(i)
		k := s.rec.Marks[i].Kind
		ended = ended || k == wholecall.Terminal || k == wholecall.Failure
	}
	if step.Fault != nil {
		f.h.printf("%s\n", f.h.paint(red, "        ✗ "+safeText(step.Fault.Error())))
	}
	return f.h.w.Flush() == nil && !(f.file && ended)
}

// line prints an event: its frame, its byte, the lanes side by side, what it did.
func (f *follower) line(i int) {
	const most = 12
	s, m := f.scene, f.scene.rec.Marks[i]
	at := s.rec.Frames[m.Frame]
	f.h.printf("%s ", f.h.paint(dim, fmt.Sprintf("%5d %8d", at.Number, at.Offset)))
	first := max(0, len(s.rec.Lanes)-most)
	for l := first; l < len(s.rec.Lanes); l++ {
		lane, sign := &s.rec.Lanes[l], " "
		switch {
		case int(m.Lane) == l:
			sign = signOf(s.rec, m)
		case lane.First <= i && (lane.End < 0 || lane.End > i):
			sign = "│"
		}
		f.h.printf(" %s", f.h.paint(laneStyle(s.rec, l), sign))
	}
	text := s.headline(i)
	if m.Verb == timeline.Adds {
		lane := &s.rec.Lanes[m.Lane]
		text += "  " + safeText(lane.Text[len(lane.Text)-int(m.Bytes):])
	}
	room := f.h.width - 15 - 2*(len(s.rec.Lanes)-first) - 2
	if columns(text) > room && !f.h.full {
		text, _ = fit(text, room-1)
		text += "…"
	}
	f.h.printf("  %s\n", text)
}

func signOf(rec *timeline.Recording, m timeline.Mark) string {
	switch {
	case m.Verb == timeline.Begins:
		return sign(signBegin)
	case m.Verb == timeline.Ends:
		return sign(signEnd)
	case m.Verb == timeline.Notes:
		return "·"
	case rec.Lanes[m.Lane].Call():
		return sign(signPiece)
	}
	return sign(signText)
}

// headline says what an event did.
func (s *scene) headline(i int) string {
	m := s.rec.Marks[i]
	if m.Lane < 0 {
		if word := wordsOfKinds[m.Kind]; word != "" {
			return word
		}
		return "something about the turn"
	}
	name := s.laneName(int(m.Lane))
	switch m.Verb {
	case timeline.Begins:
		if s.rec.Lanes[m.Lane].Call() {
			return name + " is announced"
		}
		return name + " begins"
	case timeline.Adds:
		return fmt.Sprintf("%s +%d", name, m.Bytes)
	case timeline.Ends:
		return name + " ends"
	case timeline.Copies:
		return name + " repeats the whole document"
	}
	return name + " is noted"
}
