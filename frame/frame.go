// Package frame holds what every transport framing shares: the Frame, the contract of the machines that
// cut a byte stream into frames, and the ways in which framing fails.
//
// A framing is a machine that is fed and drained. It has no reader, no clock and no goroutine, so the
// same code serves a reader that pulls, a proxy that is pushed to, and a test that feeds one byte at a
// time. The packages below this one each implement one framing:
//
//   - sse: server-sent events, to the letter of the WHATWG HTML standard
//   - ndjson: one JSON value a line
//   - jsonarray: the elements of one JSON array
//   - eventstream: the binary messages of AWS
package frame

import (
	"fmt"
)

// DefaultLimit is the bound on one frame, in bytes, where the caller sets none: 16 MiB.
const DefaultLimit = 16 << 20

// Frame is one unit of the transport: an SSE event, an NDJSON line, an AWS event-stream message.
//
// Event, Data, ID and Stray are borrowed: they are valid until the next call of any method of the
// Framer that made the frame, and they may be overwritten after that.
type Frame struct {
	// Number counts the frames of the stream from 1.
	Number int
	// Offset is the place of the frame's first byte in the stream, counted from 0. For an SSE event it
	// is the first byte of its first line that is not a comment.
	Offset int64
	// Line is the number of the line that Offset is in, counted from 1; 0 where the framing has no lines.
	Line int
	// Event is the SSE event name, empty where none was sent. The standard's default name, "message",
	// is not filled in: absent is not the same as sent.
	Event []byte
	// Data is the payload. For SSE it is the data lines joined by LF.
	Data []byte
	// ID is the SSE last event id as it stands after this frame; it stays from frame to frame.
	ID []byte
	// Stray holds lines of this SSE event that are no field of the standard, joined by LF and without
	// their line ends. The standard ignores them; some servers write errors there, so a decoder may
	// look. A block of stray lines without data is a frame with nil Data and non-nil Stray.
	Stray []byte
}

// Framer cuts a byte stream into frames. Its use is a loop: while Next has no frame, fill part of
// Buffer and say how much with Fed; at the end of the stream, drain Next, then call Close.
//
// A Framer serves one stream. It is not safe for concurrent use.
type Framer interface {
	// Buffer returns free space to read into. It is never empty. It invalidates the last frame.
	Buffer() []byte
	// Fed says that the first n bytes of the last Buffer were filled.
	Fed(n int)
	// Next stores the next whole frame in f and reports whether there was one. After an error, which
	// is always an *Error, every later call returns the same error.
	Next(f *Frame) (bool, error)
	// Close says that the stream has ended. Where the end cut a frame off, the error is an *Error of
	// kind Truncated, and f holds what there was of the frame, so that a caller who knows better can
	// look at it. A clean end returns nil. Where the framing lets the end of the stream itself end a
	// frame, the error is nil and f is that one last frame, with Data that is not nil. Next must have
	// been drained before.
	Close(f *Frame) error
}

// Kind says in which way framing failed. It is itself an error, so that
// errors.Is(err, frame.Truncated) works.
type Kind string

// The ways in which framing fails.
const (
	// Truncated: the stream ended inside a frame.
	Truncated Kind = "truncated"
	// TooLong: a frame is longer than the bound.
	TooLong Kind = "frame-too-long"
	// Malformed: the bytes are not the framing that they were read as.
	Malformed Kind = "malformed-frame"
)

func (k Kind) Error() string { return string(k) }

// Error is a failure of framing.
type Error struct {
	Kind   Kind
	Number int   // the frame that could not be cut, counted from 1
	Offset int64 // where it begins in the stream, in bytes from 0
	Line   int   // the line that Offset is in, counted from 1; 0 where the framing has no lines
	Limit  int   // the bound that was passed, in bytes; 0 for other kinds
	Cause  error // what lies beneath, or nil
}

func (e *Error) Error() string {
	switch e.Kind {
	case TooLong:
		return fmt.Sprintf("frame %d at byte %d is longer than the bound of %d bytes", e.Number, e.Offset, e.Limit)
	case Truncated:
		return fmt.Sprintf("the stream ended inside frame %d, which begins at byte %d", e.Number, e.Offset)
	}
	if e.Cause != nil {
		return fmt.Sprintf("frame %d at byte %d is malformed: %v", e.Number, e.Offset, e.Cause)
	}
	return fmt.Sprintf("frame %d at byte %d is malformed", e.Number, e.Offset)
}

// Unwrap returns the kind and, where there is one, the cause.
func (e *Error) Unwrap() []error {
	if e.Cause != nil {
		return []error{e.Kind, e.Cause}
	}
	return []error{e.Kind}
}
