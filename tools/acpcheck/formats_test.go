package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// conversation is the transcript of testdata/validate/rules.txtar, which has one error and one warning.
func conversation(t *testing.T) []byte {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/validate/rules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0].Data
}

// twoFiles writes the conversation under a name that needs escaping, and a file without findings.
func twoFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "a <b> & \x01.jsonl"), filepath.Join(dir, "clean.jsonl")}
	for i, data := range [][]byte{conversation(t), []byte(valid)} {
		if err := os.WriteFile(names[i], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestSARIF(t *testing.T) {
	files := twoFiles(t)
	stdout, status, err := acpcheck(t, nil, append([]string{"validate", "--format", "sarif"}, files...)...)
	if status != 1 {
		t.Fatalf("status %d, error %v", status, err)
	}
	type message struct{ Text string }
	type place struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine int }
		}
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version, InformationURI string
					Rules                         []struct {
						ID                   string
						ShortDescription     message
						FullDescription      message
						Help                 message
						HelpURI              string
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID, Level    string
				RuleIndex        int
				Message          message
				Locations        []place
				RelatedLocations []struct {
					ID      int
					Message message
					place
				}
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Error("there is more behind the log")
	}
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "sarif-schema-2.1.0.json") || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	r := log.Runs[0]
	levels := map[string]bool{"none": true, "note": true, "warning": true, "error": true}
	seen := map[string]bool{}
	for _, rule := range r.Tool.Driver.Rules {
		if rule.ID == "" || seen[rule.ID] || rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" || !levels[rule.DefaultConfiguration.Level] {
			t.Errorf("rule %+v", rule)
		}
		seen[rule.ID] = true
	}
	var got []string
	for _, result := range r.Results {
		if !levels[result.Level] || r.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || len(result.Locations) != 1 {
			t.Errorf("result %+v", result)
		}
		at := result.Locations[0].PhysicalLocation
		uri, err := url.Parse(at.ArtifactLocation.URI)
		if err != nil || uri.Path != filepath.ToSlash(files[0]) || at.Region.StartLine < 1 {
			t.Errorf("location %+v: %v", at, err)
		}
		got = append(got, result.RuleID+" "+result.Level+" "+result.Message.Text)
		for _, related := range result.RelatedLocations {
			if related.ID != 1 || related.PhysicalLocation.Region.StartLine != 7 || related.PhysicalLocation.ArtifactLocation != at.ArtifactLocation {
				t.Errorf("related location %+v", related)
			}
		}
	}
	want := []string{
		`TOOL-2 error a2c session/update: /params/update/toolCallId: the call "c" was announced before (see line 7)`,
		`TOOL-1 warning a2c session/update: /params/update/toolCallId: the call "d" was not announced`,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(r.Results[0].RelatedLocations) != 1 {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	stdout, _, _ = acpcheck(t, strings.NewReader(valid), "validate", "--format", "sarif")
	if !strings.Contains(stdout, `"results":[]`) {
		t.Errorf("a run without findings has no empty list of results: %s", stdout)
	}
}

func TestJUnit(t *testing.T) {
	type testCase struct {
		Class     string `xml:"classname,attr"`
		Name      string `xml:"name,attr"`
		SystemOut string `xml:"system-out"`
		Failure   *struct {
			Type    string `xml:"type,attr"`
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		} `xml:"failure"`
	}
	type counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	for failOn, failures := range map[string]int{"error": 1, "warning": 2} {
		t.Run(failOn, func(t *testing.T) {
			stdout, status, err := acpcheck(t, nil, append([]string{"validate", "--format", "junit", "--fail-on", failOn}, twoFiles(t)...)...)
			if status != 1 {
				t.Fatalf("status %d, error %v", status, err)
			}
			var suites struct {
				XMLName xml.Name `xml:"testsuites"`
				counts
				Suites []struct {
					counts
					Cases []testCase `xml:"testcase"`
				} `xml:"testsuite"`
			}
			if err := xml.Unmarshal([]byte(stdout), &suites); err != nil {
				t.Fatalf("%v in %s", err, stdout)
			}
			cases := suites.Suites[0].Cases
			failed := 0
			var names []string
			for _, c := range cases {
				names = append(names, c.Name)
				if c.Failure != nil {
					failed++
					if c.Failure.Type == "" || c.Failure.Message == "" || !strings.Contains(c.Failure.Text, "agentclientprotocol.com") {
						t.Errorf("failure %+v", c.Failure)
					}
				}
			}
			if want := (counts{len(cases), failures}); suites.counts != want || suites.Suites[0].counts != want || failed != failures {
				t.Errorf("counts %+v and %+v, %d failures; want %+v", suites.counts, suites.Suites[0].counts, failed, want)
			}
			if diff := cmp.Diff([]string{"line 8: TOOL-2", "line 9: TOOL-1", "10 frames judged", "1 frame judged"}, names); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if failOn == "error" && !strings.Contains(cases[1].SystemOut, "was not announced") {
				t.Errorf("the warning is lost: %+v", cases[1])
			}
		})
	}
}

func TestGitHubEscapes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a,b:c%.jsonl")
	if err := os.WriteFile(name, []byte("100%\r\nnoise::x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, _ := acpcheck(t, nil, "validate", "--format", "github", "--quiet", name)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "::error file=") || !strings.Contains(lines[0], "/a%2Cb%3Ac%25.jsonl,line=1,title=acpcheck json::") || strings.Contains(lines[0], "100% ") {
		t.Errorf("got %q", lines)
	}
}

func TestBaseline(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.yaml")
	text := "- rule: TOOL-2\n  reason: reported\n  expires: 2999-01-01\n- rule: RPC-5\n  reason: once\n  expires: 2999-01-01\n"
	if err := os.WriteFile(known, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := conversation(t)
	stdout, status, err := acpcheck(t, bytes.NewReader(in), "validate", "--baseline", known)
	if status != 0 {
		t.Errorf("status %d, error %v", status, err)
	}
	for _, want := range []string{known + ":4: warning: the entry for RPC-5 matches nothing (once)", "0 errors, 2 warnings, 1 known;"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s does not say %q", stdout, want)
		}
	}
	if strings.Contains(stdout, "announced before") {
		t.Error("a known finding is reported")
	}
	stdout, _, _ = acpcheck(t, bytes.NewReader(in), "validate", "--format", "json", "--baseline", known)
	if !strings.Contains(stdout, `"errors":0,"warnings":2,"known":1}`) || !strings.Contains(stdout, `"rule":"baseline","severity":"warning"`) {
		t.Errorf("got %s", stdout)
	}
	if _, status, err = acpcheck(t, bytes.NewReader(in), "validate", "--baseline", known+".missing"); status != 2 {
		t.Errorf("status %d, error %v; want 2 for a baseline that is not there", status, err)
	}
}

// What is not looked for is not said to be gone.
func TestBaselineOfOtherRules(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(known, []byte("- {rule: RPC-5, reason: once, expires: 2999-01-01}\n- {rule: schema, reason: once, expires: 2999-01-01}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"RPC-5 schema": {}, "schema": {"--rules=false"}, "RPC-5": {"--skip", "schema"}, "": {"--only", "TOOL-2"},
	} {
		stdout, _, err := acpcheck(t, bytes.NewReader(conversation(t)), append([]string{"validate", "--baseline", known}, args...)...)
		var got []string
		for _, rule := range []string{"RPC-5", "schema"} {
			if strings.Contains(stdout, "the entry for "+rule+" matches nothing") {
				got = append(got, rule)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v: %q match nothing, want %q; error %v", args, got, want, err)
		}
	}
}

func TestWriteBaseline(t *testing.T) {
	name := filepath.Join(t.TempDir(), "known.yaml")
	var stderr bytes.Buffer
	write := func(args ...string) (string, int, error) {
		var stdout bytes.Buffer
		stderr.Reset()
		err := run(t.Context(), append([]string{"validate"}, args...), bytes.NewReader(conversation(t)), &stdout, &stderr)
		return stdout.String(), exitStatus(err), err
	}
	if stdout, status, err := write("--write-baseline", name); status != 0 || !strings.Contains(stdout, "announced before") {
		t.Fatalf("status %d, error %v, output %s", status, err, stdout)
	}
	if got := stderr.String(); got != "1 finding known now, in "+name+": fill in the reasons\n" {
		t.Errorf("says %q", got)
	}
	text, err := os.ReadFile(name)
	if err != nil || strings.Count(string(text), "- rule: ") != 1 || !strings.Contains(string(text), "- rule: TOOL-2\n") {
		t.Fatalf("error %v, want one entry, for the error: %s", err, text)
	}
	if _, status, err := write("--write-baseline", name); status != 2 || !errors.Is(err, os.ErrExist) {
		t.Errorf("status %d, error %v; a baseline is not written over", status, err)
	}
	if _, status, err := write("--baseline", name); status != 2 || err == nil || !strings.Contains(err.Error(), `the entry has no "reason"`) {
		t.Errorf("status %d, error %v; a reason is needed", status, err)
	}
	filled := bytes.ReplaceAll(text, []byte(`reason: ""`), []byte("reason: reported"))
	if err := os.WriteFile(name, filled, 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, status, err := write("--baseline", name); status != 0 || !strings.Contains(stdout, "0 errors, 1 warning, 1 known;") {
		t.Errorf("status %d, error %v, output %s", status, err, stdout)
	}
	more := name + "-more"
	if _, status, err := write("--baseline", name, "--fail-on", "warning", "--write-baseline", more); status != 0 {
		t.Errorf("status %d, error %v", status, err)
	}
	if text, err = os.ReadFile(more); err != nil || strings.Count(string(text), "- rule: ") != 1 || !strings.Contains(string(text), "- rule: TOOL-1\n") {
		t.Errorf("error %v, want one entry, for the warning that is not known: %s", err, text)
	}
	if _, status, err := write(name+"-missing", "--write-baseline", name+"-none"); status != 2 {
		t.Errorf("status %d, error %v", status, err)
	}
	if _, status, err := write("--only", "RPC-5", "--write-baseline", name+"-none"); status != 0 || !strings.Contains(stderr.String(), "is not written") {
		t.Errorf("status %d, error %v", status, err)
	}
	if _, err := os.Stat(name + "-none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a list of nothing is written: %v", err)
	}
}

// Services place only what is named relative to the repository.
func TestSARIFPaths(t *testing.T) {
	elsewhere := twoFiles(t)[0]
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.jsonl", "b c.jsonl"} {
		if err := os.WriteFile(name, []byte("noise\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, err := acpcheck(t, nil, "validate", "--format", "sarif", "./a.jsonl", filepath.Join(here, "b c.jsonl"), elsewhere)
	for _, want := range []string{`"uri":"a.jsonl"`, `"uri":"b%20c.jsonl"`, `"uri":"file:///`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("error %v, no %s in %.500s", err, want, stdout)
		}
	}
}
