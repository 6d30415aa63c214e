module github.com/wholecall/wholecall

go 1.26

// tests only
require github.com/go-json-experiment/json v1.27.2

// used by frame/eventstream and provider/bedrock alone
require (
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27
	github.com/aws/smithy-go v1.28.9 // indirect
)

require github.com/google/jsonschema-go v0.4.3
