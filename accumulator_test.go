package wholecall_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/autopsy"
	"github.com/wholecall/wholecall/wholecalltest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata; read the diff")

// TestTranscripts runs the scripts of testdata/transcripts. A file is a list of cases: a line "== name",
// the script, a line "--", and what must come out.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts: ", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for i, one := range strings.Split("\n"+string(src), "\n== ") {
			if i == 0 {
				out.WriteString(strings.TrimPrefix(one, "\n"))
				continue
			}
			name, rest, _ := strings.Cut(one, "\n")
			script, want, _ := strings.Cut(rest, "\n--\n")
			got := wholecalltest.Apply(wholecalltest.Parse(script), wholecall.Limits{}).String()
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			out.WriteString("== " + name + "\n" + script + "\n--\n" + got)
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// shape has everything that an accumulator can be asked for.
var shape = wholecalltest.Shape{OneSpace: true, CallEnds: true, EmptyIsObject: true, Choices: 3,
	Reasoning: true, Refusal: true, Signatures: true, FreeText: true, Server: true, Good: "tool_use", Done: "end_turn"}

// TestRandomTurns holds the accumulator against the calls that a random turn was made of.
func TestRandomTurns(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 2000 {
		events, calls := shape.Turn(r)
		got := wholecalltest.Apply(events, wholecall.Limits{})
		slices.SortFunc(calls, func(a, b wholecalltest.Call) int { return strings.Compare(a.ID, b.ID) })
		slices.SortFunc(got.Calls, func(a, b wholecalltest.Call) int { return strings.Compare(a.ID, b.ID) })
		if got.Outcome != wholecall.Complete || !slices.Equal(got.Calls, calls) {
			t.Fatalf("got\n%s\nwant %v", got, calls)
		}
	}
}

// TestPartsInOrder: parts come out in the order in which they began, whatever the order in which they
// end, and each once (I8, I9).
func TestPartsInOrder(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 500 {
		events, _ := shape.Turn(r)
		var begun []string
		for _, ev := range events {
			switch ev.Kind {
			case wholecall.Announce:
				begun = append(begun, string(ev.ID))
			case wholecall.OpenPart:
				begun = append(begun, ev.Part.String())
			}
		}
		got := wholecalltest.Apply(events, wholecall.Limits{})
		if len(got.Handed) != len(begun) {
			t.Fatalf("%d parts began, %d were handed out:\n%s", len(begun), len(got.Handed), got)
		}
		for i, line := range got.Handed {
			if !strings.Contains(line, begun[i]) {
				t.Fatalf("part %d is %s, want %s", i, line, begun[i])
			}
		}
	}
}

// TestBrokenTurns breaks random turns in every way, one event at a time. No completed call may differ
// from what the model made.
func TestBrokenTurns(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 300 {
		events, calls := shape.Turn(r)
		wholecalltest.Break(t, shape, events, calls, func(events []wholecall.Event) wholecalltest.Result {
			return wholecalltest.Apply(events, wholecall.Limits{})
		}, r)
	}
}

// TestWrongAccumulatorsAreCaught: the properties above would catch the classic mistakes.
func TestWrongAccumulatorsAreCaught(t *testing.T) {
	wrong := map[string]func() autopsy.Accumulator{
		"keyed by name": func() autopsy.Accumulator { return &autopsy.NameKeyed{} },
		"current call":  func() autopsy.Accumulator { return &autopsy.CurrentCall{} },
	}
	for name, make := range wrong {
		t.Run(name, func(t *testing.T) {
			r := wholecalltest.Rand(t)
			for range 2000 {
				events, calls := shape.Turn(r)
				a := make()
				for i := range events {
					a.Apply(&events[i])
				}
				if !sameAsMade(a.Calls(), calls) {
					return
				}
			}
			t.Error("2,000 random turns, and none shows the mistake")
		})
	}
}

// sameAsMade reports whether every call that the model made is among what an accumulator made.
func sameAsMade(got []autopsy.Call, want []wholecalltest.Call) bool {
	for _, w := range want {
		if !slices.Contains(got, autopsy.Call(w)) {
			return false
		}
	}
	return true
}

// TestTwoStreamsSideBySide: two conversations announce the same position with the same id at the same
// time, and neither sees the other (I7). The race detector looks on.
func TestTwoStreamsSideBySide(t *testing.T) {
	done := make(chan wholecalltest.Result)
	for _, user := range []string{"ada", "grace"} {
		go func() {
			events := wholecalltest.Parse("begin t m\nannounce 0 call_1 search_orders")
			for range 200 {
				events = append(events, wholecall.Event{Kind: wholecall.Fragment})
			}
			events = append(events, wholecalltest.Parse(`
				frag 0 {"customer":"`+user+`"}
				end 0
				stop tool_use
				terminal`)...)
			done <- wholecalltest.Apply(events, wholecall.Limits{})
		}()
	}
	var got []string
	for range 2 {
		res := <-done
		if len(res.Calls) != 1 {
			t.Fatal(res)
		}
		got = append(got, res.Calls[0].Arguments)
	}
	slices.Sort(got)
	if want := []string{`{"customer":"ada"}`, `{"customer":"grace"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTwoTurnsOneAfterTheOther: turn two of an agent loop uses position 0 and, with some providers, the
// same id again. A new turn knows nothing of the one before (I7).
func TestTwoTurnsOneAfterTheOther(t *testing.T) {
	for _, city := range []string{"Oslo", "Bergen"} {
		got := wholecalltest.Apply(wholecalltest.Parse(`
			begin t m
			announce 0 functions.weather:0 weather
			frag 0 {"city":"`+city+`"}
			end 0
			stop tool_use
			terminal`), wholecall.Limits{})
		if len(got.Calls) != 1 || got.Calls[0].Arguments != `{"city":"`+city+`"}` {
			t.Fatal(got)
		}
	}
}

// TestLimits: past a bound is an error, not an allocation.
func TestLimits(t *testing.T) {
	head := "begin t m\nannounce 0 a f\n"
	tail := "\nend 0\nannounce 1 b g\nfrag 1 {}\nend 1\nstop tool_use\nterminal"
	long := strings.Repeat("frag 0 aaaaaaaaaa\n", 20)
	tests := []struct {
		name, script string
		lim          wholecall.Limits
		want         string
	}{
		{"document", head + long + tail, wholecall.Limits{DocumentBytes: 64}, "failed a f argument-error document-too-long\ncall b g {}"},
		{"calls", head + tail, wholecall.Limits{Calls: 1}, "too-many-calls"},
		{"depth", head + "frag 0 [[[]]]" + tail, wholecall.Limits{Depth: 2}, "failed a f argument-error too-deep\ncall b g {}"},
		{"parts", "begin t m\ntext 0 · close 0 · text 1 · close 1", wholecall.Limits{Parts: 1}, "too-many-parts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := wholecalltest.Apply(wholecalltest.Parse(tt.script), tt.lim).String()
			if !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestSteadyStateAllocatesNothing: a fragment costs no allocation, once its call's buffer has room.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	a := wholecall.NewAccumulator(wholecall.Limits{})
	for _, ev := range wholecalltest.Parse("begin t m\ntext 0 · say 0 hello\nannounce 1 a f\nfrag 1 " + strings.Repeat("x", 1<<16)) {
		if err := a.Apply(&ev); err != nil {
			t.Fatal(err)
		}
	}
	frag := wholecall.Event{Kind: wholecall.Fragment, Key: wholecall.Key{Index: 1}, Data: []byte(`\u00e9\n`), Escaped: true}
	text := wholecall.Event{Kind: wholecall.Delta, Data: []byte("hello")}
	if n := testing.AllocsPerRun(1000, func() {
		a.Apply(&text)
		for {
			if _, ok := a.Next(); !ok {
				break
			}
		}
		a.Apply(&frag)
	}); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// TestReusedIdentity: whatever the turn, a second call with a key or an id of the first fails the turn,
// whether the first has ended or not (I1, I3).
func TestReusedIdentity(t *testing.T) {
	r := wholecalltest.Rand(t)
	tried := 0
	for range 500 {
		events, _ := shape.Turn(r)
		first := -1
		for i, ev := range events {
			switch {
			case ev.Kind != wholecall.Announce || ev.Key.Choice != 0:
			case first < 0:
				first = i
			default:
				again := slices.Clone(events[:i+1])
				again[i].ID = events[first].ID
				if got := wholecalltest.Apply(again, wholecall.Limits{}); got.Kind != wholecall.DuplicateID {
					t.Fatalf("an id of another call:\n%s", got)
				}
				again[i].ID, again[i].Key = events[i].ID, events[first].Key
				if got := wholecalltest.Apply(again, wholecall.Limits{}); got.Kind != wholecall.DuplicateAnnouncement {
					t.Fatalf("a key of another call:\n%s", got)
				}
				tried++
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d turns with two calls", tried)
	}
}
