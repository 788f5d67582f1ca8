package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

const goMod = "module example.com/m\n"

// ruleCase is a tree, as a txtar archive without its go.mod, and what a rule finds in it.
type ruleCase struct {
	name string
	tree string
	want []string
}

// ruleCases has for each rule trees that keep it and trees that break it.
var ruleCases = map[string][]ruleCase{
	"top-level":        topLevelCases,
	"import-direction": importCases,
	"generated-header": headerCases,
	"generate-lines":   generateLineCases,
	"initialisms":      initialismCases,
	"function-length":  functionLengthCases,
	"file-length":      fileLengthCases,
	"doc-comments":     docCases,
	"foreign-names":    foreignCases,
	"skip-reason":      skipCases,
}

func TestRules(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			kept, broken := false, false
			for _, tc := range ruleCases[rule.Name] {
				kept = kept || len(tc.want) == 0
				broken = broken || len(tc.want) > 0
				t.Run(tc.name, func(t *testing.T) {
					var got []string
					for _, f := range rule.Check(parse(t, tc.tree)) {
						got = append(got, f.String())
					}
					if diff := cmp.Diff(tc.want, got); diff != "" {
						t.Errorf("mismatch (-want +got):\n%s", diff)
					}
				})
			}
			if !kept || !broken {
				t.Error("a rule needs a case that keeps it and one that breaks it")
			}
		})
	}
}

func parse(t *testing.T, tree string) *Repo {
	t.Helper()
	files := map[string][]byte{"go.mod": []byte(goMod)}
	for _, f := range txtar.Parse([]byte(tree)).Files {
		files[f.Name] = f.Data
	}
	repo, err := Parse(files)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

var topLevelCases = []ruleCase{
	{"fixed entries and dot entries", `
-- README.md --
-- gen/wire/doc.go --
package wire
-- .ci/run --
-- .gitignore --
`, nil},
	{"a stray file, and a stray folder once", `
-- notes.txt --
-- pkg/a.go --
package pkg
-- pkg/b.go --
package pkg
`, []string{
		"notes.txt:1: notes.txt does not belong at the top level",
		"pkg/a.go:1: pkg does not belong at the top level",
	}},
}

var importCases = []ruleCase{
	{"every allowed edge", `
-- gen/wire/a.go --
package wire
import (
	"strings"
	"github.com/go-json-experiment/json/jsontext"
	"example.com/m/gen/wire/internal/scan"
)
-- gen/acpv1/a.go --
package acpv1
import "example.com/m/gen/wire"
-- acp/a.go --
package acp
import (
	"example.com/m/gen/acpv1"
	"example.com/m/gen/wire"
	"example.com/m/schema/validate"
	"example.org/other"
)
-- server/a.go --
package server
import (
	"example.com/m/acp"
	"example.com/m/gen/acpv1"
)
-- schema/a.go --
package schema
import _ "embed"
-- schema/validate/a.go --
package validate
import (
	"example.com/m/schema"
	"example.org/jsonschema"
)
-- tools/acpgen/a.go --
package main
import (
	"github.com/atombender/go-jsonschema/pkg/generator"
	"example.com/m/server"
	"example.com/m/tools/acpgen/internal/load"
)
`, nil},
	{"tests may import more", `
-- layout_test.go --
package m_test
import "example.com/m/tools/layout"
-- gen/acpv1/a_test.go --
package acpv1
import (
	"example.com/m/schema/validate"
	"github.com/google/go-cmp/cmp"
)
`, nil},
	{"upwards in gen and acp", `
-- gen/wire/a.go --
package wire

import "example.com/m/gen/acpv1"
-- gen/acpv1/a.go --
package acpv1

import "example.com/m/acp"
-- acp/a.go --
package acp

import "example.com/m/server"
`, []string{
		"acp/a.go:3: acp imports example.com/m/server: acp may import only gen, schema of this module",
		"gen/acpv1/a.go:3: gen/acpv1 imports example.com/m/acp: gen/acpv1 may import only gen/wire of this module",
		"gen/wire/a.go:3: gen/wire imports example.com/m/gen/acpv1: gen/wire may import nothing of this module",
	}},
	{"one surface from another", `
-- gen/acpv2/a.go --
package acpv2
import "example.com/m/gen/acpv1"
`, []string{
		"gen/acpv2/a.go:2: gen/acpv2 imports example.com/m/gen/acpv1: gen/acpv2 may import only gen/wire of this module",
	}},
	{"other modules in gen and schema", `
-- gen/acpv1/a.go --
package acpv1
import "github.com/go-json-experiment/json"
-- schema/a.go --
package schema
import "example.org/other"
`, []string{
		"gen/acpv1/a.go:2: gen/acpv1 imports github.com/go-json-experiment/json: gen/acpv1 may import only github.com/go-json-experiment/json/jsontext of other modules",
		"schema/a.go:2: schema imports example.org/other: schema may import nothing of other modules",
	}},
	{"the oracle stays apart", `
-- schema/a.go --
package schema
import "example.com/m/schema/validate"
-- schema/validate/a.go --
package validate
import "example.com/m/gen/wire"
-- server/a.go --
package server
import "example.com/m/schema/validate"
`, []string{
		"schema/a.go:2: schema imports example.com/m/schema/validate: schema may import nothing of this module",
		"schema/validate/a.go:2: schema/validate imports example.com/m/gen/wire: schema/validate may import only schema of this module",
		"server/a.go:2: server imports example.com/m/schema/validate: server may import only acp, gen, schema of this module, and not schema/validate",
	}},
	{"tools and go-jsonschema outside tools, tests too", `
-- acp/a.go --
package acp
import "github.com/atombender/go-jsonschema/pkg/generator"
-- acp/a_test.go --
package acp
import "example.com/m/tools/layout"
-- example_test.go --
package m_test
import "example.com/m/tools/acpcheck"
`, []string{
		"acp/a.go:2: acp imports github.com/atombender/go-jsonschema/pkg/generator: only tools may import go-jsonschema",
		"acp/a_test.go:2: acp imports example.com/m/tools/layout: only tools may import tools",
		"example_test.go:2: . imports example.com/m/tools/acpcheck: only tools may import tools",
	}},
	{"a prefix of a name is not its folder", `
-- acp/a.go --
package acp
import "example.com/m/generics"
`, []string{
		"acp/a.go:2: acp imports example.com/m/generics: acp may import only gen, schema of this module",
	}},
}

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

var headerCases = []ruleCase{
	{"a full header, and a string that only looks like one", `
-- gen/acpv1/types_gen.go --
// Code generated by acpgen from schema/v1/schema.json. DO NOT EDIT.
// Source: @agentclientprotocol/sdk@2.4.0, sha256 ` + sum + `

package acpv1
-- tools/acpgen/emit.go --
package main

const header = ` + "`\n// Code generated by acpgen. DO NOT EDIT.\n`" + `
-- tools/acpgen/testdata/bare_gen.go --
package bare
`, nil},
	{"no header", `
-- gen/acpv1/types_gen.go --
package acpv1
`, []string{
		`gen/acpv1/types_gen.go:1: the first line is not "// Code generated by acpgen ... DO NOT EDIT."`,
		"gen/acpv1/types_gen.go:1: the header does not name the source package and its version",
		"gen/acpv1/types_gen.go:1: the header does not name the sha256 of the source",
	}},
	{"provenance below the package clause, and without a version", `
-- gen/acpv1/types_gen.go --
// Code generated by acpgen from @agentclientprotocol/sdk. DO NOT EDIT.

package acpv1

// sha256 ` + sum + `
`, []string{
		"gen/acpv1/types_gen.go:1: the header does not name the source package and its version",
		"gen/acpv1/types_gen.go:1: the header does not name the sha256 of the source",
	}},
	{"another generator's name", `
-- gen/acpv1/types_gen.go --
// Code generated by acpgenerator. DO NOT EDIT.
// @agentclientprotocol/sdk 2.4.0 sha256:` + sum + `

package acpv1
`, []string{`gen/acpv1/types_gen.go:1: the first line is not "// Code generated by acpgen ... DO NOT EDIT."`}},
	{"the marker in a file written by hand", `
-- gen/wire/a.go --
package wire

// Code generated by acpgen. DO NOT EDIT.
`, []string{"gen/wire/a.go:3: a file written by hand says that it is generated"}},
}

var generateLineCases = []ruleCase{
	{"in generate.go", `
-- generate.go --
package m

` + generatePrefix + `go run ./tools/acpgen -surface v1
`, nil},
	{"elsewhere, in a raw string too", `
-- gen/wire/a.go --
package wire

` + generatePrefix + `stringer -type Kind

const doc = ` + "`\n" + generatePrefix + "x`" + `
`, []string{
		"gen/wire/a.go:3: go:generate lines belong into generate.go",
		"gen/wire/a.go:6: go:generate lines belong into generate.go",
	}},
}

var initialismCases = []ruleCase{
	{"right, private or no initialism", `
-- gen/wire/a.go --
package wire

type SessionID struct{ Identifier, Idle, Valid, URIs, URIs, Video string }

var sessionId, Identity, IDs = 1, 2, 3

func UTF8String(userId int) { type Id int }
-- gen/wire/a_test.go --
package wire

func TestSessionId() {}
`, nil},
	{"every kind of declaration", `
-- gen/wire/a.go --
package wire

type SessionId string

const MaxUrl = 1

var JsonText, HTTPSUrl string

func ParseUri() {}

func (s SessionId) ToMcp() {}

type Frame struct {
	MimeType string
	Inner    []struct{ ToolCallId string }
}

type Doer interface{ DoHttp2() }

type frame struct{ ApiKey string }
`, []string{
		"gen/wire/a.go:3: SessionId should be SessionID",
		"gen/wire/a.go:5: MaxUrl should be MaxURL",
		"gen/wire/a.go:7: JsonText should be JSONText",
		"gen/wire/a.go:7: HTTPSUrl should be HTTPSURL",
		"gen/wire/a.go:9: ParseUri should be ParseURI",
		"gen/wire/a.go:11: ToMcp should be ToMCP",
		"gen/wire/a.go:14: MimeType should be MIMEType",
		"gen/wire/a.go:15: ToolCallId should be ToolCallID",
		"gen/wire/a.go:18: DoHttp2 should be DoHTTP2",
		"gen/wire/a.go:20: ApiKey should be APIKey",
	}},
}

var functionLengthCases = []ruleCase{
	{"exactly 100 lines under a doc comment, and a long generated one", `
-- gen/wire/a.go --
package wire

// F is long,
// and so is its comment.
func F() {
` + strings.Repeat("\n", 98) + `}
-- gen/wire/a_gen.go --
package wire

func G() {
` + strings.Repeat("\n", 500) + `}
`, nil},
	{"101 lines in a function, a test's method and a literal", `
-- gen/wire/a.go --
package wire

func F() {
` + strings.Repeat("\n", 99) + `}

var g = func() {
` + strings.Repeat("\n", 99) + `}
-- gen/wire/a_test.go --
package wire

func (t T) M() {
	_ = func() {
` + strings.Repeat("\n", 98) + `
	}
}
`, []string{
		"gen/wire/a.go:3: F has 101 lines, at most 100 are allowed",
		"gen/wire/a.go:105: function literal has 101 lines, at most 100 are allowed",
		"gen/wire/a_test.go:3: M has 103 lines, at most 100 are allowed",
	}},
}

var fileLengthCases = []ruleCase{
	{"exactly 600 lines, and more in tests and generated files", `
-- gen/wire/a.go --
package wire
` + strings.Repeat("\n", 599) + `-- gen/wire/a_test.go --
package wire
` + strings.Repeat("\n", 600) + `-- gen/wire/a_gen.go --
package wire
` + strings.Repeat("\n", 600), nil},
	{"601 lines", `
-- gen/wire/a.go --
package wire
` + strings.Repeat("\n", 600), []string{"gen/wire/a.go:1: 601 lines, at most 600 are allowed"}},
}

var foreignCases = []ruleCase{
	{"relative paths and other hosts", `
-- README.md --
See https://example.com/a` + machinePaths[0] + `b, ./` + `work/x, ${HOME}` + machinePaths[0] + ` and pkg.go.dev.
-- schema/v1/picture.png --
` + "\x00" + machinePaths[1] + `
`, nil},
	{"paths and hosts in any file", fmt.Sprintf(`
-- README.md --
Look into %sx.

Or "%s/y".
-- tools/interop/package-lock.json --
{"resolved": "https://%s/x"}
-- acp/a.go --
package acp

// file://%sx
`, machinePaths[0], machinePaths[2], registryHosts[0], machinePaths[1]), []string{
		"README.md:1: " + machinePaths[0] + " is a path of one machine",
		"README.md:3: " + machinePaths[2] + " is a path of one machine",
		"acp/a.go:3: " + machinePaths[1] + " is a path of one machine",
		"tools/interop/package-lock.json:1: " + registryHosts[0] + " is a registry's host: its client knows it",
	}},
}

var skipCases = []ruleCase{
	{"reasons, and methods of the same name", `
-- gen/wire/a_test.go --
package wire

import "testing"

func TestA(t *testing.T) {
	t.Skip("needs the corpus")
	t.Skipf("needs %s", "the corpus")
	var s scanner
	s.Skip()
}
`, nil},
	{"no reason, in tests, subtests, benchmarks and helpers", `
-- gen/wire/a_test.go --
package wire

import "testing"

func TestA(t *testing.T) {
	t.Skip()
	t.Run("b", func(st *testing.T) { st.SkipNow() })
}

func BenchmarkA(b *testing.B) { b.Skip("") }

func help(tb testing.TB) { tb.Skipf("") }
`, []string{
		"gen/wire/a_test.go:6: t.Skip gives no reason",
		"gen/wire/a_test.go:7: st.SkipNow gives no reason",
		"gen/wire/a_test.go:10: b.Skip gives no reason",
		"gen/wire/a_test.go:12: tb.Skipf gives no reason",
	}},
}
