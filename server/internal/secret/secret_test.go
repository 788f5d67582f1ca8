package secret_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/server/internal/secret"
)

// TestRedact looks for each secret in the forms that texts have.
func TestRedact(t *testing.T) {
	for _, value := range []string{"hunter22", `pa"ss\word`, "a b€c d&e=f<g>", "tab\there", "Bearer abc.def-123", "100%/x y", "line\nbreak"} {
		js, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"plain":      "key " + value + " is bad",
			"quoted":     fmt.Sprintf("key %q is bad", value),
			"ASCII":      fmt.Sprintf("key %+q is bad", value),
			"JSON":       fmt.Sprintf(`{"key":%s}`, js),
			"query":      "https://example.com/?k=" + url.QueryEscape(value),
			"path":       "https://example.com/" + url.PathEscape(value),
			"slice":      fmt.Sprint([]string{"KEY=" + value}),
			"its words":  "the word " + strings.Join(strings.Fields(value), " and then ") + ".",
			"and others": "[redacted] " + value + value,
		} {
			got := secret.New([]string{"yes", "", value, "other one"}).Redact(text)
			for _, part := range strings.Fields(value) {
				if len(part) >= 4 && strings.Contains(got, part) {
					t.Errorf("%s of %q: %s", name, value, got)
				}
			}
			if strings.Contains(got, value) || !strings.Contains(got, "[redacted]") {
				t.Errorf("%s of %q: %s", name, value, got)
			}
		}
	}
	if got := secret.New([]string{"yes"}).Redact("yes"); got != "yes" {
		t.Errorf("a value that is too short to be a secret: %s", got)
	}
	if got := (secret.Redactor{}).Redact("text"); got != "text" {
		t.Errorf("without secrets: %s", got)
	}
	// The longer one goes first, so that nothing of it is left.
	if got := secret.New([]string{"abcd", "abcdefgh"}).Redact("abcdefgh abcd"); got != "[redacted] [redacted]" {
		t.Errorf("one within another: %s", got)
	}
}

func TestOfURL(t *testing.T) {
	for _, test := range []struct{ url, text, want string }{
		{"https://user:pass1234@example.com/a?token=tttt&x=1#frag", "user pass1234 tttt frag example.com /a", "[redacted] [redacted] [redacted] [redacted] example.com /a"},
		{"https://example.com/a", "example.com /a", "example.com /a"},
		{"http://[bad", "at http://[bad", "at [redacted]"},
	} {
		if got := secret.New(secret.OfURL(test.url)).Redact(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.url, got, test.want)
		}
	}
}
