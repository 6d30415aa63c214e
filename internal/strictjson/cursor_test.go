package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// walk reads the value that is next in the form of encoding/json with UseNumber.
// Where rnd says so it looks first, or takes the bytes of the value only.
func walk(c *Cursor, rnd *rand.Rand) any {
	if rnd.IntN(4) == 0 && c.Null() {
		return nil
	}
	if rnd.IntN(8) == 0 {
		raw, ok := c.Raw()
		if !ok {
			return nil
		}
		return decode(raw)
	}
	switch c.Peek() {
	case '{':
		m := map[string]any{}
		if !c.Object() {
			return nil
		}
		for {
			n, ok := c.Member()
			if !ok {
				return m
			}
			key := string(n) // before the next name may take its place
			m[key] = walk(c, rnd)
		}
	case '[':
		a := []any{}
		if !c.Array() {
			return nil
		}
		for c.Element() {
			a = append(a, walk(c, rnd))
		}
		return a
	case '"':
		s, _ := c.Text()
		return string(s)
	case 't', 'f':
		v, _ := c.Bool()
		return v
	case 'n':
		c.Null()
		return nil
	case '-', '0':
		raw, _ := c.Raw()
		return json.Number(raw)
	}
	c.Skip() // fails
	return nil
}

func decode(doc []byte) any {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// sameAsStd walks doc and compares tree and verdict with encoding/json, and the
// error with that of Check.
func sameAsStd(t *testing.T, c *Cursor, doc []byte, rnd *rand.Rand) {
	t.Helper()
	c.Reset(doc)
	got := walk(c, rnd)
	ok := c.End()
	checkErr := Check(doc, maxSkip)
	switch {
	case ok != (c.Err() == nil):
		t.Fatalf("%q: End %v, Err %v", doc, ok, c.Err())
	case ok && !json.Valid(doc):
		t.Fatalf("%q: taken, but not valid", doc)
	case ok && !reflect.DeepEqual(got, decode(doc)):
		t.Fatalf("%q: got %v, want %v", doc, got, decode(doc))
	case ok && checkErr != nil && !errors.Is(checkErr, Duplicate) && !errors.Is(checkErr, Surrogate):
		t.Fatalf("%q: taken, but %v", doc, checkErr)
	case !ok && checkErr == nil:
		t.Fatalf("%q: refused: %v", doc, c.Err())
	case !ok && !errors.Is(checkErr, Duplicate) && !errors.Is(checkErr, Surrogate) && c.Err().Error() != checkErr.Error():
		t.Fatalf("%q: %v, but Check says %v", doc, c.Err(), checkErr)
	}
}

func TestCursorTables(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	var c Cursor
	for range 20 {
		for _, doc := range valid {
			sameAsStd(t, &c, []byte(doc), rnd)
		}
		for _, d := range invalid {
			sameAsStd(t, &c, []byte(d.doc), rnd)
		}
	}
}

func TestCursorRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	var c Cursor
	for range 100_000 {
		sameAsStd(t, &c, randomDoc(rnd), rnd)
	}
}

func FuzzCursor(f *testing.F) {
	for _, s := range valid {
		f.Add([]byte(s), uint64(0))
	}
	for _, c := range invalid {
		f.Add([]byte(c.doc), uint64(1))
	}
	var c Cursor
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		if len(doc) > 500 { // keeps clear of the depth limit, and of a deep recursion
			return
		}
		sameAsStd(t, &c, doc, rand.New(rand.NewPCG(seed, 0)))
	})
}

// TestCursorSkip holds Skip to what Check says of the same document.
func TestCursorSkip(t *testing.T) {
	var c Cursor
	for _, d := range invalid {
		c.Reset([]byte(d.doc))
		c.Skip()
		c.End()
		if d.kind == Duplicate || d.kind == Surrogate {
			if c.Err() != nil {
				t.Errorf("%q: %v", d.doc, c.Err())
			}
			continue
		}
		if want := (Error{d.kind, d.at}); c.Err() == nil || c.Err().Error() != want.Error() || c.Offset() != d.at {
			t.Errorf("%q: got %v, want %v", d.doc, c.Err(), &want)
		}
	}
	for _, open := range []string{`[`, `{"a":`, `{"a":[`} {
		for _, n := range []int{63, 64, 65, 511, 512, 513} {
			depth := n * strings.Count(open, "[") // of the skipped value
			depth += n * strings.Count(open, "{")
			end := "]"
			switch open {
			case `{"a":`:
				end = "}"
			case `{"a":[`:
				end = "]}"
			}
			c.Reset([]byte(strings.Repeat(open, n) + "1" + strings.Repeat(end, n)))
			ok := c.Skip() && c.End()
			if ok != (depth <= maxSkip) || !ok && (!errors.Is(c.Err(), Depth) || c.Peek() != 0) {
				t.Errorf("%s %d times: %v", open, n, c.Err())
			}
		}
	}
}

func TestCursorMismatch(t *testing.T) {
	calls := map[string]func(c *Cursor) bool{
		`{`: (*Cursor).Object, `[`: (*Cursor).Array,
		`"`: func(c *Cursor) bool { _, ok := c.Text(); return ok },
		`1`: func(c *Cursor) bool { _, ok := c.Int(); return ok },
		`t`: func(c *Cursor) bool { _, ok := c.Bool(); return ok },
	}
	docs := map[string]string{`{`: ` {}`, `[`: ` []`, `"`: ` ""`, `1`: ` 1`, `t`: ` true`, `n`: ` null`, `x`: ` x`}
	var c Cursor
	for want, call := range calls {
		for is, doc := range docs {
			c.Reset([]byte(doc))
			ok := call(&c)
			if ok != (is == want) || ok != (c.Err() == nil) {
				t.Errorf("%s read as %s: %v, %v", doc, want, ok, c.Err())
			}
			kind := "wrong-type at byte 1"
			if is == "x" {
				kind = "syntax at byte 1"
			}
			if !ok && c.Err().Error() != kind {
				t.Errorf("%s read as %s: %v", doc, want, c.Err())
			}
			c.Reset([]byte(doc))
			if null := c.Null(); null != (is == "n") || c.Err() != nil || !null && is != "x" && c.Peek() == 0 {
				t.Errorf("%s: Null %v, %v", doc, null, c.Err())
			}
		}
		c.Reset([]byte(" "))
		if call(&c) || c.Err().Error() != "empty at byte 1" {
			t.Errorf("nothing read as %s: %v", want, c.Err())
		}
		c.Reset([]byte("[ "))
		if c.Array(); call(&c) || c.Err().Error() != "incomplete at byte 2" {
			t.Errorf("the end read as %s: %v", want, c.Err())
		}
	}
}

func TestCursorInt(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want int64
		ok   bool
	}{
		{`0`, 0, true}, {`-0`, 0, true}, {` 42 `, 42, true}, {`-17`, -17, true}, {`9223372036854775807`, 1<<63 - 1, true}, {`-9223372036854775808`, -1 << 63, true},
		{`9223372036854775808`, 0, false}, {`-9223372036854775809`, 0, false}, {`9999999999999999999`, 0, false}, {`18446744073709551617`, 0, false}, {`1.0`, 0, false}, {`1e2`, 0, false}, {`01`, 0, false}, {`-`, 0, false}, {`"1"`, 0, false},
	} {
		var cur Cursor
		cur.Reset([]byte(c.doc))
		if v, ok := cur.Int(); ok != c.ok || ok && v != c.want || ok != cur.End() {
			t.Errorf("%s: got %d, %v, %v", c.doc, v, ok, cur.Err())
		}
	}
}

func TestCursorSticks(t *testing.T) {
	var c Cursor
	c.Reset([]byte(`{"a":[1,x,2]}`))
	c.Object()
	c.Member()
	c.Array()
	for c.Element() {
		c.Int()
	}
	first := c.Err()
	if first == nil || first.Error() != "syntax at byte 8" || c.Offset() != 8 {
		t.Fatal(first)
	}
	_, text := c.Text()
	_, _, str := c.String()
	_, num := c.Int()
	_, boolean := c.Bool()
	_, raw := c.Raw()
	_, member := c.Member()
	if text || str || num || boolean || raw || member || c.Object() || c.Array() || c.Element() || c.Null() || c.Skip() || c.End() || c.Peek() != 0 {
		t.Error("something went on after an error")
	}
	if c.Err() != first {
		t.Error("the error changed to", c.Err())
	}
	c.Reset([]byte(`1`))
	if v, ok := c.Int(); v != 1 || !ok || !c.End() || c.Err() != nil {
		t.Error("Reset does not help")
	}
	var zero Cursor
	if zero.Peek() != 0 || zero.Err() != nil || !zero.End() || zero.Skip() || !errors.Is(zero.Err(), Empty) {
		t.Error("the zero value is not an empty text")
	}
}

func TestCursorBorrows(t *testing.T) {
	var c Cursor
	c.Reset([]byte(`{"a\n":"b\n","c":"d"}`))
	c.Object()
	name, _ := c.Member()
	text, _ := c.Text()
	if string(name) != "a\n" || string(text) != "b\n" {
		t.Errorf("got %q %q", name, text)
	}
	name, _ = c.Member()
	raw, escaped, _ := c.String()
	if string(name) != "c" || string(raw) != "d" || escaped || cap(raw) != 1 || cap(name) != 1 {
		t.Errorf("got %q %q %v", name, raw, escaped)
	}
	c.Reset([]byte(`["\ud800x"]`))
	c.Array()
	c.Element()
	if text, _ = c.Text(); string(text) != "\uFFFDx" {
		t.Errorf("got %q", text)
	}
}

func TestCursorRefuse(t *testing.T) {
	var c Cursor
	c.Reset([]byte(`{"a":1,"a":2}`))
	c.Object()
	c.Member()
	c.Skip()
	c.Member()
	c.Refuse(Duplicate)
	if c.Err() == nil || c.Err().Error() != "duplicate-member at byte 11" || c.Skip() {
		t.Error(c.Err())
	}
}

func TestCursorAllocs(t *testing.T) {
	var c Cursor
	if n := testing.AllocsPerRun(100, func() {
		if walkChat(&c, benchChat) == 0 || walkDelta(&c, benchDelta) == 0 {
			t.Fatal("nothing found")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
