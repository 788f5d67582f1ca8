package server

import "crypto/rand"

// An IDKind says what [Options.NewID] makes an id for.
type IDKind string

// The kinds.
const (
	SessionIDs    IDKind = "session"
	TurnIDs       IDKind = "turn"
	MessageIDs    IDKind = "message"
	CallIDs       IDKind = "call"
	VisitIDs      IDKind = "visit"
	CompactionIDs IDKind = "compaction"
)

// newID returns an id that is not in use.
func (s *Server) newID(kind IDKind) string {
	if s.opts.NewID != nil {
		return s.opts.NewID(kind)
	}
	return string(kind) + "_" + rand.Text()
}

// callIDLocked returns the id if it is new to the session, and otherwise another.
func (s *Session) callIDLocked(id string) string {
	if id == "" || s.callIDs[id] {
		id = s.conn.server.newID(CallIDs)
	}
	s.callIDs[id] = true
	return id
}
