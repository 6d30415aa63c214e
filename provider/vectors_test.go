package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider"
	"github.com/wholecall/wholecall/wholecalltest"
)

// fewestVectors is how many there must be at least, so that an empty folder can't pass.
const fewestVectors = 1930

// vectorFile is what stands in the JSON file of a vector.
type vectorFile struct {
	About    string          `json:"about"`
	Spec     string          `json:"spec"`
	Since    string          `json:"since"`
	Provider string          `json:"provider"`
	Framing  string          `json:"framing"`
	Dialect  json.RawMessage `json:"dialect"`
	Limit    int             `json:"limit"`
	Expect   json.RawMessage `json:"expect"`
}

// vectorResult is what must come out of a turn, and what came.
type vectorResult struct {
	Outcome     string         `json:"outcome"`
	StopReason  string         `json:"stop_reason"`
	Announced   int            `json:"announced"`
	Completed   int            `json:"completed"`
	Failed      int            `json:"failed"`
	Parts       []vectorPart   `json:"parts"`
	Calls       []vectorCall   `json:"calls"`
	FailedCalls []vectorFailed `json:"failed_calls"`
	ServerCalls []vectorCall   `json:"server_calls,omitempty"`
	Error       *vectorFault   `json:"error"`
}

type vectorPart struct {
	Type     string `json:"type"`
	Key      string `json:"key,omitempty"`
	DataType string `json:"data_type,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
}

type vectorCall struct {
	Key       string `json:"key"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Form      string `json:"form,omitempty"`
}

type vectorFailed struct {
	Key    string       `json:"key"`
	ID     string       `json:"id"`
	Name   string       `json:"name"`
	Reason string       `json:"reason"`
	Error  *vectorFault `json:"error,omitempty"`
}

type vectorFault struct {
	Kind wholecall.Kind `json:"kind"`
}

// frameResult is what must come out of a framing.
type frameResult struct {
	Frames []vectorFrame `json:"frames"`
	Error  *vectorFault  `json:"error"`
}

type vectorFrame struct {
	Event *string `json:"event,omitempty"`
	Data  string  `json:"data"`
	ID    string  `json:"id,omitempty"`
}

func vectorFraming(t *testing.T, name string) func(limit int) frame.Framer {
	t.Helper()
	newFramer, ok := provider.Framing(name)
	if !ok {
		t.Fatalf("there is no framing %q", name)
	}
	return newFramer
}

// vectorChunks says how the bytes of a vector reach the reader: how many at a time, 0 for all.
var vectorChunks = map[string]int{"whole": 0, "byte": 1, "seven": 7, "hundred": 100}

// pieces hands out n bytes at a time.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := len(b)
	if p.n > 0 {
		n = min(n, p.n)
	}
	n = copy(b[:n], p.b)
	p.b = p.b[n:]
	return n, nil
}

// TestVectors holds the protocols and the framings against the conformance vectors.
func TestVectors(t *testing.T) {
	const dir = "../conformance/vectors"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the conformance vectors are a module of their own, and are not beside this one")
	}
	n := 0
	for _, name := range vectorNames(t, os.DirFS(dir)) {
		n++
		t.Run(name, func(t *testing.T) { runVector(t, os.DirFS(dir), name) })
	}
	if n < fewestVectors {
		t.Errorf("%d vectors, and there must be %d at least", n, fewestVectors)
	}
}

// vectorNames returns the paths of all vectors, without extension. Each file must be one of a pair.
func vectorNames(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	var names, captures []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(p, path.Ext(p))
		if path.Ext(p) == ".json" {
			names = append(names, name)
		} else {
			captures = append(captures, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, captures) {
		t.Error("the files don't stand in pairs")
	}
	return names
}

// readVector returns a vector and its capture.
func readVector(t *testing.T, fsys fs.FS, name string) (*vectorFile, []byte) {
	t.Helper()
	raw, err := fs.ReadFile(fsys, name+".json")
	if err != nil {
		t.Fatal(err)
	}
	v := &vectorFile{}
	decodeStrictly(t, raw, v)
	in, err := fs.ReadFile(fsys, name+"."+v.Framing)
	if err != nil {
		t.Fatal(err)
	}
	return v, in
}

func runVector(t *testing.T, fsys fs.FS, name string) {
	v, in := readVector(t, fsys, name)
	if v.Provider == "" {
		runFraming(t, v, in)
		return
	}
	var want vectorResult
	decodeStrictly(t, v.Expect, &want)
	for chunks, n := range vectorChunks {
		if got := vectorTurn(t, v, in, n, &want); !sameJSON(got, want) {
			t.Errorf("%s\n%s: got\n%s\nwant\n%s", v.About, chunks, indented(got), indented(want))
			return
		}
	}
}

func decodeStrictly(t *testing.T, raw []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func indented(v any) []byte {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

func sameJSON(a, b any) bool { return bytes.Equal(indented(a), indented(b)) }

// vectorTurn reads a vector, n bytes at a time.
func vectorTurn(t *testing.T, v *vectorFile, in []byte, n int, want *vectorResult) vectorResult {
	t.Helper()
	turn := vectorReader(t, v, in, n)
	handed := map[int]int{}
	var last error
	for part, err := range turn.Parts() {
		if last = err; err != nil {
			break
		}
		if c, ok := part.(wholecall.Call); ok {
			handed[c.Place()]++
		}
	}
	got := vectorOutcome(turn, want)
	if len(handed) != got.Completed {
		t.Errorf("%d calls were handed out, and %d completed", len(handed), got.Completed)
	}
	for place, n := range handed {
		if n != 1 {
			t.Errorf("the call at place %d was handed out %d times", place, n)
		}
	}
	if (last == nil) != (got.Outcome == string(wholecall.Complete)) {
		t.Errorf("the outcome is %s, and the parts end with %v", got.Outcome, last)
	}
	return got
}

// TestVectorsWithProgress: showing open calls changes nothing, and what is shown is what is called. What
// is read into a finished document alone can't be shown before.
func TestVectorsWithProgress(t *testing.T) {
	const dir = "../conformance/vectors"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the conformance vectors are a module of their own, and are not beside this one")
	}
	n := 0
	for _, name := range vectorNames(t, os.DirFS(dir)) {
		v, in := readVector(t, os.DirFS(dir), name)
		late := []byte(`"` + wholecall.RawControlCharacters + `"`)
		again := []byte(`"` + wholecall.DoubleEncoded + `"`)
		if v.Provider == "" || bytes.Contains(v.Dialect, late) || bytes.Contains(v.Dialect, again) {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			wholecalltest.SameWithProgress(t, func(opts ...wholecall.Option) *wholecall.Turn {
				return vectorReader(t, v, in, 0, opts...)
			})
		})
	}
	if n < fewestVectors/2 {
		t.Errorf("%d vectors of protocols", n)
	}
}

// vectorReader is the turn of a vector, whose bytes come n at a time.
func vectorReader(t *testing.T, v *vectorFile, in []byte, n int, opts ...wholecall.Option) *wholecall.Turn {
	t.Helper()
	p, ok := provider.Named(v.Provider)
	if !ok {
		t.Fatalf("there is no protocol %q", v.Provider)
	}
	opts = append(opts, wholecall.WithFraming(vectorFraming(t, v.Framing)))
	if string(v.Dialect) != `"standard"` {
		var d struct {
			Allows []string `json:"allows"`
		}
		decodeStrictly(t, v.Dialect, &d)
		opts = append(opts, wholecall.WithDialect(wholecall.Dialect{Name: "vector", Allows: d.Allows}))
	}
	return wholecall.NewTurn(&pieces{in, n}, p, opts...)
}

// TestVectorsOfTwoConversations reads both streams of each pair at once, a part of each in turn and a byte
// of each at a time: nothing of one may come out of the other (I7).
func TestVectorsOfTwoConversations(t *testing.T) {
	names, err := filepath.Glob("../conformance/vectors/*/conversation-one.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range names {
		folder := path.Base(path.Dir(filepath.ToSlash(one)))
		t.Run(folder, func(t *testing.T) { readTwoConversations(t, folder) })
	}
}

func readTwoConversations(t *testing.T, folder string) {
	fsys := os.DirFS("../conformance/vectors/" + folder)
	var turns [2]*wholecall.Turn
	var wants [2]vectorResult
	var next [2]func() (wholecall.Part, error, bool)
	for i, name := range []string{"conversation-one", "conversation-two"} {
		v, in := readVector(t, fsys, name)
		decodeStrictly(t, v.Expect, &wants[i])
		turns[i] = vectorReader(t, v, in, 1)
		var stop func()
		next[i], stop = iter.Pull2(turns[i].Parts())
		defer stop()
	}
	for going := true; going; {
		_, _, first := next[0]()
		_, _, second := next[1]()
		going = first || second
	}
	for i := range turns {
		if got := vectorOutcome(turns[i], &wants[i]); !sameJSON(got, wants[i]) {
			t.Errorf("stream %d: got\n%s\nwant\n%s", i+1, indented(got), indented(wants[i]))
		}
	}
}

// finishedCall is a call that the client or the provider runs.
type finishedCall interface {
	Key() wholecall.Key
	ID() string
	Name() string
	Form() wholecall.Form
	Arguments() json.RawMessage
}

// vectorID is an id as vectors have it: empty where the wire has none, and the reader makes one up.
func vectorID(id string) string {
	if strings.HasPrefix(id, "wholecall_") {
		return ""
	}
	return id
}

// vectorOutcome is what became of a turn. What an expectation does not say is left out.
func vectorOutcome(turn *wholecall.Turn, want *vectorResult) vectorResult {
	key := func(k wholecall.Key) string { return k.Text(turn.Choices() > 1) }
	call := func(c finishedCall) vectorCall {
		v := vectorCall{Key: key(c.Key()), ID: vectorID(c.ID()), Name: c.Name(), Arguments: string(c.Arguments())}
		if c.Form() == wholecall.TextArguments {
			v.Form = "text"
		}
		return v
	}
	got := vectorResult{Outcome: string(turn.Outcome()), StopReason: turn.StopReason(), Announced: turn.Announced(),
		Completed: len(turn.Completed()), Failed: len(turn.Failed()),
		Parts: []vectorPart{}, Calls: []vectorCall{}, FailedCalls: []vectorFailed{}}
	for _, info := range turn.Outline() {
		p := vectorPart{Type: info.Kind.String()}
		switch info.Kind {
		case wholecall.CallPart, wholecall.ServerCallPart:
			p.Key = key(info.Key)
		case wholecall.DataPart:
			p.DataType = info.Type
		default:
			p.Bytes = info.Bytes
		}
		got.Parts = append(got.Parts, p)
	}
	for _, c := range turn.Completed() {
		got.Calls = append(got.Calls, call(c))
	}
	for _, c := range turn.ServerCalls() {
		got.ServerCalls = append(got.ServerCalls, call(c))
	}
	for i, f := range turn.Failed() {
		v := vectorFailed{Key: key(f.Key()), ID: vectorID(f.ID()), Name: f.Name(), Reason: string(f.Reason)}
		var e *wholecall.ArgumentError
		if errors.As(f.Err, &e) && (i >= len(want.FailedCalls) || want.FailedCalls[i].Error != nil) {
			v.Error = &vectorFault{e.Kind}
		}
		got.FailedCalls = append(got.FailedCalls, v)
	}
	if err := turn.Err(); err != nil {
		got.Error = &vectorFault{vectorKind(err)}
	}
	return got
}

// vectorKind is the kind of a turn's error, and not that of a call's error in it.
func vectorKind(err error) wholecall.Kind {
	switch e := err.(type) {
	case *wholecall.ProtocolError:
		return e.Kind
	case *wholecall.IncompleteError:
		return e.Kind
	case *wholecall.ProviderError:
		return wholecall.ProviderFailed
	}
	return wholecall.Kind(fmt.Sprintf("%T", err))
}

func runFraming(t *testing.T, v *vectorFile, in []byte) {
	var want frameResult
	decodeStrictly(t, v.Expect, &want)
	for chunks, n := range vectorChunks {
		if got := vectorFrames(vectorFraming(t, v.Framing)(v.Limit), in, n); !sameJSON(got, want) {
			t.Errorf("%s\n%s: got\n%s\nwant\n%s", v.About, chunks, indented(got), indented(want))
			return
		}
	}
}

// vectorFrames cuts a vector into frames, fed with n bytes at a time.
func vectorFrames(fr frame.Framer, in []byte, n int) frameResult {
	got := frameResult{Frames: []vectorFrame{}}
	var f frame.Frame
	take := func() {
		if f.Data == nil {
			return // lines that the standard ignores
		}
		v := vectorFrame{Data: string(f.Data), ID: string(f.ID)}
		if f.Event != nil {
			name := string(f.Event)
			v.Event = &name
		}
		got.Frames = append(got.Frames, v)
	}
	fail := func(err error) frameResult {
		var e *frame.Error
		if errors.As(err, &e) {
			got.Error = &vectorFault{wholecall.Kind(e.Kind)}
		}
		return got
	}
	r := &pieces{in, n}
	for {
		ok, err := fr.Next(&f)
		if err != nil {
			return fail(err)
		}
		if ok {
			take()
			continue
		}
		k, err := r.Read(fr.Buffer())
		if err != nil {
			break
		}
		fr.Fed(k)
	}
	f = frame.Frame{}
	if err := fr.Close(&f); err != nil {
		return fail(err)
	}
	take()
	return got
}
