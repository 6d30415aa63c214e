module github.com/wholecall/wholecall

go 1.26

// tests only
require github.com/go-json-experiment/json v1.27.2
