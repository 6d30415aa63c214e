package autopsy

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// pythonSays returns the message of the JSONDecodeError that json.loads of CPython raises for a document,
// and "" where it raises none. It is what stands in the log of most clients that lost a call, so that it is
// worth finding again here. Follows Lib/json/decoder.py and scanner.py, 3.11.
func pythonSays(doc []byte) string {
	p := &python{doc: doc}
	if end := p.value(p.space(0)); p.message == "" {
		if end = p.space(end); end < len(doc) {
			p.fail("Extra data", end)
		}
	}
	switch p.message {
	case "":
		return ""
	case tooDeep:
		return tooDeep
	}
	line, column := lineColumn(doc, p.at)
	return fmt.Sprintf("%s: line %d column %d (char %d)", p.message, line, column, utf8.RuneCount(doc[:min(p.at, len(doc))]))
}

// Python gives up on what is nested much deeper than this, with another error; where exactly depends on what
// called it.
const (
	pythonDepth = 990
	tooDeep     = "RecursionError: maximum recursion depth exceeded"
)

type python struct {
	doc     []byte
	message string
	at      int
	depth   int
}

// fail notes the first mistake, and returns the end, so that nothing goes on.
func (p *python) fail(message string, at int) int {
	if p.message == "" {
		p.message, p.at = message, at
	}
	return len(p.doc)
}

func (p *python) space(i int) int {
	for i < len(p.doc) && bytes.IndexByte([]byte(" \t\n\r"), p.doc[i]) >= 0 {
		i++
	}
	return i
}

func (p *python) is(i int, c byte) bool { return i < len(p.doc) && p.doc[i] == c }

// value reads the value at i and returns where it ends.
func (p *python) value(i int) int {
	if p.message != "" {
		return i
	}
	if p.depth++; p.depth > pythonDepth {
		return p.fail(tooDeep, i)
	}
	defer func() { p.depth-- }()
	switch {
	case p.is(i, '"'):
		return p.text(i + 1)
	case p.is(i, '{'):
		return p.object(i + 1)
	case p.is(i, '['):
		return p.array(i + 1)
	}
	for _, word := range []string{"null", "true", "false", "NaN", "Infinity", "-Infinity"} {
		if i <= len(p.doc) && bytes.HasPrefix(p.doc[i:], []byte(word)) {
			return i + len(word)
		}
	}
	return p.number(i)
}

func (p *python) digits(i int) int {
	for i < len(p.doc) && p.doc[i] >= '0' && p.doc[i] <= '9' {
		i++
	}
	return i
}

func (p *python) number(start int) int {
	i := start
	if p.is(i, '-') {
		i++
	}
	end := i + 1
	if !p.is(i, '0') {
		end = p.digits(i)
	}
	if end == i || i >= len(p.doc) {
		return p.fail("Expecting value", start)
	}
	if n := p.digits(end + 1); p.is(end, '.') && n > end+1 {
		end = n
	}
	if p.is(end, 'e') || p.is(end, 'E') {
		n := end + 1
		if p.is(n, '+') || p.is(n, '-') {
			n++
		}
		if m := p.digits(n); m > n {
			end = m
		}
	}
	return end
}

// text reads a string whose quote stands before i.
func (p *python) text(i int) int {
	begin := i - 1
	for i < len(p.doc) {
		switch c := p.doc[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return p.fail("Invalid control character at", i)
		case c != '\\':
			i++
			continue
		}
		if i++; i >= len(p.doc) {
			break
		}
		if p.doc[i] != 'u' {
			if bytes.IndexByte([]byte(`"\/bfnrt`), p.doc[i]) < 0 {
				return p.fail("Invalid \\escape", i-1)
			}
			i++
			continue
		}
		// The scanner written in C wants a character behind the four.
		if i+5 >= len(p.doc) || !hex(p.doc[i+1:i+5]) {
			return p.fail("Invalid \\uXXXX escape", i)
		}
		i += 5
	}
	return p.fail("Unterminated string starting at", begin)
}

func hex(b []byte) bool {
	for _, c := range b {
		if bytes.IndexByte([]byte("0123456789abcdefABCDEF"), c) < 0 {
			return false
		}
	}
	return true
}

func (p *python) object(i int) int {
	if i = p.space(i); p.is(i, '}') {
		return i + 1
	}
	for p.message == "" {
		if !p.is(i, '"') {
			return p.fail("Expecting property name enclosed in double quotes", i)
		}
		if i = p.space(p.text(i + 1)); p.message != "" {
			break
		}
		if !p.is(i, ':') {
			return p.fail("Expecting ':' delimiter", i)
		}
		if i = p.space(p.value(p.space(i + 1))); p.message != "" || p.is(i, '}') {
			return i + 1
		}
		if !p.is(i, ',') {
			return p.fail("Expecting ',' delimiter", i)
		}
		i = p.space(i + 1)
	}
	return i
}

func (p *python) array(i int) int {
	if i = p.space(i); p.is(i, ']') {
		return i + 1
	}
	for p.message == "" {
		if i = p.space(p.value(i)); p.message != "" || p.is(i, ']') {
			return i + 1
		}
		if !p.is(i, ',') {
			return p.fail("Expecting ',' delimiter", i)
		}
		i = p.space(i + 1)
	}
	return i
}
