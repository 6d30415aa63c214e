package convert_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/convert"
	"github.com/wholecall/wholecall/provider"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

// read reads a stream in the framing of its protocol.
func read(body []byte, p wholecall.Protocol) wholecalltest.Result {
	return wholecalltest.Read(bytes.NewReader(body), p)
}

// TestEveryCaptureInEveryProtocol: a converted capture has the same calls, in the same order, and the
// same ones failed, but for those that are listed as lost.
func TestEveryCaptureInEveryProtocol(t *testing.T) {
	files, err := filepath.Glob("../testdata/captures/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no captures: ", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		guess, err := provider.Detect(body, provider.Guess{})
		if err != nil {
			t.Fatal(err)
		}
		was := read(body, guess.Protocol)
		for _, to := range provider.All() {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".sse")+"/"+to.Facts().Name, func(t *testing.T) {
				var out bytes.Buffer
				losses, err := convert.Turn(&out, wholecall.NewTurn(bytes.NewReader(body), guess.Protocol), to)
				if was.Outcome == wholecall.Failed {
					if err == nil && was.Kind != wholecall.ProviderFailed {
						t.Error("a failed turn was converted without an error")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				now := read(out.Bytes(), to)
				compare(t, was, now, losses, out.Bytes())
			})
		}
	}
}

func compare(t *testing.T, was, now wholecalltest.Result, losses []convert.Loss, out []byte) {
	t.Helper()
	lost := map[string]int{}
	respaced := map[string]bool{}
	for _, l := range losses {
		switch l.What {
		case "call", "failed call", "arguments of call", "arguments of failed call":
			lost[l.ID]++
		case "spacing of the arguments of call":
			respaced[l.ID] = true
		}
	}
	var want []wholecalltest.Call
	var wantFailed []string
	// Of several calls with one id, in several choices, the later ones are lost.
	for _, c := range slices.Backward(was.Calls) {
		if lost[c.ID] > 0 {
			lost[c.ID]--
			continue
		}
		if respaced[c.ID] {
			c.Arguments = strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.TrimSpace(c.Arguments))
		}
		want = append(want, c)
	}
	slices.Reverse(want)
	madeUp(want)
	madeUp(now.Calls)
	// A call that is listed as lost may not come out whole.
	if !slices.Equal(now.Calls, want) {
		t.Errorf("calls %v, want %v\nlosses %v\n%s", now.Calls, want, losses, out)
	}
	listed := func(id string) bool {
		return slices.ContainsFunc(losses, func(l convert.Loss) bool { return l.ID == id && strings.HasSuffix(l.What, "call") })
	}
	for _, f := range was.Failed {
		if id, _, _ := strings.Cut(f, " "); !listed(id) {
			wantFailed = append(wantFailed, id)
		}
	}
	var failed []string
	for _, f := range now.Failed {
		if id, _, _ := strings.Cut(f, " "); !listed(id) {
			failed = append(failed, id)
		}
	}
	if !slices.Equal(failed, wantFailed) {
		t.Errorf("failed %v, want %v\nlosses %v\n%s", failed, wantFailed, losses, out)
	}
}

// madeUp blanks the ids of calls that have none on the wire: they are counted, and say nothing.
func madeUp(calls []wholecalltest.Call) {
	for i := range calls {
		if strings.HasPrefix(calls[i].ID, "wholecall_") {
			calls[i].ID = ""
		}
	}
}

// TestSameProtocolLosesNothing: normalising is converting to the protocol that a turn came in.
func TestSameProtocolLosesNothing(t *testing.T) {
	for _, file := range []string{"two-calls.sse", "interleaved.sse", "responses.sse", "token-limit.sse"} {
		body, err := os.ReadFile("../testdata/captures/" + file)
		if err != nil {
			t.Fatal(err)
		}
		guess, err := provider.Detect(body, provider.Guess{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		losses, err := convert.Turn(&out, wholecall.NewTurn(bytes.NewReader(body), guess.Protocol), guess.Protocol)
		if err != nil || len(losses) > 0 {
			t.Errorf("%s: %v, losses %v", file, err, losses)
		}
		if was, now := read(body, guess.Protocol), read(out.Bytes(), guess.Protocol); was.String() != now.String() {
			t.Errorf("%s: was\n%s\nis\n%s", file, was, now)
		}
	}
}

func ExampleTurn() {
	body, err := os.Open("../testdata/captures/turn-2.sse")
	if err != nil {
		log.Fatal(err)
	}
	defer body.Close()
	losses, err := convert.Turn(os.Stdout, wholecall.NewTurn(body, anthropic.Messages), openai.Chat)
	fmt.Println(losses, err)
	// Output:
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}
	//
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[{"index":0,"delta":{"content":"One order is late."},"finish_reason":null}]}
	//
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"toolu_01KbF4hJk9LpG6wZuX2tEq7M","type":"function","function":{"name":"send_mail","arguments":""}}]},"finish_reason":null}]}
	//
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\": \"ada@example.com\", \"order\": 7}"}}]},"finish_reason":null}]}
	//
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
	//
	// data: {"id":"msg_turn2","object":"chat.completion.chunk","created":0,"model":"claude-sonnet-4-5","choices":[],"usage":{"prompt_tokens":412,"completion_tokens":96,"total_tokens":508,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}
	//
	// data: [DONE]
	//
	// [] <nil>
}
