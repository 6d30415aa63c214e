// Command wholecall finds out what became of every tool call in captured streams of model responses.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

func main() {
	os.Exit(run(untilInterrupt(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// untilInterrupt returns a context that the first interrupt ends. The second one ends the program.
func untilInterrupt() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx
}

// The exit statuses.
const (
	statusClean    = 0
	statusFindings = 1
	statusFailed   = 2
)

// tool is what a verb has of the world.
type tool struct {
	ctx      context.Context
	in       io.Reader
	out, err io.Writer
	env      func(string) string
}

// verb is one thing that the command can do.
type verb struct {
	name, about string
	usage       func() string
	run         func(t *tool, args []string) int
}

func verbs() []verb {
	return []verb{
		{"check", "assemble and verify captures", checkUsage, check},
		{"view", "show one turn, and what wrong code would have made of it", viewUsage, view},
		{"convert", "write a capture in another protocol's wire format", convertUsage, convertVerb},
		{"mock", "a provider on a local port that plays scenarios and captures", mockUsage, mockVerb},
		{"conform", "run a client against the mock and report what it lost", conformUsage, conform},
		{"version", "print the version", versionUsage, version},
		{"help", "print this, or the help of a verb", helpUsage, help},
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer, env func(string) string) int {
	t := &tool{ctx, in, out, err, env}
	if len(args) == 0 {
		io.WriteString(t.err, helpUsage())
		return statusFailed
	}
	switch args[0] {
	case "-h", "-help", "--help":
		return help(t, args[1:])
	case "-version", "--version":
		return version(t, args[1:])
	}
	for _, v := range verbs() {
		if v.name == args[0] {
			return v.run(t, args[1:])
		}
	}
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	if _, e := os.Stat(args[0]); e == nil {
		return t.misuse("wholecall check "+shellWord(args[0]), "%q is no verb; the verbs are %s", args[0], strings.Join(names, ", "))
	}
	hint := "wholecall help"
	if n := nearest(args[0], names); n != "" {
		hint = strings.Join(append([]string{"wholecall", n}, shellWords(args[1:])...), " ")
	}
	return t.misuse(hint, "%q is no verb; the verbs are %s", args[0], strings.Join(names, ", "))
}

// parse reads flags that may stand before, between and behind the operands, and returns the operands.
// Where the verb should not go on, ok is false and status is the exit status.
func (t *tool) parse(fs *flag.FlagSet, usage string, args []string) (operands []string, status int, ok bool) {
	var rest []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, rest = args[:i], args[i+1:]
	}
	fs.SetOutput(io.Discard)
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			io.WriteString(t.out, usage)
			return nil, statusClean, false
		case err != nil:
			return nil, t.badFlag(fs, err), false
		}
		if fs.NArg() == 0 {
			return append(operands, rest...), 0, true
		}
		operands = append(operands, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// badFlag says what is wrong with a flag, and which one was perhaps meant.
func (t *tool) badFlag(fs *flag.FlagSet, err error) int {
	text := err.Error()
	name, undefined := strings.CutPrefix(text, "flag provided but not defined: -")
	if !undefined {
		return t.misuse("wholecall help "+fs.Name(), "%s: %s", fs.Name(), text)
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if n := nearest(name, names); n != "" {
		return t.misuse("wholecall "+fs.Name()+" --"+n, "%s has no flag --%s; did you mean --%s?", fs.Name(), name, n)
	}
	return t.misuse("wholecall help "+fs.Name(), "%s has no flag --%s", fs.Name(), name)
}
