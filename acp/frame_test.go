package acp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/acp"
	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
)

// newParser returns a parser of what from sends. Request 7 of the other side, to the method pending, waits for an answer; so does the extension request "x".
func newParser(from wire.Side, pending string, extensions ...*wire.Method) *acp.Parser {
	p := acp.NewParser(acpv1.Surface, from, extensions...)
	p.Pending = func(id wire.RequestID) (acp.Pending, bool) {
		switch {
		case pending != "" && id.Equal(wire.IntID(7)):
			return acp.Pending{Method: acpv1.Surface.Request(pending)}, true
		case id.Equal(wire.StringID("x")):
			return acp.Pending{}, true
		}
		return acp.Pending{}, false
	}
	return p
}

var frameVerdicts = []struct {
	name string
	from wire.Side
	line string
	kind acp.Kind
	want []string // "rule pointer: message"
}{
	{"request", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`, acp.KindRequest, nil},
	{"request, params first", wire.ClientSide, `{"params":{"cwd":5},"jsonrpc":"2.0","id":1,"method":"session/list"}`, acp.KindRequest,
		[]string{`schema /params/cwd: expected string`}},
	{"notification", wire.ClientSide, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, acp.KindNotification, nil},
	{"response", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s"}}`, acp.KindResponse, nil},
	{"response, id last", wire.AgentSide, `{"jsonrpc":"2.0","result":{"sessionId":5},"id":7}`, acp.KindResponse,
		[]string{`schema /result/sessionId: expected string`}},
	{"response, id spelled otherwise", wire.AgentSide, `{"jsonrpc":"2.0","id":7.0,"result":{"sessionId":"s"}}`, acp.KindResponse, nil},
	{"error", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"log in first"}}`, acp.KindError, nil},
	{"error to nothing readable", wire.AgentSide, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`, acp.KindError, nil},
	{"extension request", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"_x/y","params":[1]}`, acp.KindRequest, nil},
	{"extension notification", wire.AgentSide, `{"jsonrpc":"2.0","method":"_x/y"}`, acp.KindNotification, nil},
	{"protocol-level notification", wire.AgentSide, `{"jsonrpc":"2.0","method":"$/later","params":{}}`, acp.KindNotification, nil},
	{"extension result", wire.AgentSide, `{"jsonrpc":"2.0","id":"x","result":5}`, acp.KindResponse, nil},
	{"null id", wire.ClientSide, `{"jsonrpc":"2.0","id":null,"method":"session/list"}`, acp.KindRequest, nil},
	{"null params", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/list","params":null}`, acp.KindRequest, nil},
	{"no params where some are required", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/close"}`, acp.KindRequest,
		[]string{`schema /params: missing required "sessionId" (CloseSessionRequest)`}},
	{"params as a list", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/close","params":["s"]}`, acp.KindRequest,
		[]string{`schema /params: expected object (CloseSessionRequest)`}},
	{"params as a string", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/close","params":"s"}`, acp.KindRequest,
		[]string{`envelope /params: expected an object`}},
	{"not JSON", wire.ClientSide, `hello`, acp.KindUnknown, []string{`json : unexpected character, expected a value`}},
	{"header", wire.ClientSide, `Content-Length: 52`, acp.KindUnknown,
		[]string{`json : Content-Length header; ACP over stdio is one JSON object on each line, without headers`}},
	{"byte order mark", wire.ClientSide, "\xef\xbb\xbf{}", acp.KindUnknown, []string{`json : byte order mark before the object`}},
	{"object over several lines", wire.ClientSide, `{`, acp.KindUnknown, []string{`json : unexpected end of input, expected a member name; a frame must be one line`}},
	{"two frames in a line", wire.ClientSide, `{"jsonrpc":"2.0","method":"_x"}{}`, acp.KindUnknown, []string{`json : unexpected data after the value`}},
	{"syntax error hides what came before", wire.ClientSide, `{"jsonrpc":"1.0","id":true,"method":"x",}`, acp.KindUnknown,
		[]string{`json : unexpected character, expected a member name`}},
	{"duplicate names", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"id":2,"method":"session/list"}`, acp.KindRequest, []string{`json /id: duplicate member name`}},
	{"lone surrogate", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"\ud800"}}`, acp.KindRequest,
		[]string{`json /params/cwd: lone surrogate in a string`}},
	{"batch", wire.ClientSide, `[{"jsonrpc":"2.0","method":"_x"}]`, acp.KindUnknown, []string{`envelope : expected one object; ACP has no batches`}},
	{"scalar", wire.ClientSide, `42`, acp.KindUnknown, []string{`envelope : expected an object`}},
	{"empty object", wire.ClientSide, `{}`, acp.KindUnknown,
		[]string{`envelope : missing "jsonrpc": "2.0"`, `envelope : expected one of "method", "result" and "error"`}},
	{"wrong version as a number", wire.ClientSide, `{"jsonrpc":2.0,"id":1,"method":"session/list"}`, acp.KindRequest, []string{`envelope /jsonrpc: expected "2.0"`}},
	{"no method", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"params":{}}`, acp.KindRequest, []string{`envelope : missing "method"`}},
	{"empty method", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":""}`, acp.KindRequest, []string{`envelope /method: expected the name of a method`}},
	{"method of another type", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":null}`, acp.KindRequest, []string{`envelope /method: expected a string`}},
	{"fractional id", wire.ClientSide, `{"jsonrpc":"2.0","id":1.5,"method":"session/list"}`, acp.KindRequest,
		[]string{`envelope /id: expected a string, an integer of 64 bits or null`}},
	{"id beyond 64 bits", wire.ClientSide, `{"jsonrpc":"2.0","id":9223372036854775808,"method":"session/list"}`, acp.KindRequest,
		[]string{`envelope /id: expected a string, an integer of 64 bits or null`}},
	{"id 1e400", wire.ClientSide, `{"jsonrpc":"2.0","id":1e400,"method":"session/list"}`, acp.KindRequest,
		[]string{`envelope /id: expected a string, an integer of 64 bits or null`}},
	{"object as id", wire.ClientSide, `{"jsonrpc":"2.0","id":{},"method":"session/list"}`, acp.KindRequest,
		[]string{`envelope /id: expected a string, an integer of 64 bits or null`}},
	{"result and error", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"result":{"sessionId":"s"},"error":{"code":1,"message":""}}`, acp.KindError,
		[]string{`envelope : "result" beside "error"`}},
	{"neither result nor error", wire.AgentSide, `{"jsonrpc":"2.0","id":7}`, acp.KindUnknown,
		[]string{`envelope : expected one of "method", "result" and "error"`}},
	{"method and result", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/list","result":{}}`, acp.KindRequest,
		[]string{`envelope : "method" beside "result" or "error"`}},
	{"response without an id", wire.AgentSide, `{"jsonrpc":"2.0","result":{}}`, acp.KindResponse, []string{`envelope : missing "id"`}},
	{"notification as a request", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/cancel","params":{"sessionId":"s"}}`, acp.KindRequest,
		[]string{`envelope /id: "session/cancel" is a notification and has no id`}},
	{"request as a notification", wire.ClientSide, `{"jsonrpc":"2.0","method":"session/list"}`, acp.KindNotification,
		[]string{`envelope : missing "id": "session/list" is a request`}},
	{"unknown method", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"session/lost","params":{}}`, acp.KindRequest, []string{`method /method: unknown method`}},
	{"method in another case", wire.ClientSide, `{"jsonrpc":"2.0","id":1,"method":"Session/List"}`, acp.KindRequest, []string{`method /method: unknown method`}},
	{"method of the other side", wire.AgentSide, `{"jsonrpc":"2.0","id":1,"method":"session/list"}`, acp.KindRequest,
		[]string{`method /method: "session/list" is for the agent to handle, not to send`}},
	{"unknown response id", wire.AgentSide, `{"jsonrpc":"2.0","id":8,"result":{}}`, acp.KindResponse,
		[]string{`response-id /id: no request with this id is waiting for an answer`}},
	{"response id of another type", wire.AgentSide, `{"jsonrpc":"2.0","id":"7","result":{}}`, acp.KindResponse,
		[]string{`response-id /id: no request with this id is waiting for an answer`}},
	{"error of another type", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"error":"boom"}`, acp.KindError, []string{`schema /error: expected object (Error)`}},
	{"incomplete error", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"error":{"code":1.5}}`, acp.KindError,
		[]string{`schema /error: missing required "message" (Error)`, `schema /error/code: expected integer`}},
	{"error code beyond 32 bits", wire.AgentSide, `{"jsonrpc":"2.0","id":7,"error":{"code":4294967296,"message":""}}`, acp.KindError,
		[]string{`schema /error/code: expected int32, from -2147483648 to 2147483647`}},
	{"everything at once", wire.ClientSide, `{"jsonrpc":"1.0","id":false,"method":"session/close","params":{"sessionId":1,"x":1,"x":2}}`, acp.KindRequest,
		[]string{`json /params/x: duplicate member name`, `envelope /jsonrpc: expected "2.0"`, `envelope /id: expected a string, an integer of 64 bits or null`, `schema /params/sessionId: expected string`}},
}

func TestFrameVerdicts(t *testing.T) {
	for _, tt := range frameVerdicts {
		t.Run(tt.name, func(t *testing.T) {
			var f acp.Frame
			newParser(tt.from, acpv1.MethodNewSession).Parse([]byte(tt.line), &f)
			var got []string
			for _, v := range f.Violations {
				got = append(got, string(v.Rule)+" "+v.Pointer+": "+v.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if f.Kind != tt.kind {
				t.Errorf("kind %v, want %v", f.Kind, tt.kind)
			}
			if want := ""; len(tt.want) > 0 {
				want, _, _ = strings.Cut(tt.want[0], " ")
				if string(f.Rule()) != want {
					t.Errorf("rule %q, want %q", f.Rule(), want)
				}
			}
		})
	}
}

func TestFrameAwaitsAnswer(t *testing.T) {
	tests := []struct {
		name, line string
		want       bool
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"session/list"}`, true},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"session/lost"}`, true},
		{"invalid params", `{"jsonrpc":"2.0","id":1,"method":"session/close","params":{}}`, true},
		{"scalar params", `{"jsonrpc":"2.0","id":1,"method":"session/close","params":1}`, true},
		{"readable though not strict JSON", `{"jsonrpc":"2.0","id":1,"method":"_x","params":{"a":"\ud800"}}`, true},
		{"notification as a request", `{"jsonrpc":"2.0","id":1,"method":"session/cancel","params":{"sessionId":"s"}}`, true},
		{"notification", `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, false},
		{"no version", `{"id":1,"method":"session/list"}`, false},
		{"invalid id", `{"jsonrpc":"2.0","id":1.5,"method":"session/list"}`, false},
		{"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, false},
		{"with a result", `{"jsonrpc":"2.0","id":1,"method":"session/list","result":{}}`, false},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, false},
		{"syntax error", `{"jsonrpc":"2.0","id":1,"method":"session/list"`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f acp.Frame
			newParser(wire.ClientSide, "").Parse([]byte(tt.line), &f)
			if got := f.AwaitsAnswer(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFrameValues(t *testing.T) {
	var f acp.Frame
	newParser(wire.ClientSide, "").Parse([]byte(`{"jsonrpc":"2.0","id":"é","method":"session\/close","params": {"sessionId":"s","more":1} }`), &f)
	if diff := cmp.Diff(&acpv1.CloseSessionRequest{SessionID: "s"}, f.Value); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if id, _ := f.ID.Str(); id != "é" || f.Method != "session/close" || f.Spec != acpv1.Surface.Request("session/close") {
		t.Errorf("id %v, method %q, spec %v", f.ID, f.Method, f.Spec)
	}
	if got, want := string(f.Raw), `{"sessionId":"s","more":1}`; got != want {
		t.Errorf("raw %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"/params/more"}, f.UnknownPointers); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}

	newParser(wire.AgentSide, acpv1.MethodNewSession).Parse([]byte(`{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"m","data":{"a": 1}}}`), &f)
	want := &acp.Error{Code: acp.CodeAuthRequired, Message: "m", Data: wire.Raw(`{"a": 1}`)}
	if f.Error == nil || f.Error.Code != want.Code || f.Error.Message != want.Message || string(f.Error.Data) != string(want.Data) {
		t.Errorf("error %#v, want %#v", f.Error, want)
	}
}

// TestFrameBothKinds reads a method that is a request and a notification, with the id before and behind the params.
func TestFrameBothKinds(t *testing.T) {
	request := &wire.Method{Name: "_both", Side: wire.BothSides, NewParams: func() wire.Message { return new(acpv1.CloseSessionRequest) }, NewResult: func() wire.Message { return new(wire.Raw) }}
	notification := &wire.Method{Name: "_both", Side: wire.BothSides, NewParams: func() wire.Message { return new(acpv1.CancelNotification) }}
	p := newParser(wire.ClientSide, "", request, notification)
	tests := []struct {
		name, line string
		want       *wire.Method
	}{
		{"id first", `{"jsonrpc":"2.0","id":1,"method":"_both","params":{"sessionId":"s"}}`, request},
		{"id last", `{"jsonrpc":"2.0","method":"_both","params":{"sessionId":"s"},"id":1}`, request},
		{"no id", `{"jsonrpc":"2.0","method":"_both","params":{"sessionId":"s"}}`, notification},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f acp.Frame
			p.Parse([]byte(tt.line), &f)
			if !f.Valid() || f.Spec != tt.want {
				t.Fatalf("spec %p, want %p; %v", f.Spec, tt.want, f.Violations)
			}
			var want wire.Message = &acpv1.CloseSessionRequest{SessionID: "s"}
			if tt.want == notification {
				want = &acpv1.CancelNotification{SessionID: "s"}
			}
			if diff := cmp.Diff(want, f.Value); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParse checks that no line makes the parser panic, and that whatever is no strict JSON object is invalid.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"sessionId":"s"}}`))
	f.Add([]byte(`{"params":{"update":{"sessionUpdate":"plan","entries":[]},"sessionId":"s"},"method":"session/update","jsonrpc":"2.0"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","result":{"sessionId":"s"},"id":7}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}`))
	agent, client := newParser(wire.AgentSide, acpv1.MethodNewSession), newParser(wire.ClientSide, "")
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, p := range []*acp.Parser{agent, client} {
			var frame acp.Frame
			p.Parse(line, &frame)
			var raw wire.Raw
			_, err := wire.Decode(line, &raw, nil)
			if err != nil && frame.Rule() != wire.RuleJSON {
				t.Errorf("not JSON (%v), but the verdict is %q", err, frame.Rule())
			}
			if err == nil && frame.Rule() == wire.RuleJSON {
				t.Errorf("JSON, but the verdict is %v", frame.Violations)
			}
			for _, v := range frame.Violations {
				if v.Message == "" || v.Rule == "" {
					t.Errorf("empty violation %#v", v)
				}
			}
		}
	})
}
