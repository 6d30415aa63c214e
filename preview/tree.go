package preview

import "strings"

// Kind is the kind of a value.
type Kind uint8

// The kinds of value.
const (
	Pending Kind = iota // nothing of it is certain yet
	Object
	Array
	String
	Number
	Bool
	Null
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Pending:
		return "pending"
	case Object:
		return "object"
	case Array:
		return "array"
	case String:
		return "string"
	case Number:
		return "number"
	case Bool:
		return "bool"
	case Null:
		return "null"
	}
	return "unknown"
}

// span is a piece of the tree's text.
type span struct{ from, to int32 }

// node is one value. A value's first child stands right behind it, and the others follow by next: nodes
// stand in the order in which the document has them, and are never moved or taken away.
type node struct {
	parent, next, last int32 // by place in nodes; 0 where there is none
	size               int32 // of an object or array: its children
	index              int32 // among the children of its parent
	name               span  // of a member
	text               span  // of a string, number or literal
	kind               Kind
	whole              bool
}

// outside is the node that stands for what is around the document. The document itself comes next.
const (
	outside = iota
	root
)

// tree is the values so far.
type tree struct {
	nodes []node
	// open is the innermost value that is not whole.
	open int32
	// text is the characters of all names and values so far. It only grows, so that a string cut out of
	// it stays what it is.
	text strings.Builder
}

func (t *tree) length() int32 { return int32(t.text.Len()) }

// cut returns the characters of a span, without a copy.
func (t *tree) cut(s span) string { return t.text.String()[s.from:s.to] }

// add adds a value to the open one, and makes it the open one.
func (t *tree) add(n node) {
	at := int32(len(t.nodes))
	up := &t.nodes[t.open]
	if up.size > 0 {
		t.nodes[up.last].next = at
	}
	n.parent, n.index = t.open, up.size
	up.last, up.size = at, up.size+1
	t.nodes = append(t.nodes, n)
	t.open = at
}

// close makes the open value whole.
func (t *tree) close() {
	n := &t.nodes[t.open]
	n.whole = true
	t.open = n.parent
}
