package conform

import (
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A session is what is known of a session that is open, or about to be.
type session struct {
	id     string
	active bool
	// assumed is set if frames are missing, so that it was never seen to be opened.
	assumed bool
	// first is the frame that spoke of it first, if assumed.
	first int
	// gaps is set if tool calls and messages may exist that were not seen: it was resumed, frames are missing, or one was not understood.
	gaps bool
	// opened is the frame that opened it, 0 if not seen.
	opened int
	// prompted is set once it had a turn.
	prompted bool

	cwd   string
	roots []string // working directory and additional ones; nil if not known

	loading, resuming *request
	loaded            int // frame of the load's result; 0 once a turn has begun
	closing           *request

	turn  *turn // the running one
	ended ended // the one before

	generation uint32 // of tool calls and messages; a load begins a new one
	calls      map[acpv1.ToolCallID]*call
	doneCalls  memory[acpv1.ToolCallID, doneCall]
	asks       map[acpv1.ToolCallID]*request // permissions that wait

	messages memory[acpv1.MessageID, message]
	talking  [3]acpv1.MessageID // the latest message of each kind

	modes        *acpv1.SessionModeState
	modesKnown   bool
	options      []acpv1.SessionConfigOption
	before       []acpv1.SessionConfigOption // options until the latest change
	commands     []string
	commandsSeen int
	compactions  map[acpv1.CompactionID]int
	compacted    memory[acpv1.CompactionID, int]
}

// A past is what is kept of a session that is not open.
type past struct {
	n               int // frame that said so
	closed, deleted int // frames of the results
	cwd             string
	listed          bool
	ours            bool // it was open on this connection
}

// A turn is a prompt that runs.
type turn struct {
	req *request
	// cancelled is the frame of the latest session/cancel.
	cancelled   int
	cancelledAt int64
	// closed is the frame of a session/close or session/delete request.
	closed int
	// refused is the frame of a permission that was answered as cancelled before anything was.
	refused int
	before  *turn // that runs as well
	// superseded is set once another prompt has come, which the agent may take for a cancellation.
	superseded bool
}

// stopped is the frame that asked for the turn to end, 0 if none has.
func (t *turn) stopped() int { return max(t.cancelled, t.closed, t.req.cancelled) }

// An ended is what is kept of the latest turn.
type ended struct {
	began, end int
	reason     acpv1.StopReason
	stopped    int
}

// A call is a tool call that is not finished.
type call struct {
	n          int // frame that announced it
	status     acpv1.ToolCallStatus
	generation uint32
	asked      bool // introduced by a permission request, not announced yet
	input      bool // it has input
	terminals  []acpv1.TerminalID
	turn       int // frame of the prompt
}

// A doneCall is a tool call that is finished.
type doneCall struct {
	n          int
	generation uint32
	failed     bool
	turn       int
}

// A message is a message with an id.
type message struct {
	n          int
	kind       uint8
	generation uint32
}

func newSession(id string, remember int) *session {
	return &session{
		id: id, calls: map[acpv1.ToolCallID]*call{}, asks: map[acpv1.ToolCallID]*request{}, doneCalls: newMemory[acpv1.ToolCallID, doneCall](remember, ownText),
		messages: newMemory[acpv1.MessageID, message](remember, ownText), compactions: map[acpv1.CompactionID]int{}, compacted: newMemory[acpv1.CompactionID, int](remember, ownText),
	}
}

// open makes the session active.
func (s *session) open(gaps bool) {
	s.active = true
	s.gaps = s.gaps || gaps
}

// replaying reports whether updates may be a replay.
func (s *session) replaying() bool { return s.loading != nil }

// running returns the turn of the request.
func (s *session) running(r *request) *turn {
	for t := s.turn; t != nil; t = t.before {
		if t.req == r {
			return t
		}
	}
	return nil
}

// finish forgets the turn of the request.
func (s *session) finish(r *request) {
	for p := &s.turn; *p != nil; p = &(*p).before {
		if (*p).req == r {
			*p = (*p).before
			return
		}
	}
}

// prompt returns the frame of the running turn's prompt, 0 if there is none.
func (s *session) prompt() int {
	if s.turn == nil {
		return 0
	}
	return s.turn.req.n
}

// find returns where the call was announced. It is 0 if it was not, or not since the latest load.
func (s *session) find(id acpv1.ToolCallID) (n int) {
	if c := s.calls[id]; c != nil {
		return c.n
	}
	if c, ok := s.doneCalls.get(id); ok {
		return c.n
	}
	return 0
}

// status returns how far the call has come, "" if not known.
func (s *session) status(id acpv1.ToolCallID) acpv1.ToolCallStatus {
	if c := s.calls[id]; c != nil {
		return c.status
	}
	switch c, ok := s.doneCalls.get(id); {
	case !ok:
		return ""
	case c.failed:
		return acpv1.ToolCallStatusFailed
	default:
		return acpv1.ToolCallStatusCompleted
	}
}

func isFinal(s acpv1.ToolCallStatus) bool {
	return s == acpv1.ToolCallStatusCompleted || s == acpv1.ToolCallStatusFailed
}

// announce takes in a tool_call.
func (s *session) announce(n int, u *acpv1.ToolCall) {
	s.doneCalls.drop(u.ToolCallID)
	status := acpv1.ToolCallStatusPending
	if u.Status != nil {
		status = *u.Status
	}
	c := &call{n: n, status: status, generation: s.generation, turn: s.prompt(), input: hasInput(u.RawInput)}
	if old := s.calls[u.ToolCallID]; old != nil {
		c.terminals = old.terminals
	}
	s.calls[u.ToolCallID] = c
	c.embed(u.Content)
	s.settle(u.ToolCallID, c)
}

// progress takes in a tool_call_update, or the call of a permission request.
func (s *session) progress(n int, u *acpv1.ToolCallUpdate, asked bool) {
	c := s.calls[u.ToolCallID]
	if c == nil {
		if d, ok := s.doneCalls.get(u.ToolCallID); ok {
			if u.Status == nil || isFinal(*u.Status) || asked {
				return
			}
			c = &call{n: d.n, generation: d.generation, turn: d.turn}
			s.doneCalls.drop(u.ToolCallID)
		} else {
			c = &call{n: n, status: acpv1.ToolCallStatusPending, generation: s.generation, asked: asked, turn: s.prompt()}
		}
		s.calls[u.ToolCallID] = c
	}
	if u.Status != nil && !(asked && c.status != "") {
		c.status = *u.Status
	}
	c.input = c.input || hasInput(u.RawInput)
	c.embed(u.Content)
	s.settle(u.ToolCallID, c)
}

// forget gives up calls that were left unfinished by turns before, once there are more than limit.
func (s *session) forget(limit int) {
	if len(s.calls) <= limit {
		return
	}
	for id, c := range s.calls {
		if c.turn != s.prompt() || c.turn == 0 {
			delete(s.calls, id)
			s.gaps = true
		}
	}
}

func (s *session) settle(id acpv1.ToolCallID, c *call) {
	if !isFinal(c.status) {
		return
	}
	delete(s.calls, id)
	s.doneCalls.put(id, doneCall{n: c.n, generation: c.generation, failed: c.status == acpv1.ToolCallStatusFailed, turn: c.turn})
}

func (c *call) embed(content []acpv1.ToolCallContent) {
	for _, b := range content {
		if t, ok := b.(*acpv1.Terminal); ok && !slices.Contains(c.terminals, t.TerminalID) {
			c.terminals = append(c.terminals, t.TerminalID)
		}
	}
}

func hasInput(raw []byte) bool {
	return len(raw) > 0 && string(raw) != "{}" && string(raw) != "null"
}
