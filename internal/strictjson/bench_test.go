package strictjson

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	benchChat  = []byte(`{"id":"chatcmpl-9xKqWv3sT0aBcDeFgHiJkLmN","object":"chat.completion.chunk","created":1719000000,"model":"gpt-4o-2024","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": \"src/ma"}}]},"logprobs":null,"finish_reason":null}]}`)
	benchDelta = []byte(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"San Fra, \"unit\": \"c\""}}`)
	benchProse = prose(1 << 20)
	benchDense = dense(1 << 20)
)

// prose is the argument of a call that writes a file: one long string, with an
// escape in each line.
func prose(size int) []byte {
	const line = `The quick brown fox jumps over the lazy dog, and then \"sleeps\" for a while in the sun.\n\tif x == nil { return fmt.Errorf(\"it isn’t there: %w\", err) }\n`
	return []byte(`{"path":"docs/readme.md","content":"` + strings.Repeat(line, size/len(line)) + `"}`)
}

// dense is a list of small objects.
func dense(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`[`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"id":%d,"x":%d.5,"y":-%d,"name":"n%d","ok":true},`, i, i%100, i%77, i)
	}
	b.WriteString(`null]`)
	return b.Bytes()
}

// walkChat finds the piece of arguments in a chunk as a decoder would.
func walkChat(c *Cursor, doc []byte) (n int) {
	c.Reset(doc)
	c.Object()
	for {
		name, ok := c.Member()
		if !ok {
			break
		}
		if string(name) != "choices" {
			c.Skip()
			continue
		}
		for c.Array(); c.Element(); {
			n += walkChoice(c)
		}
	}
	if !c.End() {
		return 0
	}
	return n
}

func walkChoice(c *Cursor) (n int) {
	for c.Object(); ; {
		name, ok := c.Member()
		if !ok {
			return n
		}
		switch string(name) {
		case "index":
			c.Int()
		case "delta", "function":
			n += walkChoice(c)
		case "tool_calls":
			for c.Array(); c.Element(); {
				n += walkChoice(c)
			}
		case "arguments":
			raw, _, _ := c.String()
			n += len(raw)
		default:
			c.Skip()
		}
	}
}

// walkDelta finds the piece of arguments in an event.
func walkDelta(c *Cursor, doc []byte) (n int) {
	c.Reset(doc)
	n = walkEvent(c)
	if !c.End() {
		return 0
	}
	return n
}

func walkEvent(c *Cursor) (n int) {
	for c.Object(); ; {
		name, ok := c.Member()
		if !ok {
			return n
		}
		switch string(name) {
		case "type":
			c.Text()
		case "index":
			c.Int()
		case "delta":
			n += walkEvent(c)
		case "partial_json":
			raw, _, _ := c.String()
			n += len(raw)
		default:
			c.Skip()
		}
	}
}

func BenchmarkCursor(b *testing.B) {
	run := func(name string, doc []byte, walk func(*Cursor, []byte) int) {
		b.Run(name, func(b *testing.B) {
			var c Cursor
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if walk(&c, doc) == 0 {
					b.Fatal(c.Err())
				}
			}
		})
	}
	run("chat", benchChat, walkChat)
	run("delta", benchDelta, walkDelta)
	run("skip", benchChat, func(c *Cursor, doc []byte) int {
		c.Reset(doc)
		c.Skip()
		c.End()
		return c.Offset()
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, d := range []struct {
		name string
		doc  []byte
	}{{"prose", benchProse}, {"dense", benchDense}, {"manynames", []byte(manyNames(1000))}, {"cjk", []byte(`"` + strings.Repeat("日本語の文章です。", 30000) + `"`)}} {
		b.Run(d.name+"/strictjson", func(b *testing.B) {
			var c Checker
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Check(d.doc, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(d.name+"/jsontext", func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			r := bytes.NewReader(nil)
			dec := jsontext.NewDecoder(r)
			for b.Loop() {
				r.Reset(d.doc)
				dec.Reset(r)
				if err := dec.SkipValue(); err != nil {
					b.Fatal(err)
				}
				if _, err := dec.ReadToken(); err != io.EOF {
					b.Fatal(err)
				}
			}
		})
		b.Run(d.name+"/jsontext-valid", func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			for b.Loop() {
				if !jsontext.Value(d.doc).IsValid() {
					b.Fatal("not valid")
				}
			}
		})
	}
}

func BenchmarkUnescape(b *testing.B) {
	raw := benchProse[36 : len(benchProse)-2]
	dst := make([]byte, 0, len(raw))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		dst, _, _ = AppendUnescaped(dst[:0], raw, 0)
	}
}

func BenchmarkQuote(b *testing.B) {
	text := appendText(nil, benchProse[36:len(benchProse)-2])
	dst := make([]byte, 0, len(benchProse))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendQuoted(dst[:0], text)
	}
}
