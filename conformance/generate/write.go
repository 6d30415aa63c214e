package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// vector is one pair of files.
type vector struct {
	name        string // its path below vectors, without extension
	about, spec string
	provider    string
	framing     string
	allows      []string
	bytes       []byte
	want        expectation
}

// json writes the case, a member a line, and an element of a list a line.
func (v *vector) json() []byte {
	var dialect any = "standard"
	if len(v.allows) > 0 {
		dialect = map[string]any{"allows": v.allows}
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	writeMember(&b, "  ", "about", v.about, ",")
	writeMember(&b, "  ", "spec", v.spec, ",")
	writeMember(&b, "  ", "since", since, ",")
	writeMember(&b, "  ", "provider", v.provider, ",")
	writeMember(&b, "  ", "framing", v.framing, ",")
	writeMember(&b, "  ", "dialect", dialect, ",")
	b.WriteString("  \"expect\": {\n")
	v.want.write(&b)
	b.WriteString("  }\n}\n")
	return b.Bytes()
}

func (e *expectation) write(b *bytes.Buffer) {
	var parts, calls, failed, server []string
	count := 0
	for _, p := range e.parts {
		parts = append(parts, p.partLine())
		switch {
		case p.typ == "server_call" && p.reason == "":
			server = append(server, p.callLine())
		case p.typ != "call":
		case p.reason == "":
			count++
			calls = append(calls, p.callLine())
		default:
			count++
			failed = append(failed, p.failedLine())
		}
	}
	writeMember(b, "    ", "outcome", e.outcome, ",")
	writeMember(b, "    ", "stop_reason", e.stop, ",")
	writeMember(b, "    ", "announced", count, ",")
	writeMember(b, "    ", "completed", len(calls), ",")
	writeMember(b, "    ", "failed", len(failed), ",")
	writeList(b, "parts", parts)
	writeList(b, "calls", calls)
	writeList(b, "failed_calls", failed)
	if len(server) > 0 {
		writeList(b, "server_calls", server)
	}
	if e.kind == "" {
		writeMember(b, "    ", "error", nil, "")
		return
	}
	writeMember(b, "    ", "error", map[string]string{"kind": e.kind}, "")
}

func (p *part) partLine() string {
	o := object{}
	o.add("type", p.typ)
	switch {
	case p.key != "":
		o.add("key", p.key)
	case p.dataType != "":
		o.add("data_type", p.dataType)
	default:
		o.add("bytes", p.bytes)
	}
	return o.String()
}

func (p *part) identity() object {
	o := object{}
	o.add("key", p.key)
	o.add("id", p.id)
	o.add("name", p.name)
	return o
}

func (p *part) callLine() string {
	o := p.identity()
	o.add("arguments", p.args)
	if p.free {
		o.add("form", "text")
	}
	return o.String()
}

func (p *part) failedLine() string {
	o := p.identity()
	o.add("reason", p.reason)
	if p.kind != "" {
		o.add("error", map[string]string{"kind": p.kind})
	}
	return o.String()
}

// object is a JSON object on one line, its members in the order in which they were added.
type object []string

func (o *object) add(name string, v any) { *o = append(*o, quote(name)+": "+value(v)) }

func (o object) String() string { return "{" + strings.Join(o, ", ") + "}" }

func writeMember(b *bytes.Buffer, indent, name string, v any, end string) {
	fmt.Fprintf(b, "%s%s: %s%s\n", indent, quote(name), value(v), end)
}

func writeList(b *bytes.Buffer, name string, lines []string) {
	if len(lines) == 0 {
		fmt.Fprintf(b, "    %s: [],\n", quote(name))
		return
	}
	fmt.Fprintf(b, "    %s: [\n      %s\n    ],\n", quote(name), strings.Join(lines, ",\n      "))
}

// value writes a value so that a person can read it: only what JSON demands is escaped, and what
// nobody could see.
func value(v any) string {
	switch v := v.(type) {
	case string:
		return ascii(v)
	case int:
		return strconv.Itoa(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// ascii writes s as a JSON string, with what is not printable ASCII escaped.
func ascii(s string) string {
	var b []byte
	for _, r := range quote(s) {
		switch hi, lo := utf16.EncodeRune(r); {
		case r < 0x7f:
			b = append(b, byte(r))
		case hi != utf8.RuneError:
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return string(b)
}
