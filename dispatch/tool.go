// Package dispatch runs whole calls: each at most once, side by side, with a limit, a time limit and a
// result that is bound to the call's id. What can't be run, such as an unknown tool, arguments against the
// schema, a panic or a failed call, becomes a result that tells the model what to mend.
//
// A Dispatcher takes Calls and nothing else, and only the accumulator makes one.
package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/wholecall/wholecall"
)

// Tool is something that the model may call.
type Tool struct {
	// Name is what the model calls it by, and Description what it is told about it.
	Name, Description string
	// Schema is the JSON Schema of the arguments, draft 2020-12 or draft-07. Where it is nil any JSON value
	// will do, and the tool may be one that takes free text.
	Schema json.RawMessage
	// Timeout bounds one run. Where it is 0, the dispatcher's bound holds.
	Timeout time.Duration
	// Run does what the call asks for. What it returns is what the model reads: a string as it is,
	// anything else as JSON. The context ends with the turn, and at the time limit. Run must be safe for
	// concurrent use: two calls of one tool in a turn run side by side.
	Run func(ctx context.Context, call wholecall.Call) (any, error)

	resolved *jsonschema.Resolved
}

// Option changes the schema that NewTool makes.
type Option func(*jsonschema.Schema) error

// Enum says that a property has one of these values. The property is a member of the arguments.
func Enum[T any](property string, values ...T) Option {
	return func(s *jsonschema.Schema) error {
		p := s.Properties[property]
		if p == nil {
			return fmt.Errorf("the arguments have no member %q", property)
		}
		for _, v := range values {
			p.Enum = append(p.Enum, any(v))
		}
		return nil
	}
}

// NewTool returns a tool whose arguments are a struct: the schema is made from it, by its json and
// jsonschema tags, and the arguments are decoded into it strictly, once they satisfy the schema. The error
// says what in the struct has no schema.
func NewTool[In any](name, description string, run func(ctx context.Context, in In) (any, error), opts ...Option) (Tool, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %q: %w", name, err)
	}
	for _, o := range opts {
		if err := o(s); err != nil {
			return Tool{}, fmt.Errorf("tool %q: %w", name, err)
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %q: %w", name, err)
	}
	t := Tool{Name: name, Description: description, Schema: raw, Run: func(ctx context.Context, call wholecall.Call) (any, error) {
		var in In
		if err := call.Decode(&in); err != nil {
			return nil, &ArgumentsError{Tool: name, Err: err}
		}
		return run(ctx, in)
	}}
	return t, t.resolve()
}

func (t *Tool) resolve() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("a tool has no name")
	case t.Run == nil:
		return fmt.Errorf("tool %q has no function", t.Name)
	case t.Schema == nil || t.resolved != nil:
		return nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(t.Schema, &s); err != nil {
		return fmt.Errorf("tool %q: its schema: %w", t.Name, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("tool %q: its schema: %w", t.Name, err)
	}
	t.resolved = r
	return nil
}

// check holds a call's arguments against the schema.
func (t *Tool) check(c wholecall.Call) error {
	switch {
	case c.Form() == wholecall.TextArguments && t.Schema != nil:
		return &ArgumentsError{Tool: t.Name, Err: fmt.Errorf("free text, where the schema wants JSON")}
	case t.resolved == nil:
		return nil
	}
	var v any
	if err := json.Unmarshal(c.Arguments(), &v); err != nil {
		return &ArgumentsError{Tool: t.Name, Err: err}
	}
	if err := t.resolved.Validate(v); err != nil {
		return &ArgumentsError{Tool: t.Name, Err: err}
	}
	return nil
}

// ArgumentsError says that a call's arguments do not satisfy the schema of its tool. Err may quote the
// arguments: it is meant for the model, which wrote them.
type ArgumentsError struct {
	Tool string
	Err  error
}

func (e *ArgumentsError) Error() string {
	return fmt.Sprintf("the arguments of %s do not satisfy its schema: %v", e.Tool, e.Err)
}

// Unwrap returns what is wrong with the arguments.
func (e *ArgumentsError) Unwrap() error { return e.Err }

// UnknownToolError says that no tool has the name that the model called.
type UnknownToolError struct {
	Name  string
	Known []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("there is no tool %q; there is %s", e.Name, strings.Join(e.Known, ", "))
}

// set is the tools by name.
type set map[string]*Tool

func newSet(tools []Tool) (set, error) {
	s := set{}
	for _, t := range tools {
		if err := t.resolve(); err != nil {
			return nil, err
		}
		if s[t.Name] != nil {
			return nil, fmt.Errorf("two tools are called %q", t.Name)
		}
		s[t.Name] = &t
	}
	return s, nil
}

func (s set) names() []string {
	names := make([]string, 0, len(s))
	for n := range s {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
