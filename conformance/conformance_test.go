package conformance_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall/conformance"
)

// TestVectorsStandInPairs: each JSON file has the one capture that its framing names, and each capture
// has its JSON file.
func TestVectorsStandInPairs(t *testing.T) {
	vectors := conformance.Vectors()
	n, captures := 0, 0
	walk(t, vectors, func(name string) {
		if path.Ext(name) != ".json" {
			captures++
			return
		}
		n++
		v := object(t, vectors, name)
		if _, err := fs.Stat(vectors, strings.TrimSuffix(name, "json")+fmt.Sprint(v["framing"])); err != nil {
			t.Error(err)
		}
		if p, ok := v["provider"]; ok && path.Dir(name) != p {
			t.Errorf("%s is of the provider %v", name, p)
		}
	})
	if n != captures || n == 0 {
		t.Errorf("%d JSON files and %d captures", n, captures)
	}
}

// TestVectorsFollowTheSchema: each JSON file is a case of the schema, and says nothing that its own
// lists contradict.
func TestVectorsFollowTheSchema(t *testing.T) {
	root := object(t, os.DirFS("schema"), "case.schema.json")
	vectors := conformance.Vectors()
	walk(t, vectors, func(name string) {
		if path.Ext(name) != ".json" {
			return
		}
		v := object(t, vectors, name)
		if err := fits(root, root, v); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if v["provider"] != nil {
			agrees(t, name, v["expect"].(map[string]any))
		}
	})
}

// agrees checks that the counts, the outcome and the parts of an expectation say the same.
func agrees(t *testing.T, name string, x map[string]any) {
	t.Helper()
	calls, failed := x["calls"].([]any), x["failed_calls"].([]any)
	switch {
	case x["completed"] != float64(len(calls)), x["failed"] != float64(len(failed)), x["announced"] != float64(len(calls)+len(failed)):
		t.Errorf("%s: the counts are not those of the lists", name)
	case (x["outcome"] == "complete") != (x["error"] == nil):
		t.Errorf("%s: the outcome is %v, and the error %v", name, x["outcome"], x["error"])
	}
	keys := map[any]int{}
	for _, p := range x["parts"].([]any) {
		if p := p.(map[string]any); p["type"] == "call" {
			keys[p["key"]]++
		}
	}
	for _, c := range slices.Concat(calls, failed) {
		keys[c.(map[string]any)["key"]]--
	}
	for key, n := range keys {
		if n != 0 {
			t.Errorf("%s: the parts and the calls disagree on %v", name, key)
		}
	}
}

// fits checks a value against the part of JSON Schema that the schema uses, and fails where it uses
// anything else.
func fits(root, schema map[string]any, v any) error {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		var err error
		switch arg := schema[key]; key {
		case "$schema", "$id", "$defs", "title", "description":
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			err = fits(root, root["$defs"].(map[string]any)[name].(map[string]any), v)
		case "oneOf":
			err = fitsOne(root, arg.([]any), v)
		case "const":
			err = demand(v == arg, "%v is not %v", v, arg)
		case "enum":
			err = demand(slices.Contains(arg.([]any), v), "%v is none of %v", v, arg)
		case "type":
			err = demand(isType(arg.(string), v), "%v is no %v", v, arg)
		case "minimum":
			n, ok := v.(float64)
			err = demand(ok && n >= arg.(float64), "%v is less than %v", v, arg)
		case "minLength":
			s, _ := v.(string)
			err = demand(len(s) >= int(arg.(float64)), "%q is too short", s)
		case "minItems":
			list, _ := v.([]any)
			err = demand(len(list) >= int(arg.(float64)), "a list is too short")
		case "items":
			list, _ := v.([]any)
			for _, one := range list {
				if err = fits(root, arg.(map[string]any), one); err != nil {
					break
				}
			}
		case "required", "properties", "additionalProperties":
			err = fitsMembers(root, schema, v)
		default:
			err = fmt.Errorf("the schema uses %s, which this test does not know", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func demand(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func fitsOne(root map[string]any, schemas []any, v any) error {
	var errs []error
	for _, s := range schemas {
		if err := fits(root, s.(map[string]any), v); err != nil {
			errs = append(errs, err)
		}
	}
	return demand(len(schemas)-len(errs) == 1, "not exactly one alternative fits: %v", errs)
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case float64:
		return name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

func fitsMembers(root, schema map[string]any, v any) error {
	o, ok := v.(map[string]any)
	if !ok {
		return nil // what type it must be, "type" says
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := o[name.(string)]; !ok {
			return fmt.Errorf("member %v is missing", name)
		}
	}
	known, _ := schema["properties"].(map[string]any)
	for name, one := range o {
		s, ok := known[name].(map[string]any)
		if !ok {
			return fmt.Errorf("member %s is not known", name)
		}
		if err := fits(root, s, one); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func walk(t *testing.T, fsys fs.FS, f func(name string)) {
	t.Helper()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			f(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func object(t *testing.T, fsys fs.FS, name string) map[string]any {
	t.Helper()
	raw, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}
