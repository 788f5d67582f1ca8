package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

// archiveSchemas returns the schemas of all cases in testdata by name.
func archiveSchemas(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	schemas := map[string][]byte{}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			name := filepath.Base(path) + "/" + f.Name
			switch {
			case strings.HasSuffix(f.Name, ".schema.json"):
				schemas[name] = f.Data
			case strings.HasSuffix(f.Name, ".json"):
				schemas[name] = fmt.Appendf(nil, envelope, strings.TrimSpace(string(f.Data))[1:])
			}
		}
	}
	return schemas
}

// tryBuild builds any bytes: what does not load is fine, but an error has a pointer and a model has no holes.
func tryBuild(t *testing.T, data []byte) {
	in, err := load.Load(data)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "#") {
			t.Errorf("load error without a pointer: %v", err)
		}
		return
	}
	s, err := Build(in)
	if (s == nil) != (err != nil) {
		t.Fatalf("schema %v with error %v", s, err)
	}
	if err != nil && !strings.HasPrefix(err.Error(), "#") {
		t.Errorf("error without a pointer: %v", err)
	}
	if s != nil && strings.Contains(Dump(s), "<nil>") {
		t.Errorf("the model of %s has a hole:\n%s", data, Dump(s))
	}
}

// TestBrokenSchemas removes each member and element of each case in turn, and puts other values in its place.
func TestBrokenSchemas(t *testing.T) {
	for name, data := range archiveSchemas(t) {
		if strings.Contains(name, "/bad-") || strings.Contains(name, "/proxy.") {
			continue // large, and an edit away from the others
		}
		t.Run(name, func(t *testing.T) {
			var root any
			if err := json.Unmarshal(data, &root); err != nil {
				t.Fatal(err)
			}
			edit(root, func() {
				broken, err := json.Marshal(root)
				if err != nil {
					t.Fatal(err)
				}
				tryBuild(t, broken)
			})
		})
	}
}

// edit changes one place below v at a time, calls check, and puts the old value back.
func edit(v any, check func()) {
	values := []any{map[string]any{}, []any{map[string]any{}}}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			delete(v, key)
			check()
			for _, x := range values {
				v[key] = x
				check()
			}
			v[key] = old
			edit(old, check)
		}
	case []any:
		for i, old := range v {
			for _, x := range values {
				v[i] = x
				check()
			}
			v[i] = old
			edit(old, check)
		}
	}
}

// FuzzBuild looks for panics and endless loops, starting from the cases of the archives.
func FuzzBuild(f *testing.F) {
	for _, data := range archiveSchemas(f) {
		f.Add(data)
	}
	f.Fuzz(tryBuild)
}
