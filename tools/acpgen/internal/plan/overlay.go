package plan

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
)

// An Overlay holds what a surface's Go API does differently from what the rules of this package would make of the schema. Every entry has a reason, and one
// that applies to nothing is an error.
type Overlay struct {
	// Mapped definitions are hand-written types of package wire.
	Mapped []*MappedDef `yaml:"mapped"`
	// Unions get names of their own.
	Unions []*UnionNames `yaml:"unions"`
	// ThreeState fields tell null from absent.
	ThreeState []*ThreeState `yaml:"threeState"`
	// Methods get Go names that differ from their params definition.
	Methods []*MethodName `yaml:"methods"`
}

// A MappedDef is a definition that a type of package wire stands for.
type MappedDef struct {
	Def    string `yaml:"def"`
	Go     string `yaml:"go"`
	Reason string `yaml:"reason"`
	used   bool
}

// UnionNames names a union, given by its schema pointer, and its variants.
type UnionNames struct {
	At   string `yaml:"at"`
	Type string `yaml:"type"`
	// Field is the name of the struct field for a union that is flattened into an object.
	Field string `yaml:"field"`
	// Plain means that variants are named by their tag alone.
	Plain bool `yaml:"plain"`
	// Unknown is the Go name of the type of unknown variants.
	Unknown string `yaml:"unknown"`
	// Variants maps tags or titles to Go names.
	Variants map[string]string `yaml:"variants"`
	Reason   string            `yaml:"reason"`
	used     bool
}

// A ThreeState names a field, as Def.property, whose null differs from its absence.
type ThreeState struct {
	Field  string `yaml:"field"`
	Reason string `yaml:"reason"`
	used   bool
}

// A MethodName gives a method its Go name.
type MethodName struct {
	Method string `yaml:"method"`
	Go     string `yaml:"go"`
	Reason string `yaml:"reason"`
	used   bool
}

// ReadOverlay reads an overlay file. An empty path gives an empty overlay.
func ReadOverlay(path string) (*Overlay, error) {
	o := new(Overlay)
	if path == "" {
		return o, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalWithOptions(data, o, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := o.incomplete(path); err != nil {
		return nil, err
	}
	return o, nil
}

// incomplete returns an error for each entry that lacks what it cannot do without, or stands there twice.
func (o *Overlay) incomplete(path string) error {
	var errs []error
	seen := map[[2]string]bool{}
	entry := func(kind, name string, values map[string]string) {
		if seen[[2]string{kind, name}] {
			errs = append(errs, fmt.Errorf("%s: %s has two entries for %q", path, kind, name))
		}
		seen[[2]string{kind, name}] = true
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if values[key] == "" {
				errs = append(errs, fmt.Errorf("%s: %s entry %q has no %s", path, kind, name, key))
			}
		}
	}
	for _, m := range deref(o.Mapped) {
		entry("mapped", m.Def, map[string]string{"def": m.Def, "go": m.Go, "reason": m.Reason})
	}
	for _, u := range deref(o.Unions) {
		values := map[string]string{"at": u.At, "reason": u.Reason}
		for tag, name := range u.Variants {
			values["name for variant "+tag] = name
		}
		entry("unions", u.At, values)
	}
	for _, t := range deref(o.ThreeState) {
		entry("threeState", t.Field, map[string]string{"field": t.Field, "reason": t.Reason})
	}
	for _, m := range deref(o.Methods) {
		entry("methods", m.Method, map[string]string{"method": m.Method, "go": m.Go, "reason": m.Reason})
	}
	return errors.Join(errs...)
}

// deref returns the entries of a list as values, an empty entry of the file as the zero value.
func deref[T any](list []*T) []T {
	out := make([]T, len(list))
	for i, p := range list {
		if p != nil {
			out[i] = *p
		}
	}
	return out
}

// unused returns an error for each entry that applied to nothing.
func (o *Overlay) unused() error {
	var errs []error
	for _, m := range o.Mapped {
		if !m.used {
			errs = append(errs, fmt.Errorf("overlay: mapped definition %s is not in the schema", m.Def))
		}
	}
	for _, u := range o.Unions {
		if !u.used {
			errs = append(errs, fmt.Errorf("overlay: there is no union at %s", u.At))
		}
		for _, tag := range slices.Sorted(maps.Keys(u.Variants)) {
			if u.used {
				errs = append(errs, fmt.Errorf("overlay: the union at %s has no variant %q that takes a name", u.At, tag))
			}
		}
	}
	for _, t := range o.ThreeState {
		if !t.used {
			errs = append(errs, fmt.Errorf("overlay: there is no optional nullable field %s", t.Field))
		}
	}
	for _, m := range o.Methods {
		if !m.used {
			errs = append(errs, fmt.Errorf("overlay: method %s is not in the schema", m.Method))
		}
	}
	return errors.Join(errs...)
}

func (o *Overlay) mapped(def string) string {
	for _, m := range o.Mapped {
		if m.Def == def {
			m.used = true
			return m.Go
		}
	}
	return ""
}

// union returns the names of the union at a pointer; the zero value if it has none.
func (o *Overlay) union(at string) *UnionNames {
	for _, u := range o.Unions {
		if u.At == at {
			u.used = true
			return u
		}
	}
	return &UnionNames{}
}

// variant returns and uses up the name for a tag or title.
func (u *UnionNames) variant(key string) string {
	name := u.Variants[key]
	delete(u.Variants, key)
	return name
}

func (o *Overlay) threeState(def, field string) bool {
	for _, t := range o.ThreeState {
		if t.Field == def+"."+field {
			t.used = true
			return true
		}
	}
	return false
}

func (o *Overlay) method(name string) string {
	for _, m := range o.Methods {
		if m.Method == name {
			m.used = true
			return m.Go
		}
	}
	return ""
}
