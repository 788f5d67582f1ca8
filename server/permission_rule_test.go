package server

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A ruling engine makes rules of a tool and its input.
type ruling struct {
	*rich
	kept []string
}

func (r *ruling) PermissionRule(_ *Session, call *Call) string {
	if call.Name() == "unruly" {
		return ""
	}
	return call.Name() + " " + string(call.RawInput())
}

func (r *ruling) KeepPermission(_ context.Context, _ *Session, rule string, allow bool) {
	if !allow {
		rule = "not " + rule
	}
	r.kept = append(r.kept, rule)
}

// TestPermissionRules shows that a choice for good holds for what the engine's rule says, in its session alone, and is offered to the engine for keeping, which can bring it back.
func TestPermissionRules(t *testing.T) {
	engine := &ruling{rich: newRich()}
	var allowed []bool
	engine.prompt = func(ctx context.Context, t *Turn) (Finish, error) {
		name, input, _ := strings.Cut(t.Text(), " ")
		ok, err := t.Allow(ctx, t.Tool(name, Delete, "", Input(input)))
		allowed = append(allowed, ok)
		return Stop, err
	}
	e := open(t, engine, nil)
	var asked [][]acpv1.PermissionOptionID
	choose := acpv1.PermissionOptionID("")
	e.permit = func(_ context.Context, p *acpv1.RequestPermissionRequest) (*acpv1.RequestPermissionResponse, error) {
		var ids []acpv1.PermissionOptionID
		for _, o := range p.Options {
			ids = append(ids, o.OptionID)
		}
		asked = append(asked, ids)
		return acpv1.Selected(choose), nil
	}
	one, other := e.newSession(), e.newSession()
	all := []acpv1.PermissionOptionID{"allow_once", "allow_always", "reject_once", "reject_always"}
	once := []acpv1.PermissionOptionID{"allow_once", "reject_once"}
	for _, step := range []struct {
		name    string
		session acpv1.SessionID
		call    string
		choose  acpv1.PermissionOptionID
		asked   []acpv1.PermissionOptionID // nil: not at all
		allowed bool
	}{
		{"always", one, "rm a", "allow_always", all, true},
		{"the same again", one, "rm a", "reject_once", nil, true},
		{"the same tool, another rule", one, "rm b", "reject_always", all, false},
		{"rejected for good", one, "rm b", "allow_once", nil, false},
		{"another session", other, "rm a", "allow_once", all, true},
		{"once is not for good", other, "rm a", "reject_once", all, false},
		{"no rule", one, "unruly a", "allow_once", once, true},
		{"no rule, again", one, "unruly a", "allow_always", once, false},
	} {
		asked, allowed, choose = nil, nil, step.choose
		if _, err := e.ask(step.session, step.call); err != nil {
			t.Fatal(err)
		}
		var want [][]acpv1.PermissionOptionID
		if step.asked != nil {
			want = append(want, step.asked)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s: asked: mismatch (-want +got):\n%s", step.name, diff)
		}
		if diff := cmp.Diff([]bool{step.allowed}, allowed); diff != "" {
			t.Errorf("%s: allowed: mismatch (-want +got):\n%s", step.name, diff)
		}
	}
	if diff := cmp.Diff([]string{`rm "a"`, `not rm "b"`}, engine.kept); diff != "" {
		t.Errorf("kept: mismatch (-want +got):\n%s", diff)
	}
}
