package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

func reference(t testing.TB) *validate.Validator {
	t.Helper()
	ref, err := validate.New("v1")
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// A said is a verdict that can be compared: direction, kind, method, strict, lenient, then "severity rule pointer" of each finding.
type said []string

func words(v *Verdict) said {
	s := said{strings.Join([]string{v.Direction.String(), v.Kind.String(), v.Method, v.Strict.String(), v.Lenient.String()}, " ")}
	for _, f := range v.Findings {
		s = append(s, f.Severity.String()+" "+string(f.Rule)+" "+f.Pointer)
	}
	return s
}

// A sent is a frame and what is to be said of it.
type sent struct {
	dir   string
	frame string
	want  said
}

const (
	newSession   = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`
	isNewSession = `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}`
	permission   = `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`
	isPermission = `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`
	chunk        = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
	notFound     = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`
)

// Each conversation is judged frame by frame.
var conversations = []struct {
	name string
	sent []sent
}{
	{"a conversation", []sent{
		{"c2a", newSession, said{"c2a request session/new valid valid"}},
		{"a2c", isNewSession, said{"a2c response session/new valid valid"}},
		{"a2c", chunk, said{"a2c notification session/update valid valid"}},
	}},
	{"directions are told from the frames", []sent{
		{"", newSession, said{"c2a request session/new valid valid"}},
		{"", isNewSession, said{"a2c response session/new valid valid"}},
		{"", chunk, said{"a2c notification session/update valid valid"}},
		{"", permission, said{"a2c request session/request_permission valid valid"}},
		{"", isPermission, said{"c2a response session/request_permission valid valid"}},
	}},
	{"both peers may use an id at once", []sent{
		{"c2a", newSession, said{"c2a request session/new valid valid"}},
		{"a2c", permission, said{"a2c request session/request_permission valid valid"}},
		{"a2c", isNewSession, said{"a2c response session/new valid valid"}},
		{"c2a", isPermission, said{"c2a response session/request_permission valid valid"}},
	}},
	{"of two open requests an answer without direction takes the one it fits", []sent{
		{"", permission, said{"a2c request session/request_permission valid valid"}},
		{"", newSession, said{"c2a request session/new valid valid"}},
		{"", isPermission, said{"c2a response session/request_permission valid valid"}},
		{"", isNewSession, said{"a2c response session/new valid valid"}},
	}},
	{"of two open requests an answer that fits neither takes the younger", []sent{
		{"", newSession, said{"c2a request session/new valid valid"}},
		{"", permission, said{"a2c request session/request_permission valid valid"}},
		{"", `{"jsonrpc":"2.0","id":1,"result":{}}`, said{"c2a response session/request_permission invalid invalid", "error schema /result"}},
		{"", isNewSession, said{"a2c response session/new valid valid"}},
	}},
	{"an extension without direction", []sent{
		{"", `{"jsonrpc":"2.0","id":"a","method":"_own","params":{"x":1}}`, said{" request _own valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","id":"a","result":17}`, said{"a2c response _own valid valid"}},
	}},
	{"an answer settles a request once", []sent{
		{"c2a", newSession, said{"c2a request session/new valid valid"}},
		{"a2c", isNewSession, said{"a2c response session/new valid valid"}},
		{"a2c", isNewSession, said{"a2c response  invalid invalid", "error response-id /id"}},
	}},
	{"ids are equal by type and value", []sent{
		{"c2a", strings.Replace(newSession, `"id":1`, `"id":1.0`, 1), said{"c2a request session/new valid valid"}},
		{"a2c", strings.Replace(isNewSession, `"id":1`, `"id":"1"`, 1), said{"a2c response  invalid invalid", "error response-id /id"}},
		{"a2c", isNewSession, said{"a2c response session/new valid valid"}},
	}},
	{"an answer in the wrong direction", []sent{
		{"c2a", newSession, said{"c2a request session/new valid valid"}},
		{"c2a", isNewSession, said{"c2a response  invalid invalid", "error response-id /id"}},
	}},
	{"the null id of an error to nothing in particular", []sent{
		{"a2c", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, said{"a2c error  valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","id":null,"result":{}}`, said{"a2c response  invalid invalid", "error response-id /id"}},
	}},
	{"a request with a fault is answered all the same", []sent{
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, said{"c2a request session/new invalid invalid", "error schema /params", "error schema /params"}},
		{"a2c", notFound, said{"a2c error session/new valid valid"}},
		{"c2a", `{"jsonrpc":"2.0","id":1,"id":1,"method":"logout"}`, said{"c2a request logout invalid invalid", "error json /id"}},
		{"a2c", notFound, said{"a2c error logout valid valid"}},
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}`, said{"c2a request no/such invalid invalid", "error method /method"}},
		{"a2c", notFound, said{"a2c error no/such valid valid"}},
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":5}`, said{"c2a request session/new invalid invalid", "error envelope /params"}},
		{"a2c", notFound, said{"a2c error session/new valid valid"}},
	}},
	{"what is no request is not", []sent{
		{"c2a", `{"id":1,"method":"logout"}`, said{"c2a request logout invalid invalid", "error envelope "}},
		{"a2c", notFound, said{"a2c error  invalid invalid", "error response-id /id"}},
	}},
	{"an unusable answer settles too", []sent{
		{"c2a", newSession, said{"c2a request session/new valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"},"error":{"code":1,"message":"x"}}`, said{"a2c error session/new invalid invalid", "error envelope "}},
		{"a2c", isNewSession, said{"a2c response  invalid invalid", "error response-id /id"}},
	}},
	{"the wrong side", []sent{
		{"c2a", chunk, said{"c2a notification session/update invalid invalid", "error method /method"}},
		{"a2c", newSession, said{"a2c request session/new invalid invalid", "error method /method"}},
	}},
	{"a request where a notification belongs, and the reverse", []sent{
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"session/cancel","params":{"sessionId":"s"}}`, said{"c2a request session/cancel invalid invalid", "error method /id"}},
		{"a2c", notFound, said{"a2c error session/cancel valid valid"}},
		{"c2a", `{"jsonrpc":"2.0","method":"logout"}`, said{"c2a notification logout invalid invalid", "error method "}},
		{"c2a", `{"jsonrpc":"2.0","id":{},"method":"session/cancel","params":{"sessionId":"s"}}`,
			said{"c2a request session/cancel invalid invalid", "error envelope /id", "error envelope /id"}},
	}},
	{"every violation is listed", []sent{
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":1,"mcpServers":[{"name":2}]}}`, said{
			"c2a request session/new invalid invalid", "error schema /params/cwd", "error schema /params/mcpServers/0",
			"error schema /params/mcpServers/0", "error schema /params/mcpServers/0", "error schema /params/mcpServers/0/name",
		}},
	}},
	{"leniency repairs", []sent{
		{"c2a", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":null}}`,
			said{"c2a request session/new invalid repaired", "error schema /params/mcpServers"}},
		{"a2c", `{"jsonrpc":"2.0","method":"_x","params":{"a":"\ud800"}}`, said{"a2c notification _x invalid repaired", "error json /params/a"}},
	}},
	{"not JSON", []sent{{"a2c", `{"jsonrpc":`, said{"a2c unknown  invalid invalid", "error json /jsonrpc"}}}},
	{"unknown names do not matter", []sent{{"c2a", `{"jsonrpc":"2.0","id":1,"method":"logout","params":{"SessionID":1},"ID":2}`, said{"c2a request logout valid valid"}}}},
}

func TestJudge(t *testing.T) {
	ref := reference(t)
	for _, test := range conversations {
		for name, judges := range map[string]Judges{"both": Both, "generated": Generated, "reference": Reference} {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				s := NewSession(Options{Surface: acpv1.Surface, Reference: ref, Judges: judges})
				for i, f := range test.sent {
					d, _ := transcript.ParseDirection(f.dir)
					got := words(s.Judge([]byte(f.frame), d))
					if judges == Reference { // where it sees several faults, their order is its own affair
						got, f.want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(f.want))
					}
					if diff := cmp.Diff(f.want, got); diff != "" {
						t.Errorf("frame %d: mismatch (-want +got):\n%s", i+1, diff)
					}
				}
			})
		}
	}
}

func TestLenientMode(t *testing.T) {
	s := NewSession(Options{Surface: acpv1.Surface, Reference: reference(t), Lenient: true})
	v := s.Judge([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1","clientCapabilities":{"terminal":3}}}`), transcript.ClientToAgent)
	want := said{"c2a request initialize invalid invalid", "error schema /params/protocolVersion", "warning schema /params/clientCapabilities/terminal"}
	if diff := cmp.Diff(want, words(v)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	if want := "defaulted: expected boolean"; v.Findings[1].Message != want {
		t.Errorf("message %q, want %q", v.Findings[1].Message, want)
	}
	v = s.Judge([]byte(`{"jsonrpc":"2.0","method":"_x","params":["\udead"]}`), transcript.ClientToAgent)
	if diff := cmp.Diff(said{"c2a notification _x invalid repaired", "warning json /params/0"}, words(v)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestUnknownMembersAreCounted(t *testing.T) {
	s := NewSession(Options{Surface: acpv1.Surface, Judges: Generated})
	v := s.Judge([]byte(`{"jsonrpc":"2.0","id":1,"method":"logout","params":{"SessionID":1,"_meta":{"free":1}},"ID":2}`), transcript.ClientToAgent)
	if v.Unknown != 2 {
		t.Errorf("%d unknown members, want 2: SessionID and ID", v.Unknown)
	}
}

func TestManyViolations(t *testing.T) {
	frame := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[` + strings.Repeat("5,", 99) + `5]}}`
	s := NewSession(Options{Surface: acpv1.Surface, Reference: reference(t)})
	v := s.Judge([]byte(frame), transcript.ClientToAgent)
	last := v.Findings[len(v.Findings)-1]
	if want := "36 more violations, not listed"; len(v.Findings) != 65 || last.Message != want {
		t.Errorf("%d findings, the last %q; want 65 with %q", len(v.Findings), last.Message, want)
	}
}

func TestForeignVersion(t *testing.T) {
	const (
		hello   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`
		version = `{"jsonrpc":"2.0","id":0,"result":{"capabilities":{},"agentCapabilities":5,"protocolVersion":2}}`
		back    = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
		odd     = `{"jsonrpc":"2.0","id":7,"method":"session/brand_new","params":{"x":1}}`
	)
	sent := []sent{
		{"c2a", odd, said{"c2a request session/brand_new invalid invalid", "error method /method"}},
		{"c2a", hello, said{"c2a request initialize valid valid"}},
		{"a2c", version, said{"a2c response initialize valid valid", "warning version /result/protocolVersion"}},
		{"c2a", odd, said{"c2a request session/brand_new valid valid"}},
		{"a2c", chunk, said{"a2c notification session/update valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","method":"session/update","params":{}}`, said{"a2c notification session/update valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","id":7,"result":null}`, said{"a2c response session/brand_new valid valid"}},
		{"a2c", `{"jsonrpc":"2.0","id":7,"result":null}`, said{"a2c response  invalid invalid", "error response-id /id"}},
		{"a2c", `{"jsonrpc":"2.0"}`, said{"a2c unknown  invalid invalid", "error envelope "}},
		{"c2a", hello, said{"c2a request initialize valid valid"}},
		{"a2c", version, said{"a2c response initialize valid valid"}}, // said once
		{"c2a", hello, said{"c2a request initialize valid valid"}},
		{"a2c", back, said{"a2c response initialize valid valid"}},
		{"c2a", odd, said{"c2a request session/brand_new invalid invalid", "error method /method"}},
	}
	s := NewSession(Options{Surface: acpv1.Surface, Reference: reference(t)})
	for i, f := range sent {
		d, _ := transcript.ParseDirection(f.dir)
		if diff := cmp.Diff(f.want, words(s.Judge([]byte(f.frame), d))); diff != "" {
			t.Errorf("frame %d: mismatch (-want +got):\n%s", i+1, diff)
		}
	}
}

func TestTooLargeForTheReference(t *testing.T) {
	frame := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":[` +
		strings.Repeat("0,", validate.MaxValues) + `0]}}}`
	for _, judges := range []Judges{Both, Reference} {
		s := NewSession(Options{Surface: acpv1.Surface, Reference: reference(t), Judges: judges})
		want := said{"a2c notification session/update valid valid", "warning limit "}
		if diff := cmp.Diff(want, words(s.Judge([]byte(frame), transcript.AgentToClient))); diff != "" {
			t.Errorf("judges %d: mismatch (-want +got):\n%s", judges, diff)
		}
	}
}

func TestFind(t *testing.T) {
	const frame = ` {"a":[1,{"b/c":"x","":2}],"~":{"":{"d":3}}}`
	tests := []struct{ pointer, value string }{
		{"", frame[1:]}, {"/a", `[1,`}, {"/a/0", "1"}, {"/a/1", `{"b/c"`}, {"/a/1/b~1c", `"x"`}, {"/a/1/", "2"}, {"/~0//d", "3"}, {"/~0/", `{"d"`},
	}
	for _, test := range tests {
		at := find([]byte(frame), test.pointer)
		if at < 0 || !strings.HasPrefix(frame[at:], test.value) {
			t.Errorf("find(%q) = %d, want the offset of %s", test.pointer, at, test.value)
		}
	}
	for _, pointer := range []string{"/b", "/a/2", "/a/x", "/a/0/y", "/a/1/b", "/~0/d"} {
		if at := find([]byte(frame), pointer); at >= 0 {
			t.Errorf("find(%q) = %d, want none", pointer, at)
		}
	}
}

func TestSteadyJudgingAllocatesOnlyValues(t *testing.T) {
	s := NewSession(Options{Surface: acpv1.Surface, Judges: Generated})
	frame := []byte(chunk)
	// The notification, its update and its content, and one copy of the frame for their strings.
	const values = 4
	if allocs := testing.AllocsPerRun(1000, func() { s.Judge(frame, transcript.AgentToClient) }); allocs > values {
		t.Errorf("%v allocations a frame, want at most %d", allocs, values)
	}
}

func BenchmarkJudge(b *testing.B) {
	s := NewSession(Options{Surface: acpv1.Surface, Judges: Generated})
	frame := []byte(chunk)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if s.Judge(frame, transcript.AgentToClient).Strict != Valid {
			b.Fatal("invalid")
		}
	}
}
