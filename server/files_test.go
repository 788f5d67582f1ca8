package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// tree makes files in a new directory: a name that ends in / is a directory, a text that begins with -> a link. It returns the directory, without links in its name.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		target, isLink := strings.CutPrefix(text, "->")
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o777)
		case isLink:
			if runtime.GOOS == "windows" {
				t.Skip("symbolic links need privileges here")
			}
			err = os.Symlink(strings.ReplaceAll(target, "$", dir), path)
		default:
			err = os.WriteFile(path, []byte(text), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func localFiles(cwd string, additional ...string) *Files {
	return newFiles(toolAccess{roots: newRoots(cwd, additional)})
}

// TestRootsLocal tries every way out of a session's directories, for reading and for writing.
func TestRootsLocal(t *testing.T) {
	dir := tree(t, map[string]string{
		"w/a": "in", "w/sub/b": "in", "more/c": "in", "secret": "out", "ww/d": "out", "private/e": "out",
		"w/rel-in": "->sub/b", "w/abs-in": "->$/w/sub/b", "w/dir-in": "->sub", "w/to-more": "->$/more",
		"w/rel-out": "->../secret", "w/abs-out": "->$/secret", "w/dir-out": "->../private", "w/twice": "->rel-out", "w/up": "->..",
		"w/dangling-out": "->$/new", "w/dangling-in": "->sub/new", "w/loop": "->loop",
		"root-link": "->w", "private/back": "->../w",
	})
	tests := []struct {
		name, path string
		cwd        string // if empty, w
		want       error  // nil is inside
	}{
		{"relative", "a", "", nil},
		{"absolute", "$/w/a", "", nil},
		{"below", "sub/b", "", nil},
		{"dots that stay", "sub/../a", "", nil},
		{"additional directory", "$/more/c", "", nil},
		{"link inside", "rel-in", "", nil},
		{"absolute link inside", "abs-in", "", nil},
		{"through a directory link inside", "dir-in/b", "", nil},
		{"link to an additional directory", "to-more/c", "", nil},
		{"root is a link", "a", "root-link", nil},
		{"root is a link, absolute", "$/root-link/a", "root-link", nil},
		{"root is a link, by its real name", "$/w/a", "root-link", nil},
		{"dots", "../secret", "", ErrOutsideRoots},
		{"dots below", "sub/../../secret", "", ErrOutsideRoots},
		{"dots behind a link", "dir-in/../../secret", "", ErrOutsideRoots},
		{"absolute outside", "$/secret", "", ErrOutsideRoots},
		{"absolute with dots", "$/w/../secret", "", ErrOutsideRoots},
		{"a directory that begins alike", "$/ww/d", "", ErrOutsideRoots},
		{"link out", "rel-out", "", ErrOutsideRoots},
		{"absolute link out", "abs-out", "", ErrOutsideRoots},
		{"link to a link out", "twice", "", ErrOutsideRoots},
		{"through a directory link out", "dir-out/e", "", ErrOutsideRoots},
		{"through a link to the parent", "up/secret", "", ErrOutsideRoots},
		{"link out, root is a link", "rel-out", "root-link", ErrOutsideRoots},
		{"an outside link that leads in", "$/private/back/a", "", ErrOutsideRoots},
		{"dangling link out", "dangling-out", "", ErrOutsideRoots},
		{"a file of the system", "/etc/passwd", "", ErrOutsideRoots},
		{"empty", "", "", fs.ErrInvalid},
		{"NUL", "a\x00", "", fs.ErrInvalid},
		{"not there", "none", "", fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cwd := filepath.Join(dir, "w")
			if tt.cwd != "" {
				cwd = filepath.Join(dir, tt.cwd)
			}
			files := localFiles(cwd, filepath.Join(dir, "more"))
			path := strings.ReplaceAll(tt.path, "$", dir)
			got, err := files.Read(t.Context(), path, 0, 0)
			reading := tt.want
			if tt.name == "dangling link out" {
				// What a link would lead to is not known to exist: either refusal is right.
				reading = err
			}
			if !errors.Is(err, reading) || (err == nil) != (got == "in") || got == "out" {
				t.Errorf("read %q, %v; want error %v", got, err, tt.want)
			}
			if errors.Is(tt.want, fs.ErrNotExist) {
				return
			}
			if err := files.Write(t.Context(), path, "in"); !errors.Is(err, tt.want) {
				t.Errorf("write: %v, want %v", err, tt.want)
			}
		})
	}
	if got, err := localFiles(filepath.Join(dir, "w")).Read(t.Context(), "loop", 0, 0); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a link to itself: %q, %v", got, err)
	}
	for _, name := range []string{"secret", "ww/d", "private/e"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != "out" || err != nil {
			t.Errorf("%s has been changed: %q, %v", name, b, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dangling link has made a file outside: %v", err)
	}
}

// TestRootsSwap puts a link out in the place of what was there when the path was looked up.
func TestRootsSwap(t *testing.T) {
	tests := []struct {
		name, swapped, target string
	}{
		{"directory", "w/d", "../out"},
		{"directory, absolute", "w/d", "$/out"},
		{"file", "w/d/f", "../../out/f"},
		{"file, absolute", "w/d/f", "$/out/f"},
		{"file, by a link that is dangling", "w/d/f", "../../out/new"},
	}
	for _, tt := range tests {
		for _, op := range []string{"read", "write"} {
			t.Run(tt.name+"/"+op, func(t *testing.T) {
				dir := tree(t, map[string]string{"w/d/f": "in", "out/f": "out"})
				r := newRoots(filepath.Join(dir, "w"), nil)
				text := ""
				err := r.do(t.Context(), op, "d/f", func(root *os.Root, name string) error {
					swapped := filepath.Join(dir, tt.swapped)
					if err := os.RemoveAll(swapped); err != nil {
						return err
					}
					if err := os.Symlink(strings.ReplaceAll(tt.target, "$", dir), swapped); err != nil {
						return err
					}
					if op == "write" {
						return writeIn(root, name, "in")
					}
					var err error
					text, err = readIn(t.Context(), root, name, 0, 0)
					return err
				})
				if text != "" || !errors.Is(err, ErrOutsideRoots) {
					t.Errorf("read %q, %v", text, err)
				}
				if b, err := os.ReadFile(filepath.Join(dir, "out/f")); string(b) != "out" || err != nil {
					t.Errorf("the file outside: %q, %v", b, err)
				}
				if entries, err := os.ReadDir(filepath.Join(dir, "out")); len(entries) != 1 || err != nil {
					t.Errorf("the directory outside: %v, %v", entries, err)
				}
			})
		}
	}
}

// TestRootsSwapLate puts a link out in the place of a directory or file when it has been looked at and is about to be written.
func TestRootsSwapLate(t *testing.T) {
	tests := []struct {
		swapped, target string
		want            error
	}{
		{"w/d", "../out", ErrOutsideRoots},
		{"w/d", "$/out", ErrOutsideRoots},
		{"w/d/f", "../../out/f", nil}, // the new file takes the place of the link itself
	}
	for _, tt := range tests {
		t.Run(tt.swapped+"/"+tt.target, func(t *testing.T) {
			dir := tree(t, map[string]string{"w/d/f": "in", "out/f": "out"})
			err := newRoots(filepath.Join(dir, "w"), nil).do(t.Context(), "write", "d/f", func(root *os.Root, name string) error {
				swapped := filepath.Join(dir, tt.swapped)
				if err := os.RemoveAll(swapped); err != nil {
					return err
				}
				if err := os.Symlink(strings.ReplaceAll(tt.target, "$", dir), swapped); err != nil {
					return err
				}
				return replaceFile(root, name, "new", 0o600, true)
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "out/f")); string(b) != "out" || err != nil {
				t.Errorf("the file outside: %q, %v", b, err)
			}
			if entries, err := os.ReadDir(filepath.Join(dir, "out")); len(entries) != 1 || err != nil {
				t.Errorf("the directory outside: %v, %v", entries, err)
			}
		})
	}
}

// TestRootsRace lets a directory and a link out take each other's place all the time.
func TestRootsRace(t *testing.T) {
	dir := tree(t, map[string]string{"w/real/f": "in", "w/evil": "->../out", "out/f": "out"})
	w := filepath.Join(dir, "w")
	files := localFiles(w)
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, other := range []string{"real", "evil"} {
				_ = os.Rename(filepath.Join(w, other), filepath.Join(w, "d"))
				_ = os.Rename(filepath.Join(w, "d"), filepath.Join(w, other))
			}
		}
	})
	for range 500 {
		if got, err := files.Read(t.Context(), "d/f", 0, 0); got != "in" && err == nil {
			t.Errorf("read %q", got)
		}
		_ = files.Write(t.Context(), "d/f", "in")
	}
	close(stop)
	swapper.Wait()
	if b, err := os.ReadFile(filepath.Join(dir, "out/f")); string(b) != "out" || err != nil {
		t.Errorf("the file outside: %q, %v", b, err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "out")); len(entries) != 1 || err != nil {
		t.Errorf("the directory outside: %v, %v", entries, err)
	}
}

// TestRootsPinned shows that a link to a session's directory that is changed later does not move the session.
func TestRootsPinned(t *testing.T) {
	dir := tree(t, map[string]string{"w/f": "in", "other/f": "out", "link": "->w"})
	link := filepath.Join(dir, "link")
	files := localFiles(link)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", link); err != nil {
		t.Fatal(err)
	}
	if got, err := files.Read(t.Context(), "f", 0, 0); got != "" || !errors.Is(err, ErrOutsideRoots) {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestFilesReadLines(t *testing.T) {
	dir := tree(t, map[string]string{"f": "1\n2\n3\n\n5", "empty": "", "crlf": "1\r\n2\r\n", "bytes": "a\xff", "d/": ""})
	tests := []struct {
		name, path  string
		line, limit int
		want        string
		err         error
	}{
		{"all", "f", 0, 0, "1\n2\n3\n\n5", nil},
		{"from the first", "f", 1, 0, "1\n2\n3\n\n5", nil},
		{"from a line", "f", 3, 0, "3\n\n5", nil},
		{"so many", "f", 0, 2, "1\n2\n", nil},
		{"so many from a line", "f", 2, 2, "2\n3\n", nil},
		{"more than there are", "f", 4, 9, "\n5", nil},
		{"behind the end", "f", 6, 1, "", nil},
		{"empty", "empty", 0, 0, "", nil},
		{"line breaks of Windows", "crlf", 2, 1, "2\r\n", nil},
		{"negative", "f", -1, 0, "", fs.ErrInvalid},
		{"not text", "bytes", 0, 0, "", ErrNotText},
		{"directory", "d", 0, 0, "", ErrNotRegular},
		{"the working directory", ".", 0, 0, "", ErrNotRegular},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := localFiles(dir).Read(t.Context(), tt.path, tt.line, tt.limit); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := localFiles(dir).Read(ended, "f", 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func TestFilesReadLimits(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxFileSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := localFiles(dir).Read(t.Context(), "large", 0, 1); !errors.Is(err, ErrFileTooLarge) {
		t.Errorf("a large file: %v", err)
	}
}

func TestFilesWrite(t *testing.T) {
	dir := tree(t, map[string]string{"f": "old", "link": "->f", "d/": ""})
	files := localFiles(dir)
	for _, path := range []string{"f", "link", "new", "x/y/z"} {
		if err := files.Write(t.Context(), path, "text of "+path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := files.Write(t.Context(), "d", "x"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	if err := files.Write(t.Context(), "f/x", "x"); err == nil {
		t.Error("wrote below a file")
	}
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		got[filepath.ToSlash(path[len(dir)+1:])] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The link is still one, and nothing temporary is left.
	if diff := cmp.Diff(map[string]string{"f": "text of link", "new": "text of new", "x/y/z": "text of x/y/z"}, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "f")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
}

// recordingClient answers file requests and keeps them.
type recordingClient struct {
	acpv1.UnimplementedClient
	reads  []*acpv1.ReadTextFileRequest
	writes []*acpv1.WriteTextFileRequest
	err    error
}

func (c *recordingClient) ReadTextFile(_ context.Context, r *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error) {
	c.reads = append(c.reads, r)
	return &acpv1.ReadTextFileResponse{Content: "unsaved"}, c.err
}

func (c *recordingClient) WriteTextFile(_ context.Context, r *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error) {
	c.writes = append(c.writes, r)
	return &acpv1.WriteTextFileResponse{}, c.err
}

func TestFilesClient(t *testing.T) {
	client := &recordingClient{}
	caps := &acpv1.ClientCapabilities{FS: &acpv1.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)}}
	files := newFiles(toolAccess{sessionID: "s", roots: newRoots("/no/such/w", []string{`C:\more`}), caps: caps, client: client})
	if got, err := files.Read(t.Context(), "a/../b", 3, 4); got != "unsaved" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := files.Read(t.Context(), `c:\more\x`, 0, 0); err != nil {
		t.Error(err)
	}
	if err := files.Write(t.Context(), "/no/such/w/c", "text"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"../x", "/etc/passwd", `C:\more\..\x`, "/no/such/ww"} {
		if _, err := files.Read(t.Context(), path, 0, 0); !errors.Is(err, ErrOutsideRoots) {
			t.Errorf("reading %s: %v", path, err)
		}
		if err := files.Write(t.Context(), path, ""); !errors.Is(err, ErrOutsideRoots) {
			t.Errorf("writing %s: %v", path, err)
		}
	}
	wantReads := []*acpv1.ReadTextFileRequest{
		{SessionID: "s", Path: "/no/such/w/b", Line: new(uint32(3)), Limit: new(uint32(4))}, {SessionID: "s", Path: `c:\more\x`},
	}
	if diff := cmp.Diff(wantReads, client.reads); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	wantWrites := []*acpv1.WriteTextFileRequest{{SessionID: "s", Path: "/no/such/w/c", Content: "text"}}
	if diff := cmp.Diff(wantWrites, client.writes); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	client.err = errors.New("no")
	if _, err := files.Read(t.Context(), "a", 0, 0); !errors.Is(err, client.err) {
		t.Errorf("the client's error became %v", err)
	}
}

// TestFilesWithoutCapability shows that a client is only asked for what it said it can do.
func TestFilesWithoutCapability(t *testing.T) {
	dir := tree(t, map[string]string{"f": "local"})
	client := &recordingClient{}
	reader := &acpv1.ClientCapabilities{FS: &acpv1.FileSystemCapabilities{ReadTextFile: new(true)}}
	files := newFiles(toolAccess{roots: newRoots(dir, nil), caps: reader, client: client})
	if err := files.Write(t.Context(), "f", "changed"); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "f")); string(b) != "changed" || err != nil {
		t.Errorf("the file: %q, %v", b, err)
	}
	files.access.caps = nil
	if got, err := files.Read(t.Context(), "f", 0, 0); got != "changed" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	files.access.local = LocalNever
	var unsupported *acp.UnsupportedError
	if _, err := files.Read(t.Context(), "f", 0, 0); !errors.As(err, &unsupported) || unsupported.Capability != "fs.readTextFile" {
		t.Errorf("reading: %v", err)
	}
	if err := files.Write(t.Context(), "f", "x"); !errors.As(err, &unsupported) || unsupported.Capability != "fs.writeTextFile" {
		t.Errorf("writing: %v", err)
	}
	if len(client.reads)+len(client.writes) > 0 {
		t.Errorf("the client was asked: %v %v", client.reads, client.writes)
	}
}
