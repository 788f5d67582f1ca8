package server

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
)

func TestMapKind(t *testing.T) {
	agents := map[string]map[ToolKind]string{
		"claude-code": {
			Read: "Read NotebookRead ReadMcpResource", Edit: "Write Edit MultiEdit NotebookEdit", Search: "Glob Grep LS", Execute: "Bash BashOutput KillShell",
			Fetch: "WebFetch WebSearch", Think: "TodoWrite AskUserQuestion", SwitchMode: "ExitPlanMode EnterPlanMode", Other: "Task Agent Skill SlashCommand",
		},
		"codex": {
			Read: "read_file view_image", Edit: "apply_patch", Search: "list_dir grep_files", Execute: "shell local_shell exec_command write_stdin unified_exec",
			Fetch: "web_search", Think: "update_plan request_user_input", Other: "spawn_agent",
		},
		"gemini": {
			Read: "read_file read_many_files", Edit: "write_file replace save_memory", Search: "glob search_file_content grep_search list_directory",
			Execute: "run_shell_command", Fetch: "web_fetch google_web_search", Think: "write_todos ask_user", SwitchMode: "enter_plan_mode exit_plan_mode",
			Other: "activate_skill codebase_investigator",
		},
		"opencode": {
			Read: "read todoread", Edit: "write edit multiedit patch apply_patch", Search: "grep glob list codesearch lsp", Execute: "bash",
			Fetch: "webfetch websearch", Think: "todowrite question", SwitchMode: "plan_exit plan_enter", Other: "task skill batch invalid",
		},
		"none": {Other: "mcp__fs__read mcp__x__grep read_and_delete reader . _", Move: "rename-file", Delete: "Delete File"},
	}
	for agent, kinds := range agents {
		for want, names := range kinds {
			sep := " "
			if strings.Contains(names, "Delete File") {
				sep = "|"
			}
			for name := range strings.SplitSeq(names, sep) {
				t.Run(agent+"/"+name, func(t *testing.T) {
					if got := KindOf(name); got != want {
						t.Errorf("KindOf(%q) = %q, want %q", name, got, want)
					}
				})
			}
		}
	}
	if got := KindOf(""); got != Other {
		t.Errorf("KindOf of nothing = %q", got)
	}
}

func TestMapKindWire(t *testing.T) {
	for _, k := range []ToolKind{Read, Edit, Delete, Move, Search, Execute, Think, Fetch, SwitchMode, Other} {
		if got := wireKind(k); string(got) != string(k) {
			t.Errorf("%q became %q", k, got)
		}
	}
	for _, k := range []ToolKind{"", "browse"} {
		if got := wireKind(k); got != acpv1.ToolKindOther {
			t.Errorf("%q became %q", k, got)
		}
	}
}

func TestMapEdits(t *testing.T) {
	tests := []struct {
		name, text string
		edits      []Replacement
		want       string
		err        error
	}{
		{"one", "a b c", []Replacement{{Old: "b", New: "x"}}, "a x c", nil},
		{"each on what the last has made", "a", []Replacement{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "c", nil},
		{"all", "a a", []Replacement{{Old: "a", New: "b", All: true}}, "b b", nil},
		{"new text", "", []Replacement{{New: "b"}}, "b", nil},
		{"removed", "ab", []Replacement{{Old: "a"}}, "b", nil},
		{"not there", "a", []Replacement{{Old: "x", New: "y"}}, "", ErrNoMatch},
		{"twice there", "a a", []Replacement{{Old: "a", New: "b"}}, "", ErrAmbiguous},
		{"nothing to replace", "a", []Replacement{{New: "b"}}, "", ErrAmbiguous},
		{"by itself", "a", []Replacement{{Old: "a", New: "a"}}, "", ErrNoChange},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ApplyEdits(tt.text, tt.edits...)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestMapDiffs(t *testing.T) {
	tests := []struct {
		name string
		got  *DiffItem
		want *DiffItem
	}{
		{"proposed, file unknown", ProposedDiff("a", nil, Replacement{Old: "x", New: "y"}), &DiffItem{"a", new("x"), "y"}},
		{"proposed, new file", ProposedDiff("a", nil, Replacement{New: "y"}), &DiffItem{"a", nil, "y"}},
		{"proposed, several", ProposedDiff("a", nil, Replacement{Old: "1", New: "2"}, Replacement{Old: "3", New: "3"}, Replacement{Old: "5", New: "6"}),
			&DiffItem{"a", new("1\n5"), "2\n6"}},
		{"proposed, file known", ProposedDiff("a", new("1 x 2"), Replacement{Old: "x", New: "y"}), &DiffItem{"a", new("1 x 2"), "1 y 2"}},
		{"proposed, does not apply", ProposedDiff("a", new("1"), Replacement{Old: "x", New: "y"}), &DiffItem{"a", new("x"), "y"}},
		{"proposed, nothing", ProposedDiff("a", nil), nil},
		{"applied", AppliedDiff("a", new("1"), "2"), &DiffItem{"a", new("1"), "2"}},
		{"applied, new file", AppliedDiff("a", nil, ""), &DiffItem{"a", nil, ""}},
		{"applied, nothing", AppliedDiff("a", new("1"), "1"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMapLocations(t *testing.T) {
	got, dropped := locationsOf([]Location{{"a/../b.go", 3}, {`C:\x\y`, 0}, {"", 1}, {"/c", -1}, {"/d", math.MaxUint32}, {"/e", math.MaxUint32 + 1}}, "/w")
	want := []acpv1.ToolCallLocation{
		{Path: "/w/b.go", Line: new(uint32(3))}, {Path: `C:\x\y`}, {Path: "/c"}, {Path: "/d", Line: new(uint32(math.MaxUint32))}, {Path: "/e"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	wantDropped := "malformed /2: location: its path cannot be made absolute\nmalformed /3/line: line: it is out of range; became no line\n" +
		"malformed /5/line: line: it is out of range; became no line\n"
	if diff := cmp.Diff(wantDropped, reports(dropped)); diff != "" {
		t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
	}
}

func TestMapPlan(t *testing.T) {
	plan, dropped := planOf([]Todo{
		{Text: "a"}, {Text: "b", Status: TodoInProgress, Priority: TodoHigh}, {Text: "c", Status: TodoCompleted, Priority: TodoLow},
		{Text: "d", Status: TodoCancelled}, {Text: "e", Status: "blocked", Priority: "urgent"}, {},
	})
	want := `{"entries":[{"content":"a","priority":"medium","status":"pending"},{"content":"b","priority":"high","status":"in_progress"},` +
		`{"content":"c","priority":"low","status":"completed"},{"content":"e","priority":"medium","status":"pending"}]}`
	got, err := plan.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(got), strings.TrimPrefix(want, "{")) {
		t.Errorf("got %s, want %s", got, want)
	}
	wantDropped := "unmapped /3: todo: a plan has no cancelled entries\nmalformed /4/status: status: it is unknown; became pending\n" +
		"malformed /4/priority: priority: it is unknown; became medium\nmalformed /5: todo: it has no text\n"
	if diff := cmp.Diff(wantDropped, reports(dropped)); diff != "" {
		t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
	}
	if empty, _ := planOf(nil); empty.Entries == nil {
		t.Error("an empty plan has no list")
	}
}

func TestMapStopReason(t *testing.T) {
	tests := []struct {
		finish Finish
		want   acpv1.StopReason
	}{
		{Stop, acpv1.StopReasonEndTurn}, {ToolCalls, acpv1.StopReasonEndTurn}, {Pause, acpv1.StopReasonEndTurn}, {Length, acpv1.StopReasonMaxTokens},
		{ContentFilter, acpv1.StopReasonRefusal}, {TurnLimit, acpv1.StopReasonMaxTurnRequests}, {Failed, ""}, {Aborted, ""}, {"", ""}, {"else", ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.finish), func(t *testing.T) {
			got, err := stopReasonOf(tt.finish)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			var failed *finishError
			if is := errors.As(err, &failed); is != (tt.want == "") || is && failed.Finish != tt.finish {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestMapUsage(t *testing.T) {
	tests := []struct {
		name  string
		usage Usage
		want  *acpv1.UsageUpdate
	}{
		{"known", Usage{Context: 5, Window: 9, Cost: Cost{0.5, "usd"}}, &acpv1.UsageUpdate{Used: 5, Size: 9, Cost: &acpv1.Cost{Amount: 0.5, Currency: "USD"}}},
		{"empty window", Usage{Window: 9}, &acpv1.UsageUpdate{Size: 9}},
		{"window unknown", Usage{Context: 5, InputTokens: 7, Cost: Cost{1, "USD"}}, nil},
		{"negative", Usage{Context: -1, Window: 9}, nil},
		{"no currency", Usage{Window: 9, Cost: Cost{Amount: 1}}, &acpv1.UsageUpdate{Size: 9}},
		{"no such currency", Usage{Window: 9, Cost: Cost{1, "$"}}, &acpv1.UsageUpdate{Size: 9}},
		{"no number", Usage{Window: 9, Cost: Cost{math.NaN(), "USD"}}, &acpv1.UsageUpdate{Size: 9}},
		{"infinite", Usage{Window: 9, Cost: Cost{math.Inf(1), "USD"}}, &acpv1.UsageUpdate{Size: 9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := usageUpdateOf(tt.usage)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != (tt.want != nil) {
				t.Errorf("%v; mismatch (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestMapMCPServers(t *testing.T) {
	const secret = "s3cret"
	got, dropped := mcpServersOf([]acpv1.MCPServer{
		&acpv1.MCPServerStdio{Name: "a", Command: "c", Args: []string{"x", ""}, Env: []acpv1.EnvVariable{
			{Name: "K", Value: secret}, {Name: "", Value: secret}, {Name: "A=B", Value: secret}, {Name: "N", Value: secret + "\x00"}, {Name: "E"},
		}},
		&acpv1.MCPServerHTTP{Name: "b", URL: "https://example.com/mcp", Headers: []acpv1.HTTPHeader{
			{Name: "x-key", Value: secret}, {Name: "X-Key", Value: "2"}, {Name: "a b", Value: secret}, {Name: "c", Value: secret + "\r\nHost: x"},
		}},
		&acpv1.MCPServerSSE{Name: "c", URL: "http://127.0.0.1:1/"},
		&acpv1.MCPServerSSE{Name: "c", URL: "http://127.0.0.1:2/" + secret},
		&acpv1.MCPServerHTTP{Name: "d", URL: "file:///" + secret},
		&acpv1.MCPServerHTTP{Name: "e", URL: "https://" + secret + "\x00"},
		&acpv1.MCPServerStdio{Name: "f"},
		&acpv1.MCPServerStdio{Command: secret},
		nil,
	})
	want := []MCPServer{
		&MCPStdio{Name: "a", Command: "c", Args: []string{"x", ""}, Env: []string{"K=" + secret, "E="}},
		&MCPHTTP{Name: "b", URL: "https://example.com/mcp", Headers: map[string][]string{"X-Key": {secret, "2"}}},
		&MCPSSE{Name: "c", URL: "http://127.0.0.1:1/"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	wantDropped := `malformed /0/env/1: environment variable: no process can have it
malformed /0/env/2: environment variable: no process can have it
malformed /0/env/3: environment variable: no process can have it
malformed /1/headers/2: header: it cannot be sent
malformed /1/headers/3: header: it cannot be sent
malformed /3/name: MCP server: another one has its name
malformed /4/url: MCP server: its URL is no HTTP URL
malformed /5/url: MCP server: its URL is no HTTP URL
malformed /6/command: MCP server: it has no command
malformed /7/name: MCP server: it has no name
malformed /8: MCP server: there is none
`
	if diff := cmp.Diff(wantDropped, reports(dropped)); diff != "" {
		t.Errorf("dropped: mismatch (-want +got):\n%s", diff)
	}
	if strings.Contains(reports(dropped), secret) {
		t.Error("a report holds a secret")
	}
}

func TestDroppedEscapesPointer(t *testing.T) {
	l := newLosses()
	l.at("a/b~c").index(3).add(DropMalformed, "x", "y", "")
	if got := (*l.list)[0].Path; got != "/a~1b~0c/3" {
		t.Errorf("got %q", got)
	}
}
