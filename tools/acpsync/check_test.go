package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckFindsEveryEdit(t *testing.T) {
	withoutNPM(t)
	tarball := packageFile(t, "1.2.3", upstreamV1)
	for _, tt := range []struct {
		name, file string
		edit       func(string) string
		want       string // after the file name
	}{
		{"a changed value", "v1/schema.json", replace(`"string"`, `"number"`), `:5: at #/$defs/Name/type: "string" expected, "number" found`},
		{"a renamed key", "v1/schema.json", replace(`"Name"`, `"Mane"`), `:4: at #/$defs: member "Name" expected, "Mane" found`},
		{"an added key", "v1/schema.json", replace(`"type": "string"`, `"type": "string", "x": 1`), `:5: at #/$defs/Name: 1 members expected, 2 found`},
		{"another kind of value", "v1/schema.json", replace(`"v1"`, `["v1"]`), `:2: at #/title: "v1" expected, an array found`},
		{"layout", "v1/schema.json", replace("\n  \"title\"", "\n \"title\""), `:2: only the layout differs: "  \"title\": \"v1\"," expected, " \"title\": \"v1\"," found`},
		{"a newline less", "v1/schema.json", func(s string) string { return strings.TrimSuffix(s, "\n") }, `:9: only the layout differs: "" expected, the end found`},
		{"truncation", "v1/schema.json", func(s string) string { return s[:20] }, `:3: not JSON: line 3: #: unexpected EOF`},
		{"a hash", "v2/source.json", replace(`"sha256": "`, `"sha256": "0`), ``},
		{"the other surface", "v2/unstable.json", replace("v2-unstable", "v3"), `:2: at #/title: "v2-unstable" expected, "v3" found`},
		{"a missing file", "v2/schema.json", nil, `: missing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			mustRun(t, 0, "fetch", "--dir", dir, "--tarball", tarball)
			name := filepath.Join(dir, filepath.FromSlash(tt.file))
			text := tree(t, dir)[tt.file]
			if tt.edit == nil {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			} else {
				edited := tt.edit(text)
				if edited == text {
					t.Fatal("the edit changes nothing")
				}
				writeFile(t, name, []byte(edited))
			}
			before := tree(t, dir)
			stdout, _ := mustRun(t, 1, "check", "--dir", dir, "--tarball", tarball)
			if !strings.HasPrefix(stdout, name+tt.want) || strings.Count(stdout, "\n") != 1 {
				t.Errorf("got  %s\nwant %s%s", stdout, name, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("check has written (-want +got):\n%s", diff)
			}
		})
	}
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

func TestCheckCannotRun(t *testing.T) {
	withoutNPM(t)
	tarball := packageFile(t, "1.2.3", upstreamV1)
	for _, tt := range []struct {
		name string
		edit func(t *testing.T, dir string)
		want string
	}{
		{"no pin", func(t *testing.T, dir string) {
			for _, d := range []string{"v1", "v2"} {
				if err := os.Remove(filepath.Join(dir, d, "source.json")); err != nil {
					t.Fatal(err)
				}
			}
		}, "no source.json pins a version"},
		{"pins that disagree", func(t *testing.T, dir string) {
			name := filepath.Join(dir, "v2", "source.json")
			writeFile(t, name, []byte(strings.Replace(tree(t, dir)["v2/source.json"], "1.2.3", "1.2.4", 1)))
		}, "pin different tarballs"},
		{"an unreadable pin", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "v1", "source.json"), []byte("{"))
		}, "source.json: unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			mustRun(t, 0, "fetch", "--dir", dir, "--tarball", tarball)
			tt.edit(t, dir)
			_, stderr := mustRun(t, 2, "check", "--dir", dir, "--tarball", tarball)
			if !strings.Contains(stderr, tt.want) {
				t.Errorf("error %q does not contain %q", stderr, tt.want)
			}
		})
	}
}

// The one test that needs the network: the committed schemas are what the published package gives.
func TestNetworkCheck(t *testing.T) {
	if os.Getenv("ACPSYNC_NETWORK") != "1" {
		t.Skip("downloads the package with npm; set ACPSYNC_NETWORK=1 to run it")
	}
	stdout, _ := mustRun(t, 0, "check", "--dir", repoSchema)
	if !strings.Contains(stdout, "matches @agentclientprotocol/sdk") {
		t.Errorf("output:\n%s", stdout)
	}
	dir := t.TempDir()
	p, err := readPin(repoSchema)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, "fetch", "--dir", dir, "--version", p.version)
	for name, text := range tree(t, dir) {
		want, err := os.ReadFile(filepath.Join(repoSchema, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s: a fresh fetch gives other bytes", name)
		}
	}
}
