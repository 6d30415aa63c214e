// Command benchmarks compares wholecall with what else reads streamed tool calls in Go, and checks the
// project's targets. Run it from the root of the repository:
//
//	go run ./benchmarks          prints the tables
//	go run ./benchmarks -doc     writes docs/performance.md as well
//
// It needs no network and opens no socket: every body is in memory. Where WHOLECALL_CORPUS names a
// folder of recorded streams, those are read too.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

const document = "docs/performance.md"

func main() {
	doc := flag.Bool("doc", false, "write "+document)
	rounds := flag.Int("rounds", 11, "how often each measurement is repeated")
	idle := flag.Int("idle", 10000, "how many idle streams are open at the same time")
	write := flag.String("write", "", "write the streams into this folder, for other programs, and measure nothing")
	only := flag.String("only", "", "measure what has this in its name alone")
	node := flag.String("node", "", "a file with what benchmarks/node printed, for the document")
	flag.Parse()
	if *write != "" {
		if err := writeStreams(*write); err != nil {
			fmt.Fprintln(os.Stderr, "benchmarks:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*doc, *rounds, *idle, *node, *only); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// results is everything that was measured.
type results struct {
	rounds  int
	rows    []row
	corpus  *corpus // nil where there is none
	growth  []growth
	memory  []memory
	latency []latency
	idle    []idle
	count   int // of idle streams
	profile []profile
	looked  []previewed
	others  []other
	node    string // what the SDKs for Node took, as a table
}

func run(doc bool, rounds, count int, node, only string) error {
	res := &results{rounds: rounds, count: count}
	if node != "" {
		b, err := os.ReadFile(node)
		if err != nil {
			return err
		}
		res.node = string(b)
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"reading the same streams in turn", func() error { return res.throughput() }},
		{"recorded streams", func() error { return res.recorded(os.Getenv("WHOLECALL_CORPUS")) }},
		{"growth", func() error { return res.grow() }},
		{"memory", func() error { return res.remember() }},
		{"latency", func() error { return res.lag() }},
		{"preview", func() error { return res.preview() }},
		{"the other protocols", func() error { return res.rest() }},
		{"idle streams", func() error { return res.wait() }},
		{"profiles", func() error { return res.profiles() }},
	}
	for _, s := range steps {
		if !strings.Contains(s.what, only) {
			continue
		}
		fmt.Fprintln(os.Stderr, s.what)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	text := res.render()
	fmt.Print(text)
	if !doc {
		return nil
	}
	return os.WriteFile(document, []byte(text), 0o644)
}

func (res *results) throughput() error {
	for _, protocol := range streams.Protocols {
		for _, story := range streams.Stories() {
			rows, err := compare(story, protocol, res.rounds)
			if err != nil {
				return err
			}
			res.rows = append(res.rows, rows...)
		}
	}
	return nil
}

// writeStreams writes the stories in each protocol, and one document of 100 KB: some SDKs are quadratic.
func writeStreams(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, protocol := range streams.Protocols {
		for _, s := range append(streams.Stories(), streams.Document(100<<10)) {
			body, _ := s.Body(protocol)
			name := protocol + "--" + strings.ReplaceAll(s.Name, " ", "-") + ".sse"
			if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
