package peers_test

import (
	"testing"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// TestPeersAgree: a comparison of times means nothing where the results differ.
func TestPeersAgree(t *testing.T) {
	story := streams.TwoCalls()
	want := &peers.Turn{Text: string(story.Text)}
	for _, c := range story.Calls {
		want.Calls = append(want.Calls, peers.Call{ID: c.ID, Name: c.Name, JSON: c.Document})
	}
	for _, protocol := range streams.Protocols {
		body, _ := story.Body(protocol)
		for _, p := range peers.For(protocol) {
			t.Run(protocol+"/"+p.Name, func(t *testing.T) {
				got, err := p.ReadBytes(body)
				if err != nil {
					t.Fatal(err)
				}
				if diff := peers.Same(want, got, p.Rewrites); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
