package suite

import (
	"github.com/acpwire/acpwire/gen/acpv1"
)

var settingScenarios = []Scenario{
	{Area: "settings", Name: "modes", Doc: "every mode that is offered can be set", run: func(s *scene) {
		c, x := s.ready()
		c.needs(x.modes != nil, "modes")
		if s.over {
			return
		}
		for _, m := range x.modes.AvailableModes {
			c.wantResult(ruleSettings, c.do(acpv1.MethodSetSessionMode, object{"sessionId": x.id, "modeId": string(m.ID)}), "set_mode")
		}
	}},
	{Area: "settings", Name: "mode-unknown", Doc: "a mode that is not offered is refused", run: func(s *scene) {
		c, x := s.ready()
		c.needs(x.modes != nil, "modes")
		c.wantError(ruleSettings, c.do(acpv1.MethodSetSessionMode, object{"sessionId": x.id, "modeId": "acpcheck-no-such-mode"}), "a mode that is not offered")
	}},
	{Area: "settings", Name: "mode-by-agent", Doc: "the agent may change the mode itself, and says so", Prompts: []string{"mode"}, run: func(s *scene) {
		c, x := s.ready()
		c.needs(x.modes != nil && len(x.modes.AvailableModes) > 1, "a second mode")
		if s.over {
			return
		}
		other := x.modeID(0)
		if acpv1.SessionModeID(other) == x.modes.CurrentModeID {
			other = x.modeID(1)
		}
		call := c.begin(acpv1.MethodPrompt, promptParams(x.id, textBlock(s.prompt("mode", map[string]string{"mode": other}))))
		c.waitTurn(call)
		c.wantTurn(call, acpv1.StopReasonEndTurn)
		for _, u := range c.updatesOf(x.id) {
			if _, ok := u.SessionUpdate.(*acpv1.CurrentModeUpdate); ok {
				return
			}
		}
		s.skip("the agent did not change the mode")
	}},
	{Area: "settings", Name: "options", Doc: "every value of every config option can be set, and is the current one then", run: func(s *scene) {
		c, x := s.ready()
		c.needs(len(x.options) > 0, "config options")
		for _, o := range x.options {
			c.setEach(x, o)
		}
	}},
	{Area: "settings", Name: "option-unknown", Doc: "a config option that is not offered is refused", run: func(s *scene) {
		c, x := s.ready()
		c.needs(len(x.options) > 0, "config options")
		c.wantError(ruleSettings, c.do(acpv1.MethodSetSessionConfigOption, object{"sessionId": x.id, "configId": "acpcheck-no-such-option", "value": "x"}), "a config option that is not offered")
	}},
	{Area: "settings", Name: "value-unknown", Doc: "a value that is not offered is refused", run: func(s *scene) {
		c, x := s.ready()
		for _, o := range x.options {
			if _, ok := o.Type.(*acpv1.SessionConfigSelect); ok {
				call := c.do(acpv1.MethodSetSessionConfigOption, object{"sessionId": x.id, "configId": string(o.ID), "value": "acpcheck-no-such-value"})
				c.wantError(ruleSettings, call, "a value that is not offered for "+string(o.ID))
				return
			}
		}
		s.skip("the agent has no config option with values to choose from")
	}},
}

// setEach sets all values of a config option.
func (c *client) setEach(x *session, o acpv1.SessionConfigOption) {
	set := func(params object, current func(acpv1.SessionConfigOptionType) bool) {
		params["sessionId"], params["configId"] = x.id, string(o.ID)
		call := c.do(acpv1.MethodSetSessionConfigOption, params)
		if !c.wantResult(ruleSettings, call, "set_config_option") {
			return
		}
		r := resultOf[acpv1.SetSessionConfigOptionResponse](call)
		if r == nil {
			return
		}
		c.wantCurrent(x, call, r, o.ID, current)
	}
	switch t := o.Type.(type) {
	case *acpv1.SessionConfigSelect:
		for _, v := range valuesOf(t.Options) {
			set(object{"value": string(v)}, func(now acpv1.SessionConfigOptionType) bool {
				n, ok := now.(*acpv1.SessionConfigSelect)
				return ok && n.CurrentValue == v
			})
		}
	case *acpv1.SessionConfigBoolean:
		for _, v := range []bool{!t.CurrentValue, t.CurrentValue} {
			set(object{"type": "boolean", "value": v}, func(now acpv1.SessionConfigOptionType) bool {
				n, ok := now.(*acpv1.SessionConfigBoolean)
				return ok && n.CurrentValue == v
			})
		}
	}
}

// wantCurrent checks the answer after a config option was set.
func (c *client) wantCurrent(x *session, call *call, r *acpv1.SetSessionConfigOptionResponse, id acpv1.SessionConfigID, current func(acpv1.SessionConfigOptionType) bool) {
	found := false
	for _, o := range r.ConfigOptions {
		if o.ID == id {
			found = true
			if !current(o.Type) {
				c.s.fail(ruleSettings, c.link, call.at(), call.n, "the config option %q does not have the value that was set", id)
			}
		}
	}
	if !found {
		c.s.fail("CFG-2", c.link, call.at(), call.n, "the answer lacks the config option %q that was set", id)
	}
}

func valuesOf(options acpv1.SessionConfigSelectOptions) []acpv1.SessionConfigValueID {
	var values []acpv1.SessionConfigValueID
	switch o := options.(type) {
	case acpv1.SessionConfigUngroupedOptions:
		for _, v := range o {
			values = append(values, v.Value)
		}
	case acpv1.SessionConfigGroupedOptions:
		for _, g := range o {
			for _, v := range g.Options {
				values = append(values, v.Value)
			}
		}
	}
	return values
}
