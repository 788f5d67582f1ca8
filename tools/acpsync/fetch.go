package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

const fetchHelp = `acpsync fetch downloads the schema package with "npm pack", checks its integrity, derives the schemas and writes them.

usage: acpsync fetch [--version V] [--dir DIR] [--tarball FILE]

Without --version it fetches the version pinned in DIR/v*/source.json; the tarball must have the integrity pinned there.
With another version the pin moves: the new integrity is printed and recorded. The same version always gives the same
bytes. Nothing is written unless every file can be derived.
`

func newFetch(stdout, stderr io.Writer) *command {
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	version := flags.String("version", "", "exact version `V` to fetch (default the pinned one)")
	dir := flags.String("dir", "schema", "directory `DIR` of the derived schemas")
	tarball := flags.String("tarball", "", "take the tarball from `FILE` instead of downloading it")
	return &command{flags: flags, help: fetchHelp, action: func(ctx context.Context, _ []string) error {
		return fetch(ctx, *version, *dir, *tarball, stdout, stderr)
	}}
}

func fetch(ctx context.Context, version, dir, tarball string, stdout, stderr io.Writer) error {
	if version != "" {
		if err := upstream.CheckVersion(version); err != nil {
			return err
		}
	}
	p, err := readPin(dir)
	if err != nil {
		return err
	}
	r, err := open(ctx, p, version, tarball, stderr)
	if err != nil {
		return err
	}
	files, err := deriveAll(r.Contents, r.integrity)
	if err != nil {
		return err
	}
	changed, err := writeAll(dir, files)
	if err != nil {
		return err
	}
	verb := "verified"
	if r.Version != p.version {
		verb = "newly pinned"
	}
	var report bytes.Buffer
	fmt.Fprintf(&report, "%s %s\nintegrity %s (%s)\n", r.Name, r.Version, r.integrity, verb)
	for i, f := range files {
		state := "unchanged"
		if changed[i] {
			state = "written"
		}
		fmt.Fprintf(&report, "%s: %s\n", filepath.Join(dir, filepath.FromSlash(f.path)), state)
	}
	_, err = stdout.Write(report.Bytes())
	return err
}

// writeAll brings dir in line with files and says which of them were not already there. Each file is complete under a
// temporary name before the first one is renamed into place.
func writeAll(dir string, files []derivedFile) (changed []bool, err error) {
	changed = make([]bool, len(files))
	staged := make([]string, len(files))
	defer func() {
		for _, name := range staged {
			if name != "" {
				err = errors.Join(err, os.Remove(name))
			}
		}
	}()
	for i, f := range files {
		target := filepath.Join(dir, filepath.FromSlash(f.path))
		if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, f.data) {
			continue
		}
		changed[i] = true
		if staged[i], err = stage(target, f.data); err != nil {
			return nil, err
		}
	}
	for i, f := range files {
		if !changed[i] {
			continue
		}
		if err := os.Rename(staged[i], filepath.Join(dir, filepath.FromSlash(f.path))); err != nil {
			return nil, err
		}
		staged[i] = ""
	}
	return changed, nil
}

// stage writes data to a temporary file beside target and returns its name, also when an error leaves it half written.
func stage(target string, data []byte) (string, error) {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	return f.Name(), errors.Join(err, f.Close())
}
