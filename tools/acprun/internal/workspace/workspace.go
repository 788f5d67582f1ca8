// Package workspace reads and writes the files of one directory for somebody who may not touch any other.
//
// Every access goes through an [os.Root], so that no symbolic link, not even one that changes meanwhile, leads out of the directory.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrRelative says that a path is not absolute.
	ErrRelative = errors.New("the path is not absolute")
	// ErrOutside says that a path is not below the directory, or might lead out of it.
	ErrOutside = errors.New("the path is outside the session's directory")
	// ErrNotFile says that a path is that of a directory, a device or the like.
	ErrNotFile = errors.New("not a regular file")
	// ErrNotDir says that a path is not that of a directory.
	ErrNotDir = errors.New("not a directory")
	// ErrNotText says that a file is not UTF-8.
	ErrNotText = errors.New("the file is not UTF-8 text")
	// ErrTooLarge says that what was to be read is longer than MaxRead.
	ErrTooLarge = fmt.Errorf("more than %d MiB of text", MaxRead>>20)
)

// A Workspace is a directory. It is safe for concurrent use.
type Workspace struct {
	dir      string // absolute, as the caller named it
	resolved string // the same without symbolic links
	root     *os.Root
}

// Open opens the directory.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, err
	}
	return &Workspace{dir: abs, resolved: resolved, root: root}, nil
}

// Dir returns the absolute path of the directory.
func (w *Workspace) Dir() string { return w.dir }

// Close ends all further access.
func (w *Workspace) Close() error { return w.root.Close() }

// rel returns the path relative to the directory. The directory may be named with and without its symbolic links. A path with "..", wherever that leads, is
// refused: it means one thing by its text and another by its links.
func (w *Workspace) rel(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", ErrRelative
	}
	if slices.Contains(strings.FieldsFunc(path, isSeparator), "..") {
		return "", ErrOutside
	}
	for _, dir := range []string{w.dir, w.resolved} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", ErrOutside
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// Rel returns how to show a path: relative to the directory if it is in it.
func (w *Workspace) Rel(path string) string {
	if rel, err := w.rel(path); err == nil {
		return rel
	}
	return path
}

// Subdir checks that path is a directory in the workspace, and returns its path without symbolic links.
func (w *Workspace) Subdir(path string) (string, error) {
	rel, err := w.rel(path)
	if err != nil {
		return "", err
	}
	// The root refuses a link that leads out, whatever EvalSymlinks would make of it.
	info, err := w.root.Stat(rel)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", ErrNotDir
	}
	return filepath.EvalSymlinks(filepath.Join(w.resolved, rel))
}
