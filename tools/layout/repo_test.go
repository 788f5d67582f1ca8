package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	files := map[string]string{
		"go.mod":                   goMod,
		".gitignore":               "*.out\n",
		".bin/tool.out":            "binary",
		"acp/conn.go":              "package acp\n",
		"acp/cpu.out":              "profile",
		"acp/testdata/broken.go":   "package (\n",
		"tools/node_modules/x.js":  "",
		"tools/interop/client.mjs": "",
	}
	tracked := []string{".gitignore", "acp/conn.go", "acp/testdata/broken.go", "go.mod", "tools/interop/client.mjs"}
	tests := []struct {
		name string
		git  bool
		want []string
	}{
		{"git work tree", true, tracked},
		{"no work tree", false, []string{
			".bin/tool.out", ".gitignore", "acp/conn.go", "acp/cpu.out", "acp/testdata/broken.go", "go.mod", "tools/interop/client.mjs",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := writeTree(t, files)
			if tt.git {
				initGit(t, root)
			}
			repo, err := Load(root)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range repo.Files {
				got = append(got, f.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if repo.Module != "example.com/m" {
				t.Errorf("Module = %q", repo.Module)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no module", map[string]string{"README.md": ""}, "go.mod: no module line"},
		{"Go source that does not parse", map[string]string{"go.mod": goMod, "a.go": "package (\n"}, "a.go:1:9: expected 'IDENT', found '('"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(writeTree(t, tt.files))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGenerateCommands(t *testing.T) {
	tests := []struct {
		name    string
		tree    string
		want    [][]string
		wantErr string
	}{
		{"two lines", `
-- generate.go --
// Package m is generated.
//
` + generatePrefix + `go run ./tools/acpgen  -surface v1
` + generatePrefix + `go run ./tools/acpgen -surface v2
package m
`, [][]string{
			{"go", "run", "./tools/acpgen", "-surface", "v1"},
			{"go", "run", "./tools/acpgen", "-surface", "v2"},
		}, ""},
		{"none", "-- generate.go --\npackage m\n", nil, "generate.go: no go:generate line"},
		{"no file", "", nil, "generate.go: no go:generate line"},
		{"variable", "-- generate.go --\npackage m\n\n" + generatePrefix + "acpgen $GOFILE\n", nil,
			"generate.go:3: quoting and variables are not supported: acpgen $GOFILE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := GenerateCommands(parse(t, tt.tree))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			gotErr := ""
			if err != nil {
				gotErr = err.Error()
			}
			if diff := cmp.Diff(tt.wantErr, gotErr); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func initGit(t *testing.T, root string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if out, err := exec.Command("git", "init", "--quiet", root).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
}
