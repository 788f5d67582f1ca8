package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// maxFileSize is the size of the largest file that is read or changed on this machine, in bytes.
const maxFileSize = 64 << 20

// The errors of [Files] beside [ErrOutsideRoots], those of package fs and those of the client.
var (
	// ErrNotText says that a file is not UTF-8.
	ErrNotText = errors.New("not a text file")
	// ErrFileTooLarge says that a file has more than 64 MiB.
	ErrFileTooLarge = errors.New("the file is too large")
	// ErrNotRegular says that a path names a directory or device.
	ErrNotRegular = errors.New("not a regular file")
)

// fileClient is the part of a client that has files.
type fileClient interface {
	ReadTextFile(ctx context.Context, params *acpv1.ReadTextFileRequest) (*acpv1.ReadTextFileResponse, error)
	WriteTextFile(ctx context.Context, params *acpv1.WriteTextFileRequest) (*acpv1.WriteTextFileResponse, error)
}

// Files are the text files of a session: through the client if it has the method, so that what the user has not saved is seen and changes show in the editor; and on
// this machine otherwise, unless [LocalNever] forbids that. Paths may be relative to the session's working directory. A path outside the session's directories fails
// with [ErrOutsideRoots], before the client is asked. It is safe for concurrent use.
// https://agentclientprotocol.com/protocol/file-system
type Files struct{ access toolAccess }

func newFiles(a toolAccess) *Files { return &Files{a} }

// Read returns the text of a file: at most limit lines from the 1-based line on. Zero line is from the start, zero limit is all. What is behind the end is empty.
func (f *Files) Read(ctx context.Context, path string, line, limit int) (string, error) {
	if line < 0 || limit < 0 || int64(line) > math.MaxUint32 || int64(limit) > math.MaxUint32 {
		return "", &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	if err := f.access.allows(Read); err != nil {
		return "", err
	}
	abs, err := f.access.roots.named("read", path)
	if err != nil {
		return "", err
	}
	if !f.access.caps.GetFS().GetReadTextFile() {
		if f.access.local == LocalNever {
			return "", &acp.UnsupportedError{Method: acpv1.MethodReadTextFile, Capability: "fs.readTextFile"}
		}
		return f.readLocal(ctx, abs, line, limit)
	}
	req := &acpv1.ReadTextFileRequest{SessionID: f.access.sessionID, Path: abs}
	if line > 0 {
		req.Line = new(uint32(line))
	}
	if limit > 0 {
		req.Limit = new(uint32(limit))
	}
	ctx, done, err := f.access.call(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	res, err := f.access.client.ReadTextFile(ctx, req)
	if err != nil {
		return "", err
	}
	return res.Content, nil
}

// Write makes text the contents of a file. A file that does not exist is created; on this machine with the directories it needs, and either all of text is written
// or the file stays as it was.
func (f *Files) Write(ctx context.Context, path, text string) error {
	if err := f.access.allows(Edit); err != nil {
		return err
	}
	abs, err := f.access.roots.named("write", path)
	if err != nil {
		return err
	}
	if !f.access.caps.GetFS().GetWriteTextFile() {
		if f.access.local == LocalNever {
			return &acp.UnsupportedError{Method: acpv1.MethodWriteTextFile, Capability: "fs.writeTextFile"}
		}
		return f.writeLocal(ctx, abs, text)
	}
	ctx, done, err := f.access.call(ctx)
	if err != nil {
		return err
	}
	defer done()
	_, err = f.access.client.WriteTextFile(ctx, &acpv1.WriteTextFileRequest{SessionID: f.access.sessionID, Path: abs, Content: text})
	return err
}

func (f *Files) readLocal(ctx context.Context, path string, line, limit int) (text string, err error) {
	err = f.access.roots.do(ctx, "read", path, func(root *os.Root, name string) error {
		var err error
		text, err = readIn(ctx, root, name, line, limit)
		return inPath("read", path, err)
	})
	return text, err
}

func readIn(ctx context.Context, root *os.Root, name string, line, limit int) (string, error) {
	// Opening a named pipe would wait for a writer otherwise.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err == nil {
		err = checkFile(info)
	}
	if err != nil {
		return "", err
	}
	return readLines(ctx, io.LimitReader(file, maxFileSize+1), line, limit)
}

// checkFile reports why a file is not one to read or replace.
func checkFile(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case info.Size() > maxFileSize:
		return ErrFileTooLarge
	}
	return nil
}

func inPath(op, path string, err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// readLines reads limit lines from the 1-based line on, each with its line break.
func readLines(ctx context.Context, r io.Reader, line, limit int) (string, error) {
	in := bufio.NewReader(r)
	var text strings.Builder
	size := 0
	for n := 1; limit == 0 || n < max(line, 1)+limit; n++ {
		s, err := in.ReadString('\n')
		if size += len(s); size > maxFileSize {
			return "", ErrFileTooLarge
		}
		if n >= line {
			text.WriteString(s)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
	if !utf8.ValidString(text.String()) {
		return "", ErrNotText
	}
	return text.String(), nil
}

func (f *Files) writeLocal(ctx context.Context, path, text string) error {
	return f.access.roots.do(ctx, "write", path, func(root *os.Root, name string) error {
		return inPath("write", path, writeIn(root, name, text))
	})
}

func writeIn(root *os.Root, name, text string) error {
	perm := fs.FileMode(0o666)
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		// Links that lead anywhere have been followed before: to go on would make a file wherever this one points.
		return ErrOutsideRoots
	default:
		if err := checkFile(info); err != nil {
			return err
		}
		perm = info.Mode().Perm()
	}
	return replaceFile(root, name, text, perm, info != nil)
}

// replaceFile writes a file beside the one of that name and moves it there.
func replaceFile(root *os.Root, name, text string, perm fs.FileMode, existed bool) (err error) {
	file, temp, err := createBeside(root, name, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	if existed {
		err = file.Chmod(perm)
	}
	if err == nil {
		_, err = file.WriteString(text)
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// createBeside creates a file with a name of its own in the directory of name.
func createBeside(root *os.Root, name string, perm fs.FileMode) (*os.File, string, error) {
	for n := time.Now().UnixNano(); ; n++ {
		temp := filepath.Join(filepath.Dir(name), tempName(n))
		file, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return file, temp, err
		}
	}
}

func tempName(n int64) string { return ".acp-" + strconv.FormatInt(n, 36) + ".tmp" }
