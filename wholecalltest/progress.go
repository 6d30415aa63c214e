package wholecalltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wholecall/wholecall"
)

func progress(t *testing.T, p wholecall.Protocol, s Shape, r *rand.Rand) {
	events, _ := s.Turn(r)
	frames := Encode(t, p, events)
	if r.IntN(3) == 0 {
		frames = mutate(frames, r.IntN(3), r.IntN(len(frames)), r.IntN(len(frames)))
	}
	stream := Join(frames)
	if r.IntN(3) == 0 {
		stream = stream[:r.IntN(len(stream)+1)]
	}
	SameWithProgress(t, func(opts ...wholecall.Option) *wholecall.Turn {
		return wholecall.NewTurn(&randomReader{stream, r}, p, opts...)
	})
}

// SameWithProgress reads a turn twice, without WithProgress and with it. It fails the test where that
// makes a difference to anything but the *Progress, and where these are not what the arguments of their
// call begin with: all of them, where the call completes.
//
// A dialect that reads a finished document otherwise than it stands can't be tested so.
func SameWithProgress(t testing.TB, newTurn func(...wholecall.Option) *wholecall.Turn) {
	t.Helper()
	plain := newTurn()
	want := fmt.Sprintf("%s%v", Drain(plain), plain.Err())

	turn := newTurn(wholecall.WithProgress())
	var c collector
	w := watcher{shown: map[int]*shown{}}
	for {
		part, err := turn.Next()
		if err != nil {
			break
		}
		c.part(part)
		w.part(part)
	}
	if got := fmt.Sprintf("%s%v", c.result(turn), turn.Err()); got != want {
		t.Errorf("with progress:\n%s\nwithout:\n%s", got, want)
	}
	for _, fault := range w.faults {
		t.Error(fault)
	}
}

// shown is what was shown of a call.
type shown struct {
	id, name string
	key      wholecall.Key
	document []byte
	over     bool
}

// watcher holds what is shown of calls against the calls.
type watcher struct {
	shown  map[int]*shown // by place
	faults []string
}

func (w *watcher) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *watcher) part(p wholecall.Part) {
	switch p := p.(type) {
	case *wholecall.Progress:
		w.progress(p)
	case wholecall.Call:
		w.whole(p.Place(), p.ID(), p.Name(), p.Key(), p.Arguments())
	case wholecall.ServerCall:
		w.whole(p.Place(), p.ID(), p.Name(), p.Key(), p.Arguments())
	case wholecall.FailedCall:
		s := w.shown[p.Place()]
		if s == nil {
			w.fault("%s failed, and was never shown", p.ID())
			return
		}
		// What passed its bound, or was no text, is not kept.
		if s.over = true; len(p.Partial()) > 0 && !bytes.HasPrefix(p.Partial(), s.document) {
			w.fault("%s failed with %d bytes, and was shown with others", p.ID(), len(p.Partial()))
		}
	}
}

func (w *watcher) progress(p *wholecall.Progress) {
	s := w.shown[p.Place()]
	switch {
	case s == nil:
		s = &shown{id: p.ID(), name: p.Name(), key: p.Key()}
		w.shown[p.Place()] = s
		if len(p.Delta) != 0 {
			w.fault("%s is first shown with %d bytes", p.ID(), len(p.Delta))
		}
	case len(p.Delta) == 0:
		w.fault("%s is shown again, with nothing", p.ID())
	}
	if s.over || s.id != p.ID() || s.name != p.Name() || s.key != p.Key() {
		w.fault("a piece of %s %s at %v is shown as one of %s %s at %v", p.ID(), p.Name(), p.Key(), s.id, s.name, s.key)
	}
	s.document = append(s.document, p.Delta...)
	clear(p.Delta) // it is borrowed, and must not be the call's
}

func (w *watcher) whole(place int, id, name string, key wholecall.Key, arguments []byte) {
	s := w.shown[place]
	if s == nil || s.over || s.id != id || s.name != name || s.key != key {
		w.fault("%s %s completed, and was not shown as that", id, name)
		return
	}
	s.over = true
	if len(s.document) == 0 && string(arguments) == "{}" {
		return // which is what no arguments are written as
	}
	if !bytes.Equal(s.document, arguments) {
		w.fault("%s completed with %d bytes, and was shown with %d others", id, len(arguments), len(s.document))
	}
}
