package interop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/gen/wire"
)

const plainInstance = `{"protocolVersion":1,"clientInfo":{"name":"n","version":"v","title":null},"_meta":{"a":[1,null]}}`

var disagreementTests = []struct {
	name          string
	def           string // if empty, InitializeRequest
	in, sdk, ours string // if in is empty, it is plainInstance
	report        wire.Report
	want          []string
}{
	{
		name:   "null is absence",
		sdk:    plainInstance,
		ours:   `{"protocolVersion":1,"clientInfo":{"name":"n","version":"v"},"_meta":{"a":[1,null]}}`,
		report: wire.Report{Nulls: 1},
	},
	{
		name: "null not reported",
		sdk:  plainInstance,
		ours: `{"protocolVersion":1,"clientInfo":{"name":"n","version":"v"},"_meta":{"a":[1,null]}}`,
		want: []string{": nulls left out: 1, reported: 0"},
	},
	{
		name:   "other order, escapes and spelling of numbers",
		in:     `{"protocolVersion":1e0,"_meta":{"a":"\u0062"}}`,
		sdk:    `{"_meta":{"\u0061":"b"},"protocolVersion":1}`,
		ours:   `{"protocolVersion":1.0,"_meta":{"a":"b"}}`,
		report: wire.Report{},
	},
	{
		name: "defaults filled in",
		in:   `{"protocolVersion":1}`,
		sdk: `{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":false},"terminal":false,` +
			`"fs":{"readTextFile":false,"writeTextFile":false}}}`,
		ours: `{"protocolVersion":1}`,
	},
	{
		name: "no default",
		in:   `{"protocolVersion":1,"clientCapabilities":{}}`,
		sdk:  `{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`,
		ours: `{"protocolVersion":1,"clientCapabilities":{}}`,
		want: []string{"/clientCapabilities/terminal: instance <nil>, SDK true, ours <nil>"},
	},
	{
		name:   "unknown member",
		in:     `{"protocolVersion":1,"x~/y":2}`,
		sdk:    `{"protocolVersion":1}`,
		ours:   `{"protocolVersion":1}`,
		report: wire.Report{Unknown: 1, UnknownPointers: []string{"/x~0~1y"}},
	},
	{
		name: "unknown member not reported",
		in:   `{"protocolVersion":1,"x":2}`,
		sdk:  `{"protocolVersion":1}`,
		ours: `{"protocolVersion":1}`,
		want: []string{"/x: instance 2, SDK <nil>, ours <nil>"},
	},
	{
		name:   "known member reported as unknown",
		in:     `{"protocolVersion":1,"_meta":{}}`,
		sdk:    `{"protocolVersion":1,"_meta":{}}`,
		ours:   `{"protocolVersion":1}`,
		report: wire.Report{Unknown: 1, UnknownPointers: []string{"/_meta"}},
		want:   []string{"/_meta: unknown, but SDK {}, ours <nil>"},
	},
	{
		name:   "defaulted",
		in:     `{"protocolVersion":1,"clientInfo":7}`,
		sdk:    `{"protocolVersion":1}`,
		ours:   `{"protocolVersion":1}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/clientInfo", Action: wire.Defaulted}}},
	},
	{
		name: "difference without repair",
		in:   `{"protocolVersion":1,"clientInfo":7}`,
		sdk:  `{"protocolVersion":1}`,
		ours: `{"protocolVersion":1}`,
		want: []string{"/clientInfo: instance 7, SDK <nil>, ours <nil>"},
	},
	{
		name:   "repair without difference",
		in:     `{"protocolVersion":1,"_meta":{}}`,
		sdk:    `{"protocolVersion":1,"_meta":{}}`,
		ours:   `{"protocolVersion":1}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/_meta", Action: wire.Defaulted}}},
		want:   []string{"/_meta: repaired, but the SDK keeps it"},
	},
	{
		name:   "repair that is nowhere",
		in:     `{"protocolVersion":1}`,
		sdk:    `{"protocolVersion":1}`,
		ours:   `{"protocolVersion":1}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/_meta", Action: wire.Defaulted}}},
		want:   []string{"/_meta: defaulted, but it is no difference"},
	},
	{
		name:   "emptied",
		def:    "ResumeSessionRequest",
		in:     `{"sessionId":"s","cwd":"c","mcpServers":null}`,
		sdk:    `{"sessionId":"s","cwd":"c","mcpServers":[]}`,
		ours:   `{"sessionId":"s","cwd":"c","mcpServers":[]}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/mcpServers", Action: wire.Emptied}}},
	},
	{
		name:   "emptied but absent",
		def:    "ResumeSessionRequest",
		in:     `{"sessionId":"s","cwd":"c","mcpServers":null}`,
		sdk:    `{"sessionId":"s","cwd":"c","mcpServers":[]}`,
		ours:   `{"sessionId":"s","cwd":"c"}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/mcpServers", Action: wire.Emptied}}},
		want:   []string{"/mcpServers: emptied: SDK [], ours <nil>"},
	},
	{
		name:   "skipped element",
		def:    "ListSessionsResponse",
		in:     `{"sessions":[1,{"sessionId":"s","cwd":"c"},2]}`,
		sdk:    `{"sessions":[{"sessionId":"s","cwd":"c"}]}`,
		ours:   `{"sessions":[{"sessionId":"s","cwd":"c"}]}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/sessions/0", Action: wire.Skipped}, {Pointer: "/sessions/2", Action: wire.Skipped}}},
	},
	{
		name:   "wrong element skipped",
		def:    "ListSessionsResponse",
		in:     `{"sessions":[{"sessionId":"s","cwd":"c"},{"sessionId":"t","cwd":"c"}]}`,
		sdk:    `{"sessions":[{"sessionId":"s","cwd":"c"}]}`,
		ours:   `{"sessions":[{"sessionId":"t","cwd":"c"}]}`,
		report: wire.Report{Repairs: []wire.Repair{{Pointer: "/sessions/0", Action: wire.Skipped}}},
		want:   []string{`/sessions/1/sessionId: SDK "s", ours "t"`},
	},
	{
		name: "rounded",
		in:   `{"protocolVersion":1,"_meta":{"a":9007199254740993}}`,
		sdk:  `{"protocolVersion":1,"_meta":{"a":9007199254740992}}`,
		ours: `{"protocolVersion":1,"_meta":{"a":9007199254740993}}`,
		want: []string{"/_meta/a: SDK 9007199254740992, ours 9007199254740993"},
	},
	{
		name: "lone surrogate",
		in:   `{"protocolVersion":1,"_meta":{"a":"\ud800\ud83d\ude00"}}`,
		sdk:  `{"protocolVersion":1,"_meta":{"a":"\ud800😀"}}`,
		ours: `{"protocolVersion":1,"_meta":{"a":"\ufffd😀"}}`,
		want: []string{`/_meta/a: SDK "\ud800😀", ours "\ufffd😀"`},
	},
}

// TestDisagreements shows that the comparison sees what it is there to see, and what it takes for the same. It needs no SDK.
func TestDisagreements(t *testing.T) {
	for _, tt := range disagreementTests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in == "" {
				tt.in = plainInstance
			}
			if tt.def == "" {
				tt.def = "InitializeRequest"
			}
			ours := &result{report: tt.report, value: tt.ours}
			got := disagreements(instance{tt.def, []byte(tt.in)}, ours, verdict{Verdict: "accepted", Value: tt.sdk})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
		})
	}
}

func TestShallow(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // if empty, nothing is too deep
	}{
		{"nothing too deep", `{"a":[1,2]}`, ""},
		{"arrays", `[[[[1],2]],3]`, `[[null],3]`},
		{"objects", `{"a":{"b":{"c":{}},"d":1}}`, `{"a":{"b":null,"d":1}}`},
		{"brackets in strings", `["[[[\"[[",["]",["\\"]]]`, `["[[[\"[[",["]",null]]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(shallow([]byte(tt.in), 3))); diff != "" {
				t.Errorf("mismatch (-want +got)\n%s", diff)
			}
		})
	}
}
