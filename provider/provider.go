// Package provider is the list of protocols, and finds out which one a capture is in.
//
// It is for tools that are handed a capture without a word. A program knows whom it talks to, and names
// the protocol from its provider's own package instead: that costs it no other decoder.
package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/frame/sse"
	"github.com/wholecall/wholecall/provider/agui"
	"github.com/wholecall/wholecall/provider/aisdk"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/cohere"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/provider/mistral"
	"github.com/wholecall/wholecall/provider/ollama"
	"github.com/wholecall/wholecall/provider/openai"
)

// All returns every protocol, in the order of the documentation. The caller owns the slice.
func All() []wholecall.Protocol {
	return []wholecall.Protocol{
		anthropic.Messages,
		openai.Chat,
		openai.Realtime, // before Responses, which has events of the same names
		openai.Responses,
		gemini.GenerateContent,
		gemini.Interactions,
		bedrock.ConverseStream,
		bedrock.InvokeModel(anthropic.Messages),
		cohere.Chat,
		mistral.Chat,
		mistral.Conversations,
		ollama.Chat,
		aisdk.UIMessage,
		agui.Events,
	}
}

// Named returns the protocol with the name, such as "anthropic", and reports whether there is one.
func Named(name string) (wholecall.Protocol, bool) {
	for _, p := range All() {
		if p.Facts().Name == name {
			return p, true
		}
	}
	return nil, false
}

// Names returns the names of all protocols. The caller owns the slice.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Facts().Name)
	}
	return names
}

// Framing returns what makes a framer of the named framing, such as "sse", and reports whether there
// is one.
func Framing(name string) (func(limit int) frame.Framer, bool) {
	switch name {
	case "sse":
		return func(limit int) frame.Framer { return sse.New(limit) }, true
	case "ndjson":
		return func(limit int) frame.Framer { return ndjson.New(limit) }, true
	case "jsonarray":
		return func(limit int) frame.Framer { return jsonarray.New(limit) }, true
	case "eventstream":
		return func(limit int) frame.Framer { return eventstream.New(limit) }, true
	}
	return nil, false
}

// Framings returns the names of all framings. An array comes before lines, since its elements may stand on
// lines of their own; the event stream, whose checksums no text has, comes last. The caller owns the slice.
func Framings() []string { return []string{"sse", "jsonarray", "ndjson", "eventstream"} }

// UnknownProtocol is the kind of a DetectError where there are frames, and no protocol knows them.
const UnknownProtocol wholecall.Kind = "unknown-protocol"

// Guess says what a capture is.
type Guess struct {
	// Protocol is the wire protocol, or nil.
	Protocol wholecall.Protocol
	// Framing is the name of the framing, or "".
	Framing string
	// NewFramer makes a framer of that framing.
	NewFramer func(limit int) frame.Framer
}

// DetectError says that a capture is in no protocol of the list, and what it looks like instead.
type DetectError struct {
	// Kind is wholecall.NotAStream where there is no frame at all, else UnknownProtocol.
	Kind wholecall.Kind
	// Looks says what it looks like: "it looks like an HTML page".
	Looks string
	// Advice says what to do next.
	Advice string
	// Names are the protocols that there are.
	Names []string
}

func (e *DetectError) Error() string {
	return fmt.Sprintf("%s: %s; known protocols: %s", e.Kind, e.Looks, strings.Join(e.Names, ", "))
}

// Unwrap returns the kind.
func (e *DetectError) Unwrap() error { return e.Kind }

// Detect finds out which protocol and which framing a capture is in, by showing its first frames to
// every protocol. sample is the capture's beginning, 64 KiB or so, or all of it. What known says
// already is taken for granted; with a protocol named there is no error, since its documented framing
// is then as good a guess as any. The error is a *DetectError.
func Detect(sample []byte, known Guess) (Guess, error) {
	protocols, framings := All(), Framings()
	if known.Protocol != nil {
		protocols = []wholecall.Protocol{known.Protocol}
	}
	if known.Framing != "" {
		framings = []string{known.Framing}
	}
	best, most := known, 0
	for _, name := range framings {
		newFramer, ok := Framing(name)
		if !ok {
			continue
		}
		least := framedLeast
		switch {
		case known.Protocol != nil:
			least = 1
		case (name == "ndjson" || name == "jsonarray") && known.Framing == "":
			least = bareLeast
		}
		for i, score := range scores(newFramer(0), sample, protocols, least) {
			if score > most {
				best, most = Guess{protocols[i], name, newFramer}, score
			}
		}
	}
	switch {
	case most > 0:
		return best, nil
	case known.Protocol == nil:
		return known, unknown(sample)
	case best.Framing == "":
		best.Framing = known.Protocol.Facts().Framing
	}
	best.NewFramer, _ = Framing(best.Framing)
	if best.NewFramer == nil {
		best.NewFramer = known.Protocol.NewFramer
	}
	return best, nil
}

// How sure a protocol must be of a frame that counts. Of server-sent events that is little, but more
// than their last word, [DONE], which half of all protocols have. Of bare payloads, a line each, it is
// more: a JSON body that says that a request was refused looks like the last event of a stream.
const (
	framedLeast = 20
	bareLeast   = 50
)

// scores returns for each protocol how sure it is of the first frames, added up. What is below least
// doesn't count, and a protocol that is wholly sure of a frame ends the question.
func scores(fr frame.Framer, sample []byte, protocols []wholecall.Protocol, least int) []int {
	const enough, sure = 20, 100
	sum := make([]int, len(protocols))
	for f := range frames(fr, sample, enough) {
		for i, p := range protocols {
			n := p.Recognises(f)
			if n >= least {
				sum[i] += n
			}
			if n >= sure {
				// No other protocol sends this frame, however many others of the stream it sends.
				clear(sum)
				sum[i] = enough * sure
				return sum
			}
		}
	}
	return sum
}

// frames yields the first n frames with data in the sample. What the sample's end cut off comes last:
// it may be a whole frame but for its last line end.
func frames(fr frame.Framer, sample []byte, n int) func(func(*frame.Frame) bool) {
	return func(yield func(*frame.Frame) bool) {
		var f frame.Frame
		for n > 0 {
			ok, err := fr.Next(&f)
			switch {
			case err != nil:
				return
			case ok && f.Data != nil:
				n--
				if !yield(&f) {
					return
				}
			case ok:
			case len(sample) > 0:
				k := copy(fr.Buffer(), sample)
				fr.Fed(k)
				sample = sample[k:]
			default:
				f = frame.Frame{}
				fr.Close(&f)
				if f.Data != nil {
					yield(&f)
				}
				return
			}
		}
	}
}

// unknown says what the sample looks like.
func unknown(sample []byte) *DetectError {
	e := &DetectError{Kind: wholecall.NotAStream, Advice: wholecall.NotAStream.Advice(), Names: Names()}
	text := bytes.TrimLeft(bytes.TrimPrefix(sample, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case len(text) == 0:
		e.Looks, e.Advice = "it is empty", "Look at how the capture was made: no byte of the body was recorded."
	case hasPrefix(text, "HTTP/"):
		e.Looks, e.Advice = "it looks like an HTTP response with its headers", "Cut off everything up to the first empty line: a capture is the body only."
	case text[0] == '<':
		e.Looks = markup(text)
	case hasPrefix(text, "\x1f\x8b"), hasPrefix(text, "\x28\xb5\x2f\xfd"):
		e.Looks, e.Advice = "it looks like compressed bytes", "Decompress it first."
	case awsEventStream(sample):
		unknownBinary(e, sample)
	case bytes.IndexByte(text[:min(len(text), 512)], 0) >= 0:
		e.Looks = "it looks like binary data"
	case text[0] == '[':
		e.Looks, e.Advice = "it looks like a JSON array", "Ask the provider for server-sent events, or store one element a line."
	default:
		unknownText(e, sample, text)
	}
	return e
}

func hasPrefix(b []byte, p string) bool { return bytes.HasPrefix(b, []byte(p)) }

func markup(text []byte) string {
	head := bytes.ToLower(text[:min(len(text), 1024)])
	if bytes.Contains(head, []byte("<html")) || bytes.HasPrefix(head, []byte("<!doctype html")) {
		return "it looks like an HTML page"
	}
	return "it looks like an XML document"
}

// awsEventStream reports whether b begins with the prelude of an AWS event-stream message: its length,
// the length of its headers, a checksum, and then a header's name with its length before it.
func awsEventStream(b []byte) bool {
	const prelude = 12
	return len(b) > prelude+2 && b[0] == 0 && b[prelude] > 0 && (b[prelude+1] == ':' || bytes.Contains(b[:min(len(b), 256)], []byte(":event-type")))
}

// unknownBinary tells messages that no protocol knows from messages that can't be read.
func unknownBinary(e *DetectError, sample []byte) {
	n, first := countFrames("eventstream", sample)
	if n == 0 {
		e.Looks = "it looks like AWS event-stream messages, and the first is cut or damaged"
		e.Advice = "Keep the body as bytes when you record it: as text it loses those that are no UTF-8."
		return
	}
	e.Kind, e.Looks = UnknownProtocol, "it looks like AWS event-stream messages of a protocol that is not known"+members(first)
	e.Advice = "In InvokeModel the protocol is the model's own, and only that of Claude is found out: in Go, name another with bedrock.InvokeModel."
}

// unknownText tells frames that no protocol knows from a body that was never streamed.
func unknownText(e *DetectError, sample, text []byte) {
	if n, first := countFrames("sse", sample); n > 0 {
		e.Kind, e.Looks = UnknownProtocol, "it looks like server-sent events of a protocol that is not known"+members(first)
		e.Advice = "Name the protocol if it is one of these and the beginning is missing: " + strings.Join(e.Names, ", ") + "."
		return
	}
	var body map[string]json.RawMessage
	whole := json.Unmarshal(text, &body) == nil
	n, first := countFrames("ndjson", sample)
	switch {
	case whole && body["error"] != nil:
		e.Looks, e.Advice = "it looks like a JSON error body", "The request was refused before a stream began: act on the error in the body."
	case whole:
		e.Looks, e.Advice = "it looks like one JSON body"+members(text), "The response was not streamed: ask for a stream."
	case n > 1 && json.Valid(first):
		e.Kind, e.Looks = UnknownProtocol, "it looks like JSON lines of a protocol that is not known"+members(first)
		e.Advice = "Name the protocol if it is one of these and the beginning is missing: " + strings.Join(e.Names, ", ") + "."
	case text[0] == '{':
		e.Looks = "it looks like a JSON body"
	default:
		e.Looks = "it looks like text"
	}
}

// countFrames counts the first frames of the named framing, and returns the first one's data.
func countFrames(framing string, sample []byte) (n int, first []byte) {
	newFramer, _ := Framing(framing)
	for f := range frames(newFramer(0), sample, 3) {
		if n++; first == nil {
			first = bytes.Clone(f.Data)
		}
	}
	return n, first
}

// members names the first members of a JSON object, so that a person recognises it. Names only: the
// values are somebody's data.
func members(data []byte) string {
	const most, longest = 5, 40
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	var names []string
	for d.More() && len(names) < most {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		if s := name.(string); len(s) <= longest {
			names = append(names, s)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (members " + strings.Join(names, ", ") + ")"
}
