package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/convert"
	"github.com/wholecall/wholecall/provider"
)

func convertUsage() string {
	return fmt.Sprintf(`usage: wholecall convert --to NAME [flags] FILE|-
       wholecall convert --normalise [flags] FILE|-

Convert writes a captured stream in another protocol's wire format, to standard output: calls with their
ids, names and arguments, their order, text, reasoning, the stop reason and the token counts. What the
other protocol can't express is listed on standard error. A failed call is written so that whoever reads
the result fails it too. A turn that broke its protocol is not converted, since what it means would be a
guess.

flags:
  --to NAME         %s
  --normalise       the protocol that the capture is in, without its server's deviations
  --strict          nothing may be lost: exit with 1 if something is
  --provider NAME   the protocol that the capture is in
  --framing NAME    %s
  --dialect NAME    the dialect of its server

exit status:
  0  everything was written
  1  something could not be expressed, and --strict was given
  2  it could not do what was asked

examples:
  wholecall convert --to openai-chat capture.sse
  wholecall convert --to anthropic - < body.txt | wholecall check -
`, strings.Join(provider.Names(), ", "), strings.Join(provider.Framings(), ", "))
}

// conversion is one run of convert.
type conversion struct {
	*tool
	examiner
	to                wholecall.Protocol
	normalise, strict bool
	lost              int
}

func convertVerb(t *tool, args []string) int {
	c := &conversion{tool: t}
	c.examiner.ctx = t.ctx
	fs := flag.NewFlagSet("convert", flag.ContinueOnError)
	var to string
	fs.StringVar(&to, "to", "", "")
	fs.BoolVar(&c.normalise, "normalise", false, "")
	fs.BoolVar(&c.normalise, "normalize", false, "")
	fs.BoolVar(&c.strict, "strict", false, "")
	var n naming
	n.flags(fs)
	operands, status, ok := c.parse(fs, convertUsage(), args)
	if !ok {
		return status
	}
	if status, ok = n.resolve(t, "convert", &c.examiner); !ok {
		return status
	}
	if status, ok = c.target(to, operands); !ok {
		return status
	}
	return c.run(operands)
}

// target checks what the capture is to become.
func (c *conversion) target(to string, operands []string) (status int, ok bool) {
	const hint = "wholecall convert --to openai-chat capture.sse"
	switch {
	case (to == "") == !c.normalise:
		return c.misuse(hint, "convert: give either --to NAME or --normalise"), false
	case len(operands) != 1:
		return c.misuse(hint, "convert: give one capture, or - for standard input"), false
	case c.normalise:
		return 0, true
	}
	if c.to, ok = provider.Named(to); !ok {
		return c.misnamed("convert", "to", "provider", to, provider.Names()), false
	}
	return 0, true
}

func (c *conversion) run(operands []string) int {
	unreadable := false
	fail := func(name string, err error) {
		unreadable = true
		c.errorf("%s: %v", name, err)
	}
	done := func() {}
	stdin := func() (in *input, err error) {
		in, done, err = spool(c.tool.ctx, c.in)
		return in, err
	}
	inputs := gather(operands, stdin, fail)
	defer func() { done() }()
	if len(inputs) > 1 {
		return c.misuse("wholecall convert --to openai-chat capture.sse", "convert: a folder can't become one capture")
	}
	for _, in := range inputs {
		if err := c.one(in); err != nil {
			fail(in.name, err)
		}
	}
	switch {
	case unreadable:
		return statusFailed
	case c.strict && c.lost > 0:
		c.errorf("%s could not be expressed", plural(c.lost, "thing"))
		return statusFindings
	}
	return statusClean
}

// one converts every turn of a capture.
func (c *conversion) one(in *input) error {
	results, err := c.examine(in)
	if err != nil {
		return err
	}
	guess, dialect := results[0].guess, wholecall.Dialect{}
	if guess.Protocol == nil {
		return results[0].err
	}
	for _, r := range results {
		if r.strict != nil || c.dialect != "" {
			dialect = r.dialect
		}
	}
	to := c.to
	if c.normalise {
		to = guess.Protocol
	}
	r, err := in.open()
	if err != nil {
		return err
	}
	defer r.Close()
	w := bufio.NewWriter(c.out)
	n := 0
	for t := range wholecall.Turns(&sticky{r: r}, guess.Protocol, wholecall.WithContext(c.tool.ctx),
		wholecall.WithFraming(guess.NewFramer), wholecall.WithDialect(dialect)) {
		n++
		losses, err := convert.Turn(w, t, to)
		c.note(in, n, len(results), losses)
		if err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	return w.Flush()
}

// note lists what could not be expressed.
func (c *conversion) note(in *input, n, of int, losses []convert.Loss) {
	where := in.name
	if of > 1 {
		where += fmt.Sprintf(", turn %d", n)
	}
	for _, l := range losses {
		c.lost++
		fmt.Fprintf(c.err, "lost: %s: %s\n", safeText(where), safeText(l.String()))
	}
}
