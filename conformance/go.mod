module github.com/wholecall/wholecall/conformance

go 1.26
