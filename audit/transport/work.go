package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/audit"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/eventstream"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/frame/sse"
)

// work is the goroutine of a Transport: one, so that a turn is known before the request that echoes it.
func (t *Transport) work() {
	defer close(t.done)
	for j := range t.jobs {
		t.one(j)
	}
}

func (t *Transport) one(j job) {
	defer func() {
		if recover() != nil {
			t.stats.panics.Add(1)
		}
	}()
	switch {
	case j.mark != nil:
		close(j.mark)
	case j.request != nil:
		t.heard(j)
	default:
		t.said(j)
	}
}

func (t *Transport) said(j job) {
	s, err := t.read(j)
	if err != nil {
		t.stats.unread.Add(1)
		return
	}
	t.stats.turns.Add(1)
	if len(s.Calls) > 0 {
		// Only in its own conversation does a turn's text tell that it is meant.
		text := s.Text
		s.Text = ""
		t.memory.add(&turn{said: s, text: text, protocol: j.protocol.Facts().Name, prefix: j.exchange.prefix, at: t.c.Now()},
			t.c.Turns, t.c.Now().Add(-t.c.Age))
	}
}

func (t *Transport) read(j job) (audit.Said, error) {
	body, err := t.plain(j.response, j.header)
	if err != nil {
		return audit.Said{}, err
	}
	typ, _, _ := mime.ParseMediaType(j.header.Get("Content-Type"))
	framing := framings[typ]
	switch {
	case framing == nil && len(body) > 0 && bytes.TrimLeft(body, " \t\r\n")[0] == '[':
		framing = func(limit int) frame.Framer { return jsonarray.New(limit) }
	case framing == nil:
		return audit.ParseResponse(j.protocol.Facts().Name, body)
	}
	return audit.Read(wholecall.NewTurn(bytes.NewReader(body), j.protocol, wholecall.WithDialect(t.c.Dialect), wholecall.WithFraming(framing))), nil
}

// framings are those of the content types of streams.
var framings = map[string]func(int) frame.Framer{
	"text/event-stream":                  func(limit int) frame.Framer { return sse.New(limit) },
	"application/x-ndjson":               func(limit int) frame.Framer { return ndjson.New(limit) },
	"application/jsonl":                  func(limit int) frame.Framer { return ndjson.New(limit) },
	"application/vnd.amazon.eventstream": func(limit int) frame.Framer { return eventstream.New(limit) },
}

var errTooLong = errors.New("the body is longer than the bound once it is unpacked")

// plain unpacks a body that the client asked to be packed; one that net/http asked for is plain already.
func (t *Transport) plain(body []byte, h http.Header) ([]byte, error) {
	switch h.Get("Content-Encoding") {
	case "", "identity":
		return body, nil
	case "gzip":
	default:
		return nil, errors.ErrUnsupported
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(t.c.Body)+1))
	if len(out) > t.c.Body {
		return nil, errTooLong
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // a stream that was closed early
	}
	return out, err
}

func (t *Transport) heard(j job) {
	body, err := io.ReadAll(io.LimitReader(j.request, int64(t.c.Body)+1))
	if c, ok := j.request.(io.Closer); ok {
		c.Close()
	}
	if err != nil || len(body) > t.c.Body {
		t.stats.unread.Add(1)
		return
	}
	name := j.protocol.Facts().Name
	h, err := audit.Parse(name, body)
	if err != nil {
		t.stats.unread.Add(1)
		return
	}
	t.memory.expire(t.c.Now().Add(-t.c.Age))
	ps := prefixes(body)
	if len(ps) > 1 {
		j.exchange.prefix = ps[len(ps)-1]
	}
	for _, group := range t.memory.echoes(name, h, ps) {
		t.judge(group, h)
	}
}

// judge compares an echo with the turns that it could be of: one as a rule, several where the same request
// was made again. The one that fits is meant; where none fits, nobody knows which. Each turn is judged once.
func (t *Transport) judge(group []echo, h audit.Heard) {
	var found []audit.Finding
	for _, e := range group {
		if e.turn.echoed {
			return
		}
	}
	for _, e := range group {
		if found = e.findings(h); len(found) == 0 {
			t.stats.echoed.Add(1)
			e.turn.echoed = true
			return
		}
	}
	switch len(group) {
	case 0:
		return
	case 1:
	default:
		t.stats.ambiguous.Add(1)
		return
	}
	t.stats.echoed.Add(1)
	group[0].turn.echoed = true
	for _, f := range found {
		t.report(f)
	}
}

func (t *Transport) report(f audit.Finding) {
	t.stats.findings.Add(1)
	if t.c.Logger != nil {
		t.c.Logger.LogAttrs(context.Background(), slog.LevelWarn, "a tool call did not come through the client",
			slog.String("finding", string(f.Kind)), slog.String("call", f.ID), slog.String("tool", f.Name),
			slog.String("other", f.Other), slog.String("turn", f.Turn), slog.String("model", f.Model),
			slog.String("where", f.Where), slog.String("advice", f.Kind.Advice()))
	}
	if t.c.Found != nil {
		t.c.Found(f)
	}
}
