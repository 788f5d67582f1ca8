package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
)

// say writes lines in one write.
func say(t *testing.T, w io.Writer, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Error(err)
	}
}

func chunkLine(session, kind, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"content":{"type":"text","text":%q}}}}`, session, kind, text)
}

func stopLine(id int, reason acpv1.StopReason) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":%q}}`, id, reason)
}

// TestCancelSilentAgent has an agent that reads a prompt and then nothing more, and does not answer. CancelPrompt returns at once, again and again; Prompt
// returns when its context ends; the answer that comes much later harms nothing.
func TestCancelSilentAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		conn := acp.NewClient(ours, &funcClient{}, nil)
		lines := newLineReader(theirs)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		failed := make(chan error, 1)
		go func() {
			_, err := conn.Prompt(ctx, promptFor("s"))
			failed <- err
		}()
		synctest.Wait()
		if got := method(lines.next(t)); got != "session/prompt" {
			t.Fatalf("the client wrote %s", got)
		}
		for range 100 {
			if err := conn.CancelPrompt(ctx, "s"); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		select {
		case err := <-failed:
			t.Fatalf("Prompt did not wait for the answer: %v", err)
		default:
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("CancelPrompt waited %v", d)
		}
		time.Sleep(time.Minute) // the grace that the caller gives
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if d := time.Since(start); d != time.Minute {
			t.Errorf("Prompt returned after %v", d)
		}
		if got := method(lines.next(t)); got != "session/cancel" {
			t.Errorf("behind the prompt the client wrote %s", got)
		}
		say(t, theirs, stopLine(1, acpv1.StopReasonCancelled), stopLine(1, acpv1.StopReasonCancelled))
		opened := make(chan error, 1)
		go func() {
			_, err := conn.NewSession(t.Context(), newSession)
			opened <- err
		}()
		for method(lines.next(t)) != "session/new" {
		}
		say(t, theirs, `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`)
		if err := <-opened; err != nil {
			t.Errorf("after a late answer: %v", err)
		}
		_ = theirs.Close()
		if err := conn.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
	})
}

// method returns the method of a line that this package wrote.
func method(line string) string {
	_, rest, _ := strings.Cut(line, `"method":"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// TestCancelOnTheWire checks where session/cancel is on the wire: behind the prompt that it is for, once, and not at all if that has its answer.
func TestCancelOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		conn := acp.NewClient(ours, &funcClient{}, nil)
		var wire []string
		go func() {
			for lines, id := newLineReader(theirs), 1; id <= 3; {
				line := method(lines.next(t))
				wire = append(wire, line)
				switch {
				case line == "session/prompt" && id != 2: // the second waits for its cancellation
					say(t, theirs, stopLine(id, acpv1.StopReasonEndTurn))
					id++
				case line == "session/cancel":
					say(t, theirs, stopLine(id, acpv1.StopReasonCancelled))
					id++
				}
			}
		}()
		cancel := func() {
			if err := conn.CancelPrompt(t.Context(), "s"); err != nil {
				t.Error(err)
			}
		}
		for i, want := range []acpv1.StopReason{acpv1.StopReasonEndTurn, acpv1.StopReasonCancelled, acpv1.StopReasonEndTurn} {
			cancel() // nothing is running
			if i == 1 {
				go func() {
					synctest.Wait()
					cancel()
					cancel()
				}()
			}
			r, err := conn.Prompt(t.Context(), promptFor("s"))
			if err != nil || r.StopReason != want {
				t.Fatalf("turn %d: %v, %v, want %s", i, r, err, want)
			}
			cancel() // it has been answered
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"session/prompt", "session/prompt", "session/cancel", "session/prompt"}, wire); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		_ = theirs.Close()
		if err := conn.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
	})
}

// TestCancelAtOnce cancels from many sides while a client prompts. No turn is cancelled twice, and none before it was asked for.
func TestCancelAtOnce(t *testing.T) {
	const n = 500
	ours, theirs := acp.Pipe()
	conn := acp.NewClient(ours, &funcClient{}, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		waiting, cancellable := false, false
		for lines, id := newLineReader(theirs), 1; id <= n; {
			switch line := lines.next(t); method(line) {
			case "session/prompt":
				waiting, cancellable = id%2 == 0, true
				if !waiting {
					say(t, theirs, stopLine(id, acpv1.StopReasonEndTurn))
					id++
				}
			case "session/cancel": // one that crosses an answer comes before the next prompt
				if !cancellable {
					t.Errorf("prompt %d: cancelled although there is nothing to cancel", id)
				}
				if waiting {
					say(t, theirs, stopLine(id, acpv1.StopReasonCancelled))
					id++
				}
				waiting, cancellable = false, false
			default:
				t.Errorf("the client wrote %s", line)
			}
		}
	}()
	var cancelling sync.WaitGroup
	for range n {
		answered := make(chan struct{})
		for range 3 {
			cancelling.Go(func() {
				for {
					select {
					case <-answered:
						return
					default:
					}
					if err := conn.CancelPrompt(t.Context(), "s"); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(10 * time.Microsecond)
				}
			})
		}
		if _, err := conn.Prompt(t.Context(), promptFor("s")); err != nil {
			t.Fatal(err)
		}
		close(answered)
		cancelling.Wait()
	}
	<-done
	_ = theirs.Close()
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
}

// TestWireOrder writes updates of several kinds for two sessions, cut into pieces anyhow. The handler sees them one at a time and in the order of the wire.
func TestWireOrder(t *testing.T) {
	const n = 10_000
	random := rand.New(rand.NewPCG(3, 4))
	var stream strings.Builder
	want := make([]string, n)
	for i := range n {
		session := []string{"s1", "s2"}[random.IntN(2)]
		kind := []string{"agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "session_info_update"}[random.IntN(4)]
		want[i] = fmt.Sprint(session, " ", kind, " ", i)
		if kind == "session_info_update" {
			fmt.Fprintf(&stream, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,"title":"%d"}}}`+"\n", session, kind, i)
			continue
		}
		stream.WriteString(chunkLine(session, kind, fmt.Sprint(i)) + "\n")
	}
	ours, theirs := acp.Pipe()
	var got []string // the race detector sees handlers that run at once
	conn := acp.NewClient(ours, &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
		var text, kind string
		switch u := p.Update.(type) {
		case *acpv1.AgentMessageChunk:
			kind = "agent_message_chunk"
			text, _ = acpv1.TextOf(u.Content)
		case *acpv1.AgentThoughtChunk:
			kind = "agent_thought_chunk"
			text, _ = acpv1.TextOf(u.Content)
		case *acpv1.UserMessageChunk:
			kind = "user_message_chunk"
			text, _ = acpv1.TextOf(u.Content)
		case *acpv1.SessionInfoUpdate:
			kind = "session_info_update"
			text, _ = u.Title.Get()
		default:
			t.Errorf("update is a %T", u)
		}
		got = append(got, fmt.Sprint(p.SessionID, " ", kind, " ", text))
		return nil
	}}, nil)
	for rest := stream.String(); rest != ""; {
		piece := rest[:min(len(rest), 1+random.IntN(3000))]
		rest = rest[len(piece):]
		if _, err := io.WriteString(theirs, piece); err != nil {
			t.Fatal(err)
		}
	}
	_ = theirs.Close()
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestUpdateAndAnswerInOneRead writes the last update of a turn and its answer at once. Prompt returns only when the update has been handled.
func TestUpdateAndAnswerInOneRead(t *testing.T) {
	ours, theirs := acp.Pipe()
	var last string
	conn := acp.NewClient(ours, &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
		time.Sleep(100 * time.Microsecond)
		last = textOf(t, p)
		return nil
	}}, nil)
	const n = 1000
	go func() {
		lines := newLineReader(theirs)
		for i := range n {
			lines.next(t)
			say(t, theirs, chunkLine("s", "agent_message_chunk", fmt.Sprint(i)), stopLine(i+1, acpv1.StopReasonEndTurn))
		}
		_ = theirs.Close()
	}()
	for i := range n {
		if _, err := conn.Prompt(t.Context(), promptFor("s")); err != nil {
			t.Fatal(err)
		}
		if last != fmt.Sprint(i) {
			t.Fatalf("Prompt %d returned when update %q had been handled", i, last)
		}
	}
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
}

// TestUpdateInNoTurn has an agent that says something although no turn is running: right behind the answer that names the session, and later. That is no
// fault, and it is handled like any other update.
func TestUpdateInNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := acp.Pipe()
		var got []string
		conn := acp.NewClient(ours, &funcClient{update: func(_ context.Context, p *acpv1.SessionNotification) error {
			got = append(got, string(p.SessionID)+" "+textOf(t, p))
			return nil
		}}, nil)
		lines := newLineReader(theirs)
		go func() {
			lines.next(t)
			say(t, theirs, newSessionResult, chunkLine("s", "agent_message_chunk", "at once"))
		}()
		if _, err := conn.NewSession(t.Context(), newSession); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		say(t, theirs, chunkLine("s", "agent_message_chunk", "later"))
		synctest.Wait()
		if diff := cmp.Diff([]string{"s at once", "s later"}, got); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		_ = theirs.Close()
		if err := conn.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
	})
}
