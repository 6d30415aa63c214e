package gemini

import "bytes"

// pathSteps reads a path to one value, as RFC 9535 writes it: $.a.b[0], $['a.b'][0]. What names several
// values, or counts from the end, is no path to one. A name behind a dot goes on to the next dot or
// bracket: whether the server quotes a name that has such a character in it is not documented, and one
// that is not quoted can't be told from a longer path.
type pathSteps struct {
	rest []byte
	// What the last step names: a member, or an element.
	element bool
	name    []byte
	index   int
}

// begin passes the root, and reports whether there is a step.
func (s *pathSteps) begin() bool {
	ok := len(s.rest) > 0 && s.rest[0] == '$'
	if ok {
		s.rest = s.rest[1:]
	}
	return ok && s.more()
}

// more reports whether there is another step.
func (s *pathSteps) more() bool { return len(s.rest) > 0 }

// next reads a step, and reports whether it is one.
func (s *pathSteps) next() bool {
	first := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case first == '.':
		return s.shorthand()
	case first != '[' || len(s.rest) == 0:
		return false
	case s.rest[0] == '\'' || s.rest[0] == '"':
		return s.quoted()
	}
	return s.subscript()
}

func (s *pathSteps) shorthand() bool {
	n := bytes.IndexAny(s.rest, ".[")
	if n < 0 {
		n = len(s.rest)
	}
	s.element, s.name, s.rest = false, append(s.name[:0], s.rest[:n]...), s.rest[n:]
	return n > 0 && string(s.name) != "*"
}

func (s *pathSteps) subscript() bool {
	n := bytes.IndexByte(s.rest, ']')
	const digits = 9 // more than any array that fits into a document has
	if n < 1 || n > digits || n > 1 && s.rest[0] == '0' {
		return false
	}
	s.element, s.index = true, 0
	for _, ch := range s.rest[:n] {
		if ch < '0' || ch > '9' {
			return false
		}
		s.index = 10*s.index + int(ch-'0')
	}
	s.rest = s.rest[n+1:]
	return true
}

// quoted reads a name in quotes and the bracket behind it.
func (s *pathSteps) quoted() bool {
	quote := s.rest[0]
	from := s.rest[1:]
	s.element, s.name = false, s.name[:0]
	escapes := false
	for i := 0; i < len(from); i++ {
		switch ch := from[i]; {
		case ch == quote:
			if i+1 == len(from) || from[i+1] != ']' {
				return false
			}
			s.rest = from[i+2:]
			if escapes {
				s.name = unescaped(s.name)
			}
			return true
		case ch == '\\':
			n := escape(from[i:])
			if n == 0 {
				return false
			}
			escapes = true
			if from[i+1] != '\'' {
				s.name = append(s.name, '\\')
			}
			s.name = append(s.name, from[i+1:i+n]...)
			i += n - 1
		default:
			s.name = append(s.name, ch)
		}
	}
	return false
}

// escape returns the length of the escape that b begins with, 0 where it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != 'u' {
		if bytes.IndexByte([]byte(`bfnrt"'/\`), b[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(b) < 6 {
		return 0
	}
	for _, ch := range b[2:6] {
		if bytes.IndexByte([]byte("0123456789abcdefABCDEF"), ch) < 0 {
			return 0
		}
	}
	return 6
}
