module github.com/wholecall/wholecall/cmd/wholecall

go 1.26

require (
	github.com/klauspost/compress v1.20.4
	github.com/rivo/uniseg v0.4.7
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/wholecall/wholecall v0.1.0
	github.com/wholecall/wholecall/conformance v0.1.0
	golang.org/x/term v0.48.0
)

// tests only
require github.com/rogpeppe/go-internal v1.16.0

require (
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27 // indirect
	github.com/aws/smithy-go v1.28.9 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
