package main

import (
	"bytes"
	"fmt"
	"strings"
)

// stream is the bytes of a capture, frame by frame, so that a fault can be put into a sound one: a
// frame sent again, changed, or cut.
type stream struct {
	framing string // "sse" where it is ""
	named   bool   // frames have an event line
	frames  []string
}

// event adds a frame. name is its event line, left out where the protocol has none.
func (s *stream) event(name, payload string) {
	if s.framing == "ndjson" {
		s.frames = append(s.frames, payload+"\n")
		return
	}
	var line string
	if s.named && name != "" {
		line = "event: " + name + "\n"
	}
	s.frames = append(s.frames, line+"data: "+payload+"\n\n")
}

// raw adds bytes as they are.
func (s *stream) raw(b string) { s.frames = append(s.frames, b) }

// again adds the last n frames once more.
func (s *stream) again(n int) { s.frames = append(s.frames, s.frames[len(s.frames)-n:]...) }

// cutBytes takes back the last n bytes.
func (s *stream) cutBytes(n int) {
	last := len(s.frames) - 1
	s.frames[last] = s.frames[last][:len(s.frames[last])-n]
}

// replace replaces the only place in the last frame that reads old. Without it the vector would not be
// what it says, so that it panics.
func (s *stream) replace(old, new string) {
	last := len(s.frames) - 1
	if strings.Count(s.frames[last], old) != 1 {
		panic(fmt.Sprintf("%q stands not once in %q", old, s.frames[last]))
	}
	s.frames[last] = strings.Replace(s.frames[last], old, new, 1)
}

func (s *stream) bytes() []byte {
	var b bytes.Buffer
	for _, f := range s.frames {
		b.WriteString(f)
	}
	return b.Bytes()
}

// quote writes s as a JSON string with no escape that is not needed.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
