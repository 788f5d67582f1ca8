package main

import (
	"strings"
	"testing"
)

func TestNoSuchRule(t *testing.T) {
	for id, want := range map[string]string{
		"sess-11":     "did you mean SESS-11?",
		"SES-11":      "did you mean SESS-11?",
		"TOOL1":       "did you mean TOOL-1?",
		"schemas":     "did you mean schema?",
		"envelopes":   "did you mean envelope?",
		"TOOL-99":     "there are TOOL-1, TOOL-2",
		"nothing-of":  "see acpcheck rules",
		"whatever":    "see acpcheck rules",
		"response_id": "did you mean response-id?",
	} {
		for _, flag := range []string{"--only", "--skip"} {
			_, status, err := acpcheck(t, strings.NewReader(""), "validate", flag, id)
			if status != 2 || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), flag) {
				t.Errorf("%s %s: status %d, error %v; want 2 and %q", flag, id, status, err, want)
			}
		}
	}
}
