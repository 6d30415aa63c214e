package main

import (
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed stories/*.txt
var storyFiles embed.FS

// stories reads the vectors that are written down as text: one file a provider, or a provider and what it
// is about, as in openai-chat.shapes.txt. An entry is
//
//	= NAME
//	about a line or more
//	spec RULE                      the rule it is about
//	data JSON                      a frame of server-sent events
//	event TYPE JSON                one with a name
//	line JSON                      a line of NDJSON
//	message TYPE JSON              a message of AWS' event stream; exception and fault likewise
//	chunk JSON                     one that carries another protocol's payload, in base64
//	damage                         the checksum of the last message is wrong
//	raw TEXT                       bytes as they are, with \n, \r, \\ and \xNN
//	want OUTCOME [KIND] [stop REASON] [if SWITCH SWITCH]
//	  text 12                      the parts, with the bytes of them: text, reasoning, refusal
//	  data TYPE
//	  call KEY ID NAME DOCUMENT    or custom, where it is free text, written as raw is; server_call,
//	                               which has its key alone where it did not complete, and server_custom
//	  failed KEY ID NAME REASON [KIND]
//
// An id or a name that is empty is written -. An entry with several wants makes a vector of each: the
// same bytes, without a dialect and with the switches that allow it. The first without a switch has the
// suffix -strict where another follows.
func stories() []*set {
	names, err := fs.Glob(storyFiles, "stories/*.txt")
	if err != nil {
		panic(err)
	}
	var sets []*set
	for _, name := range names {
		src, err := storyFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		provider, _, _ := strings.Cut(path.Base(name), ".")
		s := &set{provider: provider}
		s.read(name, string(src))
		sets = append(sets, s)
	}
	return sets
}

// read adds the entries of one file. What it can't read is a mistake in the file, so that it panics.
func (s *set) read(file, src string) {
	var e *story
	for i, line := range strings.Split(src, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
			continue
		case word == "=":
			e.addTo(s)
			e = &story{name: rest}
			continue
		}
		if err := e.line(word, rest, strings.TrimLeft(line, " ")); err != nil {
			panic(fmt.Sprintf("%s:%d: %v", file, i+1, err))
		}
	}
	e.addTo(s)
}

// story is an entry.
type story struct {
	name, about, spec string
	in                stream
	wants             []want
}

// want is what must come out, in a dialect that allows some switches.
type want struct {
	expectation
	allows []string
}

func (e *story) addTo(s *set) {
	if e == nil {
		return
	}
	if len(e.wants) == 0 || e.about == "" || len(e.in.frames) == 0 {
		panic(fmt.Sprintf("%s/%s lacks something", s.provider, e.name))
	}
	for _, w := range e.wants {
		name := e.name
		about := e.about
		if len(w.allows) == 0 && len(e.wants) > 1 {
			name, about = name+"-strict", about+" Without a dialect."
		} else if len(w.allows) > 0 {
			about += " With what the dialect allows."
		}
		s.allow(name, about, e.spec, &e.in, w.expectation, w.allows...)
	}
}

func (e *story) line(word, rest, whole string) error {
	switch word {
	case "":
		return e.part(whole)
	case "about":
		e.about = strings.TrimSpace(e.about + " " + rest)
	case "spec":
		e.spec = rest
	case "want":
		return e.want(strings.Fields(rest))
	case "data":
		e.in.frames = append(e.in.frames, "data: "+rest+"\n\n")
	case "event":
		typ, payload, _ := strings.Cut(rest, " ")
		e.in.frames = append(e.in.frames, "event: "+typ+"\ndata: "+payload+"\n\n")
	case "line":
		e.in.framing = "ndjson"
		e.in.frames = append(e.in.frames, rest+"\n")
	case "element":
		e.in.framing = "jsonarray"
		e.in.frames = append(e.in.frames, rest+"\n")
	case "message", "exception", "fault":
		e.in.framing = "eventstream"
		typ, payload, _ := strings.Cut(rest, " ")
		e.in.frames = append(e.in.frames, message(word, typ, payload))
	case "chunk":
		e.in.framing = "eventstream"
		e.in.frames = append(e.in.frames, message("message", "chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(rest))+`","p":"abcdefgh"}`))
	case "damage":
		// The last byte of a message is the end of its checksum.
		last := e.in.frames[len(e.in.frames)-1]
		e.in.frames[len(e.in.frames)-1] = last[:len(last)-1] + string(last[len(last)-1]^1)
	case "framing":
		e.in.framing = rest
	case "raw":
		b, err := unescape(rest)
		if err != nil {
			return err
		}
		e.in.frames = append(e.in.frames, b)
	default:
		return fmt.Errorf("%q begins no line of an entry", word)
	}
	return nil
}

func unescape(s string) (string, error) {
	if strings.Contains(s, `"`) {
		s = strings.ReplaceAll(s, `"`, `\x22`)
	}
	return strconv.Unquote(`"` + s + `"`)
}

func (e *story) want(words []string) error {
	var w want
	if len(words) == 0 {
		return fmt.Errorf("no outcome")
	}
	w.outcome, words = words[0], words[1:]
	for len(words) > 0 {
		switch {
		case words[0] == "stop" && len(words) > 1:
			w.stop, words = words[1], words[2:]
		case words[0] == "if":
			w.allows, words = words[1:], nil
		case w.kind == "":
			w.kind, words = words[0], words[1:]
		default:
			return fmt.Errorf("%q says nothing", words[0])
		}
	}
	e.wants = append(e.wants, w)
	return nil
}

// part reads a part of the newest want.
func (e *story) part(line string) error {
	if len(e.wants) == 0 {
		return fmt.Errorf("a part without a want")
	}
	words := strings.SplitN(line, " ", 5)
	p := part{typ: words[0]}
	word := func(i int) string {
		if words[i] == "-" {
			return ""
		}
		return words[i]
	}
	switch {
	case words[0] == "data" && len(words) == 2:
		p.dataType = words[1]
	case words[0] == "server_call" && len(words) == 2:
		p.key, p.reason = words[1], "lost"
	case len(words) == 2:
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		p.bytes = n
	case len(words) < 5:
		return fmt.Errorf("%q has too few words", line)
	case words[0] == "failed":
		reason, kind, _ := strings.Cut(words[4], " ")
		p = part{typ: "call", key: words[1], id: word(2), name: word(3), reason: reason, kind: kind}
	case words[0] == "call", words[0] == "server_call", words[0] == "custom", words[0] == "server_custom":
		p = part{typ: words[0], key: words[1], id: word(2), name: word(3), args: words[4]}
		if strings.HasSuffix(p.typ, "custom") {
			p.typ, p.free = map[string]string{"custom": "call", "server_custom": "server_call"}[p.typ], true
			free, err := unescape(words[4])
			if err != nil {
				return err
			}
			p.args = free
		}
	default:
		return fmt.Errorf("%q is no part", words[0])
	}
	w := &e.wants[len(e.wants)-1]
	w.parts = append(w.parts, p)
	return nil
}
