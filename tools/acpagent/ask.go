package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/server"
)

func ask(ctx context.Context, t *turn, _ string) error {
	call := t.Tool("ask", server.Other, "Something that needs permission")
	if t.Session().ReadOnly() {
		return call.Start() // which fails: nobody is asked
	}
	choice, err := t.Choose(ctx, call)
	if err != nil {
		return err
	}
	if choice.Kind.Allows() {
		if err := call.Done(server.Result{}); err != nil {
			return err
		}
	}
	return t.Say(fmt.Sprintf("Your answer: %s.", choice.Kind))
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

func choices(values ...string) []server.ConfigChoice {
	var list []server.ConfigChoice
	for _, v := range values {
		list = append(list, server.ConfigChoice{Value: v})
	}
	return list
}

func (t *turn) elicitForm(ctx context.Context) error {
	answer, err := t.Ask(ctx, server.Form{Message: "Order ice cream", Fields: []server.Field{
		{Name: "flavour", Title: "Flavour", Kind: server.ChoiceField, Choices: choices("lemon", "mint"), Required: true},
		{Name: "name", Title: "Your name", Min: new(1.0), Required: true},
		{Name: "scoops", Kind: server.IntegerField, Min: new(1.0), Max: new(3.0), Default: int64(2)},
		{Name: "cone", Kind: server.BooleanField, Default: true},
		{Name: "extras", Kind: server.ChoicesField, Choices: choices("nuts", "cream")},
	}})
	if err != nil {
		return err
	}
	return t.sayAnswer(answer)
}

func (t *turn) elicitURL(ctx context.Context) error {
	action, done, err := t.Visit(ctx, "Visit a page", "https://example.com/acpagent")
	if err != nil {
		return err
	}
	if err := done(); err != nil {
		return err
	}
	return t.sayAnswer(server.Answer{Action: action})
}

// sayAnswer says what the user did, with the values in order of their names.
func (t *turn) sayAnswer(answer server.Answer) error {
	switch answer.Action {
	case server.Declined:
		return t.Say("You declined.")
	case server.Dismissed:
		return t.Say("You cancelled.")
	case server.Accepted:
	}
	words := []string{"You accepted"}
	for _, name := range slices.Sorted(maps.Keys(answer.Values)) {
		value := fmt.Sprint(answer.Values[name])
		if list, ok := answer.Values[name].([]string); ok {
			value = strings.Join(list, ",")
		}
		words = append(words, name+"="+value)
	}
	return t.Say(strings.Join(words, " ") + ".")
}
