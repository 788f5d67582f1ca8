package acp

import (
	"maps"
	"slices"
	"sync"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Turn is what a client was shown in one turn of a session.
type Turn struct {
	// Text and Thoughts are how many bytes of text of the agent's messages and thoughts came.
	Text, Thoughts int
	// Blocks is how many blocks of other content came in messages: images, resources.
	Blocks int
	// ToolCalls is how many tool calls were announced. Open are those that are neither completed nor failed, in order of their ids.
	ToolCalls int
	Open      []acpv1.ToolCallID
	// Plans is how many plans and changes of plans came.
	Plans int
	// Notices is how many notices came.
	Notices int
	// Updates is how many updates came in all, those that nobody sees included.
	Updates int
}

// Silent reports whether the turn showed the user nothing. A turn that ends so has usually failed, whatever its stop reason says.
func (t Turn) Silent() bool {
	return t.Text == 0 && t.Blocks == 0 && t.ToolCalls == 0 && t.Plans == 0 && t.Notices == 0
}

// A TurnTracker notes what comes in the turns of sessions. The zero value is ready to use, and it is safe for concurrent use. Call Begin before Prompt, and Update
// in the client's SessionUpdate; as all updates have been handled when Prompt returns, Turn then tells what the turn has shown.
type TurnTracker struct {
	mu    sync.Mutex
	turns map[acpv1.SessionID]*turnState
}

type turnState struct {
	Turn
	open map[acpv1.ToolCallID]bool
}

// Begin starts a turn of the session. Calls that were open stay open.
func (t *TurnTracker) Begin(session acpv1.SessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stateLocked(session)
	s.Turn = Turn{}
}

// Turn returns what came since Begin.
func (t *TurnTracker) Turn(session acpv1.SessionID) Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stateLocked(session)
	turn := s.Turn
	turn.Open = slices.Sorted(maps.Keys(s.open))
	return turn
}

// Forget drops what is known of a session.
func (t *TurnTracker) Forget(session acpv1.SessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.turns, session)
}

func (t *TurnTracker) stateLocked(session acpv1.SessionID) *turnState {
	s := t.turns[session]
	if s == nil {
		s = &turnState{open: map[acpv1.ToolCallID]bool{}}
		if t.turns == nil {
			t.turns = map[acpv1.SessionID]*turnState{}
		}
		t.turns[session] = s
	}
	return s
}

// Update notes an update.
func (t *TurnTracker) Update(n *acpv1.SessionNotification) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stateLocked(n.SessionID)
	s.Updates++
	switch u := n.Update.(type) {
	case *acpv1.AgentMessageChunk:
		if text, ok := u.Content.(*acpv1.TextContent); ok {
			s.Text += len(text.Text)
		} else {
			s.Blocks++
		}
	case *acpv1.AgentThoughtChunk:
		if text, ok := u.Content.(*acpv1.TextContent); ok {
			s.Thoughts += len(text.Text)
		}
	case *acpv1.ToolCall:
		s.ToolCalls++
		s.note(u.ToolCallID, u.Status)
	case *acpv1.ToolCallUpdate:
		if u.Status != nil {
			s.note(u.ToolCallID, u.Status)
		}
	case *acpv1.Plan:
		s.Plans++
	case *acpv1.Notice:
		s.Notices++
	case *acpv1.UserMessageChunk, *acpv1.AvailableCommandsUpdate, *acpv1.CurrentModeUpdate, *acpv1.ConfigOptionUpdate, *acpv1.SessionInfoUpdate,
		*acpv1.UsageUpdate, *acpv1.CompactionUpdate, *acpv1.CompactionSummaryChunk, *acpv1.UnknownSessionUpdate:
	}
}

// note opens or closes a call by its status; a call without one is pending.
func (s *turnState) note(id acpv1.ToolCallID, status *acpv1.ToolCallStatus) {
	if status != nil && (*status == acpv1.ToolCallStatusCompleted || *status == acpv1.ToolCallStatusFailed) {
		delete(s.open, id)
		return
	}
	s.open[id] = true
}
