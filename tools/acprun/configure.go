package main

import (
	"context"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acprun/internal/view"
)

// configure sets the mode and the options of the command line.
func (r *runner) configure(ctx context.Context, s *view.Session) error {
	if r.set.mode != "" {
		if err := r.setMode(ctx, s); err != nil {
			return err
		}
	}
	options := s.ConfigOptions
	for _, c := range r.set.config {
		value, err := configValue(c, options)
		if err != nil {
			return err
		}
		answer, err := r.conn.SetSessionConfigOption(ctx, &acpv1.SetSessionConfigOptionRequest{SessionID: s.ID, ConfigID: acpv1.SessionConfigID(c.id), Value: value})
		if err != nil {
			return agentError("--config "+c.id, err)
		}
		options = answer.ConfigOptions // one may change what there is for the others
	}
	return nil
}

func (r *runner) setMode(ctx context.Context, s *view.Session) error {
	var known []string
	if s.Modes != nil {
		for _, m := range s.Modes.AvailableModes {
			known = append(known, string(m.ID))
		}
	}
	if !slices.Contains(known, r.set.mode) {
		return usageError("--mode %q: the agent has %s", r.set.mode, choices("modes", known))
	}
	_, err := r.conn.SetSessionMode(ctx, &acpv1.SetSessionModeRequest{SessionID: s.ID, ModeID: acpv1.SessionModeID(r.set.mode)})
	if err != nil {
		return agentError("--mode "+r.set.mode, err)
	}
	return nil
}

// configValue returns the value of a --config flag in the option's type.
func configValue(c setting, options []acpv1.SessionConfigOption) (acpv1.SessionConfigValue, error) {
	i := slices.IndexFunc(options, func(o acpv1.SessionConfigOption) bool { return string(o.ID) == c.id })
	if i < 0 {
		var known []string
		for _, o := range options {
			known = append(known, string(o.ID))
		}
		return nil, usageError("--config %s: the agent has %s", c.id, choices("options", known))
	}
	var known []string
	switch o := options[i].Type.(type) {
	case *acpv1.SessionConfigBoolean:
		switch c.value {
		case "true", "false":
			return &acpv1.SessionConfigBooleanValue{Value: c.value == "true"}, nil
		}
		known = []string{"true", "false"}
	case *acpv1.SessionConfigSelect:
		known = values(o.Options)
		if slices.Contains(known, c.value) {
			return &acpv1.SessionConfigSelectValue{Value: acpv1.SessionConfigValueID(c.value)}, nil
		}
	case *acpv1.UnknownSessionConfigOptionType:
		return nil, usageError("--config %s: its type is not known: %s", c.id, o.Tag)
	}
	return nil, usageError("--config %s=%s: the option has %s", c.id, c.value, choices("values", known))
}

// values lists the values of a select.
func values(options acpv1.SessionConfigSelectOptions) []string {
	var list []string
	add := func(options []acpv1.SessionConfigSelectOption) {
		for _, o := range options {
			list = append(list, string(o.Value))
		}
	}
	switch o := options.(type) {
	case acpv1.SessionConfigUngroupedOptions:
		add(o)
	case acpv1.SessionConfigGroupedOptions:
		for _, group := range o {
			add(group.Options)
		}
	}
	return list
}

// choices lists what there is to choose from.
func choices(what string, known []string) string {
	if len(known) == 0 {
		return "no " + what
	}
	return "these " + what + ": " + strings.Join(known, ", ")
}
