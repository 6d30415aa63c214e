package strictjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

func TestAppendUnescaped(t *testing.T) {
	for _, c := range []struct {
		raw   string
		carry uint16
		want  string
		next  uint16
		lone  bool
	}{
		{``, 0, ``, 0, false}, {``, 0xD83D, ``, 0xD83D, false}, {`abc`, 0, `abc`, 0, false}, {`abc`, 0xD83D, "\uFFFDabc", 0, true},
		{`\"\\\/\b\f\n\r\t\u00e9\uFFFF`, 0, "\"\\/\b\f\n\r\té\uFFFF", 0, false},
		{`\ud83d\ude00`, 0, "😀", 0, false}, {`a\ud83d`, 0, `a`, 0xD83D, false}, {`\ude00b`, 0xD83D, "😀b", 0, false},
		{`\ude00`, 0, "\uFFFD", 0, true}, {`\n`, 0xD83D, "\uFFFD\n", 0, true}, {`\ud83d\ud83d\ude00`, 0, "\uFFFD😀", 0, true},
		{`\ud800`, 0xD83D, "\uFFFD", 0xD800, true}, {`\ud83dx\ude00`, 0, "\uFFFDx\uFFFD", 0, true}, {`\udbff\udfff`, 0, "\U0010FFFF", 0, false},
		// Not checked contents, which must do no harm.
		{`\`, 0, "\uFFFD", 0, false}, {`\x`, 0, "\uFFFD", 0, false}, {`\u12`, 0, "\uFFFD12", 0, false}, {`\u12g4`, 0, "\uFFFD12g4", 0, false},
	} {
		out, next, lone := AppendUnescaped([]byte("<"), []byte(c.raw), c.carry)
		if string(out) != "<"+c.want || next != c.next || lone != c.lone {
			t.Errorf("%q after %x: got %q %x %v", c.raw, c.carry, out, next, lone)
		}
	}
}

func TestAppendCarry(t *testing.T) {
	if out, lone := AppendCarry([]byte("a"), 0); string(out) != "a" || lone {
		t.Errorf("got %q %v", out, lone)
	}
	if out, lone := AppendCarry([]byte("a"), 0xD83D); string(out) != "a\uFFFD" || !lone {
		t.Errorf("got %q %v", out, lone)
	}
}

func TestAppendQuoted(t *testing.T) {
	for _, c := range [][2]string{
		{"", `""`}, {"a\"b\\c/", `"a\"b\\c/"`}, {"\b\f\n\r\t\x00\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\""},
		{"<é\u2028\u2029😀\uFFFD>", "\"<é\u2028\u2029😀\uFFFD>\""}, {"a\xffb\xe2\x82", "\"a\uFFFDb\uFFFD\uFFFD\""},
		{"0123456789\n0123456789\"", `"0123456789\n0123456789\""`},
	} {
		if got := AppendQuoted([]byte("<"), []byte(c[0])); string(got) != "<"+c[1] {
			t.Errorf("%q: got %s", c[0], got)
		}
	}
}

// unescapeInPieces splits raw at random between its characters and escapes.
func unescapeInPieces(raw []byte, rnd *rand.Rand) (out []byte, lone bool) {
	var carry uint16
	for start, i := 0, 0; i <= len(raw); {
		if i == len(raw) || rnd.IntN(3) == 0 {
			var l bool
			piece := raw[start:i]
			if bytes.IndexByte(piece, '\\') < 0 {
				out, carry, l = AppendPlain(out, piece, carry)
			} else {
				out, carry, l = AppendUnescaped(out, piece, carry)
			}
			start, lone = i, lone || l
		}
		if i == len(raw) {
			break
		}
		if raw[i] == '\\' {
			_, n := unescape(raw[i:])
			i += n
		} else {
			_, n := utf8.DecodeRune(raw[i:])
			i += n
		}
	}
	out, l := AppendCarry(out, carry)
	return out, lone || l
}

func FuzzUnescape(f *testing.F) {
	f.Add([]byte(`a\n\ud83d\ude00é`), uint64(1))
	f.Add([]byte(`\ud83dx\ude00\ud83d\ud83d\ude00`), uint64(2))
	f.Add([]byte(`\u0000\/\\\" 0123456789`), uint64(3))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		AppendUnescaped(nil, raw, 0) // whatever it is
		quoted := AppendQuoted(nil, raw)
		var s string
		if err := json.Unmarshal(quoted, &s); err != nil || s != toRunes(raw) {
			t.Fatalf("%q: quoted %s, %v", raw, quoted, err)
		}
		doc := append(append([]byte{'"'}, raw...), '"')
		end, st := scanString(doc, 1)
		if st >= failed || end != len(doc)-1 {
			return
		}
		var want string
		if err := json.Unmarshal(doc, &want); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		out, carry, lone := AppendUnescaped(nil, raw, 0)
		out, l := AppendCarry(out, carry)
		lone = lone || l
		if string(out) != want {
			t.Fatalf("%q: got %q, want %q", raw, out, want)
		}
		if valid := Check(doc, 0) == nil; valid == lone {
			t.Fatalf("%q: lone %v, but valid %v", raw, lone, valid)
		}
		rnd := rand.New(rand.NewPCG(seed, 0))
		for range 4 {
			if got, gotLone := unescapeInPieces(raw, rnd); !bytes.Equal(got, out) || gotLone != lone {
				t.Fatalf("%q: in pieces %q %v, whole %q %v", raw, got, gotLone, out, lone)
			}
		}
	})
}

// toRunes replaces each invalid byte by U+FFFD.
func toRunes(b []byte) string { return string([]rune(string(b))) }

func TestUnescapeRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		doc := appendRandomString(nil, rnd)
		var want string
		if err := json.Unmarshal(doc, &want); err != nil {
			t.Fatal(err)
		}
		if got, _ := unescapeInPieces(doc[1:len(doc)-1], rnd); string(got) != want {
			t.Fatalf("%q: got %q, want %q", doc, got, want)
		}
		if back := AppendQuoted(nil, []byte(want)); !Equal(back, AppendQuoted(nil, appendText(nil, back[1:len(back)-1]))) {
			t.Fatalf("%q: quoted %s", want, back)
		}
	}
}

func FuzzSpells(f *testing.F) {
	for _, raw := range []string{``, `a`, `a\nb`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00x`, `\\\"`, "é", `\ud83d\n`, `\ud83d\ud83d\ude00`} {
		f.Add(raw, "a\nb")
	}
	f.Fuzz(func(t *testing.T, raw, other string) {
		var c Cursor
		c.Reset([]byte(`"` + raw + `"`))
		if _, _, ok := c.String(); !ok || !c.End() {
			t.Skip("no contents of a string")
		}
		text, carry, lone := AppendUnescaped(nil, []byte(raw), 0)
		if carry != 0 || lone {
			if Spells([]byte(raw), text) {
				t.Errorf("%q has a lone half, and spells %q", raw, text)
			}
			return
		}
		if !bytes.Contains(text, []byte(replacement)) && !Spells([]byte(raw), text) {
			t.Errorf("%q does not spell %q", raw, text)
		}
		if other != string(text) && Spells([]byte(raw), []byte(other)) {
			t.Errorf("%q spells %q", raw, other)
		}
	})
}
