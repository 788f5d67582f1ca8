package upstream

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

// A gzip bomb must end at the bound, not at the end of memory, also where its padding is no wanted file.
func TestUnpackBomb(t *testing.T) {
	const limit, padding = 1 << 20, 2 << 20
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	if err := tw.WriteHeader(&tar.Header{Name: "package/padding", Typeflag: tar.TypeReg, Size: padding}); err != nil {
		t.Fatal(err)
	}
	if _, err := tw.Write(make([]byte, padding)); err != nil {
		t.Fatal(err)
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Len() > limit/10 {
		t.Fatalf("%d bytes are no bomb", b.Len())
	}
	if _, err := unpack(b.Bytes(), nil, limit); err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("error %v; want one about the size", err)
	}
	if files, err := unpack(b.Bytes(), nil, 2*padding); err != nil || len(files) != 0 {
		t.Errorf("within the limit: %v, %v", files, err)
	}
}
