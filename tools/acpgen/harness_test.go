package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/tools/acpgen/internal/docs"
	"github.com/acpwire/acpwire/tools/acpgen/internal/emit"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// moduleRoot is where the module's root is, seen from this package.
const moduleRoot = "../.."

// envelope makes a whole schema of definitions: a root with a list that adds no method.
const envelope = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "anyOf": [{"title": "ProtocolLevel", "type": "object",
	"properties": {"jsonrpc": {"type": "string"}, "method": {"type": "string"}, "params": {"anyOf": [
	{"anyOf": [{"$ref": "#/$defs/ExtNotification"}]}, {"type": "null"}]}}}], "$defs": {"ExtNotification": {}, %s}`

// wholeSchema returns a schema file with the definitions; one that has a root of its own is left alone.
func wholeSchema(data []byte) []byte {
	if bytes.Contains(data, []byte(`"$defs":`)) {
		return data
	}
	return fmt.Appendf(nil, envelope, strings.TrimPrefix(strings.TrimSpace(string(data)), "{"))
}

// A source is what a package is generated from.
type source struct {
	schema  []byte
	overlay []byte // nil for none
	docs    []byte // one YAML file; nil makes do without
}

// generateSource runs the pipeline on a source without files around it, and returns the package's plan too.
func generateSource(t testing.TB, name string, s source) (*plan.Package, map[string][]byte, error) {
	t.Helper()
	dir := t.TempDir()
	overlayPath, docsDir := "", ""
	if s.overlay != nil {
		overlayPath = filepath.Join(dir, "overlay.yaml")
		writeFile(t, overlayPath, s.overlay)
	}
	if s.docs != nil {
		docsDir = filepath.Join(dir, "docs")
		writeFile(t, filepath.Join(docsDir, "docs.yaml"), s.docs)
	}
	m, err := build(wholeSchema(s.schema))
	if err != nil {
		return nil, nil, err
	}
	overlay, err := plan.ReadOverlay(overlayPath)
	if err != nil {
		return nil, nil, err
	}
	pkg, err := plan.Build(m, plan.Config{Package: name, Surface: name, Version: 1, Overlay: overlay})
	if err != nil {
		return nil, nil, err
	}
	texts, err := docs.Read(docsDir)
	if err != nil {
		return nil, nil, err
	}
	files, err := emit.Files(pkg, emit.Config{Header: []string{"Code generated for a test. DO NOT EDIT."}, Docs: texts, Site: site})
	if err == nil {
		err = texts.Check()
	}
	return pkg, files, err
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An archive is one file of cases: a schema with what is expected of it.
type archive struct {
	name, path string
	*txtar.Archive
}

func (a *archive) file(name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func (a *archive) source() source {
	return source{schema: a.file("schema.json"), overlay: a.file("overlay.yaml"), docs: a.file("docs.yaml")}
}

// set replaces the content of a file that the archive has.
func (a *archive) set(name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
		}
	}
}

func (a *archive) save(t testing.TB) {
	t.Helper()
	writeFile(t, a.path, txtar.Format(a.Archive))
}

func archives(t testing.TB, dir string) []*archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in testdata/%s: %v", dir, err)
	}
	var out []*archive
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, &archive{strings.TrimSuffix(filepath.Base(path), ".txtar"), path, a})
	}
	return out
}

// exports are the compiled packages that generated code may import, by import path.
var exports = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "context", "encoding/json", "./gen/wire")
	cmd.Dir = moduleRoot
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	m := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		m[path] = file
	}
	return m, nil
})

// fileSet and imported serve all type checks: the compiled packages are read once.
var (
	fileSet  = token.NewFileSet()
	imported = importer.ForCompiler(fileSet, "gc", func(path string) (io.ReadCloser, error) {
		files, err := exports()
		if err != nil {
			return nil, err
		}
		if files[path] == "" {
			return nil, fmt.Errorf("generated code must not import %q", path)
		}
		return os.Open(files[path])
	})
)

// typeCheck fails if the files are not a Go package.
func typeCheck(t testing.TB, name string, files map[string][]byte) *types.Package {
	t.Helper()
	var parsed []*ast.File
	for _, file := range fileNames(files) {
		f, err := parser.ParseFile(fileSet, name+"/"+file, files[file], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	var errs []error
	conf := types.Config{Importer: imported, Error: func(err error) { errs = append(errs, err) }}
	pkg, err := conf.Check("example.com/"+name, fileSet, parsed, nil)
	for _, err := range errs[:min(len(errs), 10)] {
		t.Error(err)
	}
	if err != nil {
		t.FailNow()
	}
	return pkg
}

// body returns generated source without what all files have: header, package clause and imports.
func body(src []byte) []byte {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if err != nil {
		return src
	}
	end := f.Name.End()
	if n := len(f.Decls); n > 0 {
		end = f.Decls[n-1].End()
	}
	return append(bytes.TrimSpace(slices.Clone(src[end-1:])), '\n')
}
