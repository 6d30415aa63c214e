package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// What a model or a server wrote may hold sequences that move the cursor, recolour the screen or turn
// the direction of the text around. Whatever the command prints for people goes through safeText.

// safeText returns s with every character that a terminal would act on, or that would not be seen,
// shown as a sign: the control pictures for the ASCII controls, <U+202E> and the like for the others,
// <0xFF> for a byte that is not UTF-8. These signs can't be mistaken for an escape in the text itself.
func safeText[T string | []byte](s T) string {
	text := string(s)
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<0x%02X>", text[i])
		case r < ' ':
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case unseen(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// unseen reports whether r is a control, a change of direction, or a sign without a width. The joiners
// are left alone: scripts and emoji need them.
func unseen(r rune) bool {
	switch {
	case r >= 0x80 && r <= 0x9f, r == 0xad, r == 0x061c, r == 0x180e:
	case r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
	case r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
	default:
		return false
	}
	return true
}

// columns returns how many columns s takes.
func columns(s string) int { return uniseg.StringWidth(s) }

// fit cuts s after at most n columns and returns both pieces.
func fit(s string, n int) (head, tail string) {
	rest, state, used := s, -1, 0
	for rest != "" {
		_, after, width, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+width > n {
			break
		}
		used, rest, state = used+width, after, next
	}
	return s[:len(s)-len(rest)], rest
}

// fitEnd returns the end of s, in at most n columns.
func fitEnd(s string, n int) string {
	for over := columns(s) - n; over > 0; over = columns(s) - n {
		head, tail := fit(s, over)
		if head == "" {
			_, size := utf8.DecodeRuneInString(s)
			tail = s[size:]
		}
		s = tail
	}
	return s
}

// clip shows the part of a line around line[from:to], in at most width columns, and where in it the
// mark under that part stands.
func clip(line []byte, from, to, width int) (text string, column, length int) {
	const most = 4096 // bytes of each side that could ever be seen
	before, after := line[:from], line[to:]
	if len(before) > most {
		before = fromRune(before[len(before)-most:])
	}
	cutBefore := len(before) < from
	a, m, z := safeText(before), safeText(line[from:min(to, from+most)]), safeText(after[:min(len(after), most)])
	if left := max(width/2, width-columns(a)-1); columns(m) > left && (columns(m) > width-columns(a) || z != "") {
		m, _ = fit(m, left)
		z = strings.Repeat(" ", width) // so that it is cut, too
	}
	room := width - columns(m)
	if columns(a)+columns(z) > room || cutBefore {
		left := max(room*2/3, room-columns(z))
		if columns(a) > left || cutBefore {
			a = "…" + fitEnd(a, left-1)
		}
		if left = room - columns(a); columns(z) > left {
			z, _ = fit(z, left-1)
			z = strings.TrimRight(z, " ") + "…"
		}
	}
	return a + m + z, columns(a), max(1, columns(m))
}

// fromRune drops the bytes at the start of b that are the rest of a character.
func fromRune(b []byte) []byte {
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// rows cuts a text into at most n rows of the given width, at its line ends and where it is too long.
// more reports whether something is left over.
func rows(text string, width, n int) (cut []string, more bool) {
	for line := range strings.Lines(text) {
		line = safeText(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		for first := true; first || line != ""; first = false {
			if len(cut) == n {
				return cut, true
			}
			var head string
			if head, line = fit(line, width); head == "" && line != "" {
				head, line = line, ""
			}
			cut = append(cut, head)
		}
	}
	return cut, false
}

// prose breaks a sentence between words.
func prose(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(safeText(text)) {
		if line != "" && columns(line)+1+columns(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
