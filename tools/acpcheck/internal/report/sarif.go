package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/catalog"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// SARIF writes the Static Analysis Results Interchange Format, version 2.1.0, as code scanning services read it.
type SARIF struct {
	// Version is that of acpcheck.
	Version string
	// Dir is where acpcheck runs. If not empty, files below it that are named in full are named relative to it, which is what services can place.
	Dir string
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string            `json:"columnKind"`
	Results    []json.RawMessage `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Short   sarifMessage `json:"shortDescription"`
	Full    sarifMessage `json:"fullDescription"`
	Help    sarifMessage `json:"help"`
	HelpURI string       `json:"helpUri,omitempty"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Message  *sarifMessage `json:"message,omitempty"`
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
}

// Findings appends one result, and a line end, for each finding.
func (s SARIF) Findings(b []byte, at Place, v *judge.Verdict) []byte {
	rules := catalog.Rules()
	for i := range v.Findings {
		f := &v.Findings[i]
		r := sarifResult{RuleID: string(f.Rule), RuleIndex: -1, Level: f.Severity.String(), Message: sarifMessage{plain(v, f)}, Locations: []sarifLocation{s.location(at.File, at.Line)}}
		for n := range rules {
			if rules[n].ID == r.RuleID {
				r.RuleIndex = n
			}
		}
		if f.Earlier > 0 {
			earlier := s.location(at.File, f.Earlier)
			earlier.ID = 1
			earlier.Message = &sarifMessage{"the earlier frame"}
			r.Related = []sarifLocation{earlier}
		}
		b = appendRecord(b, r)
	}
	return b
}

func (s SARIF) location(file string, line int) (l sarifLocation) {
	l.Physical.Artifact.URI = s.uri(file)
	l.Physical.Region.StartLine = max(line, 1)
	return l
}

// uri names a file: relative to where acpcheck runs, or in full if it is elsewhere and was given so.
func (s SARIF) uri(file string) string {
	if file == "<stdin>" {
		return "stdin"
	}
	file = filepath.Clean(file)
	if !filepath.IsAbs(file) {
		return (&url.URL{Path: filepath.ToSlash(file)}).String()
	}
	if s.Dir != "" {
		if rel, err := filepath.Rel(s.Dir, file); err == nil && filepath.IsLocal(rel) {
			return (&url.URL{Path: filepath.ToSlash(rel)}).String()
		}
	}
	name := filepath.ToSlash(file)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// Verdict appends nothing: SARIF is about findings.
func (SARIF) Verdict(b []byte, _ Place, _ *judge.Verdict) []byte { return b }

// Summary appends nothing.
func (SARIF) Summary(b []byte, _ Summary) []byte { return b }

// Document returns the log.
func (s SARIF) Document(body []byte, _ Summary) []byte {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []json.RawMessage{}}
	run.Tool.Driver = sarifDriver{Name: "acpcheck", Version: s.Version, InformationURI: "https://github.com/acpwire/acpwire", Rules: []sarifRule{}}
	for _, r := range catalog.Rules() {
		rule := sarifRule{ID: r.ID, Short: sarifMessage{r.Doc}, Full: sarifMessage{strings.TrimSpace(r.Doc + " " + cmp.Or(r.Limit, r.Unchecked))}, HelpURI: r.Page}
		rule.Help.Text = strings.TrimSpace("acpcheck explain " + r.ID + "\n" + r.Page)
		rule.Default.Level = level(r.Severity)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for line := range bytes.Lines(body) {
		run.Results = append(run.Results, json.RawMessage(line))
	}
	return appendRecord(nil, sarifLog{
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// level is the SARIF level of a severity: opinions are not among those.
func level(severity string) string {
	if severity == "error" || severity == "warning" {
		return severity
	}
	return "note"
}
