package main

import (
	"context"
	"slices"

	"github.com/acpwire/acpwire/server"
)

var planSteps = []server.Todo{
	{Text: "Look at the question", Priority: server.TodoHigh},
	{Text: "Think about it", Priority: server.TodoMedium},
	{Text: "Say something", Priority: server.TodoLow},
}

// plan sends the whole plan each time a step begins or ends. In the mode plan, it first asks to leave the mode.
func plan(ctx context.Context, t *turn, _ string) error {
	if t.Session().ReadOnly() {
		if err := t.Plan(planSteps); err != nil {
			return err
		}
		call := t.Tool("exit_plan", server.SwitchMode, "Carry out the plan")
		switch ok, err := t.ExitPlan(ctx, call, modeAsk, modeAuto); {
		case err != nil:
			return err
		case !ok:
			return t.Say("It stays a plan.")
		}
		if err := call.Done(server.Result{}); err != nil {
			return err
		}
	}
	for done := range len(planSteps) + 1 {
		if err := t.Plan(planAt(done)); err != nil {
			return err
		}
	}
	return t.Say("Done.")
}

// planAt is the plan when that many steps are done and the next has begun.
func planAt(done int) []server.Todo {
	todos := slices.Clone(planSteps)
	for i := range todos {
		switch {
		case i < done:
			todos[i].Status = server.TodoCompleted
		case i == done:
			todos[i].Status = server.TodoInProgress
		}
	}
	return todos
}
