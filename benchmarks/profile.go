package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/wholecall/wholecall/benchmarks/internal/peers"
	"github.com/wholecall/wholecall/benchmarks/internal/streams"
)

// profile is where the time and the allocations of a small turn go.
type profile struct {
	protocol    string
	cpu, allocs []cost
}

type cost struct{ share, function string }

func (res *results) profiles() error {
	dir, err := os.MkdirTemp("", "profiles")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runtime.MemProfileRate = 1
	for _, protocol := range streams.Protocols {
		body, _ := streams.TwoCalls().Body(protocol)
		p := profile{protocol: protocol}
		if p.cpu, err = cpu(filepath.Join(dir, protocol+".cpu"), protocol, body); err != nil {
			return err
		}
		if p.allocs, err = heap(filepath.Join(dir, protocol+".heap"), protocol, body); err != nil {
			return err
		}
		res.profile = append(res.profile, p)
	}
	return nil
}

func cpu(file, protocol string, body []byte) ([]cost, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	p := peers.Find(protocol, peers.Ours)
	for start := time.Now(); time.Since(start) < 3*time.Second; {
		p.ReadBytes(body)
	}
	pprof.StopCPUProfile()
	return top(file, "cpu", 10)
}

// heap profiles what one protocol allocates: the profile is cumulative, so that only the difference to
// what was there before counts.
func heap(file, protocol string, body []byte) ([]cost, error) {
	p := peers.Find(protocol, peers.Ours)
	if err := writeHeap(file + ".before"); err != nil {
		return nil, err
	}
	for range 100 {
		p.ReadBytes(body)
	}
	if err := writeHeap(file); err != nil {
		return nil, err
	}
	return top(file, "alloc_objects", 8, "-diff_base", file+".before")
}

func writeHeap(file string) error {
	runtime.GC()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

// top asks pprof for the functions that cost most by themselves.
func top(file, index string, n int, more ...string) ([]cost, error) {
	args := append([]string{"tool", "pprof", "-top", "-sample_index=" + index, fmt.Sprintf("-nodecount=%d", n)}, more...)
	cmd := exec.Command("go", append(args, file)...)
	cmd.Stderr = nil
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	var list []cost
	table := false
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		fields := strings.Fields(s.Text())
		switch {
		case len(fields) > 1 && fields[0] == "flat":
			table = true
		case table && len(fields) >= 6:
			list = append(list, cost{fields[1], strings.Join(fields[5:], " ")})
		}
	}
	return list, nil
}
