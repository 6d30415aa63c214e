package preview_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
)

// TestNeverAhead: what is shown behind each piece, and nothing of what is not certain.
func TestNeverAhead(t *testing.T) {
	tests := []struct {
		name   string
		pieces []string
		want   []string // what is shown behind each piece
	}{
		{"nothing", []string{"", " \n"}, []string{"…", "…"}},
		{"a dangling backslash", []string{`"a\`, `n`, `b"`}, []string{`"a…`, `"a\n…`, `"a\nb"`}},
		{"an escaped quote", []string{`"\`, `"`, `"`}, []string{`"…`, `"\"…`, `"\""`}},
		{"half a unicode escape", []string{`"\u0`, `0e`, `9"`}, []string{`"…`, `"…`, `"é"`}},
		{"half a surrogate pair", []string{`"\ud83d`, `\`, `u`, `de0`, `0`, `"`}, []string{`"…`, `"…`, `"…`, `"…`, `"😀…`, `"😀"`}},
		{"half a UTF-8 sequence", []string{"\"\xf0\x9f", "\x98", "\x80x", "\xc3", "\xa9\""}, []string{`"…`, `"…`, `"😀x…`, `"😀x…`, `"😀xé"`}},
		{"a number", []string{`[12`, `00`, `.5e`, `3`, ` `, `]`}, []string{`[…`, `[…`, `[…`, `[…`, `[1200.5e3…`, `[1200.5e3]`}},
		{"a number at a comma", []string{`[-`, `0`, `,`}, []string{`[…`, `[…`, `[-0…`}},
		{"a number at the end of an object", []string{`{"a":7`, `}`}, []string{`{a: …`, `{a: 7}`}},
		{"literals", []string{`[tru`, `e,fals`, `e,`, `nul`, `l`, `]`}, []string{`[…`, `[true…`, `[true, false…`, `[true, false…`, `[true, false, null…`, `[true, false, null]`}},
		{"a name", []string{`{"na`, `me`, `"`, ` :`, `"`, `"`, `}`}, []string{`{…`, `{…`, `{name: …`, `{name: …`, `{name: "…`, `{name: ""…`, `{name: ""}`}},
		{"a name with half an escape", []string{`{"\u00`, `e9\`, `t":[`, `]`}, []string{`{…`, `{…`, "{é\t: […", "{é\t: []…"}},
		{"nested", []string{`{"a":[{"b"`, `:{}`, `}],"c"`, `:null}`}, []string{`{a: [{b: …`, `{a: [{b: {}…`, `{a: [{b: {}}], c: …`, `{a: [{b: {}}], c: null}`}},
		{"an array", []string{`[`, `"`, `",`, `[`, `]`}, []string{`[…`, `["…`, `[""…`, `["", […`, `["", []…`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d preview.Document
			for i, piece := range tt.pieces {
				d.Add([]byte(piece))
				if got := d.Value().String(); got != tt.want[i] || d.Err() != nil {
					t.Errorf("behind %q: got %s %v, want %s", piece, got, d.Err(), tt.want[i])
				}
			}
		})
	}
}

// changes returns what has changed since the last look.
func changes(d *preview.Document) []string {
	var out []string
	for c := range d.Changes() {
		out = append(out, c.String())
	}
	return out
}

// TestChanges: a look sees what has come since the one before, in the order in which it came.
func TestChanges(t *testing.T) {
	var d preview.Document
	for _, step := range []struct {
		piece string
		want  []string
	}{
		{``, nil},
		{`{"to":"ad`, []string{"opened  object", "opened /to string", "grew /to ad"}},
		{`a@\`, []string{"grew /to a@"}},
		{`u00`, nil},
		{`e9`, []string{"grew /to é"}},
		{`","n":4`, []string{"closed /to", "named /n"}},
		{`2`, nil},
		{` `, []string{"certain /n 42"}},
		{`,"x/~":`, []string{"named /x~1~0"}},
		{`[`, []string{"opened /x~1~0 array"}},
		{`true,{},{"":""}`, []string{"certain /x~1~0/0 true", "opened /x~1~0/1 object", "closed /x~1~0/1",
			"opened /x~1~0/2 object", "opened /x~1~0/2/ string", "closed /x~1~0/2/", "closed /x~1~0/2"}},
		{`]}`, []string{"closed /x~1~0", "closed "}},
		{"\n", nil},
	} {
		d.Add([]byte(step.piece))
		if got := changes(&d); !slices.Equal(got, step.want) {
			t.Errorf("behind %q:\n got %q\nwant %q", step.piece, got, step.want)
		}
	}
	if !d.Whole() {
		t.Error("the document is not whole")
	}
}

// TestLookThatIsLeftEarly: what a loop has not seen is seen by the next.
func TestLookThatIsLeftEarly(t *testing.T) {
	var d preview.Document
	d.Add([]byte(`{"a":[1,"x`))
	var got []string
	for range 10 {
		for c := range d.Changes() {
			got = append(got, c.String())
			break
		}
	}
	want := []string{"opened  object", "opened /a array", "certain /a/0 1", "opened /a/1 string", "grew /a/1 x"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMistakes: behind a mistake a preview stands still, and says why. What it had shown it still shows.
func TestMistakes(t *testing.T) {
	deep := preview.Limits{Depth: 2}
	tests := []struct {
		doc   string
		lim   preview.Limits
		kind  wholecall.Kind
		at    int
		shown string
	}{
		{`{"a":1,}`, preview.Limits{}, wholecall.InvalidJSON, 7, `{a: 1…`},
		{`{a:1}`, preview.Limits{}, wholecall.InvalidJSON, 1, `{…`},
		{`{"a" 1}`, preview.Limits{}, wholecall.InvalidJSON, 5, `{a: …`},
		{`[1 2]`, preview.Limits{}, wholecall.InvalidJSON, 3, `[1…`},
		{`[1}`, preview.Limits{}, wholecall.InvalidJSON, 2, `[1…`},
		{`[01]`, preview.Limits{}, wholecall.InvalidJSON, 2, `[…`},
		{`[1.]`, preview.Limits{}, wholecall.InvalidJSON, 3, `[…`},
		{`[12x]`, preview.Limits{}, wholecall.InvalidJSON, 3, `[…`},
		{`[trux]`, preview.Limits{}, wholecall.InvalidJSON, 4, `[…`},
		{`'a'`, preview.Limits{}, wholecall.InvalidJSON, 0, `…`},
		{"\"a\nb\"", preview.Limits{}, wholecall.InvalidJSON, 2, `"a…`},
		{`"a\x"`, preview.Limits{}, wholecall.InvalidJSON, 3, `"a…`},
		{`"a\u00zz"`, preview.Limits{}, wholecall.InvalidJSON, 6, `"a…`},
		{"\"a\xffb\"", preview.Limits{}, wholecall.InvalidUTF8, 2, `"a…`},
		{"\"a\xe2\x28\"", preview.Limits{}, wholecall.InvalidUTF8, 2, `"a…`},
		{`"a\ud83dx"`, preview.Limits{}, wholecall.LoneSurrogate, 8, `"a…`},
		{`"a\ud83d\n"`, preview.Limits{}, wholecall.LoneSurrogate, 9, `"a…`},
		{`"a\ude00"`, preview.Limits{}, wholecall.LoneSurrogate, 7, `"a…`},
		{`{"a":1,"\u0061":2}`, preview.Limits{}, wholecall.DuplicateMember, 14, `{a: 1…`},
		{`{} {}`, preview.Limits{}, wholecall.TrailingData, 3, `{}`},
		{`12x`, preview.Limits{}, wholecall.TrailingData, 2, `…`},
		{`[[[]]]`, deep, wholecall.TooDeep, 2, `[[…`},
		{`["abc"]`, preview.Limits{Bytes: 4}, wholecall.DocumentTooLong, 4, `["ab…`},
		{`[1,2,3]`, preview.Limits{Values: 3}, wholecall.DocumentTooLong, 6, `[1, 2…`},
		{`{"a":1,"b":2}`, preview.Limits{Values: 2}, wholecall.DocumentTooLong, 9, `{a: 1…`},
	}
	for _, tt := range tests {
		for _, size := range []int{1, len(tt.doc)} {
			d := preview.Document{Limits: tt.lim}
			for piece := range slices.Chunk([]byte(tt.doc), size) {
				d.Add(piece)
			}
			d.Add([]byte(`,"more"`))
			d.End()
			var e *preview.Error
			if err := d.Err(); !errors.As(err, &e) || !errors.Is(err, tt.kind) || e.At != tt.at {
				t.Errorf("%q: got %v, want %s at byte %d", tt.doc, err, tt.kind, tt.at)
			}
			if got := d.Value().String(); got != tt.shown || d.Whole() {
				t.Errorf("%q: got %s, want %s", tt.doc, got, tt.shown)
			}
		}
	}
}

// TestManyMembers: a name that is there twice is found among few and among many, and the same name in
// another object is another.
func TestManyMembers(t *testing.T) {
	for n := range 40 {
		var doc strings.Builder
		doc.WriteString(`{"x":{"k0":0,"k9":0}`)
		for i := range n {
			doc.WriteString(`,"k` + strings.Repeat("k", i) + `":{"x":{}}`)
		}
		var good, bad preview.Document
		good.Add([]byte(doc.String() + `}`))
		if !good.Whole() {
			t.Errorf("%d members: %v", n, good.Err())
		}
		bad.Add([]byte(doc.String() + `,"x":1}`))
		if !errors.Is(bad.Err(), wholecall.DuplicateMember) {
			t.Errorf("%d members and one twice: %v", n, bad.Err())
		}
	}
}

// TestEnd: a number that is the whole document is certain at the end alone; a document that is not whole
// stays what it is.
func TestEnd(t *testing.T) {
	for doc, want := range map[string]string{
		"": "…", "12": "12", "-": "…", "1.": "…", "[12": "[…", `{"a":12`: "{a: …", `"a`: `"a…`, "tru": "…", "0 ": "0",
	} {
		var d preview.Document
		d.Add([]byte(doc))
		d.End()
		d.Add([]byte("34"))
		if got := d.Value().String(); got != want || d.Err() != nil || d.Whole() == strings.HasSuffix(want, "…") {
			t.Errorf("%q: got %s, whole %t, %v, want %s", doc, got, d.Whole(), d.Err(), want)
		}
	}
}

// TestFreeText: free text is one string, whatever is in it.
func TestFreeText(t *testing.T) {
	d := preview.Document{FreeText: true}
	for _, step := range []struct{ piece, want string }{
		{"{\"a\n", "{\"a\n"}, {"\xc3", "{\"a\n"}, {"\xa9\\u", "{\"a\né\\u"},
	} {
		d.Add([]byte(step.piece))
		if got := d.Value().Text(); got != step.want || d.Whole() {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
	d.End()
	if got, want := changes(&d), []string{"opened  string", "grew  {\"a\né\\u", "closed "}; !slices.Equal(got, want) || !d.Whole() {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestValue: a value is found by its path, and tells what there is to it.
func TestValue(t *testing.T) {
	var d preview.Document
	v := d.Value()
	if _, ok := v.Get(); ok || v.Kind() != preview.Pending || v.Len() != 0 || v.Pointer() != "" {
		t.Error("there is something in a document without a byte")
	}
	d.Add([]byte(`{"a":[10,{"b/":"x"},[`))
	for _, tt := range []struct {
		path    string
		kind    preview.Kind
		text    string
		len     int
		whole   bool
		pointer string
	}{
		{"", preview.Object, "", 1, false, ""},
		{"a", preview.Array, "", 3, false, "/a"},
		{"a 0", preview.Number, "10", 0, true, "/a/0"},
		{"a 1", preview.Object, "", 1, true, "/a/1"},
		{"a 1 b/", preview.String, "x", 0, true, "/a/1/b~1"},
		{"a 2", preview.Array, "", 0, false, "/a/2"},
	} {
		got, ok := v.Get(strings.Fields(tt.path)...)
		if !ok || got.Kind() != tt.kind || got.Text() != tt.text || got.Len() != tt.len || got.Whole() != tt.whole || got.Pointer() != tt.pointer {
			t.Errorf("%q: got %s %q %d %t %s", tt.path, got.Kind(), got.Text(), got.Len(), got.Whole(), got.Pointer())
		}
	}
	for _, path := range []string{"b", "a 3", "a x", "a 0 0", "a 1 b/ 0", "a -1"} {
		if got, ok := v.Get(strings.Fields(path)...); ok || got.Kind() != preview.Pending {
			t.Errorf("%q: got %s", path, got)
		}
	}
	var zero preview.Value
	if zero.String() != "…" || zero.Whole() || zero.Pointer() != "" || zero.Name() != "" {
		t.Error("the zero value shows something")
	}
}

// TestTextStays: a string that was taken from a preview stays what it was, while the preview grows.
func TestTextStays(t *testing.T) {
	var d preview.Document
	d.Add([]byte(`{"name":"abc`))
	v, _ := d.Value().Get("name")
	name, text := v.Name(), v.Text()
	for range 1000 {
		d.Add([]byte(`defghijk`))
	}
	if name != "name" || text != "abc" || len(v.Text()) != 8003 {
		t.Errorf("got %q %q, and %d characters now", name, text, len(v.Text()))
	}
}

// TestNoJSON: encoding/json refuses a preview, rather than writing the {} of a call without arguments.
func TestNoJSON(t *testing.T) {
	var d preview.Document
	d.Add([]byte(`{"a":"b`))
	for _, v := range []any{&d, d.Value(), map[string]any{"arguments": d.Value()}, preview.Change{Value: d.Value()}} {
		if b, err := json.Marshal(v); err == nil {
			t.Errorf("%T is written as %s", v, b)
		}
	}
}
