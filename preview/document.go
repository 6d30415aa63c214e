// Package preview shows the arguments of a call while the model still writes them: as a value that grows,
// and as the changes since the last look. It is for display only.
//
// A preview is never ahead of what arrived. A string shows the characters that are certain: a dangling
// backslash, half a \u escape, half a surrogate pair and half a UTF-8 sequence show nothing yet. A number
// appears when the byte behind it has come, since 12 may become 1200; true, false and null appear when
// they are whole. A member appears when its name is whole, and its value is Pending until it begins.
//
// A preview is no document. Whatever it looks like, the model may still write more, and the call may still
// fail: only a wholecall.Call has arguments. No type of this package converts to one, to bytes or to JSON,
// and encoding/json refuses them.
//
// The work over a whole call is linear in its document, however small the fragments are and however often
// somebody looks.
package preview

import (
	"iter"
	"math"

	"github.com/wholecall/wholecall"
)

// Limits bounds what a preview may cost. The zero value of each field means its default. Past a bound the
// preview stops growing; what the call makes of its document is the call's own business.
type Limits struct {
	// Bytes bounds the document, in bytes. Default 64 MiB; 2 GiB at most.
	Bytes int
	// Depth bounds the nesting: {} is 1. Default 512.
	Depth int
	// Values bounds the values that are kept: members, elements and the document itself. A value takes
	// some 40 bytes, whatever is in it. Default 1,048,576.
	Values int
}

// DefaultValues is the default of Limits.Values. The others are those of wholecall.Limits.
const DefaultValues = 1 << 20

func (l Limits) filled() Limits {
	if l.Bytes <= 0 {
		l.Bytes = wholecall.DefaultDocumentBytes
	}
	if l.Depth <= 0 {
		l.Depth = wholecall.DefaultDepth
	}
	if l.Values <= 0 {
		l.Values = DefaultValues
	}
	l.Bytes, l.Values = min(l.Bytes, math.MaxInt32), min(l.Values, math.MaxInt32)
	return l
}

// Document is the preview of one document, fed with its pieces as they arrive. The zero Document is ready
// for JSON.
//
// A Document is not safe for concurrent use, and nor are the values and changes that come from it: who
// looks from a ticker's goroutine shares a lock with who adds. The strings that they return are owned.
type Document struct {
	// Limits bounds the preview. It counts when the first piece is added.
	Limits Limits
	// FreeText says that the document is free text and not JSON: all of it is one string.
	FreeText bool

	reader reader
	tree   tree
	look   look
}

// Add adds the next piece of the document. Its bytes are not kept. After a mistake, and after End, it does
// nothing.
func (d *Document) Add(piece []byte) {
	r := &d.reader
	if r.state == atStart {
		r.begin(&d.tree, d.Limits, d.FreeText)
	}
	r.add(&d.tree, piece)
}

// End says that no more comes: a number that is the whole document is certain then. A document that is
// not whole stays as it is.
func (d *Document) End() {
	if d.reader.state == atStart {
		d.reader.begin(&d.tree, d.Limits, d.FreeText)
	}
	d.reader.end(&d.tree)
}

// Whole reports whether the document is one value and all of it is there.
func (d *Document) Whole() bool {
	return d.reader.err == nil && len(d.tree.nodes) > root && d.tree.nodes[root].whole
}

// Err says why the preview stopped growing, as an *Error, or is nil. What was shown before stays.
func (d *Document) Err() error {
	if d.reader.err == nil {
		return nil
	}
	return d.reader.err
}

// Value is the document so far. It is Pending until something of it is certain. It costs nothing to ask
// for.
func (d *Document) Value() Value { return Value{&d.tree, root} }

// Changes iterates over what has changed since the last look. Whoever repeats them from the first on has
// what Value is. What a loop that is left early has not seen comes with the next look.
//
// A look costs what has changed, and not what is there.
func (d *Document) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for {
			c, ok := d.look.next(&d.tree)
			if !ok || !yield(c) {
				return
			}
		}
	}
}

// Calls keeps a Document for each call of one turn that is still written. The zero Calls is ready. It is not
// safe for concurrent use.
type Calls struct {
	// Limits bounds each of the previews.
	Limits Limits

	docs  map[int]*Document
	last  *Document
	place int
}

// Add adds what has arrived, and returns the preview of its call.
func (c *Calls) Add(p *wholecall.Progress) *Document {
	if c.last == nil || c.place != p.Place() {
		c.find(p)
	}
	c.last.Add(p.Delta)
	return c.last
}

func (c *Calls) find(p *wholecall.Progress) {
	d := c.docs[p.Place()]
	if d == nil {
		if c.docs == nil {
			c.docs = map[int]*Document{}
		}
		d = &Document{Limits: c.Limits, FreeText: p.Form() == wholecall.TextArguments}
		c.docs[p.Place()] = d
	}
	c.last, c.place = d, p.Place()
}

// End forgets the preview of the part at a place, once the part itself has come: whole, or failed. It
// returns the preview for a last look, or nil where there is none.
func (c *Calls) End(place int) *Document {
	d := c.docs[place]
	if d == nil {
		return nil
	}
	delete(c.docs, place)
	if c.last == d {
		c.last = nil
	}
	d.End()
	return d
}
