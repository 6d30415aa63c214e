package preview

// What says what happened to a value.
type What uint8

// What happens to values, in the order in which it happens to one.
const (
	// Named: a member has its name, and nothing of its value is known yet. It is left out where the value
	// follows in the same look.
	Named What = iota + 1
	// Opened: an object, array or string begins, and is empty. It is a new element, a new member, the
	// document, or a member that was Named.
	Opened
	// Grew: a string has more characters at its end. Text has them.
	Grew
	// Certain: a number or literal is there. Text has it.
	Certain
	// Closed: an object, array or string is whole.
	Closed
)

// String returns the word for it.
func (w What) String() string {
	switch w {
	case Named:
		return "named"
	case Opened:
		return "opened"
	case Grew:
		return "grew"
	case Certain:
		return "certain"
	case Closed:
		return "closed"
	}
	return "unknown"
}

// Change is one thing that has changed since the last look.
type Change struct {
	What What
	// Value is what it happened to. It shows what there is now, which may be more.
	Value Value
	// Text is what has come: see Grew and Certain.
	Text string
}

// Pointer is the place of the value as a JSON Pointer.
func (c Change) Pointer() string { return c.Value.Pointer() }

// String returns the change for display.
func (c Change) String() string {
	s := c.What.String() + " " + c.Pointer()
	switch c.What {
	case Opened:
		s += " " + c.Value.Kind().String()
	case Grew, Certain:
		s += " " + c.Text
	}
	return s
}

// look is how much of a tree was told. Since the values stand in the order of the document, and grow at
// the end alone, a place is enough: nothing is noted when a piece is added.
type look struct {
	at   int32 // the innermost value that is not told to be whole
	told int32 // the values that were told of
	kind Kind  // what at was told to be
	text int32 // where the characters of at end that were told
}

// next returns the next change, and reports whether there is one.
func (l *look) next(t *tree) (Change, bool) {
	if len(t.nodes) == 0 {
		return Change{}, false
	}
	n := &t.nodes[l.at]
	switch {
	case l.at == outside:
	case l.kind == Pending && n.kind != Pending:
		return l.known(t, n), true
	case n.kind == String && l.text < n.text.to:
		c := Change{Grew, Value{t, l.at}, t.cut(span{l.text, n.text.to})}
		l.text = n.text.to
		return c, true
	}
	if next := l.told + 1; int(next) < len(t.nodes) && t.nodes[next].parent == l.at {
		l.at, l.told, l.kind = next, next, Pending
		if n := &t.nodes[next]; n.kind != Pending {
			return l.known(t, n), true
		}
		return Change{What: Named, Value: Value{t, next}}, true
	}
	if l.at == outside || !n.whole {
		return Change{}, false
	}
	c := Change{What: Closed, Value: Value{t, l.at}}
	l.leave(t, n)
	return c, true
}

// known tells what the value at l.at is.
func (l *look) known(t *tree, n *node) Change {
	v := Value{t, l.at}
	switch n.kind {
	case Object, Array, String:
		l.kind, l.text = n.kind, n.text.from
		return Change{What: Opened, Value: v}
	}
	l.leave(t, n)
	return Change{Certain, v, t.cut(n.text)}
}

// leave goes on with the value around n.
func (l *look) leave(t *tree, n *node) {
	l.at = n.parent
	l.kind = t.nodes[l.at].kind
}
