package mutate

import "strings"

// maxReductions bounds how often [Reduce] asks.
const maxReductions = 20000

// Reduce returns text as short as it can make it that a condition still holds for, such as that two judges disagree about it. It takes away members and
// elements, puts simpler values in the place of others, and, of text that is not JSON, cuts pieces. The condition must hold for raw.
func Reduce(raw []byte, holds func([]byte) bool) []byte {
	r := &reducer{best: raw, holds: holds, left: maxReductions}
	for r.left > 0 {
		before := len(r.best)
		r.round()
		if len(r.best) >= before {
			break
		}
	}
	return r.best
}

type reducer struct {
	best  []byte
	holds func([]byte) bool
	left  int
}

// try takes over a shorter text that the condition holds for.
func (r *reducer) try(raw []byte) bool {
	if r.left--; r.left < 0 || len(raw) >= len(r.best) || !r.holds(raw) {
		return false
	}
	r.best = append([]byte(nil), raw...)
	return true
}

func (r *reducer) round() {
	v, err := Parse(r.best)
	if err != nil {
		r.cut()
		return
	}
	t := &tree{v: v}
	r.value(t, &t.v)
	r.cut()
}

type tree struct{ v *Value }

// value makes the value at one place simpler.
func (r *reducer) value(t *tree, at **Value) {
	v := *at
	attempt := func(simpler *Value) bool {
		*at = simpler
		if r.try(t.v.Append(nil)) {
			return true
		}
		*at = v
		return false
	}
	for _, simple := range []*Value{text(Number, "0"), str(""), null(), {Kind: Array}, {Kind: Object}, text(Bool, "true")} {
		if attempt(simple) {
			return
		}
	}
	for _, part := range parts(v) {
		if attempt(part) {
			r.value(t, at)
			return
		}
	}
	switch v.Kind {
	case Object:
		r.object(t, v)
	case Array:
		r.array(t, v)
	case String:
		if s := v.Content(); len(s) > 1 && !attempt(str("a")) {
			attempt(str(s[:1]))
		}
	case Null, Bool, Number, Raw:
	}
}

// maxParts is how many of a value's parts are tried in its place.
const maxParts = 20

func parts(v *Value) []*Value {
	var list []*Value
	list = append(list, v.Items[:min(len(v.Items), maxParts)]...)
	for _, m := range v.Members[:min(len(v.Members), maxParts)] {
		list = append(list, m.Value)
	}
	return list
}

func (r *reducer) object(t *tree, v *Value) {
	for n := (len(v.Members) + 1) / 2; n > 0; n /= 2 { // many at once, then each
		for i := 0; i+n <= len(v.Members); {
			all := v.Members
			v.Members = append(append([]Member(nil), all[:i]...), all[i+n:]...)
			if !r.try(t.v.Append(nil)) {
				v.Members = all
				i += n
			}
		}
	}
	for i := range v.Members {
		r.value(t, &v.Members[i].Value)
	}
}

func (r *reducer) array(t *tree, v *Value) {
	for n := (len(v.Items) + 1) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(v.Items); {
			all := v.Items
			v.Items = append(append([]*Value(nil), all[:i]...), all[i+n:]...)
			if !r.try(t.v.Append(nil)) {
				v.Items = all
				i += n
			}
		}
	}
	for i := range v.Items {
		r.value(t, &v.Items[i])
	}
}

// cut takes pieces out of the text, whatever they are.
func (r *reducer) cut() {
	for n := (len(r.best) + 1) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(r.best); {
			if !r.try([]byte(strings.Join([]string{string(r.best[:i]), string(r.best[i+n:])}, ""))) {
				i += n
			}
		}
	}
}
