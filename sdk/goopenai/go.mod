module github.com/wholecall/wholecall/sdk/goopenai

go 1.26

require (
	github.com/sashabaranov/go-openai v1.43.0
	github.com/wholecall/wholecall v0.1.0
)

require (
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27 // indirect
	github.com/aws/smithy-go v1.28.9 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
)
