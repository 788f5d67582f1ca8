// Package upstream gets the published schema package and the files in it, and trusts nothing before its integrity has
// been checked.
package upstream

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
)

// Package is the npm package the schema is published in.
const Package = "@agentclientprotocol/sdk"

// Causes of an error from this package.
var (
	// ErrIntegrity marks a tarball that is not the pinned one.
	ErrIntegrity = errors.New("integrity mismatch")
	// ErrTarball marks a tarball that cannot be the published package.
	ErrTarball = errors.New("bad tarball")
	// ErrVersion marks a version that is not an exact one.
	ErrVersion = errors.New("not an exact version")
)

var exactVersion = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// CheckVersion returns an error unless v is an exact version such as "2.4.0". Ranges, tags, paths and URLs, all of
// which npm would take, name something that can change.
func CheckVersion(v string) error {
	if !exactVersion.MatchString(v) {
		return fmt.Errorf("%w: %q", ErrVersion, v)
	}
	return nil
}

// Integrity returns the integrity of a tarball as npm writes it: "sha512-" and the digest in base64.
func Integrity(tarball []byte) string {
	sum := sha512.Sum512(tarball)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// CheckIntegrity returns an error that wraps [ErrIntegrity] unless the tarball has the integrity want.
func CheckIntegrity(tarball []byte, want string) error {
	if got := Integrity(tarball); got != want {
		return fmt.Errorf("%w: the tarball is %s, the pin is %s", ErrIntegrity, got, want)
	}
	return nil
}
