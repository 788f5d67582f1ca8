package schema_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

func TestSurfaces(t *testing.T) {
	want := []string{"v1", "v1-unstable", "v2", "v2-unstable"}
	got := schema.Surfaces()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	got[0] = "changed"
	if diff := cmp.Diff(want, schema.Surfaces()); diff != "" {
		t.Errorf("a caller's change shows through: mismatch (-want +got):\n%s", diff)
	}
}

// The provenance is worth something only if it is that of the bytes handed out.
func TestSourceMatchesFiles(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			data, err := schema.JSON(surface)
			if err != nil {
				t.Fatal(err)
			}
			source, err := schema.Source(surface)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			if diff := cmp.Diff(source.SHA256, hex.EncodeToString(sum[:])); diff != "" {
				t.Errorf("SHA-256 mismatch (-want +got):\n%s", diff)
			}
			onDisk, err := os.ReadFile(filepath.FromSlash(source.Path))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(onDisk, data) {
				t.Errorf("%s is not what JSON(%q) returns", source.Path, surface)
			}
			for field, value := range map[string]string{
				"Package": source.Package, "Version": source.Version, "Integrity": source.Integrity,
				"Upstream": source.Upstream, "UpstreamSHA256": source.UpstreamSHA256,
			} {
				if value == "" {
					t.Errorf("%s is empty", field)
				}
			}
			if source.UpstreamSHA256 == source.SHA256 {
				t.Error("the derived file has the hash of the upstream file")
			}
		})
	}
}

// A registry's host has no place in the repository; the version and the integrity say enough.
func TestSourceNamesNoHost(t *testing.T) {
	for _, dir := range []string{"v1", "v2"} {
		data, err := os.ReadFile(filepath.Join(dir, "source.json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "://") {
			t.Errorf("%s/source.json holds a URL", dir)
		}
	}
}

func TestSchemasHaveMethods(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		t.Run(surface, func(t *testing.T) {
			data, err := schema.JSON(surface)
			if err != nil {
				t.Fatal(err)
			}
			var root struct {
				Defs map[string]struct {
					Method string `json:"x-method"`
				} `json:"$defs"`
			}
			if err := json.Unmarshal(data, &root); err != nil {
				t.Fatal(err)
			}
			var methods []string
			for _, def := range root.Defs {
				methods = append(methods, def.Method)
			}
			for _, want := range []string{"initialize", "session/new", "session/prompt", "session/update"} {
				if !slices.Contains(methods, want) {
					t.Errorf("no definition of method %q", want)
				}
			}
		})
	}
}

func TestUnknownSurface(t *testing.T) {
	for _, name := range []string{"", "v3", "V1", "v1/schema.json", "../v1"} {
		if _, err := schema.JSON(name); !errors.Is(err, schema.ErrSurface) {
			t.Errorf("JSON(%q): error %v does not wrap ErrSurface", name, err)
		}
		if _, err := schema.Source(name); !errors.Is(err, schema.ErrSurface) {
			t.Errorf("Source(%q): error %v does not wrap ErrSurface", name, err)
		}
	}
}
