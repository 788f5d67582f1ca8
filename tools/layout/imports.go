package layout

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

const (
	jsontextPath     = "github.com/go-json-experiment/json/jsontext"
	goJSONSchemaPath = "github.com/atombender/go-jsonschema"
)

// layer says what the packages of one subtree may import beside the standard library and their own subtree.
type layer struct {
	dir string
	// perFolder makes each folder below dir a subtree of its own, closed to its neighbours.
	perFolder bool
	// module lists subtrees of this module. A subtree includes what is below it.
	module []string
	// except takes subtrees out of module again.
	except []string
	// others lists packages of other modules. If nil, every other module may be imported.
	others []string
}

// layers is ordered from the most specific directory to the least; the first that holds a file decides.
var layers = []layer{
	{dir: "tools", module: []string{"gen", "acp", "server", "schema", "tools"}},
	{dir: "gen/wire", others: []string{jsontextPath}},
	{dir: "gen", perFolder: true, module: []string{"gen/wire"}, others: []string{jsontextPath}},
	{dir: "schema/validate", module: []string{"schema"}},
	{dir: "schema", except: []string{"schema/validate"}, others: []string{}},
	{dir: "acp", module: []string{"gen", "schema"}},
	{dir: "server", module: []string{"acp", "gen", "schema"}, except: []string{"schema/validate"}},
	{dir: ".", others: []string{}},
}

// importDirection holds tests to less: they may import anything but tools and go-jsonschema, for an import cycle is
// an error of the compiler anyway.
func importDirection(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		for _, spec := range f.AST.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // the parser has checked it
			}
			if why := r.forbidden(f, target); why != "" {
				findings = append(findings, r.importFinding(f, spec, target, why))
			}
		}
	}
	return findings
}

func (r *Repo) importFinding(f *File, spec *ast.ImportSpec, target, why string) Finding {
	return Finding{f.Path, r.line(spec.Pos()), fmt.Sprintf("%s imports %s: %s", f.Dir(), target, why)}
}

// forbidden says why a file must not import the target; "" means that it may.
func (r *Repo) forbidden(f *File, target string) string {
	dir := f.Dir()
	inModule, isOurs := strings.CutPrefix(target, r.Module+"/")
	if !within(dir, "tools") {
		layoutTest := dir == "." && f.IsTest() && inModule == "tools/layout"
		if isOurs && within(inModule, "tools") && !layoutTest {
			return "only tools may import tools"
		}
		if within(target, goJSONSchemaPath) {
			return "only tools may import go-jsonschema"
		}
	}
	if f.IsTest() {
		return ""
	}
	for _, l := range layers {
		if l.dir == "." || within(dir, l.dir) {
			return l.forbids(dir, inModule, target, isOurs)
		}
	}
	return ""
}

func (l layer) forbids(dir, inModule, target string, isOurs bool) string {
	own := l.dir
	if l.perFolder && dir != l.dir {
		folder, _, _ := strings.Cut(strings.TrimPrefix(dir, l.dir+"/"), "/")
		own += "/" + folder
	}
	holds := func(subtrees []string) bool {
		return slices.ContainsFunc(subtrees, func(s string) bool { return within(inModule, s) })
	}
	switch {
	case isOurs && (holds(l.except) || !within(inModule, own) && !holds(l.module)):
		why := fmt.Sprintf("%s may import %s of this module", own, onlyThese(l.module))
		if holds(l.module) && holds(l.except) {
			why += ", and not " + strings.Join(l.except, ", ")
		}
		return why
	case !isOurs && !isStandard(target) && l.others != nil && !slices.Contains(l.others, target):
		return fmt.Sprintf("%s may import %s of other modules", own, onlyThese(l.others))
	}
	return ""
}

// isStandard relies on the rule that the first element of every other module's path holds a dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func onlyThese(items []string) string {
	if len(items) == 0 {
		return "nothing"
	}
	return "only " + strings.Join(items, ", ")
}
