package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// A Source is the provenance of a directory of derived schemas, as kept in its source.json.
type Source struct {
	// Package is the npm package.
	Package string `json:"package"`
	// Version is the exact version of the package.
	Version string `json:"version"`
	// Integrity is the integrity of the package's tarball ("sha512-..."): the pin.
	Integrity string `json:"integrity"`
	// Files are the derived files of the directory.
	Files []SourceFile `json:"files"`
}

// A SourceFile is the provenance of one derived schema.
type SourceFile struct {
	// Surface is the name of the surface the schema describes.
	Surface string `json:"surface"`
	// File is the name of the derived file, in the directory of the source.json.
	File string `json:"file"`
	// Upstream is the path of the upstream file in the package.
	Upstream string `json:"upstream"`
	// UpstreamSHA256 is the SHA-256 of the upstream file, in hex.
	UpstreamSHA256 string `json:"upstreamSHA256"`
	// SHA256 is the SHA-256 of the derived file, in hex.
	SHA256 string `json:"sha256"`
}

var integrityForm = regexp.MustCompile(`^sha512-[A-Za-z0-9+/]{86}==$`)

// ParseSource reads a source.json. Unknown members and a source that pins nothing are errors.
func ParseSource(data []byte) (*Source, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var s Source
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("trailing data")
	}
	if s.Package != Package {
		return nil, fmt.Errorf("package: %q expected, %q found", Package, s.Package)
	}
	if err := CheckVersion(s.Version); err != nil {
		return nil, fmt.Errorf("version: %w", err)
	}
	if !integrityForm.MatchString(s.Integrity) {
		return nil, fmt.Errorf(`integrity: "sha512-" and a base64 digest expected, %q found`, s.Integrity)
	}
	return &s, nil
}

// Format writes the source.json: two spaces of indentation, members in the order of the type.
func (s *Source) Format() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// SHA256 returns the SHA-256 that s records for a derived file, in hex; empty if it does not know the file.
func (s *Source) SHA256(file string) string {
	for _, f := range s.Files {
		if f.File == file {
			return f.SHA256
		}
	}
	return ""
}
