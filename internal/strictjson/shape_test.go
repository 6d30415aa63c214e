package strictjson

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// walked is what a text parses to: its tokens in order, with the holes left out.
type walked struct {
	tokens []string
	holes  []Hole
	text   string
	num    int64
}

// shapeOf reads a text with the cursor. The member "text" makes the TextHole, "pad" an AnyHole, "n" the
// IntHole, each the first time only.
func shapeOf(w *walked, data []byte) error {
	*w = walked{}
	var c Cursor
	c.Reset(data)
	w.value(&c, "")
	if c.Err() == nil {
		c.End()
	}
	return c.Err()
}

func (w *walked) has(k HoleKind) bool {
	return slices.ContainsFunc(w.holes, func(h Hole) bool { return h.Kind == k })
}

func (w *walked) value(c *Cursor, name string) {
	switch c.Peek() {
	case '{':
		w.tokens = append(w.tokens, "{")
		c.Object()
		for {
			n, ok := c.Member()
			if !ok {
				break
			}
			name := string(n)
			w.tokens = append(w.tokens, name+":")
			w.value(c, name)
		}
		w.tokens = append(w.tokens, "}")
	case '[':
		w.tokens = append(w.tokens, "[")
		for c.Array(); c.Element(); {
			w.value(c, "")
		}
		w.tokens = append(w.tokens, "]")
	case '"':
		raw, _, ok := c.String()
		switch {
		case !ok:
		case name == "text" && !w.has(TextHole):
			w.holes, w.text = append(w.holes, c.StringHole(raw, TextHole)), string(raw)
			w.tokens = append(w.tokens, "TEXT")
		case name == "pad" && !w.has(AnyHole):
			w.holes = append(w.holes, c.StringHole(raw, AnyHole))
			w.tokens = append(w.tokens, "PAD")
		default:
			w.tokens = append(w.tokens, "\""+string(raw))
		}
	case '0', '-':
		start := c.Offset()
		n, ok := c.Int()
		if ok && name == "n" && n >= 0 && n < 1e18 && !w.has(IntHole) {
			w.holes, w.num = append(w.holes, c.IntegerHole()), n
			w.tokens = append(w.tokens, "INT")
		} else {
			w.tokens = append(w.tokens, fmt.Sprint(start >= 0, n, ok))
		}
	default:
		raw, _ := c.Raw()
		w.tokens = append(w.tokens, string(raw))
	}
}

// agree fails the test where a shape of one text takes another for its like, and parsing the other
// gives something else.
func agree(t *testing.T, learned, data []byte) (matched bool) {
	t.Helper()
	var w walked
	if shapeOf(&w, learned) != nil {
		return false
	}
	var s Shapes[walked]
	s.Learn(learned, w.holes, func(w *walked, data []byte) { shapeOf(w, data) })
	var f Filling
	got := s.Match(data, &f)
	if got == nil {
		return false
	}
	var want walked
	if err := shapeOf(&want, data); err != nil {
		t.Errorf("learned %q, and %q matches, which does not parse: %v", learned, data, err)
		return true
	}
	if !slices.Equal(got.tokens, want.tokens) {
		t.Errorf("learned %q, and %q matches, which parses to\n%q, not\n%q", learned, data, want.tokens, got.tokens)
	}
	if want.has(TextHole) && string(f.Text) != want.text || want.has(IntHole) && f.Int != want.num {
		t.Errorf("learned %q: %q is filled with %q and %d, not %q and %d", learned, data, f.Text, f.Int, want.text, want.num)
	}
	return true
}

func TestShapesMatch(t *testing.T) {
	const learned = `{"type":"d","n":7,"index":1,"delta":{"text":"a b"},"pad":"xyz"}`
	tests := []struct {
		data string
		want bool
	}{
		{learned, true},
		{`{"type":"d","n":8,"index":1,"delta":{"text":""},"pad":""}`, true},
		{`{"type":"d","n":0,"index":1,"delta":{"text":"\ud83d\"é日😀"},"pad":"\\"}`, true},
		{`{"type":"d","n":123456789012345678,"index":1,"delta":{"text":"x"},"pad":"q"}`, true},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x"},"pad":"q" } `, true},
		{`{"type":"d","n":07,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":-7,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":7.5,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":1234567890123456789,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"e","n":7,"index":1,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":2,"delta":{"text":"x"},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x","more":1},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"` + "\x01" + `"},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"` + "\xff" + `"},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x\q"},"pad":"q"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x"},"pad":"` + "\n" + `"}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x"},"pad":"q"`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x"},"pad":"q"}}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x"},"pad":"q"} {}`, false},
		{`{"type":"d","n":7,"index":1,"delta":{"text":"x`, false},
		{``, false},
	}
	for _, tt := range tests {
		if got := agree(t, []byte(learned), []byte(tt.data)); got != tt.want {
			t.Errorf("%q: matched %v, want %v", tt.data, got, tt.want)
		}
	}
}

// TestShapesRemember: several shapes are kept, the one that was not used goes, and a stream of texts
// that never match is not learned from for ever.
func TestShapesRemember(t *testing.T) {
	text := func(i, n int) []byte { return fmt.Appendf(nil, `{"index":%d,"text":"%d"}`, i, n) }
	var s Shapes[walked]
	learned := 0
	see := func(data []byte) bool {
		var f Filling
		if s.Match(data, &f) != nil {
			return true
		}
		var w walked
		if err := shapeOf(&w, data); err != nil {
			t.Fatal(err)
		}
		s.Learn(data, w.holes, func(w *walked, data []byte) { learned++; shapeOf(w, data) })
		return false
	}
	for n := range 10 {
		for i := range maxShapes {
			if see(text(i, n)) != (n > 0) {
				t.Fatalf("text %d of shape %d", n, i)
			}
		}
	}
	learned = 0
	for i := range 10 * idleSkip {
		see(text(100+i, 0))
	}
	if learned > idleSkip {
		t.Errorf("learned %d of %d texts that never match", learned, 10*idleSkip)
	}
	s.Forget()
	if see(text(0, 0)) {
		t.Error("a forgotten shape matches")
	}
	long := []byte(`{"text":"` + strings.Repeat("x", maxShape) + `"}`)
	for range 2 {
		if see(long) {
			t.Error("a long text was remembered")
		}
	}
}

// TestShapesNeverAllocate: a match costs no memory.
func TestShapesNeverAllocate(t *testing.T) {
	data := []byte(`{"n":7,"text":"a\nb","pad":"xyz"}`)
	var w walked
	if err := shapeOf(&w, data); err != nil {
		t.Fatal(err)
	}
	var s Shapes[walked]
	s.Learn(data, w.holes, func(w *walked, data []byte) { shapeOf(w, data) })
	var f Filling
	if n := testing.AllocsPerRun(100, func() { s.Match(data, &f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestShapesAgreeWithTheCursor changes a text in every way a byte can be changed.
func TestShapesAgreeWithTheCursor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	learned := []byte(`{"type":"d","n":70,"delta":{"text":"a\u00e9b"} ,"pad":"xyz" } `)
	alphabet := []byte("\"\\{}[]:, 0179-e.ntux\x01\xc3\xa9a")
	for range 200000 {
		data := slices.Clone(learned)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(data))
			switch b := alphabet[r.IntN(len(alphabet))]; r.IntN(3) {
			case 0:
				data[at] = b
			case 1:
				data = slices.Insert(data, at, b)
			case 2:
				data = slices.Delete(data, at, at+1)
			}
		}
		agree(t, learned, data)
		if t.Failed() {
			return
		}
	}
}

func FuzzShapes(f *testing.F) {
	f.Add([]byte(`{"n":7,"text":"a"}`), []byte(`{"n":8,"text":"b"}`))
	f.Add([]byte(`{"text":"a","pad":"x"}  `), []byte(`{"text":"","pad":""}`))
	f.Fuzz(func(t *testing.T, learned, data []byte) { agree(t, learned, data) })
}
