package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

func TestClassify(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("doing something: %w", err) }
	tests := []struct {
		name  string
		err   error
		want  acp.Class
		again bool
	}{
		{"nil", nil, acp.ClassNone, false},
		{"start", wrap(&acp.StartError{Err: io.EOF}), acp.ClassStartup, false},
		{"version", &acp.VersionError{Agent: 2}, acp.ClassStartup, false},
		{"timeout", wrap(context.DeadlineExceeded), acp.ClassTimeout, false},
		{"cancelled", context.Canceled, acp.ClassCancelled, false},
		{"cancelled by the peer", &acp.Error{Code: acp.CodeRequestCancelled}, acp.ClassCancelled, false},
		{"login", wrap(&acp.Error{Code: acp.CodeAuthRequired}), acp.ClassAuth, false},
		{"remote", acp.Errorf(acp.CodeInternalError, "no: %w", io.EOF), acp.ClassRemote, false},
		{"protocol", &acp.ResponseError{Method: "m", Err: acp.ErrFrameTooLong}, acp.ClassProtocol, false},
		{"closed after sending", wrap(&acp.ClosedError{Reason: acp.ReasonEOF, Sent: true}), acp.ClassClosed, false},
		{"closed before sending", &acp.ClosedError{Reason: acp.ReasonEOF}, acp.ClassClosed, true},
		{"never worked", &acp.ClosedError{Reason: acp.ReasonMisuse}, acp.ClassClosed, false},
		{"invalid", &acp.OutboundError{Method: "m", Err: io.EOF}, acp.ClassLocal, false},
		{"unsupported", &acp.UnsupportedError{Method: "m"}, acp.ClassLocal, false},
		{"too many", acp.ErrTooManyWaiting, acp.ClassLocal, true},
		{"other", io.EOF, acp.ClassOther, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := acp.Classify(tt.err); got != tt.want {
				t.Errorf("class %v, want %v", got, tt.want)
			}
			if got := acp.Retryable(tt.err); got != tt.again {
				t.Errorf("retryable %v, want %v", got, tt.again)
			}
		})
	}
}

// TestErrorf checks that a wrapped error can be found and is not told to the peer twice.
func TestErrorf(t *testing.T) {
	err := acp.Errorf(acp.CodeResourceNotFound, "no file: %w", io.ErrUnexpectedEOF)
	var said *acp.Error
	if !errors.As(err, &said) || said.Code != acp.CodeResourceNotFound || said.Message != "no file: unexpected EOF" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

func TestTurnTracker(t *testing.T) {
	completed := acpv1.ToolCallStatusCompleted
	var tracker acp.TurnTracker
	tracker.Begin("s")
	if !tracker.Turn("s").Silent() {
		t.Error("a turn without updates is not silent")
	}
	for _, u := range []acpv1.SessionUpdate{
		&acpv1.AgentThoughtChunk{Content: &acpv1.TextContent{Text: "hm"}},
		&acpv1.AvailableCommandsUpdate{},
		&acpv1.AgentMessageChunk{Content: &acpv1.TextContent{}},
	} {
		tracker.Update(&acpv1.SessionNotification{SessionID: "s", Update: u})
	}
	if turn := tracker.Turn("s"); !turn.Silent() || turn.Thoughts != 2 || turn.Updates != 3 {
		t.Errorf("turn %+v", turn)
	}
	for _, u := range []acpv1.SessionUpdate{
		&acpv1.AgentMessageChunk{Content: &acpv1.TextContent{Text: "hello"}},
		&acpv1.AgentMessageChunk{Content: &acpv1.ImageContent{}},
		&acpv1.ToolCall{ToolCallID: "b"},
		&acpv1.ToolCall{ToolCallID: "a"},
		&acpv1.ToolCall{ToolCallID: "c"},
		&acpv1.ToolCallUpdate{ToolCallID: "a", Status: &completed},
		&acpv1.ToolCallUpdate{ToolCallID: "b"},
		&acpv1.Plan{},
	} {
		tracker.Update(&acpv1.SessionNotification{SessionID: "s", Update: u})
	}
	tracker.Update(chunk("other", "text"))
	want := acp.Turn{Text: 5, Thoughts: 2, Blocks: 1, ToolCalls: 3, Open: []acpv1.ToolCallID{"b", "c"}, Plans: 1, Updates: 11}
	if diff := cmp.Diff(want, tracker.Turn("s")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	tracker.Begin("s")
	if turn := tracker.Turn("s"); !turn.Silent() || len(turn.Open) != 2 {
		t.Errorf("next turn %+v", turn)
	}
	tracker.Forget("s")
	if turn := tracker.Turn("s"); len(turn.Open) != 0 {
		t.Errorf("forgotten %+v", turn)
	}
}

func TestSessionFilter(t *testing.T) {
	var passed, stale []string
	f := &acp.SessionFilter{
		Client: &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
			passed = append(passed, string(p.SessionID)+" "+textOf(t, p))
			return nil
		}},
		OnStale: func(p *acpv1.SessionNotification) { stale = append(stale, string(p.SessionID)+" "+textOf(t, p)) },
	}
	ctx := t.Context()
	update := func(session acpv1.SessionID, text string) {
		if err := f.SessionUpdate(ctx, chunk(session, text)); err != nil {
			t.Error(err)
		}
	}
	update("old", "1") // nothing is open or expected
	f.Expect()
	update("new", "2") // before its response
	update("old", "3")
	if err := f.Open(ctx, "new"); err != nil {
		t.Error(err)
	}
	update("new", "4")
	update("old", "5")
	f.Close("new")
	update("new", "6")
	f.Expect()
	update("failed", "7")
	f.Settle()
	if diff := cmp.Diff([]string{"new 2", "new 4"}, passed); diff != "" {
		t.Errorf("passed: mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"old 1", "old 3", "old 5", "new 6", "failed 7"}, stale); diff != "" {
		t.Errorf("stale: mismatch (-want +got):\n%s", diff)
	}
}

// TestHandlingOf checks what a handler can learn about what it handles.
func TestHandlingOf(t *testing.T) {
	got := make(chan acp.Handling, 2)
	conn, agent := connect(t, &funcClient{update: func(ctx context.Context, _ *acpv1.SessionNotification) error {
		h, _ := acp.HandlingOf(ctx)
		got <- h
		return nil
	}}, func(*acp.AgentConn) *funcAgent {
		return &funcAgent{prompt: func(ctx context.Context, _ *acpv1.PromptRequest) (*acpv1.PromptResponse, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			h, _ := acp.HandlingOf(ctx)
			got <- h
			return endTurn, nil
		}}
	})
	if _, err := conn.Prompt(t.Context(), promptFor("s1")); err != nil {
		t.Fatal(err)
	}
	if err := agent.SessionUpdate(t.Context(), chunk("s2", "")); err != nil {
		t.Fatal(err)
	}
	want := []acp.Handling{
		{Conn: agent.Conn, Method: "session/prompt", ID: wire.IntID(1), IsRequest: true, Session: "s1"},
		{Conn: conn.Conn, Method: "session/update", Session: "s2"},
	}
	for _, w := range want {
		if h := <-got; h != w {
			t.Errorf("got %+v, want %+v", h, w)
		}
	}
	if _, ok := acp.HandlingOf(t.Context()); ok {
		t.Error("a context that is no handler's has a Handling")
	}
}
