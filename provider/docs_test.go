package provider_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

var update = flag.Bool("update", false, "rewrite the generated documents; read the diff")

// cell makes a text fit into a cell of a table.
func cell(s string) string {
	if s == "" {
		return "–"
	}
	return strings.ReplaceAll(s, "|", `\|`)
}

// TestProvidersDocument: docs/providers.md is generated from what the protocols say of themselves.
func TestProvidersDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Providers\n\nGenerated from the code: `go test ./provider -run Document -update`.\n\n" +
		"Where each protocol says what. A *key* is the position that a fragment carries; an *id* is what a result is\n" +
		"returned against. `--provider NAME` names a protocol on the command line.\n\n" +
		"| name | protocol | framing | key | id | tool name | fragment | end of a call | end of the stream | error | against parallel calls | what resumes |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, p := range provider.All() {
		f := p.Facts()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f.Name, cell(f.Title), f.Framing,
			cell(f.Key), cell(f.ID), cell(f.ToolName), cell(f.Fragment), cell(f.CallEnd), cell(f.StreamEnd), cell(f.ErrorEvent),
			cell(f.Parallel), cell(f.Resume))
	}
	b.WriteString("\nThe facts are from:\n\n")
	for _, p := range provider.All() {
		fmt.Fprintf(&b, "- `%s`: %s\n", p.Facts().Name, p.Facts().Source)
	}
	golden(t, "../docs/providers.md", b.String())
}

// TestDialectsDocument: docs/dialects.md is generated from the switches and the dialects.
func TestDialectsDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Deviations and dialects\n\nGenerated from the code: `go test ./provider -run Document -update`.\n\n" +
		"The default is the protocol as its owner documents it. A *deviation* is one way in which a server departs from\n" +
		"it; a *dialect* is the named set of deviations that one server is known for. A deviation is let through only\n" +
		"where it can mean one thing, and is counted. In Go:\n\n" +
		"```go\ndialect, _ := wholecall.DialectNamed(openai.Chat, \"openrouter\")\n" +
		"turn := wholecall.NewTurn(resp.Body, openai.Chat, wholecall.WithDialect(dialect))\n```\n\n" +
		"`wholecall check` tries the named dialects on a capture that a strict reader refuses, but for those that are\n" +
		"marked *only by name*: they would also complete streams of other servers that lost something.\n")
	fmt.Fprintf(&b, "\n## Every protocol\n")
	switches(&b, wholecall.CommonSwitches())
	for _, p := range provider.All() {
		if len(p.Switches()) == 0 && len(p.Dialects()) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s (`%s`)\n", p.Facts().Title, p.Facts().Name)
		switches(&b, p.Switches())
		if len(p.Dialects()) == 0 {
			continue
		}
		b.WriteString("\n| dialect | allows | evidence |\n| --- | --- | --- |\n")
		for _, d := range p.Dialects() {
			name := "`" + d.Name + "`"
			switch {
			case d.OnlyNamed:
				name += ", only by name"
			case d.IDs != "":
				name += ", where ids begin with `" + d.IDs + "`"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", name, strings.Join(d.Allows, "`, `"), cell(d.Evidence))
		}
	}
	golden(t, "../docs/dialects.md", b.String())
}

func switches(b *strings.Builder, all []wholecall.Switch) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\n| deviation | what is let through | who does it | excludes |\n| --- | --- | --- | --- |\n")
	for _, s := range all {
		excludes := "–"
		if len(s.Excludes) > 0 {
			excludes = "`" + strings.Join(s.Excludes, "`, `") + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", s.Name, cell(s.Allows), cell(s.Servers), excludes)
	}
}

// TestDialectsAreWhole: every dialect can be used, and says why it exists; names are used once.
func TestDialectsAreWhole(t *testing.T) {
	for _, p := range provider.All() {
		seen := map[string]bool{}
		for _, d := range wholecall.Dialects(p) {
			if err := wholecall.CheckDialect(p, d); err != nil {
				t.Error(err)
			}
			if d.Evidence == "" || d.Name == "" || seen[d.Name] {
				t.Errorf("%s: dialect %q: without evidence, or named twice", p.Facts().Name, d.Name)
			}
			seen[d.Name] = true
		}
	}
}

// golden holds text against a file, or rewrites the file with -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != text {
		t.Errorf("%s is not up to date: run go test ./provider -run Document -update", file)
	}
}
