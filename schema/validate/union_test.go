package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema"
)

// describe says how a union is told apart: its tag, the branches of each value, and those of anything else.
func describe(u *union) string {
	if u == nil {
		return "none"
	}
	var parts []string
	for _, value := range u.values {
		indexes, own := u.branchesFor(value)
		parts = append(parts, fmt.Sprintf("%s:%v/%d", value, indexes, own))
	}
	return fmt.Sprintf("%s %s %s else:%v", u.keyword, u.tag, strings.Join(parts, " "), u.openBranches())
}

func TestFindUnion(t *testing.T) {
	const (
		a     = `{"type":"object","properties":{"t":{"type":"string","const":"a"}},"required":["t"]}`
		b     = `{"type":"object","properties":{"t":{"const":"b"}},"required":["t"]}`
		other = `{"type":"object","properties":{"t":{"type":"string"}},"required":["t"],"not":{"anyOf":[` + a + `,` + b + `]}}`
	)
	for _, test := range []struct {
		name, schema, want string
	}{
		{"closed", `{"oneOf":[` + a + `,` + b + `]}`, "oneOf t a:[0]/0 b:[1]/0 else:[]"},
		{"catch-all", `{"anyOf":[` + a + `,` + b + `,` + other + `]}`, "anyOf t a:[0]/0 b:[1]/0 else:[2]"},
		{"catch-all first", `{"anyOf":[` + other + `,` + a + `,` + b + `]}`, "anyOf t a:[1]/0 b:[2]/0 else:[0]"},
		{"catch-all of one value", `{"anyOf":[` + a + `,` + b + `,{"not":` + a + `}]}`, "anyOf t a:[0]/0 b:[1 2]/0 else:[2]"},
		{"catch-all that asks for more than the value",
			`{"anyOf":[` + a + `,{"not":{"properties":{"t":{"const":"a"}},"required":["t","u"]}}]}`, "anyOf t a:[0 1]/0 else:[1]"},
		{"catch-all that excludes another property's value",
			`{"anyOf":[` + a + `,{"not":{"properties":{"u":{"const":"a"}},"required":["u"]}}]}`, "anyOf t a:[0 1]/0 else:[1]"},
		{"default", `{"anyOf":[` + a + `,` + b + `,{"type":"object"}]}`, "anyOf t a:[0 2]/0 b:[1 2]/0 else:[2]"},
		{"default first", `{"anyOf":[{"type":"object"},` + a + `,` + b + `]}`, "anyOf t a:[0 1]/1 b:[0 2]/1 else:[0]"},
		{"default whose tag is null", `{"anyOf":[` + a + `,{"properties":{"t":{"type":"null"}}}]}`, "anyOf t a:[0]/0 else:[1]"},
		{"default whose tag may be a string", `{"anyOf":[` + a + `,{"properties":{"t":{"type":["null","string"]}}}]}`, "anyOf t a:[0 1]/0 else:[1]"},
		{"same value twice", `{"oneOf":[` + a + `,` + b + `,` + a + `]}`, "oneOf t a:[0 2]/0 b:[1]/0 else:[]"},
		{"anything", `{"anyOf":[` + a + `,true]}`, "anyOf t a:[0 1]/0 else:[1]"},
		{"object by the parent", `{"type":"object","anyOf":[{"properties":{"t":{"const":"a"}},"required":["t"]},` + b + `]}`, "anyOf t a:[0]/0 b:[1]/0 else:[]"},
		{"branch that takes strings", `{"anyOf":[{"properties":{"t":{"const":"a"}},"required":["t"]},` + b + `]}`, "anyOf t b:[0 1]/1 else:[0]"},
		{"optional tag", `{"anyOf":[{"type":"object","properties":{"t":{"const":"a"}}},` + b + `]}`, "anyOf t b:[0 1]/1 else:[0]"},
		{"number as a tag", `{"anyOf":[{"type":"object","properties":{"t":{"const":1}},"required":["t"]},{"type":"object"}]}`, "none"},
		{"nullable", `{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}`, "none"},
		{"one branch", `{"anyOf":[` + a + `]}`, "none"},
		{"no tag", `{"anyOf":[{"type":"object","required":["x"]},{"type":"object","required":["y"]}]}`, "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			node, err := decode([]byte(test.schema), exactNumber)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(findUnion(node.(map[string]any))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			compareOnUnion(t, test.schema)
		})
	}
}

// compareOnUnion judges every small object by the schema as it is and rewritten.
func compareOnUnion(t *testing.T, union string) {
	t.Helper()
	rewritten, plain := pairOf(t, []byte(`{"$schema":"`+dialect+`","$defs":{"A":{"type":"object"},"U":`+union+`}}`))
	for _, tag := range []string{"", `"t":"a"`, `"t":"b"`, `"t":"c"`, `"t":1`, `"t":null`} {
		for _, rest := range []string{"", `"u":"a"`, `"x":1`, `"x":1,"y":1`, `"u":"a","x":1`} {
			instance := []byte("{" + strings.Trim(tag+","+rest, ",") + "}")
			compareOn(t, rewritten, plain, instance)
		}
	}
	for _, scalar := range []string{`"a"`, `null`, `[]`, `1`} {
		compareOn(t, rewritten, plain, []byte(scalar))
	}
}

func compareOn(t *testing.T, rewritten, plain *Validator, instance []byte) {
	t.Helper()
	_, want := judge(t, plain, "U", instance)
	if wrong, got := judge(t, rewritten, "U", instance); got != want {
		t.Errorf("%s: valid is %t, but %t after the rewrite: %v", instance, want, got, wrong)
	}
}

// The unions of the stable protocol that are rewritten, by definition.
func TestRewrittenUnions(t *testing.T) {
	raw, err := schema.JSON("v1")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := decode(raw, exactNumber)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, def := range tree.(map[string]any)["$defs"].(map[string]any) {
		if u := findUnion(def.(map[string]any)); u != nil {
			got[name] = fmt.Sprintf("%s %d+%d", u.tag, len(u.values), len(u.open))
		}
	}
	want := map[string]string{
		"AuthMethod": "type 1+1", "ContentBlock": "type 5+0", "CreateElicitationRequest": "mode 2+1", "CreateElicitationResponse": "action 3+1",
		"ElicitationPropertySchema": "type 5+1", "McpServer": "type 2+1", "MultiSelectItems": "type 1+2", "RequestPermissionOutcome": "outcome 2+0",
		"SessionConfigOption": "type 2+0", "SessionUpdate": "sessionUpdate 14+0", "SetSessionConfigOptionRequest": "type 1+1", "ToolCallContent": "type 3+0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// Where a schema asks which properties a branch evaluated, leaving branches out could be seen: nothing is rewritten.
func TestUnevaluatedKeepsUnions(t *testing.T) {
	const union = `"anyOf":[
		{"type":"object","properties":{"t":{"const":"a"}},"required":["t"]},
		{"type":"object","properties":{"t":{"const":"b"}},"required":["t"]},
		{"type":"object","properties":{"t":true,"x":true}}]`
	for _, test := range []struct {
		name, unevaluated string
		rewritten         bool
	}{
		{"true", `,"unevaluatedProperties":true`, true},
		{"false", `,"unevaluatedProperties":false`, false},
		{"schema", `,"unevaluatedProperties":{"type":"string"}`, false},
		{"absent", ``, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			rewritten, plain := pairOf(t, []byte(`{"$schema":"`+dialect+`","$defs":{"U":{`+union+test.unevaluated+`}}}`))
			if got := len(unionDefs(rewritten)) > 0; got != test.rewritten {
				t.Errorf("rewritten is %t, want %t", got, test.rewritten)
			}
			for _, instance := range []string{`{"t":"a","x":1}`, `{"t":"a","x":1,"y":1}`, `{"t":"c","y":"s"}`, `{"t":"c","y":1}`, `{"y":1}`} {
				compareOn(t, rewritten, plain, []byte(instance))
			}
		})
	}
}
