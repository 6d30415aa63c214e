package wholecall_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// handed lists what a turn hands out, a line each.
func handed(t testing.TB, turn *wholecall.Turn) []string {
	t.Helper()
	var out []string
	for {
		part, err := turn.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			return append(out, "error "+string(wholecalltest.KindOf(err)))
		}
		line := fmt.Sprintf("%d %s", part.Place(), part.Kind())
		switch p := part.(type) {
		case *wholecall.Progress:
			line += fmt.Sprintf(" %s %s %s", p.Key(), p.ID(), p.Delta)
		case *wholecall.Text:
			line += fmt.Sprintf(" %q", p.Delta)
		case wholecall.Call:
			line += fmt.Sprintf(" %s %s", p.ID(), p.Arguments())
		case wholecall.FailedCall:
			line += fmt.Sprintf(" %s %s", p.ID(), p.Reason)
		}
		out = append(out, line)
	}
}

// scripted is a turn of a script's events, as a protocol writes them.
func scripted(t testing.TB, p wholecall.Protocol, script string, opts ...wholecall.Option) *wholecall.Turn {
	t.Helper()
	stream := wholecalltest.Join(wholecalltest.Encode(t, p, wholecalltest.Parse(script)))
	return wholecall.NewTurn(bytes.NewReader(stream), p, append(opts, wholecall.WithProgress())...)
}

// TestProgressInOrder: pieces come as they arrive, also of a call whose turn has not come.
func TestProgressInOrder(t *testing.T) {
	tests := []struct {
		name, script string
		lim          wholecall.Limits
		want         []string
	}{
		{"interleaved", `
			begin t m
			announce 0 a add · announce 1 b mul
			frag 1 {"x":
			frag 0 {"y"
			frag 1 2}
			end 1
			frag 0 :3}
			end 0
			stop tool_use · terminal`, wholecall.Limits{}, []string{
			"0 progress 0 a ", "1 progress 1 b ", `1 progress 1 b {"x":`, `0 progress 0 a {"y"`,
			`1 progress 1 b 2}`, `0 progress 0 a :3}`, `0 call a {"y":3}`, `1 call b {"x":2}`}},
		{"empty fragments", `
			begin t m
			announce 0 a add
			frag 0 ""
			frag 0 {}
			frag 0 ""
			end 0
			stop tool_use · terminal`, wholecall.Limits{}, []string{
			"0 progress 0 a ", "0 progress 0 a {}", "0 call a {}"}},
		{"a call that fails", `
			begin t m
			announce 0 a add
			frag 0 {"x"
			end 0
			announce 1 b mul
			frag 1 {}
			end 1
			stop tool_use · terminal`, wholecall.Limits{}, []string{
			"0 progress 0 a ", `0 progress 0 a {"x"`, "1 progress 1 b ", "1 progress 1 b {}",
			"0 call a argument-error", "1 call b {}", "error calls-failed"}},
		{"a document past its bound", `
			begin t m
			announce 0 a add
			frag 0 "1234567"
			frag 0 "89"
			frag 0 "1"
			end 0
			stop tool_use · terminal`, wholecall.Limits{DocumentBytes: 8}, []string{
			"0 progress 0 a ", "0 progress 0 a 1234567", "0 call a argument-error", "error calls-failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := handed(t, scripted(t, anthropic.Messages, tt.script, wholecall.WithLimits(tt.lim)))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestProgressOfHalves: half of a surrogate pair that the wire cuts is shown when it is whole. Where the
// other half never comes nothing is made up, and nothing more is shown.
func TestProgressOfHalves(t *testing.T) {
	const head = "begin t m\nannounce 0 a f\n"
	const tail = "\nend 0\nstop tool_use\nterminal"
	for _, tt := range []struct {
		name, frags string
		want        []string
	}{
		{"whole", `frag 0 "\"\ud83d"` + "\n" + `frag 0 "\ude00\""`, []string{`"`, `😀"`}},
		{"lone", `frag 0 "\"\ud83d"` + "\n" + `frag 0 "x"` + "\n" + `frag 0 "y\""`, []string{`"`}},
		{"never", `frag 0 "\"\ud83d"`, []string{`"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for part := range scripted(t, anthropic.Messages, head+tt.frags+tail).Parts() {
				if p, ok := part.(*wholecall.Progress); ok && len(p.Delta) > 0 {
					got = append(got, string(p.Delta))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestProgressChangesNothing: whatever is wrong with a turn, showing its calls makes no difference to them,
// also where what is shown is written over.
func TestProgressChangesNothing(t *testing.T) {
	for _, name := range []string{"two-calls.sse", "split-unicode-escape.sse", "cut-short.sse", "replayed-block.sse",
		"lost-announcement.sse", "two-documents.sse", "token-limit.sse"} {
		t.Run(name, func(t *testing.T) {
			wholecalltest.SameWithProgress(t, func(opts ...wholecall.Option) *wholecall.Turn {
				return wholecall.NewTurn(bytes.NewReader(capture(t, name)), anthropic.Messages, opts...)
			})
		})
	}
}

// TestProgressEnds: of a call that a failed turn leaves behind nothing is shown any more, and the event
// that failed the turn shows nothing.
func TestProgressEnds(t *testing.T) {
	turn := wholecall.NewTurn(bytes.NewReader(capture(t, "lost-announcement.sse")), anthropic.Messages, wholecall.WithProgress())
	for part := range turn.Parts() {
		if p, ok := part.(*wholecall.Progress); ok && p.ID() != "toolu_01KaQ7mWb2TzN5xYcV8dRs3P" {
			t.Errorf("%s is shown, and was never announced", p.ID())
		}
	}
	if !errors.Is(turn.Err(), wholecall.Unannounced) {
		t.Error(turn.Err())
	}
}

// TestProgressOfWholeDocuments: a document that comes in one piece is shown in one piece.
func TestProgressOfWholeDocuments(t *testing.T) {
	got := handed(t, wholecall.NewTurn(bytes.NewReader(capture(t, "responses.sse")), openai.Responses, wholecall.WithProgress()))
	if n := len(got); n < 6 || !strings.HasPrefix(got[0], "0 progress 0 call_aK3mT9vQ2xZ7cR5nW8pL1dYs ") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestProgressOfSeveralTurns: the option holds for each turn of a capture.
func TestProgressOfSeveralTurns(t *testing.T) {
	body := append(capture(t, "turn-1.sse"), capture(t, "turn-2.sse")...)
	shown := 0
	for turn := range wholecall.Turns(bytes.NewReader(body), anthropic.Messages, wholecall.WithProgress()) {
		var doc []byte
		for part, err := range turn.Parts() {
			switch p := part.(type) {
			case *wholecall.Progress:
				doc = append(doc, p.Delta...)
			case wholecall.Call:
				if shown++; string(doc) != string(p.Arguments()) {
					t.Errorf("shown %q, called with %q", doc, p.Arguments())
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if shown != 2 {
		t.Errorf("%d calls, want 2", shown)
	}
}

// TestProgressAllocatesNothing: what is shown costs an allocation a turn, and none a fragment; what is
// not shown costs none.
func TestProgressAllocatesNothing(t *testing.T) {
	allocations := func(fragments int, opts ...wholecall.Option) float64 {
		script := "begin t m\nannounce 0 a f\n" + strings.Repeat("frag 0 12345678\n", fragments) + "end 0\nstop tool_use\nterminal"
		stream := wholecalltest.Join(wholecalltest.Encode(t, anthropic.Messages, wholecalltest.Parse(script)))
		r := bytes.NewReader(stream)
		return testing.AllocsPerRun(20, func() {
			r.Reset(stream)
			turn := wholecall.NewTurn(r, anthropic.Messages, opts...)
			for {
				if _, err := turn.Next(); err != nil {
					break
				}
			}
		})
	}
	few := allocations(500, wholecall.WithProgress()) - allocations(500)
	many := allocations(1000, wholecall.WithProgress()) - allocations(1000)
	if few > 8 || many > few+2 {
		t.Errorf("showing 500 fragments allocates %v times, 1,000 fragments %v times", few, many)
	}
}
