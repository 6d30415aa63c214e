package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// scenario is what a model says to a client, turn by turn. Package mock of the project plays it; its format
// is described in the README of this module.
type scenario struct {
	Name          string         `json:"name"`
	About         string         `json:"about"`
	Turns         []scenarioTurn `json:"turns"`
	Conversations int            `json:"conversations,omitempty"`
	Expect        []string       `json:"expect,omitempty"`
}

type scenarioTurn struct {
	Say        []say  `json:"say"`
	Interleave bool   `json:"interleave,omitempty"`
	Stop       string `json:"stop,omitempty"`
	Fault      *fault `json:"fault,omitempty"`
}

type say struct {
	Text      string   `json:"text,omitempty"`
	Thinking  string   `json:"thinking,omitempty"`
	Call      string   `json:"call,omitempty"`
	Arguments string   `json:"arguments,omitempty"`
	Pieces    []string `json:"pieces,omitempty"`
	Open      bool     `json:"open,omitempty"`
	Fill      int      `json:"fill,omitempty"`
}

type fault struct {
	Kind  string `json:"kind"`
	Call  int    `json:"call,omitempty"`
	Piece int    `json:"piece,omitempty"`
}

// The one tool of the scenarios, and what it is called with.
const scenarioTool = "search_orders"

func order(customer, status string) string {
	return fmt.Sprintf(`{"customer":%q,"status":%q}`, customer, status)
}

func search(args string, pieces ...string) say {
	return say{Call: scenarioTool, Arguments: args, Pieces: pieces}
}

func speak(text string) say { return say{Text: text} }

// loud are the verdicts on a stream in which something was lost: the client must say so, or go on with what
// is whole and an error for what is not.
var loud = []string{"kept", "failed loudly"}

func scenarios() []scenario {
	ada, grace := order("Ada", "open"), order("Grace", "late")
	both := []say{search(ada), search(grace)}
	turn := func(says ...say) []scenarioTurn { return []scenarioTurn{{Say: says}} }
	one := func(name, about string, says ...say) scenario {
		return scenario{Name: name, About: about, Turns: turn(says...)}
	}
	faulty := func(name, about string, f fault, says ...say) scenario {
		s := one(name, about, says...)
		s.Turns[0].Fault = &f
		s.Expect = loud
		return s
	}
	list := []scenario{
		one("no-call", "The model says something and calls nothing.", speak("There is nothing to look up.")),
		one("one-call", "One call.", search(ada)),
		one("empty-arguments", "A call without arguments.", search(`{}`)),
		one("two-calls-back-to-back", "Two calls of one tool, one behind the other.", both...),
		{Name: "two-calls-interleaved", About: "The fragments of two calls of one tool alternate.", Turns: []scenarioTurn{{Say: both, Interleave: true}}},
		one("two-equal-calls", "Two calls with the same arguments: they are two calls all the same.", search(ada), search(ada)),
		one("text-between-calls", "Text stands between two calls.", search(ada), speak("And the other one."), search(grace)),
		one("thinking-between-calls", "Thinking stands in front of the calls.", say{Thinking: "Both have to be looked up."}, search(ada), search(grace)),
		one("five-calls", "Five calls at once.", search(order("Ada", "open")), search(order("Grace", "open")), search(order("Edith", "open")), search(order("Mary", "open")), search(order("Joan", "open"))),
		one("document-in-pieces-that-begin-with-braces", "A fragment inside the document begins with a brace.", search(`{"customer":"{Ada}","status":"open"}`, `{"customer":"`, `{Ada}`, `","status":"open"}`)),
		one("large-document", "A document of a megabyte.", say{Call: scenarioTool, Arguments: order("@", "open"), Fill: 1_000_000}),
		one("escapes", "Every kind of escape, cut everywhere.", search(`{"customer":"a\"b\\c\/d\be\ff\ng\rh\ti\u00e9","status":"open"}`, pieces(`{"customer":"a\"b\\c\/d\be\ff\ng\rh\ti\u00e9","status":"open"}`, 1)...)),
		one("surrogate-pairs", "A character outside the basic plane, escaped, cut everywhere.", search(`{"customer":"\ud83d\ude8c bus","status":"open"}`, pieces(`{"customer":"\ud83d\ude8c bus","status":"open"}`, 1)...)),
		one("not-ascii", "Text that is not ASCII.", search(`{"customer":"Žofie 東京 🚌","status":"open"}`)),
		one("split-in-a-string", "A cut inside a string.", search(ada, `{"customer":"A`, `da","status":"open"}`)),
		one("split-in-a-key", "A cut inside a key.", search(ada, `{"cust`, `omer":"Ada","status":"open"}`)),
		one("split-before-the-colon", "A cut between key and colon.", search(ada, `{"customer"`, `:"Ada","status":"open"}`)),
		one("split-in-a-nested-object", "A cut inside a nested object.", search(`{"customer":"Ada","where":{"city":"Bath","zip":"BA1"}}`, `{"customer":"Ada","where":{"city":`, `"Bath","zip":"BA1"}}`)),
		one("split-in-a-number", "A cut inside a number.", search(`{"customer":"Ada","page":1234}`, `{"customer":"Ada","page":12`, `34}`)),
		one("split-in-a-literal", "A cut inside a literal.", search(`{"customer":"Ada","all":true}`, `{"customer":"Ada","all":tr`, `ue}`)),
		{Name: "three-turns", About: "Three turns of calls.", Turns: []scenarioTurn{{Say: both}, {Say: []say{search(order("Edith", "open"))}}, {Say: []say{search(ada), search(grace)}}}},
		{Name: "two-conversations", About: "Two conversations at once, with the same positions.", Turns: []scenarioTurn{{Say: both}}, Conversations: 2},
		{Name: "token-limit-in-the-second-call", About: "The token limit cuts the second call. The first is whole.", Turns: []scenarioTurn{{Say: []say{search(ada), {Call: scenarioTool, Arguments: `{"customer":"Gr`, Open: true}}, Stop: "limit"}}, Expect: loud},
		{Name: "token-limit-behind-an-announcement", About: "The token limit strikes before the first byte of the arguments.", Turns: []scenarioTurn{{Say: []say{{Call: scenarioTool, Open: true}}, Stop: "limit"}}, Expect: loud},
		{Name: "content-filter", About: "The content filter cuts the call.", Turns: []scenarioTurn{{Say: []say{{Call: scenarioTool, Arguments: `{"customer":"Ad`, Open: true}}, Stop: "filter"}}, Expect: loud},
		faulty("fragment-dropped", "A fragment is lost on the way.", fault{"drop", 0, 1}, search(ada), search(grace)),
		faulty("fragment-doubled", "A fragment comes twice.", fault{"double", 1, 1}, search(ada), search(grace)),
		faulty("fragments-swapped", "Two fragments change places.", fault{"swap", 0, 0}, search(ada), search(grace)),
		faulty("announcement-missing", "The announcement of the second call is lost.", fault{"no-announce", 1, 0}, search(ada), search(grace)),
		faulty("announcement-twice", "The announcement of the second call comes twice.", fault{"announce-twice", 1, 0}, search(ada), search(grace)),
		faulty("block-replayed", "The first call comes once more.", fault{"replay", 0, 0}, search(ada), search(grace)),
		faulty("end-missing", "The second call is never ended.", fault{"no-end", 1, 0}, search(ada), search(grace)),
		faulty("connection-cut", "The connection breaks inside the second call.", fault{"cut", 1, 1}, search(ada), search(grace)),
		faulty("stall", "Nothing more comes.", fault{"stall", 1, 1}, search(ada), search(grace)),
		faulty("error-event", "The provider reports an error inside the second call.", fault{"error", 1, 1}, search(ada), search(grace)),
		faulty("limit-with-whole-calls", "The stream says that the token limit was reached, behind whole calls.", fault{"wrong-stop", 0, 0}, search(ada), search(grace)),
		faulty("no-terminal", "The stream ends without its end.", fault{"no-stop", 0, 0}, search(ada), search(grace)),
		faulty("second-generation-spliced-in", "A retry writes a second answer into the same stream.", fault{"splice", 1, 1}, search(ada), search(grace)),
	}
	var many []say
	for i := range 64 {
		many = append(many, search(order(fmt.Sprintf("Customer %d", i), "open")))
	}
	return append(list, one("sixty-four-calls", "Sixty-four calls at once.", many...))
}

func pieces(s string, n int) (list []string) {
	for s != "" {
		k := min(n, len(s))
		list, s = append(list, s[:k]), s[k:]
	}
	return list
}

// scenarioFiles returns every scenario by its path.
func scenarioFiles(dir string) map[string][]byte {
	all := map[string][]byte{}
	for _, s := range scenarios() {
		b, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			panic(err)
		}
		all[filepath.Join(dir, s.Name+".json")] = append(b, '\n')
	}
	return all
}
