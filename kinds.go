package wholecall

// Scope says how far an error reaches.
type Scope string

// The scopes.
const (
	TurnScope   Scope = "turn"   // the turn failed
	CallScope   Scope = "call"   // one call failed
	StreamScope Scope = "stream" // the turn is incomplete
)

// KindInfo describes a kind of error.
type KindInfo struct {
	Kind  Kind
	Scope Scope
	// Means says what happened.
	Means string
	// Advice says what to do next.
	Advice string
}

// Kinds returns every kind of error with its meaning, in the order of the documentation. The caller
// owns the slice.
func Kinds() []KindInfo {
	return []KindInfo{
		{MalformedFrame, TurnScope, "A frame is not what its protocol sends: its JSON does not parse, a member that matters has the wrong type or stands there twice, or a member that must be there is absent.", "Look at the frame in the capture. If a proxy rewrote it, mend the proxy; if the provider sends it so, report it."},
		{FrameTooLong, TurnScope, "A frame is longer than Limits.FrameBytes.", "Raise the limit if the provider really sends frames this long."},
		{NotAStream, TurnScope, "The body is no stream of frames: an HTML page, a JSON error, compressed bytes.", "Check the status code and the content type of the response before you read it as a stream."},
		{DuplicateAnnouncement, TurnScope, "A position is announced although a call or part already has it, finished or not. A replayed block looks like this.", "Find who replays or restarts: a retry that writes into the same stream, or a server that reuses positions."},
		{Unannounced, TurnScope, "A fragment or an end belongs to a position that was never announced.", "The announcement was lost on the way, or the stream starts in the middle. Ask again; nothing can be rebuilt from this."},
		{Late, TurnScope, "A fragment or an end arrived for a call that has already ended.", "A replay, or a server that ends calls too early. If the call was already run, its arguments were whole at that time."},
		{DuplicateID, TurnScope, "Two calls of one turn have the same id, so a result could not be returned against one of them.", "Report it to whoever makes the ids."},
		{IncompleteIdentity, TurnScope, "A call is announced without an id or without a name.", "Without an id its result has no address. Name the dialect of the server if it is known to do this."},
		{ConflictingIdentity, TurnScope, "A fragment carries an id or a name that is not the one its call was announced with.", "Either a second call uses the first one's position, or the server changes ids. Only a dialect can say which."},
		{MissingIndex, TurnScope, "A piece of a call carries no position, and the protocol demands one.", "Name the dialect of the server; absent is not zero."},
		{MismatchedPart, TurnScope, "A delta is of another kind than the part that it belongs to.", "Events were lost or mixed on the way."},
		{UnknownDelta, TurnScope, "A known part gets a delta of a kind that this version does not know, so something of it would be lost.", "Update wholecall, or report the shape."},
		{Restarted, TurnScope, "A second turn begins inside the stream.", "A proxy that retries has spliced a second answer into the first. Use one stream for each attempt."},
		{RepeatedFinish, TurnScope, "The stream says twice why the model stopped.", "Name the dialect of the server if it is known to do this."},
		{SequenceGap, TurnScope, "Numbered events are missing.", "Events were lost on the way. Ask for the stream again from the last number that you have."},
		{SequenceReplay, TurnScope, "A numbered event arrived again.", "A reconnect replayed events into the same stream. Start a new one, or drop what was seen."},
		{CopyMismatch, TurnScope, "The final copy of the turn contradicts what was streamed.", "Events were lost or changed on the way; the calls that had ended may differ from what the provider remembers."},
		{AmbiguousDocument, TurnScope, "The arguments stand in two places of the stream, and both can't be meant.", "Report it to whoever makes the stream."},
		{CallsPromised, TurnScope, "The model stopped in order to call tools, and no call was announced.", "The call was lost on the server. Ask again."},
		{TooManyCalls, TurnScope, "The turn announces more calls than Limits.Calls.", "Raise the limit if that is meant."},
		{TooManyParts, TurnScope, "The turn has more parts than Limits.Parts.", "Raise the limit if that is meant."},
		{DeviationRefused, TurnScope, "The stream departs from its protocol in a way that only a dialect may allow.", "Name the dialect of the server; the error says which deviation it must have."},
		{ProviderFailed, TurnScope, "The provider reports on the stream that the turn failed.", "Act on the provider's code; a new request is needed."},
		{Internal, TurnScope, "An invariant of wholecall itself does not hold.", "Please report it with a capture whose contents you can share."},
		{EmptyDocument, CallScope, "The call ended without one byte of arguments, and its protocol does not say that this means {}.", "Some servers mean {}: name their dialect. For others the arguments were lost."},
		{InvalidJSON, CallScope, "The arguments are not JSON.", "Return an error for this id to the model, or ask again."},
		{InvalidUTF8, CallScope, "The arguments are not valid UTF-8.", "Bytes were damaged on the way, or by the model's tokenizer. Ask again."},
		{LoneSurrogate, CallScope, "The arguments hold one half of a surrogate pair without the other.", "A character was cut and its other half lost. Ask again."},
		{DuplicateMember, CallScope, "An object in the arguments has one member name twice, so which value is meant would be a guess.", "Return an error for this id to the model."},
		{TrailingData, CallScope, "Something stands behind the end of the arguments: often a second document, or a replayed tail.", "How many calls were meant can't be known. Return an error for this id to the model."},
		{IncompleteJSON, CallScope, "The arguments end in the middle.", "The server ended the call before its document was whole. Raise the token limit, or ask again."},
		{TooDeep, CallScope, "The arguments are nested deeper than Limits.Depth.", "Raise the limit if that is meant."},
		{DocumentTooLong, CallScope, "The arguments are longer than Limits.DocumentBytes.", "Raise the limit if that is meant."},
		{DocumentMismatch, CallScope, "Two copies of the arguments on one stream are different documents.", "Fragments were lost, doubled or changed on the way. Ask again."},
		{Truncated, StreamScope, "The stream ended before its own end. What was announced and had no end of its own failed.", "Ask the model again. What came may happen to parse, and still not be all that the model meant to write."},
		{CallsFailed, StreamScope, "The stream came to its end, and at least one call failed.", "Look at the failed calls; return an error for each id, or ask again."},
		{Cancelled, StreamScope, "The caller cancelled the turn.", "Nothing is wrong with the stream."},
		{TimedOut, StreamScope, "No byte came for too long, or a deadline passed.", "Ask again, or raise Limits.Idle."},
		{NoStopReason, StreamScope, "The stream came to its end without saying why the model stopped.", "The event that says so was lost: what was open or empty failed."},
	}
}

// Advice returns what to do about an error of the kind.
func (k Kind) Advice() string {
	for _, i := range Kinds() {
		if i.Kind == k {
			return i.Advice
		}
	}
	return ""
}
