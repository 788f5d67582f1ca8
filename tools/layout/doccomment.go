package layout

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
)

// docComments looks at exported identifiers in every package but main, where nobody can import them.
func docComments(r *Repo) []Finding {
	findings := packageComments(r)
	for f := range r.goFiles {
		if f.IsTest() || f.AST.Name.Name == "main" {
			continue
		}
		check := docChecker{repo: r, file: f}
		for _, decl := range f.AST.Decls {
			check.decl(decl)
		}
		findings = append(findings, check.findings...)
	}
	return findings
}

// packageComments wants one on some file of each package; the finding is on its first file.
func packageComments(r *Repo) []Finding {
	first := make(map[string]*File)
	documented := make(map[string]bool)
	for f := range r.goFiles {
		if f.IsTest() {
			continue
		}
		if first[f.Dir()] == nil {
			first[f.Dir()] = f
		}
		text := f.AST.Doc.Text()
		if f.AST.Name.Name == "main" && text != "" || startsWithWord(text, "Package "+f.AST.Name.Name) {
			documented[f.Dir()] = true
		}
	}
	var findings []Finding
	for dir, f := range first {
		if !documented[dir] {
			findings = append(findings, Finding{f.Path, r.line(f.AST.Package), fmt.Sprintf("no file of package %s has a package comment", f.AST.Name.Name)})
		}
	}
	return findings
}

type docChecker struct {
	repo     *Repo
	file     *File
	findings []Finding
}

func (c *docChecker) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil || receiverExported(decl.Recv) {
			c.want(decl.Doc, decl.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				c.typeSpec(decl, spec)
			case *ast.ValueSpec:
				c.valueSpec(decl, spec)
			}
		}
	}
}

func (c *docChecker) typeSpec(decl *ast.GenDecl, spec *ast.TypeSpec) {
	doc := spec.Doc
	if !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	c.want(doc, spec.Name)
	iface, ok := spec.Type.(*ast.InterfaceType)
	if !ok || !spec.Name.IsExported() {
		return
	}
	for _, method := range iface.Methods.List {
		if method.Comment.Text() == "" {
			c.want(method.Doc, method.Names...)
		}
	}
}

// valueSpec accepts a comment on the group in place of one on each constant or variable: the group's comment usually
// says all that there is to say.
func (c *docChecker) valueSpec(decl *ast.GenDecl, spec *ast.ValueSpec) {
	grouped := decl.Lparen.IsValid()
	switch {
	case !grouped && spec.Doc == nil:
		c.want(decl.Doc, spec.Names...)
	case decl.Doc.Text() == "" && spec.Comment.Text() == "":
		c.want(spec.Doc, spec.Names...)
	}
}

// want reports a missing comment, or one that does not start with one of the names it belongs to.
func (c *docChecker) want(doc *ast.CommentGroup, names ...*ast.Ident) {
	var exported []*ast.Ident
	for _, id := range names {
		if id.IsExported() {
			exported = append(exported, id)
		}
	}
	if len(exported) == 0 {
		return
	}
	text := doc.Text()
	if text == "" {
		c.report(exported[0].Pos(), "exported %s has no doc comment", exported[0].Name)
		return
	}
	for _, id := range exported {
		for _, article := range []string{"", "A ", "An ", "The "} {
			if startsWithWord(text, article+id.Name) {
				return
			}
		}
	}
	c.report(exported[0].Pos(), "the doc comment of %[1]s does not start with %[1]s", exported[0].Name)
}

func (c *docChecker) report(pos token.Pos, format string, args ...any) {
	c.findings = append(c.findings, Finding{c.file.Path, c.repo.line(pos), fmt.Sprintf(format, args...)})
}

func receiverExported(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.ParenExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		case *ast.Ident:
			return u.IsExported()
		default:
			return false
		}
	}
}

func startsWithWord(text, word string) bool {
	rest, ok := strings.CutPrefix(text, word)
	next, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
}
