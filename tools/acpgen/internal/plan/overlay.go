package plan

import (
	"errors"
	"fmt"
	"os"

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
	var errs []error
	need := func(what, reason string) {
		if reason == "" {
			errs = append(errs, fmt.Errorf("%s: %s has no reason", path, what))
		}
	}
	for _, m := range o.Mapped {
		need(m.Def, m.Reason)
	}
	for _, u := range o.Unions {
		need(u.At, u.Reason)
	}
	for _, t := range o.ThreeState {
		need(t.Field, t.Reason)
	}
	for _, m := range o.Methods {
		need(m.Method, m.Reason)
	}
	return o, errors.Join(errs...)
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
		for tag := range u.Variants {
			errs = append(errs, fmt.Errorf("overlay: the union at %s has no variant %q without a name", u.At, tag))
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
