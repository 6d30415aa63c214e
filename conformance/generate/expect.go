package main

// expectation is what must come out of a stream: the members of the line that wholecall check --json
// prints, without those that name a file or a place in it.
type expectation struct {
	outcome string
	kind    string // of the error, or "" where there is none
	stop    string
	parts   []part
}

// part is a part of the turn, in the order in which the parts began, with what became of it.
type part struct {
	typ      string
	dataType string
	bytes    int

	key, id, name string
	args          string // of a whole call
	free          bool   // args are free text
	reason, kind  string // of a failed call
}

// complete is the expectation of a turn that came to its end with every call whole.
func complete(stop string, parts ...part) expectation {
	return expectation{"complete", "", stop, parts}
}

// incomplete is that of a turn that was cut, or in which a call failed. kind is one of truncated,
// calls-failed and no-stop-reason.
func incomplete(kind, stop string, parts ...part) expectation {
	return expectation{"incomplete", kind, stop, parts}
}

// broken is that of a turn that a protocol error or the provider's own error fails.
func broken(kind, stop string, parts ...part) expectation {
	return expectation{"failed", kind, stop, parts}
}

// cut is that of a stream that ends before its own end.
func cut(stop string, parts ...part) expectation { return incomplete("truncated", stop, parts...) }

// text is a part of prose, with the bytes of it that came.
func text(s string) part { return part{typ: "text", bytes: len(s)} }

func prose(typ, s string) part { return part{typ: typ, bytes: len(s)} }

// data is a part that is handed on as the provider sent it.
func data(typ string) part { return part{typ: "data", dataType: typ} }

// whole is a call that completed.
func whole(key, id, name, args string) part {
	return part{typ: "call", key: key, id: id, name: name, args: args}
}

// freeText is a completed call whose arguments are free text.
func freeText(key, id, name, input string) part {
	return part{typ: "call", key: key, id: id, name: name, args: input, free: true}
}

// lost is a call that was announced and failed.
func lost(key, id, name, reason string) part {
	return part{typ: "call", key: key, id: id, name: name, reason: reason}
}

// wrong is a call that failed for its arguments.
func wrong(key, id, name, kind string) part {
	return part{typ: "call", key: key, id: id, name: name, reason: "argument-error", kind: kind}
}

// server makes a call that the provider runs out of a call.
func (p part) server() part {
	p.typ = "server_call"
	return p
}
