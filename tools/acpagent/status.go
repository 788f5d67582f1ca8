package main

import (
	"context"

	"github.com/acpwire/acpwire/gen/acpv1"
)

const (
	// windowTokens is the size of the model's context, if there were a model.
	windowTokens = 100_000
	// tokensPerUpdate and dollarsPerPrompt make figures that grow with the conversation and are the same every time.
	tokensPerUpdate  = 10
	dollarsPerPrompt = 0.01
)

// mode switches the session's mode from the agent's side. The config option that is the same thing follows.
func mode(ctx context.Context, t *turn, arg string) error {
	if t.session.setMode(acpv1.SessionModeID(arg)) != nil {
		return errArgument
	}
	if err := t.showSettings(ctx); err != nil {
		return err
	}
	return t.say(ctx, "The mode is "+arg+" now.")
}

func (t *turn) showSettings(ctx context.Context) error {
	set := t.session.current()
	if err := t.show(ctx, &acpv1.CurrentModeUpdate{CurrentModeID: set.mode}); err != nil {
		return err
	}
	return t.show(ctx, &acpv1.ConfigOptionUpdate{ConfigOptions: set.options(t.client.ClientCapabilities())})
}

func usageReport(ctx context.Context, t *turn, _ string) error {
	if err := t.show(ctx, t.session.usage()); err != nil {
		return err
	}
	return t.say(ctx, "That is what it would have cost.")
}

func (s *session) usage() *acpv1.UsageUpdate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &acpv1.UsageUpdate{
		Used: min(uint64(len(s.history)*tokensPerUpdate), windowTokens), Size: windowTokens,
		Cost: &acpv1.Cost{Amount: dollarsPerPrompt * float64(s.prompts), Currency: "USD"},
	}
}
