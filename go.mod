module github.com/wholecall/wholecall

go 1.26
