package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// Machine says in one line where and of what results were measured: processor, cores, system, Go version, commit, and how busy the machine was.
func Machine(ctx context.Context) string {
	parts := []string{
		CPU(), fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version(), "commit " + commit(ctx),
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(b), " ")
		parts = append(parts, "load "+load+" at the start")
	}
	return strings.Join(parts, ", ")
}

// Version returns the version of a module in this program, or "" if it is not known.
func Version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == module {
			return dep.Version
		}
	}
	return ""
}

// CPU returns the model of the processor, or the architecture if the system does not say.
func CPU() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// commit returns what was measured, as git names it.
func commit(ctx context.Context) string {
	git := func(args ...string) (string, bool) {
		out, err := exec.CommandContext(ctx, "git", args...).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	hash, ok := git("rev-parse", "--short=12", "HEAD")
	if !ok {
		return "unknown"
	}
	if changes, ok := git("status", "--porcelain", "--", ":/", ":(top,exclude)tools/bench/RESULTS.md"); !ok || changes != "" {
		hash += " with changes"
	}
	return hash
}
