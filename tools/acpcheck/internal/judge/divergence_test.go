package judge

import (
	"strings"
	"testing"

	"github.com/acpwire/acpwire/gen/acpv1"
	"github.com/acpwire/acpwire/gen/wire"
	"github.com/acpwire/acpwire/schema/validate"
	"github.com/acpwire/acpwire/tools/acpcheck/internal/transcript"
)

// Each frame is one that the schema accepts and the generated decoder refuses, by the name of the divergence that explains it.
var divergent = map[string][]string{
	"McpServer": {
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"type":"http","name":"n","command":"c","args":[],"env":[]}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"type":"sse","name":"n","url":"u","headers":[{"name":"a"}],"command":"c","args":[],"env":[]}]}}`,
	},
	"AuthMethod": {
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"type":"terminal","id":"a","name":"n","args":[1]}]}}`,
	},
	"EmbeddedResourceResource": {
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"u","text":1,"blob":"AA=="}}]}}`,
	},
	"SessionConfigSelectOptions": {
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"i","name":"n","type":"select","currentValue":"a","options":[{"value":"a","name":"n","group":"g","options":[]},{"value":"b","name":"n"}]}]}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"i","name":"n","type":"select","currentValue":"a","options":[{"value":"a","name":"n","group":"g","options":[{}]}]}]}}}`,
	},
	"SetSessionConfigOptionRequest": {
		`{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"s","configId":"c","type":"boolean","value":"yes"}}`,
	},
	"CreateElicitationRequest": {
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","elicitationId":"e","url":"u","sessionId":null,"requestId":1}}`,
	},
	"MultiSelectItems": {
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"m","sessionId":"s","requestedSchema":{"properties":{"p":{"type":"array","items":{"type":"string","anyOf":[]}}}}}}`,
	},
	"double": {
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1e400,"currency":"EUR"}}}}`,
	},
}

func TestDivergences(t *testing.T) {
	ref := reference(t)
	for _, d := range divergences {
		t.Run(d.name, func(t *testing.T) {
			if d.why == "" {
				t.Error("the divergence has no reason")
			}
			if len(divergent[d.name]) == 0 {
				t.Fatal("no frame needs the divergence")
			}
			used := map[string]bool{}
			for _, frame := range divergent[d.name] {
				s := NewSession(Options{Surface: acpv1.Surface, Reference: ref})
				s.open.add(wire.IntID(1), request{method: acpv1.Surface.Request("initialize"), name: "initialize", direction: transcript.ClientToAgent})
				v := s.Judge([]byte(frame), transcript.Unknown)
				if len(v.Findings) == 0 {
					t.Errorf("no finding on %s", frame)
				}
				for _, f := range v.Findings {
					if f.Rule != wire.RuleSchema || !strings.HasSuffix(f.Message, "(stricter than the schema: "+d.why+")") {
						t.Errorf("rule %s, message %q; want rule schema and the reason of the divergence", f.Rule, f.Message)
					}
					for _, path := range d.paths {
						if strings.HasPrefix(f.Schema, path) {
							used[path] = true
						}
					}
				}
				only := NewSession(Options{Surface: acpv1.Surface, Reference: ref, Judges: Reference})
				only.open.add(wire.IntID(1), request{method: acpv1.Surface.Request("initialize"), name: "initialize", direction: transcript.ClientToAgent})
				if v := only.Judge([]byte(frame), transcript.Unknown); v.Strict != Valid {
					t.Errorf("the reference validator refuses it, too: %v", words(v))
				}
			}
			for _, path := range d.paths {
				if !used[path] && path != "#/$defs/McpServerSse/" {
					t.Errorf("no frame needs the path %s", path)
				}
			}
		})
	}
}

// anything is a value that is read and forgotten.
type anything struct{}

func (anything) UnmarshalWire(d *wire.Decoder) { d.Skip() }

func (anything) MarshalWire(e *wire.Encoder) { e.Null() }

// A disagreement cannot be had from the two judges as they are, so one of them is replaced.
func TestDisagreement(t *testing.T) {
	lax := func(name string) *wire.Surface {
		var methods []*wire.Method
		for _, m := range acpv1.Surface.Methods {
			odd := *m
			if m.Name == name {
				odd.NewParams = func() wire.Message { return anything{} }
			}
			methods = append(methods, &odd)
		}
		return wire.NewSurface("v1", 1, methods)
	}
	ref := reference(t)
	s := NewSession(Options{Surface: lax("session/new"), Reference: ref})
	v := s.Judge([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":5,"mcpServers":[]}}`), transcript.ClientToAgent)
	want := "the judges disagree, only the reference validator rejects this: "
	if len(v.Findings) != 1 || v.Findings[0].Rule != RuleDisagreement || !strings.HasPrefix(v.Findings[0].Message, want) || v.Lenient != Invalid {
		t.Errorf("got %v with %+v, want one finding of rule disagreement that begins %q", words(v), v.Findings, want)
	}
	if at := v.Findings[0].Offset; at != strings.Index(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":5`, "5") {
		t.Errorf("offset %d is not that of the value", at)
	}

	permissive, err := validate.NewFromSchema([]byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","anyOf":[{"anyOf":[
		{"title":"Request","allOf":[{"$ref":"#/$defs/Req"}]},{"title":"Response","allOf":[{"$ref":"#/$defs/Res"}]}]}],"$defs":{
		"Req":{"type":"object","properties":{"params":{"anyOf":[{"allOf":[{"$ref":"#/$defs/N"}]}]}}},
		"Res":{"anyOf":[{"title":"Result","type":"object","properties":{"result":{"anyOf":[{"allOf":[{"$ref":"#/$defs/R"}]}]}}}]},
		"N":{"type":"object","x-side":"agent","x-method":"session/new"},"R":{"type":"object","x-side":"agent","x-method":"session/new"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	s = NewSession(Options{Surface: acpv1.Surface, Reference: permissive})
	v = s.Judge([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":5,"mcpServers":[]}}`), transcript.ClientToAgent)
	want = "the judges disagree, only the generated decoder rejects this: "
	if len(v.Findings) != 1 || v.Findings[0].Rule != RuleDisagreement || !strings.HasPrefix(v.Findings[0].Message, want) {
		t.Errorf("got %v with %+v, want one finding of rule disagreement that begins %q", words(v), v.Findings, want)
	}
}
