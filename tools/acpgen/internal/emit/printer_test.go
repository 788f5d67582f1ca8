package emit

import (
	"go/format"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDoc(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 40))
	tests := []struct {
		name       string
		paragraphs []string
		want       string
	}{
		{"one", []string{"X is short."}, "// X is short.\n"},
		{"empty ones are left out", []string{"", "X is short.", "", "More."}, "// X is short.\n//\n// More.\n"},
		{"wrapped", []string{"X " + long}, "// X " + strings.Repeat("word ", 22) + "word\n// " + strings.Repeat("word ", 16) + "word\n"},
		{
			"list", []string{"It is one of:", "  - [*A] is a.", "  - [*B] is b.", "End."},
			"// It is one of:\n//\n//   - [*A] is a.\n//   - [*B] is b.\n//\n// End.\n",
		},
		{
			"wrapped item", []string{"It is one of:", "  - [*A] " + long},
			"// It is one of:\n//\n//   - [*A] " + strings.Repeat("word ", 20) + "word\n//     " + strings.Repeat("word ", 18) + "word\n",
		},
		{"link on its own line", []string{"X is short.", "https://example.com/page"}, "// X is short.\n//\n// https://example.com/page\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPrinter()
			p.Doc(tt.paragraphs...)
			p.P("type X int")
			src, err := format.Source(append([]byte("package p\n\n"), p.Bytes()...))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSuffix(strings.TrimPrefix(string(src), "package p\n\n"), "type X int\n")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			for line := range strings.Lines(got) {
				if len(line) > lineLength+len("// \n") {
					t.Errorf("a line of %d characters: %s", len(line), line)
				}
			}
		})
	}
}

func TestImports(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"nothing", "type X int\n", nil},
		{"one", "func f(d *wire.Decoder) {}\n", []string{wirePath}},
		{"only a comment", "// f is like wire.Decode and json.Unmarshal.\nfunc f() {}\n\t// context.Context\n", nil},
		{"all", "func f(ctx context.Context, m json.Marshaler) wire.Raw { return nil }\n", []string{"context", "encoding/json", wirePath}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, imports([]byte(tt.body))); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPhrases(t *testing.T) {
	tests := []struct{ got, want string }{
		{alternatives(nil), ""},
		{alternatives([]string{"a"}), "a"},
		{alternatives([]string{"a", "b"}), "a or b"},
		{alternatives([]string{"a", "b", "c"}), "a, b or c"},
		{atLeast(1, "item"), "at least 1 item"},
		{atLeast(2, "item"), "at least 2 items"},
		{indefinite("agent"), "an agent"},
		{indefinite("client"), "a client"},
		{quoteAll([]string{"a", "b"}), `"a" and "b"`},
		{quoted([]string{"a", `b"`}), `"a", "b\""`},
		{elemName("map[string][]wire.Raw"), "MapOfListOfRaw"},
		{elemName("float64"), "Float64"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
