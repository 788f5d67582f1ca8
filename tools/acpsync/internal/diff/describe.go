package diff

import (
	"slices"
	"strings"
)

// maxListed bounds how many values or variants a description lists.
const maxListed = 6

// describe says in a few words what n accepts.
func (n *node) describe() string {
	var parts []string
	if n.ref != "" {
		parts = append(parts, n.ref)
	}
	switch {
	case n.never:
		return "nothing"
	case n.values != nil:
		parts = append(parts, n.describeValues())
	case len(n.types) > 0 && (n.ref == "" || !slices.Equal(n.types, []string{"object"})):
		parts = append(parts, n.describeTyped())
	}
	for _, u := range n.unions {
		parts = append(parts, u.describe())
	}
	text := strings.Join(parts, " & ")
	switch {
	case text == "" && n.isNull():
		return "null"
	case text == "" && n.form() == formAny:
		return "any"
	case text == "":
		text = "constrained"
	}
	if n.nullable {
		if len(n.unions) > 0 || len(n.values) > 1 {
			text = "(" + text + ")"
		}
		text += "|null"
	}
	return text
}

func (n *node) describeTyped() string {
	text := strings.Join(n.types, "|")
	if n.items != nil && slices.Contains(n.types, "array") {
		text = strings.Replace(text, "array", "array of "+n.items.describe(), 1)
	}
	if n.additional != nil && n.additional.form() != formAny && len(n.properties) == 0 && slices.Contains(n.types, "object") {
		text = strings.Replace(text, "object", "map of "+n.additional.describe(), 1)
	}
	if n.format != "" {
		text += " (" + n.format + ")"
	}
	return text
}

func describeTypes(types []string, nullable bool) string {
	if types == nil {
		return "any"
	}
	text := strings.Join(types, "|")
	if nullable {
		text += "|null"
	}
	return text
}

func (n *node) describeValues() string {
	if n.values == nil {
		return "any"
	}
	var texts []string
	for _, v := range n.values {
		texts = append(texts, v.text)
	}
	return list(texts)
}

func (u *union) describe() string {
	var keys []string
	shared := u.sharedTags()
	for _, v := range u.variants {
		keys = append(keys, v.variantKey("", shared))
	}
	return "one of " + list(keys)
}

func list(texts []string) string {
	if extra := len(texts) - maxListed; extra > 0 {
		texts = append(slices.Clone(texts[:maxListed]), "...")
	}
	return strings.Join(texts, ", ")
}
