// Mutants takes the invariants out of the accumulator, one at a time, and demands that the tests of
// the root package then fail. It changes no file: the mutated source reaches the compiler through an
// overlay.
//
// Run it from the root of the repository: go run ./.ci/mutants
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant replaces one piece of source, which must stand in the file exactly once.
type mutant struct{ name, file, old, new string }

var mutants = []mutant{
	{"I1: a key may be announced twice", "accumulator.go",
		"func (a *Accumulator) announce(ev *Event) error {\n\tif a.terminal {\n\t\treturn a.protocolError(Late, ev, \"a call is announced behind the end of the stream\")\n\t}\n\tif a.find(ev.Key) != nil {",
		"func (a *Accumulator) announce(ev *Event) error {\n\tif a.terminal {\n\t\treturn a.protocolError(Late, ev, \"a call is announced behind the end of the stream\")\n\t}\n\tif false {"},
	{"I1: a finished key is forgotten", "accumulator.go",
		"\treturn a.protocolError(DuplicateAnnouncement, ev, \"the position already has a part\")\n\t}\n\tif len(ev.ID) == 0",
		"\tif a.find(ev.Key).state == open {\n\t\treturn a.protocolError(DuplicateAnnouncement, ev, \"the position already has a part\")\n\t}\n\t}\n\tif len(ev.ID) == 0"},
	{"I2: an unknown key gets a buffer", "accumulator.go",
		"\t\treturn nil, a.protocolError(Unannounced, ev, what+\" for a call that was never announced\")",
		"\t\ta.calls++\n\t\treturn a.add(slot{key: ev.Key, kind: CallPart, id: \"?\", name: \"?\"}), nil"},
	{"I2: a finished call takes fragments", "accumulator.go",
		"\tcase s.state != open || a.terminal:\n\t\treturn nil, a.slotError(Late, s, what+\" for a call that has already ended\")",
		"\tcase false:"},
	{"I3: an id may be used twice", "accumulator.go", "if a.idTaken(ev) {", "if false {"},
	{"I4: what is open at the end completes", "outcome.go",
		"\t\ts.state, s.reason, s.err = failed, why, err", "\t\t_, s.state = why, completed"},
	{"I4: what is open at the end is forgotten", "outcome.go",
		"\t\tif s.state > cut {\n\t\t\tcontinue\n\t\t}\n\t\tif !s.isCall() {",
		"\t\tif s.state >= open {\n\t\t\tcontinue\n\t\t}\n\t\tif !s.isCall() {"},
	{"I5: the count is not asserted", "outcome.go", "\tif a.calls == done+lost {", "\tif a.calls >= 0 {"},
	{"I6: the document is not parsed", "slot.go", "err := c.Check(s.buf, lim.Depth)", "err := error(nil)"},
	{"I7: one accumulator for all streams", "accumulator.go",
		"\treturn &Accumulator{lim: lim.filled()}\n}",
		"\tshared.lim = lim.filled()\n\treturn shared\n}\n\nvar shared = &Accumulator{}"},
	{"I8: a call is handed out twice", "texts.go",
		"\tcase completed:\n\t\ta.head++\n", "\tcase completed:\n\t\tif s.drained {\n\t\t\ta.head++\n\t\t}\n\t\ts.drained = true\n"},
	{"I9: what is ready first comes first", "texts.go",
		"\t\treturn s.failedCall(place), true\n\t}\n\treturn nil, false",
		"\t\treturn s.failedCall(place), true\n\t}\n\tif n := a.head + 1; n < len(a.slots) && a.slots[n].state > cut {\n\t\ta.slots[a.head], a.slots[n], a.byKey = a.slots[n], a.slots[a.head], nil\n\t\treturn a.Next()\n\t}\n\treturn nil, false"},
	{"progress: a piece is the call's own buffer", "progress.go",
		"append(p.piece.Delta[:0], s.buf[from:]...)", "s.buf[from:]"},
	{"progress: a piece of a call that can't complete", "progress.go",
		"s.state != open || s.over || s.lone ||", "s.state != open || s.over ||"},
	{"progress: calls share what was shown", "progress.go",
		"p.shown[a.last] = len(s.buf)", "p.shown[0] = len(s.buf)"},
}

func main() {
	survivors := 0
	for _, m := range mutants {
		killed, why := try(m)
		verdict := "killed  "
		if !killed {
			verdict = "SURVIVED"
			survivors++
		}
		fmt.Printf("%s  %s  (%s)\n", verdict, m.name, why)
	}
	fmt.Printf("%d mutants, %d survived\n", len(mutants), survivors)
	if survivors > 0 {
		os.Exit(1)
	}
}

// try runs the tests with the mutant in place, and reports whether they failed, and which.
func try(m mutant) (killed bool, why string) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return false, err.Error()
	}
	if n := strings.Count(string(src), m.old); n != 1 {
		return false, fmt.Sprintf("the source to replace stands %d times in %s: mend the mutant", n, m.file)
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return false, err.Error()
	}
	defer os.RemoveAll(dir)
	overlay, err := write(dir, m, strings.Replace(string(src), m.old, m.new, 1))
	if err != nil {
		return false, err.Error()
	}
	if out, err := exec.Command("go", "vet", "-overlay", overlay, ".").CombinedOutput(); err != nil {
		return false, "it does not compile: " + string(out)
	}
	out, err := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-timeout=60s", ".").CombinedOutput()
	if err == nil {
		return false, "all tests pass"
	}
	return true, failed(string(out))
}

func write(dir string, m mutant, src string) (string, error) {
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, m.file)
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: file}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o666)
}

// failed names the tests that failed.
func failed(out string) string {
	var names []string
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ := strings.Cut(rest, " ")
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "panic or time-out"
	}
	return strings.Join(names, ", ")
}
