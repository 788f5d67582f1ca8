package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"

	"github.com/acpwire/acpwire/tools/acpsync/internal/derive"
	"github.com/acpwire/acpwire/tools/acpsync/internal/upstream"
)

// A surface is one schema the package publishes and the derived file it becomes.
type surface struct {
	name     string
	dir      string // directory below the schema directory
	file     string // derived file in dir
	upstream string // path in the package
}

// surfaces lists every surface, grouped by directory.
var surfaces = []surface{
	{name: "v1", dir: "v1", file: "schema.json", upstream: "schema/v1/schema.json"},
	{name: "v1-unstable", dir: "v1", file: "unstable.json", upstream: "schema/v1/schema.unstable.json"},
	{name: "v2", dir: "v2", file: "schema.json", upstream: "schema/v2/schema.json"},
	{name: "v2-unstable", dir: "v2", file: "unstable.json", upstream: "schema/v2/schema.unstable.json"},
}

// sourceFile is the provenance file of each directory.
const sourceFile = "source.json"

// path returns the path of the derived file below the schema directory.
func (s surface) path() string { return path.Join(s.dir, s.file) }

// surfaceNamed returns the surface called name.
func surfaceNamed(name string) (surface, error) {
	for _, s := range surfaces {
		if s.name == name {
			return s, nil
		}
	}
	return surface{}, fmt.Errorf("unknown surface %q: v1, v1-unstable, v2 or v2-unstable expected", name)
}

// A derivedFile is one file of the schema directory as it must be.
type derivedFile struct {
	path string // slash-separated, below the schema directory
	data []byte
}

// deriveAll derives every file of the schema directory from an unpacked package: the schemas in the order of surfaces,
// then the source.json of each directory. Nothing is returned unless all of them can be derived.
func deriveAll(c *upstream.Contents, integrity string) ([]derivedFile, error) {
	var files []derivedFile
	var dirs []string
	sources := map[string]*upstream.Source{}
	for _, s := range surfaces {
		raw, ok := c.Files[s.upstream]
		if !ok {
			return nil, fmt.Errorf("%s %s has no file %s", c.Name, c.Version, s.upstream)
		}
		data, err := derive.Bytes(raw)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %s: %w", c.Name, c.Version, s.upstream, err)
		}
		files = append(files, derivedFile{path: s.path(), data: data})
		src, ok := sources[s.dir]
		if !ok {
			src = &upstream.Source{Package: c.Name, Version: c.Version, Integrity: integrity}
			sources[s.dir] = src
			dirs = append(dirs, s.dir)
		}
		src.Files = append(src.Files, upstream.SourceFile{
			Surface:        s.name,
			File:           s.file,
			Upstream:       s.upstream,
			UpstreamSHA256: sha256Hex(raw),
			SHA256:         sha256Hex(data),
		})
	}
	for _, dir := range dirs {
		data, err := sources[dir].Format()
		if err != nil {
			return nil, err
		}
		files = append(files, derivedFile{path: path.Join(dir, sourceFile), data: data})
	}
	return files, nil
}

// upstreamPaths lists the package paths of all surfaces.
func upstreamPaths() []string {
	var paths []string
	for _, s := range surfaces {
		paths = append(paths, s.upstream)
	}
	return paths
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
