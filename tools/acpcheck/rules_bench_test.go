package main

import (
	"bytes"
	"io"
	"testing"
)

// BenchmarkRules compares a run that follows the conversation with one that judges each frame by itself.
func BenchmarkRules(b *testing.B) {
	in := append([]byte(opening), traffic(b, 16<<20, true)...)
	for name, args := range map[string][]string{"off": {"--rules=false"}, "on": nil} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(b.Context(), append([]string{"validate", "--judge", "generated"}, args...), bytes.NewReader(in), io.Discard, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// opening starts the session that the traffic is about.
const opening = `{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"a\",\"version\":\"1\"}}}"}
{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\",\"mcpServers\":[]}}"}
{"dir":"a2c","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"session-1\"}}"}
{"dir":"c2a","raw":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"session-1\",\"prompt\":[{\"type\":\"text\",\"text\":\"go on\"}]}}"}
`
