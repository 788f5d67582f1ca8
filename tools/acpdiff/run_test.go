package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-n", "600", "-seed", "7", "-j", "2"}, &out, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		"seed 7, instances 0 to 599, 2 workers",
		"session/update params",
		"600  ",
		"mutations: drop ",
		"deliberate divergences: McpServer ",
		"0 disagree, 0 of them not looked into",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output has no %q:\n%s", want, out.String())
		}
	}
}

// TestRunIndependentOfWorkers compares all that is printed but times and numbers of workers.
func TestRunIndependentOfWorkers(t *testing.T) {
	varying := regexp.MustCompile(`\d+ workers|in [\d.a-zµ]+, \d+ a second`)
	var printed [2]string
	for i, workers := range []string{"1", "3"} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"-n", "2000", "-j", workers, "-method", "session/new"}, &out, &out); err != nil {
			t.Fatal(err)
		}
		printed[i] = varying.ReplaceAllString(out.String(), "")
	}
	if printed[0] != printed[1] {
		t.Errorf("one worker and three print different results:\n%s\n%s", printed[0], printed[1])
	}
}

func TestRunErrors(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown method", []string{"-method", "session/nope"}, `no method "session/nope"`},
		{"no workers", []string{"-j", "0"}, "at least one worker"},
		{"argument", []string{"all"}, `unexpected argument "all"`},
		{"unknown flag", []string{"-x"}, "not defined: -x"},
		{"no corpus", []string{"-corpus", "testdata/nope"}, "corpus testdata/nope"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), test.args, &out, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if got := exitStatus(err); got != 2 {
				t.Errorf("got exit status %d, want 2", got)
			}
		})
	}
	if err := run(t.Context(), []string{"-corpus", "testdata/nope"}, &bytes.Buffer{}, &bytes.Buffer{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v for a corpus that is not there, want fs.ErrNotExist", err)
	}
}

func TestRunStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := run(ctx, []string{"-n", "1000000000"}, &out, &out); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
	if !strings.Contains(out.String(), "\n0 instances in ") {
		t.Errorf("the counts are not printed:\n%s", out.String())
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, &out, &out); !errors.Is(err, flag.ErrHelp) || exitStatus(err) != 0 {
		t.Errorf("got error %v, want flag.ErrHelp and exit status 0", err)
	}
	if !strings.Contains(out.String(), "-method") {
		t.Errorf("the help names no flags:\n%s", out.String())
	}
}

// TestDisagreementReported has a wrong codec and wants the smallest instance in the report, once for each kind.
func TestDisagreementReported(t *testing.T) {
	d := newDiffer(t, "session/cancel")
	d.targets[0].new = newBlind
	total := d.run(t.Context(), options{n: 300, workers: 2}, func(uint64) {})
	var out bytes.Buffer
	if err := total.print(&out, d, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"session/cancel params (CancelNotification): accepts what the oracle rejects\n",
		"expected object (CancelNotification), got 0",
		"\n\"0\"\n",
	} {
		if got := strings.Count(out.String(), want); got != 1 {
			t.Errorf("the report has %q %d times, want once:\n%s", want, got, out.String())
		}
	}
	if got := exitStatus(errDisagreement); got != 1 {
		t.Errorf("got exit status %d for a disagreement, want 1", got)
	}
}
