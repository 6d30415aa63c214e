// Package conformance holds the test vectors of wholecall: recorded-looking streams of language models,
// each with one story or one fault, and what must come out of it.
//
// Each vector is a pair of files. NAME.sse or NAME.ndjson holds the exact bytes of a stream; NAME.json
// says what they are, and what a reader must make of them. README.md describes the format for the
// author of an implementation in any language.
//
// The module has no requirements, and nothing in it reads a stream: an implementation brings its own
// reader. Its files may be used without attribution, see LICENSE.
package conformance

import (
	"embed"
	"io/fs"
)

//go:embed vectors
var vectors embed.FS

//go:embed scenarios
var scenarios embed.FS

// Scenarios returns the scenarios as a read-only file system: NAME.json each. README.md describes the format.
func Scenarios() fs.FS {
	sub, err := fs.Sub(scenarios, "scenarios")
	if err != nil {
		panic(err) // the path is a constant, and valid
	}
	return sub
}

// Vectors returns the vectors as a read-only file system: PROTOCOL/NAME.json beside PROTOCOL/NAME.sse or
// PROTOCOL/NAME.ndjson, and framing/FRAMING/NAME likewise for the framings alone. Which of the two
// capture files there is, the member "framing" of the JSON file says.
func Vectors() fs.FS {
	sub, err := fs.Sub(vectors, "vectors")
	if err != nil {
		panic(err) // the path is a constant, and valid
	}
	return sub
}
