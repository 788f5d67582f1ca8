package main

import (
	"flag"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

// TestCIDocument holds CI.md to the program: its YAML is YAML, each workflow is what it says to be, and every command that it shows has flags that there are.
func TestCIDocument(t *testing.T) {
	text, err := os.ReadFile("CI.md")
	if err != nil {
		t.Fatal(err)
	}
	workflows := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		var doc any
		if err := yaml.Unmarshal([]byte(block[1]), &doc); err != nil {
			t.Errorf("%v\n%s", err, block[1])
			continue
		}
		switch {
		case strings.HasPrefix(block[1], "on:"):
			workflows++
			checkWorkflow(t, block[1])
		case strings.HasPrefix(block[1], "read:"):
			if _, err := suite.ParsePrompts("CI.md", []byte(block[1])); err != nil {
				t.Error(err)
			}
		}
	}
	if workflows != 3 {
		t.Errorf("%d workflows, want those for Go, Node and Rust", workflows)
	}
	commands := regexp.MustCompile("acpcheck [a-z][^`\n\"]*").FindAllString(string(text), -1)
	if len(commands) < 12 {
		t.Errorf("%d commands: %q", len(commands), commands)
	}
	for _, line := range commands {
		checkCommand(t, line)
	}
}

// checkWorkflow checks that a workflow installs acpcheck before it runs it.
func checkWorkflow(t *testing.T, text string) {
	t.Helper()
	var w struct {
		On   []string
		Jobs map[string]struct {
			RunsOn string `yaml:"runs-on"`
			Steps  []struct {
				Uses, Run string
				With      map[string]any
			}
		}
	}
	if err := yaml.UnmarshalWithOptions([]byte(text), &w, yaml.Strict()); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if lines := strings.Count(text, "\n"); lines > 13 {
		t.Errorf("a workflow of %d lines", lines)
	}
	for _, job := range w.Jobs {
		var ran []string
		hasGo := false
		for _, step := range job.Steps {
			hasGo = hasGo || strings.HasPrefix(step.Uses, "actions/setup-go@")
			ran = append(ran, step.Run)
		}
		all := strings.Join(ran, "\n")
		installed, tested := strings.Index(all, "go install github.com/acpwire/acpwire/tools/acpcheck@"), strings.Index(all, "\nacpcheck test ")
		if !hasGo || job.RunsOn == "" || installed < 0 || tested < installed {
			t.Errorf("the workflow does not install Go and acpcheck before it tests:\n%s", text)
		}
	}
}

// checkCommand parses the flags of a command line that has no quotes.
func checkCommand(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)[1:]
	for _, end := range []string{">", "#", ";"} {
		if i := slices.Index(words, end); i >= 0 {
			words = words[:i]
		}
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == words[0] })
	if i < 0 {
		if slices.Contains([]string{"in", "could"}, words[0]) {
			return // prose
		}
		t.Errorf("%q: there is no such command", line)
		return
	}
	flags := flag.NewFlagSet(words[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Bool("help", false, "")
	commands[i].declare(flags, streams{})
	if _, err := parse(flags, words[1:]); err != nil {
		t.Errorf("%q: %v", line, err)
	}
}
