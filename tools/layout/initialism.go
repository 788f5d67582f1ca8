package layout

import (
	"fmt"
	"go/ast"

	"github.com/acpwire/acpwire/tools/internal/goname"
)

func initialismNames(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		if f.IsTest() {
			continue
		}
		for _, id := range exportedNames(f.AST) {
			if fixed := goname.Fix(id.Name); fixed != id.Name {
				findings = append(findings, Finding{f.Path, r.line(id.Pos()), fmt.Sprintf("%s should be %s", id.Name, fixed)})
			}
		}
	}
	return findings
}

// exportedNames returns the exported identifiers that a file declares: at package level, as methods, as fields of
// structs and as methods of interfaces, at any depth of the types declared at package level.
func exportedNames(f *ast.File) []*ast.Ident {
	var names []*ast.Ident
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name)
			return false
		case *ast.FuncLit:
			return false
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ValueSpec:
			add(n.Names...)
		case *ast.StructType:
			add(fieldNames(n.Fields)...)
		case *ast.InterfaceType:
			add(fieldNames(n.Methods)...)
		}
		return true
	})
	return names
}

func fieldNames(list *ast.FieldList) []*ast.Ident {
	var names []*ast.Ident
	for _, field := range list.List {
		names = append(names, field.Names...)
	}
	return names
}
