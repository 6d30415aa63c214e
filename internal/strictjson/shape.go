package strictjson

import "bytes"

// HoleKind says what stands in a hole.
type HoleKind uint8

// The kinds of hole.
const (
	// TextHole is the inside of a string whose text is wanted.
	TextHole HoleKind = iota + 1
	// AnyHole is the inside of a string that says nothing, such as padding.
	AnyHole
	// IntHole is a whole number, not negative, of at most 18 digits.
	IntHole
)

// Hole is a piece of a text that differs from one text of a shape to the next: data[From:To].
type Hole struct {
	From, To int
	Kind     HoleKind
}

// StringHole returns the hole that the string which the cursor has just read makes: raw is what String
// returned.
func (c *Cursor) StringHole(raw []byte, kind HoleKind) Hole {
	end := c.pos - 1
	return Hole{end - len(raw), end, kind}
}

// IntegerHole returns the hole that the number which the cursor has just read makes.
func (c *Cursor) IntegerHole() Hole {
	from := c.pos
	for from > 0 && '0' <= c.buf[from-1] && c.buf[from-1] <= '9' {
		from--
	}
	return Hole{from, c.pos, IntHole}
}

// Filling is what stood in the holes of a text that matched.
type Filling struct {
	// Text is what stood in the TextHole, checked as Cursor.String does it, and Escaped whether there
	// is a backslash in it. It is part of the text that matched.
	Text    []byte
	Escaped bool
	// Int is what stood in the IntHole.
	Int int64
}

// Shapes remembers the last few texts that were parsed, with what parsing them gave: a W. A text that
// differs from one of them in its holes alone parses to the same W but for the holes, so that it need
// not be parsed: comparing the pieces between the holes and scanning the holes is enough. The events of
// a stream are nearly all of that kind.
//
// Nothing is taken on trust: what is not compared byte by byte is scanned as strictly as the Cursor
// does it.
type Shapes[W any] struct {
	all  []shape[W]
	last int // the shape that matched last
	next int // the shape that is replaced next
	idle int // how many shapes in a row were learned and never matched
	skip int // how many texts not to learn from
}

type shape[W any] struct {
	data  []byte // the text that was learned, owned
	holes []Hole
	tail  bool // behind the last hole stand only brackets: space between them differs at will
	w     W
	used  bool
}

const (
	maxShapes = 8
	maxShape  = 4 << 10 // bytes; what is longer is not worth remembering
	// Learning costs as much as parsing. A stream whose texts differ outside their holes is not learned
	// from again and again.
	maxIdle  = 2 * maxShapes
	idleSkip = 256
)

// Match looks for a shape of the text. It returns what the text parses to, but for what stood in the
// holes. The W is the shape's own: it may be changed in its holes only.
func (s *Shapes[W]) Match(data []byte, f *Filling) *W {
	if s.last >= len(s.all) {
		return nil
	}
	if sh := &s.all[s.last]; sh.match(data, f) {
		sh.used = true
		return &sh.w
	}
	for i := range s.all {
		if i != s.last && s.all[i].match(data, f) {
			s.last, s.all[i].used = i, true
			return &s.all[i].w
		}
	}
	return nil
}

func (sh *shape[W]) match(data []byte, f *Filling) bool {
	at, from := 0, 0
	for _, h := range sh.holes {
		seg := sh.data[from:h.From]
		if len(data)-at < len(seg) || string(data[at:at+len(seg)]) != string(seg) {
			return false
		}
		at += len(seg)
		from = h.To
		if h.Kind == IntHole {
			n, end := scanCount(data, at)
			if end == at {
				return false
			}
			f.Int, at = n, end
			continue
		}
		end, st := scanString(data, at)
		if st >= failed {
			return false
		}
		if h.Kind == TextHole {
			f.Text, f.Escaped = data[at:end:end], st != 0
		}
		at = end
	}
	rest := sh.data[from:]
	if string(data[at:]) == string(rest) {
		return true
	}
	return sh.tail && sameBrackets(data[at:], rest)
}

// scanCount reads a whole number without a leading zero. It returns its end, which is at where there is
// none, or one with more than 18 digits.
func scanCount(b []byte, at int) (n int64, end int) {
	for end = at; end < len(b) && b[end]-'0' <= 9; end++ {
		if end-at == 18 {
			return 0, at
		}
		n = n*10 + int64(b[end]-'0')
	}
	if end-at > 1 && b[at] == '0' {
		return 0, at
	}
	return n, end
}

// sameBrackets compares two tails, of which b holds nothing but a quote, brackets and space, without
// regard to space.
func sameBrackets(a, b []byte) bool {
	i, j := 0, 0
	for {
		for i < len(a) && isSpace(a[i]) {
			i++
		}
		for j < len(b) && isSpace(b[j]) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i++
		j++
	}
}

// Learn remembers a text that was parsed, with its holes, in the order in which they stand in it and at
// most one of each kind but AnyHole. parse must parse the text that it is given as the caller parsed
// data: the result borrows from the copy that the shape keeps.
func (s *Shapes[W]) Learn(data []byte, holes []Hole, parse func(w *W, data []byte)) {
	if s.skip > 0 || len(data) > maxShape {
		s.skip = max(0, s.skip-1)
		return
	}
	if len(s.all) < maxShapes {
		s.all = append(s.all, shape[W]{})
		s.next = len(s.all) - 1
	}
	sh := &s.all[s.next]
	if s.idle++; sh.used {
		s.idle = 0
	}
	if s.idle > maxIdle {
		s.idle, s.skip = 0, idleSkip
	}
	sh.data = append(sh.data[:0], data...)
	sh.holes = append(sh.holes[:0], holes...)
	sh.used = false
	tail := data
	if n := len(holes); n > 0 {
		tail = data[holes[n-1].To:]
	}
	sh.tail = len(bytes.Trim(tail, "\"}] \t\r\n")) == 0
	parse(&sh.w, sh.data)
	s.last = s.next
	s.next = (s.next + 1) % maxShapes
}

// Forget drops every shape, where what they parsed to hung on a state that has changed.
func (s *Shapes[W]) Forget() { s.all, s.last, s.next = s.all[:0], 0, 0 }
