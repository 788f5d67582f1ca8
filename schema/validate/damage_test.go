package validate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A slot is a place in a tree whose value can be replaced. A parent of nil is the root.
type slot struct {
	parent any
	name   string
	index  int
}

// damage returns a copy of a value with one change that the shape of the value suggests.
func (g *generator) damage(value any) any {
	root := copyTree(value)
	slots := []slot{{}}
	collect(root, &slots)
	if len(slots) == 1 || g.chance(2) {
		return g.anything()
	}
	s := slots[1+g.rand.IntN(len(slots)-1)]
	switch parent := s.parent.(type) {
	case map[string]any:
		g.damageMember(parent, s.name, slots)
	case []any:
		g.damageItem(parent, s.index, slots)
	}
	return root
}

func (g *generator) damageMember(object map[string]any, name string, slots []slot) {
	switch g.rand.IntN(9) {
	case 0:
		delete(object, name)
	case 1:
		object[name] = g.anything()
	case 2:
		object[strings.ToUpper(name)] = object[name]
		delete(object, name)
	case 3:
		object[pick(g, g.names)] = object[name]
		delete(object, name)
	case 4:
		object[pick(g, g.names)] = g.anything()
	case 5, 6:
		// Tags: another variant's, or one where there was none.
		tag := pick(g, []string{name, "type", "mode", "action", "outcome", "sessionUpdate", "operation", "state", "stopReason"})
		object[tag] = pick(g, g.consts)
	case 7:
		object[name] = g.piece(slots)
	case 8:
		// Two variants in one.
		if other, ok := g.piece(slots).(map[string]any); ok {
			for key, value := range other {
				if _, ok := object[key]; !ok || g.chance(30) {
					object[key] = value
				}
			}
		}
	}
}

func (g *generator) damageItem(list []any, index int, slots []slot) {
	switch g.rand.IntN(3) {
	case 0:
		list[index] = g.anything()
	case 1:
		list[index] = g.piece(slots)
	case 2:
		list[index] = []any{list[index]}
	}
}

// piece returns a copy of some part of this instance or of an earlier one.
func (g *generator) piece(slots []slot) any {
	if g.chance(50) && g.spare != nil {
		slots = []slot{{}}
		collect(g.spare, &slots)
	}
	if len(slots) == 1 {
		return g.anything()
	}
	s := slots[1+g.rand.IntN(len(slots)-1)]
	if object, ok := s.parent.(map[string]any); ok {
		return copyTree(object[s.name])
	}
	return copyTree(s.parent.([]any)[s.index])
}

// collect appends the slots of everything in a value, in a fixed order.
func collect(value any, slots *[]slot) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			*slots = append(*slots, slot{parent: v, name: name})
			collect(v[name], slots)
		}
	case []any:
		for i, item := range v {
			*slots = append(*slots, slot{parent: v, index: i})
			collect(item, slots)
		}
	}
}

func copyTree(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for name := range out {
			out[name] = copyTree(out[name])
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = copyTree(out[i])
		}
		return out
	case nil, bool, string, json.Number:
		return v
	default:
		panic("not a decoded value")
	}
}
