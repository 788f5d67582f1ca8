package server

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Form is what [Turn.Ask] asks the user. It must not ask for secrets. https://agentclientprotocol.com/protocol/elicitation
type Form struct {
	// Message says what for. Required.
	Message string
	// Title and Description head the form.
	Title, Description string
	Fields             []Field
	// Call is the tool call that needs the answer, or nil.
	Call *Call
}

// An Action is what the user did when asked.
type Action int

// The actions.
const (
	// Dismissed: the user did not want to answer now, or the client did something unknown.
	Dismissed Action = iota
	// Declined: the user said no.
	Declined
	// Accepted: the user answered.
	Accepted
)

// An Answer is the answer to a form.
type Answer struct {
	Action Action
	// Values are by the names of the fields, if the user accepted; see [FieldKind] for their types.
	Values map[string]any
}

// ErrInvalidAnswer says that the client answered a form with values that do not fit it.
var ErrInvalidAnswer = errors.New("server: the client's answer does not fit the form")

// Ask asks the user to fill in a form. The error is an [*acp.UnsupportedError] if the client has no forms, and wraps [ErrInvalidAnswer] if the answer is none; it is
// the context's if ctx or the turn ended first.
func (t *Turn) Ask(ctx context.Context, form Form) (Answer, error) {
	schema, err := form.schema()
	if err != nil {
		return Answer{}, err
	}
	response, err := t.elicit(ctx, form.Call, func(scope acpv1.ElicitationScope) *acpv1.CreateElicitationRequest {
		return &acpv1.CreateElicitationRequest{Message: clean(form.Message), Mode: &acpv1.ElicitationFormMode{Scope: scope, RequestedSchema: *schema}}
	})
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Action: actionOf(response.Action)}
	if accepted, ok := response.Action.(*acpv1.ElicitationAcceptAction); ok {
		answer.Values, err = form.values(accepted.Content)
	}
	return answer, err
}

// Visit asks the user to visit a page. Once what is done there has come to its end, which may be after the turn, call done; it may be called more than once. The
// errors are as those of Ask.
func (t *Turn) Visit(ctx context.Context, message, page string) (action Action, done func() error, err error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil {
		return Dismissed, nil, &Error{Kind: ErrorInvalid, Message: "the page is no absolute URL without credentials"}
	}
	id := acpv1.ElicitationID(t.s.conn.server.newID(VisitIDs))
	response, err := t.elicit(ctx, nil, func(scope acpv1.ElicitationScope) *acpv1.CreateElicitationRequest {
		return &acpv1.CreateElicitationRequest{Message: clean(message), Mode: &acpv1.ElicitationURLMode{Scope: scope, ElicitationID: id, URL: page}}
	})
	if err != nil {
		return Dismissed, nil, err
	}
	return actionOf(response.Action), t.completion(actionOf(response.Action), id), nil
}

// completion returns a function that tells the client, once, that an accepted visit has come to its end.
func (t *Turn) completion(action Action, id acpv1.ElicitationID) func() error {
	told := action != Accepted
	return func() error {
		t.s.mu.Lock()
		defer t.s.mu.Unlock()
		if told || t.s.closed {
			return nil
		}
		told = true
		return t.s.client.CompleteElicitation(context.Background(), &acpv1.CompleteElicitationNotification{ElicitationID: id})
	}
}

func (t *Turn) elicit(ctx context.Context, call *Call, request func(acpv1.ElicitationScope) *acpv1.CreateElicitationRequest) (*acpv1.CreateElicitationResponse, error) {
	scope := &acpv1.ElicitationSessionScope{SessionID: acpv1.SessionID(t.s.id)}
	if call != nil {
		if call.t != t {
			return nil, &Error{Kind: ErrorInvalid, Message: "the tool call is not one of this turn"}
		}
		scope.ToolCallID = new(acpv1.ToolCallID(call.id))
	}
	ctx, done, err := t.calling(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	response, err := t.s.client.CreateElicitation(ctx, request(scope))
	if err != nil {
		return nil, err
	}
	return response, nil
}

func actionOf(a acpv1.ElicitationAction) Action {
	switch a.(type) {
	case *acpv1.ElicitationAcceptAction:
		return Accepted
	case *acpv1.ElicitationDeclineAction:
		return Declined
	case *acpv1.ElicitationCancelAction, *acpv1.UnknownElicitationAction:
	}
	return Dismissed
}

func (f *Form) schema() (*acpv1.ElicitationSchema, error) {
	s := &acpv1.ElicitationSchema{
		Type: new(acpv1.ElicitationSchemaTypeObject), Title: optional(f.Title), Description: optional(f.Description),
		Properties: make(map[string]acpv1.ElicitationPropertySchema),
	}
	for _, field := range f.Fields {
		if _, twice := s.Properties[field.Name]; twice || field.Name == "" {
			return nil, &Error{Kind: ErrorInvalid, Message: fmt.Sprintf("field %q of the form has no name of its own", field.Name)}
		}
		if problem := field.problem(); problem != "" {
			return nil, &Error{Kind: ErrorInvalid, Message: fmt.Sprintf("field %q of the form %s", field.Name, problem)}
		}
		s.Properties[field.Name] = field.schema()
		if field.Required {
			s.Required = append(s.Required, field.Name)
		}
	}
	return s, nil
}

// values checks an accepted answer. https://agentclientprotocol.com/protocol/elicitation
func (f *Form) values(content map[string]acpv1.ElicitationContentValue) (map[string]any, error) {
	values := make(map[string]any)
	for name, c := range content {
		i := slices.IndexFunc(f.Fields, func(field Field) bool { return field.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%w: it has no field %q", ErrInvalidAnswer, name)
		}
		v := valueOf(c)
		if n, ok := v.(int64); ok && f.Fields[i].Kind == NumberField {
			v = float64(n)
		}
		if !f.Fields[i].takes(v) {
			return nil, fmt.Errorf("%w: field %q does not take that", ErrInvalidAnswer, name)
		}
		values[name] = v
	}
	for _, field := range f.Fields {
		if _, ok := values[field.Name]; field.Required && !ok {
			return nil, fmt.Errorf("%w: field %q is missing", ErrInvalidAnswer, field.Name)
		}
	}
	return values, nil
}
