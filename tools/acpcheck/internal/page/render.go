package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/report"
)

//go:embed assets/style.css
var style string

//go:embed assets/script.js
var script string

//go:embed assets/page.tmpl
var source string

// policy allows the page its own style and script and nothing else, from nowhere else.
var policy = "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script) + "'; base-uri 'none'; form-action 'none'"

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var body = template.Must(template.New("page").Funcs(template.FuncMap{"count": report.Count}).Parse(source))

// render writes the page. Style and script stand around the template's output, byte for byte as they were hashed.
func (b *builder) render(w io.Writer) error {
	out := bufio.NewWriter(w)
	title := template.HTMLEscapeString(harmless(b.Title))
	head := []string{
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"", policy,
		"\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>", title,
		" - acpcheck</title>\n<style>", style, "</style>\n</head>\n<body>\n",
	}
	if _, err := io.WriteString(out, strings.Join(head, "")); err != nil {
		return err
	}
	data := struct {
		Title             string
		Summary           report.Summary
		Rows              []*row
		Sessions, Methods []string
		Hidden            int
		Timed             bool
	}{harmless(b.Title), b.summary, b.rows, b.sessions.list, b.methods.list, b.summary.Frames - len(b.rows), b.timed}
	if err := body.Execute(out, data); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "<script>"+script+"</script>\n</body>\n</html>\n"); err != nil {
		return err
	}
	return out.Flush()
}
