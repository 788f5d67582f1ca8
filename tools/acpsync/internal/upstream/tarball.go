package upstream

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/acpwire/acpwire/tools/acpsync/internal/jsontree"
)

// Bounds on what a tarball unpacks to, so that a bomb is an error. All of 2.4.0 is 9 MB, its largest schema 0.5 MB.
const (
	maxUnpacked = 256 << 20
	maxFile     = 16 << 20
)

// root is the directory npm puts every file of a package in.
const root = "package/"

// A Contents holds what a published package says about itself and the files that were asked for.
type Contents struct {
	// Name is the name in the package's package.json.
	Name string
	// Version is the version in the package's package.json.
	Version string
	// Files are the files asked for that exist, by their path in the package.
	Files map[string][]byte
}

// Open reads the named files (paths in the package, without the leading "package/") out of a tarball, in memory. It
// refuses, with an error that wraps [ErrTarball], an archive with a path that leaves the package, with a wanted file
// that is a link or stands there twice, or that unpacks to an absurd size. A wanted file that is not there is no error.
func Open(tarball []byte, paths ...string) (*Contents, error) {
	wanted := map[string]bool{"package.json": true}
	for _, p := range paths {
		wanted[p] = true
	}
	files, err := unpack(tarball, wanted, maxUnpacked)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTarball, err)
	}
	c := &Contents{Files: files}
	if err := c.readManifest(); err != nil {
		return nil, fmt.Errorf("%w: package.json: %w", ErrTarball, err)
	}
	return c, nil
}

func (c *Contents) readManifest() error {
	data, ok := c.Files["package.json"]
	if !ok {
		return errors.New("missing")
	}
	delete(c.Files, "package.json")
	manifest, err := jsontree.Parse(data)
	if err != nil {
		return err
	}
	name, version := manifest.Get("name"), manifest.Get("version")
	if !name.IsString() || !version.IsString() {
		return errors.New("name and version expected")
	}
	c.Name, c.Version = name.Text, version.Text
	if c.Name != Package {
		return fmt.Errorf("the package is %q, not %q", c.Name, Package)
	}
	return CheckVersion(c.Version)
}

// unpack reads the wanted files, from an archive that unpacks to less than limit bytes.
func unpack(tarball []byte, wanted map[string]bool, limit int64) (map[string][]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: zr, N: limit}
	tr := tar.NewReader(limited)
	files := map[string][]byte{}
	for {
		header, err := tr.Next()
		if limited.N <= 0 {
			return nil, fmt.Errorf("unpacks to more than %d bytes", limit)
		}
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		name, err := packagePath(header)
		if err != nil {
			return nil, err
		}
		if !wanted[name] {
			continue
		}
		if err := readEntry(files, name, header, tr); err != nil {
			return nil, fmt.Errorf("%q: %w", header.Name, err)
		}
	}
}

func readEntry(files map[string][]byte, name string, header *tar.Header, r io.Reader) error {
	if header.Typeflag != tar.TypeReg {
		return errors.New("not a regular file")
	}
	if _, twice := files[name]; twice {
		return errors.New("stands in the archive twice")
	}
	if header.Size > maxFile {
		return fmt.Errorf("larger than %d bytes", maxFile)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	files[name] = data
	return nil
}

// packagePath returns the path of an entry in the package. Nothing is ever written to disk; a path that would leave the
// package is refused all the same, because no honest package has one.
func packagePath(header *tar.Header) (string, error) {
	name := header.Name
	clean := path.Clean(name)
	if strings.ContainsAny(name, "\\\x00") || path.IsAbs(name) || clean != strings.TrimSuffix(name, "/") {
		return "", fmt.Errorf("%q: unsafe path", name)
	}
	if header.Typeflag == tar.TypeDir && clean+"/" == root {
		return "", nil
	}
	inside, ok := strings.CutPrefix(clean, root)
	if !ok {
		return "", fmt.Errorf("%q: unsafe path: outside %q", name, root)
	}
	return inside, nil
}
