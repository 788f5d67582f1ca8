package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acprun/internal/workspace"
)

// open returns a workspace in a directory with a secret beside it, and the path of what holds both.
func open(t *testing.T) (w *workspace.Workspace, parent string) {
	t.Helper()
	parent = t.TempDir()
	dir := filepath.Join(parent, "work")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(parent, "secret"), "secret")
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, parent
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// names lists all that is in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if path != "." {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestConfined checks that no path leads out, neither for reading nor for writing nor as a directory, and that a refusal leaves nothing behind.
func TestConfined(t *testing.T) {
	tests := []struct {
		name  string
		path  func(dir, parent string) string
		links map[string]string // in the directory; % is its parent
		want  error             // nil: any
	}{
		{name: "outside", path: func(_, parent string) string { return filepath.Join(parent, "secret") }, want: workspace.ErrOutside},
		{name: "root", path: func(string, string) string { return string(filepath.Separator) }, want: workspace.ErrOutside},
		{name: "relative", path: func(string, string) string { return "secret" }, want: workspace.ErrRelative},
		{name: "empty", path: func(string, string) string { return "" }, want: workspace.ErrRelative},
		{name: "parent", path: func(dir, _ string) string { return dir + "/../secret" }, want: workspace.ErrOutside},
		{name: "parent that comes back", path: func(dir, _ string) string { return dir + "/../work/secret" }, want: workspace.ErrOutside},
		{name: "parent at the end", path: func(dir, _ string) string { return dir + "/a/.." }, want: workspace.ErrOutside},
		{name: "same prefix", path: func(dir, _ string) string { return dir + "-too" }, want: workspace.ErrOutside},
		{name: "relative link to a file", links: map[string]string{"out": "../secret"}, path: func(dir, _ string) string { return dir + "/out" }},
		{name: "absolute link to a file", links: map[string]string{"out": "%/secret"}, path: func(dir, _ string) string { return dir + "/out" }},
		{name: "link to a directory", links: map[string]string{"out": ".."}, path: func(dir, _ string) string { return dir + "/out/secret" }},
		{name: "link to a link", links: map[string]string{"out": "next", "next": "../secret"}, path: func(dir, _ string) string { return dir + "/out" }},
		{name: "link to nothing outside", links: map[string]string{"out": "../new"}, path: func(dir, _ string) string { return dir + "/out" }},
		{name: "link to itself", links: map[string]string{"out": "out"}, path: func(dir, _ string) string { return dir + "/out" }},
		{name: "zero byte", path: func(dir, _ string) string { return dir + "/a\x00b" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, parent := open(t)
			put(t, filepath.Join(parent, "work-too"), "secret")
			for name, target := range tt.links {
				link(t, strings.ReplaceAll(target, "%", parent), filepath.Join(w.Dir(), name))
			}
			before := names(t, parent)
			path := tt.path(w.Dir(), parent)
			text, readErr := w.ReadText(path, nil, nil)
			if text != "" {
				t.Errorf("read %q", text)
			}
			writeErr := w.WriteText(path, "overwritten")
			_, dirErr := w.Subdir(path)
			for what, err := range map[string]error{"ReadText": readErr, "WriteText": writeErr, "Subdir": dirErr} {
				if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
					t.Errorf("%s: error %v, want %v", what, err, tt.want)
				}
			}
			if diff := cmp.Diff(before, names(t, parent)); diff != "" {
				t.Errorf("files: mismatch (-want +got):\n%s", diff)
			}
			if got := get(t, filepath.Join(parent, "secret")); got != "secret" {
				t.Errorf("the file outside holds %q", got)
			}
		})
	}
}

// TestSubdirOutside checks that a link to a directory outside is not one to run commands in.
func TestSubdirOutside(t *testing.T) {
	w, _ := open(t)
	link(t, "..", filepath.Join(w.Dir(), "out"))
	if got, err := w.Subdir(filepath.Join(w.Dir(), "out")); err == nil {
		t.Errorf("Subdir: %s", got)
	}
	put(t, filepath.Join(w.Dir(), "file"), "")
	if _, err := w.Subdir(filepath.Join(w.Dir(), "file")); !errors.Is(err, workspace.ErrNotDir) {
		t.Errorf("Subdir of a file: error %v, want %v", err, workspace.ErrNotDir)
	}
}

// TestLinksInside checks that links within the directory work, and that the directory may be named by a link to it.
func TestLinksInside(t *testing.T) {
	_, parent := open(t)
	alias := filepath.Join(parent, "alias")
	link(t, "work", alias)
	w, err := workspace.Open(alias)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	put(t, filepath.Join(alias, "d", "real"), "one\n")
	link(t, filepath.Join("d", "real"), filepath.Join(alias, "soft"))
	link(t, "d/new", filepath.Join(alias, "dangling"))

	for _, dir := range []string{alias, filepath.Join(parent, "work")} {
		if text, err := w.ReadText(filepath.Join(dir, "soft"), nil, nil); err != nil || text != "one\n" {
			t.Errorf("ReadText in %s: %q, %v", dir, text, err)
		}
	}
	for name, target := range map[string]string{"soft": "real", "dangling": "new"} {
		if err := w.WriteText(filepath.Join(alias, name), "two\n"); err != nil {
			t.Errorf("WriteText by the link %s: %v", name, err)
			continue
		}
		if got := get(t, filepath.Join(alias, "d", target)); got != "two\n" {
			t.Errorf("the target of the link %s holds %q", name, got)
		}
		if info, err := os.Lstat(filepath.Join(alias, name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
	want, err := filepath.EvalSymlinks(filepath.Join(parent, "work", "d"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.Subdir(filepath.Join(alias, "d")); err != nil || got != want {
		t.Errorf("Subdir: %s, %v; want %s", got, err, want)
	}
}

func TestReadText(t *testing.T) {
	long := strings.Repeat("x", 200_000) + "\n"
	tests := []struct {
		name        string
		content     string
		line, limit *uint32
		want        string
		err         error
	}{
		{name: "all", content: "a\nb\n", want: "a\nb\n"},
		{name: "no line end", content: "a\nb", want: "a\nb"},
		{name: "empty", content: ""},
		{name: "from line 2", content: "a\nb\nc", line: new(uint32(2)), want: "b\nc"},
		{name: "line 0 is the first", content: "a\nb\n", line: new(uint32(0)), want: "a\nb\n"},
		{name: "two lines", content: "a\nb\nc\n", limit: new(uint32(2)), want: "a\nb\n"},
		{name: "one line in the middle", content: "a\nb\nc\n", line: new(uint32(2)), limit: new(uint32(1)), want: "b\n"},
		{name: "no lines", content: "a\n", limit: new(uint32(0))},
		{name: "more than there are", content: "a\nb", limit: new(uint32(9)), want: "a\nb"},
		{name: "behind the end", content: "a\nb\n", line: new(uint32(3))},
		{name: "far behind the end", content: "a\n", line: new(uint32(1<<32 - 1)), limit: new(uint32(1<<32 - 1))},
		{name: "line ends stay", content: "a\r\nb\r\n", line: new(uint32(2)), want: "b\r\n"},
		{name: "byte order mark stays", content: "\ufeffa", want: "\ufeffa"},
		{name: "long lines", content: long + long + "end", line: new(uint32(2)), want: long + "end"},
		{name: "not UTF-8", content: "a\n\xff\n", err: workspace.ErrNotText},
		{name: "not UTF-8 elsewhere", content: "\xff\nb\n", line: new(uint32(2)), want: "b\n"},
		{name: "too large", content: strings.Repeat("x", workspace.MaxRead+1), err: workspace.ErrTooLarge},
		{name: "large, but not what is asked for", content: strings.Repeat("x", workspace.MaxRead+1) + "\nb", line: new(uint32(2)), want: "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := open(t)
			path := filepath.Join(w.Dir(), "f")
			put(t, path, tt.content)
			got, err := w.ReadText(path, tt.line, tt.limit)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadMissing(t *testing.T) {
	w, _ := open(t)
	if _, err := w.ReadText(filepath.Join(w.Dir(), "no", "file"), nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := w.ReadText(w.Dir(), nil, nil); !errors.Is(err, workspace.ErrNotFile) {
		t.Errorf("a directory: error %v, want %v", err, workspace.ErrNotFile)
	}
}

func TestWriteText(t *testing.T) {
	w, _ := open(t)
	path := filepath.Join(w.Dir(), "a", "b", "f")
	for _, content := range []string{"first\n", "second, and longer\n", "", "third\n"} {
		if err := w.WriteText(path, content); err != nil {
			t.Fatal(err)
		}
		if got := get(t, path); got != content {
			t.Errorf("the file holds %q, want %q", got, content)
		}
	}
	if err := w.WriteText(filepath.Join(w.Dir(), "a"), "x"); !errors.Is(err, workspace.ErrNotFile) {
		t.Errorf("a directory: error %v, want %v", err, workspace.ErrNotFile)
	}
	if err := w.WriteText(filepath.Join(path, "below a file"), "x"); err == nil {
		t.Error("a file was written below a file")
	}
	if diff := cmp.Diff([]string{"a", "a/b", "a/b/f"}, names(t, w.Dir())); diff != "" {
		t.Errorf("files: mismatch (-want +got):\n%s", diff)
	}
}

// TestWriteKeepsMode checks the permissions of files that exist, and that a file keeps its content until all of the new is there.
func TestWriteKeepsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no permissions like these here")
	}
	w, _ := open(t)
	path := filepath.Join(w.Dir(), "script")
	put(t, path, "old")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	if err := w.WriteText(path, "new"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o751 {
		t.Errorf("permissions %o, want 751", got)
	}
	old := make([]byte, 8)
	if n, _ := reader.Read(old); string(old[:n]) != "old" {
		t.Errorf("who had the old file open reads %q", old[:n])
	}
}

func TestRel(t *testing.T) {
	w, parent := open(t)
	for path, want := range map[string]string{
		filepath.Join(w.Dir(), "a", "b"): filepath.Join("a", "b"),
		filepath.Join(parent, "secret"):  filepath.Join(parent, "secret"),
		"relative":                       "relative",
	} {
		if got := w.Rel(path); got != want {
			t.Errorf("Rel(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	for _, name := range []string{"missing", "file"} {
		if w, err := workspace.Open(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: opened %s", name, w.Dir())
		}
	}
}
