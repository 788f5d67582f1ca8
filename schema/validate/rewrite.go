package validate

import (
	"slices"
	"strconv"
	"strings"
)

// A rewriter makes the schema that is compiled out of the one that was published: integer formats become bounds, tagged
// unions become if/then/else, lists of constants become enum, and the schemas of items and of map values go where the
// library's extension finds them. It remembers where everything was.
type rewriter struct {
	// plain does nothing but the bounds.
	plain bool
	// origins maps pointers in the new schema to the published one, where they differ. The longest prefix counts.
	origins map[string]origin
	// own maps the pointer of an anyOf or oneOf that was made for one tag value to the index of that value's own branch.
	own map[string]int
	// defaults maps the pointer of the branches for an unknown or absent tag to their union.
	defaults map[string]*union
}

// An origin is where a part of the new schema was.
type origin struct {
	pointer string
	// exact is set if what is below has no place of its own in the published schema.
	exact bool
}

func newRewriter(plain bool) *rewriter {
	return &rewriter{plain: plain, origins: map[string]origin{}, own: map[string]int{}, defaults: map[string]*union{}}
}

// schema rewrites a schema that was at one pointer and will be at another.
func (r *rewriter) schema(node any, from, to string) any {
	m, ok := node.(map[string]any)
	if !ok {
		return node
	}
	var u *union
	var values []any
	var replaced string
	if !r.plain {
		if values, replaced = closedStrings(m); values == nil {
			if u = findUnion(m); u != nil {
				replaced = u.keyword
			}
		}
	}
	out := make(map[string]any, len(m)+2)
	for name, value := range m {
		at := "/" + escapeToken(name)
		switch {
		case name == replaced:
		case name == "not":
			// Its errors are never seen, and it is small.
			excluded := newRewriter(true)
			out[name] = excluded.schema(value, from+at, to+at)
		case r.bounded(name, value):
			r.moveBounded(name, value, from, to, out)
		default:
			out[name] = r.value(keywords[name].shape, value, from+at, to+at)
		}
	}
	for _, bound := range addRange(out) {
		r.origins[to+"/"+bound] = origin{pointer: from + "/format", exact: true}
	}
	switch {
	case values != nil:
		out["type"], out["enum"] = "string", values
		r.origins[to+"/type"] = origin{pointer: from + "/" + replaced, exact: true}
		r.origins[to+"/enum"] = origin{pointer: from + "/" + replaced, exact: true}
	case u != nil:
		r.union(u, m[u.keyword].([]any), from+"/"+u.keyword, to, out)
	}
	return out
}

// bounded reports whether a keyword goes to the extension.
func (r *rewriter) bounded(name string, value any) bool {
	_, ok := value.(map[string]any)
	return ok && !r.plain && slices.Contains(boundedKeywords, name)
}

// moveBounded puts the schema of a bounded keyword where the extension finds it.
func (r *rewriter) moveBounded(name string, value any, from, to string, out map[string]any) {
	schemas, ok := out["$defs"].(map[string]any)
	if !ok {
		schemas = map[string]any{}
		out["$defs"], out[boundedMark] = schemas, true
	}
	at := "/" + boundedPath(name)
	r.origins[to+at] = origin{pointer: from + "/" + name}
	schemas[name] = r.schema(value, from+"/"+name, to+at)
}

func (r *rewriter) value(s shape, value any, from, to string) any {
	switch v := value.(type) {
	case []any:
		if s != shapeList {
			return value
		}
		list := make([]any, len(v))
		for i, node := range v {
			at := "/" + strconv.Itoa(i)
			list[i] = r.schema(node, from+at, to+at)
		}
		return list
	case map[string]any:
		switch s {
		case shapeSchema:
			return r.schema(v, from, to)
		case shapeMap:
			nodes := make(map[string]any, len(v))
			for name, node := range v {
				at := "/" + escapeToken(name)
				nodes[name] = r.schema(node, from+at, to+at)
			}
			return nodes
		case shapeValue, shapeList:
			return value
		}
	}
	return value
}

// union sets if, then and else in out. The if is true exactly for objects whose tag has a known value. All tagged
// branches of other values refuse such an object, and all tagged branches refuse anything else, so that the branches
// left out on either side cannot change how many accept.
func (r *rewriter) union(u *union, branches []any, from, to string, out map[string]any) {
	known := knownTag(u)
	out["if"] = known
	out["then"] = r.choice(u, branches, u.values, from, to+"/then")
	rest := u.openBranches()
	if len(rest) == 0 {
		// Refuses whatever comes here, with an error that names the tag.
		out["else"] = known
		r.origins[to+"/else"] = origin{pointer: from, exact: true}
		return
	}
	r.defaults[to+"/else"] = u
	out["else"] = r.group(u, branches, rest, from, to+"/else")
}

func knownTag(u *union) map[string]any {
	return map[string]any{
		"type":       "object",
		"required":   []any{u.tag},
		"properties": map[string]any{u.tag: map[string]any{"enum": anyStrings(u.values)}},
	}
}

// choice finds the branches of one of several tag values by halving, so that a union of twenty asks five questions.
func (r *rewriter) choice(u *union, branches []any, values []string, from, to string) any {
	if len(values) == 1 {
		indexes, own := u.branchesFor(values[0])
		if len(indexes) > 1 {
			r.own[to+"/"+u.keyword] = own
		}
		return r.group(u, branches, indexes, from, to)
	}
	half := len(values) / 2
	return map[string]any{
		"if":   map[string]any{"properties": map[string]any{u.tag: map[string]any{"enum": anyStrings(values[:half])}}},
		"then": r.choice(u, branches, values[:half], from, to+"/then"),
		"else": r.choice(u, branches, values[half:], from, to+"/else"),
	}
}

// group returns the schema of some of a union's branches under the union's own keyword.
func (r *rewriter) group(u *union, branches []any, indexes []int, from, to string) any {
	if len(indexes) == 1 {
		return r.branch(branches, indexes[0], from, to)
	}
	to += "/" + u.keyword
	r.origins[to] = origin{pointer: from}
	list := make([]any, len(indexes))
	for i, index := range indexes {
		list[i] = r.branch(branches, index, from, to+"/"+strconv.Itoa(i))
	}
	return map[string]any{u.keyword: list}
}

func (r *rewriter) branch(branches []any, index int, from, to string) any {
	from += "/" + strconv.Itoa(index)
	r.origins[to] = origin{pointer: from}
	return r.schema(branches[index], from, to)
}

// published returns the pointer in the published schema for one in the new schema.
func (r *rewriter) published(pointer string) string {
	for prefix := pointer; prefix != ""; prefix = prefix[:strings.LastIndexByte(prefix, '/')] {
		if o, ok := r.origins[prefix]; ok {
			if o.exact {
				return o.pointer
			}
			return o.pointer + pointer[len(prefix):]
		}
	}
	return pointer
}

func anyStrings(values []string) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}
