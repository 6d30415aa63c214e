package wholecall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wholecall/wholecall/frame"
)

// Protocol is one wire protocol: how a provider's frames say what the model does. Each provider's
// package exports its protocols as values of this type, such as anthropic.Messages.
type Protocol interface {
	// Facts describes the protocol.
	Facts() Facts
	// Switches lists the deviations that a dialect of the protocol may allow. The caller owns the slice.
	Switches() []Switch
	// Dialects lists the named dialects. The caller owns the slice.
	Dialects() []Dialect
	// NewDecoder returns a decoder for one stream. The dialect must be one that CheckDialect accepts.
	NewDecoder(Dialect) Decoder
	// NewEncoder returns an encoder for one stream.
	NewEncoder() Encoder
	// Recognises says how sure it is that the frame, one of the first of a stream, belongs to the
	// protocol: 0 for no, up to 100 for a frame that no other protocol sends. It is for tools that are
	// handed a capture without a word; a program names its protocol.
	Recognises(f *frame.Frame) int
	// NewFramer returns the framing that the protocol travels in, with a bound on one frame in bytes;
	// 0 means frame.DefaultLimit.
	NewFramer(limit int) frame.Framer
}

// Facts describes a protocol, for people and for tables.
type Facts struct {
	// Name is what the command line and the library call the protocol: "anthropic".
	Name string
	// Title is what its owner calls it.
	Title string
	// Framing is the name of its framing: "sse", "ndjson".
	Framing string
	// Source names the owner's document that the decoder follows, with its date.
	Source string
	// Where on the wire each of these stands.
	Key, ID, ToolName, Fragment, CallEnd, StreamEnd, ErrorEvent string
	// Parallel names the switch against several calls in a turn.
	Parallel string
	// Resume says what of a broken stream can be taken up again.
	Resume string
	// OneSpace says that calls and other parts share the positions of a turn.
	OneSpace bool
	// OwnEnd says that a call has an end of its own, before the model stops.
	OwnEnd bool
	// WholeCalls says that a call stands whole in one frame, so that half of one can't be expressed.
	WholeCalls bool
	// TerminalEnds says that a call without an end of its own ends with the turn, and not where the model
	// says why it stopped.
	TerminalEnds bool
	// EndOfBody says that nothing on the wire ends a turn but the end of the body.
	EndOfBody bool
	// Stops are the words in which it says why the model stopped.
	Stops Stops
}

// Stops are the words in which a protocol says why the model stopped. A word that is "" says that the
// protocol has none.
type Stops struct {
	Done          string // it had said everything
	Calls         string // it wants its calls run
	TokenLimit    string
	ContentFilter string
	Refusal       string
	Paused        string
}

// Word returns the word for a reason; calls says whether there are calls to run. It is "" where the
// protocol has no word for it.
func (s Stops) Word(reason Reason, calls bool) string {
	switch reason {
	case "":
		if calls {
			return s.Calls
		}
		return s.Done
	case ReasonTokenLimit:
		return s.TokenLimit
	case ReasonContentFilter:
		return s.ContentFilter
	case ReasonRefusal:
		return s.Refusal
	case ReasonPaused:
		return s.Paused
	}
	return ""
}

// Decoder turns the frames of one stream into events. It knows its wire format and nothing else.
type Decoder interface {
	// Decode appends the events of one frame to events and returns the result. The events borrow from
	// the frame and from the decoder: they are valid until the next call. An error is a *ProtocolError
	// without a place, and fails the turn.
	Decode(f *frame.Frame, events []Event) ([]Event, error)
	// End appends the events that the end of the stream itself says.
	End(events []Event) []Event
	// Begins reports whether the frame could be the first of another turn. It changes nothing. It is
	// asked only behind a terminal, where a capture holds several turns.
	Begins(f *frame.Frame) bool
}

// StrayDecoder is a Decoder that looks at the lines of a stream that are no field of its framing, where
// some servers write errors. Without it such lines are counted and passed over.
type StrayDecoder interface {
	Decoder
	// DecodeStray appends what Frame.Stray says. It is called before Decode, also for a frame that has
	// stray lines and no data.
	DecodeStray(f *frame.Frame, events []Event) ([]Event, error)
}

// Encoder turns the events of one turn into the bytes of a stream, framing included. For every
// sequence of events that a turn can have, decoding what it encodes gives the same events.
type Encoder interface {
	// Append appends the frames that say ev to dst and returns the result. Some protocols say several
	// events in one frame, or say an event only later. The error says what the protocol can't express.
	Append(dst []byte, ev *Event) ([]byte, error)
}

// Switch is one named deviation: one way in which a server departs from the protocol that it claims
// to speak, and the condition under which what it means is unambiguous.
type Switch struct {
	// Name is the deviation's name: "repeated-id".
	Name string
	// Allows says exactly what is let through, and what fails nevertheless.
	Allows string
	// Servers says who does it, and where that was seen.
	Servers string
	// Excludes names the switches that can't be on together with this one, since both claim the same
	// event and read it differently. It is enough that one of a pair names the other.
	Excludes []string
}

// Dialect is the named set of deviations that one server is known for. The zero Dialect is the
// protocol as its owner documents it.
type Dialect struct {
	// Name is the dialect's name; "" is called "standard".
	Name string
	// Allows are the names of the switches that are on.
	Allows []string
	// Evidence says which reports or recordings show the server to be like this.
	Evidence string
	// OnlyNamed says that a tool must not try the dialect on a capture of an unknown server: it would
	// also complete streams of other servers that lost something.
	OnlyNamed bool
	// IDs is what the ids of the server's calls begin with. A tool must not try the dialect on a
	// capture without such an id. "" demands nothing.
	IDs string
}

// String returns the dialect's name.
func (d Dialect) String() string {
	if d.Name == "" {
		return "standard"
	}
	return d.Name
}

// Has reports whether the dialect allows a deviation.
func (d Dialect) Has(name string) bool { return slices.Contains(d.Allows, name) }

// The deviations that a dialect of any protocol may allow: they lie in the framing, or in the finished
// document.
const (
	UnterminatedEvent    = "unterminated-event"
	KeepaliveData        = "keepalive-data"
	RawControlCharacters = "raw-control-characters"
	DoubleEncoded        = "double-encoded-arguments"
)

// CommonSwitches lists the deviations that a dialect of any protocol may allow. The caller owns the
// slice.
func CommonSwitches() []Switch {
	return []Switch{
		{
			Name:    UnterminatedEvent,
			Allows:  "A last event without its closing blank line counts, if its data is one whole JSON value or the sentinel.",
			Servers: "recorders that trim the body; clients of several vendors read it so",
		},
		{
			Name:    KeepaliveData,
			Allows:  "A data line whose value begins with a colon is a keep-alive: it is no JSON and can be nothing else.",
			Servers: "gateways that write comments as data, as reported",
		},
		{
			Name:    RawControlCharacters,
			Allows:  "Control characters that stand raw inside the strings of finished arguments are escaped, where that makes one valid object of them.",
			Servers: "servers that pass the model's text through unescaped, as reported",
		},
		{
			Name:    DoubleEncoded,
			Allows:  "Finished arguments that are a JSON string holding exactly one object are unwrapped, once.",
			Servers: "gateways that encode twice, as reported",
		},
	}
}

// Dialects returns the named dialects that a capture in protocol p can be in: the protocol's own, and
// "trimmed". The caller owns the slice.
func Dialects(p Protocol) []Dialect {
	return append(p.Dialects(), Dialect{
		Name:     "trimmed",
		Allows:   []string{UnterminatedEvent},
		Evidence: "recorded streams whose last blank line is gone",

		OnlyNamed: true,
	})
}

// DialectNamed returns the protocol's dialect with the name, and reports whether there is one. The
// name "standard" is the protocol as its owner documents it.
func DialectNamed(p Protocol, name string) (Dialect, bool) {
	if name == "standard" {
		return Dialect{}, true
	}
	for _, d := range Dialects(p) {
		if d.Name == name {
			return d, true
		}
	}
	return Dialect{}, false
}

// CheckDialect reports why the protocol can't use the dialect: a switch that it does not have, or two
// that exclude each other.
func CheckDialect(p Protocol, d Dialect) error {
	if len(d.Allows) == 0 {
		return nil
	}
	known := append(p.Switches(), CommonSwitches()...)
	for _, name := range d.Allows {
		if !slices.ContainsFunc(known, func(s Switch) bool { return s.Name == name }) {
			names := make([]string, len(known))
			for i, s := range known {
				names[i] = s.Name
			}
			return fmt.Errorf("dialect %s: protocol %s has no switch %q: it has %s",
				d, p.Facts().Name, name, strings.Join(names, ", "))
		}
	}
	for _, s := range known {
		for _, other := range s.Excludes {
			if d.Has(s.Name) && d.Has(other) {
				return fmt.Errorf("dialect %s: the switches %q and %q exclude each other: they read the same event differently",
					d, s.Name, other)
			}
		}
	}
	return nil
}

// Deviation counts how often a dialect let one thing through, or one harmless oddity was seen.
type Deviation struct {
	Name  string
	Count int
}
