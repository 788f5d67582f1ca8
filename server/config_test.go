package server

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// TestSetOption shows that the client is told of a setting that the agent changes, and that it is kept.
func TestSetOption(t *testing.T) {
	engine := newRich()
	engine.prompt = func(ctx context.Context, t *Turn) (Finish, error) {
		for _, bad := range []struct {
			id    string
			value ConfigValue
		}{{"model", ConfigValue{ID: "huge"}}, {"none", ConfigValue{}}, {"broken", ConfigValue{ID: "y"}}, {"mode", ConfigValue{ID: "plan"}}} {
			if err := t.SetOption(ctx, bad.id, bad.value); !errors.Is(err, ErrUnknownOption) {
				return Stop, errors.New(bad.id + " is taken")
			}
		}
		large := ConfigValue{ID: "large"}
		return Stop, errors.Join(t.SetOption(ctx, "model", large), t.SetOption(ctx, "model", large), t.SetOption(ctx, "loud", ConfigValue{On: true}))
	}
	keep := new(store.Memory)
	e := open(t, engine, &Options{Store: keep})
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	want := []string{"initialize result", "session/new result", "session_info_update", "available_commands_update", "config_option_update", "config_option_update", "session/prompt result end_turn"}
	if diff := cmp.Diff(want, e.log.sent()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	e.leave()

	f := open(t, newRich(), &Options{Store: keep})
	r, err := f.ResumeSession(t.Context(), &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.ConfigOptions[1].Type.(*acpv1.SessionConfigSelect).CurrentValue; got != "large" {
		t.Errorf("the model is %s after a restart, want large", got)
	}
	if !r.ConfigOptions[2].Type.(*acpv1.SessionConfigBoolean).CurrentValue {
		t.Error("the switch is off after a restart")
	}
}

// TestSetOptionWithoutAny shows that an engine without settings has none to change.
func TestSetOptionWithoutAny(t *testing.T) {
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		if err := t.SetOption(ctx, "model", ConfigValue{ID: "x"}); !errors.Is(err, ErrUnknownOption) {
			return Stop, errors.New("it is taken")
		}
		return Stop, nil
	}}, nil)
	if _, err := e.ask(e.newSession(), "go"); err != nil {
		t.Error(err)
	}
}
