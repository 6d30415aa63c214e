package conformance_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"strings"

	"github.com/wholecall/wholecall/conformance"
)

// An implementation walks over the JSON files, skips what it does not speak, reads the capture beside
// each, and compares.
func Example() {
	vectors := conformance.Vectors()
	names, err := fs.Glob(vectors, "anthropic/two-calls-of-*.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(vectors, name)
		if err != nil {
			log.Fatal(err)
		}
		var v struct {
			Framing string
			Expect  struct {
				Outcome string
				Calls   []struct{ Key, ID, Name, Arguments string }
			}
		}
		if err := json.Unmarshal(raw, &v); err != nil {
			log.Fatal(err)
		}
		capture, err := fs.ReadFile(vectors, strings.TrimSuffix(name, "json")+v.Framing)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, len(capture) > 0, v.Expect.Outcome)
		for _, c := range v.Expect.Calls {
			fmt.Println(" ", c.Key, c.ID, c.Name, c.Arguments)
		}
	}
	// Output:
	// anthropic/two-calls-of-one-tool.json true complete
	//   0 toolu_example_A bus_times {"stop":"Mill Lane"}
	//   1 toolu_example_B bus_times {"stop":"Old Dock"}
	// anthropic/two-calls-of-two-tools.json true complete
	//   0 toolu_example_A bus_times {"stop":"Mill Lane"}
	//   1 toolu_example_B mix_paint {"hue":"teal","litres":2}
}
