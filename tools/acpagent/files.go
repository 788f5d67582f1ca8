package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

func readFile(ctx context.Context, t *turn, arg string) error {
	if arg == "" {
		return errArgument
	}
	if err := needs(acpv1.MethodReadTextFile, "fs.readTextFile", t.client.ClientCapabilities().GetFS().GetReadTextFile()); err != nil {
		return err
	}
	path := t.path(arg)
	call, err := t.tool(ctx, acpv1.ToolKindRead, "Read "+arg, nil, path)
	if err != nil {
		return err
	}
	if err := call.start(ctx); err != nil {
		return err
	}
	file, err := t.client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: t.session.id, Path: path})
	if err != nil {
		return err
	}
	if err := call.finish(ctx, acpv1.ToolCallStatusCompleted, acpv1.ToolText(file.Content)); err != nil {
		return err
	}
	return t.say(ctx, fmt.Sprintf("Read %d lines of %s.", countLines(file.Content), arg))
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
	if err := needs(acpv1.MethodWriteTextFile, "fs.writeTextFile", t.client.ClientCapabilities().GetFS().GetWriteTextFile()); err != nil {
		return err
	}
	path := t.path(name)
	diff := &acpv1.Diff{Path: path, NewText: text, OldText: t.oldText(ctx, path)}
	call, err := t.tool(ctx, acpv1.ToolKindEdit, "Write "+name, []acpv1.ToolCallContent{diff}, path)
	if err != nil {
		return err
	}
	switch ok, err := call.allowed(ctx); {
	case err != nil:
		return err
	case !ok:
		return t.say(ctx, "Not written: you did not allow it.")
	}
	if err := call.start(ctx); err != nil {
		return err
	}
	if _, err := t.client.WriteTextFile(ctx, &acpv1.WriteTextFileRequest{SessionID: t.session.id, Path: path, Content: text}); err != nil {
		return err
	}
	if err := call.finish(ctx, acpv1.ToolCallStatusCompleted); err != nil {
		return err
	}
	return t.say(ctx, fmt.Sprintf("Wrote %d bytes to %s.", len(text), name))
}

// oldText is what a file holds, if the client can and will tell. A file that is not there has none.
func (t *turn) oldText(ctx context.Context, path string) *string {
	file, err := t.client.ReadTextFile(ctx, &acpv1.ReadTextFileRequest{SessionID: t.session.id, Path: path})
	if err != nil {
		return nil
	}
	return new(file.Content)
}
