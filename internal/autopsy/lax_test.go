package autopsy

import (
	"fmt"
	"testing"
)

// TestLax: what code that checks nothing finds in the frames of the protocols that it knows.
func TestLax(t *testing.T) {
	for frame, want := range map[string]string{
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"n","input":{}}}`:                                              "announce 2 a n; ",
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{"}}`:                                                          "fragment 2 {; ",
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`:                                                                       "",
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"a","name":"n","arguments":""}}`:                           "announce 1 a n; ",
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{"}`:                                                                           "fragment 1 {; ",
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":3,"id":"a","function":{"name":"n","arguments":"{"}},{"index":4,"function":{"arguments":"}"}}]}}]}`: "announce 3 a n; fragment 3 {; fragment 4 }; ",
		`[DONE]`: "",
	} {
		got := ""
		for _, ev := range Lax([]byte(frame)) {
			if len(ev.ID) > 0 {
				got += fmt.Sprintf("announce %d %s %s; ", ev.Key.Index, ev.ID, ev.Name)
				continue
			}
			got += fmt.Sprintf("fragment %d %s; ", ev.Key.Index, ev.Data)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", frame, got, want)
		}
	}
}
