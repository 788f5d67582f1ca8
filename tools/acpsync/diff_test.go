package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffFiles(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	before := writeFile(t, filepath.Join(dir, "old.json"), []byte(`{"$defs": {
		"StopReason": {"description": "old words", "enum": ["done", "tired"]},
		"Size": {"type": "object", "properties": {"maxBytes": {"type": "integer", "maximum": 10}}}}}`))
	after := writeFile(t, filepath.Join(dir, "new.json"), []byte(`{"$defs": {
		"Size": {"type": "object", "properties": {"maxBytes": {"type": ["integer", "null"], "maximum": 9}}},
		"StopReason": {"description": "new words", "enum": ["done"]}}}`))
	stdout, _ := mustRun(t, 1, "diff", before, after)
	want := before + " -> " + after + `

Size
  ~ .maxBytes nullability: integer -> integer|null [loosened] (Go: Size.MaxBytes)
  ~ .maxBytes range maximum: 10 -> 9 [tightened] (Go: Size.MaxBytes)

StopReason
  - enum value "tired" [tightened] (Go: StopReason)

2 tightened, 1 loosened
`
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	stdout, _ = mustRun(t, 0, "diff", before, before)
	if diff := cmp.Diff(before+" -> "+before+"\n  no difference\n", stdout); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestDiffJSON(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	before := writeFile(t, filepath.Join(dir, "old.json"), []byte(`{"$defs": {"A": {"type": "string", "maxLength": 3}}}`))
	after := writeFile(t, filepath.Join(dir, "new.json"), []byte(`{"$defs": {"A": {"type": "string", "maxLength": 4}}}`))
	// Flags are found after the arguments as well.
	stdout, _ := mustRun(t, 1, "diff", before, after, "--format", "json")
	var got any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"old": before, "new": after,
		"surfaces": []any{map[string]any{
			"summary": map[string]any{"loosened": 1.0},
			"changes": []any{map[string]any{
				"definition": "A", "go": "A", "subject": "length", "name": "maxLength", "action": "changed", "effect": "loosened",
				"class": "loosened", "old": "3", "new": "4", "pointer": "#/$defs/A",
			}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	stdout, _ = mustRun(t, 0, "diff", "--format=json", before, before)
	if !strings.Contains(stdout, `"changes": []`) {
		t.Errorf("no changes are not an empty list:\n%s", stdout)
	}
}

func TestDiffVersions(t *testing.T) {
	dir := t.TempDir()
	older := packageFile(t, "1.2.3", upstreamV1)
	mustRun(t, 0, "fetch", "--dir", dir, "--tarball", older)
	newer := packageFile(t, "1.3.0", `{"title": "v1", "$defs": {"Name": {"type": "string", "minLength": 1}}}`)

	withoutNPM(t)
	stdout, _ := mustRun(t, 1, "diff", "--dir", dir, "1.2.3", newer)
	want := `v1: 1.2.3 -> ` + newer + `

Name
  + length minLength: 1 [tightened] (Go: Name)

1 tightened

v1-unstable: 1.2.3 -> ` + newer + `
  no difference

v2: 1.2.3 -> ` + newer + `
  no difference

v2-unstable: 1.2.3 -> ` + newer + `
  no difference
`
	if diff := cmp.Diff(want, stdout); diff != "" {
		t.Errorf("the pinned version is read from the directory: mismatch (-want +got):\n%s", diff)
	}
	mustRun(t, 0, "diff", "--dir", dir, "1.2.3", older)
	mustRun(t, 0, "diff", "--dir", dir, "--surface", "v2", "1.2.3", newer)
	mustRun(t, 0, "diff", "--dir", dir, "1.2.3", filepath.Join(dir, "v1", "schema.json"))
	mustRun(t, 1, "diff", "--dir", dir, "--surface", "v2", "1.2.3", filepath.Join(dir, "v1", "schema.json"))

	withNPM(t, newer)
	stdout, stderr := mustRun(t, 1, "diff", "--dir", dir, "--surface", "v1", "1.2.3", "1.3.0")
	if !strings.Contains(stdout, "minLength") || stderr != "downloading @agentclientprotocol/sdk 1.3.0\n" {
		t.Errorf("another version is not downloaded:\n%s%s", stdout, stderr)
	}

	// An edited schema is not the pinned version, so that version is downloaded and its integrity checked.
	name := filepath.Join(dir, "v1", "schema.json")
	writeFile(t, name, []byte("{}"))
	if _, stderr = mustRun(t, 2, "diff", "--dir", dir, "1.2.3", newer); !strings.Contains(stderr, "integrity mismatch") {
		t.Errorf("error %q is about something else", stderr)
	}
}

func TestDiffSurfaceOnOneSide(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	full := packageFile(t, "1.2.3", upstreamV1)
	partial := partialPackage(t, "1.1.0", "v2-unstable")
	stdout, _ := mustRun(t, 1, "diff", "--dir", dir, partial, full)
	if strings.Count(stdout, "the old side has no such surface") != 3 || strings.Count(stdout, "no difference") != 1 {
		t.Errorf("output:\n%s", stdout)
	}
	stdout, _ = mustRun(t, 1, "diff", "--dir", dir, "--surface", "v1", full, partial)
	if !strings.Contains(stdout, "the new side has no such surface") {
		t.Errorf("output:\n%s", stdout)
	}
	_, stderr := mustRun(t, 2, "diff", "--dir", dir, "--surface", "v1", partial, partial)
	if !strings.Contains(stderr, "neither side has a schema") {
		t.Errorf("error %q is about something else", stderr)
	}
}

// The report for the surfaces the project has must name what the unstable one adds.
func TestDiffCommitted(t *testing.T) {
	withoutNPM(t)
	stdout, _ := mustRun(t, 1, "diff", filepath.Join(repoSchema, "v1", "schema.json"), filepath.Join(repoSchema, "v1", "unstable.json"))
	for _, want := range []string{
		"  + method agent session/fork: ForkSessionRequest, ForkSessionResponse\n",
		"  + method agent providers/list: ",
		"  + ForkSessionRequest: object (Go: ForkSessionRequest)\n",
		"  + variant type=\"acp\": McpServerAcp [loosened] (Go: MCPServer)\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	again, _ := mustRun(t, 1, "diff", filepath.Join(repoSchema, "v1", "schema.json"), filepath.Join(repoSchema, "v1", "unstable.json"))
	if diff := cmp.Diff(stdout, again); diff != "" {
		t.Errorf("the second run prints something else (-want +got):\n%s", diff)
	}
	p, err := readPin(repoSchema)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, "diff", "--dir", repoSchema, p.version, p.version)
}

func TestDiffErrors(t *testing.T) {
	withoutNPM(t)
	dir := t.TempDir()
	good := writeFile(t, filepath.Join(dir, "good.json"), []byte(`{}`))
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"one argument", "diff: 2 arguments expected, 1 given", []string{good}},
		{"three arguments", "diff: 2 arguments expected, 3 given", []string{good, good, good}},
		{"no such file", "neither an exact version nor a file", []string{good, filepath.Join(dir, "none.json")}},
		{"a directory", "not a regular file", []string{dir, good}},
		{"unknown surface", `unknown surface "v3"`, []string{"--surface", "v3", good, good}},
		{"unknown format", `unknown format "yaml"`, []string{"--format", "yaml", good, good}},
		{"unknown flag", "flag provided but not defined: -colour", []string{"--colour", good, good}},
		{"not JSON", "bad.json: line 2: #: unexpected EOF", []string{good, writeFile(t, filepath.Join(dir, "bad.json"), []byte("{\n"))}},
		{"unknown keyword", "odd.json: line 1: #/foo: unknown keyword", []string{writeFile(t, filepath.Join(dir, "odd.json"), []byte(`{"foo": 1}`)), good}},
		{"a tarball that is none", "bad tarball", []string{good, writeFile(t, filepath.Join(dir, "bad.tgz"), []byte("x"))}},
		{"a version without npm", "executable file not found", []string{"9.9.9", good}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr := mustRun(t, 2, append([]string{"diff", "--dir", dir}, tt.args...)...)
			if !strings.Contains(stderr, tt.want) || stdout != "" {
				t.Errorf("error %q does not contain %q; output %q", stderr, tt.want, stdout)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "v1")); err == nil {
		t.Error("diff has written")
	}
}
