package strictjson

// maxSkip is how deep a value that is skipped may be nested.
const maxSkip = 512

// Cursor pulls the values out of one JSON text that is wholly in memory. The
// caller says what it expects next; anything else is a Syntax error at that place.
// The first error sticks: every later call returns false, and Err tells it.
//
// Every value is read exactly once, by one of String, Text, Int, Bool, Null (when
// true), Skip, Raw, or by Object and Member until false, or Array and Element
// until false. What it reads or skips is checked against RFC 8259 including UTF-8;
// it does not check for duplicate member names, which only the caller can see, and
// does not pair surrogates.
//
// Nothing is allocated but the error, and memory for strings with escapes, which
// is kept over Reset. The zero value is an empty text. A Cursor must not be copied
// or shared between goroutines while in use.
type Cursor struct {
	buf   []byte
	pos   int
	comma bool // a value has ended, so that a comma is due before the next one
	err   *Error
	name  []byte // the last name that had escapes
	text  []byte // the last text that had escapes
}

// Reset begins a new text. b is borrowed until the next Reset, and must not change
// in that time.
func (c *Cursor) Reset(b []byte) {
	c.buf, c.pos, c.comma, c.err = b, 0, false, nil
}

// Err returns the first error, an *Error, or nil.
func (c *Cursor) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// Offset returns the byte offset where the cursor stands, or that of the error.
func (c *Cursor) Offset() int {
	if c.err != nil {
		return c.err.Offset
	}
	return c.pos
}

// Peek passes white space and returns the first byte of the next value: one of
// '{', '[', '"', 't', 'f', 'n', '-', or '0' for any digit. It returns 0 at the end
// of the text, which is no error yet, and after an error. Any other byte is a
// Syntax error.
func (c *Cursor) Peek() byte {
	switch b := c.next(); b {
	case '"', '{', '[', 't', 'f', 'n', '-', '0':
		return b
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	if c.pos < len(c.buf) {
		c.mismatch()
	}
	return 0
}

// Object enters the object that is next. Member then tells its members.
func (c *Cursor) Object() bool {
	if c.next() != '{' {
		return c.mismatch()
	}
	c.pos++
	c.comma = false
	return true
}

// Array enters the array that is next. Element then tells its elements.
func (c *Cursor) Array() bool {
	if c.next() != '[' {
		return c.mismatch()
	}
	c.pos++
	c.comma = false
	return true
}

// Member moves to the value of the next member and returns the member's name, or
// false at the end of the object, which is then passed, or on an error. The name
// is unescaped, with U+FFFD for a lone surrogate. It is borrowed: part of the text,
// or if it had escapes valid until the next call of Member.
func (c *Cursor) Member() (name []byte, ok bool) {
	start := c.pos + 2
	if !c.comma || start > len(c.buf) || c.buf[start-2] != ',' || c.buf[start-1] != '"' {
		if start = c.nameStart(); start == 0 {
			return nil, false
		}
	}
	end, st := scanString(c.buf, start)
	if st >= failed {
		return nil, c.fail(st, end)
	}
	c.pos = end + 1
	if c.next() != ':' {
		return nil, c.misplaced()
	}
	c.pos++
	name = c.buf[start:end:end]
	if st != 0 {
		c.name = appendText(c.name[:0], name)
		name = c.name
	}
	return name, true
}

// nameStart returns the place behind the quote that opens the next member's name, 0
// if there is none.
func (c *Cursor) nameStart() int {
	b := c.next()
	if b == '}' {
		c.pos++
		c.comma = true
		return 0
	}
	if c.comma {
		if b != ',' {
			c.misplaced()
			return 0
		}
		c.pos++
		b = c.next()
	}
	if b != '"' {
		c.misplaced()
		return 0
	}
	return c.pos + 1
}

// Element moves to the next element, or returns false at the end of the array,
// which is then passed, or on an error.
func (c *Cursor) Element() bool {
	b := c.next()
	if b == ']' {
		c.pos++
		c.comma = true
		return false
	}
	if c.comma {
		if b != ',' {
			return c.misplaced()
		}
		c.pos++
		if b = c.next(); b == ']' {
			return c.misplaced()
		}
	}
	if c.pos >= len(c.buf) {
		return c.misplaced()
	}
	return true
}

// String reads a string and returns what stands between its quotes: escapes are
// well-formed but left as they are, control characters are refused and UTF-8 is
// valid. escaped says whether there is a backslash. Surrogate halves are not
// paired, see AppendUnescaped. raw is part of the text.
func (c *Cursor) String() (raw []byte, escaped bool, ok bool) {
	if c.next() != '"' {
		return nil, false, c.mismatch()
	}
	start := c.pos + 1
	end, st := scanString(c.buf, start)
	if st >= failed {
		return nil, false, c.fail(st, end)
	}
	c.pos = end + 1
	c.comma = true
	return c.buf[start:end:end], st != 0, true
}

// Text reads a string and returns its text, with U+FFFD for each lone surrogate.
// It is borrowed: part of the text, or if there were escapes valid until the next
// call of Text, Member or Reset.
func (c *Cursor) Text() (s []byte, ok bool) {
	raw, escaped, ok := c.String()
	if !escaped {
		return raw, ok
	}
	c.text = appendText(c.text[:0], raw)
	return c.text, true
}

// Int reads a number without fraction or exponent that fits int64. Any other
// number is a Syntax error at its first byte.
func (c *Cursor) Int() (int64, bool) {
	b := c.next()
	if b != '-' && b-'0' > 9 {
		return 0, c.mismatch()
	}
	end, st := scanNumber(c.buf, c.pos)
	if st >= failed {
		return 0, c.fail(st, end)
	}
	v, ok := parseInt(c.buf[c.pos:end])
	if !ok {
		return 0, c.fail(failSyntax, c.pos)
	}
	c.pos = end
	c.comma = true
	return v, true
}

// parseInt returns the value of a number that scanNumber passed.
func parseInt(s []byte) (int64, bool) {
	const cut = 1 << 63 // the magnitude of the smallest int64
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) > 19 { // more than any int64 has; fewer cannot overflow uint64
		return 0, false
	}
	var v uint64
	for _, ch := range s {
		if ch -= '0'; ch > 9 { // '.' or an exponent
			return 0, false
		}
		v = v*10 + uint64(ch)
	}
	if neg {
		return -int64(v), v <= cut
	}
	return int64(v), v < cut
}

// Bool reads true or false.
func (c *Cursor) Bool() (v bool, ok bool) {
	switch c.next() {
	case 't':
		return true, c.word("true")
	case 'f':
		return false, c.word("false")
	}
	return false, c.mismatch()
}

// Null reads null if it is next and returns true. Otherwise it returns false and
// stays before the value; that is no error.
func (c *Cursor) Null() bool {
	return c.next() == 'n' && c.word("null")
}

// word passes the literal name w, whose first byte is known to stand here.
func (c *Cursor) word(w string) bool {
	end, st := scanWord(c.buf, c.pos, w)
	if st >= failed {
		return c.fail(st, end)
	}
	c.pos = end
	c.comma = true
	return true
}

// Skip passes any value. Its syntax and UTF-8 are checked, and it may be nested at
// most 512 deep (else Depth, at the bracket that is one too deep).
func (c *Cursor) Skip() bool {
	var end int
	var st status
	switch c.next() {
	case '"': // the most frequent kind, one call less
		_, _, ok := c.String()
		return ok
	case '{', '[':
		end, st = skipNested(c.buf, c.pos)
	case 0:
		return c.mismatch()
	default:
		end, st = scanScalar(c.buf, c.pos)
	}
	if st >= failed {
		return c.fail(st, end)
	}
	c.pos = end
	c.comma = true
	return true
}

// Raw passes any value like Skip and returns its bytes, without the white space
// around it. They are part of the text.
func (c *Cursor) Raw() ([]byte, bool) {
	c.next()
	start := c.pos
	if !c.Skip() {
		return nil, false
	}
	return c.buf[start:c.pos:c.pos], true
}

// End returns whether there was no error and only white space is left, else the
// error is Trailing. It is called behind the top value.
func (c *Cursor) End() bool {
	if c.err != nil {
		return false
	}
	c.next()
	if c.pos < len(c.buf) {
		c.stop(Trailing, c.pos)
		return false
	}
	return true
}

// next passes white space and returns the byte behind it, 0 at the end.
func (c *Cursor) next() (b byte) {
	if c.pos < len(c.buf) {
		b = c.buf[c.pos]
	}
	if b > ' ' {
		return
	}
	return c.nextSlow()
}

// nextSlow is next where there is white space or the end. It is kept out of next
// so that next can be inlined.
//
//go:noinline
func (c *Cursor) nextSlow() byte {
	c.pos = scanSpace(c.buf, c.pos)
	if c.pos < len(c.buf) {
		return c.buf[c.pos]
	}
	return 0
}

// mismatch fails because what stands here cannot be what was asked for.
func (c *Cursor) mismatch() bool {
	if c.pos < len(c.buf) && beginsValue(c.buf[c.pos]) {
		c.stop(Type, c.pos)
		return false
	}
	return c.misplaced()
}

// misplaced reports a byte that can't stand here, or that there is none.
func (c *Cursor) misplaced() bool {
	switch {
	case c.pos < len(c.buf):
		c.stop(Syntax, c.pos)
	case scanSpace(c.buf, 0) == len(c.buf):
		c.stop(Empty, c.pos)
	default:
		c.stop(Incomplete, c.pos)
	}
	return false
}

// beginsValue reports whether a value can begin with the byte.
func beginsValue(b byte) bool {
	switch b {
	case '"', '{', '[', 't', 'f', 'n', '-':
		return true
	}
	return '0' <= b && b <= '9'
}

// fail reports a failed scan.
func (c *Cursor) fail(st status, at int) bool {
	c.stop(st.kind(), at)
	return false
}

// stop records the first error and moves to the end of the text, so that every
// later call fails without having to look for an error first.
func (c *Cursor) stop(k Kind, at int) {
	if c.err == nil {
		c.err = &Error{Kind: k, Offset: at}
	}
	c.pos = len(c.buf)
}

// skipNested passes the array or object at b[i]. Instead of recursing it keeps one
// bit for each open bracket.
func skipNested(b []byte, i int) (int, status) {
	var objects [maxSkip / 64]uint64 // bit d: the bracket at depth d+1 is '{'
	depth := 0
	object := false // the innermost open bracket is '{'
	var st status
	for {
		ch := byte(0)
		if i = scanSpace(b, i); i < len(b) {
			ch = b[i]
		}
		if ch == '{' || ch == '[' {
			if depth == maxSkip {
				return i, failDepth
			}
			object = ch == '{'
			setBit(objects[:], depth, object)
			depth++
			i = scanSpace(b, i+1)
			if i >= len(b) || b[i] != closing(object) {
				if object {
					if i, st = scanName(b, i); st >= failed {
						return i, st
					}
				}
				continue
			}
		} else if i, st = scanScalar(b, i); st >= failed {
			return i, st
		}
		// A value has ended, or stands at its closing bracket. Close what ends here.
		for {
			if i = scanSpace(b, i); i >= len(b) {
				return len(b), failIncomplete
			}
			if b[i] == ',' {
				i++
				break
			}
			if b[i] != closing(object) {
				return i, failSyntax
			}
			i++
			if depth--; depth == 0 {
				return i, 0
			}
			object = getBit(objects[:], depth-1)
		}
		if object {
			if i, st = scanName(b, scanSpace(b, i)); st >= failed {
				return i, st
			}
		}
	}
}

func setBit(set []uint64, n int, on bool) {
	if on {
		set[n/64] |= 1 << (n % 64)
	} else {
		set[n/64] &^= 1 << (n % 64)
	}
}

func getBit(set []uint64, n int) bool {
	return set[n/64]>>(n%64)&1 != 0
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// scanName passes the member name at b[i] and the colon behind it.
func scanName(b []byte, i int) (int, status) {
	if i >= len(b) {
		return len(b), failIncomplete
	}
	if b[i] != '"' {
		return i, failSyntax
	}
	i, st := scanString(b, i+1)
	if st >= failed {
		return i, st
	}
	return scanColon(b, i+1)
}

// scanColon passes a colon and the white space before it.
func scanColon(b []byte, i int) (int, status) {
	if i = scanSpace(b, i); i >= len(b) {
		return len(b), failIncomplete
	}
	if b[i] != ':' {
		return i, failSyntax
	}
	return i + 1, 0
}
