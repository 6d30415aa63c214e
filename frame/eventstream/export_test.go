package eventstream

// NewSmall returns a Framer whose buffer starts with size bytes and leaves room bytes free at least, so
// that short inputs move and grow it, and which overwrites what it lent at the next call.
func NewSmall(limit, size, room int) *Framer {
	f := New(limit)
	f.buf, f.room, f.poison = make([]byte, size), room, true
	return f
}

// Held returns how many bytes f holds on to.
func Held(f *Framer) int { return cap(f.buf) + cap(f.payload) }
