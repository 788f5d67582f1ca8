package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/tools/bench/internal/codec"
	"github.com/acpwire/acpwire/tools/bench/internal/connection"
)

// TestMain makes the test program the command, which runs itself for some measurements.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestCodecSection(t *testing.T) {
	dir := t.TempDir()
	raw, results := filepath.Join(dir, "raw.txt"), filepath.Join(dir, "RESULTS.md")
	out := measured(t, "-count", "2", "-benchtime", "1ms", "-bench", "^(decode|encode)/chunk/", "-raw", raw, "-o", results, "codec")
	for _, want := range []string{
		"## Messages",
		"| decode: acpwire-strict / jsontext-scan ", "| decode: coder / acpwire-strict ", "| encode: coder / acpwire-marshal ",
		"### decode", "### encode", "| chunk   |",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if strings.Contains(out, "NaN") || strings.Contains(out, "### validate") {
		t.Errorf("the output has what was not measured:\n%s", out)
	}
	if saved := read(t, results); !strings.Contains(saved, strings.TrimSpace(out)) {
		t.Errorf("the file of results differs from the output:\n%s", saved)
	}
	line := regexp.MustCompile(`(?m)^BenchmarkDecode/payload=chunk/impl=coder\s+\d+\s+[\d.]+ ns/op\s.* B/op\s+\d+ allocs/op$`)
	if n := len(line.FindAllString(read(t, raw), -1)); n != 2 {
		t.Errorf("%d lines for benchstat match, want one a round:\n%s", n, read(t, raw))
	}
}

func TestRotated(t *testing.T) {
	var list []*series
	for _, id := range []string{"decode a 1", "decode a 2", "decode a 3", "encode a 1", "encode b 1"} {
		f := strings.Fields(id)
		list = append(list, &series{Case: &codec.Case{Op: f[0], Payload: f[1], Impl: f[2]}})
	}
	for round, want := range []string{"1 2 3 1 1", "2 3 1 1 1", "3 1 2 1 1", "1 2 3 1 1"} {
		var got []string
		for _, s := range rotated(list, round) {
			got = append(got, s.Impl)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("round %d: %v, want %s", round, got, want)
		}
	}
}

// TestRound shows that a library that fails at times is measured, and its failures are told.
func TestRound(t *testing.T) {
	calls := 0
	r := &rival{way: inMemory, name: "flaky", measure: func(context.Context) (connection.Result, error) {
		if calls++; calls == 2 || calls == 3 {
			return connection.Result{Updates: 1, Wall: float64(calls)}, nil
		}
		return connection.Result{}, errors.New("lost")
	}}
	for range 3 {
		if err := r.round(t.Context(), func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(r.series(wallOf)); got != "[2 3 NaN]" {
		t.Errorf("rounds %s, want one that succeeded at once, one later, one never", got)
	}
	if got := failures([]*rival{r}); !strings.Contains(got, "failed in 6 of 8 attempts: lost.") {
		t.Errorf("got %q", got)
	}
}

func TestCheckerSection(t *testing.T) {
	out := measured(t, "-count", "1", "-size", "0.3", "-o", "", "checker")
	for _, want := range []string{"## Checker", "| acpcheck / token scan ", "| acpcheck with rules / without ", "Peak memory of acpcheck:", "| token scan ", "300 KB in 1,"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

func TestTapSection(t *testing.T) {
	out := measured(t, "-count", "1", "-updates", "300", "-o", "", "tap")
	for _, want := range []string{"## Tap", "| nothing ", "| copy ", "| acpcheck tap ", "| acpcheck tap --record "} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "NaN") {
		t.Errorf("something was not measured:\n%s", out)
	}
}

// TestClean shows that a tap that reports something spoils the measurement.
func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, report, want string }{
		{"nothing", "", ""},
		{"summary", `{"type":"summary","frames":3}`, ""},
		{"check given up", `{"type":"note","message":"4096 bytes were not checked"}` + "\n" + `{"type":"note","message":"the agent ended with exit status 0"}`, "4096 bytes"},
		{"finding", `{"type":"summary"}` + "\n" + `{"type":"finding","rule":"MSG-1"}`, "MSG-1"},
		{"no JSON", "acpcheck: gave up", "invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "findings")
			if err := os.WriteFile(file, []byte(tt.report), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := clean(file); tt.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestConnectionSection(t *testing.T) {
	out := measured(t, "-count", "1", "-updates", "300", "-typescript=false", "-o", "", "connection")
	for _, want := range []string{"## Connection", "| memory     | acpwire ", "| stdio      | coder ", "| goroutines ", "Left out: the official TypeScript SDK"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "failed in") {
		t.Errorf("a library failed:\n%s", out)
	}
}

// TestCounter shows that the start of the process cancels.
func TestCounter(t *testing.T) {
	const script = `echo "Collected : $((1000000 + 50 * $3))"`
	c := counter{"sh", []string{"sh", "-c", script}, regexp.MustCompile(`Collected : (\d+)`)}
	if _, err := c.run(t.Context(), "", 1); err != nil {
		t.Skipf("there is no shell to play the tool: %v", err)
	}
	got, err := c.each(t.Context(), "decode/chunk/coder", 10)
	if err != nil {
		t.Fatal(err)
	}
	if got != 50 {
		t.Errorf("%v instructions, want 50", got)
	}
}

func TestCounterFails(t *testing.T) {
	for _, c := range []counter{
		{"missing", []string{"acpwire-no-such-tool"}, nil},
		{"silent", []string{os.Args[0], "-test.run=^$"}, regexp.MustCompile(`Collected : (\d+)`)},
	} {
		if n, err := c.run(t.Context(), "decode/chunk/coder", 1); err == nil {
			t.Errorf("%s: %v instructions", c.name, n)
		}
	}
}

func TestLoop(t *testing.T) {
	id := codec.Decode + "/chunk/" + codec.Strict
	for _, tt := range []struct {
		name, args, want string
	}{
		{"runs", id + " 5", ""},
		{"no such case", "decode/chunk/nobody 5", `no case "decode/chunk/nobody"`},
		{"no such operation", "decoed/chunk/coder 5", `no operation "decoed"`},
		{"no number", id + " many", strconv.Quote("many")},
		{"too few", id, "usage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"-loop"}, strings.Fields(tt.args)...), nil, io.Discard, io.Discard)
			if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct{ name, args, want string }{
		{"no such section", "speed", `no section "speed"`},
		{"no rounds", "-count 0", "not positive"},
		{"part of the results", "-bench decode codec", "-bench leaves cases out"},
		{"bad pattern", "-bench ( -o x", "missing closing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(strings.Fields(tt.args), io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	o, err := parse(nil, io.Discard)
	if err != nil || len(o.sections) != len(sections) {
		t.Errorf("got %v sections, %v; want all", o, err)
	}
}

func measured(t *testing.T, args ...string) string {
	t.Helper()
	var out, progress bytes.Buffer
	if err := run(t.Context(), args, nil, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	return out.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
