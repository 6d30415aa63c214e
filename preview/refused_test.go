package preview_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/wholecall/wholecall/preview"
)

// compile compiles a program of testdata/compile, and returns what the compiler says, by line.
func compile(t *testing.T, name string) (errors map[int][]string, ok bool) {
	t.Helper()
	file := filepath.Join("testdata", "compile", name)
	out, err := exec.Command("go", "build", "-gcflags=-e", "-o", os.DevNull, file).CombinedOutput()
	errors = map[int][]string{}
	for line := range strings.Lines(string(out)) {
		_, rest, found := strings.Cut(line, name+":")
		number, what, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(number); found && err == nil {
			errors[n] = append(errors[n], strings.TrimSpace(what))
		}
	}
	if err != nil && len(errors) == 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	return errors, err == nil
}

// TestDoesNotCompile: a preview can't be passed to what takes a call or its arguments, and has no way to
// become one. The same program without that compiles.
func TestDoesNotCompile(t *testing.T) {
	if errors, ok := compile(t, "accepted.go"); !ok {
		t.Fatalf("what must compile does not: %v", errors)
	}
	errors, ok := compile(t, "refused.go")
	if ok {
		t.Fatal("what must not compile does")
	}
	src, err := os.ReadFile(filepath.Join("testdata", "compile", "refused.go"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := 0
	for i, line := range strings.Split(string(src), "\n") {
		got := errors[i+1]
		_, want, found := strings.Cut(line, "// want: ")
		switch {
		case found && (len(got) != 1 || !strings.Contains(got[0], want)):
			t.Errorf("line %d: got %q, want %q", i+1, got, want)
		case !found && len(got) > 0:
			t.Errorf("line %d: got %q, want none", i+1, got)
		case found:
			wanted++
		}
	}
	if wanted < 15 {
		t.Errorf("%d refusals", wanted)
	}
}

// TestNoWayOut: no exported method or field of a preview gives bytes. What gives strings is listed: they
// are for display.
func TestNoWayOut(t *testing.T) {
	shown := []string{"String", "Text", "Name", "Pointer"}
	for _, v := range []any{preview.Value{}, &preview.Document{}, preview.Change{}, &preview.Calls{}} {
		typ := reflect.TypeOf(v)
		for m := range typ.Methods() {
			for i := range m.Type.NumOut() {
				out := m.Type.Out(i)
				listed := false
				for _, name := range shown {
					listed = listed || name == m.Name
				}
				switch {
				case out.Kind() == reflect.Slice && m.Name != "MarshalJSON":
					t.Errorf("%v.%s returns %v", typ, m.Name, out)
				case out.Kind() == reflect.String && !listed:
					t.Errorf("%v.%s returns %v", typ, m.Name, out)
				}
			}
		}
	}
}
