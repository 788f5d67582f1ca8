// Package emit prints a planned package as Go source.
package emit

import (
	"errors"
	"fmt"
	"go/format"

	"github.com/acpwire/acpwire/tools/acpgen/internal/docs"
	"github.com/acpwire/acpwire/tools/acpgen/internal/model"
	"github.com/acpwire/acpwire/tools/acpgen/internal/plan"
)

// Config is what the generated files say about where they come from.
type Config struct {
	// Header is the text of the first comment, without the slashes; its first line is the Code generated line.
	Header []string
	Docs   *docs.Set
	// Site is the protocol's documentation; pages are below it.
	Site string
}

type emitter struct {
	pkg   *plan.Package
	docs  *docs.Set
	site  string
	lists map[string]*helper // list and map helpers by Go name
	order []*helper
	errs  []error
}

// A helper is a generated function that decodes a list or a map of one element type.
type helper struct {
	name string
	elem model.Type
	list *model.List // nil for a map
}

// Files returns the generated files by name, gofmted.
func Files(pkg *plan.Package, c Config) (map[string][]byte, error) {
	g := &emitter{pkg: pkg, docs: c.Docs, site: c.Site, lists: map[string]*helper{}}
	files := map[string][]byte{}
	for _, f := range []struct {
		name    string
		imports []string
		body    func(*printer)
	}{
		{"types_gen.go", []string{wirePath}, g.types},
		{"unions_gen.go", []string{"encoding/json", wirePath}, g.unions},
		{"enums_gen.go", []string{wirePath}, g.enums},
		{"defaults_gen.go", nil, g.defaults},
		{"decode_gen.go", []string{wirePath}, g.decoders},
		{"encode_gen.go", []string{wirePath}, g.encoders},
		{"json_gen.go", []string{wirePath}, g.json},
		{"surface_gen.go", []string{wirePath}, g.surface},
		{"agent_gen.go", []string{"context", wirePath}, func(p *printer) { g.role(p, agentRole) }},
		{"client_gen.go", []string{"context", wirePath}, func(p *printer) { g.role(p, clientRole) }},
	} {
		p := newPrinter()
		for _, line := range c.Header {
			p.P("// ", line)
		}
		p.P()
		p.P("package ", pkg.Name)
		p.P()
		for _, path := range f.imports {
			p.P("import ", fmt.Sprintf("%q", path))
		}
		p.P()
		f.body(p)
		src, err := format.Source(p.Bytes())
		if err != nil {
			g.errs = append(g.errs, fmt.Errorf("%s: %w", f.name, err))
			src = p.Bytes()
		}
		files[f.name] = src
	}
	return files, errors.Join(g.errs...)
}

const wirePath = "github.com/acpwire/acpwire/gen/wire"

func (g *emitter) errorf(at, format string, args ...any) {
	g.errs = append(g.errs, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}
