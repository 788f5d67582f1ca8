package server

import (
	stdcmp "cmp"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A thinker is an engine with a thinking level.
type thinker struct {
	script
	level  *ThinkingLevel
	levels []ThinkingLevel
}

func (th thinker) ConfigOptions(context.Context, *Session) []ConfigOption {
	return []ConfigOption{ThinkingOption(*th.level, th.levels...)}
}

func (th thinker) SetConfigOption(_ context.Context, _ *Session, _ string, value ConfigValue) error {
	*th.level = ThinkingLevel(value.ID)
	return nil
}

// TestThinkingLevel offers a level and changes it.
func TestThinkingLevel(t *testing.T) {
	tests := []struct {
		name    string
		current ThinkingLevel
		levels  []ThinkingLevel
		want    acpv1.SessionConfigUngroupedOptions
	}{
		{"all", ThinkingLow, nil, acpv1.SessionConfigUngroupedOptions{{Value: "off", Name: "Off"}, {Value: "low", Name: "Low"}, {Value: "medium", Name: "Medium"}, {Value: "high", Name: "High"}}},
		{"some, and one of its own", ThinkingOff, []ThinkingLevel{"off", "high", "ultra"}, acpv1.SessionConfigUngroupedOptions{{Value: "off", Name: "Off"}, {Value: "high", Name: "High"}, {Value: "ultra", Name: "ultra"}}},
		{"none now", "", []ThinkingLevel{"low", "high"}, acpv1.SessionConfigUngroupedOptions{{Value: "low", Name: "Low"}, {Value: "high", Name: "High"}}},
		{"another now", "max", []ThinkingLevel{"high"}, acpv1.SessionConfigUngroupedOptions{{Value: "max", Name: "max"}, {Value: "high", Name: "High"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			level := tt.current
			e := open(t, thinker{level: &level, levels: tt.levels}, nil)
			r, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{}})
			if err != nil {
				t.Fatal(err)
			}
			offered := func(current acpv1.SessionConfigValueID) []acpv1.SessionConfigOption {
				return []acpv1.SessionConfigOption{{
					ID: ThinkingOptionID, Name: "Thinking", Category: new(acpv1.SessionConfigOptionCategoryThoughtLevel), Type: &acpv1.SessionConfigSelect{CurrentValue: current, Options: tt.want},
				}}
			}
			if diff := cmp.Diff(offered(stdcmp.Or(acpv1.SessionConfigValueID(tt.current), tt.want[0].Value)), r.ConfigOptions); diff != "" {
				t.Errorf("offered: mismatch (-want +got):\n%s", diff)
			}
			set, err := e.SetSessionConfigOption(t.Context(), &acpv1.SetSessionConfigOptionRequest{SessionID: r.SessionID, ConfigID: ThinkingOptionID, Value: &acpv1.SessionConfigSelectValue{Value: "high"}})
			if err != nil {
				t.Fatal(err)
			}
			if level != ThinkingHigh {
				t.Errorf("the engine's level is %q", level)
			}
			if tt.current == "max" {
				return // it is not offered any more
			}
			if diff := cmp.Diff(offered("high"), set.ConfigOptions); diff != "" {
				t.Errorf("after the change: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
