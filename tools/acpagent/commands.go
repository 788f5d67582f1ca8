package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acpwire/acpwire/server"
)

// maxTitle is how much of the first prompt becomes a session's title, in runes.
const maxTitle = 40

// errArgument makes the turn tell how a command is used.
var errArgument = errors.New("wrong argument")

// A command is what a prompt that begins with a slash and its name does.
type command struct {
	name  string
	hint  string // stands for the argument; empty if there is none
	about string
	run   func(ctx context.Context, t *turn, arg string) error
}

// commandList returns all commands in the order in which help lists them.
func commandList() []command {
	return []command{
		{"help", "", "list the commands", help},
		{"echo", "TEXT", "say TEXT", echo},
		{"think", "TEXT", "think TEXT", think},
		{"stream", "N", "say N chunks, as fast as the client takes them", stream},
		{"slow", "", "say a chunk every 50 ms until cancelled", slow},
		{"image", "", "say an image", image},
		{"read", "PATH", "read a file", readFile},
		{"write", "PATH TEXT", "make TEXT the contents of a file", writeFile},
		{"edit", "PATH OLD NEW", "put NEW in the place of the word OLD of a file", editFile},
		{"run", "CMD", "run a shell command in a terminal", runCommand},
		{"mcp", "[TOOL JSON]", "call a tool of the session's MCP servers; without one, list them", mcpTool},
		{"tool", "[TOOL JSON]", "call a tool that the client has declared; without one, list them", clientTool},
		{"ask", "", "ask for permission, and say the answer", ask},
		{"elicit", "[form|url]", "ask the user to fill in a form or to visit a page", elicit},
		{"plan", "", "make a plan and work it off; in the mode plan, ask before", plan},
		{"mode", "ID", "switch to the mode ID: ask, plan or auto", mode},
		{"model", "ID", "switch to the model ID: parrot or mirror", model},
		{"usage", "", "report tokens and cost", usageReport},
		{"updates", "", "send one session update of every kind that the client takes", updates},
		{"stop", "REASON", "end the turn with a stop reason: max_tokens, max_turn_requests or refusal", stop},
		{"fail", "[CODE] [TEXT]", "answer the prompt with an error", fail},
		{"crash", "", "end the agent at once, with exit status 3", crash},
	}
}

// Commands are the same in every session.
func (e *engine) Commands(*server.Session) []server.Command {
	var list []server.Command
	for _, c := range commandList() {
		list = append(list, server.Command{Name: c.name, Description: c.about, Hint: c.hint})
	}
	return list
}

// RunCommand runs the turn of a prompt that is a command.
func (e *engine) RunCommand(ctx context.Context, st *server.Turn, name, arg string) (server.Finish, error) {
	list := commandList()
	c := list[slices.IndexFunc(list, func(c command) bool { return c.name == name })]
	e.logger.Info("command", "session", st.Session().ID(), "name", name)
	return e.run(ctx, st, func(t *turn) error {
		err := c.run(ctx, t, arg)
		if errors.Is(err, errArgument) {
			return t.Say(strings.TrimSpace("Usage: /" + name + " " + c.hint))
		}
		return err
	})
}

// Prompt runs the turn of a prompt that is no command: the agent repeats it.
func (e *engine) Prompt(ctx context.Context, st *server.Turn) (server.Finish, error) {
	e.logger.Info("prompt", "session", st.Session().ID(), "parts", len(st.Prompt()))
	return e.run(ctx, st, func(t *turn) error {
		if strings.HasPrefix(t.Text(), "/") {
			return t.Say("There is no such command. Try /help.")
		}
		model, _ := stateOf(t.Session()).settings.get()
		return t.Say("You said: " + repeat(t.Prompt(), model))
	})
}

// Steer repeats what the user says while a turn is running.
func (e *engine) Steer(_ context.Context, st *server.Turn, prompt []server.Part) error {
	t := &turn{Turn: st, engine: e}
	return t.Say("You said meanwhile: " + repeat(prompt, modelParrot) + " ")
}

func help(_ context.Context, t *turn, _ string) error {
	var b strings.Builder
	for _, c := range commandList() {
		fmt.Fprintf(&b, "- `%s` — %s\n", strings.TrimSpace("/"+c.name+" "+c.hint), c.about)
	}
	return t.Say(b.String())
}

// titleOf is the beginning of a prompt.
func titleOf(text string) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxTitle {
		return string([]rune(text)[:maxTitle-1]) + "…"
	}
	return text
}

// repeat is the answer to a plain prompt: its text, as the model has it, and what else was in it.
func repeat(prompt []server.Part, model string) string {
	var parts []string
	for _, p := range prompt {
		parts = append(parts, describe(p))
	}
	text := strings.Join(parts, " ")
	if model == modelMirror {
		runes := []rune(text)
		slices.Reverse(runes)
		text = string(runes)
	}
	return text
}

func describe(p server.Part) string {
	switch p := p.(type) {
	case *server.TextPart:
		return p.Text
	case *server.ImagePart:
		return "[image: " + p.MIMEType + "]"
	case *server.AudioPart:
		return "[audio: " + p.MIMEType + "]"
	case *server.ResourcePart:
		return "[link: " + p.URI + "]"
	case *server.DocumentPart:
		if p.Data != nil {
			return "[blob: " + p.URI + "]"
		}
		return "[text: " + p.URI + "]"
	}
	return ""
}
