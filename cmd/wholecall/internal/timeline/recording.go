package timeline

import (
	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// Verb is what a frame did to a lane.
type Verb uint8

// The verbs.
const (
	Begins Verb = iota // the lane begins: a call is announced, a text is opened
	Adds               // a fragment, or a piece of text
	Ends               // the lane's own end
	Copies             // a copy of the whole document
	Notes              // a signature, an annotation: nothing that is shown
	Says               // something about the turn: it begins, stops, ends, reports its usage
)

// Frame is where a frame stands in the capture.
type Frame struct {
	Number int
	Offset int64
	Line   int
}

// Mark is one thing that a frame did. A frame has none, one or several.
type Mark struct {
	Frame int32 // index in Frames
	Lane  int32 // index in Lanes; -1 where it is about the turn
	Bytes int32 // how many bytes of text it added
	Verb  Verb
	Kind  wholecall.EventKind // 0 where the capture ends inside the frame
}

// Lane is a part of the turn: prose, or a call.
type Lane struct {
	Kind      wholecall.PartKind
	Key       wholecall.Key
	ID, Name  string
	Text      []byte // all that came, unescaped
	First     int    // the mark that it begins with
	Last      int    // the last mark that touches it
	End       int    // the mark that ends it; -1 where none did
	Fragments int
	Announced bool // false where fragments came for a call that nobody announced
	carry     uint16
}

// Call reports whether the lane is a call.
func (l *Lane) Call() bool {
	return l.Kind == wholecall.CallPart || l.Kind == wholecall.ServerCallPart
}

// Recording is all that the frames of one turn did. A mark costs 16 bytes, a frame 24, and each byte of text
// one: less than the capture itself.
type Recording struct {
	Frames []Frame
	Marks  []Mark
	Lanes  []Lane
	Fault  int   // index of the frame that failed the turn; -1 where none did
	To     int64 // where the turn ends in the capture

	byKey map[wholecall.Key]int
}

// NewRecording returns a recording of nothing.
func NewRecording() *Recording {
	return &Recording{Fault: -1, byKey: map[wholecall.Key]int{}}
}

// Frame records that a step begins. Its events, or others that stand in for them, come after it.
func (r *Recording) Frame(s *Step) {
	if f := s.Frame; f != nil {
		r.Frames = append(r.Frames, Frame{f.Number, f.Offset, f.Line})
	}
	if s.Fault != nil && r.Fault < 0 {
		r.Fault = len(r.Frames) - 1
	}
	if s.Cut {
		r.Marks = append(r.Marks, Mark{Frame: int32(len(r.Frames) - 1), Lane: -1, Verb: Says})
	}
}

// Event records one event of the frame, and returns its mark; -1 where there is nothing to mark.
func (r *Recording) Event(ev *wholecall.Event) int {
	m := Mark{Frame: int32(len(r.Frames) - 1), Lane: -1, Verb: Says, Kind: ev.Kind}
	switch ev.Kind {
	case wholecall.OpenPart, wholecall.Announce:
		m.Verb, m.Lane = Begins, int32(r.begin(ev))
	case wholecall.Delta, wholecall.Fragment:
		m.Verb, m.Lane = Adds, int32(r.lane(ev))
		m.Bytes = r.add(int(m.Lane), ev)
	case wholecall.Document:
		m.Verb, m.Lane = Copies, int32(r.lane(ev))
		if l := &r.Lanes[m.Lane]; len(l.Text) == 0 {
			m.Verb, m.Bytes = Adds, r.add(int(m.Lane), ev)
		}
	case wholecall.ClosePart, wholecall.End:
		m.Verb, m.Lane = Ends, int32(r.lane(ev))
		r.Lanes[m.Lane].End = len(r.Marks)
	case wholecall.Sign, wholecall.Annotate:
		m.Verb, m.Lane = Notes, int32(r.lane(ev))
	case wholecall.Stop:
		if ev.Ends {
			r.stop(ev.Key.Choice)
		}
	case wholecall.Deviate, wholecall.Hint:
		return -1 // about the frame, and not the turn
	}
	if m.Lane >= 0 {
		r.Lanes[m.Lane].Last = len(r.Marks)
	}
	r.Marks = append(r.Marks, m)
	return len(r.Marks) - 1
}

// stop ends what is open in a choice.
func (r *Recording) stop(choice int32) {
	for i := range r.Lanes {
		if l := &r.Lanes[i]; l.End < 0 && l.Key.Choice == choice {
			l.End, l.Last = len(r.Marks), len(r.Marks)
		}
	}
}

// begin makes a lane. A second announcement of a key stays in the lane that has it, with its first identity:
// that it came twice is what there is to see.
func (r *Recording) begin(ev *wholecall.Event) int {
	if i, ok := r.byKey[ev.Key]; ok {
		return i
	}
	l := Lane{Kind: ev.Part, Key: ev.Key, ID: string(ev.ID), Name: string(ev.Name), Announced: true}
	if ev.Kind == wholecall.Announce {
		l.Kind = wholecall.CallPart
		if ev.Runner == wholecall.ProviderRuns {
			l.Kind = wholecall.ServerCallPart
		}
	}
	return r.push(l)
}

func (r *Recording) push(l Lane) int {
	l.First, l.End = len(r.Marks), -1
	r.byKey[l.Key] = len(r.Lanes)
	r.Lanes = append(r.Lanes, l)
	return len(r.Lanes) - 1
}

// lane returns the lane of an event's key: a new one where nobody announced it.
func (r *Recording) lane(ev *wholecall.Event) int {
	if i, ok := r.byKey[ev.Key]; ok {
		return i
	}
	l := Lane{Kind: wholecall.CallPart, Key: ev.Key}
	switch ev.Kind {
	case wholecall.Delta, wholecall.ClosePart, wholecall.Sign, wholecall.Annotate:
		l.Kind = wholecall.TextPart
	}
	return r.push(l)
}

func (r *Recording) add(lane int, ev *wholecall.Event) int32 {
	l := &r.Lanes[lane]
	l.Fragments++
	before := len(l.Text)
	if ev.Escaped {
		l.Text, l.carry, _ = strictjson.AppendUnescaped(l.Text, ev.Data, l.carry)
	} else {
		l.Text = append(l.Text, ev.Data...)
	}
	return int32(len(l.Text) - before)
}

// FrameEnd returns where frame i ends: where the next one begins.
func (r *Recording) FrameEnd(i int) int64 {
	if i+1 < len(r.Frames) {
		return r.Frames[i+1].Offset
	}
	return r.To
}
