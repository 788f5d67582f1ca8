package validate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpwire/acpwire/schema/validate"
)

// Keywords that the published schemas use little or not at all have messages too.
func TestRareKeywords(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`"v%d"`, i))
	}
	for _, test := range []struct {
		name, schema, value string
		want                []string
	}{
		{"minimum", `{"minimum":1}`, `0`, []string{"expected at least 1 (A), got 0 [minimum #/$defs/A/minimum]"}},
		{"maximum", `{"maximum":1.5}`, `2`, []string{"expected at most 1.5 (A), got 2 [maximum #/$defs/A/maximum]"}},
		{"narrower than the format", `{"format":"uint16","maximum":9}`, `10`, []string{"expected uint16, 0 to 9 (A), got 10 [maximum #/$defs/A/maximum]"}},
		{"maxLength", `{"maxLength":1}`, `"éé"`, []string{`expected at most 1 character (A), got "éé" [maxLength #/$defs/A/maxLength]`}},
		{"maxItems", `{"maxItems":2}`, `[1,2,3]`, []string{"expected at most 2 items (A), got 3 items [maxItems #/$defs/A/maxItems]"}},
		{"const", `{"const":{"a":1}}`, `{"a":2}`, []string{"expected the constant of the schema (A), got an object [const #/$defs/A/const]"}},
		{"not", `{"not":{"type":"null"}}`, `null`, []string{"expected a value outside the excluded ones (A), got null [not #/$defs/A/not]"}},
		{"additionalProperties false", `{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"b":1,"":1}`, []string{
			`expected no properties but those of the schema (A), got "" [additionalProperties #/$defs/A/additionalProperties]`,
			`expected no properties but those of the schema (A), got "b" [additionalProperties #/$defs/A/additionalProperties]`}},
		{"additionalProperties beside properties", `{"properties":{"a":true},"additionalProperties":{"type":"string"}}`, `{"a":1,"b":1}`, []string{
			`/b: expected string (A.*), got 1 [type #/$defs/A/additionalProperties/type]`}},
		{"items of any value but objects", `{"items":{"type":"string"},"additionalProperties":{"type":"null"}}`, `[1]`, []string{
			`/0: expected string (A[]), got 1 [type #/$defs/A/items/type]`}},
		{"map of any value but arrays", `{"items":{"type":"string"},"additionalProperties":{"type":"null"}}`, `{"k":1}`, []string{
			`/k: expected null (A.*), got 1 [type #/$defs/A/additionalProperties/type]`}},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, []string{"/a: expected nothing here (A.a), got 1 [false #/$defs/A/properties/a]"}},
		{"long list", `{"enum":[` + strings.Join(many, ",") + `]}`, `1`, []string{
			`expected "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23" or 6 others (A), got 1 [enum #/$defs/A/enum]`}},
		{"constants of several types", `{"anyOf":[{"const":1},{"const":"x"},{"const":null}]}`, `2`, []string{`expected 1, "x" or null (A), got 2 [enum #/$defs/A/anyOf]`}},
		{"both branches fit", `{"oneOf":[{"type":"integer"},{"minimum":1}]}`, `1`, []string{"expected exactly one of integer and alternative 2 to fit (A), got 1 [oneOf #/$defs/A/oneOf]"}},
		{"name with a slash", `{"additionalProperties":{"type":"null"}}`, `{"a/b~c%d":1}`, []string{"/a~1b~0c%d: expected null (A.*), got 1 [type #/$defs/A/additionalProperties/type]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := validate.NewFromSchema([]byte(wrap(`"A":` + test.schema)))
			if err != nil {
				t.Fatal(err)
			}
			var wrong *validate.DataError
			if err := v.Def("A", []byte(test.value)); !errors.As(err, &wrong) {
				t.Fatalf("want a data error, got %v", err)
			}
			var got []string
			for _, violation := range wrong.Violations {
				got = append(got, fmt.Sprintf("%s [%s %s]", violation, violation.Keyword, violation.SchemaPath))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
