package workspace

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteText makes content the content of a file. A file that is missing is created, and so are its directories; one that exists keeps its permissions. The file
// has the old content or the new, never a part, unless it is a symbolic link or its directory is read-only: then it is written in place.
func (w *Workspace) WriteText(path, content string) error {
	rel, err := w.rel(path)
	if err != nil {
		return err
	}
	f, err := w.root.OpenFile(rel, os.O_WRONLY|noWait, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return w.create(rel, content)
	}
	if err != nil {
		return notFile(w.root, rel, err)
	}
	return errors.Join(w.overwrite(f, rel, content), f.Close())
}

// notFile tells what cannot be written from what must not be.
func notFile(root *os.Root, rel string, err error) error {
	if info, e := root.Stat(rel); e == nil && !info.Mode().IsRegular() {
		return ErrNotFile
	}
	return err
}

func (w *Workspace) create(rel, content string) error {
	if _, err := w.root.Lstat(rel); err == nil {
		return w.writeTo(rel, content) // a link to a file that is missing
	}
	if err := w.root.MkdirAll(filepath.Dir(rel), 0o777); err != nil {
		return err
	}
	return w.replace(rel, content, nil)
}

// writeTo creates the file that a link leads to.
func (w *Workspace) writeTo(rel, content string) error {
	f, err := w.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|noWait, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(w.inPlace(f, content), f.Close())
}

// overwrite writes a file that exists and is open for writing.
func (w *Workspace) overwrite(f *os.File, rel, content string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotFile
	}
	if link, err := w.root.Lstat(rel); err != nil || !link.Mode().IsRegular() {
		return w.inPlace(f, content)
	}
	err = w.replace(rel, content, info)
	if errors.Is(err, fs.ErrPermission) {
		return w.inPlace(f, content)
	}
	return err
}

func (w *Workspace) inPlace(f *os.File, content string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := io.WriteString(f, content)
	return err
}

// replace writes a new file and gives it the name. If old is not nil, it also gets its permissions.
func (w *Workspace) replace(rel, content string, old fs.FileInfo) (err error) {
	temp := filepath.Join(filepath.Dir(rel), ".acprun-"+rand.Text())
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.root.Remove(temp))
		}
	}()
	if old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return w.root.Rename(temp, rel)
}
