package strictjson

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// Equal returns whether both documents pass Check (at any depth) and are the same
// JSON value: members in any order, strings and names compared after unescaping,
// numbers by their exact decimal value, so that 1, 1.0 and 10e-1 are equal, and 0
// and -0. A number whose written exponent lies beyond ±10000 is only equal to one
// written in the same way, unless it is zero.
func Equal(a, b []byte) bool {
	if Check(a, math.MaxInt) != nil {
		return false
	}
	if bytes.Equal(a, b) {
		return true
	}
	if Check(b, math.MaxInt) != nil {
		return false
	}
	return bytes.Equal(appendTree(nil, a, appendValueOf), appendTree(nil, b, appendValueOf))
}

// AppendCanonical appends doc in canonical form: members sorted by the code points
// of their unescaped names, no white space, numbers as they are written, strings as
// AppendQuoted writes them. It returns dst as it was and an *Error if doc does not
// pass Check (at any depth).
//
// This is not the canonical form of RFC 8785, which rewrites numbers and sorts by
// UTF-16 code units.
func AppendCanonical(dst, doc []byte) ([]byte, error) {
	if err := Check(doc, math.MaxInt); err != nil {
		return dst, err
	}
	return appendTree(dst, doc, appendAsWritten), nil
}

// node is a value in a document, with its name if it is a member.
type node struct {
	name  []byte // unescaped
	open  byte   // '{', '[' or 0 for a scalar
	text  []byte // of a scalar: its bytes
	first int    // the children are tree.nodes[first:end], those of an object sorted
	end   int
}

// tree is a document whose containers' children lie next to each other.
type tree struct {
	nodes   []node // the children of all containers that have been closed
	pending []node // the children so far of those that are open, and these themselves
	parents []int  // where in pending these are
	name    []byte // of the member whose value is next
}

// appendTree appends the checked document doc with sorted members. It neither
// recurses nor takes more than linear time but for the sorting.
func appendTree(dst, doc []byte, number func(dst, s []byte) []byte) []byte {
	var t tree
	for i := 0; i < len(doc); {
		i = t.token(doc, i)
	}
	t.nodes = append(t.nodes, t.pending[0])
	return t.append(dst, number)
}

// token takes in the token at doc[i] and returns the place behind it.
func (t *tree) token(doc []byte, i int) int {
	switch ch := doc[i]; ch {
	case ' ', '\n', '\r', '\t', ',', ':':
		return i + 1
	case '{', '[':
		t.add(node{open: ch})
		t.parents = append(t.parents, len(t.pending)-1)
		return i + 1
	case '}', ']':
		t.close()
		return i + 1
	}
	end, _ := scanScalar(doc, i)
	if doc[i] == '"' && t.wantsName() {
		t.name = appendText([]byte{}, doc[i+1:end-1])
	} else {
		t.add(node{text: doc[i:end]})
	}
	return end
}

// wantsName returns whether a member's name is due.
func (t *tree) wantsName() bool {
	n := len(t.parents)
	return n > 0 && t.pending[t.parents[n-1]].open == '{' && t.name == nil
}

func (t *tree) add(n node) {
	n.name, t.name = t.name, nil
	t.pending = append(t.pending, n)
}

// close moves the children of the innermost container to their final place.
func (t *tree) close() {
	at := t.parents[len(t.parents)-1]
	t.parents = t.parents[:len(t.parents)-1]
	p, children := &t.pending[at], t.pending[at+1:]
	if p.open == '{' {
		// UTF-8 sorts by code point.
		slices.SortFunc(children, func(a, b node) int { return bytes.Compare(a.name, b.name) })
	}
	p.first = len(t.nodes)
	t.nodes = append(t.nodes, children...)
	p.end = len(t.nodes)
	t.pending = t.pending[:at+1]
}

// append writes the tree, whose root is the last node.
func (t *tree) append(dst []byte, number func(dst, s []byte) []byte) []byte {
	type rest struct {
		next, end int
		close     byte
	}
	dst, text := appendNode(dst, nil, &t.nodes[len(t.nodes)-1], number)
	stack := []rest{}
	descend := func(n *node) {
		if n.open != 0 {
			stack = append(stack, rest{n.first, n.end, closing(n.open == '{')})
		}
	}
	descend(&t.nodes[len(t.nodes)-1])
	for len(stack) > 0 {
		r := &stack[len(stack)-1]
		if r.next == r.end {
			dst = append(dst, r.close)
			stack = stack[:len(stack)-1]
			continue
		}
		n := &t.nodes[r.next]
		if last := dst[len(dst)-1]; last != '{' && last != '[' {
			dst = append(dst, ',')
		}
		r.next++
		dst, text = appendNode(dst, text, n, number)
		descend(n)
	}
	return dst
}

// appendNode writes a node's name, and its scalar or opening bracket. text is
// memory to use again.
func appendNode(dst, text []byte, n *node, number func(dst, s []byte) []byte) (out, text2 []byte) {
	if n.name != nil {
		dst = append(AppendQuoted(dst, n.name), ':')
	}
	switch {
	case n.open != 0:
		return append(dst, n.open), text
	case n.text[0] == '"':
		text = appendText(text[:0], n.text[1:len(n.text)-1])
		return AppendQuoted(dst, text), text
	case n.text[0] == '-' || n.text[0]-'0' <= 9:
		return number(dst, n.text), text
	}
	return append(dst, n.text...), text
}

// appendAsWritten is how AppendCanonical writes a number.
func appendAsWritten(dst, s []byte) []byte { return append(dst, s...) }

// appendValueOf writes a number so that equal values have equal forms: its
// significant digits as an integer and a decimal exponent.
func appendValueOf(dst, s []byte) []byte {
	const bound = 10000
	written := s
	neg := s[0] == '-'
	if neg {
		s = s[1:]
	}
	mantissa, exponent := s, 0
	inBounds := true
	if e := bytes.IndexAny(s, "eE"); e >= 0 {
		var err error
		mantissa = s[:e]
		exponent, err = strconv.Atoi(string(s[e+1:]))
		inBounds = err == nil && -bound <= exponent && exponent <= bound
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(slices.Clone(whole), fraction...)
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return append(dst, '0')
	}
	if !inBounds {
		return append(dst, written...)
	}
	exponent -= len(fraction)
	significant := bytes.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	if neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, significant...), 'e')
	return strconv.AppendInt(dst, int64(exponent), 10)
}
