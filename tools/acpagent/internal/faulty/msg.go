package faulty

import (
	"bytes"
	"encoding/json"
)

// A msg is a frame or a part of one.
type msg map[string]any

// parse returns the object of a line.
func parse(line []byte) (msg, bool) {
	var m msg
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&m) != nil || m == nil || d.More() {
		return nil, false
	}
	return m, true
}

func (m msg) bytes() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// at returns a part that is an object; an empty one, of no effect, if there is none.
func (m msg) at(path ...string) msg {
	for _, name := range path {
		switch next := m[name].(type) {
		case map[string]any:
			m = next
		case msg:
			m = next
		default:
			return msg{}
		}
	}
	return m
}

// list returns a member that is an array.
func (m msg) list(name string) []any {
	l, _ := m[name].([]any)
	return l
}

func (m msg) text(name string) string {
	s, _ := m[name].(string)
	return s
}

// method is empty for responses.
func (m msg) method() string { return m.text("method") }

// id returns the id as JSON; empty if there is none.
func (m msg) id() string {
	id, ok := m["id"]
	if !ok {
		return ""
	}
	b, err := json.Marshal(id)
	if err != nil {
		return ""
	}
	return string(b)
}

// note notes the method of a request.
func (m msg) note(methods map[string]string) {
	if m.method() != "" && m.id() != "" {
		methods[m.id()] = m.method()
	}
}

// copy returns the same message again.
func (m msg) copy() msg {
	c, _ := parse(m.bytes())
	return c
}

func notification(method string, params msg) msg {
	return msg{"jsonrpc": "2.0", "method": method, "params": params}
}

func request(id, method string, params msg) msg {
	return msg{"jsonrpc": "2.0", "id": id, "method": method, "params": params}
}

func result(to msg, value any) msg {
	return msg{"jsonrpc": "2.0", "id": to["id"], "result": value}
}

func failure(to msg, code int) msg {
	return msg{"jsonrpc": "2.0", "id": to["id"], "error": msg{"code": code, "message": "faulty"}}
}

// chunk returns an update with a text.
func chunk(session any, kind, text string) msg {
	return notification("session/update", msg{"sessionId": session, "update": msg{"sessionUpdate": kind, "content": msg{"type": "text", "text": text}}})
}

// isError reports whether the message is an error with one of the codes, or with any if there are none.
func (m msg) isError(codes ...string) bool {
	e := m.at("error")
	if len(e) == 0 {
		return false
	}
	code, _ := e["code"].(json.Number)
	for _, c := range codes {
		if code.String() == c {
			return true
		}
	}
	return len(codes) == 0
}

// onResult makes hooks of what spoils results of a method; an empty method is any.
func onResult(method string, spoil func(x *exchange, m msg)) hooks {
	return hooks{out: func(x *exchange, m msg) bool {
		if _, ok := m["result"]; ok && m.method() == "" && (method == "" || x.asked[m.id()] == method) {
			spoil(x, m)
		}
		return true
	}}
}

// onError makes hooks of what spoils errors that answer a method; an empty method is any.
func onError(method string, spoil func(x *exchange, m msg)) hooks {
	return hooks{out: func(x *exchange, m msg) bool {
		if m.isError() && (method == "" || x.asked[m.id()] == method) {
			spoil(x, m)
		}
		return true
	}}
}

// onUpdate makes hooks of what spoils updates of a kind; an empty kind is any. It returns whether the update goes on.
func onUpdate(kind string, spoil func(x *exchange, m, update msg) bool) hooks {
	return hooks{out: func(x *exchange, m msg) bool {
		u := m.at("params", "update")
		if m.method() == "session/update" && (kind == "" || u.text("sessionUpdate") == kind) {
			return spoil(x, m, u)
		}
		return true
	}}
}

// onRequest makes hooks of what spoils requests of the agent for a method. It returns whether the request goes on.
func onRequest(method string, spoil func(x *exchange, m, params msg) bool) hooks {
	return hooks{out: func(x *exchange, m msg) bool {
		if m.method() == method {
			return spoil(x, m, m.at("params"))
		}
		return true
	}}
}

// onCall makes hooks of what does something else with requests of the client than the agent would. It returns whether the request goes on.
func onCall(method string, spoil func(x *exchange, m, params msg) bool) hooks {
	return hooks{in: func(x *exchange, m msg) bool {
		if m.method() == method {
			return spoil(x, m, m.at("params"))
		}
		return true
	}}
}

// set makes a spoil that sets a member.
func set(name string, value any) func(*exchange, msg, msg) bool {
	return func(_ *exchange, _, m msg) bool {
		m[name] = value
		return true
	}
}
