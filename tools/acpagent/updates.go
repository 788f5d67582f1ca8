package main

import (
	"context"
	"errors"

	"github.com/acpwire/acpwire/server"
)

// updates sends one of every kind that an agent sends in a turn. The server leaves out those that the client must have asked for by a capability.
func updates(_ context.Context, t *turn, _ string) error {
	err := t.Think("Every kind of update.")
	call := t.Tool("search", server.Search, "Look for kinds")
	now, other := t.Session().Mode(), modeAuto
	if now == other {
		other = modeAsk
	}
	err = errors.Join(err,
		call.Done(server.Text("12 kinds")), t.SetMode(other), t.SetMode(now), t.Plan(planAt(len(planSteps))), t.SetTitle(t.Session().Title()), t.use(),
		t.Notice(server.Info, "A notice", "It is not part of the conversation."))
	if err != nil {
		return err
	}
	compaction, err := t.Compact()
	if err != nil {
		return err
	}
	return errors.Join(compaction.Summary("Nothing happened so far."), compaction.Done(), t.Say("Those were all."))
}
