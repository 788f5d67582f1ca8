package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

// A pin is the one tarball the committed schemas come from. The zero value pins nothing.
type pin struct {
	version   string
	integrity string
}

// readPin reads the pin from the source.json files below dir. It returns the zero pin if there is none of them, and an
// error if one cannot be read or they disagree.
func readPin(dir string) (pin, error) {
	var found pin
	var foundIn string
	for _, s := range surfaces {
		name := filepath.Join(dir, s.dir, sourceFile)
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return pin{}, err
		}
		src, err := upstream.ParseSource(data)
		if err != nil {
			return pin{}, fmt.Errorf("%s: %w", name, err)
		}
		p := pin{version: src.Version, integrity: src.Integrity}
		if foundIn != "" && p != found {
			return pin{}, fmt.Errorf("%s and %s pin different tarballs", foundIn, name)
		}
		found, foundIn = p, name
	}
	return found, nil
}

// A release is an unpacked package whose integrity has been checked as far as a pin allows.
type release struct {
	*upstream.Contents
	integrity string
}

// open gets the tarball of a version, from file if that is not empty and with npm otherwise, checks it against the pin
// if the pin is for that version, and unpacks the schemas. An empty version stands for the pinned one, or, if nothing
// is pinned, for whatever the file is. A download is announced on notes.
func open(ctx context.Context, p pin, version, file string, notes io.Writer) (*release, error) {
	if version == "" {
		version = p.version
	}
	tarball, err := readTarball(ctx, version, file, notes)
	if err != nil {
		return nil, err
	}
	if version != "" && version == p.version {
		if err := upstream.CheckIntegrity(tarball, p.integrity); err != nil {
			return nil, fmt.Errorf("%s %s: %w", upstream.Package, version, err)
		}
	}
	contents, err := upstream.Open(tarball, upstreamPaths()...)
	if err != nil {
		return nil, err
	}
	if version != "" && contents.Version != version {
		return nil, fmt.Errorf("the tarball holds version %s, not %s", contents.Version, version)
	}
	return &release{Contents: contents, integrity: upstream.Integrity(tarball)}, nil
}

func readTarball(ctx context.Context, version, file string, notes io.Writer) ([]byte, error) {
	if file != "" {
		return upstream.ReadTarball(file)
	}
	if version == "" {
		return nil, errors.New("no version is pinned; name one with --version")
	}
	if _, err := fmt.Fprintf(notes, "downloading %s %s\n", upstream.Package, version); err != nil {
		return nil, err
	}
	return upstream.Pack(ctx, version)
}
