package main

import (
	"context"
	"slices"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// The modes: whether the agent asks before it writes a file or runs a command.
const (
	modeAsk  = "ask"
	modeAuto = "auto"
)

// The config options.
const (
	optionMode  = "mode"
	optionModel = "model"
	optionLoud  = "loud"
)

// The models: how plain prompts are answered.
const (
	modelParrot = "parrot"
	modelMirror = "mirror"
)

var modes = []acpv1.SessionMode{
	{ID: modeAsk, Name: "Ask", Description: new("Asks before it writes a file or runs a command.")},
	{ID: modeAuto, Name: "Auto", Description: new("Writes and runs without asking.")},
}

var models = []acpv1.SessionConfigSelectGroup{{Group: "birds", Name: "Birds", Options: []acpv1.SessionConfigSelectOption{
	{Value: modelParrot, Name: "Parrot", Description: new("Repeats what you say.")},
}}, {Group: "things", Name: "Things", Options: []acpv1.SessionConfigSelectOption{
	{Value: modelMirror, Name: "Mirror", Description: new("Repeats it backwards.")},
}}}

// sessionSettings are a session's mode and config options.
type sessionSettings struct {
	mode  acpv1.SessionModeID // modeAsk or modeAuto; the config option "mode" is the same thing
	model acpv1.SessionConfigValueID
	loud  bool // everything that is said is in capitals
}

func newSettings() sessionSettings { return sessionSettings{mode: modeAsk, model: modelParrot} }

// setup returns what the responses that open a session say of its settings.
func (s *session) setup(caps *acpv1.ClientCapabilities) (*acpv1.SessionModeState, []acpv1.SessionConfigOption) {
	set := s.current()
	return &acpv1.SessionModeState{CurrentModeID: set.mode, AvailableModes: modes}, set.options(caps)
}

func (s *session) current() sessionSettings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settings
}

// options returns the whole set of config options, those included that the client knows only if it says so.
func (set *sessionSettings) options(caps *acpv1.ClientCapabilities) []acpv1.SessionConfigOption {
	var modeValues acpv1.SessionConfigUngroupedOptions
	for _, m := range modes {
		modeValues = append(modeValues, acpv1.SessionConfigSelectOption{Value: acpv1.SessionConfigValueID(m.ID), Name: m.Name, Description: m.Description})
	}
	options := []acpv1.SessionConfigOption{{
		ID: optionMode, Name: "Mode", Category: new(acpv1.SessionConfigOptionCategoryMode),
		Type: &acpv1.SessionConfigSelect{CurrentValue: acpv1.SessionConfigValueID(set.mode), Options: modeValues},
	}, {
		ID: optionModel, Name: "Model", Category: new(acpv1.SessionConfigOptionCategoryModel),
		Type: &acpv1.SessionConfigSelect{CurrentValue: set.model, Options: acpv1.SessionConfigGroupedOptions(models)},
	}}
	if hasBooleans(caps) {
		options = append(options, acpv1.SessionConfigOption{
			ID: optionLoud, Name: "Loud", Description: new("Everything in capitals."), Type: &acpv1.SessionConfigBoolean{CurrentValue: set.loud},
		})
	}
	return options
}

func hasBooleans(caps *acpv1.ClientCapabilities) bool {
	return caps != nil && caps.Session != nil && caps.Session.ConfigOptions != nil && caps.Session.ConfigOptions.Boolean != nil
}

// SetSessionMode changes the mode. The config option that is the same thing follows.
func (a *agent) SetSessionMode(ctx context.Context, p *acpv1.SetSessionModeRequest) (*acpv1.SetSessionModeResponse, error) {
	s, err := a.findActive(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.setMode(p.ModeID); err != nil {
		return nil, err
	}
	set := s.current()
	if err := a.notify(ctx, s, &acpv1.ConfigOptionUpdate{ConfigOptions: set.options(a.client.ClientCapabilities())}); err != nil {
		return nil, err
	}
	return &acpv1.SetSessionModeResponse{}, nil
}

func (s *session) setMode(id acpv1.SessionModeID) error {
	if !slices.ContainsFunc(modes, func(m acpv1.SessionMode) bool { return m.ID == id }) {
		return acp.Errorf(acp.CodeInvalidParams, "no such mode")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.mode = id
	return nil
}

// SetSessionConfigOption changes a config option. The mode that is the same thing follows.
func (a *agent) SetSessionConfigOption(ctx context.Context, p *acpv1.SetSessionConfigOptionRequest) (*acpv1.SetSessionConfigOptionResponse, error) {
	s, err := a.findActive(p.SessionID)
	if err != nil {
		return nil, err
	}
	caps := a.client.ClientCapabilities()
	if err := s.setOption(p.ConfigID, p.Value, caps); err != nil {
		return nil, err
	}
	set := s.current()
	if p.ConfigID == optionMode {
		if err := a.notify(ctx, s, &acpv1.CurrentModeUpdate{CurrentModeID: set.mode}); err != nil {
			return nil, err
		}
	}
	return &acpv1.SetSessionConfigOptionResponse{ConfigOptions: set.options(caps)}, nil
}

func (s *session) setOption(id acpv1.SessionConfigID, value acpv1.SessionConfigValue, caps *acpv1.ClientCapabilities) error {
	switch v := value.(type) {
	case *acpv1.SessionConfigBooleanValue:
		if id == optionLoud && hasBooleans(caps) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.settings.loud = v.Value
			return nil
		}
	case *acpv1.SessionConfigSelectValue:
		switch id {
		case optionMode:
			return s.setMode(acpv1.SessionModeID(v.Value))
		case optionModel:
			return s.setModel(v.Value)
		}
	}
	return acp.Errorf(acp.CodeInvalidParams, "no such config option of this type")
}

func (s *session) setModel(value acpv1.SessionConfigValueID) error {
	for _, group := range models {
		for _, o := range group.Options {
			if o.Value == value {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.settings.model = value
				return nil
			}
		}
	}
	return acp.Errorf(acp.CodeInvalidParams, "no such model")
}
