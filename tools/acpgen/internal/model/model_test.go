package model

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// envelope makes a whole schema of definitions: a root with a list that adds no method.
const envelope = `{"anyOf": [{"title": "ProtocolLevel", "type": "object", "properties": {"jsonrpc": {}, "method": {}, "params": {"anyOf": [
	{"anyOf": [{"$ref": "#/$defs/ExtNotification"}]}, {"type": "null"}]}}}], "$defs": {"ExtNotification": {}, %s}`

// TestShapes reads the archives in testdata. Each holds cases: NAME.json has the definitions, or NAME.schema.json the whole schema, and
// NAME.txt the dump of the model, or one line for each error. A case named bad-* must have errors, any other must have none.
func TestShapes(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { testArchive(t, path) })
	}
}

func testArchive(t *testing.T, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".json")
		if !ok {
			continue
		}
		name, whole := strings.CutSuffix(name, ".schema")
		var got string
		t.Run(name, func(t *testing.T) {
			data := f.Data
			if !whole {
				data = fmt.Appendf(nil, envelope, strings.TrimSpace(string(f.Data))[1:])
			}
			got = render(t, data, strings.HasPrefix(name, "bad-"))
			if diff := cmp.Diff(want[name+".txt"], got); diff != "" && !*update {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
		out.Files = append(out.Files, f, txtar.File{Name: name + ".txt", Data: []byte(got)})
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// render builds a schema and returns its dump or its errors.
func render(t *testing.T, data []byte, bad bool) string {
	t.Helper()
	in, err := load.Load(data)
	if err != nil {
		t.Fatalf("the case does not load: %v", err)
	}
	s, err := Build(in)
	switch {
	case bad && err == nil:
		t.Fatalf("no error, but the model\n%s", Dump(s))
	case !bad && err != nil:
		t.Fatal(err)
	case bad:
		return err.Error() + "\n"
	}
	return Dump(s)
}
