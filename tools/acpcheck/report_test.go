package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "page.html")
	if stdout, status, err := acpcheck(t, nil, "report", "testdata/demo.jsonl", "--html", out); status != 0 || stdout != "" {
		t.Fatalf("status %d, %q, error %v", status, stdout, err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!doctype html>", "testdata/demo.jsonl", `id="L13"`, "response-id", "</html>\n"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	stdout, _, err := acpcheck(t, bytes.NewReader(conversation(t)), "report", "-", "--html", "-", "--skip", "TOOL-1")
	if !strings.Contains(stdout, `<a href="#L7">see line 7</a>`) || strings.Contains(stdout, "TOOL-1") {
		t.Errorf("error %v, page %s", err, stdout)
	}
}

func TestReportFails(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte("\x1f\x8b\x08\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.html")
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no file", []string{"--html", out}, "expected one FILE, got 0"},
		{"no page", []string{binary}, "--html is missing"},
		{"a missing file", []string{filepath.Join(dir, "missing"), "--html", out}, "missing"},
		{"binary", []string{binary, "--html", out}, binary + ": binary data"},
		{"a bad limit", []string{binary, "--html", out, "--rows", "0"}, "at least 1"},
		{"a bad direction", []string{binary, "--html", out, "--dir", "x"}, "expected a2c, auto or c2a"},
		{"no such directory", []string{"testdata/demo.jsonl", "--html", filepath.Join(dir, "no", "page.html")}, "no such file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, status, err := acpcheck(t, nil, append([]string{"report"}, test.args...)...)
			if status != 2 || !strings.Contains(fmt.Sprint(err), test.want) {
				t.Errorf("status %d, error %v; want 2 and %q", status, err, test.want)
			}
		})
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left, want the input only (%v)", len(left), err)
	}
}
