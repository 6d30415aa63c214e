package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafeTextShowsWhatATerminalWouldActOn(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain, ünïcode, 漢字, 👩‍👩‍👧", "plain, ünïcode, 漢字, 👩‍👩‍👧"},
		{"\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"},
		{"a\r\nb\tc\x00", "a␍␊b␉c␀"},
		{"\x7f\u009b1m", "␡<U+009B>1m"},
		{"\u202etxt\u2066x\u200b\ufeff", "<U+202E>txt<U+2066>x<U+200B><U+FEFF>"},
		{"\U000e0041", "<U+E0041>"},
		{"\xff\xc3", "<0xFF><0xC3>"},
		{`\u001b[31m`, `\u001b[31m`},
	} {
		if got := safeText(c.in); got != c.want {
			t.Errorf("safeText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzSafeText(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := safeText(s)
		if !utf8.ValidString(got) {
			t.Errorf("safeText(%q) = %q is not UTF-8", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r < ' ' || hidden(r) }); i >= 0 {
			t.Errorf("safeText(%q) = %q holds a control at %d", s, got, i)
		}
	})
}

func TestClipKeepsTheMarkInSight(t *testing.T) {
	line := []byte(strings.Repeat("a", 500) + "MARK" + strings.Repeat("z", 500))
	for _, c := range []struct {
		from, to, width int
		want            string
	}{
		{500, 504, 40, "…aaaaaaaaaaaaaaaaaaaaaaaMARKzzzzzzzzzzz…"},
		{0, 1, 10, "aaaaaaaaa…"},
		{1003, 1004, 10, "…zzzzzzzzz"},
		{1004, 1004, 10, "…zzzzzzzzz"},
	} {
		text, column, length := clip(line, c.from, c.to, c.width)
		if text != c.want || columns(text) > c.width || column+length > c.width+1 {
			t.Errorf("clip(%d, %d, %d) = %q, %d, %d, want %q", c.from, c.to, c.width, text, column, length, c.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add([]byte(`{"a":"漢字\x1b"}`), 3, 2, 40)
	f.Fuzz(func(t *testing.T, line []byte, from, n, width int) {
		if from < 0 || n < 0 || from > len(line) || n > len(line)-from || width < 40 || width > 200 {
			t.Skip("no piece of a line, or a width that no terminal has")
		}
		text, column, length := clip(line, from, from+n, width)
		if columns(text) > width || column < 0 || column+length > width+1 {
			t.Errorf("clip(%q, %d, %d, %d) = %q (%d columns), %d, %d", line, from, from+n, width, text, columns(text), column, length)
		}
	})
}

func TestRowsBreakAtLineEndsAndAtTheWidth(t *testing.T) {
	for _, c := range []struct {
		text     string
		width, n int
		want     string
		more     bool
	}{
		{"one\ntwo", 10, 2, "one|two", false},
		{"one\n\ntwo", 10, 2, "one|", true},
		{"abcdefgh", 3, 2, "abc|def", true},
		{"漢字漢", 4, 2, "漢字|漢", false},
		{"", 4, 2, "", false},
	} {
		got, more := rows(c.text, c.width, c.n)
		if strings.Join(got, "|") != c.want || more != c.more {
			t.Errorf("rows(%q, %d, %d) = %q, %v", c.text, c.width, c.n, got, more)
		}
	}
}

func TestSplitLinesKnowsAllLineEnds(t *testing.T) {
	got := splitLines([]byte("a\nb\r\nc\r\rd\n\ne"))
	if s := string(bytes.Join(got, []byte("|"))); s != "a|b|c||d||e" {
		t.Errorf("got %q", s)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"check", "version", "help"}
	for word, want := range map[string]string{"chekc": "check", "chek": "check", "hlp": "help", "frobnicate": "", "": ""} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
