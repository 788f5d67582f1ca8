package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

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
		{"read", "PATH", "read a file through the client", readFile},
		{"write", "PATH TEXT", "write a file through the client", writeFile},
		{"run", "CMD", "run a shell command in a terminal of the client", runCommand},
		{"ask", "", "ask for permission, and say the answer", ask},
		{"elicit", "[form|url]", "ask the user to fill in a form or to visit a page", elicit},
		{"plan", "", "make a plan and work it off", plan},
		{"mode", "ID", "switch to the mode ID: ask or auto", mode},
		{"usage", "", "report tokens and cost", usageReport},
		{"updates", "", "send one session update of every kind that the client takes", updates},
		{"stop", "REASON", "end the turn with a stop reason: max_tokens, max_turn_requests or refusal", stop},
		{"fail", "[CODE] [TEXT]", "answer the prompt with an error", fail},
		{"crash", "", "end the agent at once, with exit status 3", crash},
	}
}

// available are the commands as clients want them.
func available() []acpv1.AvailableCommand {
	var list []acpv1.AvailableCommand
	for _, c := range commandList() {
		a := acpv1.AvailableCommand{Name: c.name, Description: c.about}
		if c.hint != "" {
			a.Input = &acpv1.UnstructuredCommandInput{Hint: c.hint}
		}
		list = append(list, a)
	}
	return list
}

// obey runs the command of a prompt, or answers a prompt that has none.
func (t *turn) obey(ctx context.Context, prompt []acpv1.ContentBlock) error {
	text := promptText(prompt)
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		t.agent.logger.Info("prompt", "session", t.session.id, "blocks", len(prompt))
		return t.say(ctx, repeat(prompt, t.session.current().model))
	}
	name, arg := rest, ""
	if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
		name, arg = rest[:i], strings.TrimLeft(rest[i:], " \t\r\n")
	}
	list := commandList()
	i := slices.IndexFunc(list, func(c command) bool { return c.name == name })
	if i < 0 {
		return t.say(ctx, "There is no such command. Try /help.")
	}
	t.agent.logger.Info("command", "session", t.session.id, "name", name)
	err := list[i].run(ctx, t, arg)
	if errors.Is(err, errArgument) {
		return t.say(ctx, strings.TrimSpace("Usage: /"+name+" "+list[i].hint))
	}
	return err
}

func help(ctx context.Context, t *turn, _ string) error {
	var b strings.Builder
	for _, c := range commandList() {
		fmt.Fprintf(&b, "- `%s` — %s\n", strings.TrimSpace("/"+c.name+" "+c.hint), c.about)
	}
	return t.say(ctx, b.String())
}

// promptText is the text of a prompt that may be a command: its first block of text.
func promptText(prompt []acpv1.ContentBlock) string {
	for _, b := range prompt {
		if text, ok := b.(*acpv1.TextContent); ok {
			return strings.TrimSpace(text.Text)
		}
	}
	return ""
}

// repeat is the answer to a plain prompt: its text, as the model has it, and what else was in it.
func repeat(prompt []acpv1.ContentBlock, model acpv1.SessionConfigValueID) string {
	var parts []string
	for _, b := range prompt {
		parts = append(parts, describe(b))
	}
	text := strings.Join(parts, " ")
	if model == modelMirror {
		runes := []rune(text)
		slices.Reverse(runes)
		text = string(runes)
	}
	return "You said: " + text
}

func describe(b acpv1.ContentBlock) string {
	switch b := b.(type) {
	case *acpv1.TextContent:
		return b.Text
	case *acpv1.ImageContent:
		return "[image: " + b.MIMEType + "]"
	case *acpv1.AudioContent:
		return "[audio: " + b.MIMEType + "]"
	case *acpv1.ResourceLink:
		return "[link: " + b.URI + "]"
	case *acpv1.EmbeddedResource:
		switch r := b.Resource.(type) {
		case *acpv1.TextResourceContents:
			return "[text: " + r.URI + "]"
		case *acpv1.BlobResourceContents:
			return "[blob: " + r.URI + "]"
		}
	case *acpv1.UnknownContentBlock:
		return "[" + b.Tag + "]"
	}
	return ""
}
