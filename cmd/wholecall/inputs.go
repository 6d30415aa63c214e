package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// input is one capture. It can be opened as often as it takes: to detect what it is, to read it, to
// read it again with a dialect, to show a line of it.
type input struct {
	name string
	raw  func() (io.ReadCloser, error)
}

// captureNames are the extensions that a capture has in a folder; .gz or .zst may follow.
func captureNames() []string {
	return []string{".sse", ".ndjson", ".jsonl", ".chunks", ".txt", ".eventstream", ".jsonarray"}
}

// gather turns the operands into inputs, folders into what is in them. What can't be read is given to
// fail, and the rest goes on.
func gather(operands []string, stdin func() (*input, error), fail func(name string, err error)) []*input {
	var all []*input
	for _, name := range operands {
		if name == "-" {
			in, err := stdin()
			if err != nil {
				fail("standard input", err)
				continue
			}
			all = append(all, in)
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			fail(name, err)
		case info.IsDir():
			all = append(all, folder(name, fail)...)
		default:
			all = append(all, file(name))
		}
	}
	return all
}

func file(name string) *input {
	return &input{name, func() (io.ReadCloser, error) { return os.Open(name) }}
}

var errNoCaptures = errors.New("no captures in this folder")

// folder returns the captures below a folder, in the order of their names.
func folder(root string, fail func(string, error)) []*input {
	var found []*input
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fail(path, err)
		case path != root && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case isCapture(e.Name()):
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				found = append(found, file(path))
			}
		}
		return nil
	})
	if len(found) == 0 {
		fail(root, errNoCaptures)
	}
	return found
}

func isCapture(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.Contains(captureNames(), filepath.Ext(name))
}

// open returns a reader of the capture's bytes, decompressed where the first bytes say that they are
// compressed.
func (in *input) open() (io.ReadCloser, error) {
	raw, err := in.raw()
	if err != nil {
		return nil, err
	}
	r, err := decompress(bufio.NewReaderSize(raw, 64<<10))
	if err != nil {
		raw.Close()
		return nil, err
	}
	return &opened{r, raw}, nil
}

type opened struct {
	io.Reader
	raw io.Closer
}

// Close closes what lies beneath, and the decompressor with it.
func (o *opened) Close() error {
	if z, ok := o.Reader.(*zstd.Decoder); ok {
		z.Close()
	}
	return o.raw.Close()
}

// zstdMemory bounds what one zstd frame may ask for, in bytes.
const zstdMemory = 128 << 20

func decompress(r *bufio.Reader) (io.Reader, error) {
	magic, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(zstdMemory))
	}
	return r, nil
}

// head returns the first bytes of the capture, at most n, and whether there are more.
func (in *input) head(n int) (sample []byte, more bool, err error) {
	r, err := in.open()
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	sample, err = io.ReadAll(io.LimitReader(r, int64(n)+1))
	if err != nil {
		return nil, false, err
	}
	return sample[:min(len(sample), n)], len(sample) > n, nil
}

// spoolMemory is how much of standard input is kept in memory, in bytes. The rest goes to a file.
const spoolMemory = 8 << 20

// spool reads all of r, so that it can be read again. The returned function removes what it left.
func spool(ctx context.Context, r io.Reader) (*input, func(), error) {
	type outcome struct {
		in   *input
		done func()
		err  error
	}
	result := make(chan outcome, 1)
	go func() {
		in, done, err := spoolAll(r)
		result <- outcome{in, done, err}
	}()
	select {
	case <-ctx.Done():
		return nil, func() {}, ctx.Err()
	case o := <-result:
		return o.in, o.done, o.err
	}
}

func spoolAll(r io.Reader) (*input, func(), error) {
	var start bytes.Buffer
	_, err := io.CopyN(&start, r, spoolMemory)
	if err == io.EOF {
		return &input{"-", func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(start.Bytes())), nil
		}}, func() {}, nil
	}
	if err != nil {
		return nil, func() {}, err
	}
	f, err := os.CreateTemp("", "wholecall-")
	if err != nil {
		return nil, func() {}, err
	}
	name := f.Name()
	remove := func() { os.Remove(name) }
	if _, err = io.Copy(f, io.MultiReader(&start, r)); err == nil {
		err = f.Close()
	}
	if err != nil {
		f.Close()
		remove()
		return nil, func() {}, fmt.Errorf("keeping it in a file: %w", err)
	}
	return &input{"-", func() (io.ReadCloser, error) { return os.Open(name) }}, remove, nil
}
