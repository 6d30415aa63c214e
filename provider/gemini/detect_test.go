package gemini_test

import (
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/gemini"
)

func TestRecognises(t *testing.T) {
	g, x := gemini.GenerateContent, gemini.Interactions
	for _, c := range []struct {
		data               string
		generate, interact int
	}{
		{parts(tide), 100, 0},
		{stop, 100, 0},
		{`{"candidates":[{}]}`, 60, 0},
		{`{"usageMetadata":{}}`, 60, 0},
		{`{"promptFeedback":{}}`, 60, 0},
		{`{"error":{"code":503,"status":"UNAVAILABLE"}}`, 30, 0},
		{`{"error":{"type":"x"}}`, 0, 0},
		{creation, 0, 100},
		{piece(0, paying), 0, 100},
		{`{"event_type":"error","error":{}}`, 0, 60},
		{`{"event_type":"novelty"}`, 0, 0},
		{`{"type":"message_start"}`, 0, 0},
		{"[DONE]", 0, 0},
	} {
		f := &frame.Frame{Data: []byte(c.data)}
		if got := g.Recognises(f); got != c.generate {
			t.Errorf("%s: %d for %s", c.data, got, g.Facts().Name)
		}
		if got := x.Recognises(f); got != c.interact {
			t.Errorf("%s: %d for %s", c.data, got, x.Facts().Name)
		}
	}
}

func TestBegins(t *testing.T) {
	for _, c := range []struct {
		p    wholecall.Protocol
		data string
		want bool
	}{
		{gemini.GenerateContent, parts(tide), true},
		{gemini.GenerateContent, stop, false},
		{gemini.GenerateContent, "[DONE]", false},
		{gemini.Interactions, creation, true},
		{gemini.Interactions, piece(0, paying), false},
		{gemini.Interactions, "[DONE]", false},
	} {
		if got := c.p.NewDecoder(wholecall.Dialect{}).Begins(&frame.Frame{Data: []byte(c.data)}); got != c.want {
			t.Errorf("%s: %v", c.data, got)
		}
	}
}

// TestNoAllocations: reading text, and pieces of arguments, takes nothing from the heap.
func TestNoAllocations(t *testing.T) {
	for _, c := range []struct {
		p     wholecall.Protocol
		first string
		again string
	}{
		{gemini.GenerateContent, parts(`{"text":"a"}`), `{"candidates":[{"content":{"parts":[{"text":"a\nb"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":5},"modelVersion":"m","responseId":"r1"}`},
		{gemini.GenerateContent, parts(begins), parts(patches(true, str("$.a", "x", true)))},
		{gemini.Interactions, started(0, pay), piece(0, paying)},
	} {
		d := c.p.NewDecoder(wholecall.Dialect{})
		events, err := d.Decode(&frame.Frame{Data: []byte(c.first)}, nil)
		f := &frame.Frame{Data: []byte(c.again)}
		for range 100 {
			events, _ = d.Decode(f, events[:0])
		}
		n := testing.AllocsPerRun(100, func() { events, err = d.Decode(f, events[:0]) })
		if n > 0 || err != nil {
			t.Errorf("%s: %v allocations, %v", c.again, n, err)
		}
	}
}
