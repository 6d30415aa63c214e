package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/wholecall/wholecall/mock"
)

func mockUsage() string {
	return fmt.Sprintf(`usage: wholecall mock [flags] SCENARIO|FILE ...

Mock is a provider on a local port. It has the paths of Anthropic Messages, OpenAI Chat Completions and
Responses, Gemini, Bedrock Converse, Cohere, Mistral (below /mistral) and Ollama, and plays a scenario to
whoever asks: the first turn to the first request of a conversation, and so on. Of several scenarios each
has a base URL of its own. A capture is played as it stands, to clients of its own protocol.

flags:
  --addr HOST:PORT   where to listen, 127.0.0.1:0 unless said otherwise
  --chunks HOW       event, whole, byte or random: how the bytes are written
  --pace DURATION    the pause between two writes
  --gzip             pack the bodies of clients that accept it
  --seed N           makes ids and cuts the same again
  --print            print the scenarios as JSON, and play nothing

exit status:
  0  it was interrupted
  2  it could not do what was asked

scenarios:
  %s

examples:
  wholecall mock two-calls-interleaved
  wholecall mock --chunks byte --pace 5ms capture.sse
  wholecall mock --print two-calls-back-to-back > mine.json
`, strings.Join(prose(strings.Join(scenarioNames(), ", "), 96), "\n  "))
}

// mocking is one run of mock.
type mocking struct {
	*tool
	addr, chunks string
	config       mock.Config
	print        bool
}

func mockVerb(t *tool, args []string) int {
	m := &mocking{tool: t}
	fs := flag.NewFlagSet("mock", flag.ContinueOnError)
	fs.StringVar(&m.addr, "addr", "127.0.0.1:0", "")
	fs.StringVar(&m.chunks, "chunks", "event", "")
	fs.DurationVar(&m.config.Pace, "pace", 0, "")
	fs.BoolVar(&m.config.Gzip, "gzip", false, "")
	fs.Uint64Var(&m.config.Seed, "seed", 0, "")
	fs.BoolVar(&m.print, "print", false, "")
	operands, status, ok := m.parse(fs, mockUsage(), args)
	if !ok {
		return status
	}
	if status, ok = m.chunking(); !ok {
		return status
	}
	if len(operands) == 0 {
		return m.misuse("wholecall mock two-calls-interleaved", "mock: no scenario is given")
	}
	list, err := chosen(operands)
	if err != nil {
		return m.noScenario("mock", operands, err)
	}
	if m.print {
		return m.write(list)
	}
	return m.serve(list)
}

func (m *mocking) chunking() (status int, ok bool) {
	ways := []string{string(mock.PerEvent), string(mock.Whole), string(mock.PerByte), string(mock.Random)}
	for _, w := range ways {
		if w == m.chunks {
			m.config.Chunking = mock.Chunking(w)
			return 0, true
		}
	}
	return m.misnamed("mock", "chunks", "way to write", m.chunks, ways), false
}

// noScenario says that an operand means nothing, and which scenario was perhaps meant.
func (t *tool) noScenario(verb string, operands []string, err error) int {
	if errors.Is(err, errNoScenario) {
		for _, o := range operands {
			if n := nearest(o, scenarioNames()); n != "" && n != o {
				return t.misuse("wholecall "+verb+" "+n, "%s: %v", verb, err)
			}
		}
	}
	return t.misuse("wholecall help "+verb, "%s: %v", verb, err)
}

func (m *mocking) write(list []mock.Scenario) int {
	e := json.NewEncoder(m.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	for _, s := range list {
		if err := e.Encode(s); err != nil {
			m.errorf("writing the scenario: %v", err)
			return statusFailed
		}
	}
	return statusClean
}

func (m *mocking) serve(list []mock.Scenario) int {
	s := mock.New(m.config)
	srv, base, err := listen(m.ctx, m.addr, s)
	if err != nil {
		m.errorf("%v", err)
		return statusFailed
	}
	if len(list) == 1 {
		s.Play(list[0])
		fmt.Fprintf(m.out, "%s  %s\n", base, list[0].Name)
	} else {
		for _, sc := range list {
			fmt.Fprintf(m.out, "%s/r/%s  %s\n", base, s.Begin(sc), sc.Name)
		}
	}
	fmt.Fprintf(m.err, "playing; an interrupt ends it\n")
	<-m.ctx.Done()
	srv.Close()
	return statusClean
}

// listen serves a handler until it is closed, and returns the base URL.
func listen(ctx context.Context, addr string, h http.Handler) (io.Closer, string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, "", err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Serve(l)
	}()
	return closer(func() error {
		err := srv.Close()
		<-done
		return err
	}), "http://" + l.Addr().String(), nil
}

type closer func() error

// Close implements io.Closer.
func (c closer) Close() error { return c() }
