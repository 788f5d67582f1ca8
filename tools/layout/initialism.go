package layout

import (
	"fmt"
	"go/ast"
	"strings"
	"unicode"
)

// initialisms maps the lower-case form of a word to the only spelling that an exported name may use.
var initialisms = func() map[string]string {
	const list = `ACP API ASCII CLI CPU CSV DNS EOF GID GUID HTML HTTP HTTPS ID IO IP JSON JSONL JSONRPC LSP MCP MIME
		PID RPC SARIF SDK SHA SQL SSE SSH TCP TLS TTL UDP UI UID URI URL UTF UUID VM XML YAML`
	m := make(map[string]string)
	for word := range strings.FieldsSeq(list) {
		m[strings.ToLower(word)] = word
	}
	return m
}()

func initialismNames(r *Repo) []Finding {
	var findings []Finding
	for f := range r.goFiles {
		if f.IsTest() {
			continue
		}
		for _, id := range exportedNames(f.AST) {
			if fixed := fixInitialisms(id.Name); fixed != id.Name {
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

// fixInitialisms returns the name with each initialism in capitals. A trailing number belongs to the word before it,
// so Utf8Text becomes UTF8Text. Plurals such as Uris are words of their own and stay.
func fixInitialisms(name string) string {
	var b strings.Builder
	for _, word := range camelWords(name) {
		letters := strings.TrimRightFunc(word, unicode.IsDigit)
		fixed, ok := initialisms[strings.ToLower(letters)]
		if ok && letters[0] == fixed[0] {
			word = fixed + word[len(letters):]
		}
		b.WriteString(word)
	}
	return b.String()
}

// camelWords splits before each capital that follows something else, and before the last capital of a run of
// capitals when a small letter follows it: HTTPServerId is HTTP, Server, Id.
func camelWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	for i := 1; i < len(runes); i++ {
		if !unicode.IsUpper(runes[i]) {
			continue
		}
		afterSmall := !unicode.IsUpper(runes[i-1])
		beforeSmall := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if afterSmall || beforeSmall {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	return append(words, string(runes[start:]))
}
