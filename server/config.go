package server

import (
	"context"
	"maps"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A ConfigOption is a setting of a session: a choice, or a switch if Boolean. https://agentclientprotocol.com/protocol/session-config-options
type ConfigOption struct {
	ID, Name    string
	Description string
	// Category says what the setting is about, so that clients can place it; see the Category constants. A category of one's own begins with an underscore.
	Category Category
	// Choices are the values of a choice, and Current is the one that holds.
	Choices []ConfigChoice
	Current string
	// Boolean makes the setting a switch, and On is its state. Clients that do not know switches do not see it.
	Boolean, On bool
}

// A ConfigChoice is a value of a setting. Choices with the same Group stand together; either all have one or none.
type ConfigChoice struct {
	Value, Name string
	Description string
	Group       string
}

// A ConfigValue is the value that the client chose: ID of a choice, On of a switch.
type ConfigValue struct {
	ID string `json:"id,omitzero"`
	On bool   `json:"on,omitzero"`
}

// A Category says what a setting is about.
type Category string

// The categories that the protocol knows.
const (
	CategoryMode         Category = "mode"
	CategoryModel        Category = "model"
	CategoryModelConfig  Category = "model_config"
	CategoryThoughtLevel Category = "thought_level"
)

// modeOption is the id of the option that stands for the modes.
const modeOption = "mode"

// RefreshConfig asks the engine for the settings again and tells the client if they have changed, also out of a turn.
func (s *Session) RefreshConfig(ctx context.Context) error {
	before := s.knownConfig()
	s.readConfig(ctx)
	return s.tellConfig(before)
}

// tellConfig tells the client of the settings if they have changed.
func (s *Session) tellConfig(before []ConfigOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.EqualFunc(before, s.config, equalOption) {
		return nil
	}
	return s.sendLocked(&acpv1.ConfigOptionUpdate{ConfigOptions: s.configLocked()})
}

func (s *Session) knownConfig() []ConfigOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.config
}

func equalOption(a, b ConfigOption) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Description == b.Description && a.Category == b.Category && a.Current == b.Current &&
		a.Boolean == b.Boolean && a.On == b.On && slices.Equal(a.Choices, b.Choices)
}

// readConfig asks the engine for the settings. Those that the protocol forbids, or that the client cannot show, are left out.
func (s *Session) readConfig(ctx context.Context) {
	c, ok := s.conn.server.engine.(Configurer)
	if !ok {
		return
	}
	caps := s.Capabilities()
	boolean := caps != nil && caps.Session != nil && caps.Session.ConfigOptions != nil && caps.Session.ConfigOptions.Boolean != nil
	seen := make(map[string]bool)
	options := slices.DeleteFunc(slices.Clone(c.ConfigOptions(ctx, s)), func(o ConfigOption) bool {
		problem := o.problem()
		if seen[o.ID] {
			problem = "its id is not unique"
		}
		seen[o.ID] = true
		if problem != "" {
			s.conn.server.opts.Logger.Warn("server: left out a config option", "id", o.ID, "problem", problem)
		}
		return problem != "" || o.Boolean && !boolean
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config = options
}

// problem says what makes the option unusable, or "".
func (o *ConfigOption) problem() string {
	switch {
	case o.ID == "":
		return "it has no id"
	case o.Boolean:
		return ""
	case len(o.Choices) == 0:
		return "it has no choices"
	case !o.has(o.Current):
		return "its current value is none of its choices"
	}
	return ""
}

func (o *ConfigOption) has(value string) bool {
	return slices.ContainsFunc(o.Choices, func(c ConfigChoice) bool { return c.Value == value })
}

// modeIsOptionLocked reports whether the modes are offered as a config option too. Clients that know config options may look at nothing else.
func (s *Session) modeIsOptionLocked() bool {
	if _, ok := s.conn.server.engine.(Configurer); !ok || len(s.modes) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.config, func(o ConfigOption) bool { return o.Category == CategoryMode || o.ID == modeOption })
}

// configLocked returns the full set of options.
func (s *Session) configLocked() []acpv1.SessionConfigOption {
	list := []acpv1.SessionConfigOption{}
	if s.modeIsOptionLocked() {
		o := ConfigOption{ID: modeOption, Name: "Mode", Category: CategoryMode, Current: s.mode}
		for _, m := range s.modes {
			o.Choices = append(o.Choices, ConfigChoice{Value: m.ID, Name: m.Name, Description: m.Description})
		}
		list = append(list, o.wire())
	}
	for _, o := range s.config {
		list = append(list, o.wire())
	}
	return list
}

func (o *ConfigOption) wire() acpv1.SessionConfigOption {
	w := acpv1.SessionConfigOption{ID: acpv1.SessionConfigID(o.ID), Name: nameOr(o.Name, o.ID), Description: optional(o.Description)}
	if o.Category != "" {
		w.Category = new(acpv1.SessionConfigOptionCategory(o.Category))
	}
	if o.Boolean {
		w.Type = &acpv1.SessionConfigBoolean{CurrentValue: o.On}
		return w
	}
	w.Type = &acpv1.SessionConfigSelect{CurrentValue: acpv1.SessionConfigValueID(o.Current), Options: o.choices()}
	return w
}

func (o *ConfigOption) choices() acpv1.SessionConfigSelectOptions {
	grouped := slices.ContainsFunc(o.Choices, func(c ConfigChoice) bool { return c.Group != "" })
	var flat acpv1.SessionConfigUngroupedOptions
	var groups acpv1.SessionConfigGroupedOptions
	for _, c := range o.Choices {
		w := acpv1.SessionConfigSelectOption{Value: acpv1.SessionConfigValueID(c.Value), Name: nameOr(c.Name, c.Value), Description: optional(c.Description)}
		flat = append(flat, w)
		i := slices.IndexFunc(groups, func(g acpv1.SessionConfigSelectGroup) bool { return g.Name == c.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, acpv1.SessionConfigSelectGroup{Group: acpv1.SessionConfigGroupID(c.Group), Name: c.Group})
		}
		groups[i].Options = append(groups[i].Options, w)
	}
	if grouped {
		return groups
	}
	return flat
}

// SetSessionConfigOption changes a setting as the client wants. https://agentclientprotocol.com/protocol/session-config-options
func (c *connection) SetSessionConfigOption(ctx context.Context, p *acpv1.SetSessionConfigOptionRequest) (*acpv1.SetSessionConfigOptionResponse, error) {
	s, err := c.admittedTo(ctx, p.SessionID)
	if err != nil {
		return nil, wireError(err)
	}
	configurer, ok := c.server.engine.(Configurer)
	if !ok {
		return nil, invalid("/configId", "it is none of the session's options")
	}
	value, err := s.checkOption(string(p.ConfigID), p.Value)
	if err != nil {
		return nil, err
	}
	id := string(p.ConfigID)
	if s.isModeOption(id) {
		err = s.chooseMode(ctx, value.ID, "/value", true)
	} else if err = s.changeOption(ctx, configurer, id, value); err != nil {
		err = s.failed("SetConfigOption", err)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, wireError(&NotFoundError{s.id})
	}
	return &acpv1.SetSessionConfigOptionResponse{ConfigOptions: s.configLocked()}, nil
}

func (s *Session) isModeOption(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return id == modeOption && s.modeIsOptionLocked()
}

// checkOption checks a value against what the client was offered.
func (s *Session) checkOption(id string, value acpv1.SessionConfigValue) (ConfigValue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.config, func(o ConfigOption) bool { return o.ID == id })
	mode := id == modeOption && s.modeIsOptionLocked()
	if i < 0 && !mode {
		return ConfigValue{}, invalid("/configId", "it is none of the session's options")
	}
	switch v := value.(type) {
	case *acpv1.SessionConfigBooleanValue:
		if mode || !s.config[i].Boolean {
			return ConfigValue{}, invalid("/value", "the option is not a switch")
		}
		return ConfigValue{On: v.Value}, nil
	case *acpv1.SessionConfigSelectValue:
		chosen := string(v.Value)
		if mode && s.modeIndexLocked(chosen) >= 0 || !mode && !s.config[i].Boolean && s.config[i].has(chosen) {
			return ConfigValue{ID: chosen}, nil
		}
	}
	return ConfigValue{}, invalid("/value", "it is none of the option's values")
}

// changeOption changes a setting that is not the mode, and keeps it.
func (s *Session) changeOption(ctx context.Context, c Configurer, id string, value ConfigValue) error {
	err := s.conn.guarded("SetConfigOption", func() error {
		if err := c.SetConfigOption(ctx, s, id, value); err != nil {
			return err
		}
		s.readConfig(ctx)
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.settings[id] = value
	s.mu.Unlock()
	s.conn.server.keepMeta(s)
	return nil
}

// SetOption changes a setting from the agent's side, also out of a turn, and tells the client. It calls the engine's SetConfigOption, and the value is kept like one that the
// client has chosen. The error is the engine's, or [ErrUnknownOption] if the client was not offered the value; for the mode there is [Session.SetMode].
func (s *Session) SetOption(ctx context.Context, id string, value ConfigValue) error {
	c, ok := s.conn.server.engine.(Configurer)
	if !ok {
		return ErrUnknownOption
	}
	before := s.knownConfig()
	i := slices.IndexFunc(before, func(o ConfigOption) bool { return o.ID == id })
	if i < 0 || !before[i].Boolean && !before[i].has(value.ID) {
		return ErrUnknownOption
	}
	if err := s.changeOption(ctx, c, id, value); err != nil {
		return err
	}
	return s.tellConfig(before)
}

// reconfigure gives a restored session the settings that the client had chosen. What the engine no longer has is forgotten.
func (s *Session) reconfigure(ctx context.Context) {
	c, ok := s.conn.server.engine.(Configurer)
	if !ok {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.settings)) {
		err := s.conn.guarded("SetConfigOption", func() error { return c.SetConfigOption(ctx, s, id, s.settings[id]) })
		if err != nil {
			s.conn.server.logFailure("SetConfigOption", s.redacted(err))
			delete(s.settings, id)
			s.changed = true
		}
	}
}
