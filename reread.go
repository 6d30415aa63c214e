package wholecall

import (
	"bytes"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// reread reads a finished document once more, as the dialect allows it, and returns what is wrong with
// it then. Either reading is taken only where it is the only one that gives an object.
func (a *Accumulator) reread(s *slot, fault *ArgumentError) *ArgumentError {
	if s.form != JSONArguments || s.over || s.lone {
		return fault
	}
	switch {
	case fault == nil && a.doubleEncoded:
		if inner, ok := a.unwrap(s.buf); ok {
			s.buf = inner
			a.devs = count(a.devs, []byte(DoubleEncoded))
		}
	case fault != nil && fault.Kind == InvalidJSON && a.rawControls:
		if escaped := escapeControls(s.buf); a.isObject(escaped) {
			s.buf = escaped
			a.devs = count(a.devs, []byte(RawControlCharacters))
			return nil
		}
	}
	return fault
}

func (a *Accumulator) isObject(doc []byte) bool {
	doc = bytes.TrimLeft(doc, " \t\r\n")
	return len(doc) > 0 && doc[0] == '{' && a.check.Check(doc, a.lim.Depth) == nil
}

// unwrap returns the object that a document which is a JSON string holds.
func (a *Accumulator) unwrap(doc []byte) ([]byte, bool) {
	var c strictjson.Cursor
	c.Reset(doc)
	if c.Peek() != '"' {
		return nil, false
	}
	inner, ok := c.Text()
	if !ok || !a.isObject(inner) {
		return nil, false
	}
	return bytes.Clone(inner), true
}

// escapeControls escapes the control characters that stand raw inside the strings of a text.
func escapeControls(doc []byte) []byte {
	out := make([]byte, 0, len(doc)+16)
	inside, escaped := false, false
	for _, ch := range doc {
		switch {
		case inside && !escaped && ch < 0x20:
			q := strictjson.AppendQuoted(nil, []byte{ch})
			out = append(out, q[1:len(q)-1]...)
			continue
		case escaped:
			escaped = false
		case inside && ch == '\\':
			escaped = true
		case ch == '"':
			inside = !inside
		}
		out = append(out, ch)
	}
	return out
}
