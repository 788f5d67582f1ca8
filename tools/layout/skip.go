package layout

import (
	"go/ast"
	"go/token"
)

// skipReason looks at every receiver that is a parameter of a testing type. Without type information that is as good:
// nobody stores a *testing.T.
func skipReason(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		receivers := testingParams(f.AST)
		ast.Inspect(f.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if recv, ok := sel.X.(*ast.Ident); ok && receivers[recv.Name] && skipsSilently(sel.Sel.Name, call.Args) {
				findings = append(findings, Finding{f.Path, r.line(call.Pos()), recv.Name + "." + sel.Sel.Name + " gives no reason"})
			}
			return true
		})
	}
	return findings
}

func skipsSilently(method string, args []ast.Expr) bool {
	switch method {
	case "SkipNow":
		return true
	case "Skip", "Skipf":
		return len(args) == 0 || isEmptyString(args[0])
	}
	return false
}

func isEmptyString(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && len(lit.Value) == len(`""`)
}

// testingParams returns the names of all parameters of types *testing.T, B, F and testing.TB in a file.
func testingParams(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncType)
		if !ok {
			return true
		}
		for _, param := range fn.Params.List {
			if !isTestingType(param.Type) {
				continue
			}
			for _, name := range param.Names {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

func isTestingType(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || pkg.Name != "testing" {
		return false
	}
	switch sel.Sel.Name {
	case "T", "B", "F", "TB":
		return true
	}
	return false
}
