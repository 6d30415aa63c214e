package ollama_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/ollama"
	"github.com/wholecall/wholecall/wholecalltest"
)

// shape is what turns are made of. A turn without calls ends as one that loads a model does: the laws need
// two words, and the protocol has no other for a model that is done.
var shape = wholecalltest.Shape{CallEnds: true, EmptyIsObject: true, Reasoning: true, Good: "stop", Done: "load"}

// TestLaws holds the protocol against the laws of wholecalltest.Laws that it can keep. Those can't be run as
// they are: a call has no fragments, its line is all of it, and a line that is dropped leaves no trace. What
// must hold all the same is said here.
func TestLaws(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 60 {
		events, calls := shape.Turn(r)
		lines := wholecalltest.Encode(t, ollama.Chat, events)
		roundTrip(t, events, lines)
		broken(t, lines, calls, r)
		cut(t, wholecalltest.Join(lines), calls, r)
		wholecalltest.SameForAnyChunking(t, ollama.Chat, wholecalltest.Join(lines), r)
		if t.Failed() {
			return
		}
	}
}

// roundTrip: what the encoder writes, the decoder reads as the same turn, under the same keys.
func roundTrip(t *testing.T, events []wholecall.Event, lines []wholecalltest.Frame) {
	t.Helper()
	stream := wholecalltest.Join(lines)
	want, got := wholecalltest.Apply(events, wholecall.Limits{}), wholecalltest.Read(bytes.NewReader(stream), ollama.Chat)
	if got.String() != want.String() {
		t.Errorf("decoded:\n%s\nwant:\n%s\nstream:\n%s", got, want, stream)
	}
	if g, w := announced(wholecalltest.Decode(t, ollama.Chat, stream)), announced(events); !slices.Equal(g, w) {
		t.Errorf("announced %v, want %v", g, w)
	}
}

func announced(events []wholecall.Event) []string {
	var out []string
	for _, ev := range events {
		if ev.Kind == wholecall.Announce {
			out = append(out, fmt.Sprintf("%+v %s %s", ev.Key, ev.ID, ev.Name))
		}
	}
	return out
}

// broken: dropping, doubling or swapping a line never gives a call that the model did not make, and a line
// that is doubled is found.
func broken(t *testing.T, lines []wholecalltest.Frame, calls []wholecalltest.Call, r *rand.Rand) {
	t.Helper()
	for i := range lines {
		j := r.IntN(len(lines))
		swapped := slices.Clone(lines)
		swapped[i], swapped[j] = swapped[j], swapped[i]
		doubled := slices.Insert(slices.Clone(lines), i, lines[i])
		for _, m := range [][]wholecalltest.Frame{slices.Delete(slices.Clone(lines), i, i+1), doubled, swapped} {
			made(t, wholecalltest.Join(m), calls)
		}
		got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(doubled)), ollama.Chat)
		if bytes.Contains(lines[i].Bytes, []byte("tool_calls")) && got.Kind != wholecall.DuplicateID {
			t.Errorf("line %d with a call, doubled: %s", i, got)
		}
	}
}

// cut: a stream that is cut anywhere has calls that the model made, and is not complete.
func cut(t *testing.T, stream []byte, calls []wholecalltest.Call, r *rand.Rand) {
	t.Helper()
	for range 20 {
		at := r.IntN(len(stream) - 1)
		if got := made(t, stream[:at], calls); got.Outcome == wholecall.Complete {
			t.Errorf("cut at %d: %s", at, got)
		}
	}
}

func made(t *testing.T, stream []byte, calls []wholecalltest.Call) wholecalltest.Result {
	t.Helper()
	got := wholecalltest.Read(bytes.NewReader(stream), ollama.Chat)
	for _, c := range got.Calls {
		if !slices.Contains(calls, c) {
			t.Errorf("call %s is not one that the model made\n%s\nstream:\n%s", c.ID, got, stream)
		}
	}
	return got
}

func FuzzChat(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := shape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, ollama.Chat, events)))
	}
	f.Add([]byte(lines(call(`{"function":{"name":"feed","arguments":{}}},{"function":{"index":0,"name":"feed","arguments":{}}}`), `{"error":"x"}`)))
	f.Fuzz(func(t *testing.T, stream []byte) { wholecalltest.NeverLoses(t, ollama.Chat, stream) })
}

const (
	stop   = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`
	length = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"length"}`
)

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

func message(members string) string {
	return `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",` + members + `},"done":false}`
}

func say(s string) string { return message(fmt.Sprintf(`"content":%q`, s)) }

func call(entries string) string { return message(`"content":"","tool_calls":[` + entries + `]`) }

func TestOddities(t *testing.T) {
	const (
		mo  = `{"id":"call_k2m4p6r8","function":{"index":0,"name":"feed","arguments":{"cat":"Mo"}}}`
		bo  = `{"id":"call_t1v3x5z7","function":{"index":1,"name":"feed","arguments":{"cat":"Bo"}}}`
		bo0 = `{"id":"call_t1v3x5z7","function":{"index":0,"name":"feed","arguments":{"cat":"Bo"}}}`
	)
	both := "call call_k2m4p6r8 feed {\"cat\":\"Mo\"}\ncall call_t1v3x5z7 feed {\"cat\":\"Bo\"}\n"
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"calls on lines of their own", []string{call(mo), call(bo), stop}, "outcome complete stop stop\n" + both},
		{"calls in one line", []string{call(mo + "," + bo), stop}, "outcome complete stop stop\n" + both},
		{"every index is 0", []string{call(mo), call(bo0), stop}, "outcome complete stop stop\n" + both},
		{"a call in the line that says done", []string{strings.Replace(call(mo), `"done":false`, `"done":true,"done_reason":"stop"`, 1)},
			"outcome complete stop stop\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\n"},
		{"no index and no id, twice the same", []string{call(`{"function":{"name":"feed","arguments":{ }}},{"function":{"name":"feed","arguments":{ }}}`), stop},
			"outcome complete stop stop\ncall wholecall_1 feed { }\ncall wholecall_2 feed { }\n"},
		{"an index and no id", []string{call(`{"function":{"index":0,"name":"feed","arguments":{}}},{"id":"","function":{"index":1,"name":"feed","arguments":{}}}`), stop},
			"outcome complete stop stop\ncall wholecall_1 feed {}\ncall wholecall_2 feed {}\n"},
		{"one index, no id, other arguments", []string{call(`{"function":{"index":0,"name":"feed","arguments":{"n":1}}}`), call(`{"function":{"index":0,"name":"feed","arguments":{"n":2}}}`), stop},
			"outcome complete stop stop\ncall wholecall_1 feed {\"n\":1}\ncall wholecall_2 feed {\"n\":2}\n"},
		{"one index, no id, the same call", []string{call(`{"function":{"index":0,"name":"feed","arguments":{}}}`), call(`{"function":{"index":0,"name":"feed","arguments":{}}}`), stop},
			"outcome failed duplicate-announcement\ncall wholecall_1 feed {}\n"},
		{"one id twice", []string{call(mo), call(mo), stop}, "outcome failed duplicate-id\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\n"},
		{"an id that looks like ours", []string{call(`{"id":"wholecall_2","function":{"name":"feed","arguments":{}}},{"function":{"name":"feed","arguments":{}}}`), stop},
			"outcome failed duplicate-id\ncall wholecall_2 feed {}\n"},
		{"the document is the object's bytes", []string{call(`{"id":"a","function":{"name":"feed","arguments":{ "n" : 1.50e-3, "s":"\u00e9" }}}`), stop},
			"outcome complete stop stop\ncall a feed { \"n\" : 1.50e-3, \"s\":\"\\u00e9\" }\n"},
		{"a call is whole at the token limit", []string{call(mo), length}, "outcome complete stop length\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\n"},
		{"a stream that is cut behind a call", []string{call(mo)}, "outcome incomplete truncated\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\n"},
		{"done, and not why", []string{say("a"), `{"model":"m","message":{"role":"assistant","content":""},"done":true}`},
			"outcome incomplete no-stop-reason\ntext \"a\"\n"},
		{"done without a message", []string{say("a"), `{"model":"m","done":true,"done_reason":"stop"}`}, "outcome complete stop stop\ntext \"a\"\n"},
		{"an error line", []string{call(mo), `{"error":"out of memory"}`}, "outcome failed provider-error\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\n"},
		{"an error object", []string{say("a"), `{"error":{"message":"no","code":500}}`}, "outcome failed provider-error\ntext \"a\"\n"},
		{"an error beside done", []string{say("a"), `{"error":"no","done":true,"done_reason":"stop"}`}, "outcome failed provider-error\ntext \"a\"\n"},
		{"content that looks like a call stays text", []string{say(`{"name":"feed",`), say(`"arguments":{}}`), stop},
			"outcome complete stop stop\ntext \"{\\\"name\\\":\\\"feed\\\",\\\"arguments\\\":{}}\"\n"},
		{"thinking, text, a call and text", []string{message(`"content":"","thinking":"hm"`), message(`"content":"ye","thinking":"m"`), say("s"), call(mo), say("more"), stop},
			"outcome complete stop stop\nreasoning \"hmm\"\ntext \"yes\"\ncall call_k2m4p6r8 feed {\"cat\":\"Mo\"}\ntext \"more\"\n"},
		{"thinking without content", []string{message(`"thinking":"hm"`), stop}, "outcome complete stop stop\nreasoning \"hm\"\n"},
		{"images", []string{message(`"content":"a","images":["aGk=","aG8="]`), stop}, "outcome complete stop stop\ntext \"a\"\ndata image \"aGk=\"\ndata image \"aG8=\"\n"},
		{"nulls", []string{message(`"content":null,"thinking":null,"images":null,"tool_calls":null`), stop}, "outcome complete stop stop\n"},
		{"no arguments at all", []string{call(`{"id":"a","function":{"name":"feed"}}`), stop}, "outcome incomplete calls-failed stop stop\nfailed a feed argument-error empty-document\n"},
		{"arguments that are null", []string{call(`{"id":"a","function":{"name":"feed","arguments":null}}`), stop}, "outcome incomplete calls-failed stop stop\nfailed a feed argument-error empty-document\n"},
		{"arguments that are text", []string{call(`{"id":"a","function":{"name":"feed","arguments":"{}"}}`), stop}, "outcome failed malformed-frame\n"},
		{"arguments with a member twice", []string{call(`{"id":"a","function":{"name":"feed","arguments":{"a":1,"a":2}}}`), call(bo), stop},
			"outcome incomplete calls-failed stop stop\nfailed a feed argument-error duplicate-member\ncall call_t1v3x5z7 feed {\"cat\":\"Bo\"}\n"},
		{"a call without a name", []string{call(`{"id":"a","function":{"arguments":{}}}`), stop}, "outcome failed incomplete-identity\n"},
		{"a call without a function", []string{call(`{"id":"a"}`), stop}, "outcome failed malformed-frame\n"},
		{"a second end", []string{stop, stop}, "outcome failed late stop stop\n"},
		{"text behind the end", []string{stop, say("a")}, "outcome failed late stop stop\n"},
		{"another protocol's line", []string{`{"model":"m","response":"a","done":false}`}, "outcome failed malformed-frame\n"},
		{"a member twice", []string{`{"message":{"content":""},"message":{"content":""}}`}, "outcome failed malformed-frame\n"},
		{"half a line", []string{`{"message":{"content":`}, "outcome failed malformed-frame\n"},
	} {
		in := lines(c.lines...)
		got := wholecalltest.Read(strings.NewReader(in), ollama.Chat)
		if got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
		wholecalltest.SameForAnyChunking(t, ollama.Chat, []byte(in), wholecalltest.Rand(t))
	}
}

// The last line need not have a line end.
func TestLastLineWithoutItsEnd(t *testing.T) {
	in := strings.TrimSuffix(lines(say("a"), stop), "\n")
	if got := wholecalltest.Read(strings.NewReader(in), ollama.Chat); got.Outcome != wholecall.Complete {
		t.Errorf("got %s", got)
	}
}

func TestDeviationsUsageAndExtra(t *testing.T) {
	in := lines(call(`{"function":{"index":2,"name":"feed","arguments":{}}}`), call(`{"id":"a","function":{"index":2,"name":"feed","arguments":{}}}`),
		strings.Replace(stop, `"done_reason"`, `"prompt_eval_count":5,"eval_count":4,"done_reason"`, 1))
	turn := wholecall.NewTurn(strings.NewReader(in), ollama.Chat)
	for _, err := range turn.Parts() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(turn.Deviations()); got != "[{sparse-index 1} {generated-id 1} {reused-index 1}]" {
		t.Errorf("deviations %s", got)
	}
	if u, _ := turn.Usage(); u != (wholecall.Usage{Input: 5, Output: 4}) {
		t.Errorf("usage %+v", u)
	}
	if calls := turn.Completed(); string(calls[0].Extra()) != `{"generated_id":true}` || calls[1].Extra() != nil {
		t.Errorf("extras %s, %s", calls[0].Extra(), calls[1].Extra())
	}
	if turn.Model() != "m" {
		t.Errorf("model %q", turn.Model())
	}
}

func TestTurns(t *testing.T) {
	n := 0
	for turn := range wholecall.Turns(strings.NewReader(lines(say("a"), stop, say("b"), stop)), ollama.Chat) {
		n++
		for _, err := range turn.Parts() {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d turns", n)
	}
}

func TestRecognises(t *testing.T) {
	for _, c := range []struct {
		data string
		want int
	}{
		{say("a"), 100}, {stop, 100}, {`{"error":"x"}`, 10}, {`{"done":false}`, 0},
		{`{"model":"m","response":"a","done":false}`, 0}, {`{"message":"x","done":true}`, 0}, {"[DONE]", 0},
	} {
		if got := ollama.Chat.Recognises(&frame.Frame{Data: []byte(c.data)}); got != c.want {
			t.Errorf("%s: got %d, want %d", c.data, got, c.want)
		}
	}
}

// Whatever of it the decoder understands, the encoder writes so that the same comes out again.
func TestWhatIsDecodedCanBeEncoded(t *testing.T) {
	for _, all := range [][]string{
		{message(`"content":"a","thinking":"hm","images":["aGk="]`), call(`{"function":{"name":"feed","arguments":{}}}`), say("b"), length},
		{say("a"), `{"error":"out of memory"}`},
		{say("a"), `{"message":{"content":""},"done":true}`},
	} {
		in := []byte(lines(all...))
		out := wholecalltest.Join(wholecalltest.Encode(t, ollama.Chat, wholecalltest.Decode(t, ollama.Chat, in)))
		want, got := wholecalltest.Read(bytes.NewReader(in), ollama.Chat), wholecalltest.Read(bytes.NewReader(out), ollama.Chat)
		if got.String() != want.String() {
			t.Errorf("got %swant %sstream:\n%s", got, want, out)
		}
	}
}

// Of a protocol whose parts overlap, each is written where it began, and a document in one line.
func TestEncodesWhatAnotherProtocolDecoded(t *testing.T) {
	events := append(wholecalltest.Parse(`begin m1 model · text 0 · announce 1 a1 feed · say 0 h · announce 2 b2 feed empty · end 2
		say 0 m · close 0`),
		wholecall.Event{Kind: wholecall.Fragment, Key: wholecall.Key{Index: 1}, Data: []byte("{\n\"s\":\"")},
		wholecall.Event{Kind: wholecall.Fragment, Key: wholecall.Key{Index: 1}, Data: []byte(`\ud83d`), Escaped: true},
		wholecall.Event{Kind: wholecall.Fragment, Key: wholecall.Key{Index: 1}, Data: []byte(`\ude00\"}`), Escaped: true},
		wholecall.Event{Kind: wholecall.Stop, Name: []byte("tool_calls"), Ends: true},
		wholecall.Event{Kind: wholecall.Terminal})
	got := wholecalltest.Read(bytes.NewReader(wholecalltest.Join(wholecalltest.Encode(t, ollama.Chat, events))), ollama.Chat)
	want := "outcome complete stop tool_calls\ntext \"hm\"\ncall a1 feed { \"s\":\"😀\"}\ncall b2 feed {}\n"
	if got.String() != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestEncoderRefuses(t *testing.T) {
	for _, script := range []string{
		"announce 0 a1 feed free", "announce 0 a1 feed server", "refusal 0", "data 0 audio {}", "text 0 · sign 0 x", "say 0 x",
		"announce 1.0 a1 feed", "announce 0 a1 feed · end 0 token-limit", "announce 0 a1 feed · end 0",
		"announce 0 a1 feed · frag 0 [1] · end 0", "announce 0 a1 feed · frag 0 {\"a\" · end 0",
		"announce 0 a1 feed · frag 0 {\"a\" · stop stop ends", "announce 0 a1 feed empty · end 0 · stop length token-limit · terminal",
		"announce 0 a1 feed · terminal", "announce 0 a1 feed · frag 0 {} · end 0 · frag 0 x", "stop x refusal",
	} {
		enc := ollama.Chat.NewEncoder()
		var err error
		for _, ev := range wholecalltest.Parse(script) {
			if _, err = enc.Append(nil, &ev); err != nil {
				break
			}
		}
		if err == nil {
			t.Errorf("%s: no error", script)
		}
	}
}
