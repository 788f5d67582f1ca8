package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/baseline"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

// writeBaseline checks the files, reports as ever, and writes what counts into a new baseline. It never writes over one: somebody has filled in reasons there.
func writeBaseline(ctx context.Context, opts *check.Options, name string, warnings bool, std streams) error {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("validate: --write-baseline: %w", &fs.PathError{Op: "write", Path: name, Err: fs.ErrExist})
	}
	draft := &baseline.Draft{Warnings: warnings}
	opts.Filter.Draft = draft
	if err := validateFiles(ctx, opts, warnings); err != nil && !errors.Is(err, errFound) {
		return err
	}
	if draft.Len() == 0 {
		_, err := fmt.Fprintf(std.err, "nothing was found that a baseline is needed for; %s is not written\n", name)
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("validate: --write-baseline: %w", err)
	}
	err = draft.Write(file, opts.Now().AddDate(0, 3, 0))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("validate: --write-baseline: %w", errors.Join(err, os.Remove(name)))
	}
	_, err = fmt.Fprintf(std.err, "%s known now, in %s: fill in the reasons\n", report.Count(draft.Len(), "finding"), name)
	return err
}
