package conform

import (
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

var modeRules = []Rule{
	{ID: "MODE-1", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-modes",
		Doc: "A session is set to one of its available modes.", hooks: []hook{params(acpv1.MethodSetSessionMode, noSuchMode)}},
	{ID: "MODE-2", Level: Implied, Severity: Warning, By: wire.AgentSide, Page: site + "session-modes",
		Doc:   "The current mode is one of the available modes, which have different ids.",
		hooks: append(onOptions(func(x *step, o offered) { x.checkModes(o.modes) }), update(tagMode, modeNotAvailable))},
}

var configRules = []Rule{
	{ID: "CFG-1", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-config-options",
		Doc: "Boolean options are for clients that advertise them.", hooks: onOptions(booleans)},
	{ID: "CFG-2", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-config-options",
		Doc:   "Setting an option is answered with all options.",
		Limit: "Options may come and go, so that only an answer without the option itself, or with it alone, is reported, as a warning.",
		hooks: []hook{result(acpv1.MethodSetSessionConfigOption, notAllOptions)}},
	{ID: "CFG-3", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-config-options",
		Doc:   "An update of the options holds all of them.",
		Limit: "Options may come and go, so that only an update with one of several is reported, as a warning.",
		hooks: []hook{update(tagConfig, oneOption)}},
	{ID: "CFG-4", Level: Must, Severity: Error, By: wire.ClientSide, Page: site + "session-config-options",
		Doc: "An option is set to one of its values; a boolean one to a boolean.", hooks: []hook{params(acpv1.MethodSetSessionConfigOption, noSuchValue)}},
	{ID: "CFG-5", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-config-options",
		Doc: "The current value of a choice is one of its values, and options have different ids.", hooks: onOptions(noCurrentValue)},
	{ID: "CFG-6", Level: Must, Severity: Error, By: wire.AgentSide, Page: site + "session-config-options",
		Doc:   "Names of categories that do not start with an underscore are those of the protocol.",
		Limit: "Each name is reported once. How a client takes unknown ones is not on the wire.", hooks: onOptions(unknownCategory)},
	{ID: "CFG-7", Level: Should, Severity: Warning, By: wire.AgentSide, Page: site + "session-config-options",
		Doc:   "Where a session has modes and an option for the mode, they agree.",
		Limit: "They are compared if the option's values are the ids of the modes.", hooks: onOptions(modesDiffer)},
}

// An offered is what a frame says of modes and options.
type offered struct {
	modes     *acpv1.SessionModeState
	options   []acpv1.SessionConfigOption
	at        string // pointer of options
	requested int    // frame of the request, 0 for an update
}

// onOptions returns the hooks that call check wherever modes or options stand.
func onOptions(check func(x *step, o offered)) []hook {
	const at = "/result/configOptions"
	return []hook{
		result(acpv1.MethodNewSession, func(x *step, _ *acpv1.NewSessionRequest, r *acpv1.NewSessionResponse) {
			check(x, offered{r.Modes, r.ConfigOptions, at, x.req.n})
		}),
		result(acpv1.MethodLoadSession, func(x *step, _ *acpv1.LoadSessionRequest, r *acpv1.LoadSessionResponse) {
			check(x, offered{r.Modes, r.ConfigOptions, at, x.req.n})
		}),
		result(acpv1.MethodResumeSession, func(x *step, _ *acpv1.ResumeSessionRequest, r *acpv1.ResumeSessionResponse) {
			check(x, offered{r.Modes, r.ConfigOptions, at, x.req.n})
		}),
		result(acpv1.MethodSetSessionConfigOption, func(x *step, _ *acpv1.SetSessionConfigOptionRequest, r *acpv1.SetSessionConfigOptionResponse) {
			check(x, offered{nil, r.ConfigOptions, at, x.req.n})
		}),
		update(tagConfig, func(x *step, u *acpv1.ConfigOptionUpdate) {
			check(x, offered{nil, u.ConfigOptions, "/params/update/configOptions", 0})
		}),
	}
}

func hasMode(m *acpv1.SessionModeState, id acpv1.SessionModeID) bool {
	return m != nil && slices.ContainsFunc(m.AvailableModes, func(mode acpv1.SessionMode) bool { return mode.ID == id })
}

func noSuchMode(x *step, p *acpv1.SetSessionModeRequest) {
	if s := x.sess; s != nil && s.modesKnown && !hasMode(s.modes, p.ModeID) {
		x.report("/params/modeId", s.opened, "the session has no mode %q", p.ModeID)
	}
}

func (x *step) checkModes(m *acpv1.SessionModeState) {
	if m == nil {
		return
	}
	if !hasMode(m, m.CurrentModeID) {
		x.report("/result/modes/currentModeId", 0, "%q is not an available mode", m.CurrentModeID)
	}
	for i, mode := range m.AvailableModes {
		if j := slices.IndexFunc(m.AvailableModes, func(other acpv1.SessionMode) bool { return other.ID == mode.ID }); j < i {
			x.report(index("/result/modes/availableModes", i)+"/id", 0, "%q is the id of mode %d too", mode.ID, j)
		}
	}
}

func modeNotAvailable(x *step, u *acpv1.CurrentModeUpdate) {
	if s := x.sess; s != nil && s.modesKnown && !hasMode(s.modes, u.CurrentModeID) {
		x.report("/params/update/currentModeId", s.opened, "%q is not an available mode", u.CurrentModeID)
	}
}

func booleans(x *step, o offered) {
	c := x.st.clientCaps
	if !x.st.knowsClient || c != nil && c.Session != nil && c.Session.ConfigOptions != nil && c.Session.ConfigOptions.Boolean != nil {
		return
	}
	for i, option := range o.options {
		if _, ok := option.Type.(*acpv1.SessionConfigBoolean); ok {
			x.report(index(o.at, i)+"/type", x.st.handshake.request, "a boolean option for a client that does not advertise session.configOptions.boolean")
		}
	}
}

func findOption(list []acpv1.SessionConfigOption, id acpv1.SessionConfigID) *acpv1.SessionConfigOption {
	if i := slices.IndexFunc(list, func(o acpv1.SessionConfigOption) bool { return o.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

func notAllOptions(x *step, p *acpv1.SetSessionConfigOptionRequest, r *acpv1.SetSessionConfigOptionResponse) {
	s := x.sess
	if s == nil || findOption(s.options, p.ConfigID) == nil {
		return
	}
	switch {
	case findOption(r.ConfigOptions, p.ConfigID) == nil:
		x.doubt("/result/configOptions", x.req.n, "the option %q that was set is not among them", p.ConfigID)
	case len(r.ConfigOptions) == 1 && len(s.options) > 2:
		x.doubt("/result/configOptions", x.req.n, "one option only, but the session has %d", len(s.options))
	}
}

func oneOption(x *step, u *acpv1.ConfigOptionUpdate) {
	if s := x.sess; s != nil && len(u.ConfigOptions) == 1 && len(s.options) > 2 {
		x.doubt("/params/update/configOptions", 0, "one option only, but the session has %d", len(s.options))
	}
}

func noSuchValue(x *step, p *acpv1.SetSessionConfigOptionRequest) {
	s := x.sess
	if s == nil || s.options == nil || s.assumed && s.before == nil { // those before an update that has crossed the request were not seen
		return
	}
	var why, at string
	for _, list := range [][]acpv1.SessionConfigOption{s.options, s.before} { // an update may have crossed the request
		o := findOption(list, p.ConfigID)
		switch {
		case o == nil && why == "":
			why, at = "the session has no option "+string(p.ConfigID), "/params/configId"
		case o != nil && accepts(o, p.Value):
			return
		case o != nil:
			why, at = "not a value of the option "+string(p.ConfigID), "/params/value"
		}
	}
	x.report(at, s.opened, "%s", why)
}

func accepts(o *acpv1.SessionConfigOption, v acpv1.SessionConfigValue) bool {
	switch t := o.Type.(type) {
	case *acpv1.SessionConfigSelect:
		choice, ok := v.(*acpv1.SessionConfigSelectValue)
		return ok && slices.Contains(values(t), choice.Value)
	case *acpv1.SessionConfigBoolean:
		_, ok := v.(*acpv1.SessionConfigBooleanValue)
		return ok
	case *acpv1.UnknownSessionConfigOptionType:
	}
	return true
}

// values returns the values of a choice.
func values(s *acpv1.SessionConfigSelect) []acpv1.SessionConfigValueID {
	var ids []acpv1.SessionConfigValueID
	switch list := s.Options.(type) {
	case acpv1.SessionConfigUngroupedOptions:
		for _, o := range list {
			ids = append(ids, o.Value)
		}
	case acpv1.SessionConfigGroupedOptions:
		for _, g := range list {
			for _, o := range g.Options {
				ids = append(ids, o.Value)
			}
		}
	}
	return ids
}

func noCurrentValue(x *step, o offered) {
	for i, option := range o.options {
		if s, ok := option.Type.(*acpv1.SessionConfigSelect); ok && !slices.Contains(values(s), s.CurrentValue) {
			x.report(index(o.at, i)+"/currentValue", 0, "%q is not among the option's values", s.CurrentValue)
		}
		if first := findOption(o.options, option.ID); first != &o.options[i] {
			x.doubt(index(o.at, i)+"/id", 0, "%q is the id of another option too", option.ID)
		}
	}
}

func unknownCategory(x *step, o offered) {
	for i, option := range o.options {
		if c := option.Category; c != nil && !c.Known() && !strings.HasPrefix(string(*c), "_") && x.st.once("category "+string(*c), x.n) {
			x.report(index(o.at, i)+"/category", 0, "%q is not a category of the protocol", *c)
		}
	}
}

func modesDiffer(x *step, o offered) {
	modes := o.modes
	if modes == nil && x.sess != nil {
		return // the mode's own update may be on its way
	}
	if modes == nil {
		return
	}
	for i, option := range o.options {
		s, ok := option.Type.(*acpv1.SessionConfigSelect)
		if !ok || option.Category == nil || *option.Category != acpv1.SessionConfigOptionCategoryMode || string(s.CurrentValue) == string(modes.CurrentModeID) {
			continue
		}
		if !slices.ContainsFunc(values(s), func(v acpv1.SessionConfigValueID) bool { return !hasMode(modes, acpv1.SessionModeID(v)) }) {
			x.report(index(o.at, i)+"/currentValue", 0, "the mode is %q here, but %q in modes", s.CurrentValue, modes.CurrentModeID)
		}
	}
}
