package emit

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// defaults prints an accessor for each member that has a default. Values stay as they came; the accessor says what absence means.
func (g *emitter) defaults(p *printer) {
	for _, d := range g.pkg.Decls {
		s, ok := d.(*plan.Struct)
		if !ok {
			continue
		}
		for _, f := range s.Fields {
			if f.Default != nil && string(f.Default) != "null" { // nil is null already
				g.accessor(p, s, f)
			}
		}
	}
}

func (g *emitter) accessor(p *printer, s *plan.Struct, f *plan.Field) {
	typ := g.goTypeString(f.Type)
	value, ret, zero := "x."+f.Go, typ, ""
	switch t := f.Type.(type) {
	case *model.Scalar:
		value, zero = "*"+value, literal(t, f.Default)
	case *model.List, *model.Map:
		zero = "nil"
		if d := string(bytes.TrimSpace(f.Default)); d != "[]" && d != "{}" {
			g.errorf(f.Pointer, "a list's or map's default must be empty")
		}
	case *model.Ref:
		switch d := g.pkg.Lookup(t.Name).(type) {
		case *plan.Struct:
			ret, zero = "*"+typ, "nil"
			g.checkDefault(f.Pointer, d, f.Default)
		case *plan.Enum:
			value = "*" + value
			for _, v := range d.Values {
				if v.Const == string(f.Default) {
					zero = v.Go
				}
			}
		case *plan.Scalar:
			value, zero = "*"+value, literal(d.Model, f.Default)
		case *plan.Union, *plan.Alias, *plan.Derived, *plan.Wrapped, *plan.Unknown:
		}
	case *model.Any, *model.Struct, *model.Union, *model.Enum:
	}
	if zero == "" {
		g.errorf(f.Pointer, "no accessor can be made for the default %s", f.Default)
		return
	}
	what := "or its default, " + string(f.Default)
	if zero == "nil" {
		what = "or nil, whose accessors give the defaults"
		if _, ok := f.Type.(*model.Ref); !ok {
			what = "or nil"
		}
	}
	p.Doc("Get" + f.Go + " returns " + f.Go + ", " + what + ". x may be nil.")
	p.P("func (x *", s.Go, ") Get", f.Go, "() ", ret, " {")
	p.P("if x == nil || x.", f.Go, " == nil { return ", zero, " }")
	p.P("return ", value)
	p.P("}")
	p.P()
}

// literal writes a scalar's default in Go. It is empty if the Go type cannot hold it.
func literal(t *model.Scalar, value []byte) string {
	switch t.Kind {
	case model.String:
		var s string
		if json.Unmarshal(value, &s) != nil {
			return ""
		}
		return strconv.Quote(s)
	case model.Integer:
		lo, hi := bounds(t)
		i, ok := new(big.Int).SetString(string(value), 10)
		if !ok || i.Cmp(lo) < 0 || i.Cmp(hi) > 0 {
			return ""
		}
	case model.Boolean, model.Number, model.Null:
	}
	return string(value)
}

// checkDefault makes sure that an object's default says no more than the defaults of its members.
func (g *emitter) checkDefault(pointer string, s *plan.Struct, def []byte) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(def, &members); err != nil {
		g.errorf(pointer, "default: %v", err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		same := false
		for _, f := range s.Fields {
			if f.Name == name && f.Default != nil {
				same = compact(f.Default) == compact(members[name])
			}
		}
		if !same {
			g.errorf(pointer, "default: member %q is not the member's own default", name)
		}
	}
}

func compact(b []byte) string {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return string(b)
	}
	out, _ := json.Marshal(v) // v came from JSON
	return string(out)
}
