package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const checkHelp = `acpsync check derives the schemas of the pinned version again and compares them with the committed files, byte by byte.

usage: acpsync check [--dir DIR] [--tarball FILE]

It names each file that differs, and the first line and place where it does. It writes nothing.
`

func newCheck(stdout, stderr io.Writer) *command {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	dir := flags.String("dir", "schema", "directory `DIR` of the derived schemas")
	tarball := flags.String("tarball", "", "take the tarball from `FILE` instead of downloading it")
	return &command{flags: flags, help: checkHelp, action: func(ctx context.Context, _ []string) error {
		return check(ctx, *dir, *tarball, stdout, stderr)
	}}
}

func check(ctx context.Context, dir, tarball string, stdout, stderr io.Writer) error {
	p, err := readPin(dir)
	if err != nil {
		return err
	}
	if p == (pin{}) {
		return fmt.Errorf("%s: no source.json pins a version", dir)
	}
	r, err := open(ctx, p, "", tarball, stderr)
	if err != nil {
		return err
	}
	files, err := deriveAll(r.Contents, r.integrity)
	if err != nil {
		return err
	}
	var report bytes.Buffer
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		have, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(&report, "%s: missing\n", name)
		case err != nil:
			return err
		case !bytes.Equal(have, f.data):
			fmt.Fprintf(&report, "%s:%s\n", name, firstDifference(have, f.data))
		}
	}
	different := report.Len() > 0
	if !different {
		fmt.Fprintf(&report, "%s matches %s %s\n", dir, r.Name, r.Version)
	}
	if _, err := stdout.Write(report.Bytes()); err != nil {
		return err
	}
	if different {
		return errDifferent
	}
	return nil
}
