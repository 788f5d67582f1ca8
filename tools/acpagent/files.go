package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/server"
)

func readFile(ctx context.Context, t *turn, name string) error {
	if name == "" {
		return errArgument
	}
	call := t.Tool("read", server.Read, "Read "+name, server.At(name, 0), server.Input(map[string]string{"path": name}))
	lines := 0
	err := t.work(ctx, call, func() (server.Result, error) {
		text, err := t.Files().Read(ctx, name, 0, 0)
		lines = countLines(text)
		return server.Text(text), err
	})
	if err != nil {
		return err
	}
	return t.Say(fmt.Sprintf("Read %d lines of %s.", lines, name))
}

// countLines counts the last line also if it has no line end.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func writeFile(ctx context.Context, t *turn, arg string) error {
	name, text, _ := strings.Cut(arg, " ")
	if name == "" {
		return errArgument
	}
	call := t.Tool("write", server.Edit, "Write "+name, server.At(name, 0), server.Input(map[string]string{"path": name, "text": text}))
	before := t.contents(ctx, name)
	return t.change(ctx, call, server.AppliedDiff(name, before, text), func() (server.Result, string, error) {
		done := fmt.Sprintf("Wrote %d bytes to %s.", len(text), name)
		return server.Result{}, done, t.Files().Write(ctx, name, text)
	})
}

// editFile shows the edit as the model wants it, and then as it was done to the file as it is by then.
func editFile(ctx context.Context, t *turn, arg string) error {
	name, rest, _ := strings.Cut(arg, " ")
	before, after, ok := strings.Cut(rest, " ")
	if !ok {
		return errArgument
	}
	edit := server.Replacement{Old: before, New: after}
	call := t.Tool("edit", server.Edit, "Edit "+name, server.At(name, 0), server.Input(map[string]string{"path": name, "old": edit.Old, "new": edit.New}))
	proposed := server.ProposedDiff(name, t.contents(ctx, name), edit)
	return t.change(ctx, call, proposed, func() (r server.Result, done string, err error) {
		text, err := t.Files().Read(ctx, name, 0, 0)
		if err != nil {
			return r, "", err
		}
		edited, err := server.ApplyEdits(text, edit)
		if err != nil {
			return r, "", err
		}
		r.Items = []server.Item{server.AppliedDiff(name, &text, edited)}
		return r, "Edited " + name + ".", t.Files().Write(ctx, name, edited)
	})
}

// contents is what a file holds before it is changed; nil if there is none, or none that can be read.
func (t *turn) contents(ctx context.Context, name string) *string {
	text, err := t.Files().Read(ctx, name, 0, 0)
	if err != nil {
		return nil
	}
	return &text
}

// change shows what a call is going to change, asks, changes it, and says what was done.
func (t *turn) change(ctx context.Context, call *server.Call, diff *server.DiffItem, write func() (r server.Result, done string, err error)) error {
	if diff != nil {
		if err := call.Diff(diff); err != nil {
			return err
		}
	}
	switch ok, err := t.allowed(ctx, call); {
	case err != nil:
		return err
	case !ok:
		return t.Say("Not written: you did not allow it.")
	}
	said := ""
	err := t.work(ctx, call, func() (r server.Result, err error) {
		r, said, err = write()
		return r, err
	})
	if err != nil {
		return err
	}
	return t.Say(said)
}
