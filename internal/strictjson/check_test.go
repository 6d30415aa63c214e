package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var valid = []string{
	`0`, `-0`, `1`, `-12.50e+7`, `0.1`, `0e0`, `1E5`, `1e-5`, `true`, `false`, `null`, `""`, `{}`, `[]`,
	" \t\r\n{} \n", `[1,2,[3,{}],"x"]`, `{"a":{"a":{"a":[]}}}`, `{"a":1,"b":[{"a":1},{"a":1}],"c":{"b":0}}`,
	`"\"\\\/\b\f\n\r\t\u0000\u00ff\uFFFF"`, `"\ud83d\ude00"`, `"\uD83D\uDE00\uD83D\uDE00"`, `"\ufffe"`,
	"\"\x7fé€😀\"", "\"\ue000\U0010ffff\"", `[ ]`, `{ }`, ` [ 1 , 2 ] `, ` { "a" : 1 , "b" : 2 } `,
	`{"":0}`, `{"a":0,"A":0}`, `{"\u0061":0,"b":0}`, `"\\uD800"`, `"\\\\"`, `"aaaaaaaaaaaaaaa\"aaaaaaaaaaaaaaaaaaaaaaa"`,
}

var invalid = []struct {
	doc  string
	kind Kind
	at   int
}{
	{``, Empty, 0}, {" \n", Empty, 2},
	{`{`, Incomplete, 1}, {`[`, Incomplete, 1}, {`"`, Incomplete, 1}, {`"abc`, Incomplete, 4}, {`"\`, Incomplete, 2},
	{`"\u12`, Incomplete, 5}, {`"\n`, Incomplete, 3}, {`-`, Incomplete, 1}, {`1.`, Incomplete, 2}, {`1e`, Incomplete, 2}, {`1e+`, Incomplete, 3},
	{`t`, Incomplete, 1}, {`fals`, Incomplete, 4}, {`{"a"`, Incomplete, 4}, {`{"a":`, Incomplete, 5}, {`{"a":1`, Incomplete, 6}, {`{"a":1,`, Incomplete, 7},
	{`[1`, Incomplete, 2}, {`[1,`, Incomplete, 3}, {`[[]`, Incomplete, 3}, {"\"\xe2\x82", Incomplete, 3}, {"\"\xf0", Incomplete, 2},
	{`x`, Syntax, 0}, {`,`, Syntax, 0}, {`]`, Syntax, 0}, {`}`, Syntax, 0}, {`+1`, Syntax, 0}, {`.5`, Syntax, 0}, {"\x00", Syntax, 0}, {"\v1", Syntax, 0}, {"\ufeff{}", Syntax, 0},
	{`trux`, Syntax, 3}, {`[tru]`, Syntax, 4}, {`nul1`, Syntax, 3}, {`TRUE`, Syntax, 0}, {`NaN`, Syntax, 0},
	{`01`, Syntax, 1}, {`-01`, Syntax, 2}, {`-x`, Syntax, 1}, {`1.x`, Syntax, 2}, {`[1.]`, Syntax, 3}, {`[1e]`, Syntax, 3}, {`[1e+]`, Syntax, 4}, {`--1`, Syntax, 1},
	{`[1,]`, Syntax, 3}, {`[,1]`, Syntax, 1}, {`[1 2]`, Syntax, 3}, {`[1}`, Syntax, 2}, {`{"a":1]`, Syntax, 6}, {`[1:2]`, Syntax, 2},
	{`{"a":1,}`, Syntax, 7}, {`{,}`, Syntax, 1}, {`{1:2}`, Syntax, 1}, {`{"a" 1}`, Syntax, 5}, {`{"a",1}`, Syntax, 4}, {`{"a":}`, Syntax, 5}, {`{"a":1 "b":2}`, Syntax, 7}, {`{"a"}`, Syntax, 4}, {`{a:1}`, Syntax, 1}, {`{]`, Syntax, 1}, {`[}`, Syntax, 1},
	{"\"\x1f\"", Syntax, 1}, {"\"aaaaaaaaaaa\n\"", Syntax, 12}, {`"a\x"`, Syntax, 2}, {`"\u12g4"`, Syntax, 1}, {`"\U0041"`, Syntax, 1}, {`'a'`, Syntax, 0}, {`"\'"`, Syntax, 1},
	{"\"a\x80\"", UTF8, 2}, {"\"\xc0\x80\"", UTF8, 1}, {"\"\xed\xa0\x80\"", UTF8, 1}, {"\"\xf4\x90\x80\x80\"", UTF8, 1}, {"\"é\xff\"", UTF8, 3}, {"\"\xe2\x82\"", UTF8, 1}, {"{\"\xff\":1}", UTF8, 2},
	{`"\ud800"`, Surrogate, 1}, {`"x\udc00"`, Surrogate, 2}, {`"\ud800\ud800"`, Surrogate, 1}, {`"\ud83d\ude00\ude00"`, Surrogate, 13}, {`"\ud800 \udc00"`, Surrogate, 1}, {`"\ud800\n"`, Surrogate, 1}, {`{"\ud800":1}`, Surrogate, 2}, {`["\uDBFF\uDFFF","\uDFFF"]`, Surrogate, 17},
	{`{"a":1,"a":2}`, Duplicate, 7}, {`{"a":1,"\u0061":2}`, Duplicate, 7}, {`{"\u0061":1,"b":0,"\u0061":2}`, Duplicate, 18}, {`{"":1,"":2}`, Duplicate, 6}, {`[{"x":{"a":1},"a":2,"x":3}]`, Duplicate, 20},
	{`{"abcdefgh":1,"abcdefgi":1,"abcdefgh":2}`, Duplicate, 27}, {`{"\ud83d\ude00":0,"😀":0}`, Duplicate, 18},
	{`1 2`, Trailing, 2}, {`{}{}`, Trailing, 2}, {`{} x`, Trailing, 3}, {`1,`, Trailing, 1}, {`truex`, Trailing, 4}, {`[]]`, Trailing, 2}, {"1\x00", Trailing, 1},
}

func TestCheckValid(t *testing.T) {
	for _, doc := range valid {
		if err := Check([]byte(doc), 10); err != nil {
			t.Errorf("%q: %v", doc, err)
		}
		if !oracle([]byte(doc)) {
			t.Errorf("%q: the oracle disagrees", doc)
		}
	}
}

func TestCheckInvalid(t *testing.T) {
	for _, c := range invalid {
		err := Check([]byte(c.doc), 10)
		var e *Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Offset != c.at || !errors.Is(err, c.kind) {
			t.Errorf("%q: got %v, want %v at %d", c.doc, err, c.kind, c.at)
		}
		if oracle([]byte(c.doc)) {
			t.Errorf("%q: the oracle disagrees", c.doc)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := Check([]byte(`[1,]`), 1)
	if got := err.Error(); got != "syntax at byte 3" {
		t.Errorf("got %q", got)
	}
	if errors.Is(err, UTF8) || Syntax.Error() != "syntax" {
		t.Error("kinds are mixed up")
	}
}

func TestCheckDepth(t *testing.T) {
	for _, c := range []struct {
		doc   string
		depth int
		at    int // of the failure, or -1
	}{
		{`1`, 0, -1}, {`"a"`, 0, -1}, {`{}`, 0, 0}, {`{}`, 1, -1}, {`[[]]`, 1, 1}, {`[[]]`, 2, -1}, {`{"a":[]}`, 1, 5}, {`[[],[],[[]]]`, 2, 8},
	} {
		err := Check([]byte(c.doc), c.depth)
		var e *Error
		if errors.As(err, &e); (c.at < 0) != (err == nil) || err != nil && *e != (Error{Depth, c.at}) {
			t.Errorf("%s to depth %d: %v", c.doc, c.depth, err)
		}
	}
	const n = 1_000_000
	for _, open := range []string{`[`, `{"a":`} {
		deep := strings.Repeat(open, n) + `0` + strings.Repeat(string(closing(open != `[`)), n)
		if err := Check([]byte(deep), n); err != nil {
			t.Error(err)
		}
		if err := Check([]byte(deep), n-1); !errors.Is(err, Depth) {
			t.Error(err)
		}
		if !Equal([]byte(deep), []byte(" "+deep)) {
			t.Error("a deep document does not equal itself")
		}
	}
}

// TestCheckManyNames goes through the hash table: at each size it repeats some of
// the names, also with others nested between them.
func TestCheckManyNames(t *testing.T) {
	var c Checker
	for _, n := range []int{7, 8, 9, 10, 15, 16, 17, 18, 33, 64, 65, 1000} {
		var b strings.Builder
		b.WriteString(`{`)
		for i := range n {
			fmt.Fprintf(&b, `"n\u00e9%d":{"n\u00e9%d":%d,"x":[{}]},`, i, i, i)
			if i == n/2 {
				fmt.Fprintf(&b, `"inner":%s,`, manyNames(20))
			}
		}
		if err := c.Check([]byte(b.String()+`"x":0}`), 10); err != nil {
			t.Errorf("%d names: %v", n, err)
		}
		for i := 0; i < n; i += 1 + n/50 {
			err := c.Check([]byte(b.String()+`"né`+strconv.Itoa(i)+`":0}`), 10)
			var e *Error
			if !errors.As(err, &e) || *e != (Error{Duplicate, b.Len()}) {
				t.Errorf("%d names, number %d twice: %v", n, i, err)
			}
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"a%d":%d`, i, i)
	}
	return `{` + b.String()[1:] + `}`
}

func TestCheckPrefixes(t *testing.T) {
	doc := []byte(` {"a\u00e9":[1.5e3,true,{"x":null,"é€😀":"\ud83d\ude00"}],"b":false} `)
	for n := range len(doc) - 2 {
		want := Incomplete
		if n < 2 {
			want = Empty
		}
		err := Check(doc[:n], 10)
		var e *Error
		if !errors.As(err, &e) || *e != (Error{want, n}) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestCheckAllocs(t *testing.T) {
	var c Checker
	docs := [][]byte{[]byte(manyNames(500)), benchDense[:], []byte(`{"a\n":{"b\t":[[[]]]},"c":"\ud83d\ude00"}`)}
	if n := testing.AllocsPerRun(10, func() {
		for _, d := range docs {
			if err := c.Check(d, 100); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// oracle returns whether jsontext takes doc as exactly one value.
func oracle(doc []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(doc))
	if _, err := d.ReadValue(); err != nil {
		return false
	}
	_, err := d.ReadToken()
	return err == io.EOF
}

// TestCheckRandom compares with jsontext on documents near the border of validity.
func TestCheckRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var accepted int
	for range 100_000 {
		doc := randomDoc(rnd)
		got, want := Check(doc, math.MaxInt) == nil, oracle(doc)
		if got != want {
			t.Fatalf("%q: got %v, the oracle says %v", doc, got, want)
		}
		if got {
			accepted++
		}
	}
	if accepted < 10_000 || accepted > 90_000 {
		t.Errorf("%d of 100000 documents were valid, which tests little", accepted)
	}
}

// randomDoc returns a small document that is often valid.
func randomDoc(rnd *rand.Rand) []byte {
	doc := appendRandom(nil, rnd, 4)
	if rnd.IntN(2) == 0 {
		return doc
	}
	const bytes = "{}[],:\"\\ \nuedDcC80019.-+tfnrab\x00\x1f\x7f\x80\xbf\xc3\xa9\xe2\xed\xf0\xf4\xff"
	for range 1 + rnd.IntN(2) {
		at, b := rnd.IntN(len(doc)+1), bytes[rnd.IntN(len(bytes))]
		switch {
		case rnd.IntN(3) == 0 || at == len(doc):
			doc = append(doc[:at:at], append([]byte{b}, doc[at:]...)...)
		case rnd.IntN(2) == 0:
			doc = append(doc[:at:at], doc[at+1:]...)
		default:
			doc[at] = b
		}
		if len(doc) == 0 {
			break
		}
	}
	return doc
}

func appendRandom(dst []byte, rnd *rand.Rand, depth int) []byte {
	dst = appendRandomSpace(dst, rnd)
	n := rnd.IntN(12)
	if depth == 0 {
		n = 4 + n%8
	}
	switch {
	case n < 2:
		dst = append(dst, '{')
		for i := range rnd.IntN(4) * (1 + rnd.IntN(4)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendRandomSpace(dst, rnd)
			dst = appendRandomString(dst, rnd)
			dst = append(appendRandomSpace(dst, rnd), ':')
			dst = appendRandom(dst, rnd, depth-1)
		}
		dst = append(appendRandomSpace(dst, rnd), '}')
	case n < 4:
		dst = append(dst, '[')
		for i := range rnd.IntN(5) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendRandom(dst, rnd, depth-1)
		}
		dst = append(appendRandomSpace(dst, rnd), ']')
	case n < 8:
		dst = appendRandomString(dst, rnd)
	default:
		words := []string{"true", "false", "null", "0", "-0", "17", "-1.5", "1e9", "0.25E-3", "9223372036854775807", "123456789012345678901"}
		dst = append(dst, words[rnd.IntN(len(words))]...)
	}
	return appendRandomSpace(dst, rnd)
}

func appendRandomSpace(dst []byte, rnd *rand.Rand) []byte {
	for rnd.IntN(8) == 0 {
		dst = append(dst, " \t\r\n"[rnd.IntN(4)])
	}
	return dst
}

func appendRandomString(dst []byte, rnd *rand.Rand) []byte {
	pieces := []string{`a`, `b`, `xyz`, `0123456789abcdef`, `\n`, `\"`, `\\`, `\u0061`, `\u00e9`, `é`, `€`, `😀`, `\ud83d\ude00`, `\/`, ` `, "\x7f", `\u2028`}
	dst = append(dst, '"')
	for range rnd.IntN(5) {
		dst = append(dst, pieces[rnd.IntN(len(pieces))]...)
	}
	if rnd.IntN(50) == 0 {
		dst = append(dst, []string{`\ud83d`, `\udc00`}[rnd.IntN(2)]...)
	}
	return append(dst, '"')
}

func FuzzCheck(f *testing.F) {
	for _, s := range valid {
		f.Add([]byte(s))
	}
	for _, c := range invalid {
		f.Add([]byte(c.doc))
	}
	f.Add([]byte(manyNames(12)))
	var c Checker
	f.Fuzz(func(t *testing.T, doc []byte) {
		if bytes.Count(doc, []byte("["))+bytes.Count(doc, []byte("{")) > 9000 {
			return // the oracle has a limit
		}
		err := Check(doc, math.MaxInt)
		if want := oracle(doc); want != (err == nil) {
			t.Fatalf("%q: got %v, the oracle says %v", doc, err, want)
		}
		again := c.Check(doc, math.MaxInt)
		if fmt.Sprint(err) != fmt.Sprint(again) {
			t.Fatalf("%q: %v, with a used Checker %v", doc, err, again)
		}
		var e *Error
		if errors.As(err, &e) {
			if e.Offset < 0 || e.Offset > len(doc) || (e.Kind == Incomplete || e.Kind == Empty) != (e.Offset == len(doc)) {
				t.Fatalf("%q: %v", doc, err)
			}
			return
		}
		canon, err := AppendCanonical(nil, doc)
		if err != nil || !oracle(canon) || !Equal(canon, doc) {
			t.Fatalf("%q: canonical %q, %v", doc, canon, err)
		}
		if twice, _ := AppendCanonical(nil, canon); !bytes.Equal(twice, canon) {
			t.Fatalf("%q: canonical %q, and again %q", doc, canon, twice)
		}
	})
}
