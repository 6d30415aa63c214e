package wholecall

// Progress is what has just arrived of the arguments of an open call. It is for display only: it is no
// Call, it holds no document, and what it says may still turn out to belong to a call that fails. Only a
// turn with WithProgress hands it out. Package preview makes a value of it that grows.
//
// The first of a call comes when the call is announced, with an empty Delta; the others come in the
// order in which their fragments arrived, whichever calls are open and whatever waits behind them. The
// last comes before the Call, the ServerCall or the FailedCall of the same place; of a call that can
// no longer complete there are no more.
//
// The struct and its Delta are borrowed: they are valid until the next part is asked for.
type Progress struct {
	// Delta is the piece of the arguments, in UTF-8. Half of a surrogate pair that the wire cut waits
	// for its other half. It is a copy: what is done to it does not reach the call.
	//
	// The deltas of a call that completes, joined, are its arguments as the model wrote them. They
	// differ from Call.Arguments in what is read into a finished document alone: where no byte means
	// {}, and where a dialect has RawControlCharacters or DoubleEncoded.
	Delta []byte

	key      Key
	id, name string
	form     Form
	runner   Runner
	place    int
}

// Key is the call's position in its stream.
func (p *Progress) Key() Key { return p.key }

// ID is the call's id.
func (p *Progress) ID() string { return p.id }

// Name is the name of the tool.
func (p *Progress) Name() string { return p.name }

// Form says whether the arguments are JSON or free text.
func (p *Progress) Form() Form { return p.form }

// Runner says who will run the call, once it is whole.
func (p *Progress) Runner() Runner { return p.runner }

// Kind is ProgressPart.
func (p *Progress) Kind() PartKind { return ProgressPart }

// Place is the place of the call that this is a piece of.
func (p *Progress) Place() int { return p.place }

func (*Progress) part() {}

// WithProgress makes the turn hand out each piece of a call's arguments as it arrives, as a *Progress,
// beside the parts. Nothing else changes: the other parts are the same in the same order, and so is the
// outcome.
func WithProgress() Option { return func(c *config) { c.progress = true } }

// progress makes the pieces that a turn hands out. It is drained after each event, so that it holds one
// at most.
type progress struct {
	piece Progress
	ready bool
	shown []int // by slot: how many bytes of the document were handed out
}

// note makes a piece of what an event has added to its call. The event was applied, so that its slot is
// the one that was used last.
func (p *progress) note(a *Accumulator, ev *Event) {
	if ev.Kind != Fragment && ev.Kind != Announce && ev.Kind != Document {
		return
	}
	s := &a.slots[a.last]
	if s.state != open || s.over || s.lone || s.fault != nil {
		return
	}
	for len(p.shown) <= a.last {
		p.shown = append(p.shown, 0)
	}
	from := p.shown[a.last]
	if from == len(s.buf) && ev.Kind != Announce {
		return
	}
	p.shown[a.last] = len(s.buf)
	delta := append(p.piece.Delta[:0], s.buf[from:]...)
	if p.piece.place != a.last || p.piece.name == "" {
		p.piece = Progress{key: s.key, id: s.id, name: s.name, form: s.form, runner: s.runner, place: a.last}
	}
	p.piece.Delta, p.ready = delta, true
}

// take returns the piece that is ready, or nil.
func (p *progress) take() *Progress {
	if !p.ready {
		return nil
	}
	p.ready = false
	return &p.piece
}
