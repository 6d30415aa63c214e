package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestVectorsAreCurrent: what is in the folder is what the generator writes, file by file.
func TestVectorsAreCurrent(t *testing.T) {
	const dir = "../vectors"
	want, err := files(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, b := range want {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s is not what the generator writes: go run ./generate", path)
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if _, known := want[path]; err == nil && !d.IsDir() && !known {
			t.Errorf("%s is not written by the generator", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
