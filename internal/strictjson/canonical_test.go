package strictjson

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1`, `10e-1`, true}, {`1`, `1e0`, true}, {`100`, `1E+2`, true}, {`0`, `-0.0e5`, true}, {`1`, `-1`, false},
		{`0.1`, `0.10`, true}, {`0.1`, `0.01`, false}, {`12345678901234567890`, `12345678901234567891`, false},
		{`1e400`, `10e399`, true}, {`1e10001`, `1e10001`, true}, {`1e10001`, `1.0e10001`, false}, {`0e99999999999999999999`, `0`, true},
		{`1e10000`, `10e9999`, true}, {`1e99999999999999999999`, `1e99999999999999999998`, false},
		{`{"a":1,"b":[1,2]}`, ` { "b":[1.0,2], "\u0061":1 }`, true}, {`[1,2]`, `[2,1]`, false}, {`{"a":1}`, `{"a":1,"b":1}`, false},
		{`{"a":null}`, `{}`, false}, {`"\u00e9\/"`, `"é/"`, true}, {`"1"`, `1`, false}, {`[]`, `{}`, false}, {`[[],[]]`, `[[[]]]`, false}, {`"e"`, `"E"`, false},
		{`{"a":{"c":1,"b":2}}`, `{"a":{"b":2,"c":1}}`, true}, {`true`, `true `, true}, {`true`, `false`, false},
		{`{`, `{`, false}, {`1`, `1 1`, false}, {`{"a":1,"a":1}`, `{"a":1,"a":1}`, false}, {`1`, ``, false}, {``, ``, false},
	} {
		if got := Equal([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: got %v", c.a, c.b, got)
		}
		if Equal([]byte(c.a), []byte(c.b)) != Equal([]byte(c.b), []byte(c.a)) {
			t.Errorf("%s and %s: not symmetric", c.a, c.b)
		}
	}
}

// TestEqualNumbers compares with exact rational arithmetic.
func TestEqualNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	number := func() string {
		parts := [][]string{{"", "-"}, {"0", "1", "10", "100", "12"}, {"", ".0", ".1", ".10", ".01", ".2"}, {"", "e0", "e1", "E-1", "e+2", "e-02"}}
		var s string
		for _, p := range parts {
			s += p[rnd.IntN(len(p))]
		}
		return s
	}
	value := func(s string) *big.Rat {
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%s is no number", s)
		}
		return r
	}
	for range 50_000 {
		a, b := number(), number()
		if got, want := Equal([]byte(a), []byte(b)), value(a).Cmp(value(b)) == 0; got != want {
			t.Fatalf("%s and %s: got %v", a, b, got)
		}
	}
}

func TestAppendCanonical(t *testing.T) {
	for _, c := range [][2]string{
		{` { "b" : 1.0 , "a" : [ ] } `, `{"a":[],"b":1.0}`},
		{`[{},{"x":{}},[[]],"",null,-0]`, `[{},{"x":{}},[[]],"",null,-0]`},
		{`"\u00e9\/\u2028<\u0001\u007f"`, "\"é/\u2028<\\u0001\x7f\""},
		{"{\"\U0001F600\":1,\"\ufb01\":2,\"\":3}", "{\"\":3,\"\ufb01\":2,\"\U0001F600\":1}"}, // UTF-16 would sort these the other way
		{`{"\"":{"z":1,"y":[{"b":0,"a":0}]},"!":0}`, `{"!":0,"\"":{"y":[{"a":0,"b":0}],"z":1}}`},
		{`7`, `7`},
	} {
		got, err := AppendCanonical([]byte("["), []byte(c[0]))
		if string(got) != "["+c[1] || err != nil {
			t.Errorf("%s: got %s, %v", c[0], got, err)
		}
	}
	for _, c := range invalid {
		got, err := AppendCanonical([]byte("x"), []byte(c.doc))
		if string(got) != "x" || !errors.Is(err, c.kind) {
			t.Errorf("%q: got %q, %v", c.doc, got, err)
		}
	}
}

// TestAppendCanonicalDeep would take for ever if members were moved at each level.
func TestAppendCanonicalDeep(t *testing.T) {
	const n = 200_000
	doc := strings.Repeat(`{"b":`, n) + `0` + strings.Repeat(`,"a":0}`, n)
	want := strings.Repeat(`{"a":0,"b":`, n) + `0` + strings.Repeat(`}`, n)
	if got, err := AppendCanonical(nil, []byte(doc)); err != nil || string(got) != want {
		t.Error("wrong form", err)
	}
}

func TestEqualRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var docs [][]byte
	for len(docs) < 300 {
		if d := appendRandom(nil, rnd, 3); Check(d, 9) == nil {
			docs = append(docs, d)
		}
	}
	for _, a := range docs {
		ca, _ := AppendCanonical(nil, a)
		if !Equal(a, a) || !Equal(a, ca) || !Equal(ca, a) {
			t.Fatalf("%s does not equal itself", a)
		}
		for _, b := range docs {
			cb, _ := AppendCanonical(nil, b)
			if bytes.Equal(ca, cb) && !Equal(a, b) || Equal(a, b) != Equal(b, a) {
				t.Fatalf("%s and %s", a, b)
			}
		}
	}
}
