package server

import (
	"context"
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// SteerMethod is the extension request with which a client adds something to the running turn of a session. Its params are those of session/prompt, its result is
// an empty object. If no turn is running it fails with code -32602. Agents whose engine is a [Steerer] have it, and name it in their capabilities as
// _meta.acpwire.steer.
const SteerMethod = "_acpwire/steer"

type steerResult struct{}

// extensions returns the extension methods of one connection, whose open sessions session finds.
func (s *Server) extensions(c func() *connection) []acp.Extension {
	var list []acp.Extension
	if steerer, ok := s.engine.(Steerer); ok {
		list = append(list, acp.HandleExtension(SteerMethod, func(ctx context.Context, p acpv1.PromptRequest) (steerResult, error) {
			return steerResult{}, c().steer(ctx, steerer, &p)
		}))
	}
	if x, ok := s.engine.(Extender); ok {
		list = slices.Concat(list, x.Extensions(func(id string) (*Session, bool) {
			found, err := c().session(acpv1.SessionID(id))
			return found, err == nil
		}))
	}
	return list
}

func (c *connection) steer(ctx context.Context, steerer Steerer, p *acpv1.PromptRequest) error {
	s, err := c.admittedTo(ctx, p.SessionID)
	if err != nil {
		return wireError(err)
	}
	prompt, _, err := c.promptOf(p.Prompt)
	if err != nil {
		return err
	}
	t := s.running()
	if t == nil {
		return invalid("/sessionId", "no turn of the session is running")
	}
	forget := t.noteSteering(prompt)
	if err := c.guarded("Steer", func() error { return steerer.Steer(ctx, t, prompt) }); err != nil {
		forget()
		return s.failed("Steer", err)
	}
	t.flushAfter(func() {})
	return nil
}

// running returns the turn that the engine works on, or nil.
func (s *Session) running() *Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 || s.turns[0].over || !s.turns[0].running {
		return nil
	}
	return s.turns[0]
}
