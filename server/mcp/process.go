package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/server"
)

// inherited are the variables that servers get from this process's environment, without which few programs run. All others stay here: keys of the model's provider, for example.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR"}

var inheritedWindows = []string{
	"PATH", "PATHEXT", "APPDATA", "LOCALAPPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
}

// A process is a server that runs as one.
type process struct{ *acp.Process }

// startProcess starts a server in a process group of its own. When ctx ends, it is closed.
func startProcess(ctx context.Context, srv *server.MCPStdio, o Options) (link, error) {
	env, err := environment(srv.Env)
	if err != nil {
		return nil, err
	}
	path, err := findCommand(srv.Command, o.Dir, env)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{srv.Command}, srv.Args...), Dir: o.Dir, Env: env}
	p, err := acp.Spawn(ctx, cmd, &acp.SpawnOptions{Grace: o.Grace, StderrTail: -1})
	if err != nil {
		return nil, err
	}
	return process{p}, nil
}

// environment returns what the client sent, after what it does not say but every process needs.
func environment(sent []string) ([]string, error) {
	names := inherited
	if runtime.GOOS == "windows" {
		names = inheritedWindows
	}
	env := []string{}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for i, pair := range sent {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" || strings.ContainsRune(pair, 0) {
			return nil, fmt.Errorf("%w: environment variable %d of %d is not of the form NAME=value", ErrConfig, i+1, len(sent))
		}
		env = append(env, pair)
	}
	return env, nil
}

// findCommand looks for a plain name in the PATH of the server's own environment.
func findCommand(command, dir string, env []string) (string, error) {
	if command == "" {
		return "", fmt.Errorf("%w: no command", ErrConfig)
	}
	if filepath.IsAbs(command) {
		return exec.LookPath(command)
	}
	if filepath.Base(command) != command {
		return exec.LookPath(filepath.Join(dir, command))
	}
	var path string
	for _, pair := range env {
		if name, value, _ := strings.Cut(pair, "="); name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH") {
			path = value
		}
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue // it would mean another folder in each working directory
		}
		found, err := exec.LookPath(filepath.Join(folder, command))
		if err == nil {
			return found, nil
		}
		if errors.Is(err, os.ErrPermission) {
			continue
		}
	}
	return "", &exec.Error{Name: command, Err: exec.ErrNotFound}
}

func (p process) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: p.Process, Writer: p.Process}
}

func (p process) gone() error {
	if state := p.State(); state != nil {
		return errors.New(state.String())
	}
	return nil
}

func (p process) cut() { _ = p.Close() }
