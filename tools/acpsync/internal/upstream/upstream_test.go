package upstream_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

func TestCheckVersion(t *testing.T) {
	for _, v := range []string{"0.0.0", "2.4.0", "10.20.30", "1.0.0-rc.1"} {
		if err := upstream.CheckVersion(v); err != nil {
			t.Errorf("CheckVersion(%q) = %v", v, err)
		}
	}
	for _, v := range []string{
		"", "latest", "2", "2.4", "^2.4.0", "2.4.x", "v2.4.0", "02.4.0", "2.4.0 ", "2.4.0\n", "--version", "file:x",
		"2.4.0/../x", "1.0.0-rc/1", "git+ssh://x", "2.4.0 || 3.0.0",
	} {
		if err := upstream.CheckVersion(v); !errors.Is(err, upstream.ErrVersion) {
			t.Errorf("CheckVersion(%q) = %v, want an ErrVersion", v, err)
		}
	}
}

func TestIntegrity(t *testing.T) {
	// The well-known SHA-512 of nothing, in base64.
	const empty = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
	if diff := cmp.Diff(empty, upstream.Integrity(nil)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if err := upstream.CheckIntegrity(nil, empty); err != nil {
		t.Error(err)
	}
	if err := upstream.CheckIntegrity([]byte{0}, empty); !errors.Is(err, upstream.ErrIntegrity) {
		t.Errorf("error %v; want an ErrIntegrity", err)
	}
}

func TestSource(t *testing.T) {
	source := &upstream.Source{
		Package: upstream.Package, Version: "1.2.3", Integrity: upstream.Integrity(nil),
		Files: []upstream.SourceFile{{Surface: "v1", File: "schema.json", Upstream: "a/b.json", UpstreamSHA256: "aa", SHA256: "bb"}},
	}
	data, err := source.Format()
	if err != nil {
		t.Fatal(err)
	}
	got, err := upstream.ParseSource(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(source, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if got.SHA256("schema.json") != "bb" || got.SHA256("other.json") != "" {
		t.Error("SHA256 does not return the recorded hash")
	}
	for name, edit := range map[string][2]string{
		"unknown member":    {`"package"`, `"host": "x", "package"`},
		"another package":   {upstream.Package, "left-pad"},
		"version range":     {`"1.2.3"`, `"^1.2.3"`},
		"weak integrity":    {"sha512-", "sha1-"},
		"short integrity":   {"==", ""},
		"trailing data":     {"\n}\n", "\n}\n{}"},
		"not JSON":          {"{", ""},
		"misspelled member": {`"integrity"`, `"integrityy"`},
	} {
		t.Run(name, func(t *testing.T) {
			edited := strings.Replace(string(data), edit[0], edit[1], 1)
			if edited == string(data) {
				t.Fatal("the edit changes nothing")
			}
			if s, err := upstream.ParseSource([]byte(edited)); err == nil {
				t.Errorf("accepted: %+v", s)
			}
		})
	}
}
