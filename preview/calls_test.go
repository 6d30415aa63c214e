package preview_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// shape has everything that a turn of Responses can hold.
var shape = wholecalltest.Shape{OneSpace: true, CallEnds: true, Numbered: true, FreeText: true, Reasoning: true,
	Refusal: true, Good: "completed", Done: "completed"}

// TestRandomTurns: in turns with calls that are interleaved, each preview is its own call's, and when the
// call comes it is what the call has.
func TestRandomTurns(t *testing.T) {
	r := wholecalltest.Rand(t)
	seen := 0
	for range 200 {
		events, _ := shape.Turn(r)
		stream := wholecalltest.Join(wholecalltest.Encode(t, openai.Responses, events))
		turn := wholecall.NewTurn(bytes.NewReader(stream), openai.Responses, wholecall.WithProgress())
		var shows preview.Calls
		for part, err := range turn.Parts() {
			if err != nil {
				t.Fatal(err)
			}
			switch p := part.(type) {
			case *wholecall.Progress:
				if doc := shows.Add(p); doc.Err() != nil {
					t.Fatal(doc.Err())
				}
			case wholecall.Call:
				seen++
				ended(t, &shows, p)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d calls", seen)
	}
}

// ended holds the preview of a call that has come against the call.
func ended(t *testing.T, shows *preview.Calls, call wholecall.Call) {
	t.Helper()
	doc := shows.End(call.Place())
	if doc == nil {
		t.Fatalf("%s has no preview", call.ID())
	}
	if shows.End(call.Place()) != nil {
		t.Errorf("%s has a preview still", call.ID())
	}
	if call.Form() == wholecall.TextArguments {
		if got := doc.Value(); got.Text() != string(call.Arguments()) || !got.Whole() {
			t.Errorf("%s: the preview is not the text", call.ID())
		}
		return
	}
	if why := same(doc.Value(), parse(t, call.Arguments())); why != "" {
		t.Errorf("%s: %s", call.ID(), why)
	}
}

// TestCallsForget: what is over is forgotten, and the bounds hold for each call.
func TestCallsForget(t *testing.T) {
	events := wholecalltest.Parse(`
		begin t m
		announce 0 a f · announce 1 b g
		frag 0 {"x":"123456"
		frag 1 {}
		end 1
		frag 0 }
		end 0
		stop completed · terminal`)
	stream := wholecalltest.Join(wholecalltest.Encode(t, openai.Responses, events))
	shows := preview.Calls{Limits: preview.Limits{Bytes: 8}}
	var got []string
	for part, err := range wholecall.NewTurn(bytes.NewReader(stream), openai.Responses, wholecall.WithProgress()).Parts() {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := part.(*wholecall.Progress); ok {
			got = append(got, p.ID()+" "+shows.Add(p).Value().String())
		} else {
			got = append(got, "end "+shows.End(part.Place()).Value().String())
		}
	}
	want := []string{"a …", "b …", `a {x: "12…`, "b {}", `a {x: "12…`, `end {x: "12…`, "end {}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if shows.End(0) != nil || shows.End(7) != nil {
		t.Error("there is a preview of what is over, or never was")
	}
}
