package server

import (
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// RefreshCommands asks the engine for the slash commands again and tells the client if they have changed, also out of a turn.
func (s *Session) RefreshCommands() error {
	s.mu.Lock()
	before := s.commands
	s.mu.Unlock()
	s.readCommands()
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(before, s.commands) || !s.told {
		return nil // tell sends them
	}
	return s.sendLocked(commandsUpdate(s.commands))
}

// readCommands asks the engine for the commands.
func (s *Session) readCommands() {
	c, ok := s.conn.server.engine.(Commander)
	if !ok {
		return
	}
	seen := make(map[string]bool)
	commands := slices.DeleteFunc(slices.Clone(c.Commands(s)), func(c Command) bool {
		bad := c.Name == "" || seen[c.Name]
		seen[c.Name] = true
		return bad
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = commands
}

func commandsUpdate(commands []Command) acpv1.SessionUpdate {
	u := &acpv1.AvailableCommandsUpdate{AvailableCommands: []acpv1.AvailableCommand{}}
	for _, c := range commands {
		w := acpv1.AvailableCommand{Name: c.Name, Description: c.Description}
		if c.Hint != "" {
			w.Input = &acpv1.UnstructuredCommandInput{Hint: c.Hint}
		}
		u.AvailableCommands = append(u.AvailableCommands, w)
	}
	return u
}

// commandOfLocked returns the session's command that a prompt begins with.
func (s *Session) commandOfLocked(prompt []Part) (name, args string, ok bool) {
	if len(prompt) == 0 {
		return "", "", false
	}
	text, ok := prompt[0].(*TextPart)
	if !ok {
		return "", "", false
	}
	name, args, ok = parseCommand(text.Text)
	if !ok {
		return "", "", false
	}
	if !slices.ContainsFunc(s.commands, func(c Command) bool { return c.Name == name }) {
		return "", "", false
	}
	return name, args, true
}
