package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
	"github.com/acpwire/acpwire/tools/acpgen/internal/load"
)

func buildSurface(t *testing.T, surface string) (*load.Schema, *Schema, []byte) {
	t.Helper()
	data, err := schema.JSON(surface)
	if err != nil {
		t.Fatal(err)
	}
	in, err := load.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return in, s, data
}

// TestSurfaceCounts pins the size of every surface: a spec bump changes these numbers on purpose or not at all.
func TestSurfaceCounts(t *testing.T) {
	type counts struct{ Defs, Requests, Notifications int }
	want := map[string]counts{
		"v1":          {Defs: 169, Requests: 21, Notifications: 4},
		"v1-unstable": {Defs: 240, Requests: 33, Notifications: 7},
		"v2":          {Defs: 188, Requests: 14, Notifications: 4},
		"v2-unstable": {Defs: 250, Requests: 26, Notifications: 7},
	}
	got := map[string]counts{}
	for _, surface := range schema.Surfaces() {
		_, s, _ := buildSurface(t, surface)
		c := counts{Defs: len(s.Defs)}
		for _, m := range s.Methods {
			if m.Result != "" {
				c.Requests++
			} else {
				c.Notifications++
			}
			for _, name := range []string{m.Params, m.Result} {
				if name != "" && s.Def(name) == nil {
					t.Errorf("%s: method %s refers to %q, which is no definition", surface, m.Name, name)
				}
			}
		}
		got[surface] = c
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestV1Unions lists every union of the stable surface with the way it is decided.
func TestV1Unions(t *testing.T) {
	want := []string{
		`RequestId: union by kind`,
		`ToolCallContent: union by tag "type"`,
		`ContentBlock: union by tag "type"`,
		`EmbeddedResourceResource: union by key`,
		`CreateElicitationRequest + union by open tag "mode"`,
		`CreateElicitationRequest + other + union by key`,
		`ElicitationPropertySchema: union by open tag "type"`,
		`MultiSelectItems: union by open tag or default "type"`,
		`ElicitationFormMode + union by key`,
		`ElicitationUrlMode + union by key`,
		`AuthMethod: union by tag or default "type"`,
		`SessionConfigOption + union by tag "type"`,
		`SessionConfigSelectOptions: union by element key`,
		`SessionUpdate: union by tag "sessionUpdate"`,
		`AvailableCommandInput: union by key`,
		`McpServer: union by tag or default "type"`,
		`SetSessionConfigOptionRequest + union by tag or default "type"`,
		`RequestPermissionOutcome: union by tag "outcome"`,
		`CreateElicitationResponse + union by open tag "action"`,
		`ElicitationContentValue: union by kind`,
	}
	_, s, _ := buildSurface(t, "v1")
	var got []string
	var walk func(path, sep string, typ Type)
	walk = func(path, sep string, typ Type) {
		switch typ := typ.(type) {
		case *Struct:
			for _, u := range typ.Unions {
				walk(path, " + ", u)
			}
		case *Union:
			got = append(got, path+sep+typeText(typ))
			for _, v := range typ.Variants {
				walk(path+" + "+v.Title, "", v.Payload)
			}
		}
	}
	for _, d := range s.Defs {
		walk(d.Name, ": ", d.Type)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestV2Shapes looks at the shapes that only the other surfaces have.
func TestV2Shapes(t *testing.T) {
	tests := []struct{ surface, def, want string }{
		{"v2", "ErrorData", `ErrorData: union by key
  variant with requested, supported: UnsupportedProtocolVersionErrorData (UnsupportedProtocolVersion)
  variant with sessionId: SessionNotFoundErrorData (SessionNotFound)
  other: any (Other)
`},
		{"v2", "IdleStateUpdate", `IdleStateUpdate: struct
  background?: list of BackgroundWork or null default-on-error
  _meta?: any object or null default-on-error
  union by open tag "stopReason" default-on-error
    "end_turn": struct
    "max_tokens": struct
    "max_turn_requests": struct
    "refusal": struct
    "cancelled": struct
    "error": ErrorStopReason
    other: struct (other)
    absent: struct (none)
`},
		{"v2", "ElicitationUrlMode", `ElicitationUrlMode: struct
  elicitationId: ElicitationId
  url: string uri
  union by key exclusive
    variant with sessionId: ElicitationSessionScope (Session)
    variant with requestId: ElicitationRequestScope (Request)
`},
		{"v1-unstable", "MessageMcpResponse", `MessageMcpResponse: union by key
  variant with result: struct (Result)
    result: any
    _meta?: any object or null default-on-error
  variant with error: struct (Error)
    error: McpError
    _meta?: any object or null default-on-error
`},
		{"v2-unstable", "ProxySuccessorResponse", "ProxySuccessorResponse: any\n"},
		{"v2-unstable", "InitializeProxyRequest", "InitializeProxyRequest: InitializeRequest\n"},
	}
	for _, tt := range tests {
		t.Run(tt.surface+" "+tt.def, func(t *testing.T) {
			_, s, _ := buildSurface(t, tt.surface)
			got := Dump(&Schema{Defs: []*Def{s.Def(tt.def)}})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	for _, surface := range schema.Surfaces() {
		_, first, _ := buildSurface(t, surface)
		_, second, _ := buildSurface(t, surface)
		if diff := cmp.Diff(Dump(first), Dump(second)); diff != "" {
			t.Errorf("%s: two builds differ:\n%s", surface, diff)
		}
	}
}
