package upstream_test

import (
	"archive/tar"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream/upstreamtest"
)

const wanted = "schema/v1/schema.json"

func TestOpen(t *testing.T) {
	tarball := upstreamtest.Tarball(t,
		upstreamtest.Entry{Name: "package/", Type: tar.TypeDir},
		upstreamtest.Manifest("1.2.3"),
		upstreamtest.Entry{Name: "package/" + wanted, Data: "{}"},
		upstreamtest.Entry{Name: "package/other/" + wanted, Data: "[]"},
		upstreamtest.Entry{Name: "package/link", Type: tar.TypeSymlink, Link: "../../outside"},
	)
	got, err := upstream.Open(tarball, wanted, "schema/v9/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	want := &upstream.Contents{Name: upstream.Package, Version: "1.2.3", Files: map[string][]byte{wanted: []byte("{}")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	manifest := upstreamtest.Manifest("1.2.3")
	file := upstreamtest.Entry{Name: "package/" + wanted, Data: "{}"}
	named := func(name string) []upstreamtest.Entry {
		return []upstreamtest.Entry{manifest, file, {Name: name, Data: "x"}}
	}
	tests := []struct {
		name    string
		entries []upstreamtest.Entry
		want    string
	}{
		{"path up and out", named("package/../../etc/passwd"), "unsafe path"},
		{"path up and in again", named("package/x/../" + wanted), "unsafe path"},
		{"path beside the package", named("other/" + wanted), "unsafe path"},
		{"absolute path", named("/package/" + wanted), "unsafe path"},
		{"dot path", named("./package/" + wanted), "unsafe path"},
		{"doubled slash", named("package//" + wanted), "unsafe path"},
		{"backslashes", named(`package\..\..\x`), "unsafe path"},
		{"twice", []upstreamtest.Entry{manifest, file, file}, "twice"},
		{"symbolic link", []upstreamtest.Entry{manifest, {Name: file.Name, Type: tar.TypeSymlink, Link: "../../../x"}}, "not a regular file"},
		{"hard link", []upstreamtest.Entry{manifest, {Name: file.Name, Type: tar.TypeLink, Link: "package/package.json"}}, "not a regular file"},
		{"directory of that name", []upstreamtest.Entry{manifest, {Name: file.Name + "/", Type: tar.TypeDir}}, "not a regular file"},
		{"large file", []upstreamtest.Entry{manifest, {Name: file.Name, Data: strings.Repeat(" ", 16<<20+1)}}, "larger than"},
		{"no manifest", []upstreamtest.Entry{file}, "package.json: missing"},
		{"another package", []upstreamtest.Entry{{Name: manifest.Name, Data: `{"name": "left-pad", "version": "1.2.3"}`}}, `the package is "left-pad"`},
		{"no version", []upstreamtest.Entry{{Name: manifest.Name, Data: `{"name": "x"}`}}, "name and version expected"},
		{"manifest with two names", []upstreamtest.Entry{{Name: manifest.Name, Data: `{"name": "x", "name": "y"}`}}, "duplicate"},
		{"a version that is none", []upstreamtest.Entry{upstreamtest.Manifest("latest")}, "not an exact version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := upstream.Open(upstreamtest.Tarball(t, tt.entries...), wanted)
			if got != nil || !errors.Is(err, upstream.ErrTarball) {
				t.Fatalf("got %v, error %v; want an ErrTarball", got, err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}

func TestOpenDamaged(t *testing.T) {
	whole := upstreamtest.Tarball(t, upstreamtest.Manifest("1.2.3"), upstreamtest.Entry{Name: "package/" + wanted, Data: strings.Repeat("{}", 5000)})
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)/2] ^= 0xff
	for name, data := range map[string][]byte{
		"empty": nil, "not gzip": []byte("package"), "truncated": whole[:len(whole)/2], "flipped byte": flipped,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := upstream.Open(data, wanted); got != nil || !errors.Is(err, upstream.ErrTarball) {
				t.Errorf("got %v, error %v; want an ErrTarball", got, err)
			}
		})
	}
}
