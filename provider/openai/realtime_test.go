package openai_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/internal/strictjson"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

var realtimeShape = wholecalltest.Shape{
	OneSpace: true, Choices: 2, Server: true,
	Good: "calls", Done: "completed",
}

// flatRealtime is the protocol with what random turns don't know of taken out: a part stands inside its
// item, the stop reason is the same whether there are calls or not, and the model has no name.
type flatRealtime struct{ wholecall.Protocol }

func (f flatRealtime) NewEncoder() wholecall.Encoder {
	return flatRealtimeEncoder{f.Protocol.NewEncoder()}
}

func (f flatRealtime) NewDecoder(d wholecall.Dialect) wholecall.Decoder {
	return &flatRealtimeDecoder{Decoder: f.Protocol.NewDecoder(d), calls: map[int32]bool{}}
}

type flatRealtimeEncoder struct{ wholecall.Encoder }

func (e flatRealtimeEncoder) Append(dst []byte, ev *wholecall.Event) ([]byte, error) {
	if ev.Kind == wholecall.Begin {
		ev = &wholecall.Event{Kind: wholecall.Begin, ID: fmt.Appendf(nil, "%s %s", ev.ID, ev.Name)}
	}
	return e.Encoder.Append(dst, ev)
}

type flatRealtimeDecoder struct {
	wholecall.Decoder
	calls map[int32]bool
}

func (d *flatRealtimeDecoder) Decode(f *frame.Frame, events []wholecall.Event) ([]wholecall.Event, error) {
	events, err := d.Decoder.Decode(f, events)
	for i := range events {
		ev := &events[i]
		ev.Key.Sub = 0
		switch ev.Kind {
		case wholecall.Begin:
			ev.ID, ev.Name, _ = bytes.Cut(ev.ID, []byte(" "))
		case wholecall.Announce:
			d.calls[ev.Key.Choice] = true
		case wholecall.Stop:
			if d.calls[ev.Key.Choice] {
				ev.Name = []byte("calls")
			}
		}
	}
	return events, err
}

func TestRealtimeLaws(t *testing.T) {
	wholecalltest.Laws(t, flatRealtime{openai.Realtime}, realtimeShape)
}

// TestRealtimeCopiesShowWhatIsLost: the copies show every fragment that is dropped, doubled or swapped, but
// for white space between tokens.
func TestRealtimeCopiesShowWhatIsLost(t *testing.T) {
	r := wholecalltest.Rand(t)
	for range 40 {
		events, calls := realtimeShape.Turn(r)
		docs := map[string]string{}
		for _, c := range calls {
			docs[c.ID] = c.Arguments
		}
		frames := wholecalltest.Encode(t, openai.Realtime, events)
		for i := range frames {
			j := r.IntN(len(frames))
			swapped := slices.Clone(frames)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			for _, m := range [][]wholecalltest.Frame{
				slices.Delete(slices.Clone(frames), i, i+1), slices.Insert(slices.Clone(frames), i, frames[i]), swapped,
			} {
				for _, c := range wholecalltest.Read(bytes.NewReader(wholecalltest.Join(m)), openai.Realtime).Calls {
					if !strictjson.Equal([]byte(c.Arguments), []byte(docs[c.ID])) {
						t.Fatalf("frame %d, %d: call %s has another document\n%s", i, j, c.ID, wholecalltest.Join(m))
					}
				}
			}
		}
	}
}

func FuzzRealtime(f *testing.F) {
	r := wholecalltest.Rand(f)
	for range 20 {
		events, _ := realtimeShape.Turn(r)
		f.Add(wholecalltest.Join(wholecalltest.Encode(f, openai.Realtime, events)), false)
	}
	for _, c := range realtimeCases {
		f.Add([]byte(c.stream()), c.empty)
	}
	f.Fuzz(func(t *testing.T, stream []byte, empty bool) {
		wholecalltest.NeverLoses(t, openai.Realtime, stream, wholecall.WithDialect(emptyDialect(empty)))
	})
}

func emptyDialect(on bool) wholecall.Dialect {
	if !on {
		return wholecall.Dialect{}
	}
	return wholecall.Dialect{Name: "empty", Allows: []string{"empty-arguments"}}
}

// The events of a response A, an event a line. Responses are told apart by a letter.
func rtCreated(r string) string {
	return fmt.Sprintf(`{"type":"response.created","event_id":"e","response":{"id":"resp_%s","status":"in_progress","output":[]}}`, r)
}

func rtCall(n int, status, args string) string {
	return fmt.Sprintf(`{"id":"item_%d","type":"function_call","call_id":"call_%d","name":"dial","status":%q,"arguments":%q}`, n, n, status, args)
}

func rtAdded(r string, n int) string {
	return rtItem("added", r, n, rtCall(n, "in_progress", ""))
}

func rtItem(what, r string, n int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.%s","event_id":"e","response_id":"resp_%s","output_index":%d,"item":%s}`, what, r, n, item)
}

func rtFrag(r string, n int, s string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","event_id":"e","response_id":"resp_%s","item_id":"item_%d","output_index":%d,"call_id":"call_%d","delta":%q}`, r, n, n, n, s)
}

func rtArgs(r string, n int, s string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.done","event_id":"e","response_id":"resp_%s","item_id":"item_%d","output_index":%d,"call_id":"call_%d","name":"dial","arguments":%q}`, r, n, n, n, s)
}

func rtItemDone(r string, n int, status, s string) string {
	return rtItem("done", r, n, rtCall(n, status, s))
}

// rtWhole is a call from its beginning to the end of its item.
func rtWhole(r string, n int, s string) []string {
	return []string{rtAdded(r, n), rtFrag(r, n, s), rtArgs(r, n, s), rtItemDone(r, n, "completed", s)}
}

func rtDone(r, status, why string, output ...string) string {
	detail := "null"
	if why != "" {
		detail = fmt.Sprintf(`{"type":%q,"reason":%q}`, status, why)
	}
	return fmt.Sprintf(`{"type":"response.done","event_id":"e","response":{"id":"resp_%s","status":%q,"status_details":%s,"output":[%s]}}`, r, status, detail, strings.Join(output, ","))
}

func rtText(typ, r string, n, content int, members string) string {
	return fmt.Sprintf(`{"type":"response.%s","event_id":"e","response_id":"resp_%s","item_id":"item_%d","output_index":%d,"content_index":%d,%s}`, typ, r, n, n, content, members)
}

const rtSession = `{"type":"session.created","event_id":"e","session":{}}`

func rtError(members string) string {
	return `{"type":"error","event_id":"e","error":{` + members + `}}`
}

type realtimeCase struct {
	name  string
	lines []any // string or []string
	empty bool
	devs  string
	want  string
}

func (c *realtimeCase) stream() string {
	var b strings.Builder
	for _, l := range c.lines {
		switch l := l.(type) {
		case string:
			b.WriteString(l + "\n")
		case []string:
			b.WriteString(strings.Join(l, "\n") + "\n")
		}
	}
	return b.String()
}

func lines(l ...any) []any { return l }

func rtMessage(n int, content string) string {
	return fmt.Sprintf(`{"id":"item_%d","type":"message","role":"assistant","content":[%s]}`, n, content)
}

const rtApproval = `{"id":"item_0","type":"mcp_approval_request","name":"x","arguments":"{}"}`

func rtMCP(what, members string) string {
	return fmt.Sprintf(`{"type":"response.mcp_call%s","event_id":"e","response_id":"resp_A","item_id":"item_0","output_index":0,%s}`, what, members)
}

func rtMCPItem(args string) string {
	return fmt.Sprintf(`{"id":"item_0","type":"mcp_call","server_label":"s","name":"look","arguments":%q}`, args)
}

var realtimeCases = []realtimeCase{
	{name: "two calls of one tool, interleaved",
		lines: lines(rtSession, rtCreated("A"), rtAdded("A", 0), rtAdded("A", 1), rtFrag("A", 0, `{"k"`), rtFrag("A", 1, `{"k":2}`), rtFrag("A", 0, `:1}`),
			rtArgs("A", 1, `{"k":2}`), rtItemDone("A", 1, "completed", `{"k":2}`), rtArgs("A", 0, `{"k":1}`), rtItemDone("A", 0, "completed", `{"k":1}`),
			rtDone("A", "completed", "", rtCall(0, "completed", `{"k":1}`), rtCall(1, "completed", `{"k":2}`))),
		want: "outcome complete stop completed\ncall call_0 dial {\"k\":1}\ncall call_1 dial {\"k\":2}\n"},
	{name: "two responses beside each other share their positions", devs: "[{empty-final-output 2}]",
		lines: lines(rtCreated("A"), rtCreated("B"), rtAdded("A", 0), rtAdded("B", 0), rtFrag("A", 0, `{"k":1}`), rtFrag("B", 0, `{"k":2}`),
			rtItemDone("A", 0, "completed", `{"k":1}`), rtItemDone("B", 0, "completed", `{"k":2}`), rtDone("A", "completed", ""), rtDone("B", "completed", "")),
		want: "outcome complete stop completed\ncall call_0 dial {\"k\":1}\ncall call_0 dial {\"k\":2}\n"},
	{name: "one of them is cut", devs: "[{sparse-index 1} {empty-final-output 2}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtCreated("B"), rtWhole("B", 1, `{}`), rtDone("B", "cancelled", "turn_detected"), rtDone("A", "completed", "")),
		want:  "outcome incomplete calls-failed stop completed\ncall call_0 dial {}\nfailed call_1 dial cancelled\n"},
	{name: "one of them has no end", devs: "[{sparse-index 1} {empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtCreated("B"), rtWhole("B", 1, `{}`), rtDone("A", "completed", "")),
		want:  "outcome incomplete truncated stop completed\ncall call_0 dial {}\nfailed call_1 dial truncated\n"},
	{name: "cancelled by the client, though the document is whole", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtDone("A", "cancelled", "client_cancelled")),
		want:  "outcome incomplete calls-failed stop client_cancelled\nfailed call_0 dial cancelled\n"},
	{name: "cancelled, without a reason", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtDone("A", "cancelled", "")),
		want:  "outcome incomplete calls-failed stop cancelled\nfailed call_0 dial cancelled\n"},
	{name: "the token limit", devs: "[{call-missing-in-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtAdded("A", 1), rtFrag("A", 1, `{"a`), rtArgs("A", 1, `{"a`), rtItemDone("A", 1, "incomplete", `{"a`), rtDone("A", "incomplete", "max_output_tokens", rtCall(1, "incomplete", `{"a`))),
		want:  "outcome incomplete calls-failed stop max_output_tokens\nfailed call_0 dial token-limit\nfailed call_1 dial token-limit\n"},
	{name: "the content filter", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtDone("A", "incomplete", "content_filter")),
		want:  "outcome incomplete calls-failed stop content_filter\nfailed call_0 dial content-filter\n"},
	{name: "incomplete, without a reason", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtDone("A", "incomplete", "")),
		want:  "outcome incomplete calls-failed stop incomplete\nfailed call_0 dial truncated\n"},
	{name: "done and in progress", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtDone("A", "in_progress", "")),
		want:  "outcome incomplete calls-failed stop in_progress\nfailed call_0 dial truncated\n"},
	{name: "done without a status", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), `{"type":"response.done","response":{"id":"resp_A"}}`),
		want:  "outcome incomplete no-stop-reason\nfailed call_0 dial truncated\n"},
	{name: "failed",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), `{"type":"response.done","response":{"id":"resp_A","status":"failed","status_details":{"type":"failed","error":{"type":"server_error","code":"c"}}}}`),
		want:  "outcome failed provider-error\nfailed call_0 dial provider-error\n"},
	{name: "failed, and nothing more",
		lines: lines(rtCreated("A"), rtDone("A", "failed", "")), want: "outcome failed provider-error\n"},
	{name: "an item that is incomplete in a response that completed", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtFrag("A", 0, `{}`), rtItemDone("A", 0, "incomplete", `{}`), rtDone("A", "completed", "")),
		want:  "outcome incomplete calls-failed stop completed\nfailed call_0 dial truncated\n"},
	{name: "no copy confirms the call", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtFrag("A", 0, `{}`), rtArgs("A", 0, `{}`), rtDone("A", "completed", "")),
		want:  "outcome incomplete calls-failed stop completed\nfailed call_0 dial unfinished\n"},
	{name: "the final output confirms it",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtFrag("A", 0, `{}`), rtDone("A", "completed", "", rtCall(0, "completed", `{}`))),
		want:  "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "the copies disagree", devs: "[{empty-final-output 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtFrag("A", 0, `{"a":1}`), rtArgs("A", 0, `{"a":2}`), rtItemDone("A", 0, "completed", `{"a":1}`), rtDone("A", "completed", "")),
		want:  "outcome incomplete calls-failed stop completed\nfailed call_0 dial argument-error document-mismatch\n"},
	{name: "the final copy disagrees",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{"a":1}`), rtDone("A", "completed", "", rtCall(0, "completed", `{"a":2}`))),
		want:  "outcome incomplete calls-failed stop completed\nfailed call_0 dial argument-error document-mismatch\n"},
	{name: "only a copy has the document", devs: "[{arguments-only-in-done 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtDone("A", "completed", "", rtCall(0, "completed", `{}`))),
		want:  "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "the announcement has the document",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtCall(0, "in_progress", `{}`)), rtDone("A", "completed", "", rtCall(0, "completed", `{}`))),
		want:  "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "no arguments",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtArgs("A", 0, ""), rtDone("A", "completed", "", rtCall(0, "completed", ""))),
		want:  "outcome incomplete calls-failed stop completed\nfailed call_0 dial argument-error empty-document\n"},
	{name: "no arguments, allowed", empty: true, devs: "[{empty-arguments 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtArgs("A", 0, ""), rtDone("A", "completed", "", rtCall(0, "completed", ""))),
		want:  "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "no arguments, allowed, and cut", empty: true,
		lines: lines(rtCreated("A"), rtAdded("A", 0), rtDone("A", "cancelled", "turn_detected", rtCall(0, "incomplete", ""))),
		want:  "outcome incomplete calls-failed stop turn_detected\nfailed call_0 dial cancelled\n"},
	{name: "a call that only the final output has",
		lines: lines(rtCreated("A"), rtDone("A", "completed", "", rtCall(0, "completed", `{}`))),
		want:  "outcome failed unannounced\n"},
	{name: "a body that is cut",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`)), want: "outcome incomplete truncated\nfailed call_0 dial truncated\n"},

	{name: "another call_id on a fragment",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), "call_0", "call_9", 1)),
		want:  "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "another item_id on a fragment",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), "item_0", "item_9", 1)),
		want:  "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "another name on a copy",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtArgs("A", 0, `{}`), "dial", "ring", 1)),
		want:  "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "another name in the item's end",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtItemDone("A", 0, "completed", `{}`), "dial", "ring", 1)),
		want:  "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "no call_id on a fragment", devs: "[{missing-call-id 1}]",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), `"call_id":"call_0",`, "", 1), rtDone("A", "completed", "", rtCall(0, "completed", `{}`))),
		want:  "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "a fragment without a response",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), `"response_id":"resp_A",`, "", 1)),
		want:  "outcome failed missing-index\nfailed call_0 dial protocol-error\n"},
	{name: "a fragment without a position",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), `"output_index":0,`, "", 1)),
		want:  "outcome failed missing-index\nfailed call_0 dial protocol-error\n"},
	{name: "a fragment for another response", lines: lines(rtCreated("A"), rtAdded("A", 0), rtFrag("B", 0, `{}`)),
		want: "outcome failed unannounced\nfailed call_0 dial protocol-error\n"},
	{name: "a fragment for no item", lines: lines(rtCreated("A"), rtFrag("A", 0, `{}`)), want: "outcome failed unannounced\n"},
	{name: "a fragment without its text",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), `"delta"`, `"patch"`, 1)),
		want:  "outcome failed unknown-delta\nfailed call_0 dial protocol-error\n"},
	{name: "a delta for a call that is not known",
		lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtFrag("A", 0, `{}`), "function_call_arguments", "function_call_patch", 1)),
		want:  "outcome failed unknown-delta\nfailed call_0 dial protocol-error\n"},
	{name: "a fragment for an item that is done", lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtFrag("A", 0, ` `)),
		want: "outcome failed late\nfailed call_0 dial protocol-error\n"},
	{name: "a fragment for a response that is done", lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtDone("A", "completed", "", rtCall(0, "completed", "{}")), rtFrag("A", 0, ` `)),
		want: "outcome failed late stop completed\ncall call_0 dial {}\n"},
	{name: "an item is added twice", lines: lines(rtCreated("A"), rtAdded("A", 0), rtAdded("A", 0)),
		want: "outcome failed duplicate-announcement\nfailed call_0 dial protocol-error\n"},
	{name: "an id twice in one response", lines: lines(rtCreated("A"), rtAdded("A", 0), rtItem("added", "A", 1, rtCall(0, "", ""))),
		want: "outcome failed duplicate-id\nfailed call_0 dial protocol-error\n"},
	{name: "a second end", lines: lines(rtCreated("A"), rtDone("A", "completed", ""), rtDone("A", "completed", "")), want: "outcome failed late stop completed\n"},
	{name: "a response begins twice", lines: lines(rtCreated("A"), rtCreated("A")), want: "outcome failed restarted\n"},
	{name: "another one behind the end", lines: lines(rtCreated("A"), rtDone("A", "completed", ""), rtCreated("B")), want: "outcome failed restarted stop completed\n"},
	{name: "no beginning", devs: "[{missing-start 1}]", lines: lines(rtWhole("A", 0, `{}`), rtDone("A", "completed", "", rtCall(0, "completed", "{}"))),
		want: "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "positions with a gap", devs: "[{sparse-index 1}]", lines: lines(rtCreated("A"), rtWhole("A", 3, `{}`), rtDone("A", "completed", "", rtCall(3, "completed", "{}"))),
		want: "outcome complete stop completed\ncall call_3 dial {}\n"},

	{name: "an error that the session survives", devs: "[{error-event 1}]",
		lines: lines(rtCreated("A"), rtError(`"type":"invalid_request_error","message":"no","event_id":"mine"`), rtDone("A", "completed", "")), want: "outcome complete stop completed\n"},
	{name: "an error that nothing follows", devs: "[{error-event 1}]",
		lines: lines(rtCreated("A"), rtWhole("A", 0, `{}`), rtError(`"type":"server_error","message":"no"`), rtSession),
		want:  "outcome failed provider-error\nfailed call_0 dial provider-error\n"},
	{name: "an error, and a cut after that", devs: "[{error-event 1}]",
		lines: lines(rtCreated("A"), rtError(`"type":"invalid_request_error","message":"no"`), rtWhole("A", 0, `{}`)),
		want:  "outcome incomplete truncated\nfailed call_0 dial truncated\n"},
	{name: "an error behind the end", devs: "[{error-event 1}]",
		lines: lines(rtCreated("A"), rtDone("A", "completed", ""), rtError(`"message":"no"`)), want: "outcome complete stop completed\n"},
	{name: "an error and nothing else", devs: "[{error-event 1}]", lines: lines(rtError(`"message":"no"`)), want: "outcome failed provider-error\n"},

	{name: "a call that the provider runs",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMCPItem("")), rtMCP("_arguments.delta", `"delta":"{\"q\":1}"`), rtMCP("_arguments.done", `"arguments":"{\"q\":1}"`),
			`{"type":"response.mcp_call.in_progress","output_index":0,"item_id":"item_0"}`, rtItem("done", "A", 0, rtMCPItem(`{"q":1}`)), rtDone("A", "completed", "", rtMCPItem(`{"q":1}`))),
		want: "outcome complete stop completed\nserver_call item_0 look {\"q\":1}\n"},
	{name: "one that only the final output has", devs: "[{server-call-only-in-output 1}]",
		lines: lines(rtCreated("A"), rtDone("A", "completed", "", rtMCPItem(`{}`))), want: "outcome complete stop completed\n"},
	{name: "arguments of the wrong kind of call", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMCPItem("")), rtFrag("A", 0, "{}")),
		want: "outcome failed mismatched-part\n" + "failed item_0 look protocol-error\n"},
	{name: "an item that is no call", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtApproval), rtItem("done", "A", 0, rtApproval), rtDone("A", "completed", "", rtApproval)),
		want: "outcome complete stop completed\ndata mcp_approval_request " + rtApproval + "\n"},

	{name: "text and a transcript in one message",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("content_part.added", "A", 0, 0, `"part":{"type":"text","text":""}`),
			rtText("output_text.delta", "A", 0, 0, `"delta":"a"`), rtText("output_text.delta", "A", 0, 0, `"delta":"b"`), rtText("output_text.done", "A", 0, 0, `"text":"ab"`),
			rtText("content_part.done", "A", 0, 0, `"part":{"type":"text","text":"ab"}`), rtText("output_audio.delta", "A", 0, 1, `"delta":"AAAA"`),
			rtText("output_audio_transcript.delta", "A", 0, 1, `"delta":"c"`), rtItem("done", "A", 0, rtMessage(0, `{"type":"output_text","text":"ab"},{"type":"output_audio","transcript":"c"}`)), rtDone("A", "completed", "")),
		want: "outcome complete stop completed\ntext \"ab\"\ntranscript \"c\"\n"},
	{name: "the older names, and copies alone",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("text.delta", "A", 0, 0, `"delta":"a"`), rtText("audio_transcript.done", "A", 0, 1, `"transcript":"c"`),
			rtText("content_part.done", "A", 0, 2, `"part":{"type":"text","text":"d"}`), rtDone("A", "cancelled", "turn_detected")),
		want: "outcome complete stop turn_detected\ntext \"a\"\ntranscript \"c\"\ntext \"d\"\n"},
	{name: "only the item has the text",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtItem("done", "A", 0, rtMessage(0, `{"type":"output_text","text":"ab"},{"type":"image","x":1}`)), rtDone("A", "completed", "")),
		want:  "outcome complete stop completed\ntext \"ab\"\ndata image {\"type\":\"image\",\"x\":1}\n"},
	{name: "text for a part of another kind",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.delta", "A", 0, 0, `"delta":"a"`), rtText("output_audio_transcript.delta", "A", 0, 0, `"delta":"c"`)),
		want:  "outcome failed mismatched-part\ntext \"a\"\n"},
	{name: "text for a call", lines: lines(rtCreated("A"), rtAdded("A", 0), rtText("output_text.delta", "A", 0, 0, `"delta":"a"`)),
		want: "outcome failed mismatched-part\nfailed call_0 dial protocol-error\n"},
	{name: "text behind its end",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.done", "A", 0, 0, `"text":"a"`), rtText("output_text.delta", "A", 0, 0, `"delta":"a"`)),
		want:  "outcome failed late\ntext \"a\"\n"},
	{name: "a part begins twice",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("content_part.added", "A", 0, 0, `"part":{"type":"audio"}`), rtText("content_part.added", "A", 0, 0, `"part":{"type":"audio"}`)),
		want:  "outcome failed duplicate-announcement\ntranscript \"\"\n"},
	{name: "a part ends twice",
		lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("content_part.done", "A", 0, 0, `"part":{"type":"text"}`), rtText("content_part.done", "A", 0, 0, `"part":{"type":"text"}`)),
		want:  "outcome failed late\ntext \"\"\n"},
	{name: "text without a place", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), strings.Replace(rtText("output_text.delta", "A", 0, 0, `"delta":"a"`), `"content_index":0,`, "", 1)),
		want: "outcome failed missing-index\n"},
	{name: "text without text", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.delta", "A", 0, 0, `"text":"a"`)),
		want: "outcome failed malformed-frame\ntext \"\"\n"},

	{name: "what is no part of a turn",
		lines: lines(rtSession, `{"type":"input_audio_buffer.committed"}`, rtCreated("A"), `{"type":"conversation.item.added","item":{"type":"function_call","call_id":"x"}}`, `{"type":"response.weather"}`, `{"type":"weather"}`, rtDone("A", "completed", ""), `{"type":"rate_limits.updated"}`),
		want:  "outcome complete stop completed\n"},
	{name: "a member twice", lines: lines(rtCreated("A"), `{"type":"response.done","type":"x"}`), want: "outcome failed malformed-frame\n"},
	{name: "no type", lines: lines(`{"event_id":"e"}`), want: "outcome failed malformed-frame\n"},
	{name: "no JSON", lines: lines(`{"event_id`), want: "outcome failed malformed-frame\n"},
	{name: "a beginning without an id", lines: lines(`{"type":"response.created","response":{}}`), want: "outcome failed malformed-frame\n"},
	{name: "an end without a response", lines: lines(rtCreated("A"), `{"type":"response.done"}`), want: "outcome failed malformed-frame\n"},
	{name: "a position out of range", lines: lines(rtCreated("A"), strings.Replace(rtAdded("A", 0), `"output_index":0`, `"output_index":4294967296`, 1)), want: "outcome failed malformed-frame\n"},
	{name: "an item without a position", lines: lines(rtCreated("A"), strings.Replace(rtAdded("A", 0), `"output_index":0`, `"output_index":null`, 1)), want: "outcome failed missing-index\n"},
	{name: "no item is added", lines: lines(rtCreated("A"), strings.Replace(rtAdded("A", 0), `"item":`, `"thing":`, 1)), want: "outcome failed malformed-frame\n"},
	{name: "an item that is malformed", lines: lines(rtCreated("A"), rtItem("added", "A", 0, `{"type":1}`)), want: "outcome failed malformed-frame\n"},
	{name: "no item is done", lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtItemDone("A", 0, "", "{}"), `"item":`, `"thing":`, 1)), want: "outcome failed malformed-frame\nfailed call_0 dial protocol-error\n"},
	{name: "an item that is done as another", lines: lines(rtCreated("A"), rtAdded("A", 0), rtItem("done", "A", 0, rtApproval)), want: "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "an item that is done under another id", lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtItemDone("A", 0, "", "{}"), "item_0", "item_9", 1)), want: "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "an item that is done with another call_id", lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtItemDone("A", 0, "", "{}"), "call_0", "call_9", 1)), want: "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "the final copy has another name", lines: lines(rtCreated("A"), rtWhole("A", 0, "{}"), rtDone("A", "completed", "", strings.Replace(rtCall(0, "", "{}"), "dial", "ring", 1))), want: "outcome failed conflicting-identity\nfailed call_0 dial protocol-error\n"},
	{name: "the final copy is no string", lines: lines(rtCreated("A"), rtWhole("A", 0, "{}"), rtDone("A", "completed", "", `{"type":"function_call","call_id":"call_0","arguments":{}}`)), want: "outcome failed malformed-frame\nfailed call_0 dial protocol-error\n"},
	{name: "the final copy has no arguments", lines: lines(rtCreated("A"), rtWhole("A", 0, "{}"), rtDone("A", "completed", "", `{"type":"function_call","call_id":"call_0"}`)), want: "outcome complete stop completed\ncall call_0 dial {}\n"},
	{name: "arguments that are done and not there", lines: lines(rtCreated("A"), rtAdded("A", 0), strings.Replace(rtArgs("A", 0, ""), `"arguments":""`, `"arguments":{}`, 1)), want: "outcome failed malformed-frame\nfailed call_0 dial protocol-error\n"},
	{name: "a part that is malformed", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("content_part.added", "A", 0, 0, `"part":[]`)), want: "outcome failed malformed-frame\n"},
	{name: "no part is done", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("content_part.done", "A", 0, 0, `"x":1`)), want: "outcome failed malformed-frame\n"},
	{name: "a place out of range", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.delta", "A", 0, -1, `"delta":"a"`)), want: "outcome failed malformed-frame\n"},
	{name: "a copy that is no text", lines: lines(rtCreated("A"), rtItem("added", "A", 0, rtMessage(0, "")), rtText("output_text.done", "A", 0, 0, `"text":[]`), rtDone("A", "completed", "")), want: "outcome complete stop completed\ntext \"\"\n"},
	{name: "an item without a type", lines: lines(rtCreated("A"), rtItem("added", "A", 0, `{}`)), want: "outcome failed malformed-frame\n"},
	{name: "arguments that are an object", lines: lines(rtCreated("A"), rtItem("added", "A", 0, `{"type":"function_call","call_id":"c","name":"n","arguments":{}}`)),
		want: "outcome failed malformed-frame\nfailed c n protocol-error\n"},
}

func TestRealtimeOddities(t *testing.T) {
	r := wholecalltest.Rand(t)
	for _, c := range realtimeCases {
		d := wholecall.WithDialect(emptyDialect(c.empty))
		turn := wholecall.NewTurn(strings.NewReader(c.stream()), openai.Realtime, d)
		if got := wholecalltest.Drain(turn); got.String() != c.want {
			t.Errorf("%s:\ngot  %swant %s%v", c.name, got, c.want, turn.Err())
		}
		if got := fmt.Sprint(turn.Deviations()); got != c.devs && got+c.devs != "[]" {
			t.Errorf("%s: deviations %s, want %s", c.name, got, c.devs)
		}
		wholecalltest.SameForAnyChunking(t, openai.Realtime, []byte(c.stream()), r, d)
	}
}
