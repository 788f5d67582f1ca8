// Package secret keeps secrets out of texts that others make.
package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// minLength is the length below which a value says too little to be a secret, and is in too many texts to be replaced.
	minLength   = 4
	replacement = "[redacted]"
)

// A Redactor replaces secrets, in all the forms in which texts hold them. It is immutable; the zero value replaces nothing.
type Redactor struct{ replacer *strings.Replacer }

// New returns a redactor of the values. The words of a value are secret, too: a header may have a key behind the name of its scheme.
func New(values []string) Redactor {
	var forms []string
	for _, v := range values {
		for _, part := range append(strings.Fields(v), v) {
			forms = append(forms, formsOf(part)...)
		}
	}
	forms = slices.DeleteFunc(forms, func(s string) bool { return len(s) < minLength })
	if len(forms) == 0 {
		return Redactor{}
	}
	// Of two that begin at one place, the replacer takes the one that was given first.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(forms) {
		pairs = append(pairs, s, replacement)
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

func formsOf(part string) []string {
	forms := []string{
		part, url.QueryEscape(part), url.PathEscape(part), inner(strconv.Quote(part)), inner(strconv.QuoteToASCII(part)),
		base64.StdEncoding.EncodeToString([]byte(part)), base64.URLEncoding.EncodeToString([]byte(part)),
	}
	if text, err := json.Marshal(part); err == nil {
		forms = append(forms, inner(string(text)))
	}
	return forms
}

// inner returns a quoted text without its quotes.
func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

// Redact returns text without the secrets.
func (r Redactor) Redact(text string) string {
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// OfURL returns what may be secret of a URL: all but scheme, host and path.
func OfURL(rawURL string) []string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return []string{rawURL}
	}
	var values []string
	if u.User != nil {
		password, _ := u.User.Password()
		values = append(values, u.User.String(), u.User.Username(), password)
	}
	values = append(values, u.RawQuery, u.Fragment)
	for _, v := range u.Query() {
		values = append(values, v...)
	}
	return values
}
