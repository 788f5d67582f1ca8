package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/gen/acpv1"
)

func ask(ctx context.Context, t *turn, _ string) error {
	call, err := t.tool(ctx, acpv1.ToolKindOther, "Something that needs permission", nil)
	if err != nil {
		return err
	}
	choice, err := call.ask(ctx)
	if err != nil {
		return err
	}
	status := acpv1.ToolCallStatusFailed
	switch choice {
	case acpv1.PermissionOptionKindAllowOnce, acpv1.PermissionOptionKindAllowAlways:
		status = acpv1.ToolCallStatusCompleted
	case acpv1.PermissionOptionKindRejectOnce, acpv1.PermissionOptionKindRejectAlways, cancelledChoice:
	}
	if err := call.finish(ctx, status); err != nil {
		return err
	}
	return t.say(ctx, fmt.Sprintf("Your answer: %s.", choice))
}

func elicit(ctx context.Context, t *turn, arg string) error {
	switch arg {
	case "", "form":
		return t.elicitForm(ctx)
	case "url":
		return t.elicitURL(ctx)
	}
	return errArgument
}

func (t *turn) elicitForm(ctx context.Context) error {
	r, err := t.client.CreateElicitation(ctx, &acpv1.CreateElicitationRequest{Message: "Order ice cream", Mode: &acpv1.ElicitationFormMode{
		Scope: &acpv1.ElicitationSessionScope{SessionID: t.session.id},
		RequestedSchema: acpv1.ElicitationSchema{
			Type: new(acpv1.ElicitationSchemaTypeObject),
			Properties: map[string]acpv1.ElicitationPropertySchema{
				"flavour": &acpv1.StringPropertySchema{Title: new("Flavour"), Enum: []string{"lemon", "mint"}},
				"name":    &acpv1.StringPropertySchema{Title: new("Your name"), MinLength: new(uint32(1))},
				"scoops":  &acpv1.IntegerPropertySchema{Minimum: new(int64(1)), Maximum: new(int64(3)), Default: new(int64(2))},
				"cone":    &acpv1.BooleanPropertySchema{Default: new(true)},
				"extras":  &acpv1.MultiSelectPropertySchema{Items: &acpv1.StringMultiSelectItems{Enum: []string{"nuts", "cream"}}},
			},
			Required: []string{"flavour", "name"},
		},
	}})
	if err != nil {
		return err
	}
	return t.sayAction(ctx, r.Action)
}

func (t *turn) elicitURL(ctx context.Context) error {
	t.session.mu.Lock()
	t.session.elicitations++
	id := acpv1.ElicitationID(fmt.Sprintf("%s-elicitation-%d", t.session.id, t.session.elicitations))
	t.session.mu.Unlock()
	r, err := t.client.CreateElicitation(ctx, &acpv1.CreateElicitationRequest{Message: "Visit a page", Mode: &acpv1.ElicitationURLMode{
		Scope: &acpv1.ElicitationSessionScope{SessionID: t.session.id}, ElicitationID: id, URL: "https://example.com/acpagent/" + string(id),
	}})
	if err != nil {
		return err
	}
	if _, accepted := r.Action.(*acpv1.ElicitationAcceptAction); accepted {
		if err := t.client.CompleteElicitation(ctx, &acpv1.CompleteElicitationNotification{ElicitationID: id}); err != nil {
			return err
		}
	}
	return t.sayAction(ctx, r.Action)
}

// sayAction says what the user did, with the values in order of their names.
func (t *turn) sayAction(ctx context.Context, action acpv1.ElicitationAction) error {
	switch a := action.(type) {
	case *acpv1.ElicitationAcceptAction:
		values := []string{"You accepted"}
		for _, name := range slices.Sorted(maps.Keys(a.Content)) {
			values = append(values, name+"="+formValue(a.Content[name]))
		}
		return t.say(ctx, strings.Join(values, " ")+".")
	case *acpv1.ElicitationDeclineAction:
		return t.say(ctx, "You declined.")
	case *acpv1.ElicitationCancelAction:
		return t.say(ctx, "You cancelled.")
	case *acpv1.UnknownElicitationAction:
		return t.say(ctx, "You did something new.")
	}
	return nil
}

func formValue(v acpv1.ElicitationContentValue) string {
	switch v := v.(type) {
	case acpv1.ElicitationString:
		return string(v)
	case acpv1.ElicitationStrings:
		return strings.Join(v, ",")
	case acpv1.ElicitationInteger, acpv1.ElicitationNumber, acpv1.ElicitationBoolean:
		return fmt.Sprint(v)
	}
	return ""
}
