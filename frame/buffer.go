package frame

import "sync"

// Releaser is a Framer that can give its buffer back. Release ends the stream: nothing that the framer
// lent is valid behind it, and the framer finds no more frames. Whoever does not call it loses nothing
// but the buffer, to the garbage collector.
type Releaser interface{ Release() }

// The sizes of buffers that are kept for the next stream, in bytes. A stream that trickles has the
// smallest; a longer event than the largest is rare, and its buffer is not kept.
const (
	small  = 4 << 10
	middle = 16 << 10
	large  = 64 << 10
)

// The pools hold buffers that no stream uses. An array's pointer fits into an interface without an
// allocation, which a slice does not.
var smalls, middles, larges sync.Pool

// GrowBuffer returns a buffer that begins with buf[:filled] and has at least room bytes behind that. It
// is for framings: buf is given back and must not be used any more, nor what was lent of it.
func GrowBuffer(buf []byte, filled, room int) []byte {
	size := max(len(buf), small)
	for size-filled < room {
		if size < large {
			size *= 2
		} else {
			// A long event holds memory twice while its buffer grows: by less each time, then.
			size += size / 2
		}
	}
	grown := buffer(size)
	copy(grown, buf[:filled])
	ReleaseBuffer(buf)
	return grown
}

func buffer(size int) []byte {
	switch {
	case size <= small:
		if b, ok := smalls.Get().(*[small]byte); ok {
			return b[:]
		}
		return make([]byte, small)
	case size <= middle:
		if b, ok := middles.Get().(*[middle]byte); ok {
			return b[:]
		}
		return make([]byte, middle)
	case size <= large:
		if b, ok := larges.Get().(*[large]byte); ok {
			return b[:]
		}
		return make([]byte, large)
	}
	return make([]byte, size)
}

// ReleaseBuffer gives a buffer of GrowBuffer back. The bytes in it are for nobody to read any more.
func ReleaseBuffer(buf []byte) {
	switch cap(buf) {
	case small:
		smalls.Put((*[small]byte)(buf[:small]))
	case middle:
		middles.Put((*[middle]byte)(buf[:middle]))
	case large:
		larges.Put((*[large]byte)(buf[:large]))
	}
}
