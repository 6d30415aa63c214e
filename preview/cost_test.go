package preview_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/wholecall/wholecall/preview"
)

// shapes makes documents of n bytes or so that would be dear where something is done again and again.
var shapes = map[string]func(n int) string{
	"a string":      func(n int) string { return `{"text":"` + strings.Repeat("x", n) + `"}` },
	"escapes":       func(n int) string { return `["` + strings.Repeat(`\u00e9`, n/6) + `"]` },
	"a name":        func(n int) string { return `{"` + strings.Repeat("x", n) + `":1}` },
	"under a name":  func(n int) string { return `{"` + strings.Repeat("x", n/2) + `":[` + repeat("1", n/4) + `]}` },
	"a number":      func(n int) string { return `[` + strings.Repeat("1", n) + `]` },
	"white space":   func(n int) string { return `[` + strings.Repeat(" ", n) + `]` },
	"elements":      func(n int) string { return `[` + repeat("0", n/2) + `]` },
	"deep elements": func(n int) string { return deep(300, repeat(`{}`, n/3)) },
	"deep and back": func(n int) string { return `[` + repeat(deep(300, ""), n/601) + `]` },
	"members":       members,
	"long names":    func(n int) string { return `[` + repeat(members(5000), n/5000) + `]` },
}

func repeat(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

func deep(n int, s string) string { return strings.Repeat("[", n) + s + strings.Repeat("]", n) }

// members is an object of n bytes or so.
func members(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(`,"` + strings.Repeat("k", 6) + string(rune('a'+i%26)) + string(rune(0x4e00+i/26)) + `":0`)
	}
	return `{` + b.String()[1:] + `}`
}

// read adds a document in pieces of 8 bytes, with a look behind each, and counts what it sees.
func read(t testing.TB, d *preview.Document, doc string) (seen int) {
	t.Helper()
	for len(doc) > 0 {
		n := min(8, len(doc))
		d.Add([]byte(doc[:n]))
		doc = doc[n:]
		for c := range d.Changes() {
			seen += 1 + len(c.Text)
		}
		d.Value().Text()
	}
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	return seen
}

// allocated returns how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestLinear: of a document that is four times as long the looks see four times as much at most, and four
// times as much memory is used, or a bit more where a buffer has just grown. Were anything done again for
// each piece it would be sixteen times.
func TestLinear(t *testing.T) {
	const n, margin = 100_000, 1.8
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			once, four := shape(n), shape(4*n)
			var seenOnce, seenFour int
			a := allocated(func() { seenOnce = read(t, new(preview.Document), once) })
			b := allocated(func() { seenFour = read(t, new(preview.Document), four) })
			longer := float64(len(four)) / float64(len(once))
			if float64(seenFour) > margin*longer*float64(seenOnce) {
				t.Errorf("%d bytes: the looks see %d; %d bytes: %d", len(once), seenOnce, len(four), seenFour)
			}
			if seenFour > 2*len(four) {
				t.Errorf("%d bytes: the looks see %d", len(four), seenFour)
			}
			if b > margin*longer*a && b > 1<<20 {
				t.Errorf("%d bytes: %.0f allocated; %d bytes: %.0f", len(once), a, len(four), b)
			}
		})
	}
}

// TestSteadyStateAllocatesNothing: neither a piece nor a look costs an allocation, once the buffers have
// room.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, piece := range map[string]string{
		"text": `abc\nd\u00e9é`, "elements": `",{"a":[1,true]},"`,
	} {
		t.Run(name, func(t *testing.T) {
			var d preview.Document
			d.Add([]byte(`["`))
			p := []byte(piece)
			for range 1 << 14 { // so that the buffers grow seldom
				d.Add(p)
			}
			seen := 0
			if n := testing.AllocsPerRun(1000, func() {
				d.Add(p)
				for c := range d.Changes() {
					seen += len(c.Text)
				}
				if d.Value().Whole() {
					t.Error("the document is whole")
				}
			}); n != 0 || seen == 0 || d.Err() != nil {
				t.Errorf("%v allocations a piece, %v", n, d.Err())
			}
		})
	}
}
