package main

import (
	"context"

	"github.com/acpwire/acpwire/gen/acpv1"
)

var planSteps = []struct {
	what     string
	priority acpv1.PlanEntryPriority
}{
	{"Look at the question", acpv1.PlanEntryPriorityHigh},
	{"Think about it", acpv1.PlanEntryPriorityMedium},
	{"Say something", acpv1.PlanEntryPriorityLow},
}

// plan sends the whole plan each time a step begins or ends.
func plan(ctx context.Context, t *turn, _ string) error {
	for done := range len(planSteps) + 1 {
		if err := t.send(ctx, planAt(done)); err != nil {
			return err
		}
	}
	return t.say(ctx, "Done.")
}

// planAt is the plan when that many steps are done and the next has begun.
func planAt(done int) *acpv1.Plan {
	p := &acpv1.Plan{}
	for i, step := range planSteps {
		status := acpv1.PlanEntryStatusPending
		switch {
		case i < done:
			status = acpv1.PlanEntryStatusCompleted
		case i == done:
			status = acpv1.PlanEntryStatusInProgress
		}
		p.Entries = append(p.Entries, acpv1.PlanEntry{Content: step.what, Priority: step.priority, Status: status})
	}
	return p
}
