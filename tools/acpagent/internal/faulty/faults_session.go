package faulty

import "strings"

var sessionFaults = []Fault{
	{"same-session-id", "gives all sessions the same id", onResult("session/new", func(_ *exchange, m msg) { m.at("result")["sessionId"] = "session-1" })},
	{"no-sessions", "does not know session/new", onCall("session/new", func(x *exchange, m, _ msg) bool {
		x.say(failure(m, -32601))
		return false
	})},
	{"any-session", "takes prompts for sessions that there are none of", onError("session/prompt", func(_ *exchange, m msg) {
		delete(m, "error")
		m["result"] = msg{"stopReason": "end_turn"}
	})},
	{"foreign-session", "sends updates for sessions that there are none of", onUpdate("agent_message_chunk", func(_ *exchange, m, _ msg) bool {
		m.at("params")["sessionId"] = "another"
		return true
	})},
	{"swaps-sessions", "tells the second session what belongs to the first", onUpdate("agent_message_chunk", func(_ *exchange, m, _ msg) bool {
		if p := m.at("params"); p.text("sessionId") == "session-1" {
			p["sessionId"] = "session-2"
		}
		return true
	})},
	{"refuses-servers", "refuses MCP servers on stdio", onCall("session/new", func(x *exchange, m, p msg) bool {
		if len(p.list("mcpServers")) == 0 {
			return true
		}
		x.say(failure(m, -32602))
		return false
	})},
	{"close-as-end", "ends the turn of a closed session as if it were done", onResult("session/prompt", func(_ *exchange, m msg) { m.at("result")["stopReason"] = "end_turn" })},
	{"list-twice", "lists a session twice", onResult("session/list", func(_ *exchange, m msg) {
		if l := m.at("result").list("sessions"); len(l) > 0 {
			m.at("result")["sessions"] = append(l, l[0])
		}
	})},
	{"list-everywhere", "does not heed the directory of a list", onCall("session/list", func(_ *exchange, _, p msg) bool {
		delete(p, "cwd")
		return true
	})},
	{"list-relative", "lists directories that are not absolute", onResult("session/list", func(_ *exchange, m msg) {
		for _, s := range m.at("result").list("sessions") {
			s.(map[string]any)["cwd"] = "here"
		}
	})},
	{"list-endless", "always has another page", hooks{
		in: onCall("session/list", func(_ *exchange, _, p msg) bool {
			if p.text("cursor") == "more" {
				delete(p, "cursor")
			}
			return true
		}).in,
		out: onResult("session/list", func(_ *exchange, m msg) { m.at("result")["nextCursor"] = "more" }).out,
	}},
	{"any-cursor", "takes every cursor", onCall("session/list", func(_ *exchange, _, p msg) bool {
		if strings.HasPrefix(p.text("cursor"), "acpcheck") {
			delete(p, "cursor")
		}
		return true
	})},
	{"keeps-deleted", "lists sessions that were deleted", onCall("session/delete", func(x *exchange, m, _ msg) bool {
		x.say(result(m, msg{}))
		return false
	})},
	{"delete-once", "refuses to delete what does not exist", onCall("session/delete", func(x *exchange, m, p msg) bool {
		if !strings.HasPrefix(p.text("sessionId"), "acpcheck") {
			return true
		}
		x.say(failure(m, -32002))
		return false
	})},
	{"load-nothing", "replays nothing", hooks{in: noteLoad, out: func(x *exchange, m msg) bool {
		if x.asked[m.id()] == "session/load" && m.method() == "" {
			delete(x.memory, "loading")
		}
		return x.memory["loading"] == "" || m.method() != "session/update"
	}}},
	{"load-late", "replays after the answer", hooks{in: noteLoad, out: func(x *exchange, m msg) bool {
		if x.memory["loading"] == "" {
			return true
		}
		if m.method() == "session/update" {
			x.memory["replay"] += string(m.bytes()) + "\n"
			return false
		}
		delete(x.memory, "loading")
		for line := range strings.Lines(x.memory["replay"]) {
			if late, ok := parse([]byte(line)); ok {
				x.later(late)
			}
		}
		return true
	}}},
	{"resume-replays", "replays when a session is resumed", onCall("session/resume", func(x *exchange, _, p msg) bool {
		x.say(chunk(p["sessionId"], "user_message_chunk", "as I said"))
		x.say(chunk(p["sessionId"], "agent_message_chunk", "as I said"))
		return true
	})},
}

func noteLoad(x *exchange, m msg) bool {
	if m.method() == "session/load" {
		x.memory["loading"] = "yes"
	}
	return true
}
