package peers

import (
	"io"
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/openai"
)

// Protocol is wholecall's protocol of that name.
func Protocol(name string) wholecall.Protocol {
	for _, p := range []wholecall.Protocol{anthropic.Messages, openai.Chat, openai.Responses} {
		if p.Facts().Name == name {
			return p
		}
	}
	panic("peers: no protocol " + name)
}

func ours(protocol string) Peer {
	p := Protocol(protocol)
	return Peer{
		Name: "wholecall", Protocol: protocol, Kind: Ours,
		Read: func(r io.Reader) (*Turn, error) { return readOurs(r, p) },
	}
}

func readOurs(r io.Reader, p wholecall.Protocol) (*Turn, error) {
	out := &Turn{}
	var text strings.Builder
	turn := wholecall.NewTurn(r, p)
	for part, err := range turn.Parts() {
		if err != nil {
			return nil, err
		}
		switch v := part.(type) {
		case *wholecall.Text:
			if v.Kind() == wholecall.TextPart {
				text.Write(v.Delta)
			}
		case wholecall.Call:
			out.Calls = append(out.Calls, Call{ID: v.ID(), Name: v.Name(), JSON: v.Arguments()})
		}
	}
	out.Text = text.String()
	return out, nil
}
