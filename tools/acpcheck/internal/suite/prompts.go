package suite

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Prompts are what to say to an agent to make it do things, by names that scenarios use. In a prompt, {dir} stands for the session's directory, {file} for a file in
// it, {marker} for a word, and {mode} for a mode's id.
type Prompts struct {
	texts map[string]string
}

//go:embed prompts.yaml
var defaultPrompts []byte

// promptNames are what scenarios use, and what the agent is to do.
var promptNames = map[string]string{
	"text":     "answer with a sentence",
	"marker":   "say {marker}",
	"stream":   "say a lot, in many chunks",
	"slow":     "be busy for at least half a minute",
	"read":     "read {file} through the client",
	"write":    "write {marker} to {file} through the client, after asking for permission if that is its way",
	"run":      "run a command in a terminal of the client",
	"ask":      "ask for permission to do something",
	"plan":     "make a plan",
	"think":    "think aloud",
	"updates":  "send every kind of update",
	"elicit":   "ask the user to fill in a form",
	"mode":     "switch to the mode {mode}",
	"refuse":   "end the turn with the stop reason refusal",
	"fail":     "answer the prompt with an error",
	"tool":     "run a tool and finish it",
	"terminal": "run a command that goes on until it is killed",
}

// DefaultPrompts returns the map for acpagent, whose slash commands do what they say.
func DefaultPrompts() (*Prompts, error) { return ParsePrompts("prompts.yaml", defaultPrompts) }

// ParsePrompts reads a map in YAML: names and their prompts. A name that is left out, or whose prompt is empty, is something that the agent cannot be made to do.
func ParsePrompts(file string, text []byte) (*Prompts, error) {
	p := &Prompts{texts: map[string]string{}}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: the prompt map is empty", file)
	}
	if err := yaml.UnmarshalWithOptions(text, &p.texts, yaml.Strict(), yaml.DisallowUnknownField()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, brief(err))
	}
	for _, name := range slices.Sorted(maps.Keys(p.texts)) {
		if promptNames[name] == "" {
			return nil, fmt.Errorf("%s: unknown prompt %q; the names are %s", file, name, strings.Join(slices.Sorted(maps.Keys(promptNames)), ", "))
		}
	}
	return p, nil
}

// brief returns the first line of a YAML error, which goes on with the source.
func brief(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// PromptHelp lists the names of prompts and what the agent is to do.
func PromptHelp() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(promptNames)) {
		fmt.Fprintf(&b, "  %-9s %s\n", name, promptNames[name])
	}
	return b.String()
}

// prompt returns the prompt of that name. Without one, the scenario is over.
func (s *scene) prompt(name string, values map[string]string) string {
	t := s.prompts.texts[name]
	if t == "" {
		s.skip("the prompt map has no prompt %q", name)
		return ""
	}
	for k, v := range values {
		t = strings.ReplaceAll(t, "{"+k+"}", v)
	}
	return t
}
