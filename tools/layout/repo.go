// Package layout checks the rules of this repository's source tree: what may stand at the top level, who may import
// whom, how generated files are marked, how things are named, sized and documented.
//
// Every rule is a pure function from a parsed tree to findings, so that each can be shown to fail on a few lines of
// in-memory source. The test at the module root runs all of them over the real tree.
package layout

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Repo is a source tree read into memory. It is not modified after it was built, so it is safe for concurrent use.
type Repo struct {
	// Module is the path of the module at the root of the tree.
	Module string
	// Files are in lexical order of their paths.
	Files []*File

	fset *token.FileSet
}

// File is one file of a [Repo].
type File struct {
	// Path is relative to the root of the tree, with slashes.
	Path string
	// Src is the content.
	Src []byte
	// AST is nil for what the Go tool does not compile: other languages, and Go files below testdata.
	AST *ast.File
}

// Dir returns the directory of the file relative to the root, "." for the root itself.
func (f *File) Dir() string { return path.Dir(f.Path) }

// IsTest reports whether the file is a Go test file.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// IsGenerated reports whether the file is Go source that acpgen owns. The name alone decides.
func (f *File) IsGenerated() bool { return strings.HasSuffix(f.Path, "_gen.go") }

// Load reads the tree below root: every file except those that git ignores and those in .git and node_modules
// folders. Outside of a git work tree nothing counts as ignored. Go source that does not parse is an error.
func Load(root string) (*Repo, error) {
	paths, err := list(root)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", root, err)
	}
	ignored, err := gitIgnored(root, paths)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(paths))
	for _, p := range paths {
		if ignored[p] {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since it was listed
		}
		if err != nil {
			return nil, err
		}
		files[p] = src
	}
	return Parse(files)
}

// Parse builds a tree from file contents by path. The tree must hold a go.mod, from which the module path is taken.
// Go source that does not parse is an error.
func Parse(files map[string][]byte) (*Repo, error) {
	repo := &Repo{Module: modulePath(files["go.mod"]), fset: token.NewFileSet()}
	if repo.Module == "" {
		return nil, errors.New("go.mod: no module line")
	}
	for p, src := range files {
		f := &File{Path: p, Src: src}
		if strings.HasSuffix(p, ".go") && compiled(p) {
			var err error
			f.AST, err = parser.ParseFile(repo.fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
		}
		repo.Files = append(repo.Files, f)
	}
	slices.SortFunc(repo.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	return repo, nil
}

// goFiles yields the files that the Go tool compiles.
func (r *Repo) goFiles(yield func(*File) bool) {
	for _, f := range r.Files {
		if f.AST != nil && !yield(f) {
			return
		}
	}
}

func (r *Repo) line(pos token.Pos) int { return r.fset.Position(pos).Line }

func list(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || d.Name() == ".git" {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		paths = append(paths, filepath.ToSlash(rel))
		return nil
	})
	return paths, err
}

// gitIgnored asks git, because a file list of our own would miss the user's exclude files.
func gitIgnored(root string, paths []string) (map[string]bool, error) {
	const noneIgnored, notAWorkTree = 1, 128
	cmd := exec.Command("git", "check-ignore", "--stdin", "-z")
	cmd.Dir = root
	// Run from a hook, git's own variables point at the hook's index.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00"))
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if code := exit.ExitCode(); code == noneIgnored || code == notAWorkTree {
			return nil, nil
		}
		return nil, fmt.Errorf("git check-ignore: %w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git check-ignore: %w", err)
	}
	ignored := make(map[string]bool)
	for p := range strings.SplitSeq(string(out), "\x00") {
		ignored[p] = true
	}
	return ignored, nil
}

func modulePath(gomod []byte) string {
	for line := range strings.Lines(string(gomod)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// compiled reports whether the Go tool looks at a file of this path.
func compiled(p string) bool {
	for elem := range strings.SplitSeq(p, "/") {
		if elem == "testdata" || strings.HasPrefix(elem, ".") || strings.HasPrefix(elem, "_") {
			return false
		}
	}
	return true
}
