package provider_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/frame"
	"github.com/wholecall/wholecall/frame/jsonarray"
	"github.com/wholecall/wholecall/frame/ndjson"
	"github.com/wholecall/wholecall/internal/strictjson"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/cohere"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/provider/mistral"
	"github.com/wholecall/wholecall/provider/ollama"
	"github.com/wholecall/wholecall/provider/openai"
)

// expected is one line of the corpus' EXPECTED.jsonl: what an independent program counted in a
// recorded stream.
type expected struct {
	File      string         `json:"file"`
	API       string         `json:"provider_api"`
	Dialect   string         `json:"dialect"`
	Format    string         `json:"format"`
	Responses int            `json:"responses"`
	Finish    []any          `json:"finish"`
	Calls     []expectedCall `json:"calls"`
}

type expectedCall struct {
	Key      string `json:"key"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Class    string `json:"class"`
	Encoding string `json:"args_encoding"`
	SHA      string `json:"args_sha256"`
	Canon    string `json:"args_canon_sha256"`
	JSON     string `json:"args_json"`
	Complete bool   `json:"complete"`
}

// protocols maps the corpus' folders to protocols.
func protocols() map[string]wholecall.Protocol {
	return map[string]wholecall.Protocol{
		"anthropic-messages": anthropic.Messages,
		"openai-chat":        openai.Chat,
		"openai-responses":   openai.Responses,
		"gemini":             gemini.GenerateContent,
		"bedrock-converse":   bedrock.ConverseStream,
		"cohere-v2":          cohere.Chat,
		"mistral-chat":       mistral.Chat,
		"ollama":             ollama.Chat,
	}
}

// invoked maps the dialects of a model that was invoked through Bedrock to its own protocol. The corpus has
// others (Titan, Llama, Mistral's completions, Cohere v1), of which none has calls.
func invoked() map[string]wholecall.Protocol {
	return map[string]wholecall.Protocol{
		"anthropic": anthropic.Messages,
		"converse":  bedrock.ConverseStream,
		"chat":      openai.Chat,
	}
}

// got is a call as it came out: whole, or failed.
type got struct {
	Key, ID, Name, SHA string
	Whole              bool
	canon              string // hash of the document in canonical form
}

// result is what one dialect made of a capture.
type result struct {
	calls, server []got
	errs          []error
	failedTurn    bool
}

func read(t *testing.T, path string, p wholecall.Protocol, format string, d wholecall.Dialect) result {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opts := []wholecall.Option{wholecall.WithDialect(d)}
	switch format {
	case "chunks":
		opts = append(opts, wholecall.WithFraming(func(limit int) frame.Framer { return ndjson.New(limit) }))
	case "jsonarray":
		opts = append(opts, wholecall.WithFraming(func(limit int) frame.Framer { return jsonarray.New(limit) }))
	}
	var r result
	seen := map[string]int{}
	for turn := range wholecall.Turns(bufio.NewReader(f), p, opts...) {
		for _, err := range turn.Parts() {
			if err != nil {
				r.errs = append(r.errs, err)
			}
		}
		r.failedTurn = r.failedTurn || turn.Outcome() == wholecall.Failed
		r.collect(turn, seen)
	}
	return r
}

// collect adds a turn's calls, with the corpus' own keys: the n-th use of a position over the turns of
// one file is "#n" there.
func (r *result) collect(turn *wholecall.Turn, seen map[string]int) {
	key := func(k wholecall.Key) string {
		s := k.Text(true)
		seen[s]++
		if n := seen[s]; n > 1 {
			s += fmt.Sprintf("#%d", n)
		}
		return s
	}
	done := map[wholecall.Key]wholecall.Call{}
	for _, c := range turn.Completed() {
		done[c.Key()] = c
	}
	failed := map[wholecall.Key]wholecall.FailedCall{}
	for _, c := range turn.Failed() {
		failed[c.Key()] = c
	}
	for _, p := range turn.Outline() {
		if p.Kind != wholecall.CallPart && p.Kind != wholecall.ServerCallPart {
			continue
		}
		k := key(p.Key)
		if c, ok := done[p.Key]; ok {
			r.calls = append(r.calls, got{k, c.ID(), c.Name(), sha(c.Arguments()), true, canon(c.Arguments())})
		} else if c, ok := failed[p.Key]; ok {
			r.calls = append(r.calls, got{k, c.ID(), c.Name(), "", false, ""})
		}
	}
	for _, c := range turn.ServerCalls() {
		r.server = append(r.server, got{c.Key().Text(true), c.ID(), c.Name(), sha(c.Arguments()), true, ""})
	}
}

func sha(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func canon(doc []byte) string {
	b, err := strictjson.AppendCanonical(nil, doc)
	if err != nil {
		return "" // free text
	}
	return sha(b)
}

// want is the expectation in our terms. The corpus counts a call without a byte of arguments as empty;
// where it is complete it means {}.
func want(e expected) []got {
	var w []got
	starts := 0
	for _, c := range e.Calls {
		if c.Class == "server" {
			continue
		}
		key := c.Key
		key = strings.NewReplacer("choice:", "", "/index:", ".", "cand:", "", "/call:", ".").Replace(key)
		_, rest, found := strings.Cut(key, ":")
		if found {
			key = "0." + rest
		}
		if strings.HasPrefix(c.Key, "message_start:") {
			starts++
		}
		g := got{key, c.ID, c.Name, c.SHA, c.Complete && c.JSON != "invalid", ""}
		if c.Encoding == "partial" {
			// The document is built here, out of patches: only its value can be told.
			g.SHA, g.canon = "", c.Canon
		}
		if c.JSON == "empty" && slices.ContainsFunc(e.Finish, cutFinish) {
			// The corpus counts bytes; that an empty document of a cut answer is a lost one is our reading.
			g.Whole = false
		}
		if c.JSON == "empty" && g.Whole {
			g.SHA = sha([]byte("{}"))
		}
		if !g.Whole || c.Encoding == "absent" {
			g.SHA = ""
		}
		w = append(w, g)
	}
	return w
}

// cutFinish reports whether a finish reason says that the answer was cut.
func cutFinish(reason any) bool { return reason == "length" || reason == "max_tokens" }

// disputed are the expectations that we think are wrong, with the reason.
var disputed = map[string]string{
	"openai-responses/vercel-ai--014.chunks": "the call_id of a client tool search differs between added and done; done and response.completed agree, so that is the id to answer",
	"openai-responses/vercel-ai--027.chunks": "the shell call names a hosted container and its output follows in the same turn: the provider ran it",
	"openai-responses/vercel-ai--028.chunks": "as above",
}

// refused reports whether a stream that holds several responses, with nothing between them, was refused
// as the protocol error that it is, without a call that was not expected.
func refused(r result, e expected, w []got) bool {
	var pe *wholecall.ProtocolError
	if e.Responses < 2 || !slices.ContainsFunc(r.errs, func(err error) bool { return errors.As(err, &pe) }) {
		return false
	}
	for _, g := range r.calls {
		if g.Whole && !slices.ContainsFunc(w, func(x got) bool { return x.ID == g.ID && x.SHA == g.SHA }) {
			return false
		}
	}
	return true
}

// differ says how a result departs from the expectation, or "".
func differ(r result, w []got) string {
	if len(r.calls) != len(w) {
		return fmt.Sprintf("%d calls, want %d: %v", len(r.calls), len(w), r.calls)
	}
	for i, g := range r.calls {
		x := w[i]
		if x.SHA == "" {
			g.SHA = ""
		}
		if x.canon == "" {
			g.canon = ""
		}
		if x.ID == "" && strings.HasPrefix(g.ID, "wholecall_") {
			g.ID = "" // the wire has none, and the dialect makes one
		}
		if strings.Contains(x.Key, "#") || strings.Contains(g.Key, "#") {
			g.Key, x.Key = "", ""
		}
		if g != x {
			return fmt.Sprintf("call %d is %v, want %v", i, g, x)
		}
	}
	return ""
}

// TestCorpus holds every recorded stream against what an independent program counted in it: strictly
// first, and where a strict decoder refuses it, in the named dialects.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("WHOLECALL_CORPUS")
	if dir == "" {
		t.Skip("WHOLECALL_CORPUS names no folder of recorded streams")
	}
	f, err := os.Open(filepath.Join(dir, "EXPECTED.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	streams, strict := 0, 0
	for sc.Scan() {
		var e expected
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		p, ok := protocols()[e.API]
		if strings.HasPrefix(e.API, "openai-compat-") {
			p, ok = openai.Chat, true
		}
		if e.Dialect == "interactions" {
			p, ok = gemini.Interactions, true
		}
		if e.API == "bedrock-invoke" {
			if p, ok = invoked()[e.Dialect]; ok {
				p = bedrock.InvokeModel(p)
			} else if len(e.Calls) > 0 {
				t.Errorf("%s: calls in a dialect that no protocol reads: %s", e.File, e.Dialect)
			}
		}
		if !ok {
			continue
		}
		streams++
		path := filepath.Join(dir, e.File)
		r := read(t, path, p, e.Format, wholecall.Dialect{})
		how := differ(r, want(e))
		if how == "" {
			strict++
			continue
		}
		for _, d := range wholecall.Dialects(p) {
			if differ(read(t, path, p, e.Format, d), want(e)) == "" {
				t.Logf("%s: dialect %s (strict: %v)", e.File, d, r.errs)
				how = ""
				break
			}
		}
		if how != "" && refused(r, e, want(e)) {
			t.Logf("%s: refused: %v", e.File, r.errs)
			how = ""
		}
		if why := disputed[e.File]; why != "" && how != "" {
			t.Logf("%s: %s; disputed: %s", e.File, how, why)
			how = ""
		}
		if how != "" {
			t.Errorf("%s: %s\n\terrors: %v", e.File, how, r.errs)
		}
	}
	t.Logf("%d streams, %d of them read strictly", streams, strict)
}
