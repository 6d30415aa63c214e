package autopsy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/internal/strictjson"
)

// document returns a document of exactly n bytes.
func document(customer string, n int) string {
	doc := `{"customer":"` + customer + `","note":"`
	return doc + strings.Repeat("x", n-len(doc)-2) + `"}`
}

func announce(index int32, id, name string) *wholecall.Event {
	return &wholecall.Event{Kind: wholecall.Announce, Key: wholecall.Key{Index: index}, ID: []byte(id), Name: []byte(name)}
}

func fragment(index int32, text string) *wholecall.Event {
	return &wholecall.Event{Kind: wholecall.Fragment, Key: wholecall.Key{Index: index}, Data: []byte(text)}
}

// TestTwoDocumentsEndToEnd: two documents of 64 bytes in one buffer. The strict parser objects at column 65;
// the others hand on the first call's arguments under the second one's id.
func TestTwoDocumentsEndToEnd(t *testing.T) {
	ada, grace := document("Ada", 64), document("Grace", 64)
	a := &NameKeyed{}
	for _, ev := range []*wholecall.Event{announce(0, "call_a", "search"), announce(1, "call_b", "search"), fragment(0, ada), fragment(1, grace)} {
		a.Apply(ev)
	}
	truth := []Truth{{Key: wholecall.Key{Index: 0}, ID: "call_a", Name: "search", Arguments: ada, Whole: true},
		{Key: wholecall.Key{Index: 1}, ID: "call_b", Name: "search", Arguments: grace, Whole: true}}
	r := Examine(a, truth)
	if len(r.Held) != 1 || !r.Held[0].Merged() || r.Held[0].ID != "call_b" {
		t.Fatalf("held %+v", r.Held)
	}
	h := r.Held[0]
	want := Objection{strictjson.Trailing, 64, 1, 65, "Extra data: line 1 column 65 (char 64)",
		"invalid character '{' after top-level value (offset 65)"}
	if h.Parsed[Strict].OK || h.Parsed[Strict].At != want {
		t.Errorf("strict: %+v", h.Parsed[Strict])
	}
	for _, p := range []Parser{First, Repairer} {
		if h.Parsed[p].Document != ada || h.Verdicts[p] != Wrong {
			t.Errorf("%v: %+v, %v", p, h.Parsed[p], h.Verdicts[p])
		}
	}
	if r.Fates[0].Held != -1 || r.Fates[1].Held != 0 || r.Harmless(truth) {
		t.Errorf("fates %+v", r.Fates)
	}
}

// TestRepairIsAlwaysADocument: whatever was cut, what comes out looks whole.
func TestRepairIsAlwaysADocument(t *testing.T) {
	for _, doc := range broken() {
		p := Repairer.Parse(doc)
		if p.OK && !json.Valid([]byte(p.Document)) {
			t.Errorf("%q became %q", doc, p.Document)
		}
		if !p.OK && strings.HasPrefix(doc, `{"`) {
			t.Errorf("%q was not repaired", doc)
		}
	}
	for doc, want := range map[string]string{
		`{"customer": "Grace", `: `{"customer": "Grace"}`,
		`{"customer": "Gr`:       `{"customer": "Gr"}`,
		`{"customer": "Gr\u00`:   `{"customer": "Gr"}`,
		`{"a": [1, {"b": tr`:     `{"a": [1, {}]}`,
		`{"a": {"b":1}, "c": 12`: `{"a": {"b":1}, "c": 12}`,
		`{"a": "x", "bc`:         `{"a": "x"}`,
	} {
		if got := Repairer.Parse(doc).Document; got != want {
			t.Errorf("%s became %s, want %s", doc, got, want)
		}
	}
}

// TestDefaultDict: an announcement that was lost leaves a call without a name.
func TestDefaultDict(t *testing.T) {
	a := &DefaultDict{}
	a.Apply(announce(1, "call_a", "search"))
	a.Apply(fragment(1, "{}"))
	a.Apply(fragment(2, `{"q":1}`))
	got := a.Calls()
	if len(got) != 2 || got[1] != (Call{"", "", `{"q":1}`}) {
		t.Errorf("%+v", got)
	}
}

// TestShared: a position that another stream has announced is written on.
func TestShared(t *testing.T) {
	a := &Shared{Stream: 1}
	a.Apply(announce(0, "call_1", "search"))
	a.Apply(fragment(0, `{"user":"ada"}`))
	a.Stream = 0
	a.Apply(announce(0, "call_1", "search"))
	a.Apply(fragment(0, `{"user":"grace"}`))
	r := Examine(a, []Truth{{ID: "call_1", Name: "search", Arguments: `{"user":"grace"}`, Whole: true}})
	if len(r.Held) != 1 || !r.Held[0].Merged() || r.Held[0].Verdicts[First] != Wrong || r.Held[0].Verdicts[Strict] != Refused {
		t.Errorf("%+v", r.Held)
	}
}

// TestDeep: a document that is nothing but brackets costs no more than its length.
func TestDeep(t *testing.T) {
	doc := strings.Repeat("[", 4<<20)
	for p := range NumParsers {
		if got := p.Parse(doc); p == Strict && (got.OK || got.At.Python != tooDeep) {
			t.Errorf("%v: %q", p, got.At.Python)
		}
	}
}
