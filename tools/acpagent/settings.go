package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/acpwire/acpwire/server"
)

// The modes: whether the agent asks before it changes something.
const (
	modeAsk  = "ask"
	modePlan = "plan"
	modeAuto = "auto"
)

// The config options. That of the mode is made by the server.
const (
	optionModel = "model"
	optionLoud  = "loud"
)

// The models: how plain prompts are answered.
const (
	modelParrot = "parrot"
	modelMirror = "mirror"
)

var models = []server.ConfigChoice{
	{Value: modelParrot, Name: "Parrot", Description: "Repeats what you say.", Group: "Birds"},
	{Value: modelMirror, Name: "Mirror", Description: "Repeats it backwards.", Group: "Things"},
}

// settings are what the user can set in a session beside the mode, which the server keeps.
type settings struct {
	mu    sync.Mutex
	model string
	loud  bool // everything that is said is in capitals
}

func (s *settings) get() (model string, loud bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model, s.loud
}

// Modes are the same in every session.
func (e *engine) Modes(*server.Session) []server.Mode {
	return []server.Mode{
		{ID: modeAsk, Name: "Ask", Description: "Asks before it writes a file or runs a command."},
		{ID: modePlan, Name: "Plan", Description: "Changes nothing.", ReadOnly: true},
		{ID: modeAuto, Name: "Auto", Description: "Writes and runs without asking."},
	}
}

// SetMode has nothing to do.
func (e *engine) SetMode(context.Context, *server.Session, string) error { return nil }

// ConfigOptions are the model and whether the agent is loud.
func (e *engine) ConfigOptions(_ context.Context, s *server.Session) []server.ConfigOption {
	model, loud := stateOf(s).settings.get()
	return []server.ConfigOption{
		{ID: optionModel, Name: "Model", Category: server.CategoryModel, Choices: models, Current: model},
		{ID: optionLoud, Name: "Loud", Description: "Everything in capitals.", Boolean: true, On: loud},
	}
}

// SetConfigOption changes an option. The server has checked the value.
func (e *engine) SetConfigOption(_ context.Context, s *server.Session, id string, value server.ConfigValue) error {
	set := &stateOf(s).settings
	set.mu.Lock()
	defer set.mu.Unlock()
	switch id {
	case optionModel:
		set.model = value.ID
	case optionLoud:
		set.loud = value.On
	}
	return nil
}

// mode switches the mode from the agent's side.
func mode(_ context.Context, t *turn, arg string) error {
	switch err := t.SetMode(arg); {
	case errors.Is(err, server.ErrUnknownMode):
		return errArgument
	case err != nil:
		return err
	}
	return t.Say("The mode is " + arg + " now.")
}

// model switches the model from the agent's side.
func model(ctx context.Context, t *turn, arg string) error {
	switch err := t.SetOption(ctx, optionModel, server.ConfigValue{ID: arg}); {
	case errors.Is(err, server.ErrUnknownOption):
		return errArgument
	case err != nil:
		return err
	}
	return t.Say("The model is " + arg + " now.")
}

const (
	// windowTokens is the size of the model's window, if there were a model.
	windowTokens = 100_000
	// inTokens, outTokens and dollars are what a request to it would use.
	inTokens, outTokens = 1000, 100
	dollars             = 0.01
)

// use counts one request to the model.
func (t *turn) use() error {
	model, _ := stateOf(t.Session()).settings.get()
	requests := int64(t.Session().Usage().Session.Requests + 1)
	return t.Usage(server.Usage{
		Model: model, InputTokens: inTokens, OutputTokens: outTokens,
		Context: min(requests*(inTokens+outTokens), windowTokens), Window: windowTokens, Cost: server.Cost{Amount: dollars, Currency: "USD"},
	})
}

// usageReport counts a request and says what the session has used.
func usageReport(_ context.Context, t *turn, _ string) error {
	if err := t.use(); err != nil {
		return err
	}
	u := t.Session().Usage().Session
	return t.Say(fmt.Sprintf("%d requests, %d tokens and %.2f %s in this session, if there were a model.", u.Requests, u.InputTokens+u.OutputTokens, u.Cost.Amount, u.Cost.Currency))
}
