package autopsy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/wholecall/wholecall/internal/strictjson"
)

// Parser is a way of reading a document that an accumulator holds.
type Parser uint8

// The parsers.
const (
	Strict   Parser = iota // one whole value, and nothing else
	First                  // stops after the first value and never looks behind it
	Repairer               // cuts at the first mistake, and closes what is open there
	NumParsers
)

// String returns the parser's name.
func (p Parser) String() string {
	return [...]string{"strict", "first value", "repairing"}[p]
}

// Parsed is what a parser hands to the dispatcher, or its objection.
type Parsed struct {
	OK       bool
	Document string // what is handed on, where it is OK
	At       Objection
}

// Objection says where a parser objects, and in which words that stands in the logs of a client.
type Objection struct {
	Kind   strictjson.Kind
	Offset int    // the byte, counted from 0
	Line   int    // counted from 1
	Column int    // the character, counted from 1
	Python string // what json.loads says
	Go     string // what encoding/json says
}

// maxDepth is as deep as the real accumulator goes by default.
const maxDepth = 512

// Parse reads a document.
func (p Parser) Parse(doc string) Parsed {
	b := []byte(doc)
	err := strictjson.Check(b, maxDepth)
	if err == nil {
		return Parsed{OK: true, Document: doc}
	}
	at := objection(b, err)
	switch p {
	case First:
		var first json.RawMessage
		if json.NewDecoder(bytes.NewReader(b)).Decode(&first) == nil {
			return Parsed{true, string(first), at}
		}
	case Repairer:
		if fixed, ok := repair(b, at); ok {
			return Parsed{true, fixed, at}
		}
	}
	return Parsed{At: at}
}

func objection(doc []byte, err error) Objection {
	var e *strictjson.Error
	if !errors.As(err, &e) {
		return Objection{}
	}
	at := Objection{Kind: e.Kind, Offset: e.Offset, Python: pythonSays(doc), Go: goSays(doc)}
	at.Line, at.Column = lineColumn(doc, e.Offset)
	return at
}

// lineColumn counts as Python and most editors do: in characters, from 1.
func lineColumn(doc []byte, offset int) (line, column int) {
	before := doc[:min(offset, len(doc))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// goSays returns what encoding/json says of the document, in its own words: it is asked.
func goSays(doc []byte) string {
	var any json.RawMessage
	err := json.Unmarshal(doc, &any)
	if err == nil {
		return ""
	}
	var se *json.SyntaxError
	if errors.As(err, &se) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("%v (offset %d)", err, se.Offset)
	}
	return err.Error()
}

// repair makes a document of what stands before the first mistake: it leaves out what is half there, closes
// what is open, and calls that a document. Repairing parsers differ in what they save; that what is saved
// looks whole they have in common.
func repair(doc []byte, at Objection) (string, bool) {
	switch at.Kind {
	case strictjson.Duplicate, strictjson.Surrogate, strictjson.UTF8, strictjson.Depth:
		return string(doc), true // they don't mind
	}
	r := repairer{doc: bytes.TrimLeft(doc[:min(at.Offset, len(doc))], " \t\r\n")}
	r.scan()
	return r.close()
}

type repairer struct {
	doc    []byte
	open   []byte // the brackets that are open
	safe   int    // up to here the document is whole, but for its brackets
	quote  int    // where the open string begins, -1 outside of one
	isName bool   // the last string was, or is, a member's name
	colon  bool   // a colon stands behind the name
}

func (r *repairer) scan() {
	r.quote = -1
	names := func() bool { return len(r.open) > 0 && r.open[len(r.open)-1] == '}' && !r.colon }
	for i := 0; i < len(r.doc); i++ {
		c := r.doc[i]
		switch {
		case r.quote >= 0 && c == '\\':
			i++
		case r.quote >= 0 && c == '"':
			if r.quote = -1; !r.isName {
				r.safe, r.colon = i+1, false
			}
		case r.quote >= 0:
		case c == '"':
			r.quote, r.isName = i, names()
		case c == '{', c == '[':
			r.open, r.safe, r.colon = append(r.open, c+2), i+1, false
		case c == '}', c == ']':
			if len(r.open) > 0 {
				r.open, r.safe, r.colon = r.open[:len(r.open)-1], i+1, false
			}
		case c == ':':
			r.colon = true
		case c == ',', c == ' ', c == '\n', c == '\t', c == '\r':
		default:
			n := i
			for n < len(r.doc) && bytes.IndexByte([]byte(",]} \n\t\r:\"{["), r.doc[n]) < 0 {
				n++
			}
			if json.Valid(r.doc[i:n]) {
				r.safe, r.colon = n, false
			}
			i = n - 1
		}
	}
}

func (r *repairer) close() (string, bool) {
	out := string(r.doc[:r.safe])
	if r.quote >= 0 && !r.isName {
		out = string(r.doc[:whole(r.doc, r.quote)]) + `"`
	}
	for i := len(r.open) - 1; i >= 0; i-- {
		out += string(r.open[i])
	}
	return out, out != "" && json.Valid([]byte(out))
}

// whole returns where the open string that begins at quote would end without half an escape.
func whole(doc []byte, quote int) int {
	end := len(doc)
	for i := quote + 1; i < len(doc); i++ {
		if doc[i] != '\\' {
			continue
		}
		n := 2
		if i+1 < len(doc) && doc[i+1] == 'u' {
			n = 6
		}
		if i+n > len(doc) {
			end = i
			break
		}
		i += n - 1
	}
	return end
}
