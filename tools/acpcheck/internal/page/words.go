package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/judge"
)

// detailWidth is how many characters of a frame's content are shown beside its name.
const detailWidth = 120

// label names the frame.
func label(v *judge.Verdict, frame []byte) string {
	switch v.Kind {
	case acp.KindResponse:
		return strings.TrimSpace("result " + harmless(v.Method))
	case acp.KindError:
		return strings.TrimSpace("error " + harmless(v.Method))
	case acp.KindRequest:
		return harmless(v.Method)
	case acp.KindNotification:
		if v.Method == acpv1.MethodSessionUpdate {
			return strings.TrimSpace(v.Method + " " + textAt(frame, "/params/update/sessionUpdate"))
		}
		return harmless(v.Method)
	case acp.KindUnknown:
	}
	return "not a message"
}

// told are the members that say most about a frame.
var told = []string{
	"/params/update/content/text", "/params/update/title", "/params/update/status", "/params/update/currentModeId", "/params/prompt/0/text",
	"/params/toolCall/title", "/params/path", "/params/command", "/params/cwd", "/params/modeId", "/params/configId", "/params/reason",
	"/result/stopReason", "/result/outcome/outcome", "/result/outcome/optionId", "/error/message",
}

// detail is what the frame says, in a few words.
func detail(v *judge.Verdict, frame []byte) string {
	if v.Kind == acp.KindUnknown {
		return cut(harmless(string(frame[:min(len(frame), 4*detailWidth)])))
	}
	var said []string
	for _, pointer := range told {
		if text := textAt(frame, pointer); text != "" {
			said = append(said, text)
		}
	}
	if v.Kind == acp.KindError {
		if code := judge.ValueAt(frame, "/error/code"); len(code) > 0 && len(code) < 20 {
			said = append([]string{harmless(string(code))}, said...)
		}
	}
	return strings.Join(said, " · ")
}

// textAt returns the beginning of the string that the pointer leads to, or "".
func textAt(frame []byte, pointer string) string {
	b := judge.ValueAt(frame, pointer)
	var s string
	if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &s) != nil {
		return ""
	}
	return cut(harmless(s))
}

func cut(s string) string {
	n := 0
	for i := range s {
		if n++; n > detailWidth {
			return s[:i] + "…"
		}
	}
	return s
}

// harmless makes visible what does not show, such as control characters and the marks that reverse the direction of text. Escaping for HTML is the template's work.
func harmless(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool { return r != '\n' && r != ' ' && !unicode.IsPrint(r) }

// pretty returns the frame over several lines, as far as it is JSON, and how many bytes of it are left out.
func pretty(frame []byte, limit int) (text string, left int) {
	if left = max(0, len(frame)-limit); left > 0 {
		return harmless(string(frame[:limit])), left
	}
	var b bytes.Buffer
	if json.Indent(&b, frame, "", "  ") != nil {
		return harmless(string(frame)), 0
	}
	return harmless(b.String()), 0
}

// names are all different values of something, in order of their first occurrence.
type names struct {
	list []string
	seen map[string]bool
}

// maxNames bounds what a list to choose from may hold.
const maxNames = 500

func (n *names) add(name string) {
	if name == "" || n.seen[name] || len(n.list) == maxNames {
		return
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[name] = true
	n.list = append(n.list, name)
}
