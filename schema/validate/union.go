package validate

import (
	"slices"
)

// A union is an anyOf or oneOf whose branches a constant property, the tag, tells apart.
type union struct {
	keyword string // "anyOf" or "oneOf"
	tag     string
	values  []string         // the tag's known values, in the order of their branches
	tagged  map[string][]int // the branches of each value
	open    []openBranch     // the branches without a tag value
}

// An openBranch is a default, or a catch-all that refuses known values.
type openBranch struct {
	index   int
	refuses []string // values of the tag that the branch refuses whatever else the object holds
}

// findUnion returns the union in a schema, or nil if it has none that a tag tells apart.
func findUnion(node map[string]any) *union {
	for _, kw := range []string{"oneOf", "anyOf"} {
		branches, _ := node[kw].([]any)
		tag := commonTag(node, branches)
		if tag == "" {
			continue
		}
		u := &union{keyword: kw, tag: tag, tagged: map[string][]int{}}
		for i, branch := range branches {
			if value, ok := tagValue(node, branch, tag); ok {
				if _, ok := u.tagged[value]; !ok {
					u.values = append(u.values, value)
				}
				u.tagged[value] = append(u.tagged[value], i)
				continue
			}
			u.open = append(u.open, openBranch{index: i, refuses: excluded(branch, tag)})
		}
		for i := range u.open {
			if refusesStrings(branches[u.open[i].index], tag) {
				u.open[i].refuses = u.values
			}
		}
		return u
	}
	return nil
}

// commonTag returns the property that is a required constant in most branches, the first by name of several, or "" if
// there is no choice to make.
func commonTag(node map[string]any, branches []any) string {
	if len(branches) < 2 {
		return ""
	}
	count := map[string]int{}
	for _, branch := range branches {
		m, _ := branch.(map[string]any)
		properties, _ := m["properties"].(map[string]any)
		for name := range properties {
			if _, ok := tagValue(node, branch, name); ok {
				count[name]++
			}
		}
	}
	best := ""
	for _, name := range sortedKeys(count) {
		if best == "" || count[name] > count[best] {
			best = name
		}
	}
	return best
}

// tagValue returns the only value of the tag with which a branch can accept an object. A branch that may accept something
// that is no object, which need not have the tag, has no such value.
func tagValue(node map[string]any, branch any, tag string) (string, bool) {
	m, ok := branch.(map[string]any)
	if !ok || m["type"] != "object" && node["type"] != "object" {
		return "", false
	}
	return requiredConst(m, tag)
}

func requiredConst(m map[string]any, tag string) (string, bool) {
	properties, _ := m["properties"].(map[string]any)
	property, _ := properties[tag].(map[string]any)
	value, ok := property["const"].(string)
	return value, ok && slices.Contains(stringsOf(m["required"]), tag)
}

// refusesStrings reports whether a branch wants the tag to be no string, if it is there.
func refusesStrings(branch any, tag string) bool {
	m, _ := branch.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	property, _ := properties[tag].(map[string]any)
	types := typesOf(property["type"])
	return len(types) > 0 && !slices.Contains(types, "string")
}

// excluded returns the tag values that a branch refuses whatever else the object holds, because its "not" asks for
// nothing but the value.
func excluded(branch any, tag string) []string {
	m, _ := branch.(map[string]any)
	not, ok := m["not"].(map[string]any)
	if !ok {
		return nil
	}
	alternatives := []any{not}
	if list, ok := not["anyOf"].([]any); ok && onlyKeys(not, "anyOf") {
		alternatives = list
	}
	var values []string
	for _, alternative := range alternatives {
		a, ok := alternative.(map[string]any)
		if !ok || !onlyKeys(a, "type", "properties", "required") || a["type"] != nil && a["type"] != "object" {
			continue
		}
		properties, _ := a["properties"].(map[string]any)
		property, _ := properties[tag].(map[string]any)
		if len(properties) != 1 || !onlyKeys(property, "type", "const") || property["type"] != nil && property["type"] != "string" {
			continue
		}
		if value, ok := requiredConst(a, tag); ok && len(stringsOf(a["required"])) == 1 {
			values = append(values, value)
		}
	}
	return values
}

// onlyKeys reports whether m has no keywords but the given ones and names for people.
func onlyKeys(m map[string]any, names ...string) bool {
	for name := range m {
		if name != "title" && name != "description" && !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// branchesFor returns the branches that can accept an object whose tag has a known value, in schema order, and which of
// them is the value's own.
func (u *union) branchesFor(value string) (indexes []int, own int) {
	indexes = slices.Clone(u.tagged[value])
	for _, b := range u.open {
		if !slices.Contains(b.refuses, value) {
			indexes = append(indexes, b.index)
		}
	}
	slices.Sort(indexes)
	return indexes, slices.Index(indexes, u.tagged[value][0])
}

// openBranches returns the branches that can accept anything else.
func (u *union) openBranches() []int {
	var indexes []int
	for _, b := range u.open {
		indexes = append(indexes, b.index)
	}
	return indexes
}

// closedStrings returns the values of a schema that is nothing but a list of constant strings, and the keyword that
// holds them, or nil.
func closedStrings(node map[string]any) (values []any, keyword string) {
	for _, kw := range []string{"oneOf", "anyOf"} {
		branches, ok := node[kw].([]any)
		if !ok || node["type"] != nil || node["enum"] != nil || node["const"] != nil {
			continue
		}
		values := make([]any, 0, len(branches))
		for _, branch := range branches {
			m, _ := branch.(map[string]any)
			value, ok := m["const"].(string)
			if !ok || !onlyKeys(m, "type", "const") || m["type"] != nil && m["type"] != "string" || slices.Contains(values, any(value)) {
				break
			}
			values = append(values, value)
		}
		if len(values) == len(branches) {
			return values, kw
		}
	}
	return nil, ""
}
