package strictjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// status is what a scan function found out. Values from failed up are failures;
// below it are the has… bits.
type status uint8

const (
	hasEscape    status = 1 << iota // the string has a backslash
	hasSurrogate                    // the string has a \u escape of a surrogate half

	failed     status = 0x80
	failSyntax        = failed | iota
	failUTF8
	failIncomplete
	failDepth
	failSurrogate
	failDuplicate
	failTrailing
	failEmpty
)

// kinds names the failures.
var kinds = [...]Kind{
	failSyntax - failed:     Syntax,
	failUTF8 - failed:       UTF8,
	failIncomplete - failed: Incomplete,
	failDepth - failed:      Depth,
	failSurrogate - failed:  Surrogate,
	failDuplicate - failed:  Duplicate,
	failTrailing - failed:   Trailing,
	failEmpty - failed:      Empty,
}

// kind names a failure.
func (s status) kind() Kind { return kinds[s-failed] }

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks, in the top bit of each byte of x, the bytes at which a string
// scan has to stop: control characters, quote, backslash, and non-ASCII. Only
// the lowest mark is exact, because a borrow may run into the bytes above it.
//
// The quote (0x22) and the control characters (below 0x20) take one subtraction:
// flipping bit 1 exchanges 0x20 and 0x22, so that both lie below 0x21.
func stops(x uint64) uint64 {
	return (((x ^ ones*0x02) - ones*0x21) | ((x ^ ones*'\\') - ones) | x) & highs
}

// scanString checks the contents of a string that begins at b[i], behind the
// opening quote. It returns the place of the closing quote and the has… bits, or
// the place of the mistake and a failure. Surrogate halves are noted, not paired.
func scanString(b []byte, i int) (int, status) {
	i = scanPlain(b, i)
	if i < len(b) && b[i] == '"' {
		return i, 0
	}
	return scanRest(b, i)
}

// scanPlain returns the place of the first byte from b[i] on that stops says has to
// be looked at, or some place at most seven bytes before the end of b.
func scanPlain(b []byte, i int) int {
	for i <= len(b)-8 {
		if m := stops(binary.LittleEndian.Uint64(b[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	return i
}

// scanRest is scanString from a place on that scanPlain has returned.
func scanRest(b []byte, i int) (int, status) {
	var st status
	for i < len(b) {
		switch ch := b[i]; {
		case ch == '"':
			return i, st
		case ch == '\\':
			n, es := scanEscape(b, i)
			if es >= failed {
				return n, es
			}
			i, st = n, st|es
		case ch >= utf8.RuneSelf:
			n, us := scanRunes(b, i)
			if us >= failed {
				return n, us
			}
			i = n
		case ch < ' ':
			return i, failSyntax
		default: // in the last seven bytes
			i++
			continue
		}
		i = scanPlain(b, i)
	}
	return len(b), failIncomplete
}

// scanEscape checks the escape at b[i] (RFC 8259 section 7) and returns the place
// behind it.
func scanEscape(b []byte, i int) (int, status) {
	if i+1 >= len(b) {
		return len(b), failIncomplete
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, hasEscape
	case 'u':
		return scanHex(b, i)
	}
	return i, failSyntax
}

// scanHex checks the \uXXXX escape at b[i].
func scanHex(b []byte, i int) (int, status) {
	for k := i + 2; k < i+6; k++ {
		if k >= len(b) {
			return len(b), failIncomplete
		}
		if hexValue[b[k]] < 0 {
			return i, failSyntax
		}
	}
	if b[i+2]|0x20 == 'd' && b[i+3] >= '8' { // D800..DFFF; letters lie above '8' too
		return i + 6, hasEscape | hasSurrogate
	}
	return i + 6, hasEscape
}

// scanPairs looks for a surrogate half without its partner in the checked string
// contents b[i:end], and returns its place or end.
func scanPairs(b []byte, i, end int) int {
	high := -1 // the place of a high half that ends at i
	for i < end {
		n := bytes.IndexByte(b[i:end], '\\')
		if high >= 0 && n != 0 {
			return high
		}
		if n < 0 {
			return end
		}
		i += n
		r, size := unescape(b[i:end])
		switch low := r&^0x3FF == 0xDC00; {
		case high >= 0 && !low:
			return high
		case high < 0 && low:
			return i
		}
		high = -1
		if r&^0x3FF == 0xD800 {
			high = i
		}
		i += size
	}
	if high >= 0 {
		return high
	}
	return end
}

// scanRunes checks the non-ASCII characters from b[i] on and returns the place of
// the first ASCII byte behind them. Overlong forms, surrogates and values above
// U+10FFFF are refused. A sequence that the end of b cuts off is incomplete.
func scanRunes(b []byte, i int) (int, status) {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		// Three bytes with no restriction on the second are most of what is not
		// ASCII: punctuation and the East Asian scripts.
		if ch := b[i]; 0xE1 <= ch && ch < 0xF0 && ch != 0xED && i < len(b)-2 &&
			b[i+1]&0xC0 == 0x80 && b[i+2]&0xC0 == 0x80 {
			i += 3
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRune(b[i:]) {
				return len(b), failIncomplete
			}
			return i, failUTF8
		}
		i += n
	}
	return i, 0
}

// scanNumber checks the number at b[i] (RFC 8259 section 6), which begins with a
// minus or a digit, and returns the place behind it.
func scanNumber(b []byte, i int) (int, status) {
	if b[i] == '-' {
		i++
	}
	n, st := scanDigits(b, i)
	if st >= failed {
		return n, st
	}
	if b[i] == '0' && n > i+1 { // no leading zeros
		return i + 1, failSyntax
	}
	i = n
	if i < len(b) && b[i] == '.' {
		if i, st = scanDigits(b, i+1); st >= failed {
			return i, st
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i, 0
}

// scanDigits passes one digit or more.
func scanDigits(b []byte, i int) (int, status) {
	if i >= len(b) {
		return len(b), failIncomplete
	}
	if b[i]-'0' > 9 {
		return i, failSyntax
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i, 0
}

// scanWord passes the literal name word at b[i].
func scanWord(b []byte, i int, word string) (int, status) {
	if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
		return i + len(word), 0
	}
	for k := 0; i < len(b); k++ {
		if b[i] != word[k] {
			return i, failSyntax
		}
		i++
	}
	return len(b), failIncomplete
}

// scanScalar passes the string, number or literal name at b[i].
func scanScalar(b []byte, i int) (int, status) {
	if i >= len(b) {
		return len(b), failIncomplete
	}
	switch ch := b[i]; {
	case ch == '"':
		n, st := scanString(b, i+1)
		if st < failed {
			n++
		}
		return n, st
	case ch == '-' || ch-'0' <= 9:
		return scanNumber(b, i)
	case ch == 't':
		return scanWord(b, i, "true")
	case ch == 'f':
		return scanWord(b, i, "false")
	case ch == 'n':
		return scanWord(b, i, "null")
	}
	return i, failSyntax
}

// scanSpace returns the place of the first byte from b[i] on that is not white
// space.
func scanSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// isSpace tells the four white space characters of RFC 8259 section 2.
func isSpace(ch byte) bool {
	return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t'
}

// hexValue is the value of a hexadecimal digit, or -1.
var hexValue = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range 10 {
		t['0'+i] = int8(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = int8(10+i), int8(10+i)
	}
	return t
}()
