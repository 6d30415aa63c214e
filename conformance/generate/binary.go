package main

import (
	"encoding/binary"
	"hash/crc32"
)

// message writes a message of application/vnd.amazon.eventstream: a prelude of two lengths and their
// checksum, headers of which each is a name and a string, the payload, and a checksum of all before it.
// kind says what it is: a message is an event, and a fault an error that has its text in a header.
func message(kind, typ, payload string) string {
	var h []byte
	header := func(name, value string) {
		h = append(append(h, byte(len(name))), name...)
		h = append(h, 7, byte(len(value)>>8), byte(len(value)))
		h = append(h, value...)
	}
	switch kind {
	case "message":
		header(":event-type", typ)
		header(":content-type", "application/json")
		header(":message-type", "event")
	case "exception":
		header(":exception-type", typ)
		header(":content-type", "application/json")
		header(":message-type", "exception")
	case "fault":
		header(":error-code", typ)
		header(":error-message", payload)
		header(":message-type", "error")
		payload = ""
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}
