package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestErrors reads the archives in testdata/errors. Each holds cases: NAME.json has the definitions, NAME.overlay.yaml and NAME.docs.yaml what goes with
// them, and NAME.txt one line for each error.
func TestErrors(t *testing.T) {
	for _, a := range archives(t, "errors") {
		t.Run(a.name, func(t *testing.T) { testErrors(t, a) })
	}
}

func testErrors(t *testing.T, a *archive) {
	var out []txtar.File
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".json")
		if !ok {
			continue
		}
		s := source{f.Data, a.file(name + ".overlay.yaml"), a.file(name + ".docs.yaml")}
		var got string
		t.Run(name, func(t *testing.T) {
			got = errorText(t, s)
			if diff := cmp.Diff(string(a.file(name+".txt")), got); diff != "" && !*update {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
		out = append(out, f)
		for suffix, data := range map[string][]byte{".overlay.yaml": s.overlay, ".docs.yaml": s.docs} {
			if data != nil {
				out = append(out, txtar.File{Name: name + suffix, Data: data})
			}
		}
		out = append(out, txtar.File{Name: name + ".txt", Data: []byte(got)})
	}
	if *update && !t.Failed() {
		a.Files = out
		a.save(t)
	}
}

// place matches what an error has to begin with: a pointer into the schema, the overlay, a text, or the file of either.
var place = regexp.MustCompile(`^(#/|overlay: |docs: |overlay\.yaml: |docs\.yaml: )`)

// errorText returns the errors without the directory that the test made. There has to be one, and each has to say where.
func errorText(t *testing.T, s source) string {
	t.Helper()
	_, _, err := generateSource(t, "example", s)
	if err == nil {
		t.Fatal("no error")
	}
	dirs := regexp.MustCompile(`\S*` + regexp.QuoteMeta(string(filepath.Separator)) + `(overlay|docs)\.yaml:`)
	text := dirs.ReplaceAllString(err.Error(), "$1.yaml:") + "\n"
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if strings.HasPrefix(text, "docs.yaml: [") || strings.HasPrefix(text, "overlay.yaml: [") {
		lines = lines[:1] // the YAML parser shows the lines around its error
	}
	for _, line := range lines {
		if !place.MatchString(line) {
			t.Errorf("the error does not say where: %s", line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestWidth checks the bound on a struct's members: its own, those of its widest variant, and the tag.
func TestWidth(t *testing.T) {
	object := func(name string, members int, more string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `%q: {"type": "object", "properties": {`, name)
		for i := range members {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `"%s%d": {}`, strings.ToLower(name), i)
		}
		return b.String() + "}" + more + "}"
	}
	const union = `, "oneOf": [{"type": "object", "allOf": [{"$ref": "#/$defs/Part"}], "properties": {"type": {"type": "string", "const": "a"}}, "required": ["type"]},
		{"type": "object", "properties": {"type": {"type": "string", "const": "b"}}, "required": ["type"]}]`
	tests := []struct {
		name, schema, want string
	}{
		{"60 members", "{" + object("Whole", 60, "") + "}", ""},
		{"61 members", "{" + object("Whole", 61, "") + "}", "#/$defs/Whole: not supported: struct Whole has 61 members with those of its variants, more than the 60 that a decoder can note"},
		{"with a later variant", "{" + object("Whole", 20, union) + ", " + object("Part", 39, "") + "}", ""},
		{"with a later variant too many", "{" + object("Whole", 20, union) + ", " + object("Part", 40, "") + "}", "#/$defs/Whole: not supported: struct Whole has 61 members with those of its variants, more than the 60 that a decoder can note"},
		{"with an earlier variant too many", "{" + object("Part", 40, "") + ", " + object("Whole", 20, union) + "}", "#/$defs/Whole: not supported: struct Whole has 61 members with those of its variants, more than the 60 that a decoder can note"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, files, err := generateSource(t, "example", source{schema: []byte(tt.schema)})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Fatalf("error %q, want %q", got, tt.want)
			}
			if err == nil {
				typeCheck(t, "example", files)
			}
		})
	}
}
