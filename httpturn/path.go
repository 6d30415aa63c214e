package httpturn

import (
	"strings"

	"github.com/wholecall/wholecall"
	"github.com/wholecall/wholecall/provider/anthropic"
	"github.com/wholecall/wholecall/provider/bedrock"
	"github.com/wholecall/wholecall/provider/cohere"
	"github.com/wholecall/wholecall/provider/gemini"
	"github.com/wholecall/wholecall/provider/ollama"
	"github.com/wholecall/wholecall/provider/openai"
)

// ByPath returns the protocol of the responses to requests of a path, or nil: the end of the path tells,
// whatever stands before it.
func ByPath(path string) wholecall.Protocol {
	for _, e := range []struct {
		end string
		p   wholecall.Protocol
	}{
		{"/chat/completions", openai.Chat},
		{"/responses", openai.Responses},
		{"/messages", anthropic.Messages},
		{":streamGenerateContent", gemini.GenerateContent},
		{":generateContent", gemini.GenerateContent},
		{"/converse-stream", bedrock.ConverseStream},
		{"/converse", bedrock.ConverseStream},
		{"/invoke-with-response-stream", bedrock.InvokeModel(anthropic.Messages)},
		{"/v2/chat", cohere.Chat},
		{"/api/chat", ollama.Chat},
	} {
		if strings.HasSuffix(path, e.end) {
			return e.p
		}
	}
	return nil
}
