package validate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxShown is how many characters of a value or a name of the input a message shows, and maxListed how many alternatives.
const (
	maxShown  = 40
	maxListed = 24
)

// leaf returns the findings of one failed keyword: one for each missing or forbidden property, one for anything else.
func (x *explainer) leaf(e *jsonschema.ValidationError, at string) []finding {
	pointer := pointerOf(e.InstanceLocation)
	value := lookup(x.value, pointer)
	if e.Message == "not allowed" && x.node(at) == false {
		return []finding{x.finding(pointer, "false", at, "expected nothing here", show(value))}
	}
	if e.Message == moreWrong {
		return []finding{x.more(pointer, at)}
	}
	slash := strings.LastIndexByte(at, '/')
	keyword := at[slash+1:]
	node, _ := x.node(at[:slash]).(map[string]any)
	object, _ := value.(map[string]any)
	var all []finding
	switch keyword {
	case "required":
		all = x.allMissing(node, object, pointer, at)
	case "additionalProperties":
		known, _ := node["properties"].(map[string]any)
		for _, name := range sortedKeys(object) {
			if _, ok := known[name]; !ok {
				all = append(all, x.finding(pointer, keyword, at, "expected no properties but those of the schema", quote(name)))
			}
		}
	case "type":
		all = []finding{x.finding(pointer, keyword, at, "expected "+orList(typesOf(node["type"])), show(value))}
		all[0].types = typesOf(node["type"])
	case "const":
		constant := show(node["const"])
		switch node["const"].(type) {
		case []any, map[string]any:
			constant = "the constant of the schema"
		}
		all = []finding{x.finding(pointer, keyword, at, "expected "+constant, show(value))}
		all[0].listed = []string{constant}
	case "enum":
		all = []finding{x.finding(pointer, keyword, at, "expected "+orList(showAll(node["enum"])), show(value))}
		all[0].listed = showAll(node["enum"])
	case "minimum", "maximum":
		all = []finding{x.bound(node, pointer, keyword, at, value)}
	default:
		got := show(value)
		if items, ok := value.([]any); ok {
			got = count(strconv.Itoa(len(items)), "item")
		}
		all = []finding{x.finding(pointer, keyword, at, "expected "+demand(keyword, node, e.Message), got)}
	}
	return all
}

func (x *explainer) allMissing(node, object map[string]any, pointer, at string) []finding {
	var all []finding
	names := stringsOf(node["required"])
	absent := func(name string) bool { _, ok := object[name]; return !ok }
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !absent(name) })
	for _, name := range missing {
		all = append(all, x.missing(node, pointer, at, name, len(names)-len(missing)))
	}
	return all
}

func (x *explainer) missing(node map[string]any, pointer, at, name string, present int) finding {
	expected := "missing required " + quote(name) + x.owner(at)
	properties, _ := node["properties"].(map[string]any)
	if property, _ := properties[name].(map[string]any); property["enum"] != nil {
		expected += ": " + orList(showAll(property["enum"]))
	}
	v := Violation{Pointer: pointer, Keyword: "required", SchemaPath: "#" + x.rules.published(at), Message: expected, Expected: expected}
	return finding{Violation: v, missing: name, present: present}
}

// more is the finding that stands for those that were not looked for.
func (x *explainer) more(pointer, at string) finding {
	path := x.rules.published(at)
	text := fmt.Sprintf("more may be wrong: only the first %d are reported%s", MaxWrongItems, x.owner(at))
	return finding{Violation: Violation{
		Pointer: pointer, Keyword: path[strings.LastIndexByte(path, '/')+1:], SchemaPath: "#" + path, Expected: text, Message: text,
	}}
}

func (x *explainer) bound(node map[string]any, pointer, keyword, at string, value any) finding {
	format, _ := node["format"].(string)
	if _, ok := integerFormats[format]; ok {
		if strings.HasSuffix(x.rules.published(at), "/format") {
			keyword = "format"
		}
		return x.finding(pointer, keyword, at, fmt.Sprintf("expected %s, %v to %v", format, node["minimum"], node["maximum"]), show(value))
	}
	side := map[string]string{"minimum": "at least ", "maximum": "at most "}[keyword]
	return x.finding(pointer, keyword, at, "expected "+side+show(node[keyword]), show(value))
}

// demand words the rarer keywords.
func demand(keyword string, node map[string]any, libraryMessage string) string {
	limit := fmt.Sprint(node[keyword])
	switch keyword {
	case "minLength":
		return "at least " + count(limit, "character")
	case "maxLength":
		return "at most " + count(limit, "character")
	case "minItems":
		return "at least " + count(limit, "item")
	case "maxItems":
		return "at most " + count(limit, "item")
	case "not":
		return "a value outside the excluded ones"
	case "oneOf":
		var first, second int
		if n, _ := fmt.Sscanf(libraryMessage, "valid against schemas at indexes %d and %d", &first, &second); n == 2 {
			nodes, _ := node["oneOf"].([]any)
			if max(first, second) < len(nodes) {
				return "exactly one of " + label(nodes[first], first) + " and " + label(nodes[second], second) + " to fit"
			}
		}
		return "exactly one alternative to fit"
	default:
		return "what " + keyword + " asks for"
	}
}

func count(n, noun string) string {
	if n == "1" {
		return n + " " + noun
	}
	return n + " " + noun + "s"
}

// finding builds a finding at a pointer of the judged value and one of the rewritten schema.
func (x *explainer) finding(pointer, keyword, at, expected, got string) finding {
	expected += x.owner(at)
	return finding{Violation: Violation{
		Pointer: pointer, Keyword: keyword, SchemaPath: "#" + x.rules.published(at),
		Expected: expected, Message: expected + ", got " + got,
	}}
}

// mergedTypes is the finding for a value of a type that no branch takes.
func (x *explainer) mergedTypes(branches []branch, base, at string) finding {
	var types []string
	for _, b := range branches {
		for _, f := range b.findings {
			types = append(types, f.types...)
		}
	}
	types = unique(types)
	f := x.finding(base, "type", at, "expected "+orList(types), show(lookup(x.value, base)))
	f.types = types
	return f
}

// mergedValues is the finding for a value that every branch wants to be another one.
func (x *explainer) mergedValues(branches []branch, base, at string) finding {
	var values []string
	for _, b := range branches {
		for _, f := range b.findings {
			values = append(values, f.listed...)
		}
	}
	values = unique(values)
	f := x.finding(base, "enum", at, "expected "+orList(values), show(lookup(x.value, base)))
	f.listed = values
	return f
}

// noneOf is the finding for a value that comes equally close to several branches. It says what each of them misses.
func (x *explainer) noneOf(branches []branch, base, at string) finding {
	var names []string
	for _, b := range branches {
		names = append(names, label(b.node, b.index)+missingAt(b.findings, base))
	}
	return x.finding(base, at[strings.LastIndexByte(at, '/')+1:], at, "expected "+orList(names), show(lookup(x.value, base)))
}

// missingAt says which required properties are missing where the first ones are, in a few words.
func missingAt(findings []finding, base string) string {
	var names []string
	at := ""
	for _, f := range findings {
		if f.missing == "" || names != nil && f.Pointer != at {
			continue
		}
		at = f.Pointer
		names = append(names, quote(f.missing))
	}
	switch {
	case names == nil:
		return ""
	case at == base:
		return " (missing " + strings.Join(names, ", ") + ")"
	default:
		return " (missing " + strings.Join(names, ", ") + " at " + strings.TrimPrefix(at, base) + ")"
	}
}

// owner names the definition that a rule of the rewritten schema belongs to, and the property in it: " (ToolCall.kind)".
func (x *explainer) owner(at string) string {
	pointer := x.rules.published(at)
	rest, ok := strings.CutPrefix(pointer, "/$defs")
	if !ok || rest == "" {
		return ""
	}
	name, rest := cutToken(rest)
	for rest != "" {
		var token string
		token, rest = cutToken(rest)
		switch {
		case rest == "": // the keyword itself
		case token == "properties":
			token, rest = cutToken(rest)
			name += "." + tokenUnescaper.Replace(token)
		case token == "items":
			name += "[]"
		case token == "additionalProperties":
			name += ".*"
		}
	}
	return " (" + name + ")"
}

// label names one alternative: by the definition it refers to, its title, its constant or its types.
func label(node any, index int) string {
	m, _ := node.(map[string]any)
	if name := soleRef(m); name != "" {
		return name
	}
	if title, ok := m["title"].(string); ok {
		return title
	}
	if c, ok := m["const"]; ok {
		return show(c)
	}
	if types := typesOf(m["type"]); len(types) > 0 {
		return orList(types)
	}
	return "alternative " + strconv.Itoa(index+1)
}

// orList joins alternatives the way people list them, and cuts long lists.
func orList(items []string) string {
	if len(items) > maxListed {
		items = append(slices.Clone(items[:maxListed]), strconv.Itoa(len(items)-maxListed)+" others")
	}
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " or " + items[last]
}

func unique(items []string) []string {
	var kept []string
	for _, item := range items {
		if !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// show describes a decoded value in a few words.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return cut(v.String(), maxShown)
	case string:
		return quote(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	default:
		return fmt.Sprintf("a %T", value)
	}
}

func showAll(list any) []string {
	values, _ := list.([]any)
	var texts []string
	for _, value := range values {
		texts = append(texts, show(value))
	}
	return texts
}

func quoteAll(names []string) []string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, quote(name))
	}
	return quoted
}

// quote quotes a string as Go does, so that a message stays one line, and cuts it.
func quote(s string) string {
	if s == emptyName {
		s = ""
	}
	if short := cut(s, maxShown); short != s {
		return strconv.Quote(strings.TrimSuffix(short, "…")) + "…"
	}
	return strconv.Quote(s)
}

// cut shortens a string to a number of characters and marks the cut.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
