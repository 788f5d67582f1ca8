package server

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// A Field is one input of a form.
type Field struct {
	// Name is the key of the value. Required; unique in the form.
	Name               string
	Title, Description string
	// Kind is what can be filled in. If zero, TextField.
	Kind     FieldKind
	Required bool
	// Choices are those of a ChoiceField or ChoicesField; their groups do not show.
	Choices []ConfigChoice
	// Min and Max bound a number, how many characters a text has, or how many choices of a ChoicesField are taken. If nil, there is no bound. Those of an IntegerField, of a
	// text and of choices are whole numbers.
	Min, Max *float64
	// Default is filled in beforehand, of the type that the values of the kind have; nil is nothing.
	Default any
}

// A FieldKind says what can be filled in.
type FieldKind int

// The kinds, with the types of their values.
const (
	// TextField is a string.
	TextField FieldKind = iota
	// NumberField is a float64.
	NumberField
	// IntegerField is an int64.
	IntegerField
	// BooleanField is a bool.
	BooleanField
	// ChoiceField is a string, the value of a choice.
	ChoiceField
	// ChoicesField is a []string, the values of any number of choices.
	ChoicesField
)

// problem says what makes the field unusable, or "".
func (f *Field) problem() string {
	whole := func(v *float64) bool {
		return v == nil || f.Kind == NumberField || *v == math.Trunc(*v) && math.Abs(*v) <= math.MaxInt32 && (f.Kind == IntegerField || *v >= 0)
	}
	switch {
	case !whole(f.Min) || !whole(f.Max):
		return "has a bound that it cannot have"
	case (f.Min != nil || f.Max != nil) && (f.Kind == BooleanField || f.Kind == ChoiceField):
		return "has bounds, and nothing to count"
	case f.Default != nil && !f.takes(f.Default):
		return "has a default that is none of its values"
	}
	return ""
}

func (f *Field) schema() acpv1.ElicitationPropertySchema {
	title, description := optional(f.Title), optional(f.Description)
	var options []acpv1.EnumOption
	for _, c := range f.Choices {
		options = append(options, acpv1.EnumOption{Const: c.Value, Title: nameOr(c.Name, c.Value), Description: optional(c.Description)})
	}
	switch f.Kind {
	case NumberField:
		return &acpv1.NumberPropertySchema{Title: title, Description: description, Minimum: f.Min, Maximum: f.Max, Default: defaultOf[float64](f)}
	case IntegerField:
		return &acpv1.IntegerPropertySchema{
			Title: title, Description: description, Minimum: boundOf[int64](f.Min), Maximum: boundOf[int64](f.Max), Default: defaultOf[int64](f),
		}
	case BooleanField:
		return &acpv1.BooleanPropertySchema{Title: title, Description: description, Default: defaultOf[bool](f)}
	case ChoicesField:
		chosen, _ := f.Default.([]string)
		return &acpv1.MultiSelectPropertySchema{
			Title: title, Description: description, MinItems: boundOf[uint64](f.Min), MaxItems: boundOf[uint64](f.Max), Default: chosen,
			Items: &acpv1.TitledMultiSelectItems{AnyOf: options},
		}
	case ChoiceField:
		return &acpv1.StringPropertySchema{Title: title, Description: description, Default: defaultOf[string](f), OneOf: options}
	case TextField:
	}
	return &acpv1.StringPropertySchema{
		Title: title, Description: description, MinLength: boundOf[uint32](f.Min), MaxLength: boundOf[uint32](f.Max), Default: defaultOf[string](f),
	}
}

func boundOf[T int64 | uint32 | uint64](bound *float64) *T {
	if bound == nil {
		return nil
	}
	return new(T(*bound))
}

func defaultOf[T any](f *Field) *T {
	if v, ok := f.Default.(T); ok {
		return &v
	}
	return nil
}

func valueOf(c acpv1.ElicitationContentValue) any {
	switch c := c.(type) {
	case acpv1.ElicitationString:
		return string(c)
	case acpv1.ElicitationInteger:
		return int64(c)
	case acpv1.ElicitationNumber:
		return float64(c)
	case acpv1.ElicitationBoolean:
		return bool(c)
	case acpv1.ElicitationStrings:
		return []string(c)
	}
	return nil
}

// takes reports whether v can be a value of the field.
func (f *Field) takes(v any) bool {
	has := func(value string) bool {
		return slices.ContainsFunc(f.Choices, func(c ConfigChoice) bool { return c.Value == value })
	}
	var size float64 // what the bounds are of
	ok := false
	switch f.Kind {
	case TextField:
		var s string
		s, ok = v.(string)
		size = float64(utf8.RuneCountInString(s))
	case NumberField:
		size, ok = v.(float64)
	case IntegerField:
		var n int64
		n, ok = v.(int64)
		size = float64(n)
	case BooleanField:
		_, ok = v.(bool)
	case ChoiceField:
		s, isString := v.(string)
		ok = isString && has(s)
	case ChoicesField:
		list, isList := v.([]string)
		ok = isList && !slices.ContainsFunc(list, func(s string) bool { return !has(s) })
		size = float64(len(list))
	}
	return ok && (f.Min == nil || size >= *f.Min) && (f.Max == nil || size <= *f.Max)
}
