module github.com/wholecall/wholecall/cmd/wholecall

go 1.26

require github.com/wholecall/wholecall v0.1.0
