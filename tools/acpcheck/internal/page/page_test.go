package page

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/check"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/rules"
)

var update = flag.Bool("update", false, "write the page into the golden file")

func options(title, in string) *Options {
	return &Options{
		Title: title, In: strings.NewReader(in), MaxFrame: 1 << 20,
		Judge: judge.Options{Surface: acpv1.Surface, Judges: judge.Generated, Rules: rules.New(conform.Options{}, rules.Guess)},
	}
}

func write(t *testing.T, opts *Options) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(t.Context(), &b, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func demo(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// between returns what stands between two marks, which must occur once.
func between(t *testing.T, page, start, end string) string {
	t.Helper()
	if strings.Count(page, start) != 1 || strings.Count(page, end) != 1 {
		t.Fatalf("%q and %q are there %d and %d times, want once", start, end, strings.Count(page, start), strings.Count(page, end))
	}
	_, rest, _ := strings.Cut(page, start)
	text, _, _ := strings.Cut(rest, end)
	return text
}

func TestGolden(t *testing.T) {
	got := between(t, write(t, options("demo.jsonl", demo(t))), "<body>", "<script>")
	const golden = "testdata/demo.html"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// hostile is a transcript that would like to be more than text. Each of its markers must not come through.
const hostile = `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":\"<script>pwned()</script>\",\"method\":\"_x\\\"><img src=x onerror=pwned()>\",\"params\":{\"sessionId\":\"</option><script>pwned()</script>\"}}"}
{"dir":"a2c","raw":"</pre></details><script>pwned()</script>"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"' onclick='pwned()\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"<b>{{.}}</b> \u202egnp.exe ` + "\x00\xff" + `\"}}}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"javascript:pwned()\",\"params\":{\"<svg onload=pwned()>\":1}}"}
`

func TestHostileContentIsText(t *testing.T) {
	page := write(t, options("</title><script>pwned()</script>", hostile))
	// Every tag is one of ours, with our attributes.
	allowed := regexp.MustCompile(`^</?(!doctype|html|head|meta|title|style|body|header|h1|p|span|form|label|select|option|button|output|main|div|a|time|details|summary|pre|b|code|small|script)\b`)
	handler := regexp.MustCompile(`(?i)\s(on\w+|src|srcdoc|action|style)\s*=`)
	markup := strings.Replace(strings.Replace(page, style, "", 1), script, "", 1)
	for _, tag := range regexp.MustCompile(`<[^>]*>?`).FindAllString(markup, -1) {
		unquoted := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)
		if !allowed.MatchString(tag) || handler.MatchString(unquoted) || strings.ContainsAny(unquoted, "'{") {
			t.Errorf("the page has the tag %s", tag)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts, want ours only", n)
	}
	if strings.Contains(page, "href=\"javascript") || strings.ContainsAny(page, "\u202e\x00") {
		t.Error("a link runs a script, or hidden characters come through")
	}
	for _, text := range []string{"&lt;script&gt;pwned()&lt;/script&gt;", "{{.}}", `\u202egnp.exe`} {
		if !strings.Contains(page, text) {
			t.Errorf("%s is not shown", text)
		}
	}
}

func TestNothingIsLoaded(t *testing.T) {
	page := write(t, options("demo.jsonl", demo(t)))
	for _, loads := range []string{"<link", "<img", "<iframe", " src=", "@import", "url(", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(page, loads) {
			t.Errorf("the page has %s", loads)
		}
	}
	csp := between(t, page, `http-equiv="Content-Security-Policy" content="`, "\">\n<meta name=\"viewport\"")
	for start, end := range map[string]string{"<style>": "</style>", "<script>": "</script>"} {
		if !strings.Contains(csp, hash(between(t, page, start, end))) {
			t.Errorf("the policy %q does not allow the page's own %s", csp, start)
		}
	}
	if !strings.HasPrefix(csp, "default-src 'none';") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %q", csp)
	}
}

func TestLimits(t *testing.T) {
	frame := `{"jsonrpc":"2.0","method":"_x","params":{"a":"` + strings.Repeat("x", fullFrame) + `"}}` + "\n"
	opts := options("long", strings.Repeat(frame, 4))
	opts.Rows = 2
	page := write(t, opts)
	for _, text := range []string{"2 more frames checked and not drawn.", "49 more bytes not shown.", "<span>4 frames</span>"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	if n := strings.Count(page, `class="row none notification"`); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

func TestFindings(t *testing.T) {
	const twice = `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/close\",\"params\":{\"sessionId\":\"s\"}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}"}
`
	page := write(t, options("t", twice))
	for _, text := range []string{`id="L3" data-session="" data-method="" data-severity="error"`, `session s, answers <a href="#L1">line 1</a>`, "response-id</a> <code>/id</code>"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	opts := options("t", twice)
	opts.Filter = check.Filter{Skip: []string{"response-id"}}
	if page := write(t, opts); strings.Contains(page, `class="finding `) {
		t.Error("a rule that is skipped is on the page")
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	opts := options("t", "")
	opts.In = iotest.ErrReader(broken)
	if _, err := Write(t.Context(), &bytes.Buffer{}, opts); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the input", err)
	}
	if _, err := Write(t.Context(), brokenWriter{broken}, options("t", demo(t))); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the output", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Write(ctx, &bytes.Buffer{}, options("t", demo(t))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }
