package server

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/server/store"
)

// A forgetful is a rich engine that no longer has some of its options.
type forgetful struct {
	*rich
	gone map[string]bool
	set  []string
}

func (f *forgetful) SetConfigOption(ctx context.Context, s *Session, id string, v ConfigValue) error {
	f.set = append(f.set, id)
	if f.gone[id] {
		return errors.New("there is no such option any more")
	}
	return f.rich.SetConfigOption(ctx, s, id, v)
}

// TestSettingsForgotten shows what a store keeps of the settings when a session is restored by an engine that no longer takes some: the others, and nothing if there are none.
func TestSettingsForgotten(t *testing.T) {
	for name, tt := range map[string]struct {
		gone map[string]bool
		want string
	}{
		"none": {nil, `{"loud":{"on":true},"model":{"id":"large"}}`},
		"one":  {map[string]bool{"loud": true}, `{"model":{"id":"large"}}`},
		"all":  {map[string]bool{"loud": true, "model": true}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			keep := new(store.Memory)
			engine := &forgetful{rich: newRich()}
			e := open(t, engine, &Options{Store: keep})
			id := e.newSession()
			for option, value := range map[acpv1.SessionConfigID]acpv1.SessionConfigValue{
				"model": &acpv1.SessionConfigSelectValue{Value: "large"}, "loud": &acpv1.SessionConfigBooleanValue{Value: true},
			} {
				if _, err := e.SetSessionConfigOption(t.Context(), &acpv1.SetSessionConfigOptionRequest{SessionID: id, ConfigID: option, Value: value}); err != nil {
					t.Fatal(err)
				}
			}
			engine.gone, engine.set = tt.gone, nil
			if _, err := e.ResumeSession(t.Context(), &acpv1.ResumeSessionRequest{SessionID: id, Cwd: "/w"}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"loud", "model"}, engine.set); diff != "" {
				t.Errorf("options set again: mismatch (-want +got):\n%s", diff)
			}
			s, err := keep.Get(t.Context(), string(id))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.Config)); diff != "" {
				t.Errorf("kept: mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// TestListedByDirectory lists the sessions of a directory, whose name can be written in more than one way.
func TestListedByDirectory(t *testing.T) {
	e := open(t, newRich(), &Options{Store: new(store.Memory)})
	for _, cwd := range []string{"/w", "/w/", "/w/a/..", "/w2"} {
		if _, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: cwd, MCPServers: []acpv1.MCPServer{}}); err != nil {
			t.Fatal(err)
		}
	}
	for cwd, want := range map[string]int{"/w": 3, "/w/": 3, "/w/./": 3, "/w2": 1, "/": 0} {
		r, err := e.ListSessions(t.Context(), &acpv1.ListSessionsRequest{Cwd: &cwd})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Sessions) != want {
			t.Errorf("%s: %d sessions, want %d", cwd, len(r.Sessions), want)
		}
	}
}
