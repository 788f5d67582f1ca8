package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp/conform"
)

// rigSummary is what the rig's client prints.
type rigSummary struct {
	Ok     bool
	Steps  []rigStep
	Checks []rigCheck
	Errors []json.RawMessage
	Wire   rigWire
}

type rigStep struct {
	Step    string
	Ok      bool
	Skipped string
	Result  json.RawMessage
}

type rigCheck struct {
	Name   string
	Pass   bool
	Detail json.RawMessage
}

const (
	// rigSteps are all steps that the rig's client knows, in the order in which "all" runs them.
	rigSteps = "auth,new,list,set_mode,set_config,prompt,ext,ext_notify,cancel,rpc_cancel,close,resume,load,prompt,delete,list,logout"
	noClient = `{}`
)

// drivesOurAgent runs acpagent under the rig's client.
func (r rig) drivesOurAgent(t *testing.T) {
	agent := build(t, t.TempDir(), "acpagent", true)
	prompts := func(texts ...string) (args []string) {
		for _, text := range texts {
			args = append(args, "--prompt", text)
		}
		return args
	}
	everything := prompts("hello", "/help", "/echo x", "/think x", "/stream 50", "/image", "/write new.txt text", "/edit new.txt text more", "/read new.txt", "/read missing.txt", "/run echo out; exit 3",
		"/ask", "/elicit form", "/elicit url", "/plan", "/mode plan", "/plan", "/mode ask", "/model parrot", "/usage", "/mcp", "/tool", "/updates", "/stop refusal")
	tests := []struct {
		name  string
		steps string
		args  []string
		agent []string
		want  string // the text of the last prompt that is not cancelled; not looked at if empty
	}{
		{"plain", rigSteps, prompts("hello"), nil, ""},
		{"permission allow", rigSteps, append(everything, "--permission", "allow"), nil, ""},
		{"permission reject", rigSteps, append(everything, "--permission", "reject"), nil, ""},
		{"permission cancel", rigSteps, append(everything, "--permission", "cancel"), nil, ""},
		{"permission always", "new,prompt", append(prompts("/ask"), "--permission", "allow_always"), nil, "Your answer: allow_always."},
		{"permission never", "new,prompt", append(prompts("/ask"), "--permission", "reject_always"), nil, "Your answer: reject_always."},
		{"permission allowed", "new,prompt", append(prompts("/write new.txt text"), "--permission", "allow"), nil, "Wrote 4 bytes to new.txt."},
		{"permission rejected", "new,prompt", append(prompts("/write new.txt text"), "--permission", "reject"), nil, "Not written: you did not allow it."},
		{"permission hold, cancel", "new,cancel,prompt", []string{"--permission", "hold", "--cancel-prompt", "/ask"}, nil, "You said: hello"},
		{"permission hold, rpc_cancel", "new,rpc_cancel,prompt", []string{"--permission", "hold", "--cancel-prompt", "/ask"}, nil, "You said: hello"},
		{"cancel a command", "new,cancel,rpc_cancel,prompt", []string{"--permission", "allow", "--cancel-prompt", "/run sleep 600"}, nil, "You said: hello"},
		{"cancel a running command", "new,cancel,rpc_cancel,prompt", []string{"--permission", "allow_always", "--cancel-prompt", "/run sleep 600", "--cancel-after", "2"}, nil, ""},
		{"no capabilities", rigSteps, append(everything, "--caps", noClient), nil, ""},
		{"elicitation accept", "new,prompt", append(prompts("/elicit url", "/elicit form"), "--elicitation", "accept"), nil, "You accepted cone=true extras=nuts flavour=lemon name=rig scoops=2."},
		{"elicitation decline", "new,prompt", append(prompts("/elicit url", "/elicit form"), "--elicitation", "decline"), nil, "You declined."},
		{"elicitation cancel", "new,prompt", append(prompts("/elicit url", "/elicit form"), "--elicitation", "cancel"), nil, "You cancelled."},
		{"login required", "new", []string{"--expect-error", "new:-32000"}, []string{"--require-auth"}, ""},
		{"login", rigSteps, nil, []string{"--require-auth"}, ""},
		{"refused", "new,prompt", append(prompts("/fail -32042 no"), "--expect-error", "prompt:-32042"), nil, ""},
		{"unknown session", "resume", []string{"--session", "none", "--expect-error", "resume:-32002"}, nil, ""},
		{"unknown extension", "ext", []string{"--ext-method", "_rig/none", "--expect-error", "ext:-32601"}, nil, ""},
		{"later version", "new,prompt", []string{"--protocol-version", "2"}, nil, "You said: hello"},
		{"more directories and a server", rigSteps, []string{"--additional-dir", "/a", "--mcp", `[{"name":"m","command":"/bin/m","args":[],"env":[]}]`}, nil, ""},
		{"blocks", "new,prompt", []string{"--prompt-json", `[{"type":"text","text":"see"},{"type":"resource_link","uri":"file:///a","name":"a"},{"type":"image","mimeType":"image/png","data":"AA=="}]`}, nil,
			"You said: see [link: file:///a] [image: image/png]"},
		{"burst", "new,prompt", prompts("/stream 2000"), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := slices.Concat([]string{"ts-client.mjs", "--cwd", t.TempDir(), "--steps", tt.steps, "--cancel-prompt", "/slow", "--ext-method", methodEcho}, tt.args,
				[]string{"--", agent}, tt.agent)
			s := r.runClient(t, args)
			ran := []string{}
			for _, step := range s.Steps[1:] {
				ran = append(ran, step.Step)
				if step.Skipped != "" {
					t.Errorf("step %s was skipped: %s", step.Step, step.Skipped)
				}
			}
			if got := strings.Join(ran, ","); got != tt.steps {
				t.Errorf("steps %s, want %s", got, tt.steps)
			}
			if said := lastSaid(s.Steps); tt.want != "" && said != tt.want {
				t.Errorf("the agent says %q, want %q", said, tt.want)
			}
		})
	}
}

// methodEcho is acpagent's extension request.
const methodEcho = "_acpagent/echo"

// runClient runs the rig's client and fails the test for whatever it finds.
func (r rig) runClient(t *testing.T, args []string) rigSummary {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTimeout)
	defer cancel()
	record := filepath.Join(t.TempDir(), "frames.jsonl")
	cmd := exec.CommandContext(ctx, requireNode(t), slices.Insert(slices.Clone(args), 1, "--frames", record)...)
	cmd.Dir = string(r)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var s rigSummary
	if jsonErr := json.Unmarshal(stdout.Bytes(), &s); jsonErr != nil || len(s.Steps) == 0 {
		t.Fatalf("the rig's client: %v, %v\n%s\n%s", err, jsonErr, stdout.Bytes(), stderr.Bytes())
	}
	if err != nil || !s.Ok {
		t.Errorf("the rig's client: %v\n%s", err, stderr.Bytes())
	}
	for _, e := range s.Errors {
		t.Errorf("error: %s", e)
	}
	for _, c := range s.Checks {
		if !c.Pass {
			t.Errorf("failed check: %s %s", c.Name, c.Detail)
		}
	}
	s.Wire.require(t, every)
	requireNoErrors(t, judgeRecord(t, record, &conform.Options{Closed: true}))
	return s
}

// lastSaid is the text of the last prompt.
func lastSaid(steps []rigStep) string {
	for _, s := range slices.Backward(steps) {
		var one struct{ Text string }
		var many []struct{ Text string }
		switch {
		case s.Step != "prompt":
		case json.Unmarshal(s.Result, &many) == nil && len(many) > 0:
			return many[len(many)-1].Text
		case json.Unmarshal(s.Result, &one) == nil:
			return one.Text
		}
	}
	return ""
}
