package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"--help"}, []string{"fetch", "check", "diff OLD NEW", "exit status"}},
		{[]string{"help"}, []string{"usage: acpsync COMMAND"}},
		{[]string{"fetch", "--help"}, []string{"usage: acpsync fetch", "--version V", "--dir DIR", "--tarball FILE", "exit status"}},
		{[]string{"check", "-h"}, []string{"usage: acpsync check", "--dir DIR", "--tarball FILE", "exit status"}},
		{[]string{"diff", "x", "--help"}, []string{"usage: acpsync diff", "--surface NAME", "--format FORMAT", "exit status"}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			stdout, stderr := mustRun(t, 0, tt.args...)
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("the help lacks %q:\n%s", want, stdout)
				}
			}
			if stderr != "" {
				t.Errorf("standard error: %q", stderr)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "a command is missing"},
		{[]string{"sync"}, `unknown command "sync"`},
		{[]string{"fetch", "now"}, "fetch: 0 arguments expected, 1 given"},
		{[]string{"check", "--version", "1.2.3"}, "flag provided but not defined: -version"},
		{[]string{"fetch", "--dir"}, "flag needs an argument: -dir"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			stdout, stderr := mustRun(t, 2, tt.args...)
			if !strings.Contains(stderr, tt.want) || !strings.Contains(stderr, "--help") || stdout != "" {
				t.Errorf("error %q does not contain %q and --help; output %q", stderr, tt.want, stdout)
			}
		})
	}
}

func TestExitStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{flag.ErrHelp, 0},
		{errDifferent, 1},
		{fmt.Errorf("wrapped: %w", errDifferent), 1},
		{errors.New("other"), 2},
		{context.Canceled, 2},
	} {
		if got := exitStatus(tt.err); got != tt.want {
			t.Errorf("exitStatus(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}
