package suite

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Prompts are what to say to an agent to make it do things, by names that scenarios use, and by scenarios that need their own. In a prompt, {dir} stands for the
// session's directory, {file} for a file in it, {marker} for a word, and {mode} for a mode's id.
type Prompts struct {
	texts     map[string]string
	scenarios map[string]map[string]string // by the ids of scenarios, and names
}

//go:embed prompts.yaml
var defaultPrompts []byte

//go:embed sample.yaml
var samplePrompts string

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

// SamplePrompts returns a map, in YAML, for an agent with a model.
func SamplePrompts() string { return samplePrompts }

// ParsePrompts reads a map in YAML: names and their prompts, and ids of scenarios with the prompt, or the map of names and prompts, that is for them alone. A name that
// is left out, or whose prompt is empty, is something that the agent cannot be made to do. Errors name the file and the line.
func ParsePrompts(file string, text []byte) (*Prompts, error) {
	p := &Prompts{texts: map[string]string{}, scenarios: map[string]map[string]string{}}
	doc, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if syntax := (yaml.Error)(nil); errors.As(err, &syntax) {
			return nil, fmt.Errorf("%s:%d: %s", file, syntax.GetToken().Position.Line, syntax.GetMessage())
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var body ast.Node
	for _, d := range doc.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			if body != nil {
				return nil, fmt.Errorf("%s:%d: more than one document", file, line(d.Body))
			}
			body = d.Body
		}
	}
	if body == nil {
		return nil, fmt.Errorf("%s: the prompt map is empty", file)
	}
	if err := p.read(body); err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	return p, nil
}

// An entryError is wrong in a line.
type entryError struct {
	line int
	err  error
}

func (e *entryError) Error() string { return fmt.Sprintf("%d: %v", e.line, e.err) }

func (e *entryError) Unwrap() error { return e.err }

// read reads the map. Its errors begin with the line.
func (p *Prompts) read(body ast.Node) error {
	scenarios := AgentScenarios()
	return eachEntry(body, func(key string, value ast.Node) error {
		if !strings.Contains(key, "/") {
			return setPrompt(p.texts, key, value)
		}
		i := slices.IndexFunc(scenarios, func(s Scenario) bool { return s.ID() == key })
		switch {
		case i < 0:
			return fmt.Errorf("unknown scenario %q; see acpcheck test --list", key)
		case len(scenarios[i].Prompts) == 0:
			return fmt.Errorf("the scenario %s takes no prompt", key)
		}
		own := map[string]string{}
		p.scenarios[key] = own
		if value.Type() != ast.MappingType {
			return setPrompt(own, scenarios[i].Prompts[0], value)
		}
		return eachEntry(value, func(name string, value ast.Node) error {
			if promptNames[name] != "" && !slices.Contains(scenarios[i].Prompts, name) {
				return fmt.Errorf("the scenario %s takes no prompt %q, but %s", key, name, strings.Join(scenarios[i].Prompts, ", "))
			}
			return setPrompt(own, name, value)
		})
	})
}

// eachEntry calls a function with each key of a mapping and its value. Its errors begin with the line.
func eachEntry(node ast.Node, entry func(key string, value ast.Node) error) error {
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return &entryError{line(node), fmt.Errorf("expected names and prompts, but this is %s", kind(node))}
	}
	seen := map[string]bool{}
	for _, v := range mapping.Values {
		key, ok := stringOf(v.Key)
		switch {
		case !ok:
			return &entryError{line(v.Key), fmt.Errorf("expected a name, but this is %s", kind(v.Key))}
		case seen[key]:
			return &entryError{line(v.Key), fmt.Errorf("%q is there twice", key)}
		}
		seen[key] = true
		if err := entry(key, v.Value); err != nil {
			if within := (*entryError)(nil); errors.As(err, &within) {
				return err
			}
			return &entryError{line(v.Key), err}
		}
	}
	return nil
}

func setPrompt(into map[string]string, name string, value ast.Node) error {
	if promptNames[name] == "" {
		return fmt.Errorf("unknown prompt %q; the names are %s", name, strings.Join(slices.Sorted(maps.Keys(promptNames)), ", "))
	}
	text, ok := stringOf(value)
	if !ok && value.Type() != ast.NullType {
		return fmt.Errorf("the prompt %q is %s, expected text; quotes make it text", name, kind(value))
	}
	into[name] = text
	return nil
}

// stringOf returns the text of a node that is one.
func stringOf(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func line(node ast.Node) int { return node.GetToken().Position.Line }

func kind(node ast.Node) string { return "of the type " + strings.ToLower(node.Type().String()) }

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
	t, ok := s.prompts.scenarios[s.result.ID()][name]
	if !ok {
		t = s.prompts.texts[name]
	}
	if t == "" {
		s.skip("the prompt map has no prompt %q", name)
		return ""
	}
	var places []string
	for k, v := range values {
		places = append(places, "{"+k+"}", v)
	}
	return strings.NewReplacer(places...).Replace(t)
}
