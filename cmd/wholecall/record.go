package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider"
)

// record is the line that check --json prints for a turn. Others depend on its members and their
// order: it changes only by addition, behind what is there. Arrays are never null.
type record struct {
	File        string         `json:"file"`
	Provider    *string        `json:"provider"`
	Framing     *string        `json:"framing"`
	Dialect     string         `json:"dialect"`
	Model       string         `json:"model"`
	StopReason  string         `json:"stop_reason"`
	Outcome     string         `json:"outcome"`
	Announced   int            `json:"announced"`
	Completed   int            `json:"completed"`
	Failed      int            `json:"failed"`
	Parts       []any          `json:"parts"`
	Calls       []callRecord   `json:"calls"`
	FailedCalls []failedRecord `json:"failed_calls"`
	Deviations  []countRecord  `json:"deviations"`
	Error       *errorRecord   `json:"error"`

	Turn        int            `json:"turn"`
	ID          string         `json:"id,omitempty"`
	ServerCalls []callRecord   `json:"server_calls"`
	Passed      []countRecord  `json:"passed"`
	Usage       *usageRecord   `json:"usage,omitempty"`
	Explained   *explainRecord `json:"explained,omitempty"`
	Dialects    []string       `json:"dialects,omitempty"`
	Message     string         `json:"message,omitempty"`
}

type textRecord struct {
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
}

type dataRecord struct {
	Type     string `json:"type"`
	DataType string `json:"data_type"`
	Bytes    int    `json:"bytes"`
}

type callPartRecord struct {
	Type string `json:"type"`
	Key  string `json:"key"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type callRecord struct {
	Key       string `json:"key"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Fragments int    `json:"fragments"`
	Form      string `json:"form,omitempty"`
}

type failedRecord struct {
	Key            string       `json:"key"`
	ID             string       `json:"id"`
	Name           string       `json:"name"`
	Reason         string       `json:"reason"`
	ArgumentsBytes int          `json:"arguments_bytes"`
	Error          *faultRecord `json:"error,omitempty"`
}

// faultRecord says what is wrong with the arguments of a call, and where in them.
type faultRecord struct {
	Kind    string `json:"kind"`
	At      int    `json:"at"`
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"`
	Switch  string `json:"switch,omitempty"`
}

type countRecord struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type usageRecord struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Reasoning  int64 `json:"reasoning"`
}

// errorRecord says what is wrong with the turn, and where.
type errorRecord struct {
	Kind    string  `json:"kind"`
	Frame   int     `json:"frame"`
	Offset  int64   `json:"offset"`
	Key     *string `json:"key"`
	Message string  `json:"message"`
	Line    int     `json:"line,omitempty"`
	ID      string  `json:"id,omitempty"`
	Name    string  `json:"name,omitempty"`
	Code    string  `json:"code,omitempty"`
	Type    string  `json:"type,omitempty"`
	Advice  string  `json:"advice,omitempty"`
	Switch  string  `json:"switch,omitempty"`
}

// explainRecord says what the protocol without the dialect makes of the turn.
type explainRecord struct {
	Switches []string     `json:"switches"`
	Option   string       `json:"option"`
	Error    *errorRecord `json:"error"`
}

// writeRecord writes a turn as one line.
func writeRecord(w io.Writer, r *result) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(recordOf(r)); err != nil {
		return err
	}
	_, err := w.Write(escapeUnseen(b.Bytes()))
	return err
}

// escapeUnseen writes what a terminal would act on as JSON escapes, which mean the same. encoding/json
// does so for the ASCII controls only.
func escapeUnseen(line []byte) []byte {
	if bytes.IndexFunc(line, hidden) < 0 {
		return line
	}
	var b []byte
	for _, r := range string(line) {
		switch {
		case !hidden(r):
			b = utf8.AppendRune(b, r)
		case r <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		}
	}
	return b
}

func hidden(r rune) bool { return r == 0x7f || unseen(r) }

func recordOf(r *result) *record {
	rec := &record{
		File: r.in.name, Dialect: r.dialect.String(), Model: r.model, StopReason: r.stop,
		Outcome: string(r.outcome), Announced: r.announced, Completed: len(r.completed), Failed: len(r.failed),
		Parts: []any{}, Calls: []callRecord{}, FailedCalls: []failedRecord{},
		Deviations: counts(r.deviations), Error: r.errorRecord(),
		Turn: r.turn, ID: r.id, ServerCalls: []callRecord{}, Passed: counts(r.passed),
		Dialects: r.torn,
	}
	if p := r.guess.Protocol; p != nil {
		name := p.Facts().Name
		rec.Provider, rec.Framing = &name, &r.guess.Framing
	}
	for place, info := range r.outline {
		rec.Parts = append(rec.Parts, r.partRecord(place, info))
		if c, ok := r.parts[place].(wholecall.ServerCall); ok {
			rec.ServerCalls = append(rec.ServerCalls, callRecord{r.key(c.Key()), c.ID(), c.Name(), string(c.Arguments()), c.Fragments(), formName(c.Form())})
		}
	}
	for _, c := range r.completed {
		rec.Calls = append(rec.Calls, callRecord{r.key(c.Key()), c.ID(), c.Name(), string(c.Arguments()), c.Fragments(), formName(c.Form())})
	}
	for _, f := range r.failed {
		rec.FailedCalls = append(rec.FailedCalls, r.failedRecord(f))
	}
	if r.hasUsage {
		u := usageRecord(r.usage)
		rec.Usage = &u
	}
	if r.strict != nil {
		rec.Explained = &explainRecord{r.dialect.Allows, goOption(r.dialect), r.strict.errorRecord()}
	}
	if len(r.torn) > 0 {
		rec.Message = tornMessage
	}
	return rec
}

const tornMessage = "several dialects read this and don't agree on its calls: name the server's with --dialect"

func (r *result) partRecord(place int, info wholecall.PartInfo) any {
	kind := info.Kind.String()
	switch info.Kind {
	case wholecall.CallPart:
		return callPartRecord{Type: kind, Key: r.key(info.Key)}
	case wholecall.ServerCallPart:
		p := callPartRecord{Type: kind, Key: r.key(info.Key)}
		if c, ok := r.parts[place].(identified); ok {
			p.ID, p.Name = c.ID(), c.Name()
		}
		return p
	case wholecall.DataPart:
		return dataRecord{kind, info.Type, info.Bytes}
	}
	return textRecord{kind, info.Bytes}
}

// identified is a call of any kind.
type identified interface {
	ID() string
	Name() string
}

func (r *result) failedRecord(f wholecall.FailedCall) failedRecord {
	rec := failedRecord{r.key(f.Key()), f.ID(), f.Name(), string(f.Reason), len(f.Partial()), nil}
	var e *wholecall.ArgumentError
	if errors.As(f.Err, &e) {
		rec.Error = &faultRecord{string(e.Kind), e.At, argumentMessage(e), e.Advice, e.Switch}
	}
	return rec
}

func argumentMessage(e *wholecall.ArgumentError) string {
	if e.Detail != "" {
		return e.Detail
	}
	if e.At >= e.Bytes {
		return fmt.Sprintf("the arguments end after %s", plural(e.Bytes, "byte"))
	}
	return fmt.Sprintf("at byte %d of %d", e.At, e.Bytes)
}

func formName(f wholecall.Form) string {
	if f == wholecall.TextArguments {
		return "text"
	}
	return ""
}

func counts(devs []wholecall.Deviation) []countRecord {
	recs := []countRecord{}
	for _, d := range devs {
		recs = append(recs, countRecord(d))
	}
	return recs
}

func (r *result) errorRecord() *errorRecord {
	if r.err == nil {
		return nil
	}
	w := whereOf(r.err)
	rec := &errorRecord{Kind: string(kindOf(r.err)), Frame: w.Frame, Offset: w.Offset, Line: w.Line,
		Message: r.message(), Advice: adviceOf(r.err), Switch: switchOf(r.err)}
	switch e := r.err.(type) {
	case *wholecall.ProtocolError:
		rec.ID, rec.Name = e.ID, e.Name
		if e.HasKey {
			key := r.key(e.Key)
			rec.Key = &key
		}
	case *wholecall.ProviderError:
		rec.Code, rec.Type = e.Code, e.Type
	}
	return rec
}

// message says what is wrong with the turn, without its kind and its place.
func (r *result) message() string {
	var m string
	switch e := r.err.(type) {
	case *wholecall.ProtocolError:
		m = e.Detail
	case *wholecall.IncompleteError:
		m = e.Detail
		if e.Kind == wholecall.CallsFailed {
			m = fmt.Sprintf("%d of %s failed", len(r.failed), plural(r.announced, "call"))
		}
	case *wholecall.ProviderError:
		m = providerMessage(e)
	case *provider.DetectError:
		m = e.Looks
	}
	if m == "" && r.err != nil {
		m = r.err.Error()
	}
	return m
}

func providerMessage(e *wholecall.ProviderError) string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Type != "":
		return e.Type
	case e.Code != "":
		return e.Code
	}
	return "the provider reported an error and did not say which"
}

func adviceOf(err error) string {
	switch e := err.(type) {
	case *wholecall.ProtocolError:
		return e.Advice
	case *wholecall.IncompleteError:
		return e.Advice
	case *wholecall.ProviderError:
		return wholecall.ProviderFailed.Advice()
	case *provider.DetectError:
		return e.Advice
	}
	return ""
}

// goOption is what a Go program says to read the dialect.
func goOption(d wholecall.Dialect) string {
	return fmt.Sprintf("wholecall.WithDialect(wholecall.Dialect{Name: %q, Allows: %#v})", d.Name, d.Allows)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
