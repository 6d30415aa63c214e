package main

import (
	"fmt"
	"io"
	"strings"
)

func helpUsage() string {
	var b strings.Builder
	b.WriteString("wholecall finds lost, merged and corrupted tool calls in streams of model responses.\n\nusage:\n  wholecall VERB [flags] ...\n\nverbs:\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-9s %s\n", v.name, v.about)
	}
	b.WriteString(`
exit status:
  0  clean
  1  findings
  2  it could not do what was asked

examples:
  wholecall check capture.sse
  wholecall help check
`)
	return b.String()
}

// help prints what the command can do, or what one verb can.
func help(t *tool, args []string) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		io.WriteString(t.out, helpUsage())
		return statusClean
	}
	var names []string
	for _, v := range verbs() {
		if v.name == args[0] {
			io.WriteString(t.out, v.usage())
			return statusClean
		}
		names = append(names, v.name)
	}
	hint := "wholecall help"
	if n := nearest(args[0], names); n != "" {
		hint += " " + n
	}
	return t.misuse(hint, "%q is no verb; the verbs are %s", args[0], strings.Join(names, ", "))
}
