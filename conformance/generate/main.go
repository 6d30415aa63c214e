// Generate writes the vectors. Run it in the folder of the module:
//
//	go run ./generate
//
// A vector is an input, built frame by frame so that its one fault stands out, and an expectation that
// a person wrote beside it. Nothing here assembles a call: what comes out is what the protocol's owner
// documents, and never what some implementation happens to do.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// since is the version of the set in which the vectors first stood.
const since = "1"

func main() {
	if err := run("vectors", "scenarios"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes every pair of files, and removes what no vector is called any more.
func run(dir, scenarioDir string) error {
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it in the folder of the conformance module")
	}
	all, err := files(dir)
	if err != nil {
		return err
	}
	maps.Copy(all, scenarioFiles(scenarioDir))
	for _, d := range []string{dir, scenarioDir} {
		if err := removeOthers(d, all); err != nil {
			return err
		}
	}
	for path, b := range all {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files returns every file by its path.
func files(dir string) (map[string][]byte, error) {
	all := map[string][]byte{}
	var twice error
	add := func(name, framing string, capture, expected []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if all[path+".json"] != nil {
			twice = errors.Join(twice, fmt.Errorf("two vectors are called %s", name))
		}
		all[path+"."+framing], all[path+".json"] = capture, expected
	}
	for _, v := range turns() {
		add(v.name, v.framing, v.bytes, v.json())
	}
	for _, v := range framings() {
		add(v.name, v.framing, v.bytes, v.json())
	}
	return all, twice
}

func removeOthers(dir string, all map[string][]byte) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if _, known := all[path]; err != nil || d.IsDir() || known {
			return err
		}
		return os.Remove(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// set collects the vectors of one protocol.
type set struct {
	provider string
	vectors  []vector
}

// add adds a vector of the protocol as its owner documents it.
func (s *set) add(name, about, spec string, in *stream, want expectation) {
	s.allow(name, about, spec, in, want)
}

// allow adds a vector of a dialect that allows the named deviations.
func (s *set) allow(name, about, spec string, in *stream, want expectation, allows ...string) {
	framing := in.framing
	if framing == "" {
		framing = "sse"
	}
	s.vectors = append(s.vectors, vector{name: s.provider + "/" + name, about: about, spec: spec,
		provider: s.provider, framing: framing, allows: allows, bytes: in.bytes(), want: want})
}

// turns returns the vectors of every protocol.
func turns() []vector {
	var vs []vector
	for _, s := range append([]*set{messagesVectors(), chatVectors(), deviations(), responsesVectors()}, stories()...) {
		vs = append(vs, s.vectors...)
	}
	return vs
}
