package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// agentFaults are the faults of acpagent, each with the scenario and the rule that must find it, and whether that is only a warning.
var agentFaults = []struct {
	fault, scenario, rule string
	warning               bool
}{
	{"noise", "handshake/version-1", "TR-3", false},
	{"headers", "handshake/version-1", "TR-3", false},
	{"pretty", "handshake/version-1", "TR-2", false},
	{"not-utf8", "prompts/text", "TR-1", false},
	{"batch", "handshake/version-1", "TR-5", false},
	{"no-jsonrpc", "sessions/new", "RPC-1", false},
	{"id-as-text", "handshake/version-1", "RPC-3", false},
	{"answer-twice", "sessions/new", "RPC-3", false},
	{"answer-notifications", "methods/unknown-notification", "RPC-2", false},
	{"answer-responses", "malformed/response", "ACT-1", false},
	{"result-and-error", "sessions/new", "RPC-1", false},
	{"code-as-text", "methods/unknown-request", "RPC-1", false},
	{"unanswered", "methods/unknown-extension", "RPC-5", false},
	{"unknown-is-internal", "methods/unknown-request", "ACT-6", false},
	{"invalid-is-internal", "malformed/missing-params", "ACT-5", false},
	{"parse-is-internal", "malformed/not-json", "ACT-1", false},
	{"dies-of-garbage", "malformed/not-json", "ACT-2", false},
	{"root-field", "prompts/text", "EXT-1", true},
	{"bare-method", "sessions/new", "EXT-2", false},
	{"stays", "shutdown/idle", "ACT-4", true},
	{"truncates", "volume/large-prompt", "ACT-10", false},
	{"echo-version", "handshake/version-65535", "INIT-3", false},
	{"version-as-text", "handshake/version-1", "schema", false},
	{"any-version", "handshake/version-wrong-type", "ACT-5", false},
	{"nameless", "handshake/version-1", "INIT-7", true},
	{"ignores-capabilities", "capabilities/no-read", "FS-1", false},
	{"ignores-capabilities", "capabilities/no-terminal", "TERM-1", false},
	{"ignores-capabilities", "capabilities/no-elicitation", "ELI-1", false},
	{"ignores-capabilities", "capabilities/no-boolean", "CFG-1", false},
	{"ignores-capabilities", "capabilities/no-notices", "NOTE-1", false},
	{"ignores-capabilities", "capabilities/no-notices", "COMP-1", false},
	{"any-login", "sessions/authenticate-unknown", "ACT-5", false},
	{"same-session-id", "sessions/new", "SESS-1", false},
	{"no-sessions", "sessions/new", "INIT-8", false},
	{"any-session", "sessions/prompt-unknown", "ACT-7", false},
	{"foreign-session", "prompts/text", "SESS-3", true},
	{"swaps-sessions", "concurrency/prompts", "ACT-9", false},
	{"refuses-servers", "sessions/stdio-server", "SESS-16", false},
	{"close-as-end", "sessions/close-running", "SESS-10", false},
	{"list-twice", "sessions/list", "LIST-3", false},
	{"list-everywhere", "sessions/list-cwd", "LIST-2", false},
	{"list-relative", "sessions/list", "LIST-3", false},
	{"list-endless", "sessions/list", "LIST-4", false},
	{"any-cursor", "sessions/list-bad-cursor", "LIST-5", true},
	{"keeps-deleted", "sessions/delete", "DEL-2", false},
	{"delete-once", "sessions/delete-unknown", "DEL-3", true},
	{"load-nothing", "load/load", "SESS-5", false},
	{"load-late", "load/load", "SESS-6", false},
	{"resume-replays", "load/resume", "SESS-8", false},
	{"refuses-prompts", "prompts/text", "INIT-8", false},
	{"refuses-links", "prompts/resource-link", "INIT-9", false},
	{"odd-stop-reason", "prompts/text", "TURN-3", false},
	{"cancel-ignored", "cancel/running", "CAN-2", false},
	{"cancel-as-error", "cancel/running", "CAN-2", false},
	{"cancel-as-end", "cancel/running", "CAN-2", false},
	{"late-update", "cancel/running", "CAN-3", false},
	{"sticky-cancel", "cancel/idle", "TURN-4", false},
	{"cancels-all", "cancel/one-of-two", "TURN-4", false},
	{"request-cancelled-as-internal", "cancel/request", "CAN-6", false},
	{"same-message-id", "prompts/think", "TURN-5", true},
	{"odd-currency", "prompts/updates", "TURN-6", false},
	{"fails-forever", "prompts/failure", "ACT-11", false},
	{"same-option-ids", "permissions/allowed", "PERM-2", false},
	{"writes-while-asking", "permissions/held", "PERM-4", false},
	{"writes-rejected", "permissions/rejected", "ACT-8", false},
	{"writes-unknown", "permissions/unknown-option", "ACT-8", false},
	{"writes-after-failure", "permissions/failed", "ACT-8", false},
	{"unannounced-tool", "prompts/tool", "TOOL-1", true},
	{"tool-twice", "prompts/tool", "TOOL-2", false},
	{"tool-reopened", "prompts/tool", "TOOL-3", true},
	{"tool-left-open", "prompts/tool", "TURN-3", true},
	{"relative-location", "prompts/read", "TOOL-4", false},
	{"line-zero", "prompts/read", "TOOL-4", false},
	{"ghost-terminal", "prompts/terminal", "TOOL-5", false},
	{"relative-path", "prompts/read", "FS-2", false},
	{"terminal-leak", "prompts/terminal", "TERM-5", false},
	{"terminal-after-release", "prompts/terminal", "TERM-7", false},
	{"relative-terminal", "prompts/terminal", "TERM-2", false},
	{"odd-form", "prompts/elicit", "ELI-8", true},
	{"mode-unlisted", "sessions/new", "MODE-2", true},
	{"any-mode", "settings/mode-unknown", "ACT-12", false},
	{"option-unlisted", "sessions/new", "CFG-5", false},
	{"options-partial", "settings/options", "CFG-2", false},
	{"option-stuck", "settings/options", "ACT-12", false},
	{"any-option", "settings/option-unknown", "ACT-12", false},
}

// TestSuiteFaults shows that each way in which an agent can be broken is found by the right rule. That a sound agent passes the same scenarios is shown by
// TestSuiteAgent.
func TestSuiteFaults(t *testing.T) {
	agent := buildTool(t, "acpagent")
	for _, test := range agentFaults {
		t.Run(test.fault+"/"+test.rule, func(t *testing.T) {
			t.Parallel()
			timeout := "4s"
			if test.scenario == "handshake/version-1" {
				timeout = "1s" // six of them for a handshake that is not answered
			}
			results, status := runSuite(t, "test", "--timeout", timeout, "--suite", test.scenario, "--", agent, "--fault", test.fault)
			if len(results) != 1 {
				t.Fatalf("%d results, want 1", len(results))
			}
			r := results[0]
			want, wantStatus := "failed", 1
			if test.warning {
				want, wantStatus = "warned", 0
			}
			if r.Outcome != want || status != wantStatus {
				t.Errorf("%s %s, exit status %d; want %s, %d: %+v", test.scenario, r.Outcome, status, want, wantStatus, r.Findings)
			}
			if !slices.ContainsFunc(r.Findings, func(f suiteFinding) bool { return f.Rule == test.rule && (f.Severity == "warning" || !test.warning) }) {
				t.Errorf("%s is not found: %+v", test.rule, r.Findings)
			}
		})
	}
}

// TestSuiteFaultsComplete keeps the table complete.
func TestSuiteFaultsComplete(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), buildTool(t, "acpagent"), "--fault", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for line := range strings.Lines(string(listed)) {
		name := strings.Fields(line)[0]
		known++
		if !slices.ContainsFunc(agentFaults, func(f struct {
			fault, scenario, rule string
			warning               bool
		}) bool {
			return f.fault == name
		}) {
			t.Errorf("no scenario is to find %s", name)
		}
	}
	if known < 30 {
		t.Errorf("%d faults, want 30 or more", known)
	}
}
