package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// The voice of the command. What was asked for goes to standard output; everything else goes to
// standard error, a line each, in lower case and without a full stop, with a prefix that says what it
// is. An error that the user can mend is followed by a hint: a command to paste.

func (t *tool) errorf(format string, args ...any) {
	fmt.Fprintf(t.err, "error: %s\n", safeText(fmt.Sprintf(format, args...)))
}

func (t *tool) hintf(format string, args ...any) {
	fmt.Fprintf(t.err, "hint: %s\n", safeText(fmt.Sprintf(format, args...)))
}

// misuse says what is wrong with the command line and what would be right, and returns the status.
func (t *tool) misuse(hint, format string, args ...any) int {
	t.errorf(format, args...)
	t.hintf("%s", hint)
	return statusFailed
}

// terminal returns the terminal that w is, or nil.
func terminal(w io.Writer) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// colour reports whether w may be written to in colour.
func (t *tool) colour(w io.Writer) bool {
	return terminal(w) != nil && t.env("NO_COLOR") == "" && t.env("TERM") != "dumb"
}

// width returns how many columns a line on w may have.
func (t *tool) width(w io.Writer) int {
	const usual, least = 100, 40
	if n, err := strconv.Atoi(t.env("COLUMNS")); err == nil && n > 0 {
		return max(n, least)
	}
	if f := terminal(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, least)
		}
	}
	return usual
}

// shellWord quotes a word for a shell, where it needs that.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func shellWords(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return quoted
}

// nearest returns the name that word is a misspelling of, or "".
func nearest(word string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		if d := distance(word, n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

// distance counts the insertions, deletions and replacements that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
