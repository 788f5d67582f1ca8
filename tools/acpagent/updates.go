package main

import (
	"context"
	"errors"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// updates sends one of every kind. Those that the client must have asked for by a capability are left out otherwise.
func updates(ctx context.Context, t *turn, _ string) error {
	if err := t.think(ctx, "Every kind of update."); err != nil {
		return err
	}
	call, err := t.tool(ctx, acpv1.ToolKindSearch, "Look for kinds", nil)
	if err != nil {
		return err
	}
	if err := call.finish(ctx, acpv1.ToolCallStatusCompleted, acpv1.ToolText("14 kinds")); err != nil {
		return err
	}
	if err := t.showSettings(ctx); err != nil {
		return err
	}
	const compaction acpv1.CompactionID = "compaction-1"
	list := []acpv1.SessionUpdate{
		&acpv1.UserMessageChunk{Content: &acpv1.TextContent{Text: "Something that the user said elsewhere."}, MessageID: new(t.nextMessage("user"))},
		planAt(len(planSteps)),
		&acpv1.AvailableCommandsUpdate{AvailableCommands: available()},
		&acpv1.SessionInfoUpdate{Title: wire.Value(t.title)},
		t.session.usage(),
		&acpv1.Notice{Severity: acpv1.NoticeSeverityInfo, Title: "A notice", Description: new("It is not part of the conversation.")},
		&acpv1.CompactionUpdate{CompactionID: compaction, Status: acpv1.CompactionStatusInProgress},
		&acpv1.CompactionSummaryChunk{CompactionID: compaction, Content: &acpv1.TextContent{Text: "Nothing happened so far."}},
		&acpv1.CompactionUpdate{CompactionID: compaction, Status: acpv1.CompactionStatusCompleted},
	}
	for _, u := range list {
		var unsupported *acp.UnsupportedError
		if err := t.show(ctx, u); err != nil && !errors.As(err, &unsupported) {
			return err
		}
	}
	return t.say(ctx, "Those were all.")
}
