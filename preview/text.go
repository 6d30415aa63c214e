package preview

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wholecall/wholecall"
)

// class is what a byte inside a text is.
type class uint8

const (
	plain    class = iota // stands for itself
	quote                 // ends the text
	escape                // a backslash
	control               // must not stand there
	sequence              // of a UTF-8 sequence
)

// quoted has the classes inside a string, free those inside free text.
var quoted, free = func() (q, f [256]class) {
	for ch := range q {
		switch {
		case ch >= utf8.RuneSelf:
			q[ch], f[ch] = sequence, sequence
		case ch == '"':
			q[ch] = quote
		case ch == '\\':
			q[ch] = escape
		case ch < ' ':
			q[ch] = control
		}
	}
	return q, f
}()

// simple holds, at the letter of each escape of one letter, the character that it stands for.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// run reads characters that stand for themselves, up to one that does not.
func (r *reader) run(t *tree, p []byte, i int, classes *[256]class) int {
	from := i
	for i < len(p) {
		switch c := classes[p[i]]; {
		case c == plain:
			i++
			continue
		case c != sequence:
			r.write(t, p[from:i])
			return i
		}
		if !utf8.FullRune(p[i:]) {
			r.write(t, p[from:i])
			r.nheld = copy(r.held[:], p[i:])
			return len(p)
		}
		ch, n := utf8.DecodeRune(p[i:])
		if ch == utf8.RuneError && n == 1 {
			r.write(t, p[from:i])
			return r.fail(wholecall.InvalidUTF8, i)
		}
		i += n
	}
	r.write(t, p[from:])
	return i
}

// sequence reads what is left of a UTF-8 sequence that the piece before has begun.
func (r *reader) sequence(t *tree, p []byte) int {
	for i := range p {
		r.held[r.nheld] = p[i]
		r.nheld++
		if b := r.held[:r.nheld]; utf8.FullRune(b) {
			ch, n := utf8.DecodeRune(b)
			if ch == utf8.RuneError && n == 1 {
				return r.fail(wholecall.InvalidUTF8, i+1-r.nheld)
			}
			r.write(t, b)
			r.nheld = 0
			return i + 1
		}
	}
	return len(p)
}

// text reads the inside of a string or of a name.
func (r *reader) text(t *tree, p []byte, i int) int {
	for {
		if i = r.run(t, p, i, &quoted); i >= len(p) {
			return i
		}
		switch p[i] {
		case '"':
			if r.name {
				return r.named(t, i)
			}
			r.done(t)
			return i + 1
		case '\\':
			if i+1 == len(p) || simple[p[i+1]] == 0 {
				r.state = inEscape
				return i + 1
			}
			r.write(t, simple[p[i+1]:][:1])
			i += 2
		default:
			return r.fail(wholecall.InvalidJSON, i)
		}
	}
}

// escape reads one byte of an escape, or of what must follow half a surrogate pair.
func (r *reader) escape(t *tree, p []byte, i int) int {
	ch := p[i]
	switch r.state {
	case inEscape:
		switch {
		case ch == 'u':
			r.hex, r.digits, r.state = 0, 0, inHex
		case simple[ch] != 0:
			r.write(t, []byte{simple[ch]})
			r.state = inText
		default:
			return r.fail(wholecall.InvalidJSON, i)
		}
	case atLow:
		if ch != '\\' {
			return r.fail(wholecall.LoneSurrogate, i)
		}
		r.state = inLow
	case inLow:
		if ch != 'u' {
			return r.fail(wholecall.LoneSurrogate, i)
		}
		r.hex, r.digits, r.state = 0, 0, inHex
	case inHex:
		v, ok := digit(ch)
		if !ok {
			return r.fail(wholecall.InvalidJSON, i)
		}
		r.hex = r.hex<<4 | v
		if r.digits++; r.digits == 4 {
			return r.unicode(t, i)
		}
	}
	return i + 1
}

func digit(ch byte) (rune, bool) {
	switch {
	case ch-'0' <= 9:
		return rune(ch - '0'), true
	case ch|0x20 >= 'a' && ch|0x20 <= 'f':
		return rune(ch|0x20-'a') + 10, true
	}
	return 0, false
}

// unicode ends a \u escape: a character, or half of one.
func (r *reader) unicode(t *tree, i int) int {
	ch := r.hex
	switch high, low := ch&^0x3FF == 0xD800, ch&^0x3FF == 0xDC00; {
	case low != (r.high != 0):
		return r.fail(wholecall.LoneSurrogate, i)
	case high:
		r.high, r.state = ch, atLow
		return i + 1
	case low:
		ch = utf16.DecodeRune(r.high, ch)
		r.high = 0
	}
	var b [utf8.UTFMax]byte
	r.write(t, b[:utf8.EncodeRune(b[:], ch)])
	r.state = inText
	return i + 1
}
