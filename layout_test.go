package acpwire_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/tools/layout"
)

// TestLayout holds this tree to the rules of package layout, where each is shown to fail when broken.
func TestLayout(t *testing.T) {
	repo := loadRepo(t)
	for _, rule := range layout.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			findings := rule.Check(repo)
			for _, f := range findings {
				t.Error(f)
			}
			if len(findings) > 0 {
				t.Log("the rule: " + rule.Doc)
			}
		})
	}
}

// TestGenerationUpToDate runs each go:generate command with -check added, which writes nothing and fails if a
// generated file differs from what would be written.
func TestGenerationUpToDate(t *testing.T) {
	commands, err := layout.GenerateCommands(loadRepo(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), command[0], append(slices.Clone(command[1:]), "-check")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v; run make generate\n%s", err, out)
			}
		})
	}
}

// TestCIRunsDocumentedCommand keeps CI on what the README tells a newcomer to run.
func TestCIRunsDocumentedCommand(t *testing.T) {
	const documented = "make all"
	for _, name := range []string{".ci/run", "README.md"} {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := slices.Collect(strings.Lines(string(src)))
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == documented }) {
				t.Errorf("no line is %q", documented)
			}
		})
	}
}

func loadRepo(t *testing.T) *layout.Repo {
	t.Helper()
	repo, err := layout.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	return repo
}
