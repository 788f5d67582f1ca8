// Package docs reads the texts of the generated doc comments. They are ours; the schema's prose is not used.
package docs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
)

// A Set holds the texts of one surface. Texts are sentences without their subject, which is the Go name.
type Set struct {
	types   map[string]*Type
	methods map[string]*Method
	used    map[string]bool
	missing []string
	lax     bool
}

// A Type is the text of a definition and of its parts, by wire name.
type Type struct {
	Doc      string            `yaml:"doc"`
	Page     string            `yaml:"page"`
	Fields   map[string]string `yaml:"fields"`
	Values   map[string]string `yaml:"values"`
	Variants map[string]string `yaml:"variants"`
}

// A Method is the text of a method.
type Method struct {
	Doc  string `yaml:"doc"`
	Page string `yaml:"page"`
}

type file struct {
	Page    string             `yaml:"page"`
	Types   map[string]*Type   `yaml:"types"`
	Methods map[string]*Method `yaml:"methods"`
}

// Read reads all YAML files of a directory. An empty dir gives a set that misses nothing: every text is then a stand-in made from the name.
func Read(dir string) (*Set, error) {
	s := &Set{types: map[string]*Type{}, methods: map[string]*Method{}, used: map[string]bool{}, lax: dir == ""}
	if dir == "" {
		return s, nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no doc texts in %s", dir)
	}
	for _, path := range paths {
		if err := s.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return s, nil
}

func (s *Set) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var f file
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		return err
	}
	for name, t := range f.Types {
		if s.types[name] != nil {
			return fmt.Errorf("type %s is documented twice", name)
		}
		if t == nil {
			return fmt.Errorf("type %s has no entries", name)
		}
		if t.Page == "" {
			t.Page = f.Page
		}
		s.types[name] = t
	}
	for name, m := range f.Methods {
		if s.methods[name] != nil {
			return fmt.Errorf("method %s is documented twice", name)
		}
		if m == nil {
			return fmt.Errorf("method %s has no entries", name)
		}
		if m.Page == "" {
			m.Page = f.Page
		}
		s.methods[name] = m
	}
	return nil
}

// Type returns the text of a definition, and its page.
func (s *Set) Type(def string) (text, page string) {
	s.used["type "+def] = true
	t := s.types[def]
	if t == nil || t.Doc == "" {
		s.miss("type " + def)
		return "is the protocol's " + def + ".", ""
	}
	return t.Doc, t.Page
}

// Field returns the text of a property, or "" if it has none.
func (s *Set) Field(def, field string) string {
	return s.part("field "+def+"."+field, def, field, func(t *Type) map[string]string { return t.Fields })
}

// Value returns the text of an enum value.
func (s *Set) Value(def, value string) string {
	text := s.part("value "+def+"."+value, def, value, func(t *Type) map[string]string { return t.Values })
	if text == "" {
		s.miss("value " + def + "." + value)
		return "is the value " + value + "."
	}
	return text
}

// Variant returns the text of a union's variant, by tag or title, or "" if it has none.
func (s *Set) Variant(def, variant string) string {
	return s.part("variant "+def+"."+variant, def, variant, func(t *Type) map[string]string { return t.Variants })
}

// VariantType returns the text of a variant that is a type of its own, which has no other text.
func (s *Set) VariantType(def, variant string) string {
	text := s.Variant(def, variant)
	if text == "" {
		s.miss("variant " + def + "." + variant)
		return "is a shape of the protocol's " + def + "."
	}
	return text
}

func (s *Set) part(key, def, name string, texts func(*Type) map[string]string) string {
	t := s.types[def]
	if t == nil {
		return ""
	}
	text := texts(t)[name]
	if text != "" {
		s.used[key] = true
	}
	return text
}

// Method returns the text of a method, and its page.
func (s *Set) Method(name string) (text, page string) {
	s.used["method "+name] = true
	m := s.methods[name]
	if m == nil || m.Doc == "" {
		s.miss("method " + name)
		return "is called as the schema says.", ""
	}
	return m.Doc, m.Page
}

func (s *Set) miss(what string) {
	if !s.lax && !slices.Contains(s.missing, what) {
		s.missing = append(s.missing, what)
	}
}

// Check returns an error for each text that was asked for and is missing, and for each that nobody asked for.
func (s *Set) Check() error {
	var keys []string
	for name, t := range s.types {
		keys = append(keys, "type "+name)
		for f := range t.Fields {
			keys = append(keys, "field "+name+"."+f)
		}
		for v := range t.Values {
			keys = append(keys, "value "+name+"."+v)
		}
		for v := range t.Variants {
			keys = append(keys, "variant "+name+"."+v)
		}
	}
	for name := range s.methods {
		keys = append(keys, "method "+name)
	}
	slices.Sort(keys)
	slices.Sort(s.missing)
	var errs []error
	for _, m := range s.missing {
		errs = append(errs, fmt.Errorf("docs: no text for %s", m))
	}
	for _, k := range keys {
		if !s.used[k] {
			errs = append(errs, fmt.Errorf("docs: the text of %s is unused", k))
		}
	}
	return errors.Join(errs...)
}
