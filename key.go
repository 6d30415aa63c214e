package wholecall

import "strconv"

// Key is the positional identity of a call or of another part within one stream: what its fragments
// carry, and what they are routed by. A key is never a name and never an id.
//
// Which wire field it comes from is the protocol's business: a content block's index in Anthropic
// Messages, the pair (choice, tool index) in OpenAI Chat Completions, output_index in OpenAI
// Responses. Keys of different streams have nothing to do with each other.
//
// The zero Key is a valid key: choice 0, position 0.
type Key struct {
	// Choice is the alternative answer that the position counts in; 0 where a protocol has one answer.
	Choice int32
	// Index is the position that the wire gives. It is compared, never counted with: gaps, any order
	// and negative values are as good as others.
	Index int32
	// Again tells apart calls that a dialect allows to use one position one after the other. The first
	// has 0.
	Again int32
	// Sub is 0 for a call, and otherwise the place of a part inside the position: a content part of an
	// item, or a run of text in a choice.
	Sub int32
}

// Text returns the key as text: "index", or "choice.index" where the stream has more than one choice.
// The second use of one position ends in "#2".
func (k Key) Text(choices bool) string {
	b := make([]byte, 0, 16)
	if choices {
		b = strconv.AppendInt(b, int64(k.Choice), 10)
		b = append(b, '.')
	}
	b = strconv.AppendInt(b, int64(k.Index), 10)
	if k.Again != 0 {
		b = append(b, '#')
		b = strconv.AppendInt(b, int64(k.Again)+1, 10)
	}
	return string(b)
}

// String returns the key as text, with its choice where that is not 0.
func (k Key) String() string { return k.Text(k.Choice != 0) }
