package server

import (
	"context"

	"github.com/acpwire/acpwire/acp"
)

// An Engine is what an agent does. Embed [Base], and implement those of the optional interfaces of this file that the engine has the ability for: what the
// agent advertises is derived from them. All methods may be called for several sessions at once; for one session, Prompt runs one turn at a time.
type Engine interface {
	// Prompt runs one turn: it works on turn.Prompt and speaks through turn until it returns how the turn ended. ctx ends when the client cancels the turn, closes
	// the session or goes away; Prompt must then return soon. An error fails the turn: the client gets it, without its text unless it is an [*Error].
	Prompt(ctx context.Context, turn *Turn) (Finish, error)
}

// Base is for engines to embed. It has no optional ability.
type Base struct{}

// An Opener is told of new sessions.
type Opener interface {
	// Open prepares a new session, before the client learns its id. If it fails, there is no session.
	Open(ctx context.Context, s *Session) error
}

// A Restorer can take up an earlier session. With a store in the Options, it makes the agent offer session/load and session/resume.
type Restorer interface {
	// Restore prepares a session that was opened earlier, maybe by another process, with all that was said in it. If it fails, the session stays as it was.
	Restore(ctx context.Context, s *Session, history []Entry) error
}

// A Closer is told of sessions that end on their connection: by session/close, by session/delete, or because the client has gone.
type Closer interface {
	// Close frees what the session holds. No turn of it is running, unless one did not end when it was cancelled.
	Close(ctx context.Context, s *Session)
}

// A Deleter is told of sessions that the client deletes.
type Deleter interface {
	// Delete removes what the engine itself keeps of a session. It is called before the store forgets it; if it fails, the session is kept.
	Delete(ctx context.Context, sessionID string) error
}

// An Authenticator needs a login. https://agentclientprotocol.com/protocol/authentication
type Authenticator interface {
	// AuthMethods are the ways to log in. Those for a terminal are offered only to clients that can.
	AuthMethods() []AuthMethod
	// LoggedIn reports whether no login is needed, for example because there are credentials from earlier. Until it does or Authenticate succeeds, session methods
	// fail with error -32000.
	LoggedIn(ctx context.Context) bool
	// Authenticate logs in with one of the methods that are not for a terminal.
	Authenticate(ctx context.Context, methodID string) error
}

// A Logouter is an [Authenticator] that can end the login.
type Logouter interface {
	// Logout ends the login. Sessions that are open stay so, but their methods fail until the next login.
	Logout(ctx context.Context) error
}

// An AuthMethod is a way to log in.
type AuthMethod struct {
	ID, Name    string
	Description string
	// Terminal marks a method that the client carries out: it runs the agent's program in a terminal with Args and Env added.
	Terminal bool
	Args     []string
	Env      map[string]string
}

// An Accepter takes more than the text and links that every agent takes.
type Accepter interface {
	// Accepts says what. It must always return the same.
	Accepts() Accepts
}

// Accepts says what an engine takes from a client. The zero value is what every agent takes.
type Accepts struct {
	// Images, Audio and Embedded are kinds of parts in prompts; Embedded is documents.
	Images, Audio, Embedded bool
	// MCPHTTP and MCPSSE are kinds of MCP servers beside those on stdio.
	MCPHTTP, MCPSSE bool
	// Directories are roots of a session beside its working directory.
	Directories bool
}

// A Moder has modes. https://agentclientprotocol.com/protocol/session-modes
type Moder interface {
	// Modes are the session's modes; the first is that of a new session. Empty is none.
	Modes(s *Session) []Mode
	// SetMode is asked before the session's mode changes to one of its modes. An error refuses.
	SetMode(ctx context.Context, s *Session, id string) error
}

// A Mode is a way for the agent to work.
type Mode struct {
	ID, Name    string
	Description string
	// ReadOnly refuses all tool calls whose kind mutates.
	ReadOnly bool
}

// A Configurer has settings for each session. https://agentclientprotocol.com/protocol/session-config-options
type Configurer interface {
	// ConfigOptions are all of the session's settings with their current values. The modes of a [Moder] are added to them if none has the category mode.
	ConfigOptions(ctx context.Context, s *Session) []ConfigOption
	// SetConfigOption changes a setting to a value that ConfigOptions listed. Others may change with it. When a session is restored, it is called for what the
	// client had set.
	SetConfigOption(ctx context.Context, s *Session, id string, value ConfigValue) error
}

// A Commander has slash commands. https://agentclientprotocol.com/protocol/slash-commands
type Commander interface {
	// Commands are the session's commands.
	Commands(s *Session) []Command
	// RunCommand runs the turn of a prompt that begins with one of the session's commands, instead of Prompt. args is the text after the name; turn.Prompt has the
	// whole prompt.
	RunCommand(ctx context.Context, turn *Turn, name, args string) (Finish, error)
}

// A Command is a slash command.
type Command struct {
	// Name is without the slash.
	Name        string
	Description string
	// Hint says what to write after the name. If empty, the command takes nothing.
	Hint string
}

// A Steerer takes what the user says while a turn is running. The agent then has the extension method [SteerMethod].
type Steerer interface {
	// Steer gives the running turn something to consider. It must not wait for the turn.
	Steer(ctx context.Context, turn *Turn, prompt []Part) error
}

// An Extender has extension methods. https://agentclientprotocol.com/protocol/extensibility
type Extender interface {
	// Extensions are the methods, made with [acp.HandleExtension] and [acp.HandleExtensionNotification]. It is called for each connection, of which session finds the
	// open sessions by their ids. Of their errors, the client gets an [*acp.Error] as it is, and of others nothing.
	Extensions(session func(id string) (*Session, bool)) []acp.Extension
}

// A PermissionRuler says what a permission that the user gives or refuses for good stands for. Without one, it stands for all calls of the same tool.
type PermissionRuler interface {
	// PermissionRule names the rule that the call comes under, for example a tool and the directory it works in. If it is empty, the user is asked every time and
	// not offered more.
	PermissionRule(s *Session, call *Call) string
}

// A PermissionKeeper keeps rules beyond the session; see [Session.Permit] for bringing them back.
type PermissionKeeper interface {
	// KeepPermission is told of a rule that the user has just made.
	KeepPermission(ctx context.Context, s *Session, rule string, allow bool)
}
