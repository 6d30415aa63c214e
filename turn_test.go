package wholecall_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
	"github.com/wholecall/wholecall/wholecalltest"
)

func capture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/captures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// half is a capture up to the middle of its second call.
func half(t testing.TB) []byte {
	b := capture(t, "two-calls.sse")
	return b[:bytes.Index(b, []byte("Grace"))]
}

// TestReadersThatFail: whatever ends the reading, what was announced is accounted for, and the reason
// and the cause are told.
func TestReadersThatFail(t *testing.T) {
	broken := errors.New("connection reset")
	tests := []struct {
		name   string
		err    error
		kind   wholecall.Kind
		reason wholecall.Reason
	}{
		{"reset", broken, wholecall.Truncated, wholecall.ReasonTruncated},
		{"unexpected end", io.ErrUnexpectedEOF, wholecall.Truncated, wholecall.ReasonTruncated},
		{"cancelled", fmt.Errorf("read: %w", context.Canceled), wholecall.Cancelled, wholecall.ReasonCancelled},
		{"deadline", context.DeadlineExceeded, wholecall.TimedOut, wholecall.ReasonTimedOut},
		{"read deadline", os.ErrDeadlineExceeded, wholecall.TimedOut, wholecall.ReasonTimedOut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := io.MultiReader(bytes.NewReader(half(t)), iotest.ErrReader(tt.err))
			turn := wholecall.NewTurn(r, anthropic.Messages)
			got := wholecalltest.Drain(turn)
			if got.Outcome != wholecall.Incomplete || got.Kind != tt.kind || len(got.Calls) != 1 || len(got.Failed) != 1 {
				t.Fatalf("got\n%s", got)
			}
			if f := turn.Failed()[0]; f.Reason != tt.reason {
				t.Errorf("reason %s, want %s", f.Reason, tt.reason)
			}
			if !errors.Is(turn.Err(), tt.err) || !errors.Is(turn.Err(), tt.kind) {
				t.Errorf("error %v does not wrap its cause and its kind", turn.Err())
			}
		})
	}
}

// slowBody gives its bytes at once, and then nothing until it is closed.
type slowBody struct {
	rest   []byte
	closed chan struct{}
}

func (s *slowBody) Read(p []byte) (int, error) {
	if len(s.rest) > 0 {
		n := copy(p, s.rest)
		s.rest = s.rest[n:]
		return n, nil
	}
	<-s.closed
	return 0, io.ErrClosedPipe
}

func (s *slowBody) Close() error {
	close(s.closed)
	return nil
}

// TestIdle: a stream that says nothing for too long is closed, and ends as timed out. The time that a
// caller takes over a part does not count.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &slowBody{half(t), make(chan struct{})}
		turn := wholecall.NewTurn(body, anthropic.Messages, wholecall.WithLimits(wholecall.Limits{Idle: time.Minute}))
		for {
			if _, err := turn.Next(); err != nil {
				break
			}
			time.Sleep(2 * time.Minute)
		}
		if !errors.Is(turn.Err(), wholecall.TimedOut) || turn.Failed()[0].Reason != wholecall.ReasonTimedOut {
			t.Errorf("got %v", turn.Err())
		}
	})
}

// TestNoIdleBound: a negative bound is none.
func TestNoIdleBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &slowBody{half(t), make(chan struct{})}
		turn := wholecall.NewTurn(body, anthropic.Messages, wholecall.WithLimits(wholecall.Limits{Idle: -1}))
		go func() {
			time.Sleep(24 * time.Hour)
			body.Close()
		}()
		if got := wholecalltest.Drain(turn); got.Kind != wholecall.Truncated {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestContext: when the context ends, a pending read returns, and the turn says why.
func TestContext(t *testing.T) {
	for _, tt := range []struct {
		kind wholecall.Kind
		end  func(context.Context) (context.Context, context.CancelFunc)
	}{
		{wholecall.Cancelled, context.WithCancel},
		{wholecall.TimedOut, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := tt.end(t.Context())
			body := &slowBody{half(t), make(chan struct{})}
			turn := wholecall.NewTurn(body, anthropic.Messages, wholecall.WithContext(ctx))
			defer time.AfterFunc(2*time.Second, cancel).Stop()
			got := wholecalltest.Drain(turn)
			if got.Kind != tt.kind || len(got.Calls) != 1 {
				t.Errorf("got\n%s, want %s", got, tt.kind)
			}
			cancel()
		})
	}
}

// TestReaderThatGivesNothing: a reader that returns neither a byte nor an error does not hang the turn.
func TestReaderThatGivesNothing(t *testing.T) {
	got := wholecalltest.Read(readerFunc(func([]byte) (int, error) { return 0, nil }), anthropic.Messages)
	if got.Kind != wholecall.Truncated {
		t.Errorf("got\n%s", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestBodiesThatAreNoStream: the likely confusions are named.
func TestBodiesThatAreNoStream(t *testing.T) {
	for body, want := range map[string]string{
		"<html><body>502 Bad Gateway</body></html>":                      "looks like HTML",
		"<html>\n\n<body>\n</body>\n</html>\n":                           "looks like HTML",
		`{"error":{"type":"rate_limit_error","message":"slow down"}}`:    "looks like a JSON body",
		"{\n  \"error\": {\"message\": \"no\"}\n}\n":                     "looks like a JSON body",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b\x4c\x4a\x06\x00\n": "looks like gzip",
	} {
		turn := wholecall.NewTurn(strings.NewReader(body), anthropic.Messages)
		wholecalltest.Drain(turn)
		if err := turn.Err(); !errors.Is(err, wholecall.NotAStream) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", body, err, want)
		}
	}
	turn := wholecall.NewTurn(strings.NewReader(""), anthropic.Messages)
	wholecalltest.Drain(turn)
	if err := turn.Err(); !errors.Is(err, wholecall.Truncated) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("nothing at all: %v", err)
	}
}

// TestFrameBound: a frame past the bound fails the turn, and what had ended stays.
func TestFrameBound(t *testing.T) {
	body := append(capture(t, "turn-1.sse")[:0:0], half(t)...)
	body = append(body, strings.Repeat("x", 5000)...)
	turn := wholecall.NewTurn(bytes.NewReader(body), anthropic.Messages, wholecall.WithLimits(wholecall.Limits{FrameBytes: 1000}))
	got := wholecalltest.Drain(turn)
	if got.Kind != wholecall.FrameTooLong || len(got.Calls) != 1 || len(got.Failed) != 1 {
		t.Errorf("got\n%s", got)
	}
}

// TestLastEventWithoutItsEnd: an event that the end of the stream cuts off does not count. Where it lacks
// nothing but its end, the error says so, and a dialect may count it.
func TestLastEventWithoutItsEnd(t *testing.T) {
	body := bytes.TrimRight(capture(t, "two-calls.sse"), "\n")
	strict := wholecall.NewTurn(bytes.NewReader(body), anthropic.Messages)
	got := wholecalltest.Drain(strict)
	var ie *wholecall.IncompleteError
	if got.Kind != wholecall.Truncated || !errors.As(strict.Err(), &ie) || ie.Switch != wholecall.UnterminatedEvent {
		t.Errorf("strict: %v", strict.Err())
	}
	trimmed, _ := wholecall.DialectNamed(anthropic.Messages, "trimmed")
	lax := wholecall.NewTurn(bytes.NewReader(body), anthropic.Messages, wholecall.WithDialect(trimmed))
	if got := wholecalltest.Drain(lax); got.Outcome != wholecall.Complete || len(got.Calls) != 2 {
		t.Errorf("trimmed: %s", got)
	}
	if devs := lax.Deviations(); len(devs) != 1 || devs[0].Name != wholecall.UnterminatedEvent {
		t.Errorf("trimmed: deviations %v", devs)
	}
	half := body[:len(body)-3]
	if got := wholecalltest.Read(bytes.NewReader(half), anthropic.Messages, wholecall.WithDialect(trimmed)); got.Kind != wholecall.Truncated {
		t.Errorf("half an event: %s", got)
	}
}

// TestBreakingOut: who stops in the middle finds the truth in the turn.
func TestBreakingOut(t *testing.T) {
	turn := wholecall.NewTurn(bytes.NewReader(capture(t, "two-calls.sse")), anthropic.Messages)
	for part := range turn.Parts() {
		if _, ok := part.(wholecall.Call); ok {
			break
		}
	}
	if turn.Outcome() != wholecall.Incomplete || turn.Err() != nil || len(turn.Completed()) != 1 || len(turn.Failed()) != 0 {
		t.Errorf("outcome %s, error %v, %d completed", turn.Outcome(), turn.Err(), len(turn.Completed()))
	}
	// Going on is possible: nothing was dropped.
	if got := wholecalltest.Drain(turn); len(got.Calls) != 2 || got.Outcome != wholecall.Complete {
		t.Errorf("going on gives\n%s", got)
	}
}

// TestTurnsOfOneCapture: several turns behind one another come out as turns, each with its own calls; a
// turn that fails does not take the next along.
func TestTurnsOfOneCapture(t *testing.T) {
	var body []byte
	for _, name := range []string{"turn-1.sse", "replayed-block.sse", "turn-2.sse"} {
		body = append(body, capture(t, name)...)
	}
	var got []string
	for turn := range wholecall.Turns(bytes.NewReader(body), anthropic.Messages) {
		r := wholecalltest.Drain(turn)
		got = append(got, fmt.Sprintf("%s %s %d", turn.ID(), r.Outcome, len(r.Calls)))
	}
	want := []string{"msg_turn1 complete 1", "msg_01Q3 failed 1", "msg_turn2 complete 1"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for range wholecall.Turns(bytes.NewReader(body), anthropic.Messages) {
		break // an unread turn is no reason to hang
	}
}

// TestWhatIsBehindTheEnd: a turn reads on behind its terminal, so that nothing is spliced in unseen.
func TestWhatIsBehindTheEnd(t *testing.T) {
	body := append(capture(t, "turn-1.sse"), capture(t, "turn-2.sse")...)
	if got := wholecalltest.Read(bytes.NewReader(body), anthropic.Messages); got.Kind != wholecall.Restarted || len(got.Calls) != 1 {
		t.Errorf("got\n%s", got)
	}
}

// TestDialectThatIsNone: a switch that the protocol doesn't have is a mistake of the program.
func TestDialectThatIsNone(t *testing.T) {
	d := wholecall.Dialect{Name: "mine", Allows: []string{"no-such-thing"}}
	if err := wholecall.CheckDialect(openai.Chat, d); err == nil || !strings.Contains(err.Error(), "missing-index") {
		t.Errorf("got %v, want an error that lists the switches", err)
	}
	both := wholecall.Dialect{Allows: []string{"repeated-name", "split-name"}}
	if err := wholecall.CheckDialect(openai.Chat, both); err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("got %v, want an error about switches that exclude each other", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("NewTurn took it")
		}
	}()
	wholecall.NewTurn(strings.NewReader(""), openai.Chat, wholecall.WithDialect(d))
}

// TestErrorsShowNoArguments: no error text holds a piece of the arguments.
func TestErrorsShowNoArguments(t *testing.T) {
	const secret = "hunter2"
	for _, args := range []string{secret, `{"p":"` + secret + `"} {"p":1}`, `{"` + secret + `":1,"` + secret + `":2}`, `{"p":"` + secret, `{"p":` + secret + `}`} {
		script := "begin t m\nannounce 0 a login\nfrag 0 " + args + "\nend 0\nstop tool_use\nterminal"
		a := wholecall.NewAccumulator(wholecall.Limits{})
		for _, ev := range wholecalltest.Parse(script) {
			a.Apply(&ev)
		}
		a.End("", nil)
		if a.Err() == nil || strings.Contains(a.Err().Error(), secret) {
			t.Errorf("%s: error %v", args, a.Err())
		}
		for _, f := range a.Failed() {
			if strings.Contains(f.String()+f.Err.Error(), secret) {
				t.Errorf("%s: %v: %v", args, f, f.Err)
			}
		}
	}
}
