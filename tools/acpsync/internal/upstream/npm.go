package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// maxTarball bounds the compressed package; 2.4.0 is 0.8 MB.
const maxTarball = 64 << 20

// Pack downloads an exact version of the package with "npm pack" and returns the tarball. It works in a temporary
// directory that is gone when it returns, runs no package scripts, and ends npm when ctx ends.
func Pack(ctx context.Context, version string) (tarball []byte, err error) {
	if err := CheckVersion(version); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "acpsync-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", dir, Package+"@"+version)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("npm pack %s@%s: %w", Package, version, context.Cause(ctx))
		}
		return nil, fmt.Errorf("npm pack %s@%s: %w%s", Package, version, err, tail(stderr.String()))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("npm pack %s@%s: one tarball expected, %d found", Package, version, len(found))
	}
	return ReadTarball(found[0])
}

// ReadTarball reads a tarball from a file, up to a size no release of the package comes near.
func ReadTarball(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w: not a regular file", path, ErrTarball)
	}
	if info.Size() > maxTarball {
		return nil, fmt.Errorf("%s: %w: larger than %d bytes", path, ErrTarball, maxTarball)
	}
	return os.ReadFile(path)
}

// tail returns the last lines of a command's error output, for the end of an error message.
func tail(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' })
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines[max(0, len(lines)-3):], "; ")
}
