package wholecall

// PartKind is the kind of a part of a turn.
type PartKind uint8

// The kinds of part.
const (
	TextPart       PartKind = iota + 1 // what the model says
	RefusalPart                        // what the model says in place of an answer it refuses
	ReasoningPart                      // what the model thinks
	SummaryPart                        // a summary of what the model thinks
	TranscriptPart                     // the words of audio
	DataPart                           // anything else, as the provider's JSON
	CallPart                           // a call that the client must run
	ServerCallPart                     // a call that the provider runs
	ProgressPart                       // what has just arrived of a call, for display only
)

// String returns the kind's name, as the command line prints it in "parts".
func (k PartKind) String() string {
	switch k {
	case TextPart:
		return "text"
	case RefusalPart:
		return "refusal"
	case ReasoningPart:
		return "reasoning"
	case SummaryPart:
		return "reasoning_summary"
	case TranscriptPart:
		return "transcript"
	case DataPart:
		return "data"
	case CallPart:
		return "call"
	case ServerCallPart:
		return "server_call"
	case ProgressPart:
		return "progress"
	}
	return "unknown"
}

// Part is a piece of a turn, handed out in the order in which the pieces began on the wire. Its
// concrete type is one of *Text, Data, Call, ServerCall and FailedCall; with WithProgress also *Progress,
// which is no piece of the turn, and comes as it arrives.
type Part interface {
	// Kind says what the part is.
	Kind() PartKind
	// Place counts the parts of the turn from 0, in the order in which they began. All pieces of one
	// part have one place.
	Place() int

	part()
}

// Text is a piece of what the model says or thinks, handed out as it arrives. A part of the turn is
// one or more of them in a row, the last with Done set.
//
// The struct and its slices are borrowed: they are valid until the next part is asked for.
type Text struct {
	// Delta is the piece of text, in UTF-8. It may be empty.
	Delta []byte
	// Done says that the part ends here.
	Done bool
	// Choice is the alternative answer that the text belongs to.
	Choice int
	// Signature is what the provider signed the part with, where it did; set with Done. It must go
	// back with the part, unchanged.
	Signature []byte
	// Annotations are what was said about the part, each as the provider's JSON; set with Done.
	Annotations [][]byte

	kind  PartKind
	place int
}

// Kind is TextPart, RefusalPart, ReasoningPart, SummaryPart or TranscriptPart.
func (t *Text) Kind() PartKind { return t.kind }

// Place implements Part.
func (t *Text) Place() int { return t.place }

func (*Text) part() {}

// Data is a part that is none of the others: the result of a call that the provider ran, redacted
// thinking, an image. It is handed out once, when it has ended, and the caller owns it.
type Data struct {
	// Type is the provider's name for it.
	Type string
	// JSON is the part as the provider sent it.
	JSON []byte
	// Text is what its deltas added, in UTF-8.
	Text []byte
	// Choice is the alternative answer that the part belongs to.
	Choice int

	place int
}

// Kind is DataPart.
func (d Data) Kind() PartKind { return DataPart }

// Place implements Part.
func (d Data) Place() int { return d.place }

func (Data) part() {}

// PartInfo is a part of a turn in short.
type PartInfo struct {
	Kind PartKind
	// Key is the part's position on the wire.
	Key Key
	// Type is the provider's name for the part, where it is a DataPart.
	Type string
	// Bytes counts the bytes of its text or of its arguments.
	Bytes int
	// Pieces counts the deltas or fragments that they came in.
	Pieces int
	// Whole says that the part has ended, and, where it is a call, that it completed.
	Whole bool
}
