package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeAgent is the first argument that makes TestFakeAgent an agent. The second is what is odd about it.
const fakeAgent = "fake-agent"

// TestFakeAgent is no test. It is the agent of the tests in this file: it has sessions and no capabilities, and says hello.
func TestFakeAgent(t *testing.T) {
	args := flag.Args()
	if len(args) < 2 || args[0] != fakeAgent {
		t.Skip("this is a program for tests of acpcheck test")
	}
	a := &oddAgent{odd: args[1], loggedIn: args[1] != "login"}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for line, err := in.ReadBytes('\n'); err == nil; line, err = in.ReadBytes('\n') {
		a.take(line)
	}
	os.Exit(0) // before the test prints anything
}

type oddAgent struct {
	odd      string
	sessions int
	loggedIn bool
}

func (a *oddAgent) write(m anyObject) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		os.Exit(4)
	}
	fmt.Fprintf(os.Stdout, "%s\n", b)
}

func (a *oddAgent) take(line []byte) {
	var m struct {
		ID     any
		Method string
		Params struct {
			SessionID, MethodID string
		}
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return
	}
	refuse := func(code int) { a.write(anyObject{"id": m.ID, "error": anyObject{"code": code, "message": "no"}}) }
	answer := func(result anyObject) { a.write(anyObject{"id": m.ID, "result": result}) }
	if a.odd == "slow" {
		time.Sleep(20 * time.Millisecond) // another process has no clock of ours
	}
	switch {
	case m.Method == "initialize":
		answer(anyObject{"protocolVersion": 1, "agentInfo": anyObject{"name": "odd", "version": "1"}, "agentCapabilities": anyObject{}, "authMethods": []any{anyObject{"id": "token", "name": "Token"}}})
	case m.Method == "authenticate" && m.Params.MethodID == "token":
		a.loggedIn = true
		answer(anyObject{})
	case m.Method == "session/new" && !a.loggedIn:
		refuse(-32000)
	case m.Method == "session/new":
		a.sessions++
		answer(anyObject{"sessionId": fmt.Sprint("session-", a.sessions)})
	case m.Method == "session/prompt" && a.odd == "dies":
		fmt.Fprintln(os.Stderr, "a first line\npanic: out of ideas")
		os.Exit(7)
	case m.Method == "session/prompt" && a.odd == "mute":
	case m.Method == "session/prompt":
		a.write(anyObject{"method": "session/update", "params": anyObject{"sessionId": m.Params.SessionID, "update": anyObject{
			"sessionUpdate": "agent_message_chunk", "content": anyObject{"type": "text", "text": "hello"},
		}}})
		answer(anyObject{"stopReason": "end_turn"})
	default:
		refuse(-32601)
	}
}

func oddCommand(odd string) []string {
	return []string{"--", os.Args[0], "-test.run=^TestFakeAgent$", "--", fakeAgent, odd}
}

func shell(t *testing.T) string {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("no shell: %v", err)
	}
	return sh
}

// TestSuiteOddAgents shows what becomes of scenarios with agents that lack or break something.
func TestSuiteOddAgents(t *testing.T) {
	tests := []struct {
		name, odd string
		flags     []string
		want      map[string]string // scenarios that have not passed
		status    int
		says      string // in a reason or a message
	}{
		{"needs a login", "login", []string{"--suite", "prompts/text,methods/ids"}, map[string]string{"prompts/text": "not exercised"}, 0, "choose a way with --auth: token"},
		{"is logged in", "login", []string{"--suite", "prompts/text", "--auth", "token"}, map[string]string{}, 0, ""},
		{"is logged in wrongly", "login", []string{"--suite", "prompts/text,methods/ids", "--auth", "x"}, map[string]string{"prompts/text": "not exercised"}, 0, `refuses the login "x"`},
		{"does not load", "", []string{"--suite", "load/load,prompts/text"}, map[string]string{"load/load": "not exercised"}, 0, "does not advertise loadSession"},
		{"never asks", "", []string{"--suite", "permissions/allowed,permissions/rejected,prompts/text"}, map[string]string{"permissions/allowed": "not exercised", "permissions/rejected": "not exercised"},
			0, "did not call session/request_permission"},
		{"dies in a turn", "dies", []string{"--suite", "prompts/text"}, map[string]string{"prompts/text": "failed"}, 1,
			"the agent ended with exit status 7; the last that it wrote to standard error: panic: out of ideas"},
		{"takes its time", "slow", []string{"--suite", "methods/pipelined,concurrency/new", "--timeout", "2s"}, map[string]string{}, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			results, status := runSuite(t, "test", slices.Concat(test.flags, oddCommand(test.odd))...)
			if diff := cmp.Diff(test.want, outcomes(t, results)); diff != "" || status != test.status {
				t.Errorf("exit status %d, want %d; mismatch (-want +got):\n%s", status, test.status, diff)
			}
			if !strings.Contains(fmt.Sprintf("%+v", results), test.says) {
				t.Errorf("%q is not said in %+v", test.says, results)
			}
		})
	}
}

// TestSuiteGivesUp shows that what an agent never answers is waited for in a few scenarios only, and that no scenario that has not happened passes.
func TestSuiteGivesUp(t *testing.T) {
	for _, odd := range []string{"mute", "silent"} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			command := oddCommand(odd)
			if odd == "silent" {
				command = []string{"--", shell(t), "-c", "sleep 600"}
			}
			results, status := runSuite(t, "test", slices.Concat([]string{"--jobs", "1", "--timeout", "100ms", "--suite", "prompts,permissions"}, command)...)
			tally := map[string]int{}
			for i := range results {
				tally[results[i].Outcome]++
			}
			if tally["passed"] > 0 || tally["failed"] != 3 || tally["not exercised"] != len(results)-3 || status != 1 {
				t.Errorf("exit status %d, outcomes %v; want 3 that failed and no other that was exercised", status, tally)
			}
		})
	}
}

// TestSuiteCannotStart shows that nothing is tested, and nothing passes, where the program does not start.
func TestSuiteCannotStart(t *testing.T) {
	for _, args := range [][]string{{"test", "--", "./no-such-program"}, {"test-client", "--", "./no-such-program"}, {"test-client", "--", "./no-such-program", "{prompt}"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			out, status, err := acpcheck(t, strings.NewReader(""), args...)
			if status != 2 || out != "" || !strings.Contains(fmt.Sprint(err), "cannot start ./no-such-program") {
				t.Errorf("exit status %d, %v, %q; want 2 and that it cannot start", status, err, out)
			}
		})
	}
	t.Run("nothing exercised", func(t *testing.T) {
		out, status, err := acpcheck(t, strings.NewReader(""), slices.Concat([]string{"test", "--suite", "load"}, oddCommand(""))...)
		if status != 2 || !strings.Contains(fmt.Sprint(err), "no scenario was exercised") || !strings.Contains(out, "load/load load/load-user") {
			t.Errorf("exit status %d, %v, %s", status, err, out)
		}
	})
}

// TestSuiteLeavesNoProcess shows that what an agent has started ends with its scenario.
func TestSuiteLeavesNoProcess(t *testing.T) {
	t.Parallel()
	sh, file := shell(t), filepath.Join(t.TempDir(), "pids")
	script := `sleep 600 & echo $! >> "$0"; sleep 600 & echo $! >> "$0"; wait`
	_, status := runSuite(t, "test", "--timeout", "200ms", "--suite", "handshake/version-1,shutdown/unused", "--", sh, "-c", script, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(text))
	if len(pids) != 4 || status != 1 {
		t.Fatalf("exit status %d, processes %v; want 1 and 4 processes", status, pids)
	}
	for _, pid := range pids {
		// A process that has been killed may take a moment to go, and its new parent one to notice.
		for range 50 {
			state, err := exec.CommandContext(t.Context(), "ps", "-o", "stat=", "-p", pid).Output()
			if err != nil || strings.HasPrefix(string(state), "Z") {
				pid = ""
				break
			}
			_ = exec.CommandContext(t.Context(), "sleep", "0.1").Run()
		}
		if pid != "" {
			t.Errorf("process %s is left behind", pid)
		}
	}
}

// TestSuiteReproduction pastes the command that a report names, which must show the same again.
func TestSuiteReproduction(t *testing.T) {
	t.Parallel()
	sh, dir := shell(t), t.TempDir()
	self := filepath.Join(dir, "it's acpcheck 100%s")
	prompts := filepath.Join(dir, "a 'map' %s.yaml")
	if err := os.WriteFile(prompts, []byte("text: hello $HOME\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(buildTool(t, "acpcheck"), self); err != nil {
		t.Skipf("a link to acpcheck cannot be made: %v", err)
	}
	run := func(cmd *exec.Cmd) (failed, again string) {
		t.Helper()
		cmd.Dir = dir
		out, _ := cmd.Output()
		if cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("%q: %v\n%s", cmd.Args, cmd.ProcessState, out)
		}
		for line := range strings.Lines(string(out)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "FAILED ") {
				failed = line
			}
			if rest, ok := strings.CutPrefix(line, "again: "); ok {
				again = rest
			}
		}
		return failed, again
	}
	args := slices.Concat([]string{"test", "--prompt-map", prompts, "--timeout", "20s", "--suite", "prompts/text,prompts/meta,methods/ids"}, oddCommand("dies"), []string{"it's", "$(echo)", ""})
	failed, again := run(exec.CommandContext(t.Context(), self, args...))
	if failed == "" || again == "" {
		t.Fatal("nothing has failed, or there is no command to see it again")
	}
	failedAgain, same := run(exec.CommandContext(t.Context(), sh, "-c", again))
	if failedAgain != failed || same != again {
		t.Errorf("%s shows\n%s\n%s\nwant\n%s\n%s", again, failedAgain, same, failed, again)
	}
}
