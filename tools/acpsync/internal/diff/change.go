// Package diff says what sets two protocol schemas apart, in the protocol's own terms: methods, definitions,
// properties, variants, enum values, ranges; and whether a change accepts less or more than before.
//
// Schemas are compared in a normal form, so that two spellings of the same constraint are no difference: a lone allOf
// and its $ref, a type list with null and an anyOf with a null branch, an enum and a union of consts, an absent
// additionalProperties and true. The order of members and of variants is no difference either.
package diff

import (
	"cmp"
	"slices"
)

// An Action says what happened to a subject.
type Action string

// The actions.
const (
	Added   Action = "added"
	Removed Action = "removed"
	Changed Action = "changed"
)

// An Effect says what a change does to the set of values the schema accepts at that place. A new or dropped optional
// property has no effect, because the protocol's objects are open.
type Effect string

// The effects.
const (
	// None: the same values are accepted.
	None Effect = "none"
	// Tightened: some values are no longer accepted, none are newly accepted.
	Tightened Effect = "tightened"
	// Loosened: some values are newly accepted, none are no longer accepted.
	Loosened Effect = "loosened"
	// Mixed: some values are newly accepted and others no longer.
	Mixed Effect = "mixed"
	// Unknown: the effect cannot be told from the schemas.
	Unknown Effect = "unknown"
)

// A Subject is the kind of thing a change is about.
type Subject string

// The subjects, in the order they are listed in.
const (
	SubjectMethod        Subject = "method"
	SubjectDefinition    Subject = "definition"
	SubjectReference     Subject = "reference"
	SubjectType          Subject = "type"
	SubjectNullability   Subject = "nullability"
	SubjectProperty      Subject = "property"
	SubjectRequired      Subject = "required"
	SubjectVariant       Subject = "variant"
	SubjectEnumValue     Subject = "enum value"
	SubjectConst         Subject = "const"
	SubjectFormat        Subject = "format"
	SubjectRange         Subject = "range"
	SubjectLength        Subject = "length"
	SubjectPattern       Subject = "pattern"
	SubjectItems         Subject = "items"
	SubjectExtra         Subject = "further properties"
	SubjectCombination   Subject = "combination"
	SubjectExclusion     Subject = "exclusion"
	SubjectDefault       Subject = "default"
	SubjectLeniency      Subject = "leniency"
	SubjectDiscriminator Subject = "discriminator"
	SubjectEncoding      Subject = "content encoding"
	SubjectTitle         Subject = "title"
	SubjectDocs          Subject = "docs"
	SubjectDialect       Subject = "dialect"
)

var subjectOrder = []Subject{
	SubjectMethod, SubjectDefinition, SubjectReference, SubjectType, SubjectNullability, SubjectProperty, SubjectRequired,
	SubjectVariant, SubjectEnumValue, SubjectConst, SubjectFormat, SubjectRange, SubjectLength, SubjectPattern, SubjectItems,
	SubjectExtra, SubjectCombination, SubjectExclusion, SubjectDefault, SubjectLeniency, SubjectDiscriminator,
	SubjectEncoding, SubjectTitle, SubjectDocs, SubjectDialect,
}

// A Change is one difference between two schemas.
type Change struct {
	// Definition is the definition the change is in; empty for a method and for the schema's root.
	Definition string `json:"definition,omitempty"`
	// Go is the Go identifier the change touches, a type or a field of one; empty if none can be named.
	Go string `json:"go,omitempty"`
	// Place is where in the definition: ".name" a property, "[]" the items of an array, "{}" the further properties of
	// an object, "<key>" a variant, " not" an exclusion. Empty for the definition itself.
	Place string `json:"place,omitempty"`
	// Subject is the kind of thing that changed.
	Subject Subject `json:"subject"`
	// Name is which one of its kind: a property, a variant's key, an enum value, a method with its side.
	Name string `json:"name,omitempty"`
	// Action is what happened to it.
	Action Action `json:"action"`
	// Effect is what that does to the accepted values.
	Effect Effect `json:"effect"`
	// Class folds Action and Effect into "added", "removed", "changed", "tightened" or "loosened": the effect if it has
	// a direction, the action otherwise.
	Class string `json:"class"`
	// Old is the old state in short, where there is one to show.
	Old string `json:"old,omitempty"`
	// New is the new state in short, where there is one to show.
	New string `json:"new,omitempty"`
	// Pointer is the JSON pointer of the place: in the new schema, or in the old one for what was removed.
	Pointer string `json:"pointer,omitempty"`
}

// class returns the effect of c if it has a direction, and its action otherwise.
func (c Change) class() string {
	if c.Effect == Tightened || c.Effect == Loosened {
		return string(c.Effect)
	}
	return string(c.Action)
}

// sortChanges puts methods first, then definitions that came or went, then the rest by definition and place.
func sortChanges(changes []Change) {
	section := func(c Change) int {
		switch c.Subject {
		case SubjectMethod:
			return 0
		case SubjectDefinition:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(section(a), section(b)),
			cmp.Compare(a.Definition, b.Definition),
			cmp.Compare(a.Place, b.Place),
			cmp.Compare(slices.Index(subjectOrder, a.Subject), slices.Index(subjectOrder, b.Subject)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Action, b.Action),
			cmp.Compare(a.Pointer, b.Pointer),
		)
	})
}

// join returns the effect of several changes together.
func join(changes []Change) Effect {
	total := None
	for _, c := range changes {
		switch {
		case c.Effect == None || c.Effect == total:
		case total == None:
			total = c.Effect
		case total == Unknown || c.Effect == Unknown:
			total = Unknown
		default:
			total = Mixed
		}
	}
	return total
}

// inverse returns the effect under a "not".
func (e Effect) inverse() Effect {
	switch e {
	case Tightened:
		return Loosened
	case Loosened:
		return Tightened
	case None, Mixed, Unknown:
		return e
	}
	return e
}

// direction returns the effect of losing and gaining accepted values.
func direction(loses, gains bool) Effect {
	switch {
	case loses && gains:
		return Mixed
	case loses:
		return Tightened
	case gains:
		return Loosened
	}
	return None
}
