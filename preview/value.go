package preview

import (
	"errors"
	"iter"
	"strconv"
	"strings"
)

// Value is a value of an unfinished document, as far as it has come. It is a look into its Document: what
// it shows grows with it. The zero Value is Pending.
//
// A Value is for eyes. It can't be passed to what takes a call or its arguments, and has no way to bytes,
// to JSON or to a Go number.
type Value struct {
	t *tree
	n int32
}

// node returns what the value is about, or a node that says nothing.
func (v Value) node() *node {
	if v.t == nil || int(v.n) >= len(v.t.nodes) || v.n == outside {
		return &node{}
	}
	return &v.t.nodes[v.n]
}

// Kind says what the value is; Pending until that is certain.
func (v Value) Kind() Kind { return v.node().kind }

// Whole reports whether all of the value is there. The call may fail nevertheless.
func (v Value) Whole() bool { return v.node().whole }

// Text is the characters of a string so far, unescaped, or a number or literal as it stands in the
// document. It makes no copy.
func (v Value) Text() string {
	n := v.node()
	if n.text.from == n.text.to {
		return ""
	}
	return v.t.cut(n.text)
}

// Len counts the members or elements so far.
func (v Value) Len() int { return int(v.node().size) }

// Name is the name of a member, unescaped; "" for an element and for the document.
func (v Value) Name() string {
	n := v.node()
	if n.name.from == n.name.to {
		return ""
	}
	return v.t.cut(n.name)
}

// Index counts the members of the object, or the elements of the array, that stand before the value.
func (v Value) Index() int { return int(v.node().index) }

// Children iterates over the members or elements so far, in the order of the document.
func (v Value) Children() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for n := v.first(); n != outside; n = v.t.nodes[n].next {
			if !yield(Value{v.t, n}) {
				return
			}
		}
	}
}

// first returns the place of the first child, which is the place behind the value.
func (v Value) first() int32 {
	if v.node().size == 0 {
		return outside
	}
	return v.n + 1
}

// Get returns the value at a path: the name of a member or the number of an element, from the outside in.
// It reports whether there is one yet. It walks over what stands before it.
func (v Value) Get(path ...string) (Value, bool) {
	for _, step := range path {
		var ok bool
		if v, ok = v.child(step); !ok {
			return Value{}, false
		}
	}
	return v, v.t != nil && int(v.n) < len(v.t.nodes)
}

func (v Value) child(step string) (Value, bool) {
	object := v.Kind() == Object
	at, err := strconv.Atoi(step)
	if !object && err != nil {
		return Value{}, false
	}
	for c := range v.Children() {
		if object && c.Name() == step || !object && c.Index() == at {
			return c, true
		}
	}
	return Value{}, false
}

// Pointer is the value's place in the document as a JSON Pointer (RFC 6901); "" for the document. It costs
// as much as it is long.
func (v Value) Pointer() string {
	var up []int32
	for n := v.n; n != outside && v.t != nil && int(n) < len(v.t.nodes); n = v.t.nodes[n].parent {
		up = append(up, n)
	}
	var b strings.Builder
	for i := len(up) - 2; i >= 0; i-- {
		b.WriteByte('/')
		if n := &v.t.nodes[up[i]]; v.t.nodes[n.parent].kind == Object {
			pointerEscaper.WriteString(&b, v.t.cut(n.name))
		} else {
			b.WriteString(strconv.Itoa(int(n.index)))
		}
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// String returns the value for display. What is not whole ends in "…" and is not closed, and names stand
// without quotes: it is no JSON, so that nobody takes it for arguments. It costs as much as it is long, so
// that who shows each piece of a long document wants Document.Changes.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

const more = "…"

func (v Value) write(b *strings.Builder) {
	switch v.Kind() {
	case Pending:
		b.WriteString(more)
	case Object:
		v.writeChildren(b, '{', '}')
	case Array:
		v.writeChildren(b, '[', ']')
	case String:
		q := strconv.Quote(v.Text())
		if !v.Whole() {
			q = q[:len(q)-1] + more
		}
		b.WriteString(q)
	default:
		b.WriteString(v.Text())
	}
}

// writeChildren goes as deep as Limits.Depth.
func (v Value) writeChildren(b *strings.Builder, left, right byte) {
	b.WriteByte(left)
	open := !v.Whole()
	for c := range v.Children() {
		if c.Index() > 0 {
			b.WriteString(", ")
		}
		if left == '{' {
			b.WriteString(c.Name())
			b.WriteString(": ")
		}
		c.write(b)
		open = open && c.Whole()
	}
	switch {
	case v.Whole():
		b.WriteByte(right)
	case open:
		b.WriteString(more)
	}
}

// errDisplay is what encoding/json says instead of writing {}, which would be a call without arguments.
var errDisplay = errors.New("preview: a preview is for display, and is not written as JSON")

// MarshalJSON refuses.
func (Value) MarshalJSON() ([]byte, error) { return nil, errDisplay }

// MarshalJSON refuses.
func (*Document) MarshalJSON() ([]byte, error) { return nil, errDisplay }

// MarshalJSON refuses.
func (Change) MarshalJSON() ([]byte, error) { return nil, errDisplay }
