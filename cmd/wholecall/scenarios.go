package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wholecall/wholecall/conformance"
	"github.com/wholecall/wholecall/mock"
	"github.com/wholecall/wholecall/provider"
)

// scenarioNames are the names of the scenarios that the command has.
func scenarioNames() []string {
	entries, err := fs.ReadDir(conformance.Scenarios(), ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// errNoScenario says that an operand is neither a scenario nor a file.
var errNoScenario = errors.New("there is no scenario and no file of that name")

// scenario returns what an operand means: the name of a scenario, a file that holds one, or a capture,
// which is played as it is.
func scenario(name string) (mock.Scenario, error) {
	b, err := fs.ReadFile(conformance.Scenarios(), name+".json")
	if err == nil {
		return mock.Parse(b)
	}
	if _, err := os.Stat(name); err != nil {
		return mock.Scenario{}, fmt.Errorf("%s: %w", name, errNoScenario)
	}
	if filepath.Ext(name) == ".json" {
		b, err := os.ReadFile(name)
		if err != nil {
			return mock.Scenario{}, err
		}
		s, err := mock.Parse(b)
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		return s, nil
	}
	return captured(name)
}

// captured makes a scenario of a capture: its bytes as they stand are the first turn.
func captured(name string) (mock.Scenario, error) {
	r, err := file(name).open()
	if err != nil {
		return mock.Scenario{}, err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	if err != nil {
		return mock.Scenario{}, err
	}
	guess, err := provider.Detect(body, provider.Guess{})
	if err != nil {
		return mock.Scenario{}, fmt.Errorf("%s: %w", name, err)
	}
	return mock.Scenario{Name: strings.TrimSuffix(path.Base(filepath.ToSlash(name)), path.Ext(name)), About: "A capture.",
		Turns: []mock.Turn{{Bytes: body, Provider: guess.Protocol.Facts().Name}}}, nil
}

// chosen returns the scenarios that the operands mean; without any, all that the command has.
func chosen(operands []string) ([]mock.Scenario, error) {
	if len(operands) == 0 {
		operands = scenarioNames()
	}
	var list []mock.Scenario
	for _, name := range operands {
		s, err := scenario(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o mock.Scenario) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("two scenarios are called %s", s.Name)
		}
		list = append(list, s)
	}
	return list, nil
}
