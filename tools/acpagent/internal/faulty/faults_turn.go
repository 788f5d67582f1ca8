package faulty

var turnFaults = []Fault{
	{"refuses-prompts", "does not know session/prompt", onCall("session/prompt", func(x *exchange, m, _ msg) bool {
		x.say(failure(m, -32601))
		return false
	})},
	{"refuses-links", "refuses links in prompts", onCall("session/prompt", func(x *exchange, m, p msg) bool {
		for _, b := range p.list("prompt") {
			if block, ok := b.(map[string]any); ok && block["type"] == "resource_link" {
				x.say(failure(m, -32602))
				return false
			}
		}
		return true
	})},
	{"odd-stop-reason", "ends turns for a reason that there is none of", onResult("session/prompt", func(_ *exchange, m msg) { m.at("result")["stopReason"] = "done" })},
	{"cancel-ignored", "does not heed session/cancel", onCall("session/cancel", func(*exchange, msg, msg) bool { return false })},
	{"cancel-as-error", "answers cancelled turns with an error", onResult("session/prompt", func(_ *exchange, m msg) {
		if m.at("result").text("stopReason") == "cancelled" {
			delete(m, "result")
			m["error"] = msg{"code": -32603, "message": "aborted"}
		}
	})},
	{"cancel-as-end", "ends cancelled turns as if they were done", onResult("session/prompt", func(_ *exchange, m msg) {
		if m.at("result").text("stopReason") == "cancelled" {
			m.at("result")["stopReason"] = "end_turn"
		}
	})},
	{"late-update", "goes on talking after the end of a turn", hooks{in: noteSession, out: onResult("session/prompt", func(x *exchange, _ msg) {
		x.later(chunk(x.memory["session"], "agent_message_chunk", "and another thing"))
	}).out}},
	{"sticky-cancel", "takes a cancellation without a turn for the next one", hooks{
		in: func(x *exchange, m msg) bool {
			if m.method() == "session/cancel" && x.memory["running"] == "" {
				x.memory["sticky"] = "yes"
			}
			if m.method() == "session/prompt" {
				x.memory["running"] = "yes"
			}
			return true
		},
		out: onResult("session/prompt", func(x *exchange, m msg) {
			if x.memory["sticky"] != "" {
				m.at("result")["stopReason"] = "cancelled"
			}
			delete(x.memory, "sticky")
			delete(x.memory, "running")
		}).out,
	}},
	{"cancels-all", "cancels all sessions at once", onCall("session/cancel", func(x *exchange, m, p msg) bool {
		for _, id := range []string{"session-1", "session-2"} {
			other := m.copy()
			other.at("params")["sessionId"] = id
			x.toAgent.put(other.bytes())
		}
		return false
	})},
	{"request-cancelled-as-internal", "answers requests that were cancelled with an internal error", hooks{
		in: onCall("$/cancel_request", func(x *exchange, _, p msg) bool {
			x.memory["cancelled"] = msg{"id": p["requestId"]}.id()
			return true
		}).in,
		out: onResult("session/prompt", func(x *exchange, m msg) {
			if m.id() == x.memory["cancelled"] {
				delete(m, "result")
				m["error"] = msg{"code": -32603, "message": "aborted"}
			}
		}).out,
	}},
	{"same-message-id", "gives all messages the same id", onUpdate("", func(_ *exchange, _, u msg) bool {
		if u.text("messageId") != "" {
			u["messageId"] = "message"
		}
		return true
	})},
	{"odd-currency", "reports cost in a currency that there is none of", onUpdate("usage_update", func(_ *exchange, _, u msg) bool {
		u.at("cost")["currency"] = "Dollar"
		return true
	})},
	{"fails-forever", "fails every turn after one that failed", hooks{out: func(x *exchange, m msg) bool {
		if x.asked[m.id()] != "session/prompt" || m.method() != "" {
			return true
		}
		if m.isError() {
			x.memory["broken"] = "yes"
		} else if x.memory["broken"] != "" {
			delete(m, "result")
			m["error"] = msg{"code": -32603, "message": "broken"}
		}
		return true
	}}},
}

func noteSession(x *exchange, m msg) bool {
	if m.method() == "session/prompt" {
		x.memory["session"] = m.at("params").text("sessionId")
	}
	return true
}
