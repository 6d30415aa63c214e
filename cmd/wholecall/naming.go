package main

import (
	"flag"
	"slices"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// naming is what a user names of a capture, so that it need not be found out.
type naming struct{ protocol, framing, dialect string }

func (n *naming) flags(fs *flag.FlagSet) {
	fs.StringVar(&n.protocol, "provider", "", "")
	fs.StringVar(&n.framing, "framing", "", "")
	fs.StringVar(&n.dialect, "dialect", "", "")
}

// resolve looks the names up. Where one is none, ok is false and status is the exit status.
func (n *naming) resolve(t *tool, verb string, x *examiner) (status int, ok bool) {
	if n.protocol != "" {
		if x.known.Protocol, ok = provider.Named(n.protocol); !ok {
			return t.misnamed(verb, "provider", "provider", n.protocol, provider.Names()), false
		}
	}
	if n.framing != "" {
		if x.known.NewFramer, ok = provider.Framing(n.framing); !ok {
			return t.misnamed(verb, "framing", "framing", n.framing, provider.Framings()), false
		}
		x.known.Framing = n.framing
	}
	if names := dialects(x.known.Protocol); n.dialect != "" && !slices.Contains(names, n.dialect) {
		return t.misnamed(verb, "dialect", "dialect", n.dialect, names), false
	}
	x.dialect = n.dialect
	return 0, true
}

// misnamed says that nothing is called by the name that a flag was given, and which was perhaps meant.
func (t *tool) misnamed(verb, flag, what, name string, names []string) int {
	n := nearest(name, names)
	if n == "" {
		n = names[0]
	}
	return t.misuse("wholecall "+verb+" --"+flag+" "+n+" FILE", "%s: no %s is called %q; there is %s", verb, what, name, strings.Join(names, ", "))
}

// dialects returns the names of the dialects of a protocol, or of all where it is nil.
func dialects(p wholecall.Protocol) []string {
	protocols := []wholecall.Protocol{p}
	if p == nil {
		protocols = provider.All()
	}
	names := []string{standard}
	for _, p := range protocols {
		for _, d := range wholecall.Dialects(p) {
			if !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	return names
}
