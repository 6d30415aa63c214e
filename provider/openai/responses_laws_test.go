package openai_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

var responsesShape = wholecalltest.Shape{
	OneSpace: true, CallEnds: true, Numbered: true, Reasoning: true, Refusal: true, FreeText: true, Server: true,
	Good: "calls", Done: "completed",
}

// flat is the protocol with two things that random turns don't know of taken out: a part stands inside
// its item, and the stop reason is the same whether there are calls or not.
type flat struct{ wholecall.Protocol }

func (f flat) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &flatDecoder{Decoder: f.Protocol.NewDecoder(d)}
}

type flatDecoder struct {
	wholecall.Decoder
	calls bool
}

func (d *flatDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		ev := &events[i]
		ev.Key.Sub = 0
		d.calls = d.calls || ev.Kind == wholecall.Announce
		if ev.Kind == wholecall.Stop && d.calls {
			ev.Name = []byte("calls")
		}
	}
	return events, err
}

func TestResponsesLaws(t *testing.T) {
	wholecalltest.Laws(t, flat{openai.Responses}, responsesShape)
}

func FuzzResponsesDecode(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := responsesShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, openai.Responses, events)), uint8(0))
	}
	for _, c := range responsesCases {
		f.Add([]byte(sseOf(c.stream)), uint8(1))
	}
	dialects := append(openai.Responses.Dialects(), wholecall.Dialect{}, everySwitch())
	f.Fuzz(func(t *testing.T, stream []byte, n uint8) {
		d := dialects[int(n)%len(dialects)]
		wholecalltest.NeverLoses(t, openai.Responses, stream, wholecall.WithDialect(d))
	})
}

// everySwitch allows whatever can be allowed together.
func everySwitch() wholecall.Dialect {
	d := wholecall.Dialect{Name: "every-switch"}
	for _, s := range openai.Responses.Switches() {
		if !slices.ContainsFunc(s.Excludes, d.Has) {
			d.Allows = append(d.Allows, s.Name)
		}
	}
	return d
}

// TestResponsesChunking: how the bytes are cut makes no difference, in every case of the table and with
// every switch that it has.
func TestResponsesChunking(t *testing.T) {
	r := wholecalltest.Rand(t)
	for _, c := range responsesCases {
		t.Run(c.name, func(t *testing.T) {
			wholecalltest.SameForAnyChunking(t, openai.Responses, []byte(sseOf(c.stream)), r, wholecall.WithDialect(c.dialect()))
		})
	}
}

// TestResponsesRoundTrip: what the decoder makes of a stream, the encoder writes, and the decoder reads
// as the same turn. The streams are random ones of items that no other protocol has.
func TestResponsesRoundTrip(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 300 {
		stream := randomItems(r)
		want := wholecalltest.Read(strings.NewReader(stream), openai.Responses)
		if want.Kind != "" && want.Kind != wholecall.CallsFailed {
			t.Fatalf("the stream itself is read as\n%s\n%s", want, stream)
		}
		events := wholecalltest.Decode(t, openai.Responses, []byte(stream))
		again := wholecalltest.Join(wholecalltest.Encode(t, openai.Responses, events))
		if got := wholecalltest.Read(bytes.NewReader(again), openai.Responses); got.String() != want.String() {
			t.Fatalf("got\n%s\nwant\n%s\nstream:\n%s\nencoded:\n%s", got, want, stream, again)
		}
		for i, ev := range wholecalltest.Decode(t, openai.Responses, again) {
			if ev.Kind == wholecall.Deviate {
				t.Logf("event %d: the encoder's own stream has the deviation %s", i, ev.Name)
			}
		}
	}
}

// randomItems makes the stream of a turn with a few items of any type, one behind the other.
func randomItems(r *rand.Rand) string {
	lines := []string{`{"type":"response.created","response":{"id":"resp_1","model":"m","output":[]}}`}
	n := 1 + r.IntN(6)
	for i := range n {
		make := itemMakers[r.IntN(len(itemMakers))]
		added, between, done := make(i, r)
		lines = append(lines, fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, i, added))
		for _, b := range between {
			lines = append(lines, strings.ReplaceAll(b, "#", fmt.Sprintf(`"output_index":%d,"item_id":"it_%d"`, i, i)))
		}
		lines = append(lines, fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, i, done))
	}
	end := []string{
		`{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":7,"output_tokens":9,"total_tokens":16}}}`,
		`{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}`,
		`{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":null,"output":[]}}`,
		`{"type":"response.incomplete","response":{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"other"},"output":[]}}`,
	}
	return sseOf(strings.Join(append(lines, end[r.IntN(len(end))]), "\n"))
}

// itemMakers make an item: as it is added, the events about it, and as it is done.
var itemMakers = []func(i int, r *rand.Rand) (added string, between []string, done string){
	func(i int, r *rand.Rand) (string, []string, string) { // a call, whole or cut
		head := fmt.Sprintf(`{"id":"it_%d","type":"function_call","call_id":"call_%d","name":"add","namespace":"math",`, i, i)
		doc, status := []string{`{\"a\":1}`, `{\"a\":`, `[]`, ``}[r.IntN(4)], []string{"completed", "incomplete"}[r.IntN(2)]
		var between []string
		if r.IntN(3) > 0 {
			between = append(between, `{"type":"response.function_call_arguments.delta",#,"delta":"`+doc+`"}`)
		}
		return head + `"arguments":""}`, between, head + `"status":"` + status + `","arguments":"` + doc + `"}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // a call whose copies disagree
		head := fmt.Sprintf(`{"id":"it_%d","type":"function_call","call_id":"call_%d","name":"add",`, i, i)
		return head + `"arguments":""}`, []string{
			`{"type":"response.function_call_arguments.delta",#,"delta":"{\"a\":1}"}`,
			`{"type":"response.function_call_arguments.done",#,"arguments":"{\"a\":2}"}`,
		}, head + `"status":"completed","arguments":"{\"a\":1}"}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // a message of several parts
		content := `{"type":"output_text","text":"one\n","annotations":[{"type":"url_citation","url":"u"}]},{"type":"refusal","refusal":"no"}`
		item := fmt.Sprintf(`{"id":"it_%d","type":"message","role":"assistant","content":[`, i)
		return item + `]}`, nil, item + content + `]}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // reasoning, with or without what is encrypted
		item := fmt.Sprintf(`{"id":"it_%d","type":"reasoning","summary":[`, i)
		sealed := []string{"", `,"encrypted_content":"gAAA"`}[r.IntN(2)]
		return item + `]}`, []string{
			`{"type":"response.reasoning_summary_part.added",#,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
			`{"type":"response.reasoning_summary_text.delta",#,"summary_index":0,"delta":"thus"}`,
			`{"type":"response.reasoning_summary_text.done",#,"summary_index":0,"text":"thus"}`,
			`{"type":"response.reasoning_text.delta",#,"content_index":0,"delta":"hm"}`,
		}, item + `{"type":"summary_text","text":"thus"}],"content":[{"type":"reasoning_text","text":"hm"}]` + sealed + `}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // calls whose arguments are an object
		types := []string{"shell_call", "local_shell_call", "apply_patch_call", "computer_call"}
		typ := types[r.IntN(len(types))]
		head := fmt.Sprintf(`{"id":"it_%d","type":%q,"call_id":"call_%d"`, i, typ, i)
		member := "action"
		if typ == "apply_patch_call" {
			member = "operation"
		}
		rest := []string{"", `,"pending_safety_checks":[{"id":"c1"}]`, `,"environment":{"type":"container_reference","container_id":"x"}`}[r.IntN(3)]
		return head + rest + `}`, nil, head + `,"status":"completed","` + member + `":{"type":"x", "n":[1, 2.50]}` + rest + `}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // a tool search
		head := fmt.Sprintf(`{"id":"it_%d","type":"tool_search_call","execution":%q,"call_id":`, i, []string{"client", "server"}[r.IntN(2)])
		return head + `"first","arguments":{}}`, nil, head + fmt.Sprintf(`"call_%d","status":"completed","arguments":{"goal":"x"}}`, i)
	},
	func(i int, r *rand.Rand) (string, []string, string) { // calls of the provider
		typ := []string{"web_search_call", "file_search_call", "image_generation_call"}[r.IntN(3)]
		head := fmt.Sprintf(`{"id":"it_%d","type":%q,"status":`, i, typ)
		return head + `"in_progress"}`, nil, head + `"completed"` + []string{"", `,"action":{"type":"search"}`}[r.IntN(2)] + `}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // code
		head := fmt.Sprintf(`{"id":"it_%d","type":"code_interpreter_call","container_id":"c","status":`, i)
		return head + `"in_progress","code":""}`, []string{
			`{"type":"response.code_interpreter_call_code.delta",#,"delta":"print(\"1\")\n"}`,
			`{"type":"response.code_interpreter_call_code.done",#,"code":"print(\"1\")\n"}`,
		}, head + `"completed","code":"print(\"1\")\n"}`
	},
	func(i int, r *rand.Rand) (string, []string, string) { // what is no call
		item := fmt.Sprintf(`{"id":"it_%d","type":"mcp_approval_request","arguments":"{}","name":"x"}`, i)
		return item, nil, item
	},
}
