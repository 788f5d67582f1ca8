package validate

import (
	"strings"
	"testing"

	"github.com/acpwire/acpwire/schema"
)

// The cost of the reference verdict on one notification, with the schema as published and rewritten.
func BenchmarkSessionUpdate(b *testing.B) {
	raw, err := schema.JSON("v1")
	if err != nil {
		b.Fatal(err)
	}
	for _, validator := range []struct {
		name  string
		plain bool
	}{{"plain", true}, {"rewritten", false}} {
		v, err := newValidator(raw, validator.plain)
		if err != nil {
			b.Fatal(err)
		}
		for _, frame := range []struct{ name, params string }{
			{"chunk", `{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Looking at the tests now."}}}`},
			{"tool_call", `{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Read a file","kind":"read","status":"pending",` +
				`"locations":[{"path":"/p/a.go","line":3}],"content":[{"type":"content","content":{"type":"text","text":"` + strings.Repeat("line of text ", 300) + `"}}]}}`},
			{"wrong", `{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}}`},
		} {
			b.Run(validator.name+"/"+frame.name, func(b *testing.B) {
				params := []byte(frame.params)
				want := frame.name != "wrong"
				b.SetBytes(int64(len(params)))
				b.ReportAllocs()
				for b.Loop() {
					if err := v.Params("session/update", params); (err == nil) != want {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The cost of the first verdict of a method.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		v, err := New("v1")
		if err != nil {
			b.Fatal(err)
		}
		if err := v.Params("session/update", []byte(`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}`)); err != nil {
			b.Fatal(err)
		}
	}
}
