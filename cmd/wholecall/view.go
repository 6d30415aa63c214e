package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

func viewUsage() string {
	return fmt.Sprintf(`usage: wholecall view [flags] FILE|-

View shows one turn of a capture: what is wrong with it, first; its prose and its calls as lanes over the
bytes of the stream; the calls, whole; and what four kinds of wrong code would have made of them: one that
keys calls by the tool's name, one with a single "current call", one accumulator for a whole process, and a
default dictionary; each with a strict parser, one that stops after the first value, and a repairing one.
It prints the arguments of calls.

flags:
  --turn N          the turn to show; without it the first in which check finds a fault, or the first
  --beside FILE     what the process-wide accumulator served before: another capture
  --frames          draw over frames, and not over bytes
  --full            cut nothing
  -i                step through the turn, event by event, forwards and back
  --follow          show a live stream as it arrives, and the whole view at its end
  --html            one self-contained page, on standard output
  --serve           the same page on a local port, until interrupted
  --port N          the port for --serve; 0 takes a free one
  --json            one JSON object a line
  --provider NAME   %s
  --framing NAME    %s
  --dialect NAME    %s, or the name of a server's dialect

exit status:
  0  the turn is complete
  1  it is not
  2  it could not do what was asked

examples:
  wholecall view capture.sse
  wholecall view --html capture.sse > page.html
  curl -sN $URL -d @request.json | wholecall view --follow -
`, strings.Join(provider.Names(), ", "), strings.Join(provider.Framings(), ", "), standard)
}

// viewer is one run of view.
type viewer struct {
	*tool
	examiner
	turn, port                                      int
	beside                                          string
	frames, full, step, follow, html, serve, asJSON bool
	spools                                          []func()
}

const viewHint = "wholecall view capture.sse   (or - for standard input)"

func view(t *tool, args []string) int {
	v := &viewer{tool: t}
	v.examiner.ctx = t.ctx
	defer func() {
		for _, done := range v.spools {
			done()
		}
	}()
	operands, status, ok := v.flags(args)
	if !ok {
		return status
	}
	if v.follow {
		return v.live(operands[0])
	}
	in, err := v.input(operands[0])
	if err != nil {
		return v.unreadable(operands[0], err)
	}
	return v.show(in)
}

// flags reads the command line.
func (v *viewer) flags(args []string) (operands []string, status int, ok bool) {
	set := flag.NewFlagSet("view", flag.ContinueOnError)
	for name, b := range map[string]*bool{"frames": &v.frames, "full": &v.full, "i": &v.step, "follow": &v.follow,
		"html": &v.html, "serve": &v.serve, "json": &v.asJSON} {
		set.BoolVar(b, name, false, "")
	}
	set.IntVar(&v.turn, "turn", 0, "")
	set.IntVar(&v.port, "port", 0, "")
	set.StringVar(&v.beside, "beside", "", "")
	var n naming
	n.flags(set)
	operands, status, ok = v.parse(set, viewUsage(), args)
	if !ok {
		return nil, status, false
	}
	ways := 0
	for _, b := range []bool{v.step, v.follow, v.html, v.serve, v.asJSON} {
		if b {
			ways++
		}
	}
	switch {
	case len(operands) == 0:
		return nil, v.misuse(viewHint, "view: no capture is given"), false
	case len(operands) > 1:
		return nil, v.misuse("wholecall view "+shellWord(operands[0]), "view: it shows one capture, and %d are given", len(operands)), false
	case ways > 1:
		return nil, v.misuse("wholecall help view", "view: -i, --follow, --html, --serve and --json exclude each other"), false
	case v.turn < 0:
		return nil, v.misuse("wholecall view --turn 1 "+shellWord(operands[0]), "view: turns are counted from 1"), false
	}
	if status, ok = n.resolve(v.tool, "view", &v.examiner); !ok {
		return nil, status, false
	}
	v.keep = 64 << 10
	if v.full || v.html || v.serve {
		v.keep = 16 << 20
	}
	return operands, 0, true
}

// input returns the capture that an operand names.
func (v *viewer) input(name string) (*input, error) {
	var failed error
	stdin := func() (*input, error) {
		in, done, err := spool(v.tool.ctx, v.in)
		v.spools = append(v.spools, done)
		return in, err
	}
	all := gather([]string{name}, stdin, func(_ string, err error) { failed = err })
	switch {
	case failed != nil:
		return nil, failed
	case len(all) != 1:
		return nil, fmt.Errorf("it is a folder with %s, and view shows one: wholecall check %s says what is in them",
			plural(len(all), "capture"), shellWord(name))
	}
	return all[0], nil
}

func (v *viewer) unreadable(name string, err error) int {
	if errors.Is(err, context.Canceled) {
		v.errorf("interrupted")
		return statusFailed
	}
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed file is cut: %w", err)
	}
	v.errorf("%s: %v", name, err)
	return statusFailed
}

// show shows a turn of a capture in the way that was asked for.
func (v *viewer) show(in *input) int {
	s, err := v.scene(in)
	if err != nil {
		return v.unreadable(in.name, err)
	}
	if s == nil {
		return statusFailed
	}
	switch {
	case v.html:
		err = writePage(v.out, s)
	case v.serve:
		err = v.serving(s)
	case v.asJSON:
		err = writeView(v.out, s)
	case v.step:
		err = v.stepping(s)
	default:
		err = v.print(s)
	}
	if err != nil {
		v.errorf("%v", err)
		return statusFailed
	}
	if s.r.clean() {
		return statusClean
	}
	return statusFindings
}

// scene reads the capture and chooses the turn. It is nil where there is none, and that was said.
func (v *viewer) scene(in *input) (*scene, error) {
	results, err := v.examine(in)
	if err != nil {
		return nil, err
	}
	r := v.choose(results)
	if r == nil {
		v.errorf("%s: it has %s, and no turn %d", in.name, plural(len(results), "turn"), v.turn)
		v.hintf("wholecall view --turn %d %s", len(results), shellWord(in.name))
		return nil, nil
	}
	var beside *result
	if v.beside != "" {
		other, err := v.input(v.beside)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.beside, err)
		}
		others, err := v.examine(other)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.beside, err)
		}
		beside = others[0]
		if beside.guess.Protocol == nil {
			return nil, fmt.Errorf("%s: %v", v.beside, beside.err)
		}
	}
	return observe(v.tool.ctx, r, beside)
}

// choose returns the turn that was asked for, or the first with a finding, or the first.
func (v *viewer) choose(results []*result) *result {
	if v.turn > len(results) {
		return nil
	}
	if v.turn > 0 {
		return results[v.turn-1]
	}
	if i := slices.IndexFunc(results, func(r *result) bool { return !r.clean() }); i >= 0 {
		return results[i]
	}
	return results[0]
}

// faultFrame returns the index of the frame at which the view starts: the fault's, or the last where the
// stream was cut. Where there is nothing to find it is -1.
func (s *scene) faultFrame() int {
	if s.r.clean() || len(s.rec.Frames) == 0 {
		return -1
	}
	w := whereOf(s.r.err)
	if w.Frame > 0 && kindOf(s.r.err) != wholecall.CallsFailed {
		for i, f := range s.rec.Frames {
			if f.Number == w.Frame {
				return i
			}
		}
	}
	if s.rec.Fault >= 0 {
		return s.rec.Fault
	}
	for _, f := range s.r.failed { // the last frame of the first call that failed
		for i := range s.rec.Lanes {
			if l := &s.rec.Lanes[i]; l.Call() && l.Key == f.Key() {
				return int(s.rec.Marks[l.Last].Frame)
			}
		}
	}
	return len(s.rec.Frames) - 1
}
