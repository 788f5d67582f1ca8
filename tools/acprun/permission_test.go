package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
)

var allOptions = []acpv1.PermissionOption{
	{OptionID: "always", Name: "Always", Kind: acpv1.PermissionOptionKindAllowAlways},
	{OptionID: "once", Name: "Yes", Kind: acpv1.PermissionOptionKindAllowOnce},
	{OptionID: "never", Name: "Never", Kind: acpv1.PermissionOptionKindRejectAlways},
	{OptionID: "no", Name: "No", Kind: acpv1.PermissionOptionKindRejectOnce},
}

func permissionRequest(options ...acpv1.PermissionOption) *acpv1.RequestPermissionRequest {
	return &acpv1.RequestPermissionRequest{
		SessionID: "s1", ToolCall: acpv1.ToolCallUpdate{ToolCallID: "t1", Title: new("Delete everything")},
		Options: append([]acpv1.PermissionOption{}, options...),
	}
}

// asking asks for permission as often as there are option lists, and says the answers.
func asking(lists ...[]acpv1.PermissionOption) *fakeAgent {
	return &fakeAgent{prompt: func(ctx context.Context, a *fakeAgent, _ *acpv1.PromptRequest) (acpv1.StopReason, error) {
		for _, options := range lists {
			answer := "error"
			if r, err := a.client.RequestPermission(ctx, permissionRequest(options...)); err == nil {
				switch o := r.Outcome.(type) {
				case *acpv1.SelectedPermissionOutcome:
					answer = string(o.OptionID)
				case *acpv1.CancelledPermissionOutcome, *acpv1.UnknownRequestPermissionOutcome:
					answer = "cancelled"
				}
			}
			if err := a.say(ctx, "["+answer+"]"); err != nil {
				return "", err
			}
		}
		return acpv1.StopReasonEndTurn, nil
	}}
}

func TestPermissionPolicy(t *testing.T) {
	tests := []struct {
		policy  string
		options []acpv1.PermissionOption
		want    string
		says    string
	}{
		{"allow", allOptions, "once", ""},
		{"allow", allOptions[:1], "always", ""},
		{"allow", allOptions[2:], "error", ""},
		{"reject", allOptions, "no", ""},
		{"reject", allOptions[:3], "never", ""},
		{"reject", allOptions[:2], "error", ""},
		{"reject", nil, "error", ""},
		{"ask", allOptions, "no", "no terminal"},
		{"ask", allOptions[:2], "error", "no terminal"},
	}
	for _, tt := range tests {
		t.Run(tt.policy+" gives "+tt.want, func(t *testing.T) {
			// What stands on standard input is not for questions.
			r := (&trial{agent: asking(tt.options), stdin: strings.NewReader("y\ny\n")}).run(t.Context(), t, "--permission", tt.policy, "hello", "--", "agent")
			r.check(t, 0, tt.says)
			if !strings.HasSuffix(r.stdout, "\n["+tt.want+"]\n") {
				t.Errorf("standard output %q", r.stdout)
			}
		})
	}
}

func TestPermissionAsk(t *testing.T) {
	tests := []struct{ name, typed, want, says string }{
		{"number", "3\n", "never", ""},
		{"yes", "y\n", "once", ""},
		{"YES", " YES \n", "once", ""},
		{"no", "n\n", "no", ""},
		{"nothing", "\n", "no", ""},
		{"something else first", "maybe\n0\n5\n-1\n1\n", "always", "Type a number from 1 to 4"},
		{"end", "", "no", ""},
		{"end within a line", "1", "no", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdin := strings.NewReader(tt.typed)
			r := (&trial{agent: asking(allOptions), stdin: stdin, terminals: []any{stdin}}).run(t.Context(), t, "hello", "--", "agent")
			r.check(t, 0, tt.says, "permission: Delete everything\n  1  Always\n  2  Yes\n  3  Never\n  4  No\n")
			if !strings.HasSuffix(r.stdout, "\n["+tt.want+"]\n") {
				t.Errorf("standard output %q", r.stdout)
			}
		})
	}
}

// TestPermissionAskTwice checks that each answer is for one question, and that the events tell both.
func TestPermissionAskTwice(t *testing.T) {
	stdin := strings.NewReader("y\nn\n")
	r := (&trial{agent: asking(allOptions, allOptions), stdin: stdin, terminals: []any{stdin}}).run(t.Context(), t, "--json", "hello", "--", "agent")
	r.check(t, 0)
	for _, want := range []string{
		`{"type":"permission_request","toolCall":{"toolCallId":"t1","title":"Delete everything"},"options":[{"optionId":"always",`,
		`{"type":"permission_answer","toolCallId":"t1","option":{"optionId":"once","name":"Yes","kind":"allow_once"}}`,
		`{"type":"permission_answer","toolCallId":"t1","option":{"optionId":"no","name":"No","kind":"reject_once"}}`,
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no event %s in\n%s", want, r.stdout)
		}
	}
}

// TestPermissionSafe checks that a question cannot draw on the terminal.
func TestPermissionSafe(t *testing.T) {
	stdin := strings.NewReader("n\n")
	evil := allOptions[1]
	evil.Name = "No\x1b[1A\x1b[2K\nreally"
	r := (&trial{agent: asking([]acpv1.PermissionOption{evil}), stdin: stdin, terminals: []any{stdin}}).run(t.Context(), t, "hello", "--", "agent")
	r.check(t, 0, "  1  No␛[1A␛[2K really\n")
	if strings.Contains(r.stderr, "\x1b") {
		t.Errorf("standard error %q", r.stderr)
	}
}

// TestLineReader checks that a line that comes too late does not answer the next question.
func TestLineReader(t *testing.T) {
	src, w := io.Pipe()
	l := newLineReader(src)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := l.read(ctx); err == nil {
		t.Errorf("read %q", text)
	}
	go func() { _, _ = io.WriteString(w, "late\n") }()
	l.mu.Lock()
	pending := l.pending
	l.mu.Unlock()
	got := <-pending
	pending <- got
	l.forget()
	go func() { _, _ = io.WriteString(w, "next\n") }()
	if text, err := l.read(t.Context()); text != "next\n" {
		t.Errorf("read %q, %v; want the next line", text, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if text, err := l.read(t.Context()); err == nil {
		t.Errorf("read %q after the end", text)
	}
}
