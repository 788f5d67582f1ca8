// Package upstreamtest builds package tarballs for tests.
package upstreamtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

// An Entry is one entry of a tarball. The zero Type is a regular file.
type Entry struct {
	// Name is the path in the archive, "package/" included.
	Name string
	// Data is the content of a regular file.
	Data string
	// Type is the type flag; if zero, a regular file.
	Type byte
	// Link is the target of a link.
	Link string
}

// Manifest returns the package.json of a version of the schema package.
func Manifest(version string) Entry {
	return Entry{Name: "package/package.json", Data: fmt.Sprintf(`{"name": %q, "version": %q}`, upstream.Package, version)}
}

// Tarball returns a gzipped tar archive of the entries.
func Tarball(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	for _, e := range entries {
		header := &tar.Header{Name: e.Name, Typeflag: e.Type, Linkname: e.Link, Mode: 0o644, Size: int64(len(e.Data))}
		if e.Type == 0 {
			header.Typeflag = tar.TypeReg
		}
		if err := tw.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(e.Data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
