package conform_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acpwire/acpwire/acp/conform"
	"github.com/acpwire/acpwire/gen/wire"
)

var verbose = flag.Bool("corpus", false, "print each finding on recorded traffic")

// shared returns what lies beside the module, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded traffic: %v", err)
	}
	return path
}

var sideOf = map[string]wire.Side{"c2a": wire.ClientSide, "a2c": wire.AgentSide}

type recorded struct {
	Dir, Raw string
	T        float64
}

// argued are the errors that agents make in recorded traffic, each looked at: why it is one.
var argued = map[string]string{
	"acpx-0.19.1--copilot-1.0.102 agent CFG-6":   "the category permissions has no underscore",
	"copilot-1.0.102 agent CFG-6":                "the category permissions has no underscore",
	"codex-acp-2.6.0 agent CFG-6":                "the category collaboration_mode has no underscore",
	"acpx-0.19.1--kimi-code-2.1.0 agent INIT-10": "a terminal method for a client without auth.terminal",
	"kimi-code-2.1.0 agent INIT-10":              "a terminal method for a client without auth.terminal",
	"claude-agent-acp-old-0.25.3 agent CFG-5":    "takes over a value that it does not offer, and announces it as current",
	"claude-agent-acp-old-0.25.3 agent RPC-3":    "echoes ids that are none, and rounds large ones",
	"codex-acp-2.6.0 agent RPC-3":                "echoes ids that are none, and rounds large ones",
	"copilot-1.0.102 agent RPC-3":                "echoes ids that are none",
	"gemini-cli-0.61.0 agent RPC-3":              "echoes ids that are none, and rounds large ones",
	"kimi-code-2.1.0 agent RPC-3":                "echoes ids that are none, and rounds large ones",
	"codex-acp-2.6.0 agent CAN-3":                "the update of a call of a cancelled turn comes after the turn's response",
	"codex-acp-2.6.0 agent TOOL-5":               "shows terminals of its own to a client that knows of none",
	"gemini-cli-0.61.0 agent SESS-6":             "answers session/load before its replay",
	"gemini-cli-0.61.0 agent TOOL-4":             "a diff with a relative path in a replay",
	"opencode-1.18.33 agent SESS-10":             "an update after its own response to session/close",
	"acpx-0.19.1--copilot-1.0.102 client MODE-1": "sets a mode that the agent does not offer",
}

// wrongOnPurpose are the rules that the recorder of the traffic breaks to see what agents do.
var wrongOnPurpose = []string{
	"AUTH-1", "AUTH-2", "CAN-7", "CFG-4", "DEL-1", "EXT-2", "INIT-1", "INIT-4", "LIST-1", "LIST-4", "MODE-1", "PERM-1", "RPC-1", "RPC-3", "RPC-4", "SESS-11",
	"SESS-12", "SESS-15", "SESS-7", "SESS-9", "TR-2", "TR-4", "TR-5", "TURN-1", "schema",
}

// TestCorpus runs over recorded traffic. Every error of an agent, and of a client that is not the recorder, was looked at; one of a new kind fails the test.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "corpus"), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	counts, kinds := map[string]int{}, map[string]bool{}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		peer := name[:strings.LastIndexByte(name, '.')]
		for _, f := range runRecording(t, path) {
			counts[fmt.Sprintf("%-8s %-7s %s", f.Rule, f.Severity, f.By)]++
			if *verbose {
				t.Logf("%s: %v", name, f)
			}
			if f.Severity != conform.Error || f.By == wire.ClientSide && !strings.HasPrefix(name, "acpx") && slices.Contains(wrongOnPurpose, f.Rule) {
				continue
			}
			kind := fmt.Sprintf("%s %s %s", peer, f.By, f.Rule)
			kinds[kind] = true
			if argued[kind] == "" {
				t.Errorf("%s: not argued: %v", name, f)
			}
		}
	}
	for kind := range argued {
		if !kinds[kind] {
			t.Errorf("%s was argued and is not found any more", kind)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5d %s", counts[k], k)
	}
}

func runRecording(t *testing.T, path string) (out []conform.Finding) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := conform.New(nil)
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var entry recorded
		if err := json.Unmarshal(text, &entry); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
		c.At(time.Duration(entry.T * float64(time.Millisecond)))
		out = append(out, c.Frame(sideOf[entry.Dir], []byte(entry.Raw))...)
	}
	return append(out, c.End()...)
}
