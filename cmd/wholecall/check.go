package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

func checkUsage() string {
	return fmt.Sprintf(`usage: wholecall check [flags] FILE|FOLDER|- ...

Check assembles captured streams and says what became of every tool call in them. A capture is the body
of one streamed response, or several behind one another, as it came; .gz and .zst are read as they are.
In a folder, files named %s are captures.
The provider, the framing and the dialect are found out, or named.

flags:
  --json            one JSON object a turn, a line each
  --provider NAME   %s
  --framing NAME    %s
  --dialect NAME    %s, or the name of a server's dialect
  --full            cut no text and no arguments
  -q, --quiet       print findings only

exit status:
  0  every turn is complete
  1  at least one is not
  2  it could not do what was asked

examples:
  wholecall check capture.sse
  wholecall check --json captures/
  wholecall check --provider openai-chat - < body.txt
`, strings.Join(captureNames(), " "), strings.Join(provider.Names(), ", "), strings.Join(provider.Framings(), ", "), standard)
}

// few is how many captures are shown with all their parts; of more there is a line each.
const few = 3

// checker is one run of check.
type checker struct {
	*tool
	examiner
	json, full, quiet bool
	show              *human
	bar               *progressbar.ProgressBar
	detail            bool
	unreadable        bool
	sum               totals
}

func check(t *tool, args []string) int {
	c := &checker{tool: t}
	c.examiner.ctx = t.ctx
	operands, status, ok := c.flags(args)
	if !ok {
		return status
	}
	inputs, done := c.inputs(operands)
	defer done()
	c.detail = len(inputs) <= few
	c.show = newHuman(t.out, t.colour(t.out), t.width(t.out), c.full)
	c.progress(len(inputs))
	for i, in := range inputs {
		if t.ctx.Err() != nil {
			c.clearBar()
			t.errorf("interrupted after %d of %s", i, plural(len(inputs), "capture"))
			c.unreadable = true
			break
		}
		if err := c.one(in); err != nil {
			c.clearBar()
			t.errorf("writing the result: %v", err)
			return statusFailed
		}
		if c.bar != nil {
			c.bar.Add(1)
		}
	}
	c.clearBar()
	if !c.detail && !c.json && !c.quiet {
		c.sum.print(c.show)
	}
	if err := c.show.w.Flush(); err != nil {
		t.errorf("writing the result: %v", err)
		return statusFailed
	}
	switch {
	case c.unreadable:
		return statusFailed
	case c.sum.turns != c.sum.outcomes[wholecall.Complete]:
		return statusFindings
	}
	return statusClean
}

// flags reads the command line.
func (c *checker) flags(args []string) (operands []string, status int, ok bool) {
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	fs.BoolVar(&c.json, "json", false, "")
	fs.BoolVar(&c.full, "full", false, "")
	fs.BoolVar(&c.quiet, "quiet", false, "")
	fs.BoolVar(&c.quiet, "q", false, "")
	var n naming
	n.flags(fs)
	operands, status, ok = c.parse(fs, checkUsage(), args)
	if !ok {
		return nil, status, false
	}
	if len(operands) == 0 {
		return nil, c.misuse("wholecall check capture.sse   (or - for standard input)", "check: no capture is given"), false
	}
	if status, ok = n.resolve(c.tool, "check", &c.examiner); !ok {
		return nil, status, false
	}
	const start, all = 4 << 10, 16 << 20
	if c.keep = start; c.full {
		c.keep = all
	}
	return operands, 0, true
}

// inputs returns what the operands mean, and what cleans up behind it.
func (c *checker) inputs(operands []string) ([]*input, func()) {
	done := func() {}
	var kept *input
	stdin := func() (*input, error) {
		if kept != nil {
			return nil, errors.New("it was read already: give - once")
		}
		var err error
		kept, done, err = spool(c.tool.ctx, c.in)
		return kept, err
	}
	return gather(operands, stdin, c.fail), done
}

// fail says that something can't be read. The rest goes on.
func (c *checker) fail(name string, err error) {
	c.unreadable = true
	c.clearBar()
	if c.show != nil {
		c.show.w.Flush()
	}
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed file is cut: %w", err)
	}
	c.errorf("%s: %v", name, err)
	if errors.Is(err, errNoCaptures) {
		c.hintf("a capture in a folder is named *%s, and .gz or .zst may follow; any file can be given by its name", strings.Join(captureNames(), " *"))
	}
}

// one checks one capture.
func (c *checker) one(in *input) error {
	results, err := c.examine(in)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			c.fail(in.name, err)
		}
		return nil
	}
	for _, r := range results {
		c.sum.add(r)
		if err := c.print(r); err != nil {
			return err
		}
	}
	c.sum.streams++
	return nil
}

func (c *checker) print(r *result) error {
	if c.quiet && r.clean() {
		return nil
	}
	c.clearBar()
	if c.json {
		if err := writeRecord(c.show.w, r); err != nil {
			return err
		}
		return c.show.w.Flush()
	}
	if c.detail {
		c.show.turn(r)
	} else {
		c.show.line(r)
	}
	return c.show.w.Flush()
}

// progress shows how far check is, where somebody watches and it may take a while.
func (c *checker) progress(n int) {
	const many = 20
	if n <= many || terminal(c.err) == nil {
		return
	}
	c.bar = progressbar.NewOptions(n,
		progressbar.OptionSetWriter(c.err),
		progressbar.OptionSetDescription("checking"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100_000_000))
}

func (c *checker) clearBar() {
	if c.bar != nil {
		c.bar.Clear()
	}
}

// totals counts what became of many turns.
type totals struct {
	streams, turns               int
	announced, completed, failed int
	outcomes                     map[wholecall.Outcome]int
	kinds                        map[wholecall.Kind]int
	dialects                     map[string]int
}

func (s *totals) add(r *result) {
	if s.outcomes == nil {
		s.outcomes, s.kinds, s.dialects = map[wholecall.Outcome]int{}, map[wholecall.Kind]int{}, map[string]int{}
	}
	s.turns++
	s.announced += r.announced
	s.completed += len(r.completed)
	s.failed += len(r.failed)
	s.outcomes[r.outcome]++
	if r.err != nil {
		s.kinds[kindOf(r.err)]++
	}
	if r.strict != nil {
		s.dialects[r.dialect.Name]++
	}
}

func (s *totals) print(h *human) {
	h.gap()
	h.printf("%s, %s: ", plural(s.streams, "capture"), plural(s.turns, "turn"))
	for i, o := range []wholecall.Outcome{wholecall.Complete, wholecall.Incomplete, wholecall.Failed} {
		if i > 0 {
			h.printf(", ")
		}
		h.printf("%d %s", s.outcomes[o], h.paint(outcomeStyle(o), string(o)))
	}
	h.printf("\n%s announced, %d completed, %d failed\n", plural(s.announced, "call"), s.completed, s.failed)
	if len(s.kinds) > 0 {
		h.printf("findings: %s\n", ranked(s.kinds))
	}
	if len(s.dialects) > 0 {
		h.printf("read by a dialect: %s\n", ranked(s.dialects))
	}
}

// ranked lists counts, the largest first.
func ranked[K ~string](m map[K]int) string {
	type entry struct {
		name string
		n    int
	}
	var all []entry
	for k, n := range m {
		all = append(all, entry{string(k), n})
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	var s []string
	for _, e := range all {
		s = append(s, fmt.Sprintf("%s ×%d", e.name, e.n))
	}
	return strings.Join(s, ", ")
}
