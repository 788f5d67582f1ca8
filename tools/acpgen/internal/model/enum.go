package model

import (
	"math/big"
	"slices"
	"strings"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// isEnum reports whether the branches of a choice are values: at least one const, and nothing but scalars.
func isEnum(branches []*load.Node) bool {
	named := false
	for _, br := range branches {
		if len(br.Types) != 1 {
			return false
		}
		if _, scalar := scalarKinds[br.Types[0]]; !scalar {
			return false
		}
		named = named || br.Const != nil
	}
	return named
}

// enum reads a choice of consts or the enum keyword. A branch without a const makes the enum open.
func (b *builder) enum(n *load.Node, allowed []string) Type {
	b.oneChoice(n)
	e := &Enum{}
	// The checks after Build's first pass read the base of a faulty enum too.
	defer func() {
		if e.Base == nil {
			e.Base = &Scalar{}
		}
	}()
	if n.Has("enum") {
		b.only(n, "an enum", allowed, "type", "enum", "format")
		e.Base = b.enumBase(n, e.Base, "enum")
		for i, raw := range n.Enum {
			b.enumValue(e, EnumValue{Pointer: n.Pointer + "/enum/" + itoa(i), Const: string(raw)})
		}
		return e
	}
	b.only(n, "a choice of values", allowed, "anyOf", "oneOf")
	for _, br := range branchesOf(n) {
		e.Base = b.enumBase(br, e.Base, "const")
		if br.Const != nil {
			b.enumValue(e, EnumValue{Pointer: br.Pointer, Title: br.Title, Const: string(br.Const)})
			continue
		}
		if e.Open {
			b.errorf(br.Pointer, "a second branch without a const")
		}
		e.Open = true
	}
	if e.Open && len(n.OneOf) > 0 {
		b.errorf(n.Pointer, "the open branch matches every const too, so no const can match exactly one branch of oneOf")
	}
	return e
}

// enumBase reads the type of a branch and compares it with that of the branches before.
func (b *builder) enumBase(br *load.Node, base *Scalar, keyword string) *Scalar {
	if len(br.Types) != 1 || br.Types[0] != "string" && br.Types[0] != "integer" {
		b.errorf(br.Pointer, "an enum is of type string or integer, not %v", br.Types)
		return base
	}
	s, ok := b.scalar(br, br.Types[0], []string{keyword}).(*Scalar)
	if !ok {
		return base
	}
	if s.MinLength > 0 || br.Minimum != nil || br.Maximum != nil {
		b.errorf(br.Pointer, "a bound on an enum cannot be expressed")
	}
	if base != nil && (base.Kind != s.Kind || base.Format != s.Format) {
		b.errorf(br.Pointer, "the branches of an enum are of different types")
	}
	return s
}

// enumValue adds a value that is of the enum's type, in range and new.
func (b *builder) enumValue(e *Enum, v EnumValue) {
	if e.Base == nil {
		return
	}
	switch e.Base.Kind {
	case String:
		if !strings.HasPrefix(v.Const, `"`) {
			b.errorf(v.Pointer, "%s is not a string", v.Const)
		}
	case Integer:
		i, ok := new(big.Int).SetString(v.Const, 10)
		if !ok {
			b.errorf(v.Pointer, "%s is not an integer", v.Const)
		} else if e.Base.Min != nil && i.Cmp(e.Base.Min) < 0 || e.Base.Max != nil && i.Cmp(e.Base.Max) > 0 {
			b.errorf(v.Pointer, "%s is out of the range of %s", v.Const, e.Base.Format)
		}
	}
	if slices.ContainsFunc(e.Values, func(o EnumValue) bool { return sameConst(o.Const, v.Const) }) {
		b.errorf(v.Pointer, "%s is listed twice", v.Const)
	}
	e.Values = append(e.Values, v)
}

// sameConst compares the JSON texts of two consts of one type: a string can be spelled in more than one way.
func sameConst(a, b string) bool {
	x, isString := unquote([]byte(a))
	y, _ := unquote([]byte(b))
	return a == b || isString && x == y
}
