package strictjson

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// Check returns nil if doc is exactly one JSON value (RFC 8259) with white space
// around it at most, and an I-JSON text in these respects (RFC 7493): valid UTF-8,
// no lone surrogate escape, no member name twice in one object at any depth, names
// being compared after unescaping. Arrays and objects may be nested maxDepth deep;
// a scalar has depth 0, {} has depth 1.
//
// Otherwise it returns the first mistake, an *Error: Empty if there is no value,
// Incomplete if doc ends inside it. The surrogates of a string are looked at when
// the string has ended, so that another mistake in the same string comes first.
//
// The work is linear in the length of doc, whatever it contains.
func Check(doc []byte, maxDepth int) error {
	var c Checker
	return c.Check(doc, maxDepth)
}

// Checker checks documents one after the other, reusing its memory: as much as the
// most demanding document so far has needed, which is at most some ten times its
// length, and for usual documents very little. The zero value is ready. A Checker
// must not be used by two goroutines at a time.
type Checker struct {
	brackets []uint64 // bit d: the bracket at depth d+1 is '{'
	objects  []openObject
	names    []name   // the names so far of all open objects, the innermost last
	text     []byte   // the text of those names that have escapes
	slots    []uint32 // the hash tables of all open objects, the innermost last
	seed     maphash.Seed
	seeded   bool
}

// openObject says where the names of an object that is still open begin. A name is
// only ever added to the innermost object, whose things lie last.
type openObject struct {
	names, text, slots int
}

// name is a member name: doc[start:end], or text[^start:end] if start is negative.
type name struct {
	key        uint64 // a hash or fingerprint: equal names have equal keys
	start, end int
}

const (
	// fewNames is how many names are compared one by one. Beyond it an object gets
	// a hash table: open addressing, at most half full, of 1 + the index of a name
	// in its object, 0 where free. The hash is seeded at random so that nobody can
	// make names that collide.
	fewNames   = 8
	firstSlots = 4 * fewNames
)

// Check is the function Check. It allocates nothing once the Checker has seen a
// document as demanding as this one, but for the error.
func (c *Checker) Check(doc []byte, maxDepth int) error {
	if at, st := c.scan(doc, maxDepth); st >= failed {
		return &Error{Kind: st.kind(), Offset: at}
	}
	return nil
}

// scan checks the document b and returns the place of the mistake, if any.
func (c *Checker) scan(b []byte, maxDepth int) (int, status) {
	c.objects, c.names, c.text, c.slots = c.objects[:0], c.names[:0], c.text[:0], c.slots[:0]
	i := scanSpace(b, 0)
	if i == len(b) {
		return i, failEmpty
	}
	i, st := c.scanValue(b, i, maxDepth)
	if st >= failed {
		return i, st
	}
	if i = scanSpace(b, i); i < len(b) {
		return i, failTrailing
	}
	return i, 0
}

// scanValue checks the value at b[i] and returns the place behind it. It has the
// form of skipNested.
func (c *Checker) scanValue(b []byte, i, maxDepth int) (int, status) {
	depth := 0
	object := false // the innermost open bracket is '{'
	var st status
	for {
		ch := byte(0)
		if i = scanSpace(b, i); i < len(b) {
			ch = b[i]
		}
		if ch == '{' || ch == '[' {
			if depth >= maxDepth {
				return i, failDepth
			}
			object = ch == '{'
			c.open(depth, object)
			depth++
			i = scanSpace(b, i+1)
			if i >= len(b) || b[i] != closing(object) {
				if object {
					if i, st = c.scanName(b, i); st >= failed {
						return i, st
					}
				}
				continue
			}
		} else if i, st = c.scanScalar(b, i); st >= failed {
			return i, st
		}
		// A value has ended, or stands at its closing bracket. Close what ends here.
		for {
			if depth == 0 {
				return i, 0
			}
			if i = scanSpace(b, i); i >= len(b) {
				return len(b), failIncomplete
			}
			if b[i] == ',' {
				i++
				break
			}
			if b[i] != closing(object) {
				return i, failSyntax
			}
			i++
			if object {
				c.closeObject()
			}
			if depth--; depth > 0 {
				object = getBit(c.brackets, depth-1)
			}
		}
		if object {
			if i, st = c.scanName(b, scanSpace(b, i)); st >= failed {
				return i, st
			}
		}
	}
}

// scanScalar is the function scanScalar that also pairs surrogates.
func (c *Checker) scanScalar(b []byte, i int) (int, status) {
	n, st := scanScalar(b, i)
	if st&(failed|hasSurrogate) == hasSurrogate {
		if at := scanPairs(b, i+1, n-1); at < n-1 {
			return at, failSurrogate
		}
	}
	return n, st
}

// scanName passes the member name at b[i] and the colon behind it, and notes the
// name.
func (c *Checker) scanName(b []byte, i int) (int, status) {
	if i >= len(b) {
		return len(b), failIncomplete
	}
	if b[i] != '"' {
		return i, failSyntax
	}
	start := i + 1
	end, st := scanString(b, start)
	if st >= failed {
		return end, st
	}
	if st&hasSurrogate != 0 {
		if at := scanPairs(b, start, end); at < end {
			return at, failSurrogate
		}
	}
	n := name{start: start, end: end}
	if st != 0 {
		n.start = ^len(c.text)
		c.text = appendText(c.text, b[start:end])
		n.end = len(c.text)
	}
	if !c.add(b, n) {
		return i, failDuplicate
	}
	return scanColon(b, end+1)
}

// open notes that a bracket opens at depth depth+1.
func (c *Checker) open(depth int, object bool) {
	if depth/64 == len(c.brackets) {
		c.brackets = append(c.brackets, 0)
	}
	setBit(c.brackets, depth, object)
	if object {
		c.objects = append(c.objects, openObject{len(c.names), len(c.text), len(c.slots)})
	}
}

// closeObject forgets the innermost object's names.
func (c *Checker) closeObject() {
	o := c.objects[len(c.objects)-1]
	c.objects = c.objects[:len(c.objects)-1]
	c.names, c.text, c.slots = c.names[:o.names], c.text[:o.text], c.slots[:o.slots]
}

// add notes a name of the innermost object, and returns whether it is new there.
func (c *Checker) add(b []byte, n name) bool {
	o := &c.objects[len(c.objects)-1]
	names := c.names[o.names:]
	if len(names) >= fewNames {
		return c.addHashed(b, o, n)
	}
	s := c.bytes(b, n)
	n.key = fingerprint(s)
	for _, m := range names {
		if m.key == n.key && string(c.bytes(b, m)) == string(s) {
			return false
		}
	}
	c.names = append(c.names, n)
	return true
}

// addHashed is add for an object that has a hash table or gets one now.
func (c *Checker) addHashed(b []byte, o *openObject, n name) bool {
	if used := len(c.names) - o.names; used == fewNames {
		c.rehash(b, o, firstSlots)
	} else if size := len(c.slots) - o.slots; 2*used >= size {
		c.rehash(b, o, 2*size)
	}
	s := c.bytes(b, n)
	n.key = maphash.Bytes(c.seed, s)
	slots, names := c.slots[o.slots:], c.names[o.names:]
	mask := uint64(len(slots) - 1)
	at := n.key & mask
	for ; slots[at] != 0; at = (at + 1) & mask {
		m := names[slots[at]-1]
		if m.key == n.key && string(c.bytes(b, m)) == string(s) {
			return false
		}
	}
	slots[at] = uint32(len(names) + 1)
	c.names = append(c.names, n)
	return true
}

// rehash makes a table of size slots, a power of two, for the innermost object.
func (c *Checker) rehash(b []byte, o *openObject, size int) {
	names := c.names[o.names:]
	if size == firstSlots { // the keys are fingerprints so far
		if !c.seeded {
			c.seed, c.seeded = maphash.MakeSeed(), true
		}
		for k := range names {
			names[k].key = maphash.Bytes(c.seed, c.bytes(b, names[k]))
		}
	}
	c.slots = grow(c.slots[:o.slots], size)
	slots := c.slots[o.slots:]
	mask := uint64(size - 1)
	for k, n := range names {
		at := n.key & mask
		for slots[at] != 0 {
			at = (at + 1) & mask
		}
		slots[at] = uint32(k + 1)
	}
}

// grow appends n zeros.
func grow(s []uint32, n int) []uint32 {
	if len(s)+n > cap(s) {
		return append(s, make([]uint32, n)...)
	}
	s = s[:len(s)+n]
	clear(s[len(s)-n:])
	return s
}

// bytes returns the text of a name.
func (c *Checker) bytes(b []byte, n name) []byte {
	if n.start < 0 {
		return c.text[^n.start:n.end]
	}
	return b[n.start:n.end]
}

// fingerprint is a cheap number that tells most short names apart.
func fingerprint(s []byte) uint64 {
	n := len(s)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(s) ^
			bits.RotateLeft64(binary.LittleEndian.Uint64(s[n-8:]), 29) ^ uint64(n)
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(s)) |
			uint64(binary.LittleEndian.Uint32(s[n-4:]))<<32 ^ uint64(n)
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16 | uint64(n)<<24
	}
	return 0
}
