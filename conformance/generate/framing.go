package main

import (
	"bytes"
	"strings"
)

// framingVector is a pair of files about framing alone.
type framingVector struct {
	name, about, spec string
	framing           string
	bytes             []byte
	limit             int // of one frame, in bytes; 0 where any will do
	frames            []frame
	kind              string // of the failure, or ""
}

// frame is a frame that must come out. event and id count where the framing has them.
type frame struct {
	event    string
	hasEvent bool
	data, id string
}

// d is a frame without an event line and without an id.
func d(data string) frame { return frame{data: data} }

// e is a frame with an event line.
func e(event, data string) frame { return frame{event: event, hasEvent: true, data: data} }

// with gives a frame the last event id that stands when it comes.
func (f frame) with(id string) frame {
	f.id = id
	return f
}

func (v *framingVector) json() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	writeMember(&b, "  ", "about", v.about, ",")
	writeMember(&b, "  ", "spec", v.spec, ",")
	writeMember(&b, "  ", "since", since, ",")
	writeMember(&b, "  ", "framing", v.framing, ",")
	if v.limit > 0 {
		writeMember(&b, "  ", "limit", v.limit, ",")
	}
	var lines []string
	for _, f := range v.frames {
		o := object{}
		if f.hasEvent {
			o.add("event", f.event)
		}
		o.add("data", f.data)
		if f.id != "" {
			o.add("id", f.id)
		}
		lines = append(lines, o.String())
	}
	b.WriteString("  \"expect\": {\n")
	writeList(&b, "frames", lines)
	if v.kind == "" {
		writeMember(&b, "    ", "error", nil, "")
	} else {
		writeMember(&b, "    ", "error", map[string]string{"kind": v.kind}, "")
	}
	b.WriteString("  }\n}\n")
	return b.Bytes()
}

// framings returns the vectors about framing.
func framings() []framingVector {
	var vs []framingVector
	sse := func(name, about, in string, frames ...frame) {
		vs = append(vs, framingVector{name: "framing/sse/" + name, about: about, spec: specSSE, framing: "sse", bytes: []byte(in), frames: frames})
	}
	fails := func(kind, name, about, in string, frames ...frame) {
		sse(name, about, in, frames...)
		vs[len(vs)-1].kind = kind
	}
	sseLines(sse)
	sseFields(sse)
	sseEvents(sse)
	sseEnds(sse, fails)
	for _, v := range []struct {
		name, about, in string
		kind            string
		frames          []frame
	}{
		{"too-long", "An event is longer than the bound.", "data: a\n\ndata: " + strings.Repeat("x", 100) + "\n\n", "frame-too-long", []frame{d("a")}},
		{"too-long-in-lines", "An event of many short lines is longer than the bound.", "data: a\n\n" + strings.Repeat("data: xx\n", 12) + "\n", "frame-too-long", []frame{d("a")}},
		{"too-long-without-end", "A line never ends, and is longer than the bound.", "data: a\n\ndata: " + strings.Repeat("x", 200), "frame-too-long", []frame{d("a")}},
		{"long-comment", "A comment between the events is longer than the bound. It is not held, and bounds nothing.", "data: a\n\n: " + strings.Repeat("x", 200) + "\n\ndata: b\n\n", "", []frame{d("a"), d("b")}},
		{"many-short-events", "Each event is shorter than the bound, and all of them are longer.", strings.Repeat("data: 0123456789\n\n", 10), "", []frame{
			d("0123456789"), d("0123456789"), d("0123456789"), d("0123456789"), d("0123456789"),
			d("0123456789"), d("0123456789"), d("0123456789"), d("0123456789"), d("0123456789")}},
	} {
		vs = append(vs, framingVector{"framing/sse/" + v.name, v.about, "the bound of one frame", "sse", []byte(v.in), 64, v.frames, v.kind})
	}
	return append(vs, linesVectors()...)
}

type addFrames func(name, about, in string, frames ...frame)

func sseLines(sse addFrames) {
	sse("lf", "The lines end in LF.", "data: a\n\ndata: b\n\n", d("a"), d("b"))
	sse("cr", "The lines end in CR.", "data: a\r\rdata: b\r\r", d("a"), d("b"))
	sse("crlf", "The lines end in CR LF, which is one line end.", "data: a\r\n\r\ndata: b\r\n\r\n", d("a"), d("b"))
	sse("mixed-line-ends", "The lines end in CR, LF and CR LF, mixed.", "data: a\r\n\ndata: b\n\rdata: c\r\r\ndata: d\n\n", d("a"), d("b"), d("c"), d("d"))
	sse("cr-then-lf-between-lines", "CR LF between two data lines is one line end and no blank line.", "data: a\r\ndata: b\r\n\r\n", d("a\nb"))
	sse("lf-then-cr", "LF CR is two line ends, and so a blank line.", "data: a\n\rdata: b\n\n", d("a"), d("b"))
	sse("byte-order-mark", "A byte order mark at the start is dropped.", "\ufeffdata: a\n\n", d("a"))
	sse("two-byte-order-marks", "Only one byte order mark is dropped. The second makes the first field an unknown one.", "\ufeff\ufeffdata: a\ndata: b\n\n", d("b"))
	sse("byte-order-mark-later", "A byte order mark that is not at the start belongs to the name of its field, which nobody knows.", "data: a\n\n\ufeffdata: b\ndata: c\n\n", d("a"), d("c"))
	sse("blank-lines-first", "Blank lines come first.", "\n\n\r\n\rdata: a\n\n", d("a"))
	sse("blank-lines-between", "More than one blank line stands between two events.", "data: a\n\n\n\n\ndata: b\n\n", d("a"), d("b"))
	sse("other-line-separators", "What Unicode calls a line separator is none here.", "data: a\u2028b\u0085c\x0bd\x0ce\n\n", d("a\u2028b\u0085c\x0bd\x0ce"))
	sse("comments", "Comments are ignored.", ": hello\n\n:\n:more\ndata: a\n: between\ndata: b\n\n: end\n\n", d("a\nb"))
	sse("comment-is-no-event", "A comment and a blank line make no event.", ": ping\n\n: ping\n\n")
	sse("long-data", "The data of an event is longer than what is usually read at once.", "data: "+strings.Repeat("0123456789", 2000)+"\n\ndata: b\n\n", d(strings.Repeat("0123456789", 2000)), d("b"))
}

func sseFields(sse addFrames) {
	sse("no-space", "No space stands behind the colon.", "data:a\n\nevent:x\ndata:b\n\n", d("a"), e("x", "b"))
	sse("two-spaces", "Two spaces stand behind the colon. One is dropped.", "data:  a\n\nevent:  x\ndata:  b\n\n", d(" a"), e(" x", " b"))
	sse("tab-behind-colon", "A tab behind the colon is part of the value.", "data:\ta\n\n", d("\ta"))
	sse("trailing-blanks", "Blanks at the end of a line are part of the value.", "data: a \t\n\n", d("a \t"))
	sse("colons-in-value", "Only the first colon ends the name.", "data: a:b: c\n\n", d("a:b: c"))
	sse("field-without-colon", "A line without a colon is a field with an empty value.", "data\n\ndata\ndata\n\nevent\ndata: a\n\n", d(""), d("\n"), e("", "a"))
	sse("unknown-field", "A field that the standard does not know is ignored.", "channel: x\ndata: a\nmessage: hello\n\n", d("a"))
	sse("space-before-name", "A space before the name makes it another name.", " data: a\ndata: b\n\n", d("b"))
	sse("space-before-colon", "A space before the colon makes it another name.", "data : a\ndata: b\n\n", d("b"))
	sse("name-in-capitals", "A name in capitals is another name.", "Data: a\nDATA: b\ndata: c\n\n", d("c"))
	sse("multi-data", "Several data lines are joined by LF.", "data: {\ndata: \"a\":1\ndata: }\n\n", d("{\n\"a\":1\n}"))
	sse("multi-data-empty-lines", "Empty data lines count.", "data:\ndata: a\ndata:\ndata:\n\n", d("\na\n\n"))
	sse("multi-data-mixed-line-ends", "Data lines that end differently are joined by LF all the same.", "data: a\r\ndata: b\rdata: c\ndata: d\r\n\r\n", d("a\nb\nc\nd"))
	sse("empty-data", "An event whose data is empty is an event. A reader may leave it out: the standard's buffer is empty then.", "data:\n\ndata: a\n\n", d(""), d("a"))
	sse("id", "An id stays for the events that follow.", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", d("a").with("1"), d("b").with("1"), d("c").with("2"))
	sse("id-empty", "An empty id resets it.", "id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\ndata: c\n\nid:\ndata: d\n\n", d("a").with("1"), d("b"), d("c").with("2"), d("d"))
	sse("id-with-nul", "An id that holds a NUL is ignored.", "id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n", d("a").with("1"), d("b").with("1"))
	sse("id-without-data", "An id in a block without data makes no event, and stays.", "id: 1\n\ndata: a\n\n", d("a").with("1"))
	sse("id-twice", "Of two ids in one event the last counts.", "id: 1\nid: 2\ndata: a\n\n", d("a").with("2"))
	sse("retry", "A reconnection time makes no event.", "retry: 2500\n\nretry: soon\ndata: a\n\n", d("a"))
	sse("nul-in-data", "A NUL in the data is a character like any other.", "data: a\x00b\n\n", d("a\x00b"))
}

func sseEvents(sse addFrames) {
	sse("event", "An event has a name.", "event: x\ndata: a\n\n", e("x", "a"))
	sse("event-behind-data", "The name stands behind the data.", "data: a\nevent: x\n\n", e("x", "a"))
	sse("event-twice", "Of two names the last counts.", "event: x\nevent: y\ndata: a\n\n", e("y", "a"))
	sse("event-empty", "An empty name is that of the default event, message.", "event: x\nevent:\ndata: a\n\n", e("", "a"))
	sse("event-reset", "A name counts for its own event only.", "event: x\ndata: a\n\ndata: b\n\n", e("x", "a"), d("b"))
	sse("event-without-data", "A block with a name and no data is no event, and its name is gone.", "event: x\n\ndata: a\n\n", d("a"))
	sse("done", "The word that ends some streams is data like any other.", "data: {\"a\":1}\n\ndata: [DONE]\n\n", d(`{"a":1}`), d("[DONE]"))
	sse("non-ascii", "Characters of two, three and four bytes stand in the data.", "data: é駅🚌\n\n", d("é駅🚌"))
	sse("torture", "A comment, no space, an unknown field, and all three line ends in one event.", ": hello\r\ndata:{\"a\":\rfoo: ignored\ndata: 1}\r\n\n", d("{\"a\":\n1}"))
}

func sseEnds(sse addFrames, fails func(kind, name, about, in string, frames ...frame)) {
	const cutOff = "truncated"
	sse("empty", "The stream has no byte.", "")
	sse("end-in-comment", "The stream ends inside a comment, and behind a whole event.", "data: a\n\n: wai", d("a"))
	sse("end-cr", "The last line end is a CR alone.", "data: a\n\ndata: b\r\r", d("a"), d("b"))
	sse("end-blank-lines", "The stream ends in blank lines.", "data: a\n\n\n\n", d("a"))
	fails(cutOff, "truncated-before-the-blank-line", "The last event lacks its blank line. The standard discards it.", "data: a\n\ndata: b\n", d("a"))
	fails(cutOff, "truncated-before-the-line-end", "The last line lacks its line end.", "data: a\n\ndata: b", d("a"))
	fails(cutOff, "truncated-in-a-name", "The stream ends inside the name of a field.", "data: a\n\nda", d("a"))
	fails(cutOff, "truncated-behind-the-event-line", "The stream ends behind the event line.", "data: a\n\nevent: x\n", d("a"))
	fails(cutOff, "truncated-in-the-second-data-line", "The stream ends inside the second data line of an event.", "data: a\n\ndata: b\ndata: ", d("a"))
	fails(cutOff, "truncated-with-a-comment-behind", "A comment stands behind the last event, which lacks its blank line.", "data: a\n\ndata: b\n: more\n", d("a"))
	fails(cutOff, "truncated-first-event", "The only event lacks its blank line.", "data: a\n")
	fails(cutOff, "truncated-crlf", "The lines end in CR LF, and the last event lacks its blank line.", "data: a\r\n\r\ndata: b\r\n", d("a"))
}

// linesVectors returns the vectors of one JSON value a line.
func linesVectors() []framingVector {
	var vs []framingVector
	add := func(kind, name, about, in string, frames ...frame) {
		vs = append(vs, framingVector{"framing/ndjson/" + name, about, specNDJSON, "ndjson", []byte(in), 0, frames, kind})
	}
	add("", "lf", "The lines end in LF.", "{\"a\":1}\n{\"a\":2}\n", d(`{"a":1}`), d(`{"a":2}`))
	add("", "crlf", "The lines end in CR LF.", "{\"a\":1}\r\n{\"a\":2}\r\n", d(`{"a":1}`), d(`{"a":2}`))
	add("", "blank-lines", "Blank lines, and lines of blanks, are no frames.", "\n\n{\"a\":1}\n \t\n\r\n{\"a\":2}\n\n", d(`{"a":1}`), d(`{"a":2}`))
	add("", "blanks-around", "Blanks around a value are no part of it.", "  {\"a\":1}\t \n", d(`{"a":1}`))
	add("", "cr-inside", "A CR that is not before an LF is no line end.", "{\"a\":\r1}\n", d("{\"a\":\r1}"))
	add("", "byte-order-mark", "A byte order mark at the start is dropped.", "\ufeff{\"a\":1}\n", d(`{"a":1}`))
	add("", "last-line-without-end", "The last line has no end, and is a whole value.", "{\"a\":1}\n{\"a\":2}", d(`{"a":1}`), d(`{"a":2}`))
	add("", "last-line-with-cr-only", "The last line ends in a CR, and is a whole value.", "{\"a\":1}\n{\"a\":2}\r", d(`{"a":1}`), d(`{"a":2}`))
	add("", "empty", "The stream has no byte.", "")
	add("", "blanks-at-the-end", "The stream ends in blanks without a line end.", "{\"a\":1}\n  ", d(`{"a":1}`))
	add("", "word-on-a-line", "A line that is no JSON is handed on: whether it means something is for the protocol to say.", "{\"a\":1}\n[DONE]\n", d(`{"a":1}`), d("[DONE]"))
	add("truncated", "last-line-cut", "The last line is cut.", "{\"a\":1}\n{\"a\":", d(`{"a":1}`))
	add("truncated", "last-line-cut-in-a-string", "The last line is cut inside a string.", "{\"a\":1}\n{\"a\":\"b", d(`{"a":1}`))
	add("truncated", "only-line-cut", "The only line is cut.", "{\"a")
	return vs
}
