package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/tools/internal/mutate"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newCollection(t *testing.T) *collection {
	return &collection{judge: testJudge(t), seeds: mutate.Seeds{}, seen: map[string]bool{}}
}

func (c *collection) texts() map[string][]string {
	texts := map[string][]string{}
	for def, values := range c.seeds {
		for _, v := range values {
			texts[def] = append(texts[def], v.String())
		}
	}
	return texts
}

func TestCorpusSeeds(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"one.jsonl": `{"dir":"c2a","raw":"{\"id\":1,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":1.0}}"}
{"dir":"a2c","raw":"{\"id\":1,\"method\":\"fs/read_text_file\",\"params\":{\"path\":\"/a\"}}"}
{"dir":"a2c","raw":"{\"method\":\"session/update\",\"params\":{\"update\":{},\"update\":null}}"}
{"dir":"a2c","raw":"not JSON"}
{"dir":"a2c","raw":"{\"method\":\"_own/update\",\"params\":{}}"}
{"dir":"c2a","raw":"{\"id\":1,\"result\":{\"content\":\"text\"}}"}
{"dir":"a2c","raw":"{\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}"}
{"dir":"a2c","raw":"{\"id\":2,\"result\":{\"stopReason\":\"refusal\"}}"}
{"dir":"c2a","raw":"{\"id\":3,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":1.0}}"}
`,
		"other.txt": "not read",
	})
	c := newCollection(t)
	if err := c.corpus(dir, acpv1.Surface); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"PromptRequest":        {`{"sessionId":"s","prompt":1.0}`},
		"ReadTextFileRequest":  {`{"path":"/a"}`},
		"SessionNotification":  {`{"update":{},"update":null}`},
		"ReadTextFileResponse": {`{"content":"text"}`},
		"PromptResponse":       {`{"stopReason":"end_turn"}`},
	}
	if diff := cmp.Diff(want, c.texts()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestCorpusError(t *testing.T) {
	dir := writeFiles(t, map[string]string{"bad.jsonl": "{\"dir\":\"c2a\",\"raw\":\"{}\"}\n{\n"})
	err := newCollection(t).corpus(dir, acpv1.Surface)
	if err == nil || !strings.Contains(err.Error(), "bad.jsonl:2: ") {
		t.Errorf("got error %v, want one that names bad.jsonl:2", err)
	}
}

func TestGoldenSeeds(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"SessionID.min.json":             `"s"`,
		"AgentMessageChunk.full.json":    `{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}}`,
		"SessionConfigOption.X.min.json": `{"type": "boolean", "currentValue": true, "id": "", "name": ""}`,
		"UnknownContentBlock.min.json":   `{"type": "video"}`,
		"Cost.full.json":                 `{"amount": 1, "currency": "` + strings.Repeat("x", maxSeed) + `"}`,
	})
	c := newCollection(t)
	if err := c.goldens(dir); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"SessionId":           {`"s"`},
		"SessionUpdate":       {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""}}`},
		"SessionConfigOption": {`{"type":"boolean","currentValue":true,"id":"","name":""}`},
		// The tag of this block is one that elicitation schemas leave open.
		"ElicitationPropertySchema": {`{"type":"video"}`},
		"MultiSelectItems":          {`{"type":"video"}`},
	}
	if diff := cmp.Diff(want, c.texts()); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestGoldenError(t *testing.T) {
	dir := writeFiles(t, map[string]string{"SessionID.min.json": `"s`})
	if err := newCollection(t).goldens(dir); err == nil || !strings.Contains(err.Error(), "SessionID.min.json") {
		t.Errorf("got error %v, want one that names the file", err)
	}
}
