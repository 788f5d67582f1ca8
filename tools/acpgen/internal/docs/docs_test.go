package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeDocs(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPages(t *testing.T) {
	dir := writeDocs(t, map[string]string{
		"a.yaml": "page: first\ntypes:\n  A: {doc: is a.}\n  B: {doc: is b., page: own}\nmethods:\n  a/b: {doc: does it.}\n",
		"b.yaml": "types:\n  C: {doc: is c.}\nmethods:\n  c/d: {doc: does it too., page: other}\n",
	})
	s, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, def := range []string{"A", "B", "C"} {
		text, page := s.Type(def)
		got[def] = [2]string{text, page}
	}
	for _, method := range []string{"a/b", "c/d"} {
		text, page := s.Method(method)
		got[method] = [2]string{text, page}
	}
	want := map[string][2]string{"A": {"is a.", "first"}, "B": {"is b.", "own"}, "C": {"is c.", ""}, "a/b": {"does it.", "first"}, "c/d": {"does it too.", "other"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, want string
		files      map[string]string
	}{
		{"no file", "no doc texts in", nil},
		{"type twice", "b.yaml: type A is documented twice", map[string]string{"a.yaml": "types: {A: {doc: is a.}}", "b.yaml": "types: {A: {doc: is a.}}"}},
		{"method twice", "b.yaml: method a is documented twice", map[string]string{"a.yaml": "methods: {a: {doc: does.}}", "b.yaml": "methods: {a: {doc: does.}}"}},
		{"key twice", "a.yaml: ", map[string]string{"a.yaml": "types:\n  A: {doc: is a.}\n  A: {doc: is a.}\n"}},
		{"unknown key", `a.yaml: [1:1] unknown field "pages"`, map[string]string{"a.yaml": "pages: a\n"}},
		{"wrong kind", "a.yaml: ", map[string]string{"a.yaml": "types: [A]\n"}},
		{"no YAML", "a.yaml: ", map[string]string{"a.yaml": "types: {\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(writeDocs(t, tt.files))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestNoTexts checks that a set without texts misses nothing and has a stand-in for everything.
func TestNoTexts(t *testing.T) {
	s, err := Read("")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := s.Type("A")
	method, _ := s.Method("a/b")
	for _, stand := range []string{text, method, s.Value("A", "v"), s.VariantType("A", "v")} {
		if !sentence.MatchString(stand) {
			t.Errorf("the stand-in %q is no sentence without its subject", stand)
		}
	}
	if s.Field("A", "f") != "" || s.Variant("A", "v") != "" {
		t.Error("a text that may be missing has a stand-in")
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// sentence matches texts that read well behind a Go name: a verb first, a full stop last.
var sentence = regexp.MustCompile(`^[a-z][a-z]* .*[^ .]\.$`)

// TestTexts holds the texts in the tree to one form, since the generator puts names before them and facts behind them.
func TestTexts(t *testing.T) {
	s, err := Read("../../docs/v1")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	check := func(where, text string) {
		seen++
		if !sentence.MatchString(text) || strings.Contains(text, "  ") || strings.Contains(text, "\n") {
			t.Errorf("the text of %s is no sentence without its subject: %q", where, text)
		}
	}
	for name, typ := range s.types {
		check(name, typ.Doc)
		for _, parts := range []map[string]string{typ.Fields, typ.Values, typ.Variants} {
			for part, text := range parts {
				check(name+"."+part, text)
			}
		}
		if typ.Page == "" {
			t.Errorf("type %s has no page", name)
		}
	}
	for name, m := range s.methods {
		check(name, m.Doc)
		if m.Page == "" {
			t.Errorf("method %s has no page", name)
		}
	}
	if seen < 300 {
		t.Errorf("only %d texts were seen", seen)
	}
}
