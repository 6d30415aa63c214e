// Package strictjson reads JSON texts strictly: RFC 8259 grammar, valid UTF-8,
// and for whole documents the I-JSON rules of RFC 7493 (no lone surrogates, no
// duplicate member names).
//
// It has two halves. Cursor is a pull scanner for small event texts: the caller
// names what it expects, nothing is allocated, and what is not asked for is
// skipped but still checked. Check, Equal and AppendCanonical work on whole
// documents that must be right in every detail.
package strictjson

import "strconv"

// Kind says what is wrong with a text. It is an error itself, so that
// errors.Is(err, strictjson.Duplicate) works on every error of this package.
type Kind string

// The kinds of failure.
const (
	Syntax     Kind = "syntax"           // not the grammar of RFC 8259
	Type       Kind = "wrong-type"       // a value of another type than the caller asked for
	UTF8       Kind = "invalid-utf8"     // a string holds bytes that are not UTF-8 (RFC 8259 section 8.1)
	Surrogate  Kind = "lone-surrogate"   // a \u escape of half a surrogate pair (RFC 7493 section 2.1)
	Duplicate  Kind = "duplicate-member" // a member name twice in one object (RFC 7493 section 2.3)
	Trailing   Kind = "trailing-data"    // something other than white space behind the value
	Depth      Kind = "too-deep"         // more open arrays and objects than allowed
	Empty      Kind = "empty"            // nothing but white space where a value should be
	Incomplete Kind = "incomplete"       // the text ends inside a value; more input would have helped
)

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// Error is a failure at a place. It never holds any of the document's contents,
// so it may be logged.
type Error struct {
	Kind Kind
	// Offset is the byte offset of the first byte that cannot be right: of the
	// backslash of a bad escape, of the lead byte of a bad UTF-8 sequence, of the
	// quote that opens a duplicate name, of the bracket that is one too deep.
	// For Empty and Incomplete it is the length of the text.
	Offset int
}

// Error returns "kind at byte N".
func (e *Error) Error() string {
	return string(e.Kind) + " at byte " + strconv.Itoa(e.Offset)
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
