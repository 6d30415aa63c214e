// Package archtest holds the import table of ARCHITECTURE.md against the source: data flows one way.
package archtest

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/wholecall/wholecall"

// rooms says which packages of the module each package may import. A pattern ends in /*.
var rooms = map[string][]string{
	"frame":               {},
	"frame/*":             {"frame"},
	"internal/strictjson": {},
	"":                    {"frame", "internal/strictjson"},
	"provider/*":          {"", "frame", "frame/*", "internal/strictjson"},
	"provider":            {"", "frame", "frame/*", "provider/*"},
	"internal/autopsy":    {"", "internal/strictjson"},
	"internal/archtest":   {},
	"internal/sdk":        {},
	"convert":             {""},
	"dispatch":            {""},
	"loop":                {"", "dispatch"},
	"mock":                {"", "audit", "httpturn", "provider"},
	"mock/mocktest":       {"", "audit", "audit/transport", "dispatch", "loop", "mock"},
	"httpturn":            {"", "loop", "provider/*"},
	"preview":             {""},
	"audit":               {"", "internal/strictjson"},
	"audit/transport":     {"", "audit", "frame", "frame/*", "httpturn"},
	"wholecalltest":       {"", "frame", "internal/strictjson"},
}

// forbidden says what no package of the core may pull in, however deep, and why.
var forbidden = map[string]string{
	"net/http":  "the core reads an io.Reader; who opened it is not its business",
	"log":       "the core returns errors and prints nothing",
	"log/slog":  "the core returns errors and prints nothing",
	"os/exec":   "the core starts nothing",
	"math/rand": "the core does the same thing each time",
}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps,Standard"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// room is a package's place in the module, and whether it is of the module at all.
func room(importPath string) (string, bool) {
	if importPath == module {
		return "", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func allowed(r string) ([]string, bool) {
	if a, ok := rooms[r]; ok {
		return a, true
	}
	a, ok := rooms[path.Dir(r)+"/*"]
	return a, ok
}

func TestImportsFlowOneWay(t *testing.T) {
	for _, p := range list(t, module+"/...") {
		r, ours := room(p.ImportPath)
		if !ours || aside(r) {
			continue
		}
		may, known := allowed(r)
		if !known {
			t.Errorf("%s is in no room: add it to the table here and in ARCHITECTURE.md", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := room(imp)
			if ours && !slices.Contains(may, to) && !slices.Contains(may, path.Dir(to)+"/*") {
				t.Errorf("%s imports %s, which it may not", p.ImportPath, imp)
			}
		}
	}
}

// aside reports whether a room is a module of its own, on top of everything.
func aside(r string) bool {
	top, _, _ := strings.Cut(r, "/")
	return slices.Contains([]string{"cmd", "conformance", "benchmarks", "sdk", "examples"}, top)
}

// TestNobodyImportsTheWrongAccumulators: but the verb that shows what they lose. A test may.
func TestNobodyImportsTheWrongAccumulators(t *testing.T) {
	const wrong = module + "/internal/autopsy"
	for _, p := range list(t, module+"/...") {
		if slices.Contains(p.Imports, wrong) && p.ImportPath != module+"/cmd/wholecall" {
			t.Errorf("%s imports %s", p.ImportPath, wrong)
		}
	}
	files, err := filepath.Glob("../../cmd/wholecall/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no command: ", err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if imp.Path.Value == strconv.Quote(wrong) && !strings.HasPrefix(filepath.Base(file), "view") {
				t.Errorf("%s imports %s, and only view may", file, wrong)
			}
		}
	}
}

// leaves are the packages that need a module besides this one, and what is above them. Whoever names
// another protocol builds none of it.
var leaves = []string{"frame/eventstream", "provider/bedrock", "provider"}

// core lists the packages that are neither leaves nor tests' tools.
func core(t *testing.T) []string {
	var paths []string
	for _, p := range list(t, module, module+"/preview", module+"/provider/...", module+"/frame/...") {
		if r, _ := room(p.ImportPath); !slices.Contains(leaves, r) {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// TestCoreNeedsNothing: the library's core is the standard library and itself.
func TestCoreNeedsNothing(t *testing.T) {
	for _, p := range list(t, append([]string{"-deps"}, core(t)...)...) {
		if _, ours := room(p.ImportPath); !p.Standard && !ours {
			t.Errorf("the core depends on %s", p.ImportPath)
		}
		if why, bad := forbidden[p.ImportPath]; bad {
			t.Errorf("the core depends on %s: %s", p.ImportPath, why)
		}
	}
}
