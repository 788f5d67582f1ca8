//go:build unix

package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A browser is a headless Chromium with one tab, driven over a pair of pipes.
type browser struct {
	t       *testing.T
	out     *os.File
	in      *bufio.Reader
	session string
	id      int
	events  []string // methods of what happened
}

// open starts the browser on a page. The test is skipped if there is none.
func open(t *testing.T, page string) *browser {
	t.Helper()
	var exe string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			exe = path
			break
		}
	}
	if exe == "" {
		t.Skip("no chromium in PATH: the page is not tried in a browser")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	theirIn, out := pipe(t)
	in, theirOut := pipe(t)
	profile, err := os.MkdirTemp("", "acpcheck-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1400,1000", "--remote-debugging-pipe", "--user-data-dir="+profile)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirIn.Close()
	_ = theirOut.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(profile)
	})
	if err := in.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, out: out, in: bufio.NewReader(in)}
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	attached := b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})
	b.session = attached["sessionId"].(string)
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + file})
	for !strings.Contains(strings.Join(b.events, " "), "Page.loadEventFired") {
		b.read()
	}
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result map[string]any
	Error  *struct{ Message string }
}

func (b *browser) read() message {
	b.t.Helper()
	text, err := b.in.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	if m.Method != "" {
		b.events = append(b.events, m.Method+" "+string(m.Params))
	}
	return m
}

func (b *browser) call(method string, params map[string]any) map[string]any {
	b.t.Helper()
	b.id++
	request := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.read()
		switch {
		case m.ID != b.id:
		case m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		default:
			return m.Result
		}
	}
}

// eval returns the value of an expression as JSON would have it.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if r["exceptionDetails"] != nil {
		b.t.Fatalf("%s: %v", expression, r["exceptionDetails"])
	}
	return r["result"].(map[string]any)["value"]
}

func (b *browser) expect(expression string, want any) {
	b.t.Helper()
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(b.eval(expression))); diff != "" {
		b.t.Errorf("%s: mismatch (-want +got):\n%s", expression, diff)
	}
}

// choose picks from a filter as a user does.
func (b *browser) choose(id, value string) {
	b.t.Helper()
	b.expect(fmt.Sprintf(`{ const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change")); s.value }`, id, value), value)
}

// quiet checks that the page loaded nothing but itself and that nothing was refused or failed.
func (b *browser) quiet() {
	b.t.Helper()
	requests := 0
	for _, event := range b.events {
		switch method, _, _ := strings.Cut(event, " "); method {
		case "Network.requestWillBeSent":
			requests++
		case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
			b.t.Error(event)
		}
	}
	if requests != 1 {
		b.t.Errorf("%d requests, want that for the page itself", requests)
	}
}

const visible = `document.querySelectorAll("main .row[id]:not([hidden])").length`

func TestBrowser(t *testing.T) {
	b := open(t, write(t, options("demo.jsonl", demo(t))))
	b.expect(`document.getElementById("shown").textContent`, "13 of 13 frames")
	b.expect(`getComputedStyle(document.querySelector(".row")).display`, "grid") // the policy lets the style in
	b.choose("severity", "error")
	b.expect(visible, 4)
	b.choose("severity", "any")
	b.expect(visible, 6)
	b.choose("method", "session/update")
	b.expect(visible, 3)
	b.choose("session", "demo")
	b.choose("severity", "")
	b.expect(visible, 4)
	b.choose("method", "")
	b.expect(`document.getElementById("shown").textContent`, "8 of 13 frames")
	b.choose("session", "")
	b.expect(visible, 13)

	b.expect(`document.querySelector("#L5 pre").checkVisibility()`, false)
	b.expect(`document.querySelector("#L5 summary").click(), document.querySelector("#L5 pre").checkVisibility()`, true)
	b.expect(`JSON.parse(document.querySelector("#L5 pre").textContent).params.prompt[0].text`, "Which Go version does this module ask for?")
	b.expect(`document.getElementById("expand").click(), document.querySelectorAll("details[open]").length`, 13)
	b.expect(`document.getElementById("next").click(), location.hash`, "#L5")
	b.expect(`document.getElementById("next").click(), location.hash`, "#L6")
	// The findings are beside their frame, the arrow points at whom it is sent to.
	b.expect(`{ const r = document.querySelector("#L6 .diagram").getBoundingClientRect(), f = document.querySelector("#L6 .finding").getBoundingClientRect(); f.left > r.right && f.top < r.bottom }`, true)
	b.quiet()
}

func TestBrowserRunsNothingOfTheTranscript(t *testing.T) {
	b := open(t, write(t, options("</title><script>pwned()</script>", hostile)))
	b.expect(`document.scripts.length`, 1)
	b.expect(`document.querySelectorAll("img, svg, [onclick], [onerror], [onload]").length`, 0)
	b.expect(`document.title`, "</title><script>pwned()</script> - acpcheck")
	b.expect(`document.querySelector("#L2 pre").textContent`, "</pre></details><script>pwned()</script>")
	b.expect(`Array.from(document.getElementById("session").options, (o) => o.value).includes("</option><script>pwned()</script>")`, true)
	b.expect(`document.querySelectorAll("summary").forEach((s) => s.click()), document.querySelectorAll("details[open]").length`, 4)
	b.quiet()
}

// TestBrowserTakesMuch opens ten thousand frames and filters them, all within the time that a browser has in these tests.
func TestBrowserTakesMuch(t *testing.T) {
	const frames = 10_000
	var in strings.Builder
	for i := range frames {
		session, text := fmt.Sprint("s", i%3), "</script> \\u202e"+strings.Repeat("word ", 40)
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}`+"\n", session, text)
	}
	b := open(t, write(t, options("much.jsonl", in.String())))
	b.expect(visible, frames)
	b.choose("session", "s1")
	b.expect(visible, frames/3)
	b.choose("severity", "error")
	b.expect(visible, 0)
	b.quiet()
}
