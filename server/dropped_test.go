package server

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// TestDroppedIsTold shows that an engine can learn what of a session's servers and of a prompt did not reach it.
func TestDroppedIsTold(t *testing.T) {
	var ofSession, ofTurn []Dropped
	var servers int
	e := open(t, script{prompt: func(_ context.Context, t *Turn) (Finish, error) {
		ofSession, ofTurn, servers = t.Session().Dropped(), t.Dropped(), len(t.Session().MCPServers())
		return Stop, nil
	}}, nil)
	r, err := e.NewSession(t.Context(), &acpv1.NewSessionRequest{Cwd: "/w", MCPServers: []acpv1.MCPServer{
		&acpv1.MCPServerStdio{Name: "one", Command: "/bin/one", Args: []string{}, Env: []acpv1.EnvVariable{{Name: "A=B", Value: "hunter2"}}},
		&acpv1.MCPServerStdio{Name: "one", Command: "/bin/two", Args: []string{}, Env: []acpv1.EnvVariable{}},
		&acpv1.MCPServerStdio{Name: "", Command: "/bin/three", Args: []string{}, Env: []acpv1.EnvVariable{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Prompt(t.Context(), &acpv1.PromptRequest{SessionID: r.SessionID, Prompt: []acpv1.ContentBlock{
		&acpv1.TextContent{Text: "x", Annotations: &acpv1.Annotations{Priority: new(1.0)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Dropped{
		{Path: "/0/env/0", What: "environment variable", Why: "no process can have it", Cause: DropMalformed},
		{Path: "/1/name", What: "MCP server", Why: "another one has its name", Cause: DropMalformed},
		{Path: "/2/name", What: "MCP server", Why: "it has no name", Cause: DropMalformed},
	}
	if diff := cmp.Diff(want, ofSession); diff != "" {
		t.Errorf("session: mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Dropped{{Path: "/0/annotations", What: "annotations", Why: "parts have none", Cause: DropUnmapped}}, ofTurn); diff != "" {
		t.Errorf("turn: mismatch (-want +got):\n%s", diff)
	}
	if servers != 1 {
		t.Errorf("%d servers, want 1", servers)
	}
}

// TestNoChoice shows that nothing is asked if there is nothing to choose: choices that last need a rule.
func TestNoChoice(t *testing.T) {
	var err error
	e := open(t, script{prompt: func(ctx context.Context, t *Turn) (Finish, error) {
		call := t.Tool("", Edit, "Change it")
		_, err = t.Choose(ctx, call, Choice{ID: "always", Kind: AllowAlways})
		return Stop, nil
	}}, nil)
	id := e.newSession()
	if _, err := e.ask(id, "go"); err != nil {
		t.Fatal(err)
	}
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != ErrorInvalid {
		t.Errorf("error %v, want one of the kind %s", err, ErrorInvalid)
	}
	for _, line := range e.log.sent() {
		if line == "session/request_permission" {
			t.Errorf("the client was asked: %v", e.log.sent())
		}
	}
}
