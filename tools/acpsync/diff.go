package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpwire/acpwire/tools/acpsync/internal/diff"
	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

const diffHelp = `acpsync diff says what changes from one protocol schema to another: methods, definitions, properties, variants, enum
values, types, ranges, formats and leniency; whether that accepts less (tightened) or more (loosened); and which Go
identifier it touches.

usage: acpsync diff [--surface NAME] [--format text|json] [--dir DIR] OLD NEW

OLD and NEW are each an exact version ("2.4.0"), a package tarball (*.tgz) or a schema file, upstream or derived. Two
versions are compared on every surface; a file is compared with the v1 surface of a version unless --surface says
otherwise. The pinned version is read from DIR, other versions are downloaded.

Prose, the order of members and variants, and different spellings of the same constraint are no difference. A new
optional property counts as added, not as tightened, because the protocol's objects are open.
`

func newDiff(stdout, stderr io.Writer) *command {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	name := flags.String("surface", "", "compare only surface `NAME`: v1, v1-unstable, v2 or v2-unstable")
	format := flags.String("format", "text", "output `FORMAT`, text or json")
	dir := flags.String("dir", "schema", "directory `DIR` of the derived schemas")
	return &command{flags: flags, help: diffHelp, nargs: 2, action: func(ctx context.Context, args []string) error {
		if *format != "text" && *format != "json" {
			return fmt.Errorf("diff: unknown format %q: text or json expected", *format)
		}
		report, err := compare(ctx, comparison{dir: *dir, surface: *name, before: args[0], after: args[1], notes: stderr})
		if err != nil {
			return err
		}
		write := report.WriteText
		if *format == "json" {
			write = report.WriteJSON
		}
		if err := write(stdout); err != nil {
			return err
		}
		if !report.Same() {
			return errDifferent
		}
		return nil
	}}
}

// A comparison is what the arguments of diff ask for.
type comparison struct {
	dir           string // of the derived schemas
	surface       string // empty: all of them if both sides have surfaces
	before, after string
	notes         io.Writer // where downloads are announced
}

func compare(ctx context.Context, c comparison) (*diff.Report, error) {
	a, err := openOperand(ctx, c.dir, c.before, c.notes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.before, err)
	}
	b, err := openOperand(ctx, c.dir, c.after, c.notes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.after, err)
	}
	name := c.surface
	wanted := surfaces
	if name == "" && (a.file != "" || b.file != "") {
		name = surfaces[0].name
	}
	if name != "" {
		s, err := surfaceNamed(name)
		if err != nil {
			return nil, err
		}
		wanted = []surface{s}
	}
	report := &diff.Report{Old: c.before, New: c.after}
	if a.file != "" && b.file != "" {
		wanted = []surface{{}}
	}
	for _, s := range wanted {
		result, err := compareSurface(s, a, b)
		if err != nil {
			return nil, err
		}
		if result != nil {
			report.Surfaces = append(report.Surfaces, *result)
		}
	}
	if len(report.Surfaces) == 0 {
		return nil, errors.New("neither side has a schema to compare")
	}
	return report, nil
}

// compareSurface compares one surface; the result is nil if neither side has it.
func compareSurface(s surface, a, b *operand) (*diff.Surface, error) {
	before, err := a.schema(s)
	if err != nil {
		return nil, err
	}
	after, err := b.schema(s)
	if err != nil {
		return nil, err
	}
	switch {
	case before == nil && after == nil:
		return nil, nil
	case before == nil:
		return &diff.Surface{Surface: s.name, Missing: "old", Summary: map[string]int{}, Changes: []diff.Change{}}, nil
	case after == nil:
		return &diff.Surface{Surface: s.name, Missing: "new", Summary: map[string]int{}, Changes: []diff.Change{}}, nil
	}
	result := diff.NewSurface(s.name, before, after)
	return &result, nil
}

// An operand is one side of a comparison.
type operand struct {
	name  string
	file  string            // the schema file; empty for a release
	files map[string][]byte // schemas of a release by surface name
}

// openOperand finds out what arg names and reads it.
func openOperand(ctx context.Context, dir, arg string, notes io.Writer) (*operand, error) {
	o := &operand{name: arg, files: map[string][]byte{}}
	isVersion := upstream.CheckVersion(arg) == nil
	if !isVersion && !strings.HasSuffix(arg, ".tgz") {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("neither an exact version nor a file: %w", err)
		}
		if !info.Mode().IsRegular() {
			return nil, errors.New("not a regular file")
		}
		o.file = arg
		data, err := os.ReadFile(arg)
		o.files[""] = data
		return o, err
	}
	p, err := readPin(dir)
	if err != nil {
		return nil, err
	}
	if isVersion && arg == p.version && o.readCommitted(dir) {
		return o, nil
	}
	version, file := arg, ""
	if !isVersion {
		version, file, p = "", arg, pin{}
	}
	r, err := open(ctx, p, version, file, notes)
	if err != nil {
		return nil, err
	}
	for _, s := range surfaces {
		if data, ok := r.Files[s.upstream]; ok {
			o.files[s.name] = data
		}
	}
	return o, nil
}

// readCommitted reads the derived schemas below dir. It returns false unless each of them is what its source.json says.
func (o *operand) readCommitted(dir string) bool {
	files := map[string][]byte{}
	for _, s := range surfaces {
		raw, err := os.ReadFile(filepath.Join(dir, s.dir, sourceFile))
		if err != nil {
			return false
		}
		src, err := upstream.ParseSource(raw)
		if err != nil {
			return false
		}
		data, err := os.ReadFile(filepath.Join(dir, s.dir, s.file))
		if err != nil || sha256Hex(data) != src.SHA256(s.file) {
			return false
		}
		files[s.name] = data
	}
	o.files = files
	return true
}

// schema returns the operand's schema for a surface, nil if it has none.
func (o *operand) schema(s surface) (*diff.Schema, error) {
	key, where := s.name, o.name+": "+s.upstream
	if o.file != "" {
		key, where = "", o.file
	}
	data, ok := o.files[key]
	if !ok {
		return nil, nil
	}
	parsed, err := diff.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return parsed, nil
}
