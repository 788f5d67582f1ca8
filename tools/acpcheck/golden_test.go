package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what acpcheck prints into the golden files")

// speed is the line that differs from run to run.
var speed = regexp.MustCompile(`(?m)^.* in .*: .* MB/s, .* frames/s$`)

// The comment of each archive ends with the arguments of acpcheck, behind "acpcheck ". Its file "in" is standard input; "out" and "status" are what is expected.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/validate/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, args, ok := strings.Cut(string(archive.Comment), "\nacpcheck ")
			if !ok {
				t.Fatal("the comment has no line with the command")
			}
			files := map[string][]byte{}
			for _, f := range archive.Files {
				files[f.Name] = f.Data
			}
			in, err := unquote(files["in"])
			if err != nil {
				t.Fatal(err)
			}
			stdout, status, _ := acpcheck(t, bytes.NewReader(in), strings.Fields(args)...)
			stdout = speed.ReplaceAllString(stdout, "SPEED")
			got := map[string]string{"out": stdout, "status": fmt.Sprintln(status)}
			if *update {
				archive.Files = []txtar.File{{Name: "in", Data: files["in"]}, {Name: "out", Data: []byte(got["out"])}, {Name: "status", Data: []byte(got["status"])}}
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for file, text := range got {
				if diff := cmp.Diff(string(files[file]), text); diff != "" {
					t.Errorf("%s: mismatch (-want +got):\n%s", file, diff)
				}
			}
		})
	}
}

// escaped are bytes that cannot stand in a text file, written \{XX}.
var escaped = regexp.MustCompile(`\\\{[0-9a-f]{2}\}`)

// unquote returns the bytes that an archive's input stands for. "\{}" at its end leaves out the last line end.
func unquote(b []byte) ([]byte, error) {
	b = bytes.TrimSuffix(b, []byte("\n"))
	b, cut := bytes.CutSuffix(b, []byte(`\{}`))
	if !cut && len(b) > 0 {
		b = append(b, '\n')
	}
	var err error
	return escaped.ReplaceAllFunc(b, func(m []byte) []byte {
		var c byte
		if _, e := fmt.Sscanf(string(m), `\{%x}`, &c); e != nil {
			err = e
		}
		return []byte{c}
	}), err
}

// The demo is what make demo shows to newcomers.
func TestDemo(t *testing.T) {
	stdout, status, _ := acpcheck(t, nil, "validate", "testdata/demo.jsonl")
	stdout = speed.ReplaceAllString(stdout, "SPEED")
	const golden = "testdata/demo.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), stdout); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if status != 1 {
		t.Errorf("status %d, want 1", status)
	}
}
