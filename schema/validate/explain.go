package validate

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// A finding is a violation with what the choice between branches needs.
type finding struct {
	Violation
	types   []string // of a broken "type", what was expected
	listed  []string // of a broken "const" or "enum", what was expected
	missing string   // of a broken "required", the property
	present int      // of a broken "required", how many of the others are there
}

// An explainer turns the library's tree of errors into violations.
type explainer struct {
	defs  map[string]any // of the rewritten schema
	rules *rewriter
	value any // the judged value, numbers as written
}

func (x *explainer) violations(root *jsonschema.ValidationError) []Violation {
	var list []Violation
	for _, f := range x.findings(root) {
		f.Pointer = strings.ReplaceAll(f.Pointer, emptyName, "")
		list = append(list, f.Violation)
	}
	return sortViolations(list)
}

// findings returns what one error of the library, with all below it, means.
func (x *explainer) findings(e *jsonschema.ValidationError) []finding {
	at := schemaPointer(e)
	if len(e.Causes) == 0 {
		return x.leaf(e, at)
	}
	if e.Message == "anyOf failed" || e.Message == "oneOf failed" {
		return x.union(e, at)
	}
	var all []finding
	for _, cause := range e.Causes {
		all = append(all, x.findings(cause)...)
	}
	if u, ok := x.rules.defaults[at]; ok && e.Message == "if-else failed" {
		x.hint(u, pointerOf(e.InstanceLocation), all)
	}
	return all
}

// schemaPointer returns the pointer into the rewritten schema of what refused the value.
func schemaPointer(e *jsonschema.ValidationError) string {
	_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	return pointerOf(fragment)
}

// hint adds to the findings of a default branch why it was taken, or what else the missing tag could be.
func (x *explainer) hint(u *union, base string, all []finding) {
	object, _ := lookup(x.value, base).(map[string]any)
	tag, ok := object[u.tag]
	known := quoteAll(u.values)
	for i := range all {
		switch f := &all[i]; {
		case f.Pointer != base:
		case !ok && f.missing == u.tag:
			f.Expected += ": " + orList(append(slices.Clip(known), "another"))
			f.Message = f.Expected
		case ok:
			because := "; the default because " + quote(u.tag) + " is not " + orList(known)
			f.Expected += because
			f.Message += because + " but " + show(tag)
		}
	}
}

// node returns the schema at a pointer of the rewritten schema.
func (x *explainer) node(pointer string) any {
	rest, ok := strings.CutPrefix(pointer, "/$defs")
	if !ok {
		return nil
	}
	return lookup(x.defs, rest)
}

// union chooses which branches of an anyOf or oneOf to report, all of which refused the value.
func (x *explainer) union(e *jsonschema.ValidationError, at string) []finding {
	branches := make([]branch, len(e.Causes))
	base := pointerOf(e.InstanceLocation)
	nodes, _ := x.node(at).([]any)
	for i, cause := range e.Causes {
		branches[i] = branch{findings: x.findings(cause), index: i}
		if i < len(nodes) {
			branches[i].node = nodes[i]
		}
	}
	if own, ok := x.rules.own[at]; ok {
		return branches[own].findings
	}
	typed := keep(branches, func(b branch) bool {
		return !b.all(func(f finding) bool { return f.types != nil && f.Pointer == base })
	})
	if len(typed) == 0 {
		return []finding{x.mergedTypes(branches, base, at)}
	}
	if len(typed) == 1 {
		return typed[0].findings
	}
	open := keep(typed, func(b branch) bool {
		return !b.all(func(f finding) bool { return f.listed != nil && f.Pointer == base })
	})
	if len(open) == 0 {
		return []finding{x.mergedValues(typed, base, at)}
	}
	best := closest(open, base)
	if !slices.ContainsFunc(best[1:], func(b branch) bool { return !sameFindings(b, best[0]) }) {
		return best[0].findings
	}
	return []finding{x.noneOf(best, base, at)}
}

// A branch is one alternative of a union and what it found wrong.
type branch struct {
	index    int
	node     any
	findings []finding
}

func (b branch) all(is func(finding) bool) bool {
	return !slices.ContainsFunc(b.findings, func(f finding) bool { return !is(f) })
}

func keep(branches []branch, is func(branch) bool) []branch {
	var kept []branch
	for _, b := range branches {
		if is(b) {
			kept = append(kept, b)
		}
	}
	return kept
}

// sameFindings reports whether two branches ask for the same, so that it does not matter which one was meant.
func sameFindings(a, b branch) bool {
	return slices.EqualFunc(a.findings, b.findings, func(f, g finding) bool { return f.Pointer == g.Pointer && f.Expected == g.Expected })
}

// closest returns the branches that the data comes closest to. What counts is first the number of required properties
// that are missing, at the top, then one level below, and so on: a branch that is content with the top is the one that
// was meant, whatever is wrong deeper. Then it counts how many of the required properties are there, and last all that is
// wrong, again from the top.
func closest(branches []branch, base string) []branch {
	isMissing := func(f finding) bool { return f.missing != "" }
	branches = least(branches, func(b branch) []int { return perLevel(b.findings, depth(base), isMissing) })
	branches = least(branches, func(b branch) []int {
		present := 0
		for _, f := range b.findings {
			present += f.present
		}
		return []int{-present}
	})
	return least(branches, func(b branch) []int {
		return perLevel(b.findings, depth(base), func(finding) bool { return true })
	})
}

// least returns the branches with the smallest score.
func least(branches []branch, score func(branch) []int) []branch {
	var best []branch
	var smallest []int
	for _, b := range branches {
		n := score(b)
		switch c := slices.Compare(n, smallest); {
		case best == nil || c < 0:
			best, smallest = []branch{b}, n
		case c == 0:
			best = append(best, b)
		}
	}
	return best
}

// perLevel counts findings by depth, from the top. Trailing zeros are left out.
func perLevel(findings []finding, top int, is func(finding) bool) []int {
	var n []int
	for _, f := range findings {
		if !is(f) {
			continue
		}
		level := depth(f.Pointer) - top
		for len(n) <= level {
			n = append(n, 0)
		}
		n[level]++
	}
	return n
}
