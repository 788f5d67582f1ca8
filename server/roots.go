package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// ErrOutsideRoots says that a path is outside the session's working directory and its additional directories, by its name or through a link. Errors wrap it in a
// [*fs.PathError].
// https://agentclientprotocol.com/protocol/session-setup#working-directory
var ErrOutsideRoots = errors.New("outside the session's directories")

// A LocalPolicy says what [Files] and [Terminals] do if the client has no such methods.
type LocalPolicy int

// The policies.
const (
	// LocalInRoots lets them work on this machine: files in the session's directories, commands started in one of them.
	LocalInRoots LocalPolicy = iota
	// LocalNever refuses.
	LocalNever
)

// toolAccess is what a session's files and terminals have to work with.
type toolAccess struct {
	sessionID acpv1.SessionID
	roots     *roots
	// caps are what the client said in initialize. If nil, it can do nothing.
	caps *acpv1.ClientCapabilities
	// client is called for what caps has.
	client toolClient
	local  LocalPolicy
	// permit returns an error if tools of the kind are refused at the moment. If nil, none is.
	permit func(ToolKind) error
	// order is held while what is sent decides what may be sent after it. If nil, nothing is.
	order sync.Locker
	// calling returns the context of a request to the client and what to call when it is done, or an error if none may be made. If nil, requests need nothing.
	calling func(ctx context.Context) (_ context.Context, done func(), err error)
	// within returns ctx, ending also with the turn. If nil, there is no turn.
	within func(ctx context.Context) (_ context.Context, stop func())
	// closed reports whether the session has been closed, so that nothing may be said for it. If nil, it has not.
	closed func() bool
}

func (a *toolAccess) allows(kind ToolKind) error {
	if a.permit == nil {
		return nil
	}
	return a.permit(kind)
}

func (a *toolAccess) starting(ctx context.Context) (_ context.Context, stop func()) {
	if a.within == nil {
		return ctx, func() {}
	}
	return a.within(ctx)
}

func (a *toolAccess) call(ctx context.Context) (_ context.Context, done func(), err error) {
	if a.calling == nil {
		return ctx, func() {}, nil
	}
	return a.calling(ctx)
}

// toolClient is the part of a client that tools use.
type toolClient interface {
	fileClient
	terminalClient
}

var _ toolClient = acpv1.ClientStub{}

// roots are the directories of a session. It is immutable: each operation opens the directory it needs.
type roots struct {
	cwd string
	// names are the directories as the client names them, clean; reals are where they are on this machine, with no link in the name.
	names, reals []string
}

// newRoots takes absolute paths. What links the directories themselves are is looked up now: a later change of these links changes nothing.
func newRoots(cwd string, additional []string) *roots {
	r := &roots{cwd: cleanPath(cwd)}
	for _, dir := range append([]string{cwd}, additional...) {
		dir = cleanPath(dir)
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = dir
		}
		r.names, r.reals = append(r.names, dir), append(r.reals, real)
	}
	return r
}

// named returns path as the client would name it: absolute, clean and, by its name, in one of the directories.
func (r *roots) named(op, path string) (string, error) {
	abs, ok := absPath(r.cwd, path)
	if !ok {
		return "", &fs.PathError{Op: op, Path: path, Err: fs.ErrInvalid}
	}
	for i := range r.names {
		if within(r.names[i], abs) || within(r.reals[i], abs) {
			return abs, nil
		}
	}
	return "", &fs.PathError{Op: op, Path: path, Err: ErrOutsideRoots}
}

// open returns the directory that holds path, opened, and the name of path in it. Links have been followed as far as they are there; what is done through the
// [os.Root] cannot leave the directory, even if links change meanwhile.
func (r *roots) open(op, path string) (*os.Root, string, error) {
	abs, err := r.named(op, path)
	if err != nil {
		return nil, "", err
	}
	real := followLinks(filepath.FromSlash(abs))
	for _, dir := range r.reals {
		rel, err := filepath.Rel(dir, real)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, "", err
		}
		return root, rel, nil
	}
	return nil, "", &fs.PathError{Op: op, Path: path, Err: ErrOutsideRoots}
}

// followLinks follows the links in the part of path that exists.
func followLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(followLinks(parent), filepath.Base(path))
}

// do runs f on the directory that holds path, and makes one error of all the ways to leave it.
func (r *roots) do(ctx context.Context, op, path string, f func(root *os.Root, name string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	root, name, err := r.open(op, path)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // a directory that was only looked into
	err = f(root, name)
	if isEscape(root, err) {
		return &fs.PathError{Op: op, Path: path, Err: ErrOutsideRoots}
	}
	return err
}

// isEscape reports whether an operation failed because it would have left root. Package os does not export the error, so it is had by provoking it.
func isEscape(root *os.Root, err error) bool {
	if err == nil {
		return false
	}
	_, provoked := root.Lstat(".." + string(filepath.Separator) + "x")
	var escape *fs.PathError
	return errors.As(provoked, &escape) && errors.Is(err, escape.Err)
}

// realDir returns where the directory path is on this machine.
func (r *roots) realDir(ctx context.Context, path string) (string, error) {
	dir := ""
	err := r.do(ctx, "chdir", path, func(root *os.Root, name string) error {
		info, err := root.Stat(name)
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return &fs.PathError{Op: "chdir", Path: path, Err: errNotDir}
		}
		dir = filepath.Join(root.Name(), name)
		return nil
	})
	return dir, err
}

var errNotDir = errors.New("not a directory")
