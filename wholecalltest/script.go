// Package wholecalltest has the laws that every protocol must pass, and what is needed to write them
// down: a one-line notation for events, random turns, and a result that can be compared.
//
// A provider's test calls Laws once, and adds what is odd about the provider.
package wholecalltest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wholecall/wholecall"
)

// Parse reads events written as a script: one event a line, or several on a line with " · " between
// them. Blank lines and lines that begin with # say nothing.
//
//	begin ID MODEL
//	text KEY · refusal KEY · reasoning KEY · data KEY TYPE JSON     a part begins
//	say KEY "TEXT"                                                  a delta of it
//	sign KEY TEXT · close KEY
//	announce KEY ID NAME [server] [free] [empty]                    a call begins
//	frag KEY TEXT                                                   a fragment, to the end of the line
//	frag KEY "TEXT"                                                 a fragment as a JSON string's inside
//	copy KEY TEXT · final KEY TEXT                                  a copy of the document
//	end KEY [REASON]
//	stop NAME [REASON] [ends] [promises] [choice N]
//	terminal
//	fail CODE MESSAGE
//
// A KEY is INDEX, CHOICE.INDEX, or either with /SUB behind it. It panics on anything else: a script is
// part of a test's source.
func Parse(script string) []wholecall.Event {
	var events []wholecall.Event
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for one := range strings.SplitSeq(line, " · ") {
			events = append(events, parseEvent(strings.TrimLeft(one, " \t")))
		}
	}
	return events
}

func parseEvent(s string) wholecall.Event {
	verb, rest, _ := strings.Cut(s, " ")
	switch verb {
	case "begin":
		id, model, _ := strings.Cut(rest, " ")
		return wholecall.Event{Kind: wholecall.Begin, ID: []byte(id), Name: []byte(model)}
	case "terminal":
		return wholecall.Event{Kind: wholecall.Terminal}
	case "stop":
		return parseStop(strings.Fields(rest))
	case "fail":
		code, msg, _ := strings.Cut(rest, " ")
		return wholecall.Event{Kind: wholecall.Failure, ID: []byte(code), Data: []byte(msg)}
	}
	key, rest, _ := strings.Cut(rest, " ")
	ev := wholecall.Event{Key: parseKey(key)}
	switch verb {
	case "text", "refusal", "reasoning", "data":
		return parsePart(ev, verb, rest)
	case "announce":
		return parseAnnounce(ev, strings.Fields(rest))
	case "end":
		ev.Kind, ev.Reason = wholecall.End, wholecall.Reason(rest)
		return ev
	case "close":
		ev.Kind = wholecall.ClosePart
		return ev
	}
	kinds := map[string]wholecall.EventKind{"say": wholecall.Delta, "sign": wholecall.Sign,
		"frag": wholecall.Fragment, "copy": wholecall.Document, "final": wholecall.Document}
	kind, ok := kinds[verb]
	if !ok {
		panic(fmt.Sprintf("wholecalltest: %q is no event", s))
	}
	ev.Kind, ev.Final = kind, verb == "final"
	if kind == wholecall.Document {
		ev.Name = []byte(verb)
	}
	ev.Data, ev.Escaped = parseText(rest)
	return ev
}

// parseText reads a text, or the inside of a JSON string where it stands between quotes.
func parseText(s string) (data []byte, escaped bool) {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return []byte(s[1 : len(s)-1]), true
	}
	return []byte(s), false
}

func parsePart(ev wholecall.Event, verb, rest string) wholecall.Event {
	ev.Kind = wholecall.OpenPart
	switch verb {
	case "text":
		ev.Part = wholecall.TextPart
	case "refusal":
		ev.Part = wholecall.RefusalPart
	case "reasoning":
		ev.Part = wholecall.ReasoningPart
	case "data":
		ev.Part = wholecall.DataPart
		typ, json, _ := strings.Cut(rest, " ")
		ev.Name, ev.Data = []byte(typ), []byte(json)
	}
	if ev.Key.Sub == 0 && ev.Key.Choice > 0 {
		ev.Key.Sub = 1
	}
	return ev
}

func parseAnnounce(ev wholecall.Event, words []string) wholecall.Event {
	ev.Kind = wholecall.Announce
	for i, w := range words {
		switch {
		case i == 0 && w != "-":
			ev.ID = []byte(w)
		case i == 1 && w != "-":
			ev.Name = []byte(w)
		case w == "server":
			ev.Runner = wholecall.ProviderRuns
		case w == "free":
			ev.Form = wholecall.TextArguments
		case w == "empty":
			ev.Empty = wholecall.EmptyIsObject
		}
	}
	return ev
}

func parseStop(words []string) wholecall.Event {
	ev := wholecall.Event{Kind: wholecall.Stop, Name: []byte(words[0])}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; w {
		case "ends":
			ev.Ends = true
		case "promises":
			ev.Promises = true
		case "choice":
			i++
			ev.Key.Choice = number(words[i])
		default:
			ev.Reason = wholecall.Reason(w)
		}
	}
	return ev
}

func parseKey(s string) wholecall.Key {
	var k wholecall.Key
	s, sub, ok := strings.Cut(s, "/")
	if ok {
		k.Sub = number(sub)
	}
	if choice, index, ok := strings.Cut(s, "."); ok {
		k.Choice, s = number(choice), index
	}
	k.Index = number(s)
	return k
}

func number(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		panic(fmt.Sprintf("wholecalltest: %q is no number", s))
	}
	return int32(n)
}
