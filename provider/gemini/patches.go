package gemini

import (
	"bytes"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// document builds the arguments of one call out of the patches that they come in. Each says what stands
// at one path. The document is what the patches say in their order: its members stand in the order in
// which they were first named, its numbers and strings are spelt as they came.
//
// A patch that contradicts an earlier one breaks the document, and nothing mends it: a value where
// another one stands, a member of what is no object, an element behind a gap, another type on the path
// of a string that goes on. The time is linear in the patches, and so is the memory, up to the default
// bound on a document.
type document struct {
	nodes []docNode
	index map[docMember]int32
	size  int
	open  int // strings that go on
	// fault is what broke the document, as the name of a deviation, or "".
	fault string

	path []byte // of the last patch
	at   int32  // what it names
	name []byte // scratch
}

// docNode is a value of the document.
type docNode struct {
	kind docKind
	name []byte  // where it is a member of an object
	kids []int32 // members or elements, in order
	data []byte  // a string's inside, or another value as it stood
}

type docMember struct {
	parent int32
	name   string
}

type docKind uint8

const (
	unknownValue docKind = iota // named as a parent, by the path that is being read
	objectValue
	arrayValue
	openString
	wholeString
	plainValue
)

// nodeCost is what a node counts towards the bound, beside its bytes.
const nodeCost = 64

// empty reports whether there was no patch.
func (d *document) empty() bool { return len(d.nodes) == 0 && d.fault == "" }

// reset begins a new document.
func (d *document) reset() { *d = document{path: d.path[:0], name: d.name[:0]} }

// apply adds what a patch says.
func (d *document) apply(p *patch) {
	if d.fault != "" {
		return
	}
	if len(d.nodes) == 0 {
		d.nodes = append(d.nodes, docNode{kind: objectValue})
	}
	node, ok := d.find(p.path)
	if !ok {
		return
	}
	if d.size += len(p.value.raw); d.size > wholecall.DefaultDocumentBytes {
		d.fault = longPatches
		return
	}
	d.set(&d.nodes[node], p)
}

func (d *document) set(n *docNode, p *patch) {
	goesOn := n.kind == openString && p.kind == stringPatch
	switch {
	case n.kind != unknownValue && !goesOn, p.more && p.kind != stringPatch:
		d.fault = contradictingPatch
	case p.kind == stringPatch:
		n.data = append(n.data, p.value.raw...)
		d.strings(n, p.more)
	default:
		n.kind, n.data = plainValue, append(n.data, p.value.raw...)
	}
}

// strings keeps count of the strings that go on.
func (d *document) strings(n *docNode, more bool) {
	if n.kind == openString {
		d.open--
	}
	n.kind = wholeString
	if more {
		n.kind = openString
		d.open++
	}
}

// find returns the value that a path names, and makes it where it is not there yet.
func (d *document) find(path []byte) (int32, bool) {
	if d.at != 0 && string(path) == string(d.path) {
		return d.at, true
	}
	steps := pathSteps{rest: path, name: d.name}
	at, depth := int32(0), 1
	for ok := steps.begin(); ok && d.fault == ""; ok = steps.more() {
		if depth++; !steps.next() || depth > wholecall.DefaultDepth {
			d.fault = unreadPath
			break
		}
		at = d.child(at, &steps)
	}
	d.name = steps.name
	if at == 0 && d.fault == "" {
		d.fault = unreadPath
	}
	if d.fault != "" {
		return 0, false
	}
	d.path, d.at = append(d.path[:0], path...), at
	return at, true
}

// child returns the member or element that a step names, and makes it where it is not there yet.
func (d *document) child(parent int32, s *pathSteps) int32 {
	n := &d.nodes[parent]
	want := objectValue
	if s.element {
		want = arrayValue
	}
	if n.kind == unknownValue {
		n.kind = want
	}
	switch {
	case n.kind != want, s.element && s.index > len(n.kids):
		d.fault = contradictingPatch
		return 0
	case s.element && s.index < len(n.kids):
		return n.kids[s.index]
	case s.element:
		return d.add(parent, s)
	}
	if kid, ok := d.index[docMember{parent, string(s.name)}]; ok {
		return kid
	}
	return d.add(parent, s)
}

func (d *document) add(parent int32, s *pathSteps) int32 {
	d.size += nodeCost
	node := docNode{}
	kid := int32(len(d.nodes))
	if !s.element {
		d.size += len(s.name)
		node.name = bytes.Clone(s.name)
		if d.index == nil {
			d.index = map[docMember]int32{}
		}
		d.index[docMember{parent, string(s.name)}] = kid
	}
	d.nodes = append(d.nodes, node)
	n := &d.nodes[parent]
	n.kids = append(n.kids, kid)
	return kid
}

// end ends the document. A string that was to go on breaks it.
func (d *document) end() {
	if d.fault == "" && d.open > 0 {
		d.fault = unclosedString
	}
}

// appendTo appends the document. A broken one lacks its last brace, so that it is taken for nothing but
// what there was of it.
func (d *document) appendTo(dst []byte) []byte {
	if len(d.nodes) > 0 {
		dst = d.appendValue(dst, 0)
	}
	if d.fault != "" && len(dst) > 0 {
		dst = dst[:len(dst)-1]
	}
	return dst
}

func (d *document) appendValue(dst []byte, at int32) []byte {
	n := &d.nodes[at]
	switch n.kind {
	case objectValue, arrayValue:
		return d.appendKids(dst, n)
	case openString, wholeString:
		return appendInside(dst, text{raw: n.data})
	case unknownValue:
		return append(dst, "null"...)
	}
	return append(dst, n.data...)
}

// appendKids appends an object or an array. It is nested as deep as a path is long, which is bounded.
func (d *document) appendKids(dst []byte, n *docNode) []byte {
	brackets := "{}"
	if n.kind == arrayValue {
		brackets = "[]"
	}
	dst = append(dst, brackets[0])
	for i, kid := range n.kids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == objectValue {
			dst = append(strictjson.AppendQuoted(dst, d.nodes[kid].name), ':')
		}
		dst = d.appendValue(dst, kid)
	}
	return append(dst, brackets[1])
}
