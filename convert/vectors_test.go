package convert_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/convert"
	"github.com/wholecall/wholecall/provider"
	"github.com/wholecall/wholecall/wholecalltest"
)

// vector is what this test needs of a conformance vector.
type vector struct {
	name     string
	body     []byte
	protocol wholecall.Protocol
	opts     []wholecall.Option
}

func (v *vector) turn() *wholecall.Turn {
	return wholecall.NewTurn(bytes.NewReader(v.body), v.protocol, v.opts...)
}

// vectors returns those conformance vectors that hold a turn.
func vectors(t *testing.T) []vector {
	t.Helper()
	const dir = "../conformance/vectors"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the conformance vectors are a module of their own, and are not beside this one")
	}
	names, err := filepath.Glob(dir + "/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	for _, name := range names {
		var c struct {
			Provider, Framing string
			Dialect           json.RawMessage
		}
		raw, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(raw, &c)
		}
		if err != nil {
			t.Fatal(name, err)
		}
		p, ok := provider.Named(c.Provider)
		framing, known := provider.Framing(c.Framing)
		if !ok || !known {
			t.Fatalf("%s: no provider %q, or no framing %q", name, c.Provider, c.Framing)
		}
		body, err := os.ReadFile(strings.TrimSuffix(name, "json") + c.Framing)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{name: strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ".json"), body: body, protocol: p,
			opts: []wholecall.Option{wholecall.WithFraming(framing)}}
		var d wholecall.Dialect
		if json.Unmarshal(c.Dialect, &d) == nil {
			v.opts = append(v.opts, wholecall.WithDialect(d))
		}
		vs = append(vs, v)
	}
	if len(vs) < 1800 {
		t.Errorf("only %d vectors", len(vs))
	}
	return vs
}

// TestEveryVectorInEveryProtocol: what a vector's turn is converted to has the same calls, in the same
// order, and the same ones failed, but for those that are listed as lost.
func TestEveryVectorInEveryProtocol(t *testing.T) {
	pairs := map[string]int{}
	for _, v := range vectors(t) {
		was := wholecalltest.Drain(v.turn())
		for _, to := range provider.All() {
			var out bytes.Buffer
			losses, err := convert.Turn(&out, v.turn(), to)
			if was.Outcome == wholecall.Failed {
				if err == nil && was.Kind != wholecall.ProviderFailed {
					t.Errorf("%s to %s: a failed turn was converted without an error", v.name, to.Facts().Name)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s to %s: %v", v.name, to.Facts().Name, err)
				continue
			}
			pairs[v.protocol.Facts().Name+" to "+to.Facts().Name]++
			t.Run(v.name+" to "+to.Facts().Name, func(t *testing.T) {
				compare(t, was, read(out.Bytes(), to), losses, out.Bytes())
			})
		}
	}
	t.Logf("%d pairs of protocols", len(pairs))
}
