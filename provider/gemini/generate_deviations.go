package gemini

import "github.com/wholecall/wholecall"

// The deviations that a dialect may allow.
const nameless = "nameless-continuation"

// The oddities that are counted and need no dialect: they are the owner's, or concern one call that fails
// for them.
const (
	generatedID      = "generated-id"
	repeatedFinish   = "repeated-finish"
	partsAfterFinish = "parts-after-finish"
	lateSignature    = "late-signature"

	contradictingPatch = "contradicting-patch" // a patch against an earlier one
	unreadPath         = "unread-path"         // a patch's path that names no one value
	unclosedString     = "unclosed-string"     // a call that ended inside a string
	longPatches        = "long-patches"        // patches past the bound on a document
)

func (generateContent) Switches() []wholecall.Switch {
	return []wholecall.Switch{{
		Name: nameless,
		Allows: "A functionCall without a name and with the args, behind one with the name and {}, neither with willContinue: " +
			"one call only can be meant. With text, another call or the finish between them, it is unannounced.",
		Servers: "gateways that convert Chat to Gemini (mcowger/plexus#702)",
	}}
}

func (generateContent) Dialects() []wholecall.Dialect {
	return []wholecall.Dialect{{
		Name:     "gemini-gateway",
		Allows:   []string{nameless},
		Evidence: "public reports of a gateway that writes a call's name and its arguments as two parts: mcowger/plexus#702",
	}}
}
