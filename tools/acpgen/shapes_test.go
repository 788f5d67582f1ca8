package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShapes generates a package for each archive in testdata/shapes and compares it with the parts that the archive shows: the file unions.go is
// unions_gen.go without its header and imports, and so on. All of the package has to be Go.
func TestShapes(t *testing.T) {
	for _, a := range archives(t, "shapes") {
		t.Run(a.name, func(t *testing.T) {
			_, files, err := generateSource(t, packageName(a), a.source())
			if err != nil {
				t.Fatal(err)
			}
			typeCheck(t, a.name, files)
			shown := 0
			for _, f := range a.Files {
				part, ok := strings.CutSuffix(f.Name, ".go")
				if !ok {
					continue
				}
				shown++
				src := files[part+"_gen.go"]
				if src == nil {
					t.Fatalf("there is no %s_gen.go", part)
				}
				got := body(src)
				if diff := cmp.Diff(string(f.Data), string(got)); diff != "" && !*update {
					t.Errorf("%s mismatch (-want +got):\n%s", f.Name, diff)
				}
				a.set(f.Name, got)
			}
			if shown == 0 {
				t.Error("the archive shows no generated file")
			}
			if *update && !t.Failed() {
				a.save(t)
			}
		})
	}
}

func packageName(a *archive) string { return strings.ReplaceAll(a.name, "-", "") }
