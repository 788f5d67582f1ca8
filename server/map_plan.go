package server

import "github.com/acpwire/acpwire/gen/acpv1"

// A Todo is one step of what the agent plans to do.
type Todo struct {
	// Text is what to do.
	Text string
	// Status is how far it has come. If empty, TodoPending.
	Status TodoStatus
	// Priority says how much it matters. If empty, TodoMedium.
	Priority TodoPriority
}

// A TodoStatus says how far a [Todo] has come.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	// TodoCancelled is for a step that will not be done. Plans of the protocol have no such status: it is left out of them.
	TodoCancelled TodoStatus = "cancelled"
)

// A TodoPriority says how much a [Todo] matters.
type TodoPriority string

// The priorities.
const (
	TodoHigh   TodoPriority = "high"
	TodoMedium TodoPriority = "medium"
	TodoLow    TodoPriority = "low"
)

// planOf maps a list of things to do, which must be all of it: a client replaces the plan that it shows.
// https://agentclientprotocol.com/protocol/agent-plan
func planOf(todos []Todo) (*acpv1.Plan, []Dropped) {
	l := newLosses()
	return planUpdate(todos, l), *l.list
}

func planUpdate(todos []Todo, l losses) *acpv1.Plan {
	plan := &acpv1.Plan{Entries: make([]acpv1.PlanEntry, 0, len(todos))}
	for i, t := range todos {
		if e, ok := planEntry(t, l.index(i)); ok {
			plan.Entries = append(plan.Entries, e)
		}
	}
	return plan
}

func planEntry(t Todo, l losses) (acpv1.PlanEntry, bool) {
	e := acpv1.PlanEntry{Content: l.text(t.Text)}
	switch t.Status {
	case TodoPending, "":
		e.Status = acpv1.PlanEntryStatusPending
	case TodoInProgress:
		e.Status = acpv1.PlanEntryStatusInProgress
	case TodoCompleted:
		e.Status = acpv1.PlanEntryStatusCompleted
	case TodoCancelled:
		l.add(DropUnmapped, "todo", "a plan has no cancelled entries", "")
		return e, false
	default:
		l.at("status").add(DropMalformed, "status", "it is unknown", string(acpv1.PlanEntryStatusPending))
		e.Status = acpv1.PlanEntryStatusPending
	}
	switch t.Priority {
	case TodoMedium, "":
		e.Priority = acpv1.PlanEntryPriorityMedium
	case TodoHigh:
		e.Priority = acpv1.PlanEntryPriorityHigh
	case TodoLow:
		e.Priority = acpv1.PlanEntryPriorityLow
	default:
		l.at("priority").add(DropMalformed, "priority", "it is unknown", string(acpv1.PlanEntryPriorityMedium))
		e.Priority = acpv1.PlanEntryPriorityMedium
	}
	if e.Content == "" {
		l.add(DropMalformed, "todo", "it has no text", "")
		return e, false
	}
	return e, true
}
