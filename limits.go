package wholecall

import (
	"time"

	"github.com/wholecall/wholecall/frame"
)

// Limits bounds what one stream may cost. The zero value of each field means its default. Past a bound
// is an error, not an allocation.
type Limits struct {
	// FrameBytes bounds one frame, in bytes. Default 16 MiB.
	FrameBytes int
	// DocumentBytes bounds the arguments of one call, in bytes. Past it the call fails, and its
	// siblings go on. Default 64 MiB.
	DocumentBytes int
	// Calls bounds the calls of one turn. Past it the turn fails. Default 1,024.
	Calls int
	// Parts bounds the parts of one turn that are not calls. Past it the turn fails. Default 65,536.
	Parts int
	// Depth bounds the nesting of the arguments: {} is 1. Past it the call fails. Default 512.
	Depth int
	// Idle bounds the time without a byte, for readers that are io.Closers: past it the reader is
	// closed and the turn ends as timed out. Default 5 minutes; negative means no bound.
	Idle time.Duration
}

// The defaults of Limits.
const (
	DefaultFrameBytes    = frame.DefaultLimit
	DefaultDocumentBytes = 64 << 20
	DefaultCalls         = 1024
	DefaultParts         = 1 << 16
	DefaultDepth         = 512
	DefaultIdle          = 5 * time.Minute
)

// filled returns the limits with each zero replaced by its default.
func (l Limits) filled() Limits {
	if l.FrameBytes <= 0 {
		l.FrameBytes = DefaultFrameBytes
	}
	if l.DocumentBytes <= 0 {
		l.DocumentBytes = DefaultDocumentBytes
	}
	if l.Calls <= 0 {
		l.Calls = DefaultCalls
	}
	if l.Parts <= 0 {
		l.Parts = DefaultParts
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if l.Idle == 0 {
		l.Idle = DefaultIdle
	}
	return l
}
