package strictjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// AppendUnescaped appends the text of raw to dst. raw is the contents of a JSON
// string, or a piece of them that does not cut an escape or a character, as
// checked by Cursor.String.
//
// carry is the state between two pieces of one text: 0, or the high surrogate
// (0xD800..0xDBFF) that the pieces so far ended in; next is the one to go on with.
// A piece that begins with the matching low half completes the pair. A half that
// turns out lone, which RFC 8259 section 8.2 permits and RFC 7493 section 2.1 does
// not, becomes U+FFFD and is reported. A high half at the very end stays in next:
// see AppendCarry. An empty piece leaves the carry as it is.
//
// A malformed escape, which checked contents cannot have, comes out as U+FFFD.
func AppendUnescaped(dst, raw []byte, carry uint16) (out []byte, next uint16, lone bool) {
	for len(raw) > 0 {
		if carry == 0 {
			if dst, raw = appendShort(dst, raw); len(raw) == 0 {
				break
			}
		}
		n := bytes.IndexByte(raw, '\\')
		if n != 0 {
			if n < 0 {
				n = len(raw)
			}
			var l bool
			dst, carry, l = AppendPlain(dst, raw[:n], carry)
			lone = lone || l
			raw = raw[n:]
			continue
		}
		r, size := unescape(raw)
		raw = raw[size:]
		switch low := r&^0x3FF == 0xDC00; {
		case low && carry != 0:
			r = 0x10000 + (rune(carry)-0xD800)<<10 + (r - 0xDC00)
			carry = 0
		case low:
			r, lone = utf8.RuneError, true
		case carry != 0:
			dst, carry, lone = append(dst, replacement...), 0, true
		}
		if r&^0x3FF == 0xD800 {
			carry = uint16(r)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, carry, lone
}

// shortRun is how many bytes without a backslash a loop over bytes takes faster than a search. The pieces
// of a stream are that short, and so is what stands between the escapes of source code.
const shortRun = 24

// simple holds, at the letter of each escape of one letter, the character that it stands for.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendShort appends the text of raw up to its first \u escape, or up to where a run without a
// backslash gets long, and returns what is left of raw.
func appendShort(dst, raw []byte) (out, rest []byte) {
	run := 0
	for i := 0; i < len(raw); i++ {
		ch := raw[i]
		if run++; run > shortRun {
			return dst, raw[i:]
		}
		if ch == '\\' {
			run = 0
			if i+1 == len(raw) || simple[raw[i+1]] == 0 {
				return dst, raw[i:]
			}
			i++
			ch = simple[raw[i]]
		}
		dst = append(dst, ch)
	}
	return dst, nil
}

// AppendPlain is AppendUnescaped for a piece that is known to have no backslash.
func AppendPlain(dst, raw []byte, carry uint16) (out []byte, next uint16, lone bool) {
	if carry != 0 && len(raw) > 0 {
		return append(append(dst, replacement...), raw...), 0, true
	}
	return append(dst, raw...), carry, false
}

// AppendCarry ends a text: a high surrogate that is still waiting for its low half
// is lone and becomes U+FFFD.
func AppendCarry(dst []byte, carry uint16) (out []byte, lone bool) {
	if carry == 0 {
		return dst, false
	}
	return append(dst, replacement...), true
}

// appendText appends the whole text of a string's checked contents.
func appendText(dst, raw []byte) []byte {
	dst, carry, _ := AppendUnescaped(dst, raw, 0)
	dst, _ = AppendCarry(dst, carry)
	return dst
}

// unescape returns the character of the escape that raw begins with, which may be
// half a surrogate pair, and the length of the escape.
func unescape(raw []byte) (rune, int) {
	if len(raw) < 2 {
		return utf8.RuneError, len(raw)
	}
	switch ch := raw[1]; ch {
	case '"', '\\', '/':
		return rune(ch), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if len(raw) >= 6 {
			if v := hex4(raw[2:6]); v >= 0 {
				return v, 6
			}
		}
	}
	return utf8.RuneError, 2
}

// hex4 returns the value of four hexadecimal digits; it is negative if one of them
// is not.
func hex4(s []byte) rune {
	_ = s[3]
	return rune(hexValue[s[0]])<<12 | rune(hexValue[s[1]])<<8 | rune(hexValue[s[2]])<<4 | rune(hexValue[s[3]])
}

// AppendQuoted appends s as a JSON string with its quotes, escaping only what RFC
// 8259 section 7 demands: quote, backslash and the control characters below U+0020
// (\b \f \n \r \t, otherwise \u00xx). s is UTF-8; each byte that is not part of a
// valid sequence becomes U+FFFD.
func AppendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		if len(s)-i >= 8 {
			m := stops(binary.LittleEndian.Uint64(s[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		ch := s[i]
		if ch < utf8.RuneSelf {
			if ch < ' ' || ch == '"' || ch == '\\' {
				dst = appendEscape(append(dst, s[from:i]...), ch)
				from = i + 1
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(append(dst, s[from:i]...), replacement...)
			from = i + 1
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

// AppendLine appends a JSON value without a line end: those between its tokens become spaces, and its
// strings have none. It is for framings in which a line end ends the value.
func AppendLine(dst, value []byte) []byte {
	from := len(dst)
	dst = append(dst, value...)
	for i, b := range dst[from:] {
		if b == '\n' || b == '\r' {
			dst[from+i] = ' '
		}
	}
	return dst
}

// appendEscape appends the shortest escape of an ASCII character that needs one.
func appendEscape(dst []byte, ch byte) []byte {
	const hex = "0123456789abcdef"
	switch ch {
	case '"', '\\':
		return append(dst, '\\', ch)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, `\u00`+string(hex[ch>>4])+string(hex[ch&15])...)
}

// Spells reports whether raw, the contents of a JSON string as checked by Cursor.String, spells text. It
// makes no copy. Where a surrogate half in raw is lone the answer is no.
func Spells(raw, text []byte) bool {
	for {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			return bytes.Equal(raw, text)
		}
		if len(text) < n || !bytes.Equal(raw[:n], text[:n]) {
			return false
		}
		raw, text = raw[n:], text[n:]
		r, size := unescape(raw)
		raw = raw[size:]
		if r&^0x3FF == 0xD800 && len(raw) > 0 && raw[0] == '\\' {
			low, size := unescape(raw)
			r, raw = utf16.DecodeRune(r, low), raw[size:]
		}
		got, size := utf8.DecodeRune(text)
		if utf16.IsSurrogate(r) || got != r || size == 0 || r == utf8.RuneError {
			return false
		}
		text = text[size:]
	}
}
