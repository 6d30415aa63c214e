package preview_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/preview"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/wholecalltest"
)

// megabyte is how long the documents of the benchmark are.
const megabyte = 1 << 20

// benchDocuments are documents of a megabyte: a file that is written, and a table.
func benchDocuments() map[string]string {
	line := `line\n\tof \"code\" `
	row := `{"id":1234,"name":"Ada Lovelace","late":false,"total":12.50,"note":null}`
	return map[string]string{
		"file":  `{"path":"main.go","text":"` + strings.Repeat(line, megabyte/len(line)) + `"}`,
		"table": `{"rows":[` + strings.Repeat(row+",", megabyte/len(row)-1) + row + `]}`,
	}
}

// benchStream is a turn of one call whose document comes in fragments of 8 bytes.
func benchStream(b *testing.B, doc string) []byte {
	events := []wholecall.Event{
		{Kind: wholecall.Begin, ID: []byte("turn_1"), Name: []byte("model")},
		{Kind: wholecall.Announce, ID: []byte("call_1"), Name: []byte("edit_file")},
	}
	for rest := doc; len(rest) > 0; {
		n := min(8, len(rest))
		events = append(events, wholecall.Event{Kind: wholecall.Fragment, Data: []byte(rest[:n])})
		rest = rest[n:]
	}
	events = append(events, wholecall.Event{Kind: wholecall.End},
		wholecall.Event{Kind: wholecall.Stop, Name: []byte("tool_use")}, wholecall.Event{Kind: wholecall.Terminal})
	return wholecalltest.Join(wholecalltest.Encode(b, anthropic.Messages, events))
}

// BenchmarkTurn reads a turn without and with a preview, one after the other, and reports how many times
// as long it takes with: for the pieces alone, for a preview that nobody looks at, and for one that is
// looked at behind each fragment. Of each the fastest run counts, so that a busy machine does not.
func BenchmarkTurn(b *testing.B) {
	for name, doc := range benchDocuments() {
		stream := benchStream(b, doc)
		for _, how := range []string{"pieces", "preview", "looks"} {
			b.Run(name+"/"+how, func(b *testing.B) {
				plain, with := time.Hour, time.Hour
				for b.Loop() {
					from := time.Now()
					readTurn(b, stream, "")
					half := time.Now()
					readTurn(b, stream, how)
					plain, with = min(plain, half.Sub(from)), min(with, time.Since(half))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(plain.Microseconds()), "µs-plain")
				b.ReportMetric(float64(with.Microseconds()), "µs-with")
				b.ReportMetric(float64(with)/float64(plain), "x-plain")
			})
		}
	}
}

func readTurn(b *testing.B, stream []byte, how string) {
	var opts []wholecall.Option
	if how != "" {
		opts = append(opts, wholecall.WithProgress())
	}
	var shows preview.Calls
	turn := wholecall.NewTurn(bytes.NewReader(stream), anthropic.Messages, opts...)
	changed := 0
	for {
		part, err := turn.Next()
		if err != nil {
			break
		}
		p, ok := part.(*wholecall.Progress)
		if !ok || how == "pieces" {
			continue
		}
		doc := shows.Add(p)
		if how == "looks" {
			for c := range doc.Changes() {
				changed += len(c.Text)
			}
		}
	}
	if turn.Outcome() != wholecall.Complete || how == "looks" && changed == 0 {
		b.Fatal(fmt.Sprint(turn.Err()))
	}
}
