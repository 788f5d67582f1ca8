package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/tools/acpcheck/internal/suite"
)

// fakeClient is the first argument that makes TestFakeClient a client. The second is a fault, or "none"; the third is the one prompt that the client is to send, or empty
// for all.
const fakeClient = "fake-client"

// TestFakeClient is no test. It is the client of TestSuiteClientFaults: it speaks on standard streams and sends the prompts of all scenarios, one after the other.
func TestFakeClient(t *testing.T) {
	args := flag.Args()
	if len(args) != 3 || args[0] != fakeClient {
		t.Skip("this is a program for TestSuiteClientFaults")
	}
	c := &faultyClient{fault: args[1], prompt: args[2], in: bufio.NewReaderSize(os.Stdin, 1<<20)}
	c.run()
	os.Exit(0) // before the test prints anything
}

// A faultyClient has a file in memory and no terminal.
type faultyClient struct {
	fault, prompt string
	in            *bufio.Reader
	ids           int
	file          string
	cwd           string
}

type anyObject = map[string]any

func (c *faultyClient) run() {
	caps := anyObject{"fs": anyObject{"readTextFile": true, "writeTextFile": true}}
	c.call("initialize", anyObject{"protocolVersion": 1, "clientCapabilities": caps, "clientInfo": anyObject{"name": "fake", "version": "1"}})
	c.cwd, _ = os.Getwd()
	cwd := c.cwd
	if c.fault == "relative-cwd" {
		cwd = "here"
	}
	r := c.call("session/new", anyObject{"cwd": cwd, "mcpServers": []any{}})
	session, _ := r["sessionId"].(string)
	for _, s := range suite.ClientScenarios() {
		id := s.Area + "/" + s.Name
		if id == c.prompt || c.prompt == "" && id != "turns/cancel" && id != "permissions/cancelled" {
			c.call("session/prompt", anyObject{"sessionId": session, "prompt": []any{anyObject{"type": "text", "text": id}}})
		}
	}
}

func (c *faultyClient) write(m anyObject) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err != nil {
		os.Exit(4)
	}
	fmt.Fprintf(os.Stdout, "%s\n", b)
}

// call sends a request and serves the agent until the answer has come.
func (c *faultyClient) call(method string, params anyObject) anyObject {
	c.ids++
	c.write(anyObject{"id": c.ids, "method": method, "params": params})
	for {
		line, err := c.in.ReadBytes('\n')
		if err != nil {
			os.Exit(5)
		}
		var m anyObject
		if json.Unmarshal(line, &m) != nil {
			c.malformed(line)
			continue
		}
		if _, isCall := m["method"]; isCall {
			c.serve(m)
			continue
		}
		if id, ok := m["id"].(float64); ok && int(id) == c.ids {
			result, _ := m["result"].(anyObject)
			return result
		}
		if m["id"] == nil {
			c.refuse(anyObject{"id": nil}, -32600)
		}
	}
}

func (c *faultyClient) malformed(line []byte) {
	switch {
	case c.fault == "dies-of-garbage":
		os.Exit(3)
	case len(strings.TrimSpace(string(line))) == 0:
	case json.Valid(line):
		c.refuse(anyObject{"id": nil}, -32600)
	default:
		c.refuse(anyObject{"id": nil}, -32700)
	}
}

func (c *faultyClient) refuse(m anyObject, code int) {
	c.write(anyObject{"id": m["id"], "error": anyObject{"code": code, "message": "no"}})
}

func (c *faultyClient) answer(m, result anyObject) {
	id := m["id"]
	if c.fault == "id-as-text" {
		id = fmt.Sprint(id)
	}
	c.write(anyObject{"id": id, "result": result})
}

func (c *faultyClient) serve(m anyObject) {
	p, _ := m["params"].(anyObject)
	method, isText := m["method"].(string)
	_, isRequest := m["id"]
	switch {
	case !isText:
		c.refuse(m, -32600)
	case !isRequest:
		if u, _ := p["update"].(anyObject); c.fault == "dies-of-unknown" && u["sessionUpdate"] == "kind_of_the_future" {
			os.Exit(3)
		}
		if c.fault == "answers-notifications" && strings.HasPrefix(method, "_acpcheck/") {
			c.refuse(anyObject{"id": nil}, -32601)
		}
	case method == "session/request_permission":
		c.permission(m, p)
	case method == "fs/write_text_file":
		c.file, _ = p["content"].(string)
		c.answer(m, anyObject{})
	case method == "fs/read_text_file":
		c.read(m, p)
	case c.fault == "answers-everything":
		c.answer(m, anyObject{})
	case c.fault == "deaf" && method == "_acpcheck/unknown":
	default:
		c.refuse(m, -32601)
	}
}

func (c *faultyClient) permission(m, p anyObject) {
	call, _ := p["toolCall"].(anyObject)
	options, hasOptions := p["options"].([]any)
	_, hasID := call["toolCallId"]
	session, _ := p["sessionId"].(string)
	outcome := anyObject{"outcome": "selected", "optionId": "yes"}
	switch {
	case c.fault != "any-params" && (!hasOptions || !hasID || session == ""):
		c.refuse(m, -32602)
		return
	case c.fault == "unoffered-option":
		outcome["optionId"] = "maybe"
	case c.fault == "cancels-questions", hasOptions && len(options) == 0:
		outcome = anyObject{"outcome": "cancelled"}
	}
	c.answer(m, anyObject{"outcome": outcome})
}

func (c *faultyClient) read(m, p anyObject) {
	path, _ := p["path"].(string)
	if !strings.HasPrefix(path, c.cwd) || strings.Contains(path, "no-such") {
		if c.fault != "reads-everything" {
			c.refuse(m, -32002)
			return
		}
	}
	lines := strings.SplitAfter(c.file, "\n")
	if line, ok := p["line"].(float64); ok && c.fault != "ignores-lines" {
		lines = lines[min(int(line)-1, len(lines)):]
	}
	if limit, ok := p["limit"].(float64); ok && c.fault != "ignores-lines" {
		lines = lines[:min(int(limit), len(lines))]
	}
	c.answer(m, anyObject{"content": strings.Join(lines, "")})
}

// clientFaults are the faults of the fake client, each with the scenario and the rule that must find it.
var clientFaults = []struct{ fault, scenario, rule string }{
	{"unoffered-option", "permissions/ask", "PERM-1"},
	{"cancels-questions", "permissions/ask", "PERM-3"},
	{"any-params", "methods/params", "ACT-5"},
	{"ignores-lines", "files/write-read", "FS-4"},
	{"reads-everything", "files/missing", "ACT-5"},
	{"reads-everything", "files/outside", "FS-5"},
	{"answers-everything", "methods/unknown", "ACT-6"},
	{"answers-everything", "elicitation/unadvertised", "ELI-2"},
	{"deaf", "methods/unknown", "RPC-5"},
	{"id-as-text", "permissions/ask", "RPC-3"},
	{"answers-notifications", "methods/unknown", "RPC-2"},
	{"dies-of-garbage", "methods/malformed", "ACT-2"},
	{"dies-of-unknown", "updates/unknown", "ACT-2"},
	{"relative-cwd", "client/connection", "SESS-11"},
}

func runFakeClient(t *testing.T, fault, prompt string) []suiteResult {
	t.Helper()
	results, _ := runSuite(t, "test-client", "--timeout", "2s", "--", os.Args[0], "-test.run=^TestFakeClient$", "--", fakeClient, fault, prompt)
	return results
}

// TestSuiteClientFaults shows that each way in which the fake client can be broken is found.
func TestSuiteClientFaults(t *testing.T) {
	for _, test := range clientFaults {
		t.Run(test.fault+"/"+test.rule, func(t *testing.T) {
			t.Parallel()
			results := runFakeClient(t, test.fault, test.scenario)
			i := slices.IndexFunc(results, func(r suiteResult) bool { return r.id() == test.scenario })
			if i < 0 {
				t.Fatalf("%s did not run: %+v", test.scenario, results)
			}
			if !slices.ContainsFunc(results[i].Findings, func(f suiteFinding) bool { return f.Rule == test.rule }) {
				t.Errorf("%s is not found: %s %s %+v", test.rule, results[i].Outcome, results[i].Why, results[i].Findings)
			}
		})
	}
}

// TestSuiteClient runs everything against clients that are sound: the fake one, on its standard streams, and acprun, which starts its agent itself.
func TestSuiteClient(t *testing.T) {
	t.Run("standard streams", func(t *testing.T) {
		t.Parallel()
		want := map[string]string{
			"turns/cancel": "not exercised", "permissions/cancelled": "not exercised", "elicitation/form": "not exercised",
			"terminals/run": "not exercised", "terminals/kill": "not exercised", "terminals/limit": "not exercised", "terminals/unknown": "not exercised",
		}
		if diff := cmp.Diff(want, outcomes(t, runFakeClient(t, "none", ""))); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
	t.Run("acprun", func(t *testing.T) {
		t.Parallel()
		// Clients start what they find as os.Executable, which in a test is the test.
		out, err := exec.CommandContext(t.Context(), buildTool(t, "acpcheck"), "test-client", "--format", "json", "--", buildTool(t, "acprun"),
			"--cwd", t.TempDir(), "--permission", "allow", "--timeout", "4s", "{prompt}", "--", "{agent...}").Output()
		if err != nil {
			t.Errorf("acpcheck: %v", err)
		}
		results := suiteResults(t, string(out))
		want := map[string]string{"permissions/cancelled": "not exercised", "files/unadvertised": "not exercised", "elicitation/form": "not exercised"}
		if diff := cmp.Diff(want, outcomes(t, results)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}
