package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

func versionUsage() string {
	return `usage: wholecall version [--json]

Version prints the version of the command and of the Go that built it.
`
}

// build is what is known of how the command was built. Its JSON is what version --json prints.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func version(t *tool, args []string) int {
	fs := flag.NewFlagSet("version", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "")
	operands, status, ok := t.parse(fs, versionUsage(), args)
	if !ok {
		return status
	}
	if len(operands) > 0 {
		return t.misuse("wholecall version", "version takes no operand")
	}
	b := buildInfo()
	if *asJSON {
		json.NewEncoder(t.out).Encode(b)
		return statusClean
	}
	fmt.Fprintf(t.out, "wholecall %s", b.Version)
	if b.Revision != "" {
		fmt.Fprintf(t.out, " %.12s %s", b.Revision, b.Time)
	}
	if b.Modified {
		fmt.Fprint(t.out, " modified")
	}
	fmt.Fprintf(t.out, " (%s %s)\n", b.Go, b.Platform)
	return statusClean
}

func buildInfo() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
