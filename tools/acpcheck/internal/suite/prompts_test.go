package suite

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePrompts(t *testing.T) {
	p, err := ParsePrompts("map.yaml", []byte("text: hello\nread: \"\"\nwrite:\nslow: |\n  one\n  two\ncancel/running: count\npermissions/held:\n  write: hold it\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"text": "hello", "read": "", "write": "", "slow": "one\ntwo\n"}, p.texts); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	tests := []struct{ area, scenario, prompt, want, why string }{
		{"prompts", "text", "text", "hello", ""},
		{"cancel", "running", "slow", "count", ""},
		{"cancel", "running", "text", "hello", ""},
		{"cancel", "twice", "slow", "one\ntwo\n", ""},
		{"permissions", "held", "write", "hold it", ""},
		{"prompts", "read", "read", "", `the prompt map has no prompt "read"`},
		{"permissions", "allowed", "write", "", `the prompt map has no prompt "write"`},
	}
	for _, test := range tests {
		t.Run(test.area+"/"+test.scenario+" "+test.prompt, func(t *testing.T) {
			s := &scene{prompts: p, result: &Result{Area: test.area, Name: test.scenario}}
			if got := s.prompt(test.prompt, nil); got != test.want || s.result.Why != test.why {
				t.Errorf("%q %q, want %q %q", got, s.result.Why, test.want, test.why)
			}
		})
	}
}

func TestParsePromptsErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "map.yaml: the prompt map is empty"},
		{"comments", "# nothing\n", "map.yaml: the prompt map is empty"},
		{"unknown name", "text: a\nsing: la\n", `map.yaml:2: unknown prompt "sing"; the names are ask, `},
		{"unknown scenario", "text: a\n\ncancel/sing: la\n", `map.yaml:3: unknown scenario "cancel/sing"; see acpcheck test --list`},
		{"number", "text: 5\n", `map.yaml:1: the prompt "text" is of the type integer, expected text`},
		{"list", "ask: [a]\n", `map.yaml:1: the prompt "ask" is of the type sequence`},
		{"yes", "text: a\nask: true\n", `map.yaml:2: the prompt "ask" is of the type bool`},
		{"mapping for a name", "text:\n  a: b\n", `map.yaml:1: the prompt "text" is of the type mapping`},
		{"top is a list", "- text\n", "map.yaml:1: expected names and prompts"},
		{"top is text", "hello\n", "map.yaml:1: expected names and prompts"},
		{"twice", "text: a\nask: b\ntext: c\n", `map.yaml:3: "text" is there twice`},
		{"no prompt needed", "handshake/version-1: a\n", "map.yaml:1: the scenario handshake/version-1 takes no prompt"},
		{"another prompt", "cancel/running:\n  slow: a\n  plan: b\n", `map.yaml:3: the scenario cancel/running takes no prompt "plan", but slow, text`},
		{"unknown within", "cancel/running:\n  sing: a\n", `map.yaml:2: unknown prompt "sing"`},
		{"number within", "cancel/running:\n  slow: 1.5\n", `map.yaml:2: the prompt "slow" is of the type float`},
		{"two documents", "text: a\n---\ntext: b\n", "map.yaml:3: more than one document"},
		{"not YAML", "text: a\nask: [b\n", "map.yaml:2: "},
		{"a tab", "text: a\n\task: b\n", "map.yaml:2: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if p, err := ParsePrompts("map.yaml", []byte(test.text)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, error %v; want %q", p, err, test.want)
			}
		})
	}
}

// TestPromptMaps reads the maps that come with the program. Each prompt that scenarios use has a name, and each name is used.
func TestPromptMaps(t *testing.T) {
	used := map[string]string{}
	for _, s := range AgentScenarios() {
		for _, name := range s.Prompts {
			used[name] = promptNames[name]
		}
	}
	if diff := cmp.Diff(promptNames, used); diff != "" {
		t.Errorf("names of prompts and their use, mismatch (-want +got):\n%s", diff)
	}
	defaults, err := DefaultPrompts()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(promptNames)), slices.Sorted(maps.Keys(defaults.texts))); diff != "" {
		t.Errorf("prompts for acpagent, mismatch (-want +got):\n%s", diff)
	}
	sample, err := ParsePrompts("sample.yaml", []byte(SamplePrompts()))
	if err != nil {
		t.Fatal(err)
	}
	for name := range promptNames {
		if sample.texts[name] == "" && !strings.Contains(SamplePrompts(), "# "+name+": ") {
			t.Errorf("the sample does not show %s", name)
		}
	}
}
