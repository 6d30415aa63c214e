package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestReadmeIsTrue runs each command of the README's console blocks in the root of the repository, and
// holds what it prints against what the README shows.
func TestReadmeIsTrue(t *testing.T) {
	t.Chdir("../..")
	src, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	blocks := 0
	for rest := string(src); ; {
		before, after, ok := strings.Cut(rest, "```console\n")
		out.WriteString(before)
		if !ok {
			break
		}
		block, tail, _ := strings.Cut(after, "```\n")
		rest = tail
		blocks++
		command, want, _ := strings.Cut(block, "\n")
		args := strings.Fields(strings.TrimPrefix(command, "$ wholecall "))
		var got bytes.Buffer
		run(context.Background(), args, strings.NewReader(""), &got, &got, func(string) string { return "" })
		if got.String() != want && !*update {
			t.Errorf("%s\nprints\n%s\nand the README shows\n%s", command, got.String(), want)
		}
		out.WriteString("```console\n" + command + "\n" + got.String() + "```\n")
	}
	if blocks == 0 {
		t.Error("the README shows no command")
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
