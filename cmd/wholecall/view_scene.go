package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/cmd/wholecall/internal/timeline"
	"github.com/wholecall/wholecall/internal/autopsy"
)

// scene is all that view shows of one turn: what check says, what each frame did, and what wrong code would
// have made of it.
type scene struct {
	r     *result
	rec   *timeline.Recording
	truth []autopsy.Truth
	wrong []*wrongCode
	// beside says which other stream the shared accumulator served, in words.
	beside string

	provider map[wholecall.Key]bool // the calls that the provider runs: client code never sees them as its own
}

// wrongCode is one wrong accumulator, fed with the turn.
type wrongCode struct {
	name   string // for programs
	title  string
	code   string // what it looks like where it stands
	acc    autopsy.Accumulator
	report *autopsy.Report
	routes []int32 // by mark: the buffer that it went into, or -1
	// dropped are the calls whose fragments found no buffer, since nobody announced them.
	dropped []wholecall.Key
}

// harmless reports whether nothing came of the mistake in this turn.
func (s *scene) harmless(w *wrongCode) bool {
	return len(w.dropped) == 0 && w.report.Harmless(s.truth)
}

func wrongCodes() []*wrongCode {
	return []*wrongCode{
		{name: "name-keyed", title: "keyed by the tool's name", code: "buffers[tool_name] += fragment", acc: &autopsy.NameKeyed{}},
		{name: "current-call", title: "one current call, no key", code: "current.arguments += fragment", acc: &autopsy.CurrentCall{}},
		{name: "shared", title: "one accumulator for the process", code: "self.calls[index] += fragment   # never reset", acc: &autopsy.Shared{}},
		{name: "default-dict", title: "a default dictionary", code: "calls = defaultdict(Call); calls[index] += fragment", acc: &autopsy.DefaultDict{}},
	}
}

// observe reads a turn of a capture once more and notes what each frame did.
func observe(ctx context.Context, r *result, beside *result) (*scene, error) {
	s := &scene{r: r, rec: timeline.NewRecording(), wrong: wrongCodes(), provider: map[wholecall.Key]bool{}}
	s.truth = truthOf(r)
	if r.guess.Protocol == nil {
		s.examine()
		return s, nil
	}
	if err := s.haunt(ctx, beside); err != nil {
		return nil, err
	}
	end := int64(-1)
	size, err := walk(ctx, r, func(step *timeline.Step) bool {
		switch {
		case step.Turn < r.turn:
		case step.Turn > r.turn:
			if step.Frame != nil {
				end = step.Frame.Offset
			}
			return false
		default:
			s.step(step)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if s.rec.To = end; end < 0 {
		s.rec.To = size
	}
	s.examine()
	return s, nil
}

// walk steps through the capture of a result, and returns how many bytes it read.
func walk(ctx context.Context, r *result, see func(*timeline.Step) bool) (int64, error) {
	in, err := r.in.open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	c := &counting{r: in}
	how := timeline.How{Protocol: r.guess.Protocol, NewFramer: r.guess.NewFramer, Dialect: r.dialect}
	err = timeline.Steps(ctx, c, how, see)
	return c.n, err
}

// haunt gives the shared accumulator what it served before: another capture, the turns before this one, or,
// where there is nothing else, the same turn once before.
func (s *scene) haunt(ctx context.Context, beside *result) error {
	shared := s.shared()
	shared.Stream = 1
	other, until := s.r, s.r.turn
	switch {
	case beside != nil:
		other, until = beside, 1<<30
		s.beside = "the stream of " + beside.in.name
	case s.r.turn > 1:
		s.beside = "the turns before this one"
	default:
		s.beside, until = "this same turn, once before", 2
	}
	seen := map[wholecall.Key]bool{}
	turn := 1
	_, err := walk(ctx, other, func(step *timeline.Step) bool {
		if step.Turn >= until {
			return false
		}
		if step.Turn != turn {
			turn, seen = step.Turn, map[wholecall.Key]bool{}
		}
		events := read(step)
		for i := range events {
			if ours(seen, &events[i]) {
				shared.Apply(&events[i])
			}
		}
		return true
	})
	shared.Stream = 0
	return err
}

func (s *scene) shared() *autopsy.Shared {
	for _, w := range s.wrong {
		if a, ok := w.acc.(*autopsy.Shared); ok {
			return a
		}
	}
	return nil
}

// read returns what client code reads in a frame: what the decoder does, and where that refuses the frame
// whatever a client finds that checks nothing.
func read(step *timeline.Step) []wholecall.Event {
	if step.Err != nil && step.Frame != nil {
		return append(step.Events, autopsy.Lax(step.Frame.Data)...)
	}
	return step.Events
}

// ours reports whether an event is about a call that the client runs. server holds those that it doesn't.
func ours(server map[wholecall.Key]bool, ev *wholecall.Event) bool {
	if ev.Kind == wholecall.Announce && ev.Runner == wholecall.ProviderRuns {
		server[ev.Key] = true
	}
	return !server[ev.Key]
}

func (s *scene) step(step *timeline.Step) {
	s.rec.Frame(step)
	if len(s.rec.Frames) == 0 {
		return
	}
	for _, w := range s.wrong {
		for len(w.routes) < len(s.rec.Marks) { // the cut, which nobody sees
			w.routes = append(w.routes, -1)
		}
	}
	events := read(step)
	for i := range events {
		ev := &events[i]
		mark := s.rec.Event(ev)
		mine := ours(s.provider, ev)
		for _, w := range s.wrong {
			buffer := -1
			if mine {
				buffer = w.acc.Apply(ev)
				if buffer < 0 && ev.Kind == wholecall.Fragment && len(ev.Data) > 0 && !slices.Contains(w.dropped, ev.Key) {
					w.dropped = append(w.dropped, ev.Key)
				}
			}
			if mark >= 0 {
				w.routes = append(w.routes, int32(buffer))
			}
		}
	}
}

func (s *scene) examine() {
	for _, w := range s.wrong {
		w.report = autopsy.Examine(w.acc, s.truth)
	}
}

// truthOf lists the calls of a turn as the model wrote them, in the order in which they were announced.
func truthOf(r *result) []autopsy.Truth {
	type placed struct {
		place int
		autopsy.Truth
	}
	var all []placed
	for _, c := range r.completed {
		all = append(all, placed{c.Place(), autopsy.Truth{Key: c.Key(), ID: c.ID(), Name: c.Name(),
			Arguments: string(c.Arguments()), Whole: true, Text: c.Form() == wholecall.TextArguments}})
	}
	for _, f := range r.failed {
		all = append(all, placed{f.Place(), autopsy.Truth{Key: f.Key(), ID: f.ID(), Name: f.Name(),
			Arguments: string(f.Partial())}})
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	truth := make([]autopsy.Truth, len(all))
	for i, p := range all {
		truth[i] = p.Truth
	}
	return truth
}
