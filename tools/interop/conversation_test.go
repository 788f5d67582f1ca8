package interop

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
)

// The directions of a transcript.
const (
	toAgent  = "c2a"
	toClient = "a2c"
)

// A message is a frame of a transcript.
type message struct {
	Dir                   string `json:"-"`
	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage

	// request is the index of the request that a response answers; -1 if there is none.
	request int
}

func (m *message) isRequest() bool  { return m.Method != "" && m.ID != nil }
func (m *message) isResponse() bool { return m.Method == "" }

// A conversation is a transcript.
type conversation []message

// readConversation reads the transcript that a script has written.
func readConversation(t *testing.T, file string) conversation {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var c conversation
	waiting := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var record struct{ Dir, Raw string }
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatalf("%s:%d: %v", file, len(c)+1, err)
		}
		m := message{request: -1}
		if err := json.Unmarshal([]byte(record.Raw), &m); err != nil {
			t.Fatalf("%s:%d: %v", file, len(c)+1, err)
		}
		m.Dir = record.Dir
		switch {
		case m.isRequest():
			waiting[m.Dir+string(m.ID)] = len(c)
		case m.isResponse():
			key := map[string]string{toAgent: toClient, toClient: toAgent}[m.Dir] + string(m.ID)
			if i, ok := waiting[key]; ok {
				m.request = i
				delete(waiting, key)
			}
		}
		c = append(c, m)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// update is what a session/update says; kind is empty for other messages.
func (m *message) update(t *testing.T) (session, kind string, u acpv1.SessionUpdate) {
	t.Helper()
	if m.Method != acpv1.MethodSessionUpdate {
		return "", "", nil
	}
	var n acpv1.SessionNotification
	var tag struct {
		Update struct{ SessionUpdate string }
	}
	if err := json.Unmarshal(m.Params, &n); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.Params, &tag); err != nil {
		t.Fatal(err)
	}
	return string(n.SessionID), tag.Update.SessionUpdate, n.Update
}

func (m *message) session(t *testing.T) string {
	t.Helper()
	var p struct{ SessionID string }
	if err := json.Unmarshal(m.Params, &p); err != nil {
		t.Fatal(err)
	}
	return p.SessionID
}

// saidIn returns the text of the agent's messages between the n-th prompt and its response.
func (c conversation) saidIn(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	prompt := -1
	for i := range c {
		m := &c[i]
		if m.isRequest() && m.Method == acpv1.MethodPrompt {
			if n--; n == -1 {
				prompt = i
			}
		}
		if m.isResponse() && m.request == prompt && prompt >= 0 {
			break
		}
		_, _, u := m.update(t)
		if chunk, ok := u.(*acpv1.AgentMessageChunk); ok && prompt >= 0 {
			said, _ := acpv1.TextOf(chunk.Content)
			text.WriteString(said)
		}
	}
	return text.String()
}

// kinds returns how many updates of each kind there are.
func (c conversation) kinds(t *testing.T) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	for i := range c {
		if _, kind, _ := c[i].update(t); kind != "" {
			kinds[kind]++
		}
	}
	return kinds
}

// requireAnswers fails the test for each request that was not answered.
func (c conversation) requireAnswers(t *testing.T) {
	t.Helper()
	for i := range c {
		answers := func(m message) bool { return m.isResponse() && m.request == i }
		if c[i].isRequest() && !slices.ContainsFunc(c, answers) {
			t.Errorf("%s %s %s was not answered", c[i].Dir, c[i].Method, c[i].ID)
		}
	}
}

// requireOrder fails the test if the agent speaks out of turn: what belongs to a turn comes while there is one, or in a replay; a tool call is announced once, before it
// is spoken of, and resolved before the response; a terminal is released before the response.
func (c conversation) requireOrder(t *testing.T) {
	t.Helper()
	running := map[string]int{} // prompts and loads, by session
	open := map[string]bool{}   // tool calls and terminals that are neither resolved nor released, by session and id
	for i := range c {
		m := &c[i]
		switch {
		case m.isRequest():
			c.noteRequest(t, m, running, open)
		case m.isResponse() && m.request >= 0:
			c.noteResponse(t, m, running, open)
		}
		session, kind, u := m.update(t)
		switch kind {
		case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan":
			if running[session] == 0 {
				t.Errorf("%s outside of a turn: %s", kind, m.Params)
			}
		}
		switch u := u.(type) {
		case *acpv1.ToolCall:
			key := session + " tool call " + string(u.ToolCallID)
			if open[key] {
				t.Errorf("%s is announced twice", key)
			}
			if !isOver(u.Status) {
				open[key] = true
			}
		case *acpv1.ToolCallUpdate:
			key := session + " tool call " + string(u.ToolCallID)
			if !open[key] {
				t.Errorf("%s is spoken of and not open", key)
			}
			if isOver(u.Status) {
				delete(open, key)
			}
		}
	}
}

// isOver reports whether a tool call of the status has come to its end. In a replay it is announced so.
func isOver(status *acpv1.ToolCallStatus) bool {
	return status != nil && (*status == acpv1.ToolCallStatusCompleted || *status == acpv1.ToolCallStatusFailed)
}

func (c conversation) noteRequest(t *testing.T, m *message, running map[string]int, open map[string]bool) {
	t.Helper()
	switch m.Method {
	case acpv1.MethodPrompt, acpv1.MethodLoadSession:
		running[m.session(t)]++
	case acpv1.MethodReleaseTerminal:
		var p acpv1.ReleaseTerminalRequest
		if err := json.Unmarshal(m.Params, &p); err != nil {
			t.Fatal(err)
		}
		delete(open, string(p.SessionID)+" terminal "+string(p.TerminalID))
	}
}

func (c conversation) noteResponse(t *testing.T, m *message, running map[string]int, open map[string]bool) {
	t.Helper()
	request := &c[m.request]
	switch request.Method {
	case acpv1.MethodPrompt, acpv1.MethodLoadSession:
		session := request.session(t)
		running[session]--
		for key := range open {
			if strings.HasPrefix(key, session+" ") && running[session] == 0 {
				t.Errorf("%s is open at the end of the turn", key)
				delete(open, key)
			}
		}
	case acpv1.MethodCreateTerminal:
		var r acpv1.CreateTerminalResponse
		if err := json.Unmarshal(m.Result, &r); err != nil {
			t.Fatal(err)
		}
		open[request.session(t)+" terminal "+string(r.TerminalID)] = true
	}
}
