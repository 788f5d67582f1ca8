package server

import (
	"context"
	"errors"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A ChoiceKind says what a choice of a permission means.
type ChoiceKind string

// The kinds.
const (
	AllowOnce    ChoiceKind = "allow_once"
	AllowAlways  ChoiceKind = "allow_always"
	RejectOnce   ChoiceKind = "reject_once"
	RejectAlways ChoiceKind = "reject_always"
)

// Allows reports whether the kind lets the call run.
func (k ChoiceKind) Allows() bool { return k == AllowOnce || k == AllowAlways }

func (k ChoiceKind) lasts() bool { return k == AllowAlways || k == RejectAlways }

// A Choice is an option of a permission. https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
type Choice struct {
	ID, Name string
	Kind     ChoiceKind
}

// baseChoices are offered if the engine gives none.
var baseChoices = []Choice{
	{"allow_once", "Allow", AllowOnce},
	{"allow_always", "Always allow", AllowAlways},
	{"reject_once", "Reject", RejectOnce},
	{"reject_always", "Always reject", RejectAlways},
}

// Allow asks the user whether the call may run, unless a rule of the session already says so; see [PermissionRuler]. choices replace the options that are offered:
// allow and reject, once and always. If the answer is no, the call has failed when Allow returns false, and the turn may go on. No is also what it is taken for if
// the client fails, answers something that was not offered, or the session's mode is read-only and the tool changes something. The error is not nil if the turn or
// ctx ended first, or the call was over. In a session one permission is asked for at a time.
func (t *Turn) Allow(ctx context.Context, call *Call, choices ...Choice) (bool, error) {
	chosen, err := t.Choose(ctx, call, choices...)
	return err == nil && chosen.Kind.Allows(), err
}

// Choose is Allow for engines that want to know which choice it was. A rejection that is none of the choices has no ID.
func (t *Turn) Choose(ctx context.Context, call *Call, choices ...Choice) (Choice, error) {
	return t.ask(ctx, call, choices, true)
}

// ExitPlan asks the user to leave a mode, usually that of planning, with the modes as the options, and to stay in it as the last one. If the user chooses a mode, the
// session's mode changes and ok is true. call is usually of kind [SwitchMode], which read-only modes do not refuse.
func (t *Turn) ExitPlan(ctx context.Context, call *Call, modes ...string) (ok bool, err error) {
	t.s.mu.Lock()
	var choices []Choice
	for _, id := range modes {
		if i := t.s.modeIndexLocked(id); i >= 0 {
			choices = append(choices, Choice{ID: id, Name: nameOr(t.s.modes[i].Name, id), Kind: AllowOnce})
		}
	}
	current := t.s.mode
	t.s.mu.Unlock()
	if len(choices) == 0 {
		return false, ErrUnknownMode
	}
	stay := "stay"
	for slices.ContainsFunc(choices, func(c Choice) bool { return c.ID == stay }) {
		stay += "_" + current
	}
	choices = append(choices, Choice{ID: stay, Name: "Stay in this mode", Kind: RejectOnce})
	chosen, err := t.ask(ctx, call, choices, false)
	if err != nil || !chosen.Kind.Allows() {
		return false, err
	}
	return true, t.SetMode(chosen.ID)
}

// Permit makes a rule for the session, as if the user had: calls that come under it are allowed or refused without asking. An engine that keeps rules brings them
// back with it.
func (s *Session) Permit(rule string, allow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rule != "" {
		s.rules[rule] = allow
	}
}

var refusal = Choice{Kind: RejectOnce}

// ask is the one way to a permission request.
func (t *Turn) ask(ctx context.Context, call *Call, choices []Choice, ruled bool) (Choice, error) {
	if call == nil || call.t != t {
		return refusal, &Error{Kind: ErrorInvalid, Message: "the tool call is not one of this turn"}
	}
	rule := ""
	if ruled {
		rule = t.ruleOf(call)
	}
	choices = offered(choices, rule)
	if len(choices) == 0 {
		return refusal, &Error{Kind: ErrorInvalid, Message: "there is no choice to offer"}
	}
	if chosen, settled, err := t.decided(call, rule, false); settled {
		return chosen, err
	}
	ctx, stop := t.within(ctx)
	defer stop()
	select {
	case t.s.asking <- struct{}{}:
	case <-ctx.Done():
		return refusal, t.unasked(ctx, call, false)
	}
	defer func() { <-t.s.asking }()
	// A permission that was asked for before may have settled this one.
	if ctx.Err() != nil {
		return refusal, t.unasked(ctx, call, false)
	}
	if chosen, settled, err := t.decided(call, rule, true); settled {
		return chosen, err
	}
	defer t.requests.Done()
	response, err := t.s.client.RequestPermission(ctx, t.question(call, choices))
	if ctx.Err() != nil {
		return refusal, t.unasked(ctx, call, true)
	}
	chosen := t.chosen(choices, response, err)
	t.learn(ctx, rule, chosen)
	return chosen, t.conclude(call, chosen)
}

// within returns ctx, ending also with the turn, for the cause [ErrTurnOver].
func (t *Turn) within(ctx context.Context) (_ context.Context, stop func()) {
	return endingWith(ctx, t.ended, ErrTurnOver)
}

// calling returns ctx, ending also with the turn, for a request to the client. The turn is not answered before done is called: nothing may be asked after that.
func (t *Turn) calling(ctx context.Context) (_ context.Context, done func(), err error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.over || t.closing {
		return nil, nil, ErrTurnOver
	}
	t.requests.Add(1)
	ctx, stop := t.within(ctx)
	return ctx, func() {
		stop()
		t.requests.Done()
	}, nil
}

func (t *Turn) ruleOf(call *Call) string {
	ruler, ok := t.s.conn.server.engine.(PermissionRuler)
	if !ok {
		return call.name
	}
	return ruler.PermissionRule(t.s, call)
}

// offered returns the choices to offer. Those that last are left out if there is no rule that they could make.
func offered(choices []Choice, rule string) []Choice {
	if len(choices) == 0 {
		choices = baseChoices
	}
	seen := make(map[string]bool)
	var list []Choice
	for _, c := range choices {
		if c.ID == "" || seen[c.ID] || c.Kind.lasts() && rule == "" {
			continue
		}
		seen[c.ID] = true
		list = append(list, c)
	}
	return list
}

// decided returns what needs no asking. If asking, and it is not settled, the call waits for permission from now on.
func (t *Turn) decided(call *Call, rule string, asking bool) (chosen Choice, settled bool, err error) {
	t.flushAfter(func() {
		if err = call.usableLocked(); err == nil && call.asking {
			err = ErrPermissionPending
		}
		if err != nil {
			settled = true
			return
		}
		if call.kind.Mutates() && t.s.readOnlyLocked() {
			chosen, settled, err = refusal, true, call.failLocked(readOnlyText)
			return
		}
		allow, known := t.s.rules[rule]
		switch {
		case known && rule != "" && allow:
			chosen, settled = Choice{Kind: AllowAlways}, true
		case known && rule != "":
			chosen, settled, err = Choice{Kind: RejectAlways}, true, call.failLocked("The user has rejected such calls.")
		case asking && t.closing:
			settled, err = true, ErrTurnOver
		case asking:
			call.asking = true
			t.requests.Add(1)
		}
	})
	return chosen, settled, err
}

// unasked ends a call whose permission was not given because the turn, or the engine's interest in it, ended. If it was not this caller who had asked, and somebody else has,
// the call is theirs.
func (t *Turn) unasked(ctx context.Context, call *Call, asked bool) error {
	err := context.Cause(ctx)
	t.flushAfter(func() {
		if call.asking && !asked {
			return
		}
		call.asking = false
		if e := call.usableLocked(); e != nil {
			err = e
			return
		}
		t.s.logFailed("tool call", call.failLocked("The call did not run."))
	})
	return err
}

// question returns the request, with all that is known of the call: a client may show nothing else.
func (t *Turn) question(call *Call, choices []Choice) *acpv1.RequestPermissionRequest {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	u := call.patch()
	a := call.announcement()
	u.Title, u.Kind, u.Status, u.Name, u.Locations, u.RawInput = &a.Title, a.Kind, a.Status, a.Name, a.Locations, a.RawInput
	if call.running {
		u.Status = new(acpv1.ToolCallStatusInProgress)
	}
	if len(call.items()) > 0 {
		u.Content = call.contentLocked()
	}
	p := &acpv1.RequestPermissionRequest{SessionID: acpv1.SessionID(t.s.id), ToolCall: *u}
	for _, c := range choices {
		p.Options = append(p.Options, acpv1.PermissionOption{OptionID: acpv1.PermissionOptionID(c.ID), Name: clean(nameOr(c.Name, c.ID)), Kind: acpv1.PermissionOptionKind(c.Kind)})
	}
	return p
}

// chosen returns which choice the response means. What it cannot mean is a rejection.
func (t *Turn) chosen(choices []Choice, response *acpv1.RequestPermissionResponse, err error) Choice {
	log := t.s.conn.server.opts.Logger
	if err != nil {
		log.Warn("server: a permission could not be asked for and counts as rejected", "session", t.s.id, "error", t.s.redacted(err))
		return refusal
	}
	selected, ok := response.Outcome.(*acpv1.SelectedPermissionOutcome)
	if !ok {
		log.Warn("server: a permission was cancelled without its turn and counts as rejected", "session", t.s.id)
		return refusal
	}
	i := slices.IndexFunc(choices, func(c Choice) bool { return c.ID == string(selected.OptionID) })
	if i < 0 {
		log.Warn("server: the client chose an option that was not offered; it counts as rejected", "session", t.s.id, "offered", choices, "chosen", string(selected.OptionID))
		return refusal
	}
	return choices[i]
}

// learn makes a rule of a choice that lasts.
func (t *Turn) learn(ctx context.Context, rule string, chosen Choice) {
	if rule == "" || !chosen.Kind.lasts() {
		return
	}
	t.s.Permit(rule, chosen.Kind.Allows())
	if keeper, ok := t.s.conn.server.engine.(PermissionKeeper); ok {
		_ = t.s.conn.guarded("KeepPermission", func() error {
			keeper.KeepPermission(ctx, t.s, rule, chosen.Kind.Allows())
			return nil
		})
	}
}

// conclude ends the wait of the call.
func (t *Turn) conclude(call *Call, chosen Choice) (err error) {
	t.flushAfter(func() {
		call.asking = false
		if err = call.usableLocked(); err != nil {
			if errors.Is(err, ErrCallOver) && !chosen.Kind.Allows() {
				err = nil
			}
			return
		}
		if !chosen.Kind.Allows() {
			err = call.failLocked("The user rejected the call.")
		} else if call.kind.Mutates() && t.s.readOnlyLocked() {
			err = errors.Join(ErrReadOnly, call.failLocked(readOnlyText))
		}
	})
	return err
}
