package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/docs"
	"github.com/acpwire/acpwire/tools/acpgen/internal/emit"
	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// errStale says that generated files differ from what the generator makes.
var errStale = errors.New("generated files are out of date; run make generate")

// site is where the protocol's pages are.
const site = "https://agentclientprotocol.com/protocol/"

const usage = `acpgen generates the Go package of one surface of the Agent Client Protocol.

usage: acpgen [flags]

Run from the module's root; go generate ./... does. Exit status: 0 done, 1 with -check when files are out of date, 2 could not run.

flags:
`

// options are the command line.
type options struct {
	surface, schema, docs, names, out, pkg string
	version                                int
	check                                  bool
	dump                                   bool
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	fs := flag.NewFlagSet("acpgen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.surface, "surface", "v1", "surface to generate, such as v1 or v1-unstable")
	fs.StringVar(&o.schema, "schema", "", "schema `file` (default schema/v1/schema.json and the like, by surface)")
	fs.StringVar(&o.docs, "docs", "", "`directory` of doc texts (default tools/acpgen/docs/SURFACE); \"none\" makes do without")
	fs.StringVar(&o.names, "names", "", "overlay `file` (default tools/acpgen/names/SURFACE.yaml); \"none\" makes do without")
	fs.StringVar(&o.out, "out", "", "`directory` to write (default gen/acpv1 and the like, by surface)")
	fs.IntVar(&o.version, "version", 0, "protocolVersion of the surface (default by surface)")
	fs.BoolVar(&o.check, "check", false, "write nothing; fail and show where each file starts to differ")
	fs.BoolVar(&o.dump, "dump", false, "write nothing; print the normalised schema")
	fs.Usage = func() {}
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(stdout)
		fmt.Fprint(stdout, usage)
		fs.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; see acpgen --help", err)
	case fs.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; see acpgen --help", fs.Arg(0))
	}
	return &o, o.defaults()
}

// surfaceName is a protocol version with the number, and what is said of its state.
var surfaceName = regexp.MustCompile(`^(v([1-9][0-9]*))(?:-([a-z]+))?$`)

// defaults fills in what the surface's name implies.
func (o *options) defaults() error {
	match := surfaceName.FindStringSubmatch(o.surface)
	if match == nil {
		return fmt.Errorf("surface %q: want a name such as v1 or v1-unstable", o.surface)
	}
	major, variant := match[1], match[3]
	if o.version == 0 {
		version, err := strconv.Atoi(match[2])
		if err != nil {
			return fmt.Errorf("surface %q: %w", o.surface, err)
		}
		o.version = version
	}
	file := "schema.json"
	if variant != "" {
		file = variant + ".json"
	}
	o.pkg = "acp" + major + variant
	set := func(p *string, v string) {
		if *p == "" {
			*p = v
		}
		if *p == "none" {
			*p = ""
		}
	}
	set(&o.schema, filepath.Join("schema", major, file))
	set(&o.docs, filepath.Join("tools/acpgen/docs", o.surface))
	set(&o.names, filepath.Join("tools/acpgen/names", o.surface+".yaml"))
	set(&o.out, filepath.Join("gen", o.pkg))
	return nil
}

func run(_ context.Context, args []string, _ io.Reader, stdout, _ io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(o.schema)
	if err != nil {
		return err
	}
	if o.dump {
		return dump(data, stdout)
	}
	files, err := generate(o, data)
	if err != nil {
		return err
	}
	if o.check {
		return check(o.out, files, stdout)
	}
	return write(o.out, files)
}

func dump(data []byte, stdout io.Writer) error {
	m, err := build(data)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, model.Dump(m))
	return err
}

func build(data []byte) (*model.Schema, error) {
	s, err := load.Load(data)
	if err != nil {
		return nil, err
	}
	return model.Build(s)
}

// generate runs the pipeline and returns the files by name.
func generate(o *options, data []byte) (map[string][]byte, error) {
	m, err := build(data)
	if err != nil {
		return nil, err
	}
	overlay, err := plan.ReadOverlay(o.names)
	if err != nil {
		return nil, err
	}
	pkg, err := plan.Build(m, plan.Config{Package: o.pkg, Surface: o.surface, Version: o.version, Overlay: overlay})
	if err != nil {
		return nil, err
	}
	texts, err := docs.Read(o.docs)
	if err != nil {
		return nil, err
	}
	header, err := header(o.schema, data)
	if err != nil {
		return nil, err
	}
	files, err := emit.Files(pkg, emit.Config{Header: header, Docs: texts, Site: site})
	return files, errors.Join(err, texts.Check())
}

// header says which schema the files come from.
func header(path string, data []byte) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), "source.json"))
	if err != nil {
		return nil, err
	}
	var source struct{ Package, Version string }
	if err := json.Unmarshal(raw, &source); err != nil {
		return nil, fmt.Errorf("source.json: %w", err)
	}
	return []string{
		fmt.Sprintf("Code generated by acpgen from %s@%s, %s. DO NOT EDIT.", source.Package, source.Version, filepath.ToSlash(path)),
		fmt.Sprintf("Schema sha256: %x", sha256.Sum256(data)),
	}, nil
}

// check compares the files with those of dir, prints where they differ and returns errStale if they do.
func check(dir string, files map[string][]byte, stdout io.Writer) error {
	stale := false
	for _, name := range fileNames(files) {
		path := filepath.Join(dir, name)
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if !bytes.Equal(have, files[name]) {
			stale = true
			if _, err := fmt.Fprint(stdout, firstDifference(path, have, files[name])); err != nil {
				return err
			}
		}
	}
	extra, err := leftovers(dir, files)
	if err != nil {
		return err
	}
	for _, path := range extra {
		stale = true
		if _, err := fmt.Fprintf(stdout, "%s: no longer generated\n", path); err != nil {
			return err
		}
	}
	if stale {
		return errStale
	}
	return nil
}

func fileNames(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leftovers returns the generated files of dir that are generated no more.
func leftovers(dir string, files map[string][]byte) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(p string) bool { return files[filepath.Base(p)] != nil }), nil
}

// firstDifference shows the first differing line of two files.
func firstDifference(path string, have, want []byte) string {
	h, w := slices.Collect(strings.Lines(string(have))), slices.Collect(strings.Lines(string(want)))
	line := func(s []string, i int) string {
		if i < len(s) {
			return strings.TrimSuffix(s[i], "\n")
		}
		return "(end of file)"
	}
	i := 0
	for i < len(h) && i < len(w) && h[i] == w[i] {
		i++
	}
	return fmt.Sprintf("%s:%d: differs\n-%s\n+%s\n", path, i+1, line(h, i), line(w, i))
}

// write writes the files and removes those that are generated no more. Files that did not change are left alone.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	extra, err := leftovers(dir, files)
	if err != nil {
		return err
	}
	for _, path := range extra {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, name := range fileNames(files) {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, files[name]) {
			continue
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
