package layout

import (
	"bytes"
	"fmt"
	"go/ast"
)

const (
	maxFunctionLines = 100
	maxFileLines     = 600
)

// functionLength measures function literals on their own only where no function declaration holds them.
func functionLength(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		if f.IsGenerated() {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			name := "function literal"
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.FuncLit:
			default:
				return true
			}
			start := r.line(n.Pos()) // of the func keyword, after any doc comment
			if lines := r.line(n.End()) - start + 1; lines > maxFunctionLines {
				findings = append(findings, Finding{f.Path, start, fmt.Sprintf("%s has %d lines, at most %d are allowed", name, lines, maxFunctionLines)})
			}
			return false
		})
	}
	return findings
}

func fileLength(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		if f.IsGenerated() || f.IsTest() {
			continue
		}
		if lines := bytes.Count(f.Src, []byte("\n")); lines > maxFileLines {
			findings = append(findings, Finding{f.Path, 1, fmt.Sprintf("%d lines, at most %d are allowed", lines, maxFileLines)})
		}
	}
	return findings
}
