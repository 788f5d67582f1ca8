package faulty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// unprintable is what not-utf8 puts into a text before a byte that is no UTF-8 takes its place.
const unprintable = "\uf8ff"

var wireFaults = []Fault{
	{"noise", "says hello on standard output", hooks{start: func(x *exchange) { x.toClient.put([]byte("acpagent starts")) }}},
	{"headers", "writes a header before each message", hooks{write: func(m msg) []byte {
		return fmt.Appendf(nil, "Content-Length: %d\n%s", len(m.bytes()), m.bytes())
	}}},
	{"pretty", "writes each message on several lines", hooks{write: func(m msg) []byte {
		var b bytes.Buffer
		if json.Indent(&b, m.bytes(), "", "  ") != nil {
			return nil
		}
		return b.Bytes()
	}}},
	{"not-utf8", "writes text that is not UTF-8", hooks{
		out: func(_ *exchange, m msg) bool {
			if c := m.at("params", "update", "content"); c.text("text") != "" {
				c["text"] = unprintable + c.text("text")
			}
			return true
		},
		write: func(m msg) []byte { return bytes.ReplaceAll(m.bytes(), []byte(unprintable), []byte{0xe9}) },
	}},
	{"batch", "writes each response as an array", hooks{write: func(m msg) []byte {
		if m.method() != "" {
			return m.bytes()
		}
		return fmt.Appendf(nil, "[%s]", m.bytes())
	}}},
	{"no-jsonrpc", "leaves the version of JSON-RPC out of responses", onResult("", func(_ *exchange, m msg) { delete(m, "jsonrpc") })},
	{"id-as-text", "answers with the id as a string", onResult("", func(_ *exchange, m msg) { m["id"] = m.id() })},
	{"answer-twice", "answers twice", onResult("", func(x *exchange, m msg) { x.later(m.copy()) })},
	{"answer-notifications", "answers unknown notifications", hooks{in: func(x *exchange, m msg) bool {
		if m.id() == "" && strings.HasPrefix(m.method(), "_acpcheck/") {
			x.say(failure(msg{"id": nil}, -32601))
		}
		return true
	}}},
	{"answer-responses", "answers responses that answer nothing", hooks{in: func(x *exchange, m msg) bool {
		if m.method() == "" && x.wanted[m.id()] == "" && m.id() != "" {
			x.say(failure(m, -32600))
		}
		return true
	}}},
	{"result-and-error", "answers session/new with a result and an error", onResult("session/new", func(_ *exchange, m msg) {
		m["error"] = msg{"code": -32603, "message": "both"}
	})},
	{"code-as-text", "has error codes that are strings", onError("", func(_ *exchange, m msg) { m.at("error")["code"] = "E_FAILED" })},
	{"unanswered", "does not answer unknown extension requests", hooks{in: func(x *exchange, m msg) bool { return m.method() != "_acpcheck/unknown" }}},
	{"unknown-is-internal", "answers unknown methods with an internal error", onError("", func(_ *exchange, m msg) {
		if m.isError("-32601") {
			m.at("error")["code"] = -32603
		}
	})},
	{"invalid-is-internal", "answers invalid params with an internal error", onError("", func(_ *exchange, m msg) {
		if m.isError("-32602") {
			m.at("error")["code"] = -32603
		}
	})},
	{"parse-is-internal", "answers what is not JSON with an internal error", onError("", func(_ *exchange, m msg) {
		if m.isError("-32700") {
			m.at("error")["code"] = -32603
		}
	})},
	{"dies-of-garbage", "ends when it reads what is not JSON", hooks{line: func(x *exchange, _ []byte) bool {
		x.toAgent.end()
		return false
	}}},
	{"root-field", "adds a member of its own to the params of updates", onUpdate("", func(_ *exchange, m, _ msg) bool {
		m.at("params")["vendor"] = true
		return true
	})},
	{"bare-method", "has a method of its own without an underscore", onResult("session/new", func(x *exchange, _ msg) {
		x.later(notification("acpagent/status", msg{}))
	})},
	{"stays", "goes on after its input has ended", hooks{stay: true}},
	{"truncates", "cuts long texts", onUpdate("agent_message_chunk", func(_ *exchange, _, u msg) bool {
		const most = 64 << 10
		if c := u.at("content"); len(c.text("text")) > most {
			c["text"] = c.text("text")[:most]
		}
		return true
	})},
}

var handshakeFaults = []Fault{
	{"echo-version", "agrees to every version", hooks{
		in: func(x *exchange, m msg) bool {
			if v, ok := m.at("params")["protocolVersion"].(json.Number); ok && m.method() == "initialize" {
				x.memory["version"] = v.String()
			}
			return true
		},
		out: onResult("initialize", func(x *exchange, m msg) { m.at("result")["protocolVersion"] = json.Number(x.memory["version"]) }).out,
	}},
	{"version-as-text", "answers with a version that is a string", onResult("initialize", func(_ *exchange, m msg) { m.at("result")["protocolVersion"] = "1" })},
	{"any-version", "takes anything for a version", onCall("initialize", func(_ *exchange, _, p msg) bool {
		p["protocolVersion"] = 1
		return true
	})},
	{"nameless", "does not say who it is", onResult("initialize", func(_ *exchange, m msg) { delete(m.at("result"), "agentInfo") })},
	{"ignores-capabilities", "takes the client to be able to do everything", onCall("initialize", func(_ *exchange, _, p msg) bool {
		p["clientCapabilities"] = msg{
			"fs": msg{"readTextFile": true, "writeTextFile": true}, "terminal": true, "elicitation": msg{"form": msg{}},
			"session": msg{"configOptions": msg{"boolean": msg{}}, "notices": msg{}, "compaction": msg{}},
		}
		return true
	})},
	{"any-login", "lets everybody in", onError("authenticate", func(_ *exchange, m msg) {
		delete(m, "error")
		m["result"] = msg{}
	})},
}
