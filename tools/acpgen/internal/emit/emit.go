// Package emit prints a planned package as Go source.
package emit

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"strings"

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
	// floats are the bounded numbers that have a decoding function, by its name.
	floats     map[string]*model.Scalar
	floatOrder []string
	errs       []error
}

// Files returns the generated files by name, gofmted. A file that would declare nothing is left out.
func Files(pkg *plan.Package, c Config) (map[string][]byte, error) {
	g := &emitter{pkg: pkg, docs: c.Docs, site: c.Site, lists: map[string]*helper{}, floats: map[string]*model.Scalar{}}
	files := map[string][]byte{}
	for _, f := range []struct {
		name string
		body func(*printer)
	}{
		{"types_gen.go", g.types},
		{"unions_gen.go", g.unions},
		{"enums_gen.go", g.enums},
		{"defaults_gen.go", g.defaults},
		{"decode_gen.go", g.decoders},
		{"encode_gen.go", g.encoders},
		{"json_gen.go", g.json},
		{"surface_gen.go", g.surface},
		{"agent_gen.go", func(p *printer) { g.role(p, agentRole) }},
		{"client_gen.go", func(p *printer) { g.role(p, clientRole) }},
	} {
		body := newPrinter()
		f.body(body)
		if len(bytes.TrimSpace(body.Bytes())) == 0 {
			continue
		}
		src, err := format.Source(g.file(c.Header, body.Bytes()))
		if err != nil {
			g.errs = append(g.errs, fmt.Errorf("%s: %w", f.name, err))
		}
		files[f.name] = src
	}
	return files, errors.Join(g.errs...)
}

// file puts the header, the package clause and the imports that the body needs before it.
func (g *emitter) file(header []string, body []byte) []byte {
	p := newPrinter()
	for _, line := range header {
		p.P("// ", line)
	}
	p.P()
	p.P("package ", g.pkg.Name)
	p.P()
	switch paths := imports(body); len(paths) {
	case 0:
	case 1:
		p.P(fmt.Sprintf("import %q", paths[0]))
	default:
		p.P("import (")
		for _, path := range paths {
			if path == wirePath {
				p.P()
			}
			p.P(fmt.Sprintf("%q", path))
		}
		p.P(")")
	}
	p.P()
	return append(p.Bytes(), body...)
}

// imports returns the packages that the code uses, not counting what comments mention.
func imports(body []byte) []string {
	var paths []string
	for _, path := range []string{"context", "encoding/json", wirePath} {
		use := []byte(path[strings.LastIndex(path, "/")+1:] + ".")
		for line := range bytes.Lines(body) {
			if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")) && bytes.Contains(line, use) {
				paths = append(paths, path)
				break
			}
		}
	}
	return paths
}

const wirePath = "github.com/acpwire/acpwire/gen/wire"

func (g *emitter) errorf(at, format string, args ...any) {
	g.errs = append(g.errs, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}
