package wholecall

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/wholecall/wholecall/frame"
)

// errIdle is why a reader was closed that gave no byte for too long.
var errIdle = errors.New("no byte came for too long")

// emptyReads is how many reads in a row may give neither a byte nor an error.
const emptyReads = 100

// source reads frames from a reader.
type source struct {
	r      io.Reader
	framer frame.Framer
	f      frame.Frame
	again  bool  // f is to be returned once more
	rerr   error // what the reader ended with; the framer may still hold frames
	err    error // the end of the stream, sticky
	none   bool  // no frame with data was seen yet
	stray  []byte

	ctx    context.Context
	unhook func() bool
	idle   *time.Timer
	wait   time.Duration
	late   atomic.Bool // the idle timer went off
}

func newSource(r io.Reader, p Protocol, c *config) *source {
	s := &source{r: r, ctx: c.ctx, none: true}
	if c.framer != nil {
		s.framer = c.framer(c.lim.FrameBytes)
	} else {
		s.framer = p.NewFramer(c.lim.FrameBytes)
	}
	closer, ok := r.(io.Closer)
	if !ok {
		return s
	}
	if c.ctx.Done() != nil {
		s.unhook = context.AfterFunc(c.ctx, func() { closer.Close() })
	}
	s.wait = c.lim.Idle
	return s
}

// watch begins, or begins anew, to wait for a byte.
func (s *source) watch() {
	switch {
	case s.wait <= 0:
	case s.idle != nil:
		s.idle.Reset(s.wait)
	default:
		closer := s.r.(io.Closer)
		s.idle = time.AfterFunc(s.wait, func() {
			s.late.Store(true)
			closer.Close()
		})
	}
}

// rest ends the wait for a byte: what the caller does with a part takes as long as it takes.
func (s *source) rest() {
	if s.idle != nil {
		s.idle.Stop()
	}
}

// stop ends what runs beside the reader.
func (s *source) stop() {
	if s.unhook != nil {
		s.unhook()
	}
	s.rest()
}

// release gives the framing's buffer back, once no turn reads the stream any more.
func (s *source) release() {
	s.f, s.again = frame.Frame{}, false
	if s.err == nil {
		s.err = io.EOF
	}
	if r, ok := s.framer.(frame.Releaser); ok {
		r.Release()
	}
}

// unread makes the next call of frame return the last frame once more.
func (s *source) unread() { s.again = true }

// more reports whether there is a frame left.
func (s *source) more() bool {
	if s.again {
		return true
	}
	if _, err := s.frame(); err != nil {
		return false
	}
	s.again = true
	return true
}

// skip passes over what follows a turn that failed, up to a frame that begins another.
func (s *source) skip(d Decoder) {
	for !s.again && s.err == nil {
		if f, err := s.frame(); err == nil && d.Begins(f) {
			s.again = true
		}
	}
}

// frame returns the next frame, which is borrowed until the next call. The error is io.EOF at a clean
// end, an error of the framing, or the reader's.
func (s *source) frame() (*frame.Frame, error) {
	if s.again {
		s.again = false
		return &s.f, nil
	}
	for s.err == nil {
		ok, err := s.framer.Next(&s.f)
		switch {
		case ok:
			s.note()
			return &s.f, nil
		case err != nil:
			s.err = err
		case s.rerr == nil:
			s.fill()
		case s.close():
			s.note()
			return &s.f, nil
		}
	}
	return nil, s.err
}

// note remembers whether the stream has frames with data at all.
func (s *source) note() {
	switch {
	case s.f.Data != nil:
		s.none = false
	case s.none && s.stray == nil:
		s.stray = bytes.Clone(s.f.Stray)
	}
}

// fill reads until there is a byte or an end.
func (s *source) fill() {
	s.watch()
	defer s.rest()
	for range emptyReads {
		if s.ctx.Err() != nil {
			s.rerr = s.ctx.Err()
			return
		}
		n, err := s.r.Read(s.framer.Buffer())
		s.framer.Fed(n)
		s.rerr = err
		if n > 0 || err != nil {
			return
		}
	}
	s.rerr = io.ErrNoProgress
}

// close ends the stream, all that was read being drained. It reports whether the end made one last
// frame.
func (s *source) close() bool {
	switch {
	case s.rerr == io.EOF:
	case s.late.Load():
		s.err = errIdle
		return false
	case s.ctx.Err() != nil:
		s.err = s.ctx.Err()
		return false
	default:
		s.err = s.rerr
		return false
	}
	s.f = frame.Frame{}
	if err := s.framer.Close(&s.f); err != nil {
		if s.none && s.stray == nil {
			s.stray = bytes.Clone(s.f.Stray)
		}
		s.err = err
		return false
	}
	s.err = io.EOF
	return s.f.Data != nil
}

// notAStream says that the body is no stream of frames, and what it looks like instead.
func (s *source) notAStream(cause error) *ProtocolError {
	looks := "no frame in it"
	switch b := bytes.TrimLeft(s.stray, " \t"); {
	case bytes.HasPrefix(b, []byte("<")):
		looks = "it looks like HTML"
	case bytes.HasPrefix(b, []byte("{")), bytes.HasPrefix(b, []byte("[")):
		looks = "it looks like a JSON body"
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		looks = "it looks like gzip"
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		looks = "it looks like zstd"
	}
	return &ProtocolError{Kind: NotAStream, Detail: "the body holds no frame: " + looks, Cause: cause}
}
