// Package schema holds the contract: the schemas of the Agent Client Protocol that everything else is generated from
// and judged by. They are derived from the published package by tools/acpsync: the same structure, key order and
// verdicts, without the prose. The package has no dependencies.
//
// The schemas are JSON Schema draft 2020-12. Do not validate a frame against a schema's root: it accepts nearly
// everything. Validate the params or the result against the $defs entry that x-side and x-method name.
//
// The protocol is described at https://agentclientprotocol.com/protocol/v1/overview.
package schema

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
)

//go:embed v1/schema.json v1/unstable.json v1/source.json
//go:embed v2/schema.json v2/unstable.json v2/source.json
var files embed.FS

// ErrSurface is wrapped by the error for a surface that does not exist.
var ErrSurface = errors.New("unknown schema surface")

// surfacePaths names the file of each surface, in the order of [Surfaces].
var surfacePaths = []struct{ surface, path string }{
	{"v1", "v1/schema.json"},
	{"v1-unstable", "v1/unstable.json"},
	{"v2", "v2/schema.json"},
	{"v2-unstable", "v2/unstable.json"},
}

// A Provenance says where the schema of one surface comes from.
type Provenance struct {
	// Surface is the name of the surface, such as "v1".
	Surface string
	// Path is the slash-separated path of the schema file in this package's directory, such as "v1/schema.json".
	Path string
	// SHA256 is the SHA-256 of the schema file in hex.
	SHA256 string
	// Package is the npm package the schema is published in.
	Package string
	// Version is the exact version of that package.
	Version string
	// Integrity is the integrity of the package's tarball as npm writes it, "sha512-" and base64.
	Integrity string
	// Upstream is the path of the upstream file in the package.
	Upstream string
	// UpstreamSHA256 is the SHA-256 of the upstream file in hex.
	UpstreamSHA256 string
}

// Surfaces returns the names of the schema surfaces: "v1", "v1-unstable", "v2" and "v2-unstable", in this order.
func Surfaces() []string {
	var names []string
	for _, s := range surfacePaths {
		names = append(names, s.surface)
	}
	return names
}

// JSON returns the schema of a surface, byte for byte as committed. The caller owns the bytes. The error wraps
// [ErrSurface] if there is no such surface.
func JSON(surface string) ([]byte, error) {
	name, err := surfacePath(surface)
	if err != nil {
		return nil, err
	}
	return files.ReadFile(name)
}

// Source returns the provenance of a surface's schema, from the source.json beside it. The error wraps [ErrSurface] if
// there is no such surface.
func Source(surface string) (Provenance, error) {
	name, err := surfacePath(surface)
	if err != nil {
		return Provenance{}, err
	}
	sourcePath := path.Join(path.Dir(name), "source.json")
	data, err := files.ReadFile(sourcePath)
	if err != nil {
		return Provenance{}, err
	}
	var source struct {
		Package   string `json:"package"`
		Version   string `json:"version"`
		Integrity string `json:"integrity"`
		Files     []struct {
			Surface        string `json:"surface"`
			File           string `json:"file"`
			Upstream       string `json:"upstream"`
			UpstreamSHA256 string `json:"upstreamSHA256"`
			SHA256         string `json:"sha256"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &source); err != nil {
		return Provenance{}, fmt.Errorf("schema/%s: %w", sourcePath, err)
	}
	for _, f := range source.Files {
		if f.Surface == surface && path.Join(path.Dir(name), f.File) == name {
			return Provenance{
				Surface: surface, Path: name, SHA256: f.SHA256,
				Package: source.Package, Version: source.Version, Integrity: source.Integrity,
				Upstream: f.Upstream, UpstreamSHA256: f.UpstreamSHA256,
			}, nil
		}
	}
	return Provenance{}, fmt.Errorf("schema/%s: no entry for surface %q, file %q", sourcePath, surface, path.Base(name))
}

func surfacePath(surface string) (string, error) {
	i := slices.IndexFunc(surfacePaths, func(s struct{ surface, path string }) bool { return s.surface == surface })
	if i < 0 {
		return "", fmt.Errorf("%w %q", ErrSurface, surface)
	}
	return surfacePaths[i].path, nil
}
