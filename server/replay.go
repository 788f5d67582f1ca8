package server

import "context"

// replay says again all that was said in the session, before the response to session/load, and what else the client is to know: it knows the session already. https://agentclientprotocol.com/protocol/session-setup#loading-sessions
func (s *Session) replay(ctx context.Context, history []Entry) error {
	updates, dropped := updatesOf(history, s.cwd)
	s.conn.server.logDropped("history", dropped)
	for _, u := range updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.send(u); err != nil {
			return err
		}
	}
	s.tell()
	return nil
}
