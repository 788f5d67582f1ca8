package mutate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPath(t *testing.T) {
	s := load(t, "v1")
	root, err := Parse([]byte(`{"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"","text":""}}],"_meta":{"a/b":{"~":[1]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		pointer string
		want    []string // pointers of the steps
		def     string   // that the last place is of, or empty
	}{
		{"", []string{""}, "PromptRequest"},
		{"/sessionId", []string{"", "/sessionId"}, "SessionId"},
		{"/prompt/0", []string{"", "/prompt", "/prompt/0"}, "ContentBlock"},
		{"/prompt/0/resource", []string{"", "/prompt", "/prompt/0", "/prompt/0/resource"}, "EmbeddedResourceResource"},
		{"/prompt/1/x", []string{"", "/prompt"}, ""},
		{"/prompt/x", []string{"", "/prompt"}, ""},
		{"/nope", []string{""}, "PromptRequest"},
		{"/_meta/a~1b/~0/0", []string{"", "/_meta", "/_meta/a~1b", "/_meta/a~1b/~0", "/_meta/a~1b/~0/0"}, ""},
	}
	for _, test := range tests {
		t.Run(test.pointer, func(t *testing.T) {
			path := s.Path("PromptRequest", root, test.pointer)
			var got []string
			for _, step := range path {
				got = append(got, step.Pointer)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if last := path[len(path)-1].Place; test.def != "" && !last.Is(test.def) {
				t.Errorf("the last place is no %s", test.def)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	s := load(t, "v1")
	block := s.Place("ContentBlock")
	for _, def := range []string{"ContentBlock", "TextContent", "EmbeddedResource"} {
		if !block.Is(def) {
			t.Errorf("a content block is no %s", def)
		}
	}
	if block.Is("ToolCall") {
		t.Error("a content block is a ToolCall")
	}
	if diff := cmp.Diff([]string{"type"}, block.Tags()); diff != "" {
		t.Errorf("tags: mismatch (-want +got):\n%s", diff)
	}
	if got := s.Place("PlanEntry").Tags(); got != nil {
		t.Errorf("a plan entry has the tags %q, want none: its status is an enum", got)
	}
	if size := block.Member("size"); !size.Admits("integer") || size.Admits("number") {
		t.Error("the size of a resource link should admit integers and no other numbers")
	}
	if cost := s.Place("Cost").Member("amount"); !cost.Admits("number") {
		t.Error("an amount should admit numbers")
	}
	var none *Place
	if s.Place("Nope") != nil || none.Is("ContentBlock") || none.Admits("string") || none.Tags() != nil || none.Member("a") != nil || none.Item() != nil {
		t.Error("no place should be no place of anything")
	}
	if small, large := s.Size("LogoutRequest"), s.Size("SessionNotification"); small < 2 || large < 10*small {
		t.Errorf("sizes %d and %d of a logout request and a session notification, want a great difference", small, large)
	}
}

// TestRecursive shows that places and instances of a schema that contains itself end.
func TestRecursive(t *testing.T) {
	s, err := Read([]byte(`{"$defs": {"Tree": {"type": "object", "required": ["children"], "properties": {
		"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}, "name": {"type": "string", "minLength": 70, "maxLength": 70}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Place("Tree")
	if child := p.Member("children").Item(); !child.Is("Tree") {
		t.Error("the element of a tree's children is no tree")
	}
	m := newMutator(s, 1)
	for range 300 {
		m.Instance("Tree")
	}
}
