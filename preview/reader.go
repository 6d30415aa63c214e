package preview

import (
	"fmt"

	"github.com/wholecall/wholecall"
)

// Error says why a preview stopped growing.
type Error struct {
	// Kind is what the call will most likely fail with: InvalidJSON, InvalidUTF8, LoneSurrogate,
	// DuplicateMember, TrailingData or TooDeep. DocumentTooLong says that Limits.Bytes or Limits.Values
	// is passed.
	Kind wholecall.Kind
	// At is the place in the document, in bytes, at which there was no more doubt.
	At int
}

// Error returns the kind and the place, and nothing of the document.
func (e *Error) Error() string { return fmt.Sprintf("the preview stops: %s at byte %d", e.Kind, e.At) }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// state is what the next byte may be.
type state uint8

const (
	atStart     state = iota // nothing was added yet
	atValue                  // a value begins
	atElement                // behind [: an element begins, or ]
	atFirstName              // behind {: a name begins, or }
	atName                   // behind a comma in an object
	atColon                  // behind a name
	atNext                   // behind a value: a comma, or what closes the value around it
	atEnd                    // behind the document
	inText                   // inside a string or a name
	inEscape                 // behind a backslash
	inHex                    // behind \u and some of its four digits
	atLow                    // behind the first half of a surrogate pair: \
	inLow                    // and now u
	inNumber
	inWord
	inFree // free text
	stopped
)

// reader reads the document. It goes on where it stopped, and looks at no byte twice.
type reader struct {
	state state
	lim   Limits
	off   int // bytes of the pieces before
	depth int
	err   *Error

	name   bool    // the text is a name
	from   int32   // where the name, number or literal begins in the tree's text
	held   [4]byte // a UTF-8 sequence that is not whole
	nheld  int
	hex    rune // of a \u escape
	digits int  // of it, so far
	high   rune // half of a surrogate pair that waits for its other half
	number numberState
	word   string // the literal that is read
	have   int    // of it, so far

	// names has the members of objects with more than fewNames.
	names map[member]struct{}
}

// member is a name in an object, which is known by its place in the tree.
type member struct {
	object int32
	name   string
}

// fewNames is how many names are compared one by one.
const fewNames = 8

// begin makes the reader and the tree ready.
func (r *reader) begin(t *tree, lim Limits, free bool) {
	r.lim, r.state = lim.filled(), atValue
	t.nodes = append(t.nodes, node{})
	if free {
		t.add(node{kind: String})
		r.state = inFree
	}
}

// fail stops the preview. It returns a place behind every piece.
func (r *reader) fail(k wholecall.Kind, at int) int {
	r.err, r.state = &Error{Kind: k, At: r.off + at}, stopped
	return maxInt
}

const maxInt = int(^uint(0) >> 1)

// add reads the next piece.
func (r *reader) add(t *tree, p []byte) {
	if r.state == stopped {
		return
	}
	long := len(p) > r.lim.Bytes-r.off
	if long {
		p = p[:r.lim.Bytes-r.off]
	}
	i := 0
	if r.nheld > 0 {
		i = r.sequence(t, p)
	}
	for i < len(p) {
		i = r.step(t, p, i)
	}
	if r.err != nil {
		return
	}
	if long {
		r.fail(wholecall.DocumentTooLong, len(p))
	}
	r.off += len(p)
}

// step reads at least one byte of p from i on, and returns the place behind what it has read.
func (r *reader) step(t *tree, p []byte, i int) int {
	switch r.state {
	case inText:
		return r.text(t, p, i)
	case inNumber:
		return r.digitsOf(t, p, i)
	case inFree:
		return r.run(t, p, i, &free)
	case inEscape, inHex, atLow, inLow:
		return r.escape(t, p, i)
	case inWord:
		return r.literal(t, p, i)
	}
	ch := p[i]
	if ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t' {
		return i + 1
	}
	switch r.state {
	case atValue, atElement:
		if r.state == atElement && ch == ']' {
			return r.closed(t, i)
		}
		return r.value(t, ch, i)
	case atFirstName, atName:
		switch {
		case ch == '"':
			r.from, r.name, r.state = t.length(), true, inText
			return i + 1
		case ch == '}' && r.state == atFirstName:
			return r.closed(t, i)
		}
	case atColon:
		if ch == ':' {
			r.state = atValue
			return i + 1
		}
	case atNext:
		object := t.nodes[t.open].kind == Object
		switch {
		case ch == ',' && object:
			r.state = atName
			return i + 1
		case ch == ',':
			r.state = atValue
			return i + 1
		case ch == '}' && object, ch == ']' && !object:
			return r.closed(t, i)
		}
	case atEnd:
		return r.fail(wholecall.TrailingData, i)
	}
	return r.fail(wholecall.InvalidJSON, i)
}

// value begins a value with its first byte.
func (r *reader) value(t *tree, ch byte, i int) int {
	switch {
	case ch == '{' || ch == '[':
		return r.opened(t, ch, i)
	case ch == '"':
		if !r.show(t, String, i) {
			return maxInt
		}
		at := t.length()
		t.nodes[t.open].text = span{at, at}
		r.name, r.state = false, inText
	case ch == '-':
		r.from, r.number, r.state = t.length(), minus, inNumber
		t.text.WriteByte(ch)
	case ch-'0' <= 9:
		r.from, r.number, r.state = t.length(), digits, inNumber
		if ch == '0' {
			r.number = zero
		}
		t.text.WriteByte(ch)
	case ch == 't':
		r.word, r.have, r.state = "true", 0, inWord
		return i // which is read once more, by literal
	case ch == 'f':
		r.word, r.have, r.state = "false", 0, inWord
		return i
	case ch == 'n':
		r.word, r.have, r.state = "null", 0, inWord
		return i
	default:
		return r.fail(wholecall.InvalidJSON, i)
	}
	return i + 1
}

// show makes the value that begins part of the tree, as the open one. A member is there already.
func (r *reader) show(t *tree, k Kind, i int) bool {
	if n := &t.nodes[t.open]; t.open != outside && n.kind == Pending {
		n.kind = k
		return true
	}
	if len(t.nodes) > r.lim.Values {
		r.fail(wholecall.DocumentTooLong, i)
		return false
	}
	t.add(node{kind: k})
	return true
}

// opened begins an object or array.
func (r *reader) opened(t *tree, ch byte, i int) int {
	if r.depth >= r.lim.Depth {
		return r.fail(wholecall.TooDeep, i)
	}
	k, next := Object, atFirstName
	if ch == '[' {
		k, next = Array, atElement
	}
	if !r.show(t, k, i) {
		return maxInt
	}
	r.depth++
	r.state = next
	return i + 1
}

// closed ends the open object or array.
func (r *reader) closed(t *tree, i int) int {
	r.depth--
	r.done(t)
	return i + 1
}

// done ends the open value.
func (r *reader) done(t *tree) {
	t.close()
	if r.state = atNext; t.open == outside {
		r.state = atEnd
	}
}

// named ends a name: the member appears.
func (r *reader) named(t *tree, i int) int {
	name := span{r.from, t.length()}
	if r.taken(t, name) {
		return r.fail(wholecall.DuplicateMember, i)
	}
	if len(t.nodes) > r.lim.Values {
		return r.fail(wholecall.DocumentTooLong, i)
	}
	t.add(node{name: name})
	r.state = atColon
	return i + 1
}

// taken reports whether the open object has a member of the name.
func (r *reader) taken(t *tree, name span) bool {
	object, s := t.nodes[t.open], t.cut(name)
	if object.size <= fewNames {
		for n, c := t.open+1, int32(0); c < object.size; c++ {
			other := t.cut(t.nodes[n].name)
			if other == s {
				return true
			}
			if object.size == fewNames {
				r.know(t, other)
			}
			n = t.nodes[n].next
		}
	}
	if object.size < fewNames {
		return false
	}
	if _, ok := r.names[member{t.open, s}]; ok {
		return true
	}
	r.know(t, s)
	return false
}

func (r *reader) know(t *tree, name string) {
	if r.names == nil {
		r.names = map[member]struct{}{}
	}
	r.names[member{t.open, name}] = struct{}{}
}

// write adds characters to the text that is read.
func (r *reader) write(t *tree, p []byte) {
	t.text.Write(p)
	if !r.name {
		t.nodes[t.open].text.to = t.length()
	}
}

// end says that no byte follows.
func (r *reader) end(t *tree) {
	switch {
	case r.state == stopped:
		return
	case r.state == inFree && r.nheld == 0:
		t.close()
	case r.state == inNumber && t.open == outside && r.number.ends() && r.show(t, Number, 0):
		r.settle(t)
	}
	r.state = stopped
}

// settle ends a number or a literal, which is certain now.
func (r *reader) settle(t *tree) {
	t.nodes[t.open].text = span{r.from, t.length()}
	r.done(t)
}
