package conform_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/wire"
)

// An edit breaks one rule in a good conversation, wherever it finds what it needs.
type edit struct {
	rule string
	// at says which lines it can break.
	at func(lines []line, i int) bool
	// do returns the conversation with line i broken.
	do func(lines []line, i int) []line
}

func has(parts ...string) func([]line, int) bool {
	return func(lines []line, i int) bool {
		for _, p := range parts {
			if !bytes.Contains(lines[i].raw, []byte(p)) {
				return false
			}
		}
		return true
	}
}

func swap(old, new string) func([]line, int) []line {
	return func(lines []line, i int) []line {
		out := slices.Clone(lines)
		out[i].raw = bytes.Replace(out[i].raw, []byte(old), []byte(new), 1)
		return out
	}
}

func drop(lines []line, i int) []line { return slices.Delete(slices.Clone(lines), i, i+1) }

func twice(lines []line, i int) []line { return slices.Insert(slices.Clone(lines), i+1, lines[i]) }

// after puts frames behind the line; SESSION in them is that of the line.
func after(from wire.Side, frames ...string) func([]line, int) []line {
	return func(lines []line, i int) []line {
		out := slices.Clone(lines)
		for k, f := range frames {
			out = slices.Insert(out, i+1+k, line{from: from, raw: []byte(strings.ReplaceAll(f, "SESSION", sessionOf(lines[i].raw)))})
		}
		return out
	}
}

func sessionOf(raw []byte) string {
	var f struct {
		Params, Result struct{ SessionID string }
	}
	_ = json.Unmarshal(raw, &f)
	return f.Params.SessionID + f.Result.SessionID
}

// isAnswer reports whether the line has the result of a request of the other side.
func isAnswer(lines []line, i int) bool {
	return bytes.Contains(lines[i].raw, []byte(`"result":`))
}

// isCancelled reports whether the request that the line answers is cancelled by its id, so that CAN-6 is about it.
func isCancelled(lines []line, i int) bool {
	return slices.ContainsFunc(lines, func(l line) bool {
		return l.from != lines[i].from && has(`"$/cancel_request"`, `"requestId":`+idOf(lines[i].raw))([]line{l}, 0)
	})
}

// asksOutside reports whether the client waits at the end for a method outside the protocol, which may open a session.
func asksOutside(lines []line) bool {
	open := map[string]bool{}
	for _, l := range lines {
		switch {
		case l.from == wire.ClientSide && has(`"method":"_`, `"id":`)([]line{l}, 0):
			open[idOf(l.raw)] = true
		case l.from == wire.AgentSide:
			delete(open, idOf(l.raw))
		}
	}
	return len(open) > 0
}

func update(rest string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{` + rest + `}}}`
}

var edits = []edit{
	{"RPC-1", isAnswer, swap(`"result":`, `"error":{"code":1,"message":"x"},"result":`)},
	{"RPC-3", isAnswer, twice},
	{"RPC-5", func(lines []line, i int) bool { return isAnswer(lines, i) && !isCancelled(lines, i) }, drop},
	{"RPC-2", has(`"session/cancel"`), after(wire.AgentSide, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"x"}}`)},
	{"TR-2", has(`"jsonrpc"`), func(lines []line, i int) []line {
		out := slices.Clone(lines)
		out[i].raw = out[i].raw[:len(out[i].raw)-1]
		return out
	}},
	{"TR-4", has(`"session/prompt"`), swap(`"jsonrpc":"2.0"`, `"jsonrpc":2`)},
	{"TURN-3", has(`"stopReason"`), swap(`"stopReason":"`, `"stopReason":"not_`)},
	{"schema", has(`"tool_call"`, `"title"`), swap(`"title":`, `"name":`)},
	{"INIT-4", has(`"session/list"`), func(lines []line, i int) []line {
		return after(wire.AgentSide, `{"jsonrpc":"2.0","id":"astray","method":"session/list","params":{}}`)(lines, i)
	}},
	{"EXT-2", has(`"session/list"`), swap(`session/list`, `session/lists`)},
	{"EXT-1", has(`"session/prompt"`), swap(`"params":{`, `"params":{"extra":1,`)},
	{"SESS-2", has(`"session/prompt"`), swap(`"sessionId":"`, `"sessionId":"not-`)},
	{"SESS-3", func(lines []line, i int) bool { return has(`"session/update"`)(lines, i) && !asksOutside(lines[:i]) }, swap(`"sessionId":"`, `"sessionId":"not-`)},
	{"SESS-11", has(`"cwd":"/home/u/p"`, `"session/new"`), swap(`"cwd":"/home/u/p"`, `"cwd":"p"`)},
	{"TURN-2", has(`"session/prompt"`), after(wire.ClientSide, `{"jsonrpc":"2.0","id":"again","method":"session/prompt","params":{"sessionId":"SESSION","prompt":[{"type":"text","text":"x"}]}}`)},
	{"TURN-4", has(`"stopReason":"end_turn"`), swap("end_turn", "cancelled")},
	{"TURN-3", has(`"stopReason":"end_turn"`), func(lines []line, i int) []line {
		for j := i; j >= 0; j-- { // its prompt
			if has(`"session/prompt"`)(lines, j) && idOf(lines[j].raw) == idOf(lines[i].raw) {
				return after(wire.AgentSide, update(`"sessionUpdate":"tool_call","toolCallId":"left","title":"x"`))(lines, j)
			}
		}
		return lines
	}},
	{"TOOL-1", has(`"session/prompt"`), after(wire.AgentSide, update(`"sessionUpdate":"tool_call_update","toolCallId":"nobody","status":"completed"`))},
	{"TOOL-2", has(`"tool_call"`), twice},
	{"TOOL-3", has(`"tool_call_update"`, `"completed"`), after(wire.AgentSide, "")},
	{"PERM-1", has(`"selected"`), swap(`"optionId":"`, `"optionId":"not-`)},
	{"PERM-2", has(`"session/request_permission"`), swap(`"optionId":"no"`, `"optionId":"yes"`)},
	{"CAN-7", has(`"session/prompt"`), after(wire.ClientSide, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"nobody's"}}`)},
	{"SESS-1", has(`"session/new"`), nil},
	{"FS-2", has(`"fs/`), swap(`"path":"/`, `"path":"`)},
	{"PATH-2", has(`"fs/read_text_file"`, `"params":{"path"`), swap(`"path"`, `"line":0,"path"`)},
	{"TERM-5", has(`"terminal/release"`), func(lines []line, i int) []line {
		id := idOf(lines[i].raw)
		out := drop(lines, i)
		j := slices.IndexFunc(out, func(l line) bool {
			return l.from == wire.ClientSide && idOf(l.raw) == id && bytes.Contains(l.raw, []byte(`"result"`))
		})
		return drop(out, j)
	}},
	{"TERM-7", has(`"terminal/release"`), func(lines []line, i int) []line {
		out := slices.Clone(lines)
		late := bytes.Replace(lines[i].raw, []byte("terminal/release"), []byte("terminal/kill"), 1)
		late = bytes.Replace(late, []byte(`"id":`), []byte(`"id":9`), 1)
		return slices.Insert(out, i+1, line{from: wire.AgentSide, raw: late})
	}},
}

func idOf(raw []byte) string {
	var f struct{ ID json.RawMessage }
	_ = json.Unmarshal(raw, &f)
	return string(f.ID)
}

// TestEdits breaks a rule at a random place of a long conversation of several sessions. The checker names it.
func TestEdits(t *testing.T) {
	good, _, usual := fragments(t)
	hosts := hostsOf(good)
	caught := 0
	for _, e := range edits {
		t.Run(e.rule, func(t *testing.T) {
			do := e.do
			switch e.rule {
			case "TOOL-3":
				do = func(lines []line, i int) []line { return swap(`"completed"`, `"pending"`)(twice(lines, i), i+1) }
			case "SESS-1":
				do = func(lines []line, i int) []line {
					out := slices.Clone(lines)
					for j := i; j < len(out); j++ {
						if out[j].from == wire.AgentSide && idOf(out[j].raw) == idOf(lines[i].raw) && isAnswer(out, j) {
							return slices.Insert(out, j+1, line{wire.ClientSide, []byte(`{"jsonrpc":"2.0","id":"again","method":"session/new","params":{"cwd":"/","mcpServers":[]}}`), 0},
								line{wire.AgentSide, []byte(`{"jsonrpc":"2.0","id":"again","result":{"sessionId":"` + sessionOf(out[j].raw) + `"}}`), 0})
						}
					}
					return out
				}
			}
			for seed := range uint64(rounds) {
				r := rand.New(rand.NewPCG(seed, 3))
				var lines []line
				var places []int
				for len(places) == 0 {
					parts, _ := pick(r, hosts, 8)
					lines = slices.Concat(usual, merge(r, parts))
					for i := range lines {
						if i > 1 && e.at(lines, i) {
							places = append(places, i)
						}
					}
				}
				i := places[r.IntN(len(places))]
				if got := rulesOf(check(do(lines, i), complete)); slices.Contains(got, e.rule) {
					caught++
				} else {
					t.Errorf("seed %d: not caught at line %d: %s\ngot %v", seed, i+1, lines[i].raw, got)
				}
			}
		})
	}
	t.Logf("%d of %d edits caught, of %d rules", caught, len(edits)*rounds, len(edits))
}
